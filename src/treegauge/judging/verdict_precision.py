"""How many of the first arcs of a ranking are errors, by people's verdicts, where there is no gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.ranking.ranking import reliable_order
from treegauge.ranking.verdicts import ACCEPT, ERROR, UNSURE, VERDICTS
from treegauge.tables import Table


@dataclass(frozen=True, slots=True)
class Precision:
    """Verdicts on the k most suspicious arcs of a ranking."""

    k: int
    errors: int
    accepted: int
    unsure: int

    @property
    def precision(self) -> float | None:
        """errors / (errors + accepted); None where neither was said."""
        decided = self.errors + self.accepted
        return self.errors / decided if decided else None


def steps(n: int) -> list[int]:
    """10, 20, 50, 100, … below n, then n."""
    series = (digit * 10**power for power in range(1, 19) for digit in (1, 2, 5))
    found = []
    for k in series:
        if k >= n:
            break
        found.append(k)
    return [*found, n]


def precision_at(scores: np.ndarray, codes: np.ndarray, ks: Sequence[int]) -> list[Precision]:
    """The verdicts on the k most suspicious arcs, for each k; arcs without a score are not ranked.

    codes: those of `verdict_codes`. Arcs that nobody judged count in k and nowhere else.
    """
    ranked = reliable_order(scores)
    ranked = ranked[~np.isnan(scores[ranked])][::-1]
    found = []
    for k in ks:
        here = codes[ranked[:k]]
        errors, accepted, unsure = (int((here == VERDICTS.index(v) + 1).sum()) for v in (ERROR, ACCEPT, UNSURE))
        found.append(Precision(k, errors, accepted, unsure))
    return found


def precision_table(title: str, scored: Sequence[tuple[str, np.ndarray]], codes: np.ndarray, signature: str) -> Table:
    """Precision at 10, 20, 50, … of each ranking, up to the arc that was judged last."""
    rows = []
    for name, scores in scored:
        ranked = int((~np.isnan(scores)).sum())
        judged = int((codes[~np.isnan(scores)] > 0).sum())
        for found in precision_at(scores, codes, steps(ranked)):
            said = found.errors + found.accepted + found.unsure
            rows.append((name, found.k, said, found.errors, found.accepted, found.unsure, found.precision))
            if said == judged:
                break
    counts = ("k", "judged", "errors", "accepted", "unsure")
    columns = (("scorer", "text"), *((name, "count") for name in counts), ("precision", "percent"))
    return Table(title, columns, tuple(rows), signature)
