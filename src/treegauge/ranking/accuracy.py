"""How many arcs, or sentences, can be kept so that a wanted share of their arcs is right, by their probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.errors import OptionError, check_share
from treegauge.scorers.log_odds import log_odds, log_prob_of
from treegauge.wording import counted

# fitted by tools/fit_trust.py: intercept and weights; see whole_log_probs
WHOLE = (-0.315, 0.378, -3.616, 0.471)
_FAR = 14.0  # log odds
_STEPS = 1 << 18  # probabilities that lie in one of so many equal steps are kept or left out together


@dataclass(frozen=True, slots=True)
class AccuracyCut:
    """The items that are kept: those whose probability is at least `least`."""

    asked: float  # the accuracy, or the probability of each sentence, that was asked for
    least: float
    items: int
    of: int
    arcs: int  # of the items that are kept
    of_arcs: int
    expected: float  # the mean probability of what is kept; NaN if nothing is kept
    wholly: bool = False  # the probabilities are those of sentences being wholly right

    def text(self, what: str) -> str:
        """How much is kept, in words; what: the noun for an item."""
        if not self.items:
            right = "wholly right" if self.wholly else "right"
            return f"no {what} is kept of {self.of:,}: none are expected to be {right} at {100 * self.asked:g} %"
        kept = f"kept: {self.items:,} of {counted(self.of, what)}, {_percent(self.items, self.of)}"
        if what != "arc":
            kept += f", with {self.arcs:,} of {counted(self.of_arcs, 'word')}, {_percent(self.arcs, self.of_arcs)}"
        whose = "of them should be wholly right" if self.wholly else "should be right"
        whose = f"of their arcs {whose}" if what != "arc" and not self.wholly else whose
        return f"{kept}; {100 * self.expected:.1f} % {whose}"

    def has(self, probability: np.ndarray) -> np.ndarray:
        """Whether items of these probabilities are kept."""
        return np.asarray(_step(probability) / _STEPS >= self.least)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"


class AccuracyCutter:
    """Finds how many of the most probable items can be kept: as many as have a mean probability of `asked`.

    An item counts as often as it has arcs. wholly: items are sentences with the probability that all their arcs are
    right, and each of those that are kept has at least the probability `asked`. Memory does not grow with the items.
    """

    def __init__(self, asked: float, wholly: bool = False) -> None:
        check_share("accuracy", asked)
        if not 0 < asked < 1:
            raise OptionError(f"accuracy {asked:g}; expected a number between 0 and 1")
        self.asked, self.wholly = asked, wholly
        self._items, self._arcs, self._right = (np.zeros(_STEPS, dtype) for dtype in (np.int64, np.int64, np.float64))

    def add(self, probability: np.ndarray, arcs: np.ndarray | None = None) -> None:
        """Take in items, each with the mean probability of its arcs; arcs: how many it has, by default one."""
        step = _step(probability)
        self._items += np.bincount(step, minlength=_STEPS)
        count = np.ones(len(step)) if arcs is None else arcs.astype(float)
        self._arcs += np.bincount(step, count, _STEPS).astype(np.int64)
        self._right += np.bincount(step, probability if self.wholly else count * probability, _STEPS)

    def cut(self) -> AccuracyCut:
        """What is kept of all items so far."""
        items, arcs, right = (np.cumsum(each[::-1]) for each in (self._items, self._arcs, self._right))
        of, of_arcs = int(items[-1]), int(arcs[-1])
        each = np.arange(_STEPS)[::-1] / _STEPS
        enough = each >= self.asked if self.wholly else right >= self.asked * arcs
        last = np.flatnonzero(enough & (self._items[::-1] > 0))[-1:]
        if not len(last):
            return AccuracyCut(self.asked, np.inf, 0, of, 0, of_arcs, np.nan, self.wholly)
        at = int(last[0])
        kept, kept_arcs = int(items[at]), int(arcs[at])
        least, expected = (_STEPS - 1 - at) / _STEPS, float(right[at] / (kept if self.wholly else kept_arcs))
        return AccuracyCut(self.asked, least, kept, of, kept_arcs, of_arcs, expected, self.wholly)


def whole_log_probs(log_prob: np.ndarray, start: np.ndarray) -> np.ndarray:
    """log p of all arcs of each sentence being right, given log p of every arc.

        logit p = w_0 + w_1 · logit Π p_a + w_2 · [one word] + w_3 · min_a logit p_a

    Arcs are right or wrong together, so that the plain product is too low. A sentence of one word often is one because
    a parser has cut the text at a wrong place. start: offsets of the sentences; empty ones are not expected.
    """
    if len(start) < 2:
        return np.zeros(0)
    of_all = np.add.reduceat(log_prob, start[:-1])
    parts = whole_signs(of_all, log_odds(np.minimum.reduceat(log_prob, start[:-1])), np.diff(start))
    return log_prob_of(parts @ np.array(WHOLE))


def whole_signs(of_all: np.ndarray, lowest: np.ndarray, words: np.ndarray) -> np.ndarray:
    """What is known of each sentence: a row of numbers for the weights WHOLE."""
    product = np.clip(log_odds(of_all), -_FAR, _FAR)
    return np.stack([np.ones(len(words)), product, words == 1, np.clip(lowest, -_FAR, _FAR)], axis=1)


def _step(probability: np.ndarray) -> np.ndarray:
    return np.minimum((probability * _STEPS).astype(np.int64), _STEPS - 1)


def kept_rows(probability: np.ndarray, accuracy: float, arcs: np.ndarray | None = None) -> np.ndarray:
    """The rows of the items that are kept: see `AccuracyCutter`. Items whose probability is NaN are not kept."""
    known = np.flatnonzero(~np.isnan(probability))
    cutter = AccuracyCutter(accuracy)
    cutter.add(probability[known], None if arcs is None else arcs[known])
    return known[cutter.cut().has(probability[known])]
