"""Can a probability be trusted? Reliability over bins, expected calibration error, Brier score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.calibration.evidence import Evidence
from treegauge.calibration.logistic import fit_calibration
from treegauge.judging.measures import errors_in_worst, roc_auc

BINS, FOLDS = 15, 5


@dataclass(frozen=True, slots=True)
class Bin:
    """Arcs of like probability."""

    arcs: int
    probability: float  # mean
    right: float  # share


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well probabilities and truth agree."""

    arcs: int
    las: float
    brier: float
    calibration_error: float
    roc_auc: float
    errors_in_worst_20: float
    bins: tuple[Bin, ...]


def reliability(prob: np.ndarray, right: np.ndarray, bins: int = BINS) -> Reliability:
    """Brier = mean (p − y)²; calibration error = Σ_b n_b/n · |mean p − share right|, over bins of equal mass."""
    order = np.argsort(prob, kind="stable")
    cut = [part for part in np.array_split(order, bins) if len(part)]
    found = tuple(Bin(len(part), float(prob[part].mean()), float(right[part].mean())) for part in cut)
    error = sum(b.arcs * abs(b.probability - b.right) for b in found) / max(len(prob), 1)
    return Reliability(
        len(prob),
        float(right.mean()),
        float(((prob - right) ** 2).mean()),
        error,
        roc_auc(prob, right),
        errors_in_worst(prob, right, 0.2),
        found,
    )


def held_out(known: Evidence, folds: int = FOLDS) -> np.ndarray:
    """p(right) of every arc by a calibration of the other folds; sentence s is in fold s mod folds."""
    prob = np.empty(len(known.right))
    for fold in range(folds):
        outside = known.sentence % folds == fold
        made = fit_calibration(known.only(~outside), "the other folds", "")
        prob[outside] = np.exp(made.log_probs(known.only(outside).arcs))
    return prob
