"""What is hard, and why?  Rankings judged, relation types, bins, distributions, challenge sets."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treegauge.difficulty.bins import binned_rankings
    from treegauge.difficulty.challenge import make_challenge, rebuild
    from treegauge.difficulty.choosing import Choice, choose
    from treegauge.difficulty.distributions import distribution
    from treegauge.difficulty.types import correlations, type_scores

# module -> the names it gives; imported when first used
_NAMES = {
    "bins": ("binned_rankings",),
    "challenge": ("make_challenge", "rebuild"),
    "choosing": ("Choice", "choose"),
    "distributions": ("distribution",),
    "types": ("correlations", "type_scores"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "Choice",
    "binned_rankings",
    "choose",
    "correlations",
    "distribution",
    "make_challenge",
    "rebuild",
    "type_scores",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treegauge.difficulty' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"treegauge.difficulty.{_HOME[name]}"), name)
