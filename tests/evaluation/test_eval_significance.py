"""Significance tests against the distributions they sample, written out in full."""

from itertools import product

import numpy as np
import pytest

from tests.evaluation.eval_cases import ours, sentence
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.versus import compare


def treebank(rights):
    """One sentence for each number: three words, so many of whose arcs are right (the root's always)."""
    text = ""
    for right in rights:
        second = ("b", 1, "obj") if right > 1 else ("b", 1, "nmod")
        third = ("c", 1, "obj") if right > 2 else ("c", 1, "nmod")
        text += sentence(("a", 0, "root"), second, third)
    return text


GOLD, A, B = treebank([3] * 6), treebank([3, 3, 2, 3, 3, 1]), treebank([2, 1, 2, 3, 1, 2])


def test_randomisation_is_near_the_share_of_all_exchanges():
    a, b = np.array([3, 3, 2, 3, 3, 1]), np.array([2, 1, 2, 3, 1, 2])
    observed = abs(a.sum() - b.sum())
    every = [abs((np.array(signs) * (a - b)).sum()) for signs in product([1, -1], repeat=6)]
    exact = np.mean(np.array(every) >= observed)
    (found,) = compare(ours(GOLD, A), ours(GOLD, B), ["LAS"], samples=20000)
    assert found.p_randomisation == pytest.approx(exact, abs=0.01)


def test_bootstrap_is_near_the_shares_of_all_samples():
    differences = (np.array([3, 3, 2, 3, 3, 1]) - np.array([2, 1, 2, 3, 1, 2])) / 18
    every = np.array([sum(drawn) for drawn in product(differences, repeat=6)])
    observed = differences.sum()
    (found,) = compare(ours(GOLD, A), ours(GOLD, B), ["LAS"], samples=20000)
    exact = np.mean(np.abs(every - observed) >= observed - 1e-12)
    assert found.p_bootstrap == pytest.approx(exact, abs=0.01)
    low, high = np.quantile(every, [0.025, 0.975])
    assert (found.low, found.high) == (pytest.approx(low, abs=0.06), pytest.approx(high, abs=0.06))
    assert found.difference == pytest.approx(observed)


def test_a_system_does_not_differ_from_itself():
    for found in compare(ours(GOLD, A), ours(GOLD, A), samples=50):
        assert (found.difference, found.low, found.high) == (0, 0, 0)
        assert (found.p_bootstrap, found.p_randomisation) == (1, 1)


def test_the_seed_decides():
    a, b = ours(GOLD, A), ours(GOLD, B)
    assert compare(a, b, samples=300, seed=7) == compare(a, b, samples=300, seed=7)
    assert compare(a, b, samples=300, seed=7) != compare(a, b, samples=300, seed=8)


def test_turning_the_systems_round_turns_the_sign():
    a, b = ours(GOLD, A), ours(GOLD, B)
    there, back = compare(a, b, ["LAS"], samples=300)[0], compare(b, a, ["LAS"], samples=300)[0]
    assert there.difference == -back.difference
    assert (there.p_bootstrap, there.p_randomisation) == (back.p_bootstrap, back.p_randomisation)


def test_exclusions_are_compared_too():
    a, b = (ours(GOLD, text, exclude=[["nmod"]]) for text in (A, B))
    found = compare(a, b, samples=50)
    assert [d.metric for d in found] == ["UAS", "LAS", "CLAS", "MLAS", "BLEX", "LAS without nmod"]
    table = found.table()
    assert table.signature.startswith("eval|subtypes:no|samples:50|seed:1|v")
    assert table.to_polars().shape == (6, 8)


def test_systems_on_other_gold_and_no_samples_are_errors():
    with pytest.raises(OptionError, match="same gold"):
        compare(ours(GOLD, A), ours(treebank([3]), treebank([2])))
    with pytest.raises(OptionError, match="samples 0"):
        compare(ours(GOLD, A), ours(GOLD, B), samples=0)
    with pytest.raises(OptionError, match="metric 'LSA'; expected one of Tokens"):
        compare(ours(GOLD, A), ours(GOLD, B), ["LSA"])
