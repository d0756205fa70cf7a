"""treegauge tells, for syntactic trees, what can be trusted, what is hard, and how hard."""

from typing import TYPE_CHECKING, Any

from treegauge.version import __version__

if TYPE_CHECKING:
    from treegauge.constituency.brackets import read_brackets
    from treegauge.constituency.chaos.parser import Chaos
    from treegauge.constituency.flattening import flatten
    from treegauge.constituency.measures import ecc
    from treegauge.constituency.parseval import parseval
    from treegauge.constituency.surprisal import surprisal
    from treegauge.corpus.adapters.conllu_packages import from_conllu_objects
    from treegauge.corpus.adapters.spacy_docs import from_spacy
    from treegauge.corpus.adapters.stanza_docs import from_stanza
    from treegauge.corpus.conllu import parse_conllu, read_conllu, stream_conllu
    from treegauge.corpus.corpus import Corpus
    from treegauge.difficulty.bins import difficulty_bins
    from treegauge.difficulty.bits import dependency_bits
    from treegauge.difficulty.challenge import challenge
    from treegauge.difficulty.types import difficulty_types
    from treegauge.difficulty.typology.typology import typology
    from treegauge.errors import TreegaugeError
    from treegauge.evaluation.agreement.agreement import Agreement, agreement
    from treegauge.evaluation.attachment.evaluation import Evaluation, Evaluations, evaluate
    from treegauge.evaluation.attachment.versus import compare
    from treegauge.evaluation.judging.calibrate import calibrate
    from treegauge.evaluation.judging.judge import judge, judge_pairs
    from treegauge.models.building import build_model
    from treegauge.models.bundled_models import load_model
    from treegauge.models.model import Model, merge_models
    from treegauge.parsing.combine import combine
    from treegauge.ranking.ranking import Ranking
    from treegauge.ranking.scored import Scored, score
    from treegauge.reports.displacy import displacy
    from treegauge.reports.page import Page, report
    from treegauge.scorers.other_parses import other_parses
    from treegauge.scorers.registry import scorer
    from treegauge.upkeep.check import check
    from treegauge.upkeep.diff import TreebankDiff, diff

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
    "evaluation.agreement.agreement": ("Agreement", "agreement"),
    "upkeep.diff": ("TreebankDiff", "diff"),
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
    "scorers.other_parses": ("other_parses",),
    "parsing.combine": ("combine",),
    "reports.page": ("Page", "report"),
    "errors": ("TreegaugeError",),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "Agreement",
    "Chaos",
    "Corpus",
    "Evaluation",
    "Evaluations",
    "Model",
    "Page",
    "Ranking",
    "Scored",
    "TreebankDiff",
    "TreegaugeError",
    "__version__",
    "agreement",
    "build_model",
    "calibrate",
    "challenge",
    "check",
    "combine",
    "compare",
    "dependency_bits",
    "diff",
    "difficulty_bins",
    "difficulty_types",
    "displacy",
    "ecc",
    "evaluate",
    "flatten",
    "from_conllu_objects",
    "from_spacy",
    "from_stanza",
    "judge",
    "judge_pairs",
    "load_model",
    "merge_models",
    "other_parses",
    "parse_conllu",
    "parseval",
    "read_brackets",
    "read_conllu",
    "report",
    "score",
    "scorer",
    "stream_conllu",
    "surprisal",
    "typology",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treegauge' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"treegauge.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
