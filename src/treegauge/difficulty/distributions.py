"""How a property of arcs is distributed over the bins of a ranking (2020 §5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.difficulty.bins import BinnedRanking
from treegauge.difficulty.properties import arc_values
from treegauge.errors import OptionError
from treegauge.tables import Table

TOT = "TOT"


@dataclass(frozen=True)
class Distribution:
    """How many arcs of each class are in each bin; the last column, TOT, is for all bins together."""

    name: str
    classes: tuple[str, ...]
    counts: np.ndarray  # a row for each class, a column for each bin and one for TOT
    signature: str
    title: str

    @property
    def columns(self) -> list[str]:
        """Names of the bins, and TOT."""
        return [*(str(k) for k in range(1, self.counts.shape[1])), TOT]

    @property
    def shares(self) -> list[list[float | None]]:
        """The share of each class in each bin; None in an empty bin."""
        totals = self.counts.sum(axis=0).tolist()
        return [
            [n / total if total else None for n, total in zip(row, totals, strict=True)] for row in self.counts.tolist()
        ]

    def tables(self) -> list[Table]:
        """Shares and counts."""
        names = [f"bin_{name}" if name != TOT else TOT for name in self.columns]

        def table(key: str, kind: str, what: str, values: Sequence[Sequence[float | None]]) -> Table:
            columns = ((self.name, "text"), *((name, kind) for name in names))
            rows = tuple((label, *row) for label, row in zip(self.classes, values, strict=True))
            return Table(f"{self.title}: {what}", columns, rows, self.signature, key)

        shares = table("shares", "percent", "share of the arcs of each bin", self.shares)
        return [shares, table("counts", "count", "arcs", self.counts.tolist())]


def distribution(ranking: BinnedRanking, name: str, *, most: int = 10, title: str = "") -> Distribution:
    """The distribution of a property (see `arc_values`) over the bins of a ranking.

    Numbers above `most` are one class, `>most`, and those below −most another; classes that no arc has are left out.
    """
    if most < 1:
        raise OptionError(f"most {most}; expected 1 or more")
    property_values = arc_values(ranking.corpus, name)
    values = property_values.values[ranking.ranking.row]
    if property_values.is_number:
        clipped = np.clip(values, -most - 1, most + 1)
        numbers, codes = np.unique(clipped, return_inverse=True)
        labels = tuple(_label(number, most) for number in numbers.tolist())
    else:
        assert property_values.labels is not None
        numbers, codes = np.unique(values, return_inverse=True)
        labels = tuple(property_values.labels[number] for number in numbers.tolist())
    counts = np.zeros((len(labels), ranking.bins + 1), dtype=np.int64)
    np.add.at(counts, (codes, ranking.ranking.bin - 1), 1)
    counts[:, -1] = counts.sum(axis=1)
    return Distribution(name, labels, counts, f"{ranking.name}|{ranking.signature}", title or name)


def _label(number: int, most: int) -> str:
    if number > most:
        return f">{most}"
    return f"<-{most}" if number < -most else str(number)
