"""Bins, accuracy over them, and distributions, by definition."""

import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from tests.trees import corpora
from treegauge.cli import cli
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.difficulty.bins import BinnedRanking, Bins, difficulty_bins
from treegauge.difficulty.distributions import Distribution, distribution
from treegauge.difficulty.properties import PROPERTIES, arc_values
from treegauge.errors import OptionError
from treegauge.reports.figures import Panel, class_heat_map, line_figure, stack_figure
from treegauge.scorers.registry import scorer
from treegauge.scorers.scorer import Scorer

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def lisca() -> Scorer:
    return scorer("lisca", "en")


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return read_conllu(DATA / "difficulty_gold.conllu")


@pytest.fixture(scope="module")
def system() -> Corpus:
    return read_conllu(DATA / "difficulty_system.conllu")


def named(found: Bins) -> dict[str, BinnedRanking]:
    return {ranking.name: ranking for ranking in found.rankings}


def test_each_ranking_is_of_its_own_side(lisca: Scorer, gold: Corpus, system: Corpus) -> None:
    found = named(difficulty_bins(gold, system, lisca, relations=["nmod"]))
    assert [found["lisca_parsed"].corpus, found["lisca_gold"].corpus] == [system, gold]
    assert found["lisca_parsed"].ranking.row.tolist() == [15]  # them; kings is obl there
    assert sorted(found["lisca_gold"].ranking.row.tolist()) == [6, 15]
    assert found["lisca_gold"].right is not None
    right = dict(zip(found["lisca_gold"].ranking.row.tolist(), found["lisca_gold"].right.tolist(), strict=True))
    assert right == {6: False, 15: True}


def test_by_length_the_shortest_come_first_in_corpus_order(lisca: Scorer, gold: Corpus, system: Corpus) -> None:
    ranking = named(difficulty_bins(gold, system, lisca))["length"]
    length = np.abs(gold.position - gold.head)
    rows = [row for row in range(gold.n_words) if gold.head[row] > 0]
    assert ranking.ranking.row.tolist() == sorted(rows, key=lambda row: (length[row], row))
    assert ranking.ranking.bin.tolist() == [i * 10 // 14 + 1 for i in range(14)]


def test_fewer_arcs_than_bins_leave_bins_empty(lisca: Scorer, gold: Corpus, system: Corpus) -> None:
    found = difficulty_bins(gold, system, lisca, relations=["nsubj"])
    ranking = named(found)["lisca_gold"]
    assert ranking.ranking.bin.tolist() == [1, 4, 7]  # ⌊i·10/3⌋ + 1
    assert [value is None for value in ranking.accuracy] == [k not in (1, 4, 7) for k in range(1, 11)]
    rows = [row for row in found.table().rows if row[0] == "lisca_gold"]
    assert rows[1] == ("lisca_gold", 2, 0, 0, None, None, None)
    assert ranking.trend == (None, None)  # all are right: no accuracy to fall


def test_a_relation_missing_on_one_side_has_an_empty_ranking(lisca: Scorer, gold: Corpus, system: Corpus) -> None:
    found = named(difficulty_bins(gold, system, lisca, relations=["obl"]))
    assert [len(found[name].ranking.row) for name in ("lisca_parsed", "lisca_gold", "length")] == [1, 0, 0]
    assert found["lisca_gold"].accuracy == [None] * 10
    with pytest.raises(OptionError, match="no arc has relation vocative"):
        difficulty_bins(gold, system, lisca, relations=["vocative"])


def test_without_one_side_there_is_no_accuracy(lisca: Scorer, gold: Corpus, system: Corpus) -> None:
    of_gold = difficulty_bins(gold, None, lisca)
    assert [(r.name, r.right) for r in of_gold.rankings] == [("lisca_gold", None), ("length", None)]
    assert list(named(difficulty_bins(None, system, lisca))) == ["lisca_parsed"]
    (table,) = of_gold.tables()  # no trend
    assert table.rows[0][3:5] == (None, None)
    with pytest.raises(OptionError, match="neither gold"):
        difficulty_bins(None, None, lisca)


def test_root_arcs_can_be_left_out(lisca: Scorer, gold: Corpus, system: Corpus) -> None:
    found = difficulty_bins(gold, system, lisca, root_arcs=False)
    assert [len(ranking.ranking) for ranking in found.rankings] == [14, 14, 14]


def test_the_trend_is_spearmans(lisca: Scorer, gold: Corpus, system: Corpus) -> None:
    ranking = named(difficulty_bins(gold, system, lisca, bins=4))["lisca_gold"]
    accuracy = ranking.accuracy
    expected = spearmanr(range(4), accuracy)
    assert ranking.trend == pytest.approx((expected.statistic, expected.pvalue))


@given(corpora(), st.sampled_from(PROPERTIES), st.integers(1, 12))
def test_distributions_add_up(tmp_path_factory: pytest.TempPathFactory, text: str, name: str, bins: int) -> None:
    file = tmp_path_factory.mktemp("d") / "c.conllu"
    file.write_text(text, encoding="utf-8")
    corpus = read_conllu(file)
    (ranking, _) = difficulty_bins(corpus, None, "en", bins=bins).rankings
    found = distribution(ranking, name, most=3)
    assert found.counts[:, -1].sum() == corpus.n_words
    sizes = [int((ranking.ranking.bin == k).sum()) for k in range(1, bins + 1)]
    assert found.counts[:, :-1].sum(axis=0).tolist() == sizes
    for k, size in enumerate(sizes):
        column = [row[k] for row in found.shares]
        assert column == [None] * len(column) if size == 0 else math.isclose(sum(filter(None, column)), 1)
    assert found.counts[:, -1].min() > 0
    assert len(set(found.classes)) == len(found.classes)


def test_properties_by_hand(gold: Corpus) -> None:
    """Sentence three: There came a very king of them ."""
    rows = slice(9, 17)

    def of(name: str) -> list[object]:
        found = arc_values(gold, name)
        values = found.values[rows].tolist()
        return values if found.labels is None else [found.labels[value] for value in values]

    assert of("length") == [1, 0, 2, 1, 3, 1, 2, 6]
    assert of("signed_length") == [1, 0, 2, 1, -3, 1, -2, -6]
    right, left = "head-after", "head-before"
    assert of("direction") == [right, "root", right, right, left, right, left, left]
    assert of("children") == [0, 3, 0, 0, 3, 0, 1, 0]
    assert of("depth") == [1, 0, 2, 2, 1, 3, 2, 1]
    assert of("left_children") == [0, 1, 0, 0, 2, 0, 1, 0]
    assert of("relation")[4] == "nsubj"
    assert of("upos")[6] == "PRON"
    assert of("sentence_length") == [8] * 8
    assert of("siblings") == [2, 0, 2, 2, 2, 0, 2, 2]
    assert of("paths")[4] == "2,3"  # root word → king: 1 arc; king → a: 1 more; king → them → of: 2 more
    with pytest.raises(OptionError, match="expected one of length"):
        arc_values(gold, "colour")


def test_large_numbers_are_one_class(lisca: Scorer, gold: Corpus) -> None:
    (ranking, _) = difficulty_bins(gold, None, lisca).rankings
    found = distribution(ranking, "signed_length", most=2)
    assert found.classes == ("<-2", "-2", "-1", "0", "1", "2", ">2")
    assert found.columns == [*map(str, range(1, 11)), "TOT"]
    shares, counts = found.tables()
    assert dict(zip(found.classes, [row[-1] for row in counts.rows], strict=True)) == {
        "<-2": 2,  # king 5 → 2; the full stop of the same sentence 8 → 2
        "-2": 3,  # . → bark, kings → Cats, them → king
        "-1": 2,  # loudly → bark, . → sleep
        "0": 3,
        "1": 5,
        "2": 1,
        ">2": 1,
    }
    assert shares.rows[0][-1] == pytest.approx(2 / 17)


@pytest.mark.data
def test_accuracy_falls_over_the_bins(evaluation_data: Path) -> None:
    """On Italian: as in 2020, Figure 4."""
    from treegauge import build_model

    folder = evaluation_data / "pairs" / "it_mix"
    lisca = scorer("lisca", build_model(folder / "reference.parsed.conllu.xz", choice=False))
    gold, system = (read_conllu(folder / f"test.{side}.conllu") for side in ("gold", "system"))
    found = named(difficulty_bins(gold, system, lisca))
    for name in ("lisca_parsed", "lisca_gold"):
        accuracy, (rho, _) = found[name].accuracy, found[name].trend
        assert rho is not None
        assert rho <= -0.9
        assert accuracy[0] is not None
        assert accuracy[-1] is not None
        assert accuracy[0] - accuracy[-1] > 0.4


def test_rankings_can_be_chosen_and_many_classes_are_a_heat_map(tmp_path: Path) -> None:
    data = Path(__file__).parents[1] / "data"
    gold, system = str(data / "difficulty_gold.conllu"), str(data / "difficulty_system.conllu")
    command = ["difficulty", "bins", gold, system, "-m", "en", "--bins", "3"]
    picture = tmp_path / "bins.svg"
    chosen = CliRunner().invoke(cli, [*command, "--ranking", "gold", "--ranking", "length", "--figure", str(picture)])
    assert chosen.exception is None, chosen.exception
    assert "lisca_gold" in chosen.stdout
    assert "lisca_parsed" not in chosen.stdout
    assert "LS (length), gold" in picture.read_text()
    assert "LISCA, parsed" not in picture.read_text()
    many = Distribution("relation", tuple("abcdefghij"), np.arange(40).reshape(10, 4), "s", "t")
    cells = class_heat_map([many], "bin").axes[0].texts
    assert len(cells) == 40
    assert cells[0].get_text() != ""
    few = Distribution("relation", ("a", "b"), np.arange(8).reshape(2, 4), "s", "t")
    assert stack_figure([few], "bin", "relation", numbers=False).axes[0].patches
    assert not stack_figure([many], "bin", "relation", numbers=False).axes[0].patches


def test_a_scorer_has_the_same_colour_everywhere() -> None:
    both = line_figure([Panel("x", [1, 2], {"length": [0.1, 0.2], "lisca": [0.3, 0.4]})], "x", "y").axes[0].lines
    alone = line_figure([Panel("x", [1, 2], {"lisca": [0.3, 0.4], "other": [0.1, 0.1]})], "x", "y").axes[0].lines
    assert both[1].get_color() == alone[0].get_color()
    assert [line.get_label() for line in both] == ["LS", "LISCA"]
    assert alone[1].get_color() != alone[0].get_color()
