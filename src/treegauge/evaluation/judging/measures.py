"""Measures of how well a ranking puts wrong arcs last (2013 §4–6)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treegauge.errors import OptionError
from treegauge.evaluation.judging.areas_kernel import resampled
from treegauge.ranking.scored import reliable_order
from treegauge.statistics import percentile_interval


def roc_auc(scores: np.ndarray, right: np.ndarray) -> float:
    """The share of pairs of a right and a wrong arc in which the right one has the higher score; ties count half.

    NaN if all arcs are right or all are wrong, because then there is no such pair.
    """
    return Curve.of(scores, right).areas()[0]


def errors_in_worst(scores: np.ndarray, right: np.ndarray, share: float) -> float:
    """The share of all wrong arcs that are in the last `share` of the ranking (2013, Table 3)."""
    return Curve.of(scores, right).errors_in_worst(share)


@dataclass(frozen=True, slots=True)
class Curve:
    """Arcs by descending score. They are sorted once and can then be counted many times with different weights."""

    order: np.ndarray
    last: np.ndarray  # in this order: whether an arc is the last one with its score
    right: np.ndarray  # in this order: whether an arc is right

    @staticmethod
    def of(scores: np.ndarray, right: np.ndarray) -> "Curve":
        """The curve of arcs with these scores, without NaN."""
        return Curve.ordered(reliable_order(scores), scores, right)

    @staticmethod
    def ordered(order: np.ndarray, scores: np.ndarray, right: np.ndarray) -> "Curve":
        """The curve of the arcs in the rows of `order`, which are sorted by descending score."""
        score = scores[order]
        return Curve(order, np.append(score[1:] != score[:-1], True)[: len(score)], right[order])

    @property
    def of_errors(self) -> "Curve":
        """The reversed curve, for finding wrong arcs: the worst arc comes first, and wrong arcs count as right."""
        first = np.append(True, self.last[:-1])[: len(self.last)]
        return Curve(self.order[::-1], first[::-1], ~self.right[::-1])

    def errors_in_worst(self, share: float) -> float:
        """See `errors_in_worst`."""
        wrong = ~self.right
        total = int(wrong.sum())
        return float(wrong[::-1][: round(share * len(wrong))].sum() / total) if total else float("nan")

    def areas(self) -> tuple[float, float]:
        """ROC-AUC (see `roc_auc`), and the average precision of right arcs.

            AP = Σ_k (R_k − R_{k−1}) · P_k,   k over the distinct scores, descending

        P_k is the LAS of the arcs down to that score, R_k the share of all right arcs among them. NaN if there are no
        right arcs. `of_errors` has the average precision of wrong arcs.
        """
        return self.sampler(np.zeros(1, dtype=np.int32).repeat(len(self.order)))(np.ones(1, dtype=np.int64))

    def sampler(self, sentence: np.ndarray) -> Callable[[np.ndarray], tuple[float, float]]:
        """A function that takes how often each sentence was drawn, and gives both areas; sentence: that of each arc."""
        arcs = sentence.astype(np.uint32)
        for bit in (self.right, self.last):
            arcs <<= 1
            arcs |= bit
        terms, totals = np.empty(int(self.last.sum())), np.zeros(3, np.int64)

        def areas(drawn: np.ndarray) -> tuple[float, float]:
            resampled(arcs, drawn, terms, totals)
            right, wrong, twice = totals.tolist()
            area = (2 * right * wrong - twice) / 2 / (right * wrong) if right and wrong else float("nan")
            return area, float(terms.sum() / right) if right else float("nan")

        return areas


def bootstrap(
    curve: Curve,
    sentence: np.ndarray,
    samples: int,
    seed: int = 0,
    level: float = 0.95,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[list[tuple[float, float]], np.ndarray]:
    """The intervals of ROC-AUC and average precision over resampled sentences, as (low, high); and all ROC-AUCs.

    sentence: the sentence of each arc, by rows. Sentences are drawn with replacement, as many as there are, and an arc
    counts as often as its sentence was drawn. The ends are the percentiles (1 ∓ level)/2 of the values. Samples in
    which a measure is NaN are left out; if all are NaN, the ends are NaN. The same seed draws the same sentences for
    every curve.
    """
    if samples < 1:
        raise OptionError(f"samples {samples}; expected 1 or more")
    of_arc = sentence[curve.order]
    present = np.bincount(of_arc) > 0
    areas = curve.sampler((np.cumsum(present, dtype=np.int32) - 1)[of_arc])
    n, rng = int(present.sum()), np.random.default_rng(seed)
    values = np.full((2, samples), np.nan)
    for k in range(samples if n else 0):
        values[:, k] = areas(np.bincount(rng.integers(0, n, n), minlength=n))
        progress(1)
    low, high = percentile_interval(values.T, level)
    return list(zip(low.tolist(), high.tolist(), strict=True)), values[0]
