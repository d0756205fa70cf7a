"""The best tree is the best of all trees, by trying all; and the kernel gives the same compiled and interpreted."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trees import interpreted
from treegauge.models.choice import best_arcs, spanning_kernel
from treegauge.models.choice.best_arcs import best_columns

NO = -np.inf


def best_tree(scores: np.ndarray) -> np.ndarray:
    """The heads of one sentence, from scores[head, word - 1], a row for the root first; -1 where there is no tree."""
    heads, words = scores.shape
    of = np.tile(np.arange(heads, dtype=np.int32), (words, 1))
    return best_columns(of, scores.T, np.array([0, words]))


def is_tree(heads):
    """Whether these heads, of words from 1, make a tree with one root."""
    if heads.count(0) != 1:
        return False
    for d in range(1, len(heads) + 1):
        seen = set()
        while d:
            if d in seen:
                return False
            seen.add(d)
            d = heads[d - 1]
    return True


TREES = {n: np.array([heads for heads in product(range(n + 1), repeat=n) if is_tree(list(heads))]) for n in range(1, 6)}


def best_sum(scores):
    """The largest sum of any tree, by trying all."""
    n = scores.shape[1]
    return scores[TREES[n], np.arange(n)].sum(axis=1).max()


def sum_of(scores, heads):
    return sum(scores[h, d] for d, h in enumerate(heads))


@st.composite
def scored_arcs(draw, numbers, most=5):
    """Scores by head and word; words are not their own heads, whatever their score."""
    n = draw(st.integers(1, most))
    return np.array(draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=n + 1, max_size=n + 1)), float)


few = st.sampled_from([NO, 0, 1, 2])
whole = st.one_of(st.integers(-30, 30), st.just(NO))
real = st.floats(-700, 700)


@settings(max_examples=400, deadline=None)
@given(st.one_of(scored_arcs(few), scored_arcs(whole), scored_arcs(real)))
def test_the_best_tree_is_the_best_of_all(scores):
    heads = best_tree(scores).tolist()
    best = best_sum(scores)
    if best == NO:
        assert set(heads) == {-1}
    else:
        assert is_tree(heads)
        assert sum_of(scores, heads) == pytest.approx(best, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("n", [6, 7])
def test_the_best_tree_of_six_and_seven_words(n):
    """By dynamic programming over all sets of words: what a head and the words below it are worth at best."""
    rng = np.random.default_rng(n)
    for _ in range(15):
        scores = np.round(rng.normal(size=(n + 1, n)) * 4)
        scores[rng.random(scores.shape) < 0.2] = NO
        best = best_of_all_sets(scores)
        heads = best_tree(scores).tolist()
        assert (set(heads) == {-1}) if best == NO else (is_tree(heads) and sum_of(scores, heads) == best)


def best_of_all_sets(scores):
    n = scores.shape[1]
    under = {}  # (head, set of all words below it) -> largest sum
    for below in range(1 << n):
        first = below & -below
        for h in range(1, n + 1):
            if below >> (h - 1) & 1:
                continue
            best = NO if below else 0.0
            part = below
            while part:  # the part with the first word is what hangs from one dependent
                if part & first:
                    rest = under[h, below ^ part]
                    for d in range(1, n + 1):
                        if part >> (d - 1) & 1:
                            best = max(best, scores[h, d - 1] + under[d, part ^ 1 << (d - 1)] + rest)
                part = (part - 1) & below
            under[h, below] = best
    everything = (1 << n) - 1
    return max(scores[0, d - 1] + under[d, everything ^ 1 << (d - 1)] for d in range(1, n + 1))


def test_one_root_even_where_two_are_worth_much_more():
    scores = np.array([[1e15, 1e15 - 1, 0], [0, 0.25, 0.125], [0.5, 0, 0.0625]])[:, :2]
    assert best_tree(scores).tolist() == [0, 1]
    scores = np.array([[1e15, 1e15], [0, 0.25], [0.5, 0]])
    assert best_tree(scores).tolist() == [2, 0]


def test_cycles_inside_cycles_are_opened():
    scores = np.full((5, 4), NO)
    scores[2, 0] = scores[1, 1] = 10  # 1 and 2 have each other
    scores[3, 1] = scores[1, 2] = 9  # and 3 has them
    scores[4, 2] = scores[3, 3] = 8
    scores[0] = [0, 0, 0, 1]
    assert best_tree(scores).tolist() == [2, 3, 4, 0]


def test_no_tree():
    assert best_tree(np.array([[NO]])).tolist() == [-1]
    assert best_tree(np.array([[NO, NO], [NO, 1], [1, NO]])).tolist() == [-1, -1]  # only a cycle
    assert best_tree(np.array([[1, 1], [NO, NO], [NO, NO]])).tolist() == [-1, -1]  # only two roots
    assert best_tree(np.array([[np.nan, 1], [1, np.nan], [np.nan, 1]])).tolist() == [-1, -1]
    assert best_tree(np.empty((1, 0))).tolist() == []


def test_sentences_and_parallel_arcs():
    head = np.array([[0, 0, 9], [2, 0, -1], [0, 1, 1]])
    score = np.array([[1, 2, 50], [NO, 1, 50], [0, NO, NO]])
    assert best_columns(head, score, np.array([0, 1, 3])).tolist() == [1, -1, -1]
    score[2, 2] = 1.0
    assert best_columns(head, score, np.array([0, 1, 1, 3])).tolist() == [1, 1, 2]
    assert best_columns(head[:0], score[:0], np.array([0])).tolist() == []


def test_the_kernel_is_compiled():
    assert not spanning_kernel.__file__.endswith(".py"), "not compiled: python setup.py build_ext --inplace"


def test_interpreted_as_compiled(monkeypatch):
    rng = np.random.default_rng(5)
    lengths = rng.integers(1, 40, size=30)
    start = np.concatenate([[0], np.cumsum(lengths)])
    head = np.concatenate([rng.integers(-1, n + 2, size=(n, 9)) for n in lengths])
    score = np.round(rng.normal(size=head.shape) * 3) / 4
    compiled = best_columns(head, score, start)
    assert (compiled >= 0).mean() > 0.8
    monkeypatch.setattr(best_arcs, "SpanningTrees", interpreted("models.choice.spanning_kernel").SpanningTrees)
    assert best_columns(head, score, start).tolist() == compiled.tolist()
