"""treegauge tells, for syntactic trees, what can be trusted, what is hard, and how hard."""

from typing import TYPE_CHECKING, Any

from treegauge.version import __version__ as __version__

if TYPE_CHECKING:
    from treegauge.constituency.brackets import read_brackets as read_brackets
    from treegauge.constituency.chaos.parser import Chaos as Chaos
    from treegauge.constituency.flattening import flatten as flatten
    from treegauge.constituency.measures import ecc as ecc
    from treegauge.constituency.parseval import parseval as parseval
    from treegauge.constituency.surprisal import surprisal as surprisal
    from treegauge.corpus.adapters.conllu_packages import from_conllu_objects as from_conllu_objects
    from treegauge.corpus.adapters.spacy_docs import from_spacy as from_spacy
    from treegauge.corpus.adapters.stanza_docs import from_stanza as from_stanza
    from treegauge.corpus.conllu import parse_conllu as parse_conllu
    from treegauge.corpus.conllu import read_conllu as read_conllu
    from treegauge.corpus.conllu import stream_conllu as stream_conllu
    from treegauge.corpus.corpus import Corpus as Corpus
    from treegauge.difficulty.bins import difficulty_bins as difficulty_bins
    from treegauge.difficulty.bits import dependency_bits as dependency_bits
    from treegauge.difficulty.challenge import challenge as challenge
    from treegauge.difficulty.types import difficulty_types as difficulty_types
    from treegauge.difficulty.typology.typology import typology as typology
    from treegauge.errors import TreegaugeError as TreegaugeError
    from treegauge.evaluation.agreement.agreement import Agreement as Agreement
    from treegauge.evaluation.agreement.agreement import agreement as agreement
    from treegauge.evaluation.attachment.evaluation import Evaluation as Evaluation
    from treegauge.evaluation.attachment.evaluation import Evaluations as Evaluations
    from treegauge.evaluation.attachment.evaluation import evaluate as evaluate
    from treegauge.evaluation.attachment.versus import compare as compare
    from treegauge.evaluation.judging.calibrate import calibrate as calibrate
    from treegauge.evaluation.judging.judge import judge as judge
    from treegauge.evaluation.judging.judge import judge_pairs as judge_pairs
    from treegauge.evaluation.task.task import evaluate_task as evaluate_task
    from treegauge.models.building import build_model as build_model
    from treegauge.models.bundled_models import load_model as load_model
    from treegauge.models.model import Model as Model
    from treegauge.models.model import merge_models as merge_models
    from treegauge.parsing.combine import combine as combine
    from treegauge.ranking.ranking import Ranking as Ranking
    from treegauge.ranking.scored import Scored as Scored
    from treegauge.ranking.scored import score as score
    from treegauge.reports.displacy import displacy as displacy
    from treegauge.reports.page import Page as Page
    from treegauge.reports.page import report as report
    from treegauge.scorers.estimate import Estimates as Estimates
    from treegauge.scorers.estimate import estimate as estimate
    from treegauge.scorers.other_parses import other_parses as other_parses
    from treegauge.scorers.registry import scorer as scorer
    from treegauge.upkeep.check import check as check
    from treegauge.upkeep.diff import TreebankDiff as TreebankDiff
    from treegauge.upkeep.diff import diff as diff
    from treegauge.upkeep.search.find import find as find

# module -> the names it gives; imported when first used, so that `import treegauge` costs nothing
_NAMES = {
    "corpus.corpus": ("Corpus",),
    "corpus.conllu": ("parse_conllu", "read_conllu", "stream_conllu"),
    "corpus.adapters.spacy_docs": ("from_spacy",),
    "corpus.adapters.stanza_docs": ("from_stanza",),
    "corpus.adapters.conllu_packages": ("from_conllu_objects",),
    "models.building": ("build_model",),
    "models.bundled_models": ("load_model",),
    "models.model": ("Model", "merge_models"),
    "scorers.registry": ("scorer",),
    "ranking.scored": ("Scored", "score"),
    "ranking.ranking": ("Ranking",),
    "evaluation.judging.calibrate": ("calibrate",),
    "evaluation.judging.judge": ("judge", "judge_pairs"),
    "evaluation.attachment.evaluation": ("Evaluation", "Evaluations", "evaluate"),
    "evaluation.attachment.versus": ("compare",),
    "evaluation.task.task": ("evaluate_task",),
    "evaluation.agreement.agreement": ("Agreement", "agreement"),
    "upkeep.diff": ("TreebankDiff", "diff"),
    "upkeep.search.find": ("find",),
    "difficulty.types": ("difficulty_types",),
    "difficulty.typology.typology": ("typology",),
    "difficulty.bins": ("difficulty_bins",),
    "difficulty.bits": ("dependency_bits",),
    "difficulty.challenge": ("challenge",),
    "constituency.brackets": ("read_brackets",),
    "constituency.measures": ("ecc",),
    "constituency.surprisal": ("surprisal",),
    "constituency.parseval": ("parseval",),
    "constituency.flattening": ("flatten",),
    "upkeep.check": ("check",),
    "constituency.chaos.parser": ("Chaos",),
    "reports.displacy": ("displacy",),
    "scorers.estimate": ("Estimates", "estimate"),
    "scorers.other_parses": ("other_parses",),
    "parsing.combine": ("combine",),
    "reports.page": ("Page", "report"),
    "errors": ("TreegaugeError",),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(["__version__", *_HOME])


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treegauge' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"treegauge.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
