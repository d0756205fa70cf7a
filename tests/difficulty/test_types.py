"""Relation types: measures by definition, ranks, and correlations against SciPy 1.17.1."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from treegauge.corpus.conllu import read_conllu
from treegauge.difficulty.languages import read_languages
from treegauge.difficulty.types import (
    TYPE_LISTS,
    Types,
    TypeScore,
    correlations,
    difficulty_types,
    mean_score,
    named_types,
    shared_types,
)
from treegauge.errors import OptionError
from treegauge.ranking.scored import score
from treegauge.scorers.registry import scorer


@pytest.fixture(scope="module")
def toy() -> Types:
    data = Path(__file__).parents[1] / "data"
    gold, system = (read_conllu(data / f"difficulty_{side}.conllu") for side in ("gold", "system"))
    return difficulty_types(gold, system, "en", name="toy")


def of(types: Types, relation: str) -> TypeScore:
    return next(score for score in types.scores if score.relation == relation)


def test_the_f_score_of_a_type(toy: Types) -> None:
    # advmod: gold has loudly, There, very; the system has loudly, very, of which loudly is right: 2·1/(3+2)
    assert of(toy, "advmod").f_score == pytest.approx(2 / 5)
    assert of(toy, "nsubj").f_score == 1.0  # nsubj:outer is nsubj
    assert (of(toy, "nmod").n_gold, of(toy, "nmod").n_system) == (2, 1)
    assert of(toy, "nmod").f_score == pytest.approx(2 / 3)


def test_length_is_that_of_gold(toy: Types) -> None:
    assert of(toy, "nsubj").length == pytest.approx((1 + 3 + 3) / 3)
    assert of(toy, "case").length == 1.0


def test_a_type_that_one_side_lacks_has_no_value_there(toy: Types) -> None:
    obl = of(toy, "obl")  # only in the system
    assert (obl.n_gold, obl.n_system, obl.f_score) == (0, 1, 0.0)
    assert obl.length is None
    assert obl.lisca_gold is None
    assert obl.lisca_parsed is not None
    k = [score.relation for score in toy.scores].index("obl")
    assert toy.ranks["lisca_gold"][k] is None
    assert "root" not in [score.relation for score in toy.scores]


def test_mean_lisca_is_the_mean_of_the_products(toy: Types) -> None:
    data = Path(__file__).parents[1] / "data"
    gold = read_conllu(data / "difficulty_gold.conllu")
    scores = score(gold, scorer("lisca", "en")).scores
    products = [math.exp(scores[row]) for row in (0, 4, 13)]  # Dogs, Cats, king
    assert of(toy, "nsubj").lisca_gold == pytest.approx(math.log(sum(products) / 3))


@given(st.lists(st.floats(-700, 5), min_size=1, max_size=8))
def test_the_mean_of_products_and_of_logarithms(logs: list[float]) -> None:
    array = np.array(logs)
    mean = math.fsum(math.exp(value) for value in logs) / len(logs)
    assert mean_score(array) == pytest.approx(math.log(mean), rel=1e-9, abs=1e-9)
    assert mean_score(array, mean_log=True) == pytest.approx(sum(logs) / len(logs))


def test_means_of_nothing_and_of_zeros() -> None:
    assert mean_score(np.zeros(0)) is None
    assert mean_score(np.array([-np.inf, -np.inf])) == -math.inf
    assert mean_score(np.array([-np.inf, 0.0])) == pytest.approx(math.log(0.5))
    assert mean_score(np.array([-2000.0, -2000.0])) == pytest.approx(-2000)  # exp(−2000) is 0 in floating point


def made(values: list[tuple[float | None, float | None, float | None, float | None]]) -> Types:
    return Types("t", tuple(TypeScore(f"r{k}", 1, 1, *row) for k, row in enumerate(values)), "s")


def test_ranks_go_from_easy_to_hard_and_ties_share_the_better_one() -> None:
    types = made([(0.9, 1.0, -3.0, None), (0.5, 4.0, -3.0, -9.0), (0.7, 2.0, -math.inf, -8.0)])
    assert types.ranks["f_score"] == [1, 3, 2]
    assert types.ranks["length"] == [1, 3, 2]
    assert types.ranks["lisca_gold"] == [1, 1, 3]
    assert types.ranks["lisca_parsed"] == [None, 2, 1]
    assert [row[0] for row in types.table().rows] == ["r0", "r2", "r1"]
    assert types.table().rows[1][5] is None  # −inf is no number, but has its rank


@given(st.lists(st.tuples(*[st.integers(0, 4).map(float)] * 4), min_size=4, max_size=12))
def test_correlations_are_those_of_scipy(values: list[tuple[float, float, float, float]]) -> None:
    types = made(list(values))
    found = correlations(types)
    f_score, length = [v[0] for v in values], [v[1] for v in values]
    if len(set(f_score)) == 1 or len(set(length)) == 1:
        assert found.rho["length", "f_score"] is None
        return
    expected = spearmanr([-v for v in f_score], length)  # easy first, in both
    assert found.rho["length", "f_score"] == pytest.approx(expected.statistic)
    assert found.p["length", "f_score"] == pytest.approx(expected.pvalue)


def test_correlations_are_over_types_that_have_both() -> None:
    types = made([(0.9, 1.0, -1.0, None), (0.5, 4.0, -2.0, -9.0), (0.7, 2.0, -3.0, -8.0), (0.2, None, -4.0, -9.5)])
    found = correlations(types)
    assert found.rho["length", "f_score"] == pytest.approx(1.0)
    assert found.rho["lisca_parsed", "length"] is None


def test_types_that_languages_share(toy: Types) -> None:
    other = made([(0.9, 1.0, -3.0, -3.0)])
    assert shared_types([toy, other]) == []
    assert shared_types([toy]) == ["advmod", "case", "det", "nmod", "nsubj", "punct"]  # not expl, obl: not in gold
    kept = toy.restricted(["nsubj", "vocative"])
    assert [(s.relation, s.n_gold) for s in kept.scores] == [("nsubj", 3), ("vocative", 0)]
    assert kept.ranks["f_score"] == [1, None]


def test_lists_of_types() -> None:
    assert len(TYPE_LISTS["2020"]) == len(set(TYPE_LISTS["2020"])) == 24
    assert named_types("2020") == TYPE_LISTS["2020"]
    assert named_types("nsubj, obj") == ("nsubj", "obj")
    with pytest.raises(OptionError, match="2020"):
        named_types(",")


def test_languages_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "languages.toml"
    file.write_text('[es]\ngold = "g"\nsystem = "s"\nmodel = "es"\n')
    (language,) = read_languages(str(file))
    assert (language.name, language.gold, language.model) == ("es", str(tmp_path / "g"), "es")
    file.write_text('[es]\ngold = "g"\n')
    with pytest.raises(OptionError, match=r"\[es\] has gold; expected model, and gold, system or both"):
        read_languages(str(file))
    file.write_text('[es]\ngold = "-"\nsystem = "s"\nmodel = "es"\n')
    assert [(each.gold, each.system) for each in read_languages(str(file))] == [(None, str(tmp_path / "s"))]
    file.write_text("[es")
    with pytest.raises(OptionError, match=r"languages\.toml"):
        read_languages(str(file))
