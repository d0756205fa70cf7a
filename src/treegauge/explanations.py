"""What is said of an arc beside its score: what speaks against it, and which other arc its word could have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

_LEAST = 0.0001  # of probabilities that are told apart


def plain(value: float) -> str:
    """A number above 0 with two digits and no exponent: 0.00057, 3.1, 39,000."""
    decimals = 1 - math.floor(math.log10(value))
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def chance(probability: float) -> str:
    """A probability as people read it: two digits, or that it is next to nothing."""
    return plain(probability) if probability >= _LEAST else f"below {_LEAST}"


def number(n: int, what: str) -> str:
    """So many of something: 1 word, 1,200 words."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Reason:
    """Something that speaks against an arc, and how much, in nats.

    A feature costs by how far its weight is below the mean weight of the relation's arcs. A rival arc (scorer choice)
    costs by how much likelier it is, and has no counts.
    """

    feature: str
    cost: float
    count: int | None  # of the reference arcs of this relation (tag) …
    of: int | None  # … so many have this value, of so many
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """What speaks against an arc, most expensive first, and what else one should know."""

    row: int
    log_score: float
    reasons: tuple[Reason, ...]
    notes: tuple[str, ...]

    def lines(self) -> list[str]:
        """All of it, a line each."""
        return [reason.text for reason in self.reasons] + list(self.notes)

    def _repr_html_(self) -> str:
        from treegauge.reports.notebook import explanation_html  # presentation only, when a notebook asks

        return explanation_html(self)


@dataclass(frozen=True, slots=True)
class Alternatives:
    """For each of some arcs the likeliest other one that its word could have; head -1 where there is none."""

    head: np.ndarray  # position in the sentence, 0 = root
    relation: np.ndarray  # of strings, empty where there is none
    log_prob: np.ndarray
    own_log_prob: np.ndarray  # of the arc that is there, on the same scale
