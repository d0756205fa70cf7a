"""How many arcs, or sentences, can be kept so that a wanted share of their arcs is right, by their probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.errors import OptionError
from treegauge.wording import counted

# p(all arcs of a sentence are right) = (Π p)^TOGETHER, because arcs are right or wrong together; fitted on sentences of
# many parsers and treebanks (tools/fit_trust.py)
TOGETHER = 0.8
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


def _step(probability: np.ndarray) -> np.ndarray:
    return np.minimum((probability * _STEPS).astype(np.int64), _STEPS - 1)


def kept_rows(probability: np.ndarray, accuracy: float, arcs: np.ndarray | None = None) -> np.ndarray:
    """The rows of the items that are kept: see `AccuracyCutter`. Items whose probability is NaN are not kept."""
    known = np.flatnonzero(~np.isnan(probability))
    cutter = AccuracyCutter(accuracy)
    cutter.add(probability[known], None if arcs is None else arcs[known])
    return known[cutter.cut().has(probability[known])]
