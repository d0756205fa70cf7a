"""The ranking of a system's arcs by one scorer, which arcs are right, and how good the ranking is (2013 §4–6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from treegauge.errors import OptionError
from treegauge.evaluation.judging.measures import Curve, bootstrap
from treegauge.ranking.scored import reliable_order

WORST = (10, 20, 30)  # per cent, as in 2013, Table 3
LENGTH, RANDOM = "length", "random"


@dataclass(frozen=True)
class Truth:
    """Which arcs of a system are right by gold; each array has one value for each arc."""

    right: np.ndarray  # whether head and universal relation are right
    right_head: np.ndarray
    length: np.ndarray  # 0 for root arcs
    sentence: np.ndarray


@dataclass(frozen=True)
class ArcOrder:
    """The scores of all arcs by one scorer, NaN for an arc that is not ranked; they are sorted once."""

    scorer: str
    signature: str
    scores: np.ndarray

    @cached_property
    def order(self) -> np.ndarray:
        """All rows, the best first; rows without a score come last."""
        return reliable_order(self.scores).astype(np.int32 if len(self.scores) < 1 << 31 else np.int64)


@dataclass(frozen=True)
class GoldRanking:
    """A scorer's ranking of the arcs of a system, and which of them are right."""

    root_arcs: bool  # whether arcs from the artificial root are ranked, too
    by: ArcOrder = field(repr=False)
    truth: Truth = field(repr=False)

    @property
    def scorer(self) -> str:
        """The scorer's name."""
        return self.by.scorer

    @property
    def signature(self) -> str:
        """The settings behind the ranking."""
        return self.by.signature

    @property
    def is_ranked(self) -> np.ndarray:
        """Whether each arc of the system is ranked."""
        known = ~np.isnan(self.by.scores)
        return known if self.root_arcs else known & (self.truth.length > 0)

    @property
    def rows(self) -> np.ndarray:
        """The arcs that are ranked, the best first."""
        order = self.by.order
        return order[self.is_ranked[order]]

    @property
    def n_arcs(self) -> int:
        """How many arcs are ranked."""
        return int(self.is_ranked.sum())

    @property
    def las(self) -> float:
        """The share of right arcs; NaN if there are no arcs."""
        return _mean(self.truth.right[self.is_ranked])

    @property
    def mean_length(self) -> float:
        """The mean length of the arcs that are not root arcs; NaN if there are none."""
        return _mean(self.truth.length[self.is_ranked & (self.truth.length > 0)])


@dataclass(frozen=True, slots=True)
class Judgement:
    """The quality of a ranking in a few numbers. Shares are fractions; an interval is None if it was not asked for."""

    scorer: str
    root_arcs: bool
    n_arcs: int
    n_errors: int
    las: float
    roc_auc: float
    average_precision: float  # average precision of right arcs, the best arcs first
    average_precision_errors: float  # average precision of wrong arcs, the worst arcs first
    errors_in_worst: dict[int, float]  # per cent of the arcs -> share of the errors
    roc_auc_interval: tuple[float, float] | None = None
    average_precision_interval: tuple[float, float] | None = None
    n_errors_in_worst: dict[int, int] = field(default_factory=dict)  # per cent of the arcs -> errors
    drawn_areas: np.ndarray | None = field(default=None, repr=False, compare=False)  # ROC-AUC of each resampled corpus


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def gold_ranking(order: ArcOrder, truth: Truth, *, root_arcs: bool = True) -> GoldRanking:
    """The ranking of a system's arcs by a scorer.

    root_arcs=False leaves out the arcs from the artificial root. The scorer length gives them no score; its ranking
    never has them, and then `root_arcs` of the result is False.
    """
    unknown = np.isnan(order.scores)
    return GoldRanking(root_arcs and not (unknown & (truth.length == 0)).any(), order, truth)


def judgement(
    ranking: GoldRanking, samples: int = 0, seed: int = 0, progress: Callable[[int], None] = lambda done: None
) -> Judgement:
    """The quality of a ranking, with 95 % intervals over `samples` resampled corpora if `samples` is not 0."""
    rows = ranking.rows
    curve = Curve.ordered(rows, ranking.by.scores, ranking.truth.right)
    intervals: list[Any] = [None, None]
    areas = None
    if samples:
        intervals, areas = bootstrap(curve, ranking.truth.sentence, samples, seed, progress=progress)
    shares = {share: curve.errors_in_worst(share / 100) for share in WORST}
    errors = int((~curve.right).sum())
    return Judgement(
        ranking.scorer,
        ranking.root_arcs,
        len(rows),
        errors,
        ranking.las,
        *curve.areas(),
        curve.of_errors.areas()[1],
        shares,
        roc_auc_interval=intervals[0],
        average_precision_interval=intervals[1],
        n_errors_in_worst={share: round(value * errors) if errors else 0 for share, value in shares.items()},
        drawn_areas=areas,
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a ranking: its arcs, the share of right ones, their mean length; NaN if it has no arcs."""

    end: int  # k of a top list, number of a group
    n_arcs: int
    las: float
    mean_length: float


def top_lists(ranking: GoldRanking, step: int = 500) -> list[Part]:
    """The first k arcs of the ranking, k = step, 2·step, … and all of them (2013, Figure 1)."""
    _check(step, "step")
    rows = ranking.rows
    ends = np.append(np.arange(step, len(rows), step), len(rows)) if len(rows) else np.empty(0, np.int64)
    return _parts(ranking, rows, ends, np.zeros(len(ends), np.int64), ends)


def groups(ranking: GoldRanking, size: int | None = 500, equal: int | None = None) -> list[Part]:
    """The groups of a ranking: `size` arcs in each (the last may be smaller), or `equal` groups (2013, Figure 2).

    Equal groups are bins: the arc at position i of n is in group ⌊i·equal/n⌋ + 1, so that some groups are empty if
    there are fewer arcs than groups.
    """
    rows = ranking.rows
    n = len(rows)
    if equal is not None:
        _check(equal, "groups")
        bounds = -(np.arange(equal + 1) * -n // equal)  # the first i with i·equal/n of at least k
    else:
        _check(size or 0, "size")
        assert size is not None
        bounds = np.append(np.arange(0, n, size), n)
    return _parts(ranking, rows, np.arange(1, len(bounds)), bounds[:-1], bounds[1:])


def _check(value: int, name: str) -> None:
    if value < 1:
        raise OptionError(f"{name} {value}; expected 1 or more")


def _parts(ranking: GoldRanking, rows: np.ndarray, ends: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[Part]:
    """The parts low[k]:high[k] of a ranking; ends[k] is the number of each."""

    def sums(values: np.ndarray) -> list[int]:
        before = np.zeros(len(values) + 1, dtype=np.int64)
        np.cumsum(values, out=before[1:])
        return (before[high] - before[low]).tolist()

    length = ranking.truth.length[rows]
    right, total, long = sums(ranking.truth.right[rows]), sums(length), sums(length > 0)
    n = (high - low).tolist()
    return [
        Part(end, n[k], right[k] / n[k] if n[k] else float("nan"), total[k] / long[k] if long[k] else float("nan"))
        for k, end in enumerate(ends.tolist())
    ]
