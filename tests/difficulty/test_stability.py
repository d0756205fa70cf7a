"""Small treebanks judged by themselves."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treegauge as tg
from treegauge.difficulty.stability import FoldRun, judged_in_folds, stability, tenths_agree
from treegauge.errors import OptionError
from treegauge.models.lisca.counts import count_arcs
from treegauge.models.lisca.reference import CountSettings
from treegauge.models.lisca.score import Lisca

pytest.importorskip("scipy")
DEMO = Path(tg.__file__).parent / "demo" / "demo.conllu"


def tau_b(x: list[float], y: list[float]) -> float:
    """By the definition, pair by pair."""
    pairs = list(combinations(range(len(x)), 2))
    signs = [(np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i, j in pairs]
    top = sum(a * b for a, b in signs)
    return float(top / np.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs)))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=20, max_size=40))
def test_tau_is_over_the_suspicious_tenth_of_either(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array(side, float) for side in zip(*pairs, strict=True))
    one, other = FoldRun(5, 0, x), FoldRun(5, 1, y)
    size = round(len(x) / 10)
    tenths = [sorted(range(len(v)), key=lambda k, v=v: (v[k], k))[:size] for v in (x, y)]
    assert [run.suspicious.tolist() for run in (one, other)] == tenths
    either = sorted({*tenths[0], *tenths[1]})
    tau, shared = tenths_agree(one, other)
    assert shared == len(set(tenths[0]) & set(tenths[1])) / size
    chosen = x[either].tolist(), y[either].tolist()
    if min(len(set(side)) for side in chosen) > 1:
        assert tau == pytest.approx(tau_b(*chosen))
    else:
        assert np.isnan(tau)


def test_each_sentence_is_judged_by_the_other_folds() -> None:
    corpus = tg.read_conllu(DEMO)
    run = judged_in_folds(corpus, corpus.n_sentences, 7, "lisca")  # as many folds as sentences: by all others
    for s in range(corpus.n_sentences):
        rest = corpus.select(np.delete(np.arange(corpus.n_sentences), s))
        expected = Lisca(count_arcs(rest, CountSettings(), "rest")).scores(corpus.select([s]))
        assert run.scores[corpus.start[s] : corpus.start[s + 1]].tolist() == pytest.approx(expected.tolist())


def test_runs_tables_and_what_is_steady() -> None:
    found = stability(DEMO, folds=(3, 5), seeds=2, scorer="lisca")
    rows = {(row["folds"], row["differs"]): row for row in found.table().records()}
    assert set(rows) == {("3", "seed"), ("5", "seed"), ("3 and 5", "folds")}
    assert rows["3 and 5", "folds"]["pairs"] == 2
    every = set.intersection(*(set(run.suspicious.tolist()) for run in found.runs))
    assert set(found.steady().tolist()) == every
    unlike = found.unlike_table().records()
    assert len(unlike) == found.corpus.n_sentences
    assert [row["score"] for row in unlike] == sorted(row["score"] for row in unlike)
    again = stability(DEMO, folds=(3, 5), seeds=2, scorer="lisca")
    assert again.table().rows == found.table().rows


def test_the_same_judgement_twice_agrees_wholly() -> None:
    run = judged_in_folds(tg.read_conllu(DEMO), 4, 1)
    assert tenths_agree(run, run) == (pytest.approx(1.0), 1.0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"folds": (1, 5)}, "expected 2.."),
        ({"folds": (5,), "seeds": 1}, "two different runs"),
        ({"folds": (5, 5)}, "two different runs"),
        ({"scorer": "length"}, "one of choice, lisca"),
    ],
)
def test_wrong_options(options: dict, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        stability(DEMO, **options)
