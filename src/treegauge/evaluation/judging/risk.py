"""Risk and coverage: how much of a parse one can keep, by a ranking, so that a wanted share of it is right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.evaluation.judging.gold_ranking import GoldRanking
from treegauge.ranking.scored import reliable_order
from treegauge.ranking.units import Unit

WANTED = (90, 95, 96, 98)  # so many per cent of the arcs that are kept must be right
LAS, UAS = "LAS", "UAS"


@dataclass(frozen=True)
class RiskCurve:
    """The first k items of a ranking, for every k at which the score changes."""

    kept: np.ndarray  # k, the number of items that are kept
    arcs: np.ndarray  # how many arcs the first k items have
    right: np.ndarray  # how many of these arcs are right
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
        """The area under the curve of risk over coverage: the mean risk of the first k arcs, over all k.

            AURC = (1/n) Σ_k (1 − right_k / k)

        right_k of the first k arcs of the ranking are right (Geifman, Uziel and El-Yaniv 2019). Between two points of
        the curve, right_k is interpolated. NaN if there are no arcs. Lower is better.
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
        kept, counts = np.append(0, self.kept), (self.arcs, self.right)
        arcs, right = (np.interp(coverage * self.items, kept, np.append(0, count)) for count in counts)
        return float(1 - right / arcs)


def risk_curve(ranking: GoldRanking, unit: str, measure: str) -> RiskCurve:
    """The curve of the arcs of a ranking, or of its sentences by the mean score of their arcs; measure: LAS or UAS."""
    right = ranking.truth.right if measure == LAS else ranking.truth.right_head
    if unit == Unit.ARC:
        scores = ranking.by.scores[ranking.is_ranked]
        return RiskCurve.of(scores, np.ones(len(scores), np.int64), right[ranking.is_ranked].astype(np.int64))
    return RiskCurve.of(*by_sentence(ranking, right))


def by_sentence(ranking: GoldRanking, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each sentence with ranked arcs: the mean score of its arcs, how many they are, how many are right."""
    ranked = ranking.is_ranked
    sentence = ranking.truth.sentence[ranked]
    arcs = np.bincount(sentence)
    present = arcs > 0
    scores, n_right = (np.bincount(sentence, values[ranked])[present] for values in (ranking.by.scores, right))
    return scores / arcs[present], arcs[present], n_right.astype(np.int64)
