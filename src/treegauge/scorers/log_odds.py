"""Log odds of log probabilities, and probabilities whose log odds are all moved by the same number."""

from __future__ import annotations

import numpy as np

_FAR, _STEPS = 20.0, 60


def log_odds(log_prob: np.ndarray) -> np.ndarray:
    """log p − log(1 − p)."""
    return np.asarray(log_prob - np.log(-np.expm1(np.minimum(log_prob, -1e-12))))


def log_prob_of(odds: np.ndarray) -> np.ndarray:
    """log p of log odds."""
    return np.asarray(-np.logaddexp(0.0, -odds))


def move_to(odds: np.ndarray, mean: float) -> float:
    """The number that is to be added to all log odds, so that the mean probability is as given (bisection)."""
    low, high = -_FAR, _FAR
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if np.exp(log_prob_of(odds + middle)).mean() < mean:
            low = middle
        else:
            high = middle
    return (low + high) / 2
