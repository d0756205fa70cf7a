"""Spearman's ρ and its p-value against SciPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from treegauge.statistics import spearman


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=40))
def test_small_samples_with_ties(pairs: list[tuple[int, int]]) -> None:
    first, second = [x for x, _ in pairs], [y for _, y in pairs]
    if len(set(first)) > 1 and len(set(second)) > 1:
        compare(first, second)


@pytest.mark.parametrize("n", [3, 4, 10, 100, 3000])
@pytest.mark.parametrize("noise", [0.01, 1.0, 30.0])
def test_samples_of_all_sizes(n: int, noise: float) -> None:
    rng = np.random.default_rng(n)
    first = rng.normal(size=n)
    compare(first.tolist(), (first + noise * rng.normal(size=n)).tolist())


def test_the_same_order_and_the_reverse() -> None:
    assert spearman([1, 2, 3], [10, 20, 30]) == (1.0, 0.0)
    assert spearman([1, 2, 3], [3, 2, 1]) == (-1.0, 0.0)


def compare(first: list[float] | list[int], second: list[float] | list[int]) -> None:
    expected = spearmanr(first, second)
    rho, p = spearman(first, second)
    assert rho == pytest.approx(expected.statistic, abs=1e-12)
    assert p == pytest.approx(expected.pvalue, rel=1e-8, abs=1e-12)
