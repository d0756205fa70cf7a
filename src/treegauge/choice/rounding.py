"""Weights as they are kept: whole numbers in eight bits."""

from __future__ import annotations

import numpy as np


def in_steps(weights: np.ndarray, least: int, step: int = 1) -> np.ndarray:
    """Weights, counted in units, rounded to multiples of `step` that fit into eight bits; those below `least` are 0."""
    most = 127 // step * step
    kept = np.clip(np.rint(weights / step) * step, -most, most).astype(np.int8)
    kept[np.abs(np.rint(weights)) < least] = 0
    return np.ascontiguousarray(kept)
