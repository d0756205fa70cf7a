"""Whether two systems differ: paired bootstrap and approximate randomisation over counts per sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from treegauge.errors import OptionError
from treegauge.tables import Table, Tabular, column_kinds

SAMPLES = 10_000
SEED = 1
LEVEL = 0.95
CLOSE = 1e-12  # equal fractions may differ by their rounding
_CELLS = 1 << 22  # numbers drawn at a time


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
    observed = _f1(a.sum(axis=0)) - _f1(b.sum(axis=0))
    rng = np.random.default_rng(seed)
    tell = progress or (lambda samples: None)
    drawn = _resampled(a, b, samples, rng, tell)
    exchanged = _exchanged(a, b, samples, rng, tell)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    least = np.abs(observed) - CLOSE
    p_bootstrap = (1 + np.sum(np.abs(drawn - observed) >= least, axis=0)) / (1 + samples)
    p_randomisation = (1 + np.sum(np.abs(exchanged) >= least, axis=0)) / (1 + samples)
    return list(zip(low.tolist(), high.tolist(), p_bootstrap.tolist(), p_randomisation.tolist(), strict=True))


def _f1(sums: np.ndarray) -> np.ndarray:
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
    for weights in _drawn(len(a), samples, rng):
        parts.append(_f1(_sums(weights, a)) - _f1(_sums(weights, b)))
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
        parts.append(_f1((centre + turned) / 2) - _f1((centre - turned) / 2))
        tell(len(signs))
    return np.concatenate(parts)


def _batches(n: int, samples: int) -> Iterator[int]:
    """How many samples of n sentences to draw at a time."""
    size = max(1, _CELLS // max(n, 1))
    while samples > 0:
        yield min(size, samples)
        samples -= size


def _drawn(n: int, samples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """How often each of n sentences is drawn, a row per sample."""
    for size in _batches(n, samples):
        drawn = rng.integers(0, n, size=(size, n)) + n * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def _signs(n: int, samples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """+1 where the systems stay, -1 where they are exchanged, a row per sample."""
    for size in _batches(n, samples):
        yield 2.0 * rng.integers(0, 2, size=(size, n)) - 1.0
