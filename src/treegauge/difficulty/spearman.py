"""Spearman's rank correlation and its p-value: all that is needed of statistics here, without SciPy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_ENOUGH = 1e-15  # relative change below which a continued fraction is done
_TINY = 1e-300


def spearman(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Spearman's ρ of at least three pairs, neither side constant, and its two-sided p-value.

    ρ = Pearson's correlation of the ranks, ties having their average
    t = ρ · √((n − 2) / (1 − ρ²)),  p = P(|T| ≥ |t|), T having Student's distribution with n − 2 degrees of freedom
    """
    n = len(first)
    x, y = (_ranks(np.asarray(values, dtype=float)) - (n - 1) / 2 for values in (first, second))
    rho = max(-1.0, min(1.0, float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))))
    # P(|T| ≥ |t|) is the regularised incomplete beta function of (n − 2) / (n − 2 + t²) = 1 − ρ²
    return rho, _beta_share((n - 2) / 2, 0.5, (1 - rho) * (1 + rho))


def _ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each value from 0 on; equal values share the mean of theirs."""
    _, code, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count + 1) / 2)[code])


def _beta_share(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where it converges fast
        return 1 - _beta_share(b, a, 1 - x)
    front = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(front) * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    """1 / (1 + d₁ / (1 + d₂ / …)) with the coefficients of the incomplete beta function, by Lentz's method."""
    value = upper = 1.0
    lower = 0.0
    for k in range(1, 10_000):
        m = k // 2
        top = -(a + m) * (a + b + m) * x if k % 2 else m * (b - m) * x
        d = top / ((a + k - 1) * (a + k))
        upper = 1 + d / upper or _TINY
        lower = 1 / (1 + d * lower or _TINY)
        value *= upper * lower
        if abs(upper * lower - 1) < _ENOUGH:
            break
    return 1 / value
