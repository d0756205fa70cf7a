"""treegauge tells, for syntactic trees, what can be trusted, what is hard, and how hard."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from treegauge.arcs.counts import build_model, count_arcs
    from treegauge.arcs.lisca import Lisca, LiscaOptions, Smoothing
    from treegauge.arcs.reasons import Explainer
    from treegauge.arcs.reference import Model, Settings, merge_models
    from treegauge.corpus.conllu import Corpus, read_conllu, stream_conllu
    from treegauge.models.bundled_models import find_model
    from treegauge.models.model_file import load_model, save_model
    from treegauge.ranking.ranking import Ranking, rank_arcs
    from treegauge.scorers.by_itself import self_scores
    from treegauge.scorers.registry import make_scorer

# module -> the names it gives; imported when first used, so that `import treegauge` costs nothing
_NAMES = {
    "treegauge.corpus.conllu": ("Corpus", "read_conllu", "stream_conllu"),
    "treegauge.models.bundled_models": ("find_model",),
    "treegauge.arcs.counts": ("build_model", "count_arcs"),
    "treegauge.scorers.by_itself": ("self_scores",),
    "treegauge.arcs.lisca": ("Lisca", "LiscaOptions", "Smoothing"),
    "treegauge.arcs.reference": ("Model", "Settings", "merge_models"),
    "treegauge.models.model_file": ("load_model", "save_model"),
    "treegauge.ranking.ranking": ("Ranking", "rank_arcs"),
    "treegauge.arcs.reasons": ("Explainer",),
    "treegauge.scorers.registry": ("make_scorer",),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "Corpus",
    "Explainer",
    "Lisca",
    "LiscaOptions",
    "Model",
    "Ranking",
    "Settings",
    "Smoothing",
    "__version__",
    "build_model",
    "count_arcs",
    "find_model",
    "load_model",
    "make_scorer",
    "merge_models",
    "rank_arcs",
    "read_conllu",
    "save_model",
    "self_scores",
    "stream_conllu",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treegauge' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
