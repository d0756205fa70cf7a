"""treegauge tells, for syntactic trees, what can be trusted, what is hard, and how hard."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from treegauge.attachment.evaluation import Evaluation, Evaluations, evaluate
    from treegauge.attachment.significance import compare
    from treegauge.checking.check import check
    from treegauge.chunks.parse import Chaos
    from treegauge.combining.combine import combine
    from treegauge.corpus.conllu import Corpus, parse_conllu, read_conllu, stream_conllu
    from treegauge.differences.diff import TreebankDiff, diff
    from treegauge.difficulty.bins import difficulty_bins
    from treegauge.difficulty.bits import dependency_bits
    from treegauge.difficulty.challenge import challenge
    from treegauge.difficulty.types import difficulty_types
    from treegauge.errors import TreegaugeError
    from treegauge.grammar.brackets import read_brackets
    from treegauge.grammar.flattening import flatten
    from treegauge.grammar.measures import ecc
    from treegauge.grammar.parseval import parseval
    from treegauge.grammar.surprisal import surprisal
    from treegauge.judging.calibrate import calibrate
    from treegauge.judging.judge import judge, judge_pairs
    from treegauge.models.building import build_model
    from treegauge.models.bundled_models import load_model
    from treegauge.models.model import Model, merge_models
    from treegauge.objects.conllu_packages import from_conllu_objects
    from treegauge.objects.spacy_docs import from_spacy
    from treegauge.objects.stanza_docs import from_stanza
    from treegauge.opinions.others import other_parses
    from treegauge.ranking.ranking import Ranking
    from treegauge.ranking.scored import Scored, score
    from treegauge.reports.displacy import displacy
    from treegauge.reports.page import Page, report
    from treegauge.scorers.registry import scorer

# module -> the names it gives; imported when first used, so that `import treegauge` costs nothing
_NAMES = {
    "corpus.conllu": ("Corpus", "parse_conllu", "read_conllu", "stream_conllu"),
    "objects.spacy_docs": ("from_spacy",),
    "objects.stanza_docs": ("from_stanza",),
    "objects.conllu_packages": ("from_conllu_objects",),
    "models.building": ("build_model",),
    "models.bundled_models": ("load_model",),
    "models.model": ("Model", "merge_models"),
    "scorers.registry": ("scorer",),
    "ranking.scored": ("Scored", "score"),
    "ranking.ranking": ("Ranking",),
    "judging.calibrate": ("calibrate",),
    "judging.judge": ("judge", "judge_pairs"),
    "attachment.evaluation": ("Evaluation", "Evaluations", "evaluate"),
    "attachment.significance": ("compare",),
    "differences.diff": ("TreebankDiff", "diff"),
    "difficulty.types": ("difficulty_types",),
    "difficulty.bins": ("difficulty_bins",),
    "difficulty.bits": ("dependency_bits",),
    "difficulty.challenge": ("challenge",),
    "grammar.brackets": ("read_brackets",),
    "grammar.measures": ("ecc",),
    "grammar.surprisal": ("surprisal",),
    "grammar.parseval": ("parseval",),
    "grammar.flattening": ("flatten",),
    "checking.check": ("check",),
    "chunks.parse": ("Chaos",),
    "reports.displacy": ("displacy",),
    "opinions.others": ("other_parses",),
    "combining.combine": ("combine",),
    "reports.page": ("Page", "report"),
    "errors": ("TreegaugeError",),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
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
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treegauge' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"treegauge.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
