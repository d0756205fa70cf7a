"""What is said of an arc beside its score: what speaks against it, and which other arc its word could have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treegauge.wording import chance, plain

if TYPE_CHECKING:
    import numpy as np

_MANY = 1e6  # times likelier, more is only said to be more


def another_arc(relation: str, head: int, form: str, log_prob: float, given: float) -> str:
    """What is said of another arc that a word could have; given: the log probability of the one that it has."""
    arc = f"{relation} of '{form}' (word {head})" if head else f"{relation}, the root"
    times = math.exp(min(log_prob - given, 50.0))
    if times < 1:
        return f"next: {arc}, probability {chance(math.exp(log_prob))}"
    about = f"about {plain(times)}" if times < _MANY else "more than a million"
    return f"rather {arc}: probability {chance(math.exp(log_prob))}, {about} times likelier"


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

    def some(self, wanted: np.ndarray) -> Alternatives:
        """Those of a mask."""
        return Alternatives(
            *(values[wanted] for values in (self.head, self.relation, self.log_prob, self.own_log_prob))
        )
