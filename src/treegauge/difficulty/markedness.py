"""How marked each direction of a relation is: how it is distributed over the bins of plausibility."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.difficulty.word_order import Cell, WordOrder
from treegauge.ranking.listing import BINS, bin_of
from treegauge.scorers.scorer import Scorer


@dataclass(frozen=True, slots=True)
class Markedness:
    """Of each cell of a treebank: arcs in each bin of its own ranking, by direction; bin 1 is the most plausible."""

    order: WordOrder
    counts: np.ndarray  # [cell, direction (0: the head follows), bin]
    signature: str

    @property
    def head_after(self) -> np.ndarray:
        """[cell, bin]: the share of arcs whose head follows; NaN of an empty bin."""
        total = self.counts.sum(axis=1)
        return np.divide(self.counts[:, 0], total, out=np.full(total.shape, np.nan), where=total > 0)

    @property
    def mean_bin(self) -> np.ndarray:
        """[cell, direction]: the mean bin of the arcs of each direction; NaN if there are none."""
        bins = np.arange(1, self.counts.shape[2] + 1)
        n = self.counts.sum(axis=2)
        total = (self.counts * bins).sum(axis=2)
        return np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)

    def of(self, cell: Cell) -> int:
        """The place of a cell."""
        return self.order.cells.index(cell)


def markedness(order: WordOrder, scorer: Scorer, bins: int = BINS) -> Markedness:
    """The arcs of each cell ranked among themselves by a scorer, and cut into equal bins."""
    scores = scorer.scores(order.corpus)[order.row]
    after = order.row < order.corpus.head_row[order.row]
    counts = np.zeros((len(order.cells), 2, bins))
    for cell in range(len(order.cells)):
        mine = np.flatnonzero((order.cell == cell) & ~np.isnan(scores))
        ranked = mine[np.argsort(-scores[mine], kind="stable")]  # equal scores stay in corpus order
        at = bin_of(np.arange(len(ranked)), len(ranked), bins) - 1
        np.add.at(counts[cell], (np.where(after[ranked], 0, 1), at), 1)
    return Markedness(order, counts, scorer.signature)
