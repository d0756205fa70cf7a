"""Sentences: correlations of score, length and LAS; partial ones by regression of ranks."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

import treegauge as tg
from treegauge.cli import cli
from treegauge.corpus.relations import universal
from treegauge.difficulty.sentences import LAS, LENGTH, SCORE, SentenceDifficulty, difficulty_sentences
from treegauge.errors import OptionError

DATA = Path(__file__).parents[1] / "data"
GOLD, SYSTEM = str(DATA / "difficulty_gold.conllu"), str(DATA / "difficulty_system.conllu")
DEMO = str(Path(tg.__file__).parent / "demo" / "demo.conllu")


def residuals(values: np.ndarray, constant: np.ndarray) -> np.ndarray:
    """What a straight line over the ranks of `constant` leaves of the ranks of `values`."""
    x = np.column_stack([np.ones(len(constant)), rankdata(constant)])
    y = rankdata(values)
    return np.asarray(y - x @ np.linalg.lstsq(x, y, rcond=None)[0])


@given(st.integers(0, 10_000))
def test_partial_correlations_are_those_of_residuals(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = {SCORE: rng.normal(size=12), LENGTH: rng.integers(1, 9, 12).astype(float), LAS: rng.random(12)}
    rho = SentenceDifficulty("x", values, "", 0, 0).correlations()
    assert rho[SCORE, LENGTH, ""] == pytest.approx(spearmanr(values[SCORE], values[LENGTH]).statistic)
    for x, z in ((SCORE, LENGTH), (LENGTH, SCORE)):
        left = residuals(values[x], values[z]), residuals(values[LAS], values[z])
        assert rho[x, LAS, z] == pytest.approx(np.corrcoef(*left)[0, 1])


def test_las_is_the_share_of_right_arcs_of_a_sentence() -> None:
    result = difficulty_sentences(GOLD, SYSTEM, "en", samples=0)
    gold, system = tg.read_conllu(GOLD), tg.read_conllu(SYSTEM)
    relations = [
        np.array([universal(side.value("deprel", row)) for row in range(side.n_words)]) for side in (gold, system)
    ]
    right = (gold.head == system.head) & (relations[0] == relations[1])
    by_hand = [right[start:end].mean() for start, end in pairwise(gold.start.tolist())]
    assert result.values[LAS] == pytest.approx(np.array(by_hand))


def test_without_gold_there_is_no_las() -> None:
    (row,) = difficulty_sentences(None, DEMO, "en", samples=20).table().records()
    assert (row["first"], row["second"], row["constant"], row["sentences"]) == (SCORE, LENGTH, None, 13)
    assert row["low"] <= row["rho"] <= row["high"]
    with pytest.raises(OptionError, match="no gold and no system"):
        difficulty_sentences(None, None, "en")


def test_the_command_and_the_las_of_ranked_sentences() -> None:
    done = CliRunner().invoke(cli, ["difficulty", "sentences", GOLD, SYSTEM, "--model", "en", "-f", "tsv"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[1].split("\t") == ["first", "second", "constant", "rho", "low", "high", "sentences"]
    ranked = ["rank", SYSTEM, "--model", "en", "--unit", "sentence", "--gold", GOLD, "-f", "tsv"]
    lines = [line.split("\t") for line in CliRunner().invoke(cli, ranked).stdout.splitlines()]
    assert lines[0][-1] == "las"
    assert all(0 <= float(line[-1]) <= 1 for line in lines[1:])
