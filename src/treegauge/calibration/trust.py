"""How much parses are to be trusted where they and choice disagree, and how probable what comes out is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Trust:
    """How much parses count against choice, and how scores become probabilities.

    A parse adds scale · w to the score of an arc that it has, where w is its weight from how the parses agree with each
    other, or 1 if there is only one; the first adds `own` times that. least: how probable an arc must be by choice that
    no parse has. The probability of an arc is 1 / (1 + exp −(intercept + slope · x)), where x is the log odds of its
    score as a share of what all parses add.
    """

    scale: float
    least: float = 0.0
    own: float = 1.0
    intercept: float = 0.0
    slope: float = 1.0

    def weights(self, weight: np.ndarray) -> np.ndarray:
        """What each parse adds to the score of an arc, in nats."""
        return self.scale * np.concatenate([self.own * weight[:1], weight[1:]])

    def probability(self, log_odds: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """How probable arcs are, given the log odds of their scores against all others that their words may have."""
        x = log_odds / self.weights(weight).sum()
        return np.asarray(np.exp(-np.logaddexp(0.0, -(self.intercept + self.slope * x))))


# chosen on the first four treebanks of benchmarks/combine.py and the first five pairs of benchmarks/repair.py
ALONE = Trust(8.0, 0.9, intercept=-8.0, slope=7.2)  # hardly ever costs anything, however strong the parser is
TOGETHER = Trust(3.0, intercept=-0.96, slope=3.2)
ENTIRE = Trust(10.0)  # nothing is changed in one parse: its arcs have at least −9 + 10, all others 0 at the most
