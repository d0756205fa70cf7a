"""Types without gold or without a system; intervals of ranks and of ρ; how alike two languages rank types."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import treegauge as tg
from treegauge.cli import cli
from treegauge.difficulty.type_intervals import (
    LanguageAgreement,
    measure_correlation,
    rank_correlation,
    ranks_of,
    type_intervals,
)
from treegauge.difficulty.types import MEASURES, Types, check_types, difficulty_types, named_types
from treegauge.errors import OptionError
from treegauge.statistics import mean_ranks, spearman

DATA = Path(__file__).parents[1] / "data"
GOLD, SYSTEM = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"


@pytest.fixture(scope="module")
def both() -> Types:
    return difficulty_types(GOLD, SYSTEM, tg.scorer("lisca", "en"))


def test_without_gold_or_system_the_other_measures_are_the_same(both: Types) -> None:
    alone = {
        side: difficulty_types(*files, tg.scorer("lisca", "en"))
        for side, files in {"gold": (GOLD, None), "parsed": (None, SYSTEM)}.items()
    }
    for side, types in alone.items():
        assert types.measures == ["length", f"lisca_{side}"]
        known = {score.relation: score for score in both.scores}
        for score in types.scores:
            assert score.f_score is None
            assert getattr(score, f"lisca_{side}") == pytest.approx(getattr(known[score.relation], f"lisca_{side}"))
    with pytest.raises(OptionError, match="no gold and no system"):
        difficulty_types(None, None, "en")


def test_rare_types_are_left_out(both: Types) -> None:
    kept = both.frequent(2)
    assert 0 < len(kept.scores) < len(both.scores)
    assert all(score.n_gold >= 2 and score.n_system >= 2 for score in kept.scores)
    assert kept.sums is not None
    assert kept.sums.values.shape[1] == len(kept.scores)


def test_drawing_every_sentence_once_gives_the_measures(both: Types) -> None:
    assert both.sums is not None
    measured = both.sums.measured(both.sums.values.sum(axis=0))
    for name in MEASURES:
        expected = [np.nan if getattr(score, name) is None else getattr(score, name) for score in both.scores]
        assert measured[name] == pytest.approx(expected, nan_ok=True)


def test_ranks_and_correlations_are_those_by_definition() -> None:
    rng = np.random.default_rng(1)
    values, others = rng.integers(0, 5, (20, 9)).astype(float), rng.normal(size=(20, 9))
    for row, other in zip(values, others, strict=True):
        assert ranks_of(row, False) == pytest.approx(mean_ranks(row) + 1)
        expected = spearman(row.tolist(), other.tolist())[0]
        assert rank_correlation(ranks_of(row, True), ranks_of(other, True)) == pytest.approx(expected)
    values[0, 3] = np.nan
    assert np.isnan(ranks_of(values[0], True)[3])


def test_intervals_hold_the_value_and_grow_with_few_sentences(both: Types) -> None:
    intervals = type_intervals(both, 200, 7)
    assert type_intervals(both, 200, 7).table() == intervals.table()
    for row in intervals.rho_table().records():
        assert row["low"] is None or row["low"] <= row["high"]
    with pytest.raises(OptionError, match="only measures are known"):
        type_intervals(Types("x", both.scores, "s"))


def test_a_language_is_like_itself(both: Types) -> None:
    alike = LanguageAgreement((both, both), (type_intervals(both, 50), type_intervals(both, 50)))
    assert {row["rho"] for row in alike.table().records()} == {1.0}
    assert measure_correlation(both, both, "length", "f_score")[0] == pytest.approx(
        spearman(
            *zip(*((-s.length, s.f_score) for s in both.scores if s.length and s.f_score is not None), strict=True)
        )[0]
    )


def test_lists_and_names_of_types(both: Types) -> None:
    assert named_types("2020,vocative")[-1] == "vocative"
    assert len(named_types("2020,nsubj")) == 24
    assert check_types(["nsubj", "dislocated"], [both]) == ["dislocated"]
    with pytest.raises(OptionError, match="'nsbj' is no relation of UD, and no language has it; did you mean nsubj"):
        check_types(["nsbj"], [both])


def test_the_command_takes_a_dash_for_what_is_missing(tmp_path: Path) -> None:
    files = ["--language", "A", str(GOLD), "-", "en", "--language", "B", "-", str(SYSTEM), "en"]
    picture = tmp_path / "alike.svg"
    result = CliRunner().invoke(
        cli, ["difficulty", "types", *files, "--samples", "20", "--figure-languages", str(picture)]
    )
    assert result.exception is None, result.exception
    assert "Spearman's ρ of the rankings of types in two languages" in result.stdout
    assert picture.stat().st_size > 1000
    unseen = CliRunner().invoke(cli, ["difficulty", "types", str(GOLD), str(SYSTEM), "-m", "en", "--smoothing", "none"])
    assert unseen.exception is None
