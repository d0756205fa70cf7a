"""How many arcs, or sentences, can be kept so that a wanted share of their arcs is right, by their probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.errors import OptionError
from treegauge.wording import counted

_STEPS = 1 << 18  # probabilities that lie in one of so many equal steps are kept or left out together


@dataclass(frozen=True, slots=True)
class AccuracyCut:
    """The items that are kept: those whose probability is at least `least`."""

    accuracy: float  # the accuracy that was asked for
    least: float
    items: int
    of: int
    expected: float  # the mean probability of the arcs that are kept; NaN if nothing is kept

    def text(self, what: str) -> str:
        """How much is kept, in words; what: the noun for an item."""
        share = f"{100 * self.items / max(self.of, 1):.1f} %"
        if not self.items:
            return f"no {what} is kept of {self.of:,}: none are expected to be right at {100 * self.accuracy:g} %"
        arcs = "" if what == "arc" else " of their arcs"
        right = f"{100 * self.expected:.1f} %{arcs} should be right"
        return f"kept: {self.items:,} of {counted(self.of, what)}, {share}; {right}"

    def has(self, probability: np.ndarray) -> np.ndarray:
        """Whether items of these probabilities are kept."""
        return np.asarray(_step(probability) / _STEPS >= self.least)


class AccuracyCutter:
    """Finds how many of the most probable items can be kept: as many as have a mean probability of `accuracy`.

    An item counts as often as it has arcs. Memory does not grow with the number of items.
    """

    def __init__(self, accuracy: float) -> None:
        if not 0 < accuracy < 1:
            raise OptionError(f"accuracy {accuracy:g}; expected a number between 0 and 1")
        self.accuracy = accuracy
        self._items, self._arcs, self._right = (np.zeros(_STEPS, dtype) for dtype in (np.int64, np.int64, np.float64))

    def add(self, probability: np.ndarray, arcs: np.ndarray | None = None) -> None:
        """Take in items, each with the mean probability of its arcs; arcs: how many it has, by default one."""
        step = _step(probability)
        self._items += np.bincount(step, minlength=_STEPS)
        count = np.ones(len(step)) if arcs is None else arcs.astype(float)
        self._arcs += np.bincount(step, count, _STEPS).astype(np.int64)
        self._right += np.bincount(step, count * probability, _STEPS)

    def cut(self) -> AccuracyCut:
        """What is kept of all items so far."""
        arcs, right = np.cumsum(self._arcs[::-1]), np.cumsum(self._right[::-1])
        enough = np.flatnonzero((right >= self.accuracy * arcs) & (self._items[::-1] > 0))
        if not len(enough):
            return AccuracyCut(self.accuracy, np.inf, 0, int(self._items.sum()), np.nan)
        last = int(enough[-1])
        items = int(self._items[_STEPS - 1 - last :].sum())
        least = (_STEPS - 1 - last) / _STEPS
        return AccuracyCut(self.accuracy, least, items, int(self._items.sum()), float(right[last] / arcs[last]))


def _step(probability: np.ndarray) -> np.ndarray:
    return np.minimum((probability * _STEPS).astype(np.int64), _STEPS - 1)


def kept_rows(probability: np.ndarray, accuracy: float, arcs: np.ndarray | None = None) -> np.ndarray:
    """The rows of the items that are kept: see `AccuracyCutter`. Items whose probability is NaN are not kept."""
    known = np.flatnonzero(~np.isnan(probability))
    cutter = AccuracyCutter(accuracy)
    cutter.add(probability[known], None if arcs is None else arcs[known])
    return known[cutter.cut().has(probability[known])]
