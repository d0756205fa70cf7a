"""A power law with a limit through a learning curve: what more data would bring."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_EXPONENTS = np.linspace(0.05, 2.0, 196)


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """b(w) = limit + scale · w^−exponent; nan where too little is known."""

    limit: float
    scale: float
    exponent: float

    def at(self, words: float) -> float:
        """The value after so many words."""
        return self.limit + self.scale * words**-self.exponent if words > 0 else math.nan

    def words_to_halve(self, words: float) -> float:
        """How many words in all bring what is above the limit down to half of what it is after `words`: w · 2^(1/c)."""
        return words * 2 ** (1 / self.exponent) if self.scale > 0 else math.nan


def fit_power_law(words: np.ndarray, value: np.ndarray, weight: np.ndarray) -> PowerLaw:
    """The power law of least weighted squares, with a limit and a scale of 0 or more; nan below four points.

    For each exponent of a grid, limit and scale are the solution of a linear problem.
    """
    if len(words) < 4:
        return PowerLaw(math.nan, math.nan, math.nan)
    best, found = math.inf, PowerLaw(math.nan, math.nan, math.nan)
    root = np.sqrt(weight)
    for exponent in _EXPONENTS.tolist():
        x = words**-exponent
        for columns in ((1, 1), (0, 1), (1, 0)):  # both, or one of them at its bound
            design = np.stack([columns[0] * np.ones_like(x), columns[1] * x], axis=1) * root[:, None]
            limit, scale = np.linalg.lstsq(design, value * root, rcond=None)[0].tolist()
            error = float(((design @ [limit, scale] - value * root) ** 2).sum())
            if limit >= 0 and scale >= 0 and error < best * (1 - 1e-9):
                best, found = error, PowerLaw(limit, scale, exponent)
    return found
