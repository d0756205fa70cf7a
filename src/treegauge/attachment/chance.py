"""Agreement above chance: Cohen's κ, Fleiss' κ, Krippendorff's α, from counts of label pairs."""

from __future__ import annotations

import numpy as np


def cohen_kappa(words: np.ndarray) -> np.ndarray:
    """Cohen's κ of each matrix [.., label of one, label of the other].

        κ = (p_o − p_e) / (1 − p_e),   p_e = Σ_k p_k· p_·k

    Cohen (1960). NaN where chance alone would make both agree always.
    """
    n = words.sum(axis=(-2, -1))
    observed = np.trace(words, axis1=-2, axis2=-1) / n
    expected = (words.sum(axis=-1) * words.sum(axis=-2)).sum(axis=-1) / n**2
    return above_chance(observed, expected)


def relation_kappa(words: np.ndarray) -> np.ndarray:
    """Cohen's κ of each label against all others: [.., label]."""
    n = words.sum(axis=(-2, -1))[..., None]
    one, other = words.sum(axis=-1), words.sum(axis=-2)
    both = np.diagonal(words, axis1=-2, axis2=-1)
    observed = (n - one - other + 2 * both) / n
    expected = (one * other + (n - one) * (n - other)) / n**2
    return above_chance(observed, expected)


def fleiss_kappa(pairs: np.ndarray) -> np.ndarray:
    """Fleiss' κ from the matrices of all pairs of annotators: [.., pair, label, label].

        κ = (P − P_e) / (1 − P_e),   P_e = Σ_k p_k²

    P: the share of pairs of annotators that agree on a word, p_k: the share of label k among all labels given.
    Fleiss (1971). Every annotator has labelled every word; with two, this is Scott's π.
    """
    observed, share = _pooled(pairs)
    return above_chance(observed, (share**2).sum(axis=-1))


def nominal_alpha(pairs: np.ndarray, annotators: int) -> np.ndarray:
    """Krippendorff's α of labels from the matrices of all pairs of annotators.

        α = 1 − D_o / D_e,   D_e = Σ_k n_k (n − n_k) / (n (n − 1))

    Krippendorff (2004), §11.3; n_k of the n labels given are k.
    """
    observed, share = _pooled(pairs)
    n = annotators * pairs.sum(axis=(-2, -1))[..., 0]
    expected = 1 - (1 - (share**2).sum(axis=-1)) * n / (n - 1)
    return above_chance(observed, expected)


def _pooled(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The share of pairs that agree, and the share of each label."""
    total = pairs.sum(axis=(-3, -2, -1))
    observed = np.trace(pairs, axis1=-2, axis2=-1).sum(axis=-1) / total
    # every annotator is in as many pairs as any other
    share = (pairs.sum(axis=(-3, -1)) + pairs.sum(axis=(-3, -2))) / (2 * total[..., None])
    return observed, share


def above_chance(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """(observed − expected) / (1 − expected); NaN where chance is certain."""
    observed, expected = np.asarray(observed, float), np.asarray(expected, float)
    room = np.where(expected < 1, 1 - expected, np.nan)
    return np.asarray((observed - expected) / room)
