"""Measures the distances between the word orders of languages, and builds a tree of languages from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.difficulty.typology.word_order import WordOrder, order_measures
from treegauge.errors import OptionError
from treegauge.extras import needed
from treegauge.statistics import drawn_sentences


@dataclass(frozen=True, slots=True)
class LanguageTree:
    """A tree of languages, joined step by step (average linkage), as SciPy has it."""

    names: tuple[str, ...]
    linkage: np.ndarray  # a row for each join: two clusters, their distance, the number of languages
    support: np.ndarray  # for each join, the share of samples in which these languages make a cluster

    @property
    def clusters(self) -> list[frozenset[str]]:
        """The languages of each join."""
        return [frozenset(self.names[k] for k in members) for members in _members(self.linkage)]


def distances(shares: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """[language, language]: the share of arcs that stand in another direction.

        d(a, b) = Σ_c w_c |p_c(a) − p_c(b)|,   w_c ∝ (share of cell c in a + share of c in b) / 2

    over the cells that both have; NaN if they have no cell in common. shares: p_c, the share of arcs of a cell whose
    head follows, [language, cell], NaN if a language does not have the cell. weights: the share of the cell among the
    arcs of the language.
    """
    n = len(shares)
    matrix = np.zeros((n, n))
    for a in range(n):
        for b in range(a):
            both = ~np.isnan(shares[a]) & ~np.isnan(shares[b])
            weight = weights[a, both] + weights[b, both]
            apart = np.abs(shares[a, both] - shares[b, both])
            matrix[a, b] = matrix[b, a] = (weight * apart).sum() / weight.sum() if both.any() else np.nan
    return matrix


def language_distances(orders: Sequence[WordOrder]) -> np.ndarray:
    """The distances between languages, by the cells that two have in common."""
    return distances(*_aligned(orders, [order.sums for order in orders]))


def _aligned(orders: Sequence[WordOrder], sums: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """[language, cell] over all cells: the shares of arcs whose head follows, and the shares of the cells."""
    cells = sorted({cell for order in orders for cell in order.cells})
    at = {cell: k for k, cell in enumerate(cells)}
    shares, weights = np.full((len(orders), len(cells)), np.nan), np.zeros((len(orders), len(cells)))
    for k, (order, counts) in enumerate(zip(orders, sums, strict=True)):
        where = [at[cell] for cell in order.cells]
        arcs = counts[:, :-1].sum(axis=1)
        shares[k, where] = order_measures(counts)[0]
        weights[k, where] = arcs / max(arcs.sum(), 1)
    return shares, weights


def like_order(orders: Sequence[WordOrder]) -> list[int]:
    """The places of the languages in an order in which like ones stand side by side. Needs SciPy."""
    hierarchy, linkage = _linkage(orders)
    return list(hierarchy.leaves_list(linkage).tolist())


def _linkage(orders: Sequence[WordOrder]) -> tuple[Any, np.ndarray]:
    """SciPy's module of trees, and the joins of the languages."""
    if len(orders) < 3:
        raise OptionError(f"{len(orders)} treebanks; expected three or more for a tree of them")
    hierarchy = needed("scipy.cluster.hierarchy", "figures", "a tree of languages")
    matrix = language_distances(orders)
    if np.isnan(matrix).any():
        a, b = np.argwhere(np.isnan(matrix))[0]
        raise OptionError(f"{orders[a].name} and {orders[b].name} have no cell in common; expected a lower --least")
    return hierarchy, _joins(hierarchy, matrix)


def language_tree(orders: Sequence[WordOrder], samples: int = 100, seed: int = 0) -> LanguageTree:
    """The tree of languages by average linkage, and the share of samples that have each cluster.

    In each sample the sentences of every language are drawn with replacement. Needs SciPy.
    """
    hierarchy, linkage = _linkage(orders)
    rng = np.random.default_rng(seed)
    drawn = [
        np.concatenate([order.resampled_sums(w) for w in drawn_sentences(order.corpus.n_sentences, samples, rng)])
        for order in orders
    ]
    known = _members(linkage)
    again = np.zeros(len(known))
    for k in range(samples):
        sample = distances(*_aligned(orders, [each[k] for each in drawn]))
        clusters = set(_members(_joins(hierarchy, np.nan_to_num(sample, nan=1.0))))
        again += [members in clusters for members in known]
    names = tuple(order.name for order in orders)
    return LanguageTree(names, linkage, again / samples)


def _joins(hierarchy: Any, matrix: np.ndarray) -> np.ndarray:
    """The joins of languages with these distances, by average linkage."""
    condensed = matrix[np.triu_indices(len(matrix), 1)]
    linkage = hierarchy.linkage(condensed, method="average")
    return np.asarray(hierarchy.optimal_leaf_ordering(linkage, condensed))


def _members(linkage: np.ndarray) -> list[frozenset[int]]:
    """The languages of each join, by number."""
    n = len(linkage) + 1
    clusters = [frozenset([k]) for k in range(n)]
    for a, b in linkage[:, :2].astype(int).tolist():
        clusters.append(clusters[a] | clusters[b])
    return clusters[n:]
