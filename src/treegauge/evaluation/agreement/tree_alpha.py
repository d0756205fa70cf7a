"""Krippendorff's α of whole trees, from their edit distances (Skjærholt 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from treegauge.evaluation.agreement import tree_distance_kernel as kernel
from treegauge.evaluation.agreement.annotators import Annotators

ROOT = -1  # the label of the artificial root


@dataclass(frozen=True, slots=True)
class OrderedTrees:
    """Trees in postorder, each below its artificial root; tree t owns nodes start[t]:start[t+1]."""

    label: np.ndarray
    leftmost: np.ndarray  # for each node the first node of its subtree, counted in its tree
    keyroot: np.ndarray
    start: np.ndarray
    key_start: np.ndarray

    @property
    def size(self) -> np.ndarray:
        """The number of nodes of each tree, with the root."""
        return np.asarray(np.diff(self.start))


def ordered_trees(heads: Sequence[np.ndarray], labels: Sequence[np.ndarray]) -> OrderedTrees:
    """Dependency trees as trees with labelled nodes: a node has its word's relation, children are in word order.

    heads: for each tree, the head of each word, 0 for the root. The words themselves are not compared.
    """
    label: list[int] = []
    leftmost: list[int] = []
    keyroot: list[int] = []
    start, key_start = [0], [0]
    for head, relations in zip(heads, labels, strict=True):
        order, first = _postorder(head.tolist())
        of_node = [ROOT, *relations.tolist()]
        label += [of_node[node] for node in order]
        leftmost += first
        keyroot += sorted({low: k for k, low in enumerate(first)}.values())  # the last node for each leftmost node
        start.append(len(label))
        key_start.append(len(keyroot))
    nodes, lows, keys = (np.array(values, np.int32) for values in (label, leftmost, keyroot))
    return OrderedTrees(nodes, lows, keys, np.array(start, np.int64), np.array(key_start, np.int64))


def _postorder(head: list[int]) -> tuple[list[int], list[int]]:
    """The nodes of a tree in postorder, with 0 as the root; and for each, where its subtree begins in this order."""
    children: list[list[int]] = [[] for _ in range(len(head) + 1)]
    for word, above in enumerate(head, 1):
        children[above].append(word)
    order: list[int] = []
    first: list[int] = []
    open_nodes = [(0, 0, 0)]  # node, how many of its children are done, where its subtree begins
    while open_nodes:
        node, done, begin = open_nodes.pop()
        if done < len(children[node]):
            open_nodes.append((node, done + 1, begin))
            open_nodes.append((children[node][done], 0, len(order)))
        else:
            order.append(node)
            first.append(begin)
    return order, first


def tree_distances(trees: OrderedTrees, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The edit distance of each pair of trees: to delete, insert or relabel a node costs 1."""
    distance = np.zeros(len(first), np.int32)
    most = int(trees.size.max(initial=0)) + 1
    room = np.zeros((2, most, most), np.int32)
    firsts, seconds = (np.ascontiguousarray(side, dtype=np.int64) for side in (first, second))
    nodes = trees.label, trees.leftmost, trees.keyroot, trees.start, trees.key_start
    kernel.tree_distances(*nodes, firsts, seconds, room[0], room[1], distance)
    return distance


PAIRS = 50_000  # at most so many pairs of trees of different sentences are compared


@dataclass(frozen=True, slots=True)
class TreeDisagreement:
    """The distances of trees of the same sentence, and of trees of different sentences."""

    sentence: np.ndarray  # the sentences that are compared
    annotators: int
    distance: np.ndarray  # [sentence, pair of annotators], not squared
    first: np.ndarray  # pairs of different sentences: the place of the first in `sentence`
    second: np.ndarray  # the place of the second
    across: np.ndarray  # the squared distance of two trees of each such pair
    is_exact: bool  # whether all pairs are there, not a sample

    def alpha(self, weight: np.ndarray) -> float:
        """α of the corpus in which each sentence occurs as often as its weight; NaN for fewer than two trees.

            α = 1 − D_o / D_e
            D_o = (1/n) Σ_s 1/(m − 1) Σ_{i≠j} δ²(t_si, t_sj),   D_e = 1/(n (n − 1)) Σ_{t≠u} δ²(t, u)

        m annotators, n trees; Krippendorff (2004) with δ of Skjærholt (2014), §3. D_e is over all pairs of trees, also
        of different sentences. If these are too many, the mean of a random sample stands for their mean.
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
    annotators: Annotators, *, labelled: bool = True, pairs: int = PAIRS, seed: int = 0
) -> TreeDisagreement:
    """The distances between annotators' trees of the sentences in which all have the same words."""
    chosen, m = annotators.whole, len(annotators.names)
    low = np.searchsorted(annotators.sentence, chosen)
    high = np.searchsorted(annotators.sentence, chosen, side="right")
    spans = list(zip(low.tolist(), high.tolist(), strict=True))
    heads = [annotators.head[a, i:j] for i, j in spans for a in range(m)]
    labels = [
        annotators.relation[a, i:j] if labelled else np.zeros(j - i, np.int64) for i, j in spans for a in range(m)
    ]
    trees = ordered_trees(heads, labels)
    n = len(chosen)
    firsts, seconds = (np.array(side, np.int64) for side in zip(*combinations(range(m), 2), strict=True))
    base = m * np.arange(n)[:, None]
    distance = tree_distances(trees, (base + firsts).ravel(), (base + seconds).ravel()).reshape(n, len(firsts))
    first, second, by_first, by_second, is_exact = _across(n, m, pairs, seed)
    apart = tree_distances(trees, m * first + by_first, m * second + by_second).astype(np.float64) ** 2
    return TreeDisagreement(chosen, m, distance, first, second, apart, is_exact)


def _across(n: int, m: int, most: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]:
    """Pairs of different sentences, with an annotator for each: all pairs, or a random sample of `most`."""
    if n * (n - 1) // 2 * m * m <= most:
        first, second = (np.repeat(side, m * m) for side in np.triu_indices(n, 1))
        by_first, by_second = (np.tile(side.ravel(), n * (n - 1) // 2) for side in np.indices((m, m)))
        return first, second, by_first, by_second, True
    rng = np.random.default_rng(seed)
    first, step = rng.integers(0, n, most), rng.integers(1, n, most)
    return first, (first + step) % n, rng.integers(0, m, most), rng.integers(0, m, most), False
