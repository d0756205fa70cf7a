"""The arcs of a system as one scorer ranks them, with what gold says of each (2013 §4–6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treegauge.errors import OptionError
from treegauge.judging.measures import Curve, bootstrap, errors_in_worst
from treegauge.ranking.listing import bin_of, reliable_order
from treegauge.ranking.scored import Scored

WORST = (10, 20, 30)  # per cent, as in 2013, Table 3
LENGTH, RANDOM = "length", "random"


@dataclass(frozen=True)
class Judged:
    """Arcs of a system that a scorer ranks, in corpus order."""

    scorer: str
    signature: str
    root_arcs: bool  # whether arcs from the artificial root are among them
    scores: np.ndarray = field(repr=False)
    right: np.ndarray = field(repr=False)
    length: np.ndarray = field(repr=False)  # 0 for root arcs
    sentence: np.ndarray = field(repr=False)

    @property
    def n_arcs(self) -> int:
        """How many arcs are ranked."""
        return len(self.scores)

    @property
    def n_errors(self) -> int:
        """How many of them are wrong."""
        return int((~self.right).sum())

    @property
    def las(self) -> float:
        """The share of right arcs; NaN of none."""
        return float(self.right.mean()) if self.n_arcs else float("nan")

    @property
    def mean_length(self) -> float:
        """The mean length of the arcs that have one; NaN of none."""
        return _mean(self.length[self.length > 0])


@dataclass(frozen=True, slots=True)
class Judgement:
    """A ranking in a few numbers, fractions all; intervals are None where none were asked for."""

    scorer: str
    root_arcs: bool
    n_arcs: int
    n_errors: int
    las: float
    roc_auc: float
    average_precision: float  # of finding right arcs, best first
    average_precision_errors: float  # of finding wrong arcs, worst first
    errors_in_worst: dict[int, float]  # per cent of the arcs -> share of the errors
    roc_auc_interval: tuple[float, float] | None = None
    average_precision_interval: tuple[float, float] | None = None


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def judged_arcs(scored: Scored, right: np.ndarray, *, root_arcs: bool = True) -> Judged:
    """A system's arcs as its scorer ranks them, given which are right.

    root_arcs=False leaves out the arcs from the artificial root. Arcs that the scorer gives no place (root arcs by
    length) are left out, whatever is asked for, and `root_arcs` says so.
    """
    corpus, scores = scored.corpus, scored.scores
    is_root = corpus.head == 0
    kept = ~np.isnan(scores)
    with_root = root_arcs and bool(kept[is_root].all())
    if not with_root:
        kept &= ~is_root
    arrays = (scores[kept], right[kept], corpus.arc_length[kept], corpus.sentence[kept])
    return Judged(scored.scorer.name, scored.signature, with_root, *arrays)


def judgement(
    judged: Judged, samples: int = 0, seed: int = 0, progress: Callable[[int], None] = lambda done: None
) -> Judgement:
    """The ranking in a few numbers, with 95 % intervals over `samples` resampled corpora if that is not 0."""
    curve = Curve.of(judged.scores, judged.right)
    errors = Curve.of(-judged.scores, ~judged.right)
    once = np.ones(judged.n_arcs)
    intervals: list[Any] = [None, None]
    if samples:
        intervals = list(bootstrap(curve.areas, judged.sentence, samples, seed, progress=progress))
    return Judgement(
        judged.scorer,
        judged.root_arcs,
        judged.n_arcs,
        judged.n_errors,
        judged.las,
        curve.roc_auc(once),
        curve.average_precision(once),
        errors.average_precision(once),
        {share: errors_in_worst(judged.scores, judged.right, share / 100) for share in WORST},
        *intervals,
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a ranking: its arcs, the share of right ones, their mean length; NaN of none."""

    end: int  # k of a top list, number of a group
    n_arcs: int
    las: float
    mean_length: float


def top_lists(judged: Judged, step: int = 500) -> list[Part]:
    """The first k arcs of the ranking, k = step, 2·step, … and all of them (2013, Figure 1)."""
    _check(step, "step")
    ends = [*range(step, judged.n_arcs, step), judged.n_arcs] if judged.n_arcs else []
    order = reliable_order(judged.scores)
    return [_part(judged, k, order[:k]) for k in ends]


def groups(judged: Judged, size: int | None = 500, equal: int | None = None) -> list[Part]:
    """The ranking cut into groups of `size` arcs, the last perhaps smaller, or into `equal` ones (2013, Figure 2).

    Equal groups are bins: the arc at position i of n is in group ⌊i·equal/n⌋ + 1, so that some are empty where there
    are fewer arcs than groups.
    """
    order = reliable_order(judged.scores)
    position = np.arange(judged.n_arcs)
    if equal is not None:
        _check(equal, "groups")
        number, last = bin_of(position, judged.n_arcs, equal), equal
    else:
        _check(size or 0, "size")
        assert size is not None
        number, last = position // size + 1, -(-judged.n_arcs // size)
    return [_part(judged, k, order[number == k]) for k in range(1, last + 1)]


def _check(value: int, name: str) -> None:
    if value < 1:
        raise OptionError(f"{name} {value}; expected 1 or more")


def _part(judged: Judged, end: int, rows: np.ndarray) -> Part:
    length = judged.length[rows]
    return Part(end, len(rows), _mean(judged.right[rows]), _mean(length[length > 0]))
