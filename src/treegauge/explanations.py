"""What is known of an arc beside its score: what speaks against it, and which other arc its word could have."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from treegauge.wording import chance, plain

if TYPE_CHECKING:
    import numpy as np

_MANY = 1e6  # times likelier; above, the text only says "more than a million"
_BAR = 90  # pixels of the bar of the most expensive reason


def another_arc(relation: str, head: int, form: str, log_prob: float, own_log_prob: float) -> str:
    """Another arc that a word could have, in words; own_log_prob: the log probability of the arc that it has."""
    arc = f"{relation} of '{form}' (word {head})" if head else f"{relation}, the root"
    times = math.exp(min(log_prob - own_log_prob, 50.0))
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
    count: int | None  # reference arcs of this relation (tag) that have this value …
    of: int | None  # … and reference arcs of this relation in all
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """What speaks against an arc, most expensive first, and what else one should know."""

    row: int
    log_score: float
    reasons: tuple[Reason, ...]
    notes: tuple[str, ...]

    def lines(self) -> list[str]:
        """All reasons and notes, a line each."""
        return [reason.text for reason in self.reasons] + list(self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Reasons and notes, as JSON has them."""
        return {"reasons": [asdict(reason) for reason in self.reasons], "notes": list(self.notes)}

    def _repr_html_(self) -> str:
        """The reasons, each with a bar for its cost, and the notes."""
        import html

        from treegauge.palette import LIGHT

        most = max((reason.cost for reason in self.reasons), default=0) or 1
        lines = []
        for reason in self.reasons:
            width = round(_BAR * max(reason.cost, 0) / most) + 2
            bar = f'<div style="width:{width}px;height:.7em;background:{LIGHT.suspect}"></div>'
            lines.append(f"<tr><td>{bar}</td><td>{reason.cost:.1f}</td><td>{html.escape(reason.text)}</td></tr>")
        lines += [f'<tr><td colspan="2"></td><td>{html.escape(note)}</td></tr>' for note in self.notes]
        return f"<table><caption>log score {self.log_score:.2f}</caption>{''.join(lines)}</table>"


@dataclass(frozen=True, slots=True)
class Alternatives:
    """For each of some arcs the likeliest other arc that its word could have; head -1 if there is none."""

    head: np.ndarray  # position in the sentence, 0 = root
    relation: np.ndarray  # strings, empty if there is none
    log_prob: np.ndarray
    own_log_prob: np.ndarray  # the arc that the word has, on the same scale

    def coded_relations(self) -> tuple[list[str], np.ndarray]:
        """The different relations, sorted, and the relation of each arc as a code."""
        import numpy as np

        labels = sorted(set(self.relation.tolist()))
        codes = {label: k for k, label in enumerate(labels)}
        return labels, np.fromiter(map(codes.__getitem__, self.relation.tolist()), np.int32, len(self.relation))

    def some(self, wanted: np.ndarray) -> Alternatives:
        """The alternatives that a mask or an array of places selects."""
        return Alternatives(
            *(values[wanted] for values in (self.head, self.relation, self.log_prob, self.own_log_prob))
        )
