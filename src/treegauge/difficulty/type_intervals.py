"""How sure the ranks of relation types and their correlations are: sentences drawn again; and across languages."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from treegauge.difficulty.types import MEASURES, Types
from treegauge.errors import OptionError
from treegauge.statistics import LEVEL, drawn_sentences, percentile_interval, spearman
from treegauge.tables import Table, Tabular, column_kinds


@dataclass(frozen=True, repr=False)
class TypeIntervals(Tabular):
    """The interval of the rank of each type in each measure, and of Spearman's ρ of each two measures."""

    types: Types
    drawn: dict[str, np.ndarray]  # measure -> [sample, type]: ranks, NaN for none
    samples: int
    seed: int

    def rho(self, first: str, second: str) -> tuple[float, float] | None:
        """The interval of ρ between two measures; None if it is not known."""
        return _interval(rank_correlation(self.drawn[first], self.drawn[second]))

    def table(self) -> Table:
        """The rank of each type in each measure, with its interval."""
        rows = []
        ends = {name: percentile_interval(ranks) for name, ranks in self.drawn.items()}
        for k in self.types.order:
            cells: list[float | int | None] = []
            for name in self.types.measures:
                cells += [self.types.ranks[name][k], *(float(end[k]) for end in ends[name])]
            rows.append((self.types.scores[k].relation, *cells))
        columns = [("relation", "text")]
        for name in self.types.measures:
            columns += [(f"rank_{name}", "count"), (f"low_{name}", "count"), (f"high_{name}", "count")]
        title = f"{self.types.language}: ranks of types, {LEVEL:.0%} intervals over sentences"
        return Table(title, tuple(columns), tuple(rows), self._signature, "rank_intervals")

    def rho_table(self) -> Table:
        """Spearman's ρ of each two measures, with its interval."""
        rows = []
        for first, second in combinations(self.types.measures, 2):
            value = measure_correlation(self.types, self.types, first, second)
            low, high = (value[0] is not None and self.rho(first, second)) or (None, None)
            rows.append((first, second, value[0], low, high, value[1]))
        columns = column_kinds("first text, second text, rho p, low p, high p, types count")
        title = f"{self.types.language}: Spearman's ρ of rankings, {LEVEL:.0%} intervals over sentences"
        return Table(title, columns, tuple(rows), self._signature, "rho_intervals")

    @property
    def _signature(self) -> str:
        return f"{self.types.signature}|samples:{self.samples}|seed:{self.seed}"


def type_intervals(types: Types, samples: int = 1000, seed: int = 1) -> TypeIntervals:
    """Draw the sentences of a language again and again, and rank its types each time."""
    if types.sums is None:
        raise OptionError(f"{types.language}: only measures are known; expected the result of difficulty_types")
    parts, n = list[dict[str, np.ndarray]](), len(types.sums.values)
    values = types.sums.values.reshape(n, -1)
    infinite = np.isneginf(values)
    for weights in drawn_sentences(n, samples, np.random.default_rng(seed)):
        sums = np.where(weights @ infinite > 0, -np.inf, weights @ np.where(infinite, 0.0, values))
        measured = types.sums.measured(sums.reshape(len(weights), *types.sums.values.shape[1:]))
        parts.append({name: ranks_of(measured[name], high) for name, high in MEASURES.items()})
    drawn = {name: np.concatenate([part[name] for part in parts]) for name in MEASURES}
    return TypeIntervals(types, drawn, samples, seed)


def ranks_of(values: np.ndarray, high_first: bool) -> np.ndarray:
    """The rank of each value along the last axis, from 1; equal values share their mean rank, NaN has none."""
    signed = -values if high_first else values
    better = (signed[..., None, :] < signed[..., :, None]).sum(axis=-1)
    equal = (signed[..., None, :] == signed[..., :, None]).sum(axis=-1)
    return np.where(np.isnan(values), np.nan, 1 + better + (equal - 1) / 2)


def rank_correlation(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The correlation of two tables of ranks along the last axis, over the types that have both."""
    both = ~(np.isnan(first) | np.isnan(second))
    n = np.maximum(both.sum(axis=-1, keepdims=True), 1)
    a, b = (np.where(both, ranks, 0.0) for ranks in (first, second))
    a, b = (np.where(both, ranks - ranks.sum(axis=-1, keepdims=True) / n, 0.0) for ranks in (a, b))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((a * b).sum(axis=-1) / np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1)))


def _interval(values: np.ndarray) -> tuple[float, float] | None:
    low, high = percentile_interval(values[:, None])[:, 0].tolist()
    return None if np.isnan(low) else (low, high)


def measure_correlation(first: Types, second: Types, measure: str, other: str) -> tuple[float | None, int]:
    """Spearman's ρ of a measure of one language and a measure of another, over shared types; and how many there are."""
    theirs = {score.relation: getattr(score, other) for score in second.scores}
    pairs = [(getattr(score, measure), theirs.get(score.relation)) for score in first.scores]
    both = [(x, y) for x, y in pairs if x is not None and y is not None]
    signs = [1 if MEASURES[name] else -1 for name in (measure, other)]
    if len(both) < 3 or any(len(set(column)) == 1 for column in zip(*both, strict=True)):
        return None, len(both)
    xs, ys = ([sign * value for value in column] for sign, column in zip(signs, zip(*both, strict=True), strict=True))
    return spearman(xs, ys)[0], len(both)


@dataclass(frozen=True, repr=False)
class LanguageAgreement(Tabular):
    """How alike languages rank their types: Spearman's ρ of each two languages in each measure."""

    languages: tuple[Types, ...]
    intervals: tuple[TypeIntervals, ...] = ()

    @property
    def measures(self) -> list[str]:
        """The measures that every language has."""
        return [name for name in MEASURES if all(name in types.measures for types in self.languages)]

    def rho(self, a: int, b: int, measure: str) -> float | None:
        """ρ between two languages."""
        return measure_correlation(self.languages[a], self.languages[b], measure, measure)[0]

    def table(self) -> Table:
        """One row for each two languages and measure."""
        rows = []
        for measure in self.measures:
            for a, b in combinations(range(len(self.languages)), 2):
                first, second = self.languages[a], self.languages[b]
                rho, n = measure_correlation(first, second, measure, measure)
                interval = self._interval(a, b, measure) if self.intervals else None
                rows.append((measure, first.language, second.language, rho, *(interval or (None, None)), n))
        columns = column_kinds("measure text, first text, second text, rho p, low p, high p, types count")
        title = "Spearman's ρ of the rankings of types in two languages"
        return Table(title, columns, tuple(rows), self.languages[0].signature, "languages")

    def _interval(self, a: int, b: int, measure: str) -> tuple[float, float] | None:
        names = [{score.relation: k for k, score in enumerate(types.scores)} for types in self.languages]
        shared = [name for name in names[a] if name in names[b]]
        tables = [self.intervals[k].drawn[measure][:, [names[k][name] for name in shared]] for k in (a, b)]
        return _interval(rank_correlation(*tables))
