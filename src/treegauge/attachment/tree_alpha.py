"""Krippendorff's α of whole trees, by their edit distance (Skjærholt 2014)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from treegauge.attachment.annotators import Annotators
from treegauge.attachment.tree_distance import ordered_trees, tree_distances

PAIRS = 50_000  # pairs of trees of different sentences that are compared; all of them if there are not more


@dataclass(frozen=True, slots=True)
class TreeDisagreement:
    """Squared distances of trees: of one sentence, and of pairs of sentences, some or all of them."""

    sentence: np.ndarray  # those compared
    annotators: int
    distance: np.ndarray  # [sentence, pair of annotators], not squared
    first: np.ndarray  # of pairs of sentences: their places in `sentence`
    second: np.ndarray
    across: np.ndarray  # squared distance of each such pair, by annotators chosen
    is_exact: bool

    def alpha(self, weight: np.ndarray) -> float:
        """α of the corpus in which each sentence occurs as often as its weight says; NaN of fewer than two trees.

            α = 1 − D_o / D_e
            D_o = (1/n) Σ_s 1/(m − 1) Σ_{i≠j} δ²(t_si, t_sj),   D_e = 1/(n (n − 1)) Σ_{t≠u} δ²(t, u)

        m annotators, n trees; Krippendorff (2004) with δ of Skjærholt (2014), §3. D_e is over all pairs of trees, those
        of different sentences included. Where these are too many, their mean is that of a random sample.
        """
        m, n = self.annotators, self.annotators * weight.sum()
        if n < 2:
            return float("nan")
        within = 2.0 * (self.distance.astype(np.float64) ** 2).sum(axis=1)  # both orders of each pair
        observed = (weight * within).sum() / (m - 1) / n
        both = weight[self.first] * weight[self.second]
        others = weight.sum() ** 2 - (weight**2).sum()
        apart = (both * self.across).sum() / both.sum() * others * m * m if both.any() else 0.0
        expected = (apart + (weight**2 * within).sum()) / (n * (n - 1))
        return float(1 - observed / expected) if expected else float("nan")


def tree_disagreement(
    found: Annotators, *, labelled: bool = True, pairs: int = PAIRS, seed: int = 0
) -> TreeDisagreement:
    """The distances between annotators' trees of the sentences in which all have the same words."""
    chosen, m = found.whole, len(found.names)
    low = np.searchsorted(found.sentence, chosen)
    high = np.searchsorted(found.sentence, chosen, side="right")
    spans = list(zip(low.tolist(), high.tolist(), strict=True))
    heads = [found.head[a, i:j] for i, j in spans for a in range(m)]
    labels = [found.relation[a, i:j] if labelled else np.zeros(j - i, np.int64) for i, j in spans for a in range(m)]
    trees = ordered_trees(heads, labels)
    n = len(chosen)
    ones, others = (np.array(side, np.int64) for side in zip(*combinations(range(m), 2), strict=True))
    base = m * np.arange(n)[:, None]
    distance = tree_distances(trees, (base + ones).ravel(), (base + others).ravel()).reshape(n, len(ones))
    first, second, by_first, by_second, is_exact = _across(n, m, pairs, seed)
    apart = tree_distances(trees, m * first + by_first, m * second + by_second).astype(np.float64) ** 2
    return TreeDisagreement(chosen, m, distance, first, second, apart, is_exact)


def _across(n: int, m: int, most: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]:
    """Pairs of different sentences with an annotator of each: all, or a random sample of so many."""
    if n * (n - 1) // 2 * m * m <= most:
        first, second = (np.repeat(side, m * m) for side in np.triu_indices(n, 1))
        by_first, by_second = (np.tile(side.ravel(), n * (n - 1) // 2) for side in np.indices((m, m)))
        return first, second, by_first, by_second, True
    rng = np.random.default_rng(seed)
    first, step = rng.integers(0, n, most), rng.integers(1, n, most)
    return first, (first + step) % n, rng.integers(0, m, most), rng.integers(0, m, most), False
