"""Statistics: rank correlation, learning curves, resampled sentences, intervals, and tests of two systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from treegauge.errors import OptionError
from treegauge.tables import Table, Tabular, column_kinds

SAMPLES = 10_000
SEED = 1
LEVEL = 0.95  # of intervals
_ENOUGH = 1e-15  # relative change below which a continued fraction is done
_TINY = 1e-300


def spearman(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Spearman's ρ of at least three pairs, neither side constant, and its two-sided p-value.

    ρ = Pearson's correlation of the ranks, ties having their average
    t = ρ · √((n − 2) / (1 − ρ²)),  p = P(|T| ≥ |t|), T having Student's distribution with n − 2 degrees of freedom
    """
    n = len(first)
    x, y = (mean_ranks(np.asarray(values, dtype=float)) - (n - 1) / 2 for values in (first, second))
    rho = max(-1.0, min(1.0, float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))))
    # P(|T| ≥ |t|) is the regularised incomplete beta function of (n − 2) / (n − 2 + t²) = 1 − ρ²
    return rho, _beta_share((n - 2) / 2, 0.5, (1 - rho) * (1 + rho))


def paired_t(differences: np.ndarray) -> float:
    """The two-sided p-value of Student's paired t test; nan for fewer than two differences, 1 if all are 0.

    t = mean / (s / √n) with n − 1 degrees of freedom, s over n − 1
    """
    n = len(differences)
    if n < 2:
        return math.nan
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    if spread == 0:
        return 1.0 if mean == 0 else 0.0
    t2 = mean * mean * n / (spread * spread)
    return _beta_share((n - 1) / 2, 0.5, (n - 1) / (n - 1 + t2))


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each value from 0 on; equal values share the mean of theirs."""
    _, code, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count + 1) / 2)[code])


def shared_ranks(values: Sequence[float | None], *, high_first: bool) -> list[int | None]:
    """The rank of each value, from 1; equal values share the better rank, None has none."""
    known = sorted((value for value in values if value is not None), reverse=high_first)
    return [None if value is None else known.index(value) + 1 for value in values]


def _beta_share(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where it converges fast
        return 1 - _beta_share(b, a, 1 - x)
    front = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(front) * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    """1 / (1 + d₁ / (1 + d₂ / …)) with the coefficients of the incomplete beta function, by Lentz's method."""
    value = upper = 1.0
    lower = 0.0
    for k in range(1, 10_000):
        m = k // 2
        top = -(a + m) * (a + b + m) * x if k % 2 else m * (b - m) * x
        d = top / ((a + k - 1) * (a + k))
        upper = 1 + d / upper or _TINY
        lower = 1 / (1 + d * lower or _TINY)
        value *= upper * lower
        if abs(upper * lower - 1) < _ENOUGH:
            break
    return 1 / value


_EXPONENTS = np.linspace(0.05, 2.0, 196)


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """b(w) = limit + scale · w^−exponent; nan where too little is known."""

    limit: float
    scale: float
    exponent: float

    def at(self, words: float) -> float:
        """The value after so many words."""
        return self.limit + self.scale * words**-self.exponent if words > 0 else math.nan

    def words_to_halve(self, words: float) -> float:
        """How many words in all bring what is above the limit down to half of what it is after `words`: w · 2^(1/c)."""
        return words * 2 ** (1 / self.exponent) if self.scale > 0 else math.nan


def fit_power_law(words: np.ndarray, value: np.ndarray, weight: np.ndarray) -> PowerLaw:
    """The power law of least weighted squares, with a limit and a scale of 0 or more; nan below four points.

    For each exponent of a grid, limit and scale are the solution of a linear problem.
    """
    if len(words) < 4:
        return PowerLaw(math.nan, math.nan, math.nan)
    least, best = math.inf, PowerLaw(math.nan, math.nan, math.nan)
    root = np.sqrt(weight)
    for exponent in _EXPONENTS.tolist():
        x = words**-exponent
        for columns in ((1, 1), (0, 1), (1, 0)):  # both, or one of them at its bound
            design = np.stack([columns[0] * np.ones_like(x), columns[1] * x], axis=1) * root[:, None]
            limit, scale = np.linalg.lstsq(design, value * root, rcond=None)[0].tolist()
            error = float(((design @ [limit, scale] - value * root) ** 2).sum())
            if limit >= 0 and scale >= 0 and error < least * (1 - 1e-9):
                least, best = error, PowerLaw(limit, scale, exponent)
    return best


CLOSE = 1e-12  # equal fractions may differ by their rounding
_CELLS = 1 << 20  # numbers drawn at a time


@dataclass(frozen=True, slots=True)
class Difference:
    """F1 of two systems, their difference (first minus second), its interval, and two p-values."""

    metric: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float


@dataclass(frozen=True, repr=False)
class Differences(Tabular, Sequence[Difference]):
    """The differences of two systems, one for each metric."""

    each: tuple[Difference, ...]
    title: str
    signature: str

    def __getitem__(self, k: Any) -> Any:
        return self.each[k]

    def __len__(self) -> int:
        return len(self.each)

    def table(self) -> Table:
        """One metric to a row."""
        columns = column_kinds(
            "metric text, first percent, second percent, difference change, low change, high change, p_bootstrap p, "
            "p_randomisation p"
        )
        return Table(self.title, columns, tuple(map(astuple, self.each)), self.signature, "significance")


def percentile_interval(values: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Low and high end of the middle `level` of the values along the first axis: [end, …].

    NaN values are left out; an end is NaN where no other value remains.
    """
    flat = values.reshape(len(values), math.prod(values.shape[1:]))
    ends = np.full((2, flat.shape[1]), np.nan)
    for k in range(flat.shape[1]):
        known = flat[:, k][~np.isnan(flat[:, k])]
        if len(known):
            ends[:, k] = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return ends.reshape(2, *values.shape[1:])


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of n tests, corrected by Holm (1979): the k-th smallest, times n − k + 1, never falling."""
    corrected, largest = [0.0] * len(p_values), 0.0
    for k, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        largest = max(largest, min(1.0, (len(p_values) - k) * p_values[place]))
        corrected[place] = largest
    return corrected


def paired_tests(
    a: np.ndarray, b: np.ndarray, samples: int, seed: int, progress: Callable[[int], None] | None = None
) -> list[tuple[float, float, float, float]]:
    """Interval (low, high) of the difference of each metric, and p by two tests that draw whole sentences.

    a, b: [sentence, metric, 2 · correct and gold + system] of both systems.

    Paired bootstrap (Efron and Tibshirani 1993; Berg-Kirkpatrick et al. 2012): sentences drawn with replacement, the
    same ones for both systems. The interval has the middle 95 % of the differences δ*, and

        p = (1 + #{|δ* − δ| ≥ |δ|}) / (1 + samples)

    Approximate randomisation (Noreen 1989): in each sentence the systems are exchanged with probability ½.

        p = (1 + #{|δ*| ≥ |δ|}) / (1 + samples)

    Equal scores have p = 1. progress is told samples, of both tests, as they are drawn.
    """
    if samples < 1:
        raise OptionError(f"samples {samples}; expected at least 1")
    if seed < 0:
        raise OptionError(f"seed {seed}; expected 0 or more")
    observed = f1_of_halves(a.sum(axis=0)) - f1_of_halves(b.sum(axis=0))
    rng = np.random.default_rng(seed)
    tell = progress or (lambda samples: None)
    drawn = _resampled(a, b, samples, rng, tell)
    exchanged = _exchanged(a, b, samples, rng, tell)
    low, high = percentile_interval(drawn)
    p_bootstrap = bootstrap_p(drawn, observed)
    p_randomisation = (1 + np.sum(np.abs(exchanged) >= np.abs(observed) - CLOSE, axis=0)) / (1 + samples)
    return list(zip(low.tolist(), high.tolist(), p_bootstrap.tolist(), p_randomisation.tolist(), strict=True))


def bootstrap_p(drawn: np.ndarray, observed: np.ndarray | float) -> np.ndarray:
    """p of the observed differences δ, from differences δ* drawn with replacement along the first axis.

    p = (1 + #{|δ* − δ| ≥ |δ|}) / (1 + samples)
    """
    extreme = np.abs(drawn - observed) >= np.abs(observed) - CLOSE
    return np.asarray((1 + np.sum(extreme, axis=0)) / (1 + len(drawn)))


def f1_of_halves(sums: np.ndarray) -> np.ndarray:
    """2 · correct / (gold + system), 0 where there is neither; sums of whole numbers are exact in floats."""
    top, bottom = sums[..., 0], sums[..., 1]
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)


def _sums(weights: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Weighted sums over the sentences: [sample, metric, column]."""
    n, metrics, columns = counts.shape
    return (weights @ counts.reshape(n, metrics * columns)).reshape(len(weights), metrics, columns)


def _resampled(
    a: np.ndarray, b: np.ndarray, samples: int, rng: np.random.Generator, tell: Callable[[int], None]
) -> np.ndarray:
    """Differences of F1 on sentences drawn with replacement: [sample, metric]."""
    parts = []
    for weights in drawn_sentences(len(a), samples, rng):
        parts.append(f1_of_halves(_sums(weights, a)) - f1_of_halves(_sums(weights, b)))
        tell(len(weights))
    return np.concatenate(parts)


def _exchanged(
    a: np.ndarray, b: np.ndarray, samples: int, rng: np.random.Generator, tell: Callable[[int], None]
) -> np.ndarray:
    """Differences of F1 where the two systems are exchanged in random sentences: [sample, metric].

    With signs ±1 the exchanged systems have the sums (Σ(a+b) ± Σ sign·(a−b)) / 2; sentences that both have
    alike do not count.
    """
    centre, half = (a + b).sum(axis=0), a - b
    half = half[half.any(axis=(1, 2))]
    parts = []
    for signs in _signs(len(half), samples, rng):
        turned = _sums(signs, half)
        parts.append(f1_of_halves((centre + turned) / 2) - f1_of_halves((centre - turned) / 2))
        tell(len(signs))
    return np.concatenate(parts)


def _batches(n: int, samples: int) -> Iterator[int]:
    """How many samples of n sentences to draw at a time."""
    size = max(1, _CELLS // max(n, 1))
    while samples > 0:
        yield min(size, samples)
        samples -= size


def drawn_sentences(n: int, samples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """How often each of n sentences is drawn, a row per sample."""
    for size in _batches(n, samples):
        drawn = rng.integers(0, n, size=(size, n)) + n * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def _signs(n: int, samples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """+1 where the systems stay, -1 where they are exchanged, a row per sample."""
    for size in _batches(n, samples):
        yield 2.0 * rng.integers(0, 2, size=(size, n)) - 1.0


def maximum_likelihood(
    blocks: Callable[[], Iterable[np.ndarray]], right: np.ndarray, penalty: np.ndarray
) -> np.ndarray:
    """The weights that maximise Σ log p − ½ Σ penalty · weight².

    blocks: gives the rows of X, some at a time, as often as it is called, so that X need not be in memory. A step of
    Newton's method that would lead downwards is halved until it does not: where nearly all are right, whole steps lead
    away.
    """

    def logits(weight: np.ndarray) -> np.ndarray:
        return np.concatenate([rows @ weight for rows in blocks()])

    def value(weight: np.ndarray, logit: np.ndarray) -> float:
        wrong_way = np.where(right, -1.0, 1.0) * logit
        return float(-np.logaddexp(0.0, wrong_way).sum() - 0.5 * (penalty * weight**2).sum())

    weight = np.zeros(len(penalty))
    weight[0] = np.log(right.mean() / (1 - right.mean()))
    logit = logits(weight)
    now = value(weight, logit)
    for _ in range(100):
        p = np.exp(-np.logaddexp(0.0, -logit))
        gradient, curvature, low = -penalty * weight, np.diag(penalty), 0
        for rows in blocks():
            of_rows = p[low : low + len(rows)]
            gradient += rows.T @ (right[low : low + len(rows)] - of_rows)
            curvature += (rows.T * (of_rows * (1 - of_rows))) @ rows
            low += len(rows)
        step = np.linalg.solve(curvature, gradient)
        logit = logits(weight + step)
        while (then := value(weight + step, logit)) < now - 1e-9 * abs(now) and np.abs(step).max() > 1e-10:
            step = step / 2
            logit = logits(weight + step)
        weight, now = weight + step, then
        if np.abs(step).max() < 1e-10:
            break
    return weight
