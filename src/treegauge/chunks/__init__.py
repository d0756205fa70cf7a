"""CHAOS: tagged words to chunks, clauses, verb arguments and links; word graphs and scores."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treegauge.chunks.frame_learning import learn_lexicon
    from treegauge.chunks.hierarchy import clause_hierarchy
    from treegauge.chunks.lexicon import find_lexicon
    from treegauge.chunks.notation import to_conllu, to_prolog, to_record
    from treegauge.chunks.parse import Chaos, ChunkParse
    from treegauge.chunks.rules import find_rules
    from treegauge.chunks.strata import StrataScores
    from treegauge.chunks.word_graph import word_edges

# module -> the names it gives; imported when first used
_NAMES = {
    "hierarchy": ("clause_hierarchy",),
    "frame_learning": ("learn_lexicon",),
    "lexicon": ("find_lexicon",),
    "parse": ("Chaos", "ChunkParse"),
    "rules": ("find_rules",),
    "strata": ("StrataScores",),
    "word_graph": ("word_edges",),
    "notation": ("to_conllu", "to_prolog", "to_record"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "Chaos",
    "ChunkParse",
    "StrataScores",
    "clause_hierarchy",
    "find_lexicon",
    "find_rules",
    "learn_lexicon",
    "to_conllu",
    "to_prolog",
    "to_record",
    "word_edges",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treegauge.chunks' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"treegauge.chunks.{_HOME[name]}"), name)
