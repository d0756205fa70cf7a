"""How much parses are to be trusted where they and choice disagree, and how probable what comes out is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.scorers.opinions import ABSENT, BOTH


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

WRONG_ARCS = 8  # among which a parse that is wrong chooses
PASSES = 50
_LEAST, _MOST = 0.2, 0.99  # accuracy; at the least, agreement still speaks for an arc
_START = 0.8


def accuracies(groups: np.ndarray, passes: int = PASSES) -> np.ndarray:
    """How often each parse has the right arc, as far as the others know: a row of `Opinions.groups` for each.

    Dawid and Skene (1979), with one number for each parse: parse k has the right arc with probability a_k, and else
    any of N = WRONG_ARCS others. Of the arcs that the parses give a word, c is the right one with probability

        q(c) ∝ Π_{k has c} N a_k / (1 − a_k),

    beside 1 for none of them; a_k is then the mean q of its arcs, and so on, `passes` times.
    """
    patterns, count = _patterns(groups)
    there = patterns >= 0
    words = there @ count
    has = patterns[None] == np.arange(len(groups))[:, None, None]  # candidate, parse, pattern
    first = has.any(axis=1)
    accuracy = np.full(len(groups), _START)
    for _ in range(passes):
        log_odds = np.where(first, np.einsum("ckp,k->cp", has, weights(accuracy)), -np.inf)
        best = np.maximum(log_odds.max(axis=0), 0)
        shares = np.exp(log_odds - best)
        q = shares / (shares.sum(axis=0) + np.exp(-best))
        right = np.einsum("ckp,cp,p->k", has, q, count)
        accuracy = np.clip((right + 1) / (words + 2), _LEAST, _MOST)
    return accuracy


def weights(accuracy: np.ndarray) -> np.ndarray:
    """log N a / (1 − a), in nats: how much it speaks for an arc that a parse of this accuracy has it."""
    return np.asarray(np.log(WRONG_ARCS * accuracy / (1 - accuracy)))


def _patterns(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ways in which the parses agree on a word (the columns), and how often each is met."""
    code = np.zeros(groups.shape[1], np.int64)
    for row in groups:  # numbered anew each time, so that they stay small
        code = np.unique(code * (len(groups) + 1) + row + 1, return_inverse=True)[1].ravel()
    _, example, count = np.unique(code, return_index=True, return_counts=True)
    return groups[:, example], count.astype(float)


def objections(says: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """What speaks against every arc, in nats: the sum of the weights of the parses that have another.

    says: as in `Opinions`. A parse that has not the word counts as the others do on average: those that have it, or
    where none has it, those of the whole text.
    """
    there = np.where(says == ABSENT, 0.0, weight[:, None]).sum(axis=0)
    against = np.where((says == ABSENT) | (says == BOTH), 0.0, weight[:, None]).sum(axis=0)
    usual = against.sum() / max(there.sum(), 1e-300)
    share = np.where(there > 0, against / np.maximum(there, 1e-300), usual)
    return np.asarray(share * weight.sum())
