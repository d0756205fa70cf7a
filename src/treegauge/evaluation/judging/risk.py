"""How much of a parse can be kept, by a ranking, so that a wanted share of it is right: risk and coverage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.evaluation.judging.gold_ranking import GoldRanking
from treegauge.ranking.scored import reliable_order
from treegauge.ranking.units import Unit

WANTED = (90, 95, 96, 98)  # per cent of the arcs kept that must be right
LAS, UAS = "LAS", "UAS"


@dataclass(frozen=True)
class RiskCurve:
    """The first k items of a ranking, for every k at which one may stop: where the score changes."""

    kept: np.ndarray  # k
    arcs: np.ndarray  # of the first k items
    right: np.ndarray  # of these arcs
    items: int

    @staticmethod
    def of(scores: np.ndarray, arcs: np.ndarray, right: np.ndarray) -> RiskCurve:
        """The curve of some items. scores: no NaN. arcs, right: how many arcs each item has, and how many are right."""
        order = reliable_order(scores)
        ordered = scores[order]
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)])
        return RiskCurve(last + 1, np.cumsum(arcs[order])[last], np.cumsum(right[order])[last], len(order))

    def coverage(self, accuracy: float) -> float:
        """The largest share of the items that can be kept so that this share of their arcs is right; NaN if no items.

        Items of the same score are kept together.
        """
        enough = np.flatnonzero(self.right >= accuracy * self.arcs - 1e-9)
        if not self.items:
            return float("nan")
        return float(self.kept[enough[-1]] / self.items) if len(enough) else 0.0

    def area(self) -> float:
        """The area under the curve of risk over coverage: the mean, over arcs, of the risk where each is the last kept.

            AURC = (1/n) Σ_k (1 − right_k / k)

        over the first k arcs of the ranking (Geifman, Uziel and El-Yaniv 2019). Arcs of one score, and of one
        sentence, come in at an even rate. NaN if there are no arcs. Lower is better.
        """
        if not len(self.arcs):
            return float("nan")
        n = int(self.arcs[-1])
        k = np.arange(1, n + 1)
        right = np.interp(k, np.append(0, self.arcs), np.append(0, self.right))
        return float(np.mean(1 - right / k))

    def risk(self, coverage: float) -> float:
        """The share of wrong arcs among this share of the items, more than 0; NaN if there are no items."""
        if not self.items:
            return float("nan")
        at = np.append(0, self.kept)
        arcs, right = (np.interp(coverage * self.items, at, np.append(0, of)) for of in (self.arcs, self.right))
        return float(1 - right / arcs)


def risk_curve(ranking: GoldRanking, unit: str, measure: str) -> RiskCurve:
    """The curve of the arcs of a ranking, or of its sentences by the mean score of their arcs; measure: LAS or UAS."""
    kept = ranking.is_ranked
    scores = ranking.by.scores[kept]
    right = (ranking.truth.right if measure == LAS else ranking.truth.right_head)[kept]
    if unit == Unit.ARC:
        return RiskCurve.of(scores, np.ones(len(scores), np.int64), right.astype(np.int64))
    sentence = ranking.truth.sentence[kept]
    arcs = np.bincount(sentence)
    present = arcs > 0
    totals = (np.bincount(sentence, values, len(arcs))[present] for values in (scores, right))
    of_scores, of_right = totals
    return RiskCurve.of(of_scores / arcs[present], arcs[present], of_right.astype(np.int64))
