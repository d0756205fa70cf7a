"""What weighs in the score: shares that add up to 1, an ablation by hand, interactions, the command."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from treegauge.cli import cli
from treegauge.difficulty.feature_weights import ALL, FeatureWeights, feature_weights, shares_across
from treegauge.errors import OptionError
from treegauge.evaluation.judging.measures import roc_auc
from treegauge.models.bundled_models import load_model
from treegauge.models.lisca.score import Lisca, LiscaOptions

DATA = Path(__file__).parents[1] / "data"
GOLD, SYSTEM = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"


@pytest.fixture(scope="module")
def lisca() -> Lisca:
    return Lisca(load_model("en").reference)


@pytest.fixture(scope="module")
def weights(lisca: Lisca) -> FeatureWeights:
    return feature_weights(SYSTEM, lisca, gold=GOLD, name="toy")


def test_weights_add_up_to_the_score(weights: FeatureWeights, lisca: Lisca) -> None:
    assert weights.scores == pytest.approx(lisca.scores(weights.corpus))
    assert weights.features[-1] == "arcpos"
    assert len(weights.features) == 10


def test_shares_are_covariances_and_add_up_to_one(weights: FeatureWeights) -> None:
    rows = np.flatnonzero(weights.inner)
    shares = weights.shares(rows)
    assert shares is not None
    assert shares.sum() == pytest.approx(1)
    scores = weights.scores[rows]
    for k in range(len(weights.features)):
        expected = np.cov(weights.weights[k, rows], scores, bias=True)[0, 1] / scores.var()
        assert shares[k] == pytest.approx(expected)
    assert weights.shares(rows[:1]) is None
    first = weights.table().records()[0]
    assert (first["relation"], first["arcs"]) == (ALL, len(rows))
    assert sum(row["arcs"] for row in weights.bins_table(4).records()) == len(rows)


def test_an_ablation_is_the_score_without_the_feature(weights: FeatureWeights, lisca: Lisca) -> None:
    rows = np.flatnonzero(weights.inner & weights.known)
    records = {row["feature"]: row for row in weights.ablation(20, 3).records()}
    names = tuple(name for name in weights.features if name != "length")
    without = Lisca(lisca.reference, LiscaOptions(features=names)).scores(weights.corpus)
    assert records["length"]["with"] == pytest.approx(roc_auc(weights.scores[rows], weights.right[rows]))
    assert records["length"]["without"] == pytest.approx(roc_auc(without[rows], weights.right[rows]))
    assert records["length"]["low"] <= records["length"]["high"]
    with pytest.raises(OptionError, match="no gold"):
        feature_weights(GOLD, lisca).ablation()


def test_interactions_count_every_arc(weights: FeatureWeights) -> None:
    part = weights.interaction("length", "direction", most=2)
    assert part.counts.sum() == weights.inner.sum()
    assert {row["length"] for row in part.table().records()} <= {"1", "2", ">2"}
    row = part.table().records()[0]
    chosen = weights.inner & (weights.corpus.arc_length == int(row["length"]))
    chosen &= (weights.corpus.head > weights.corpus.position) == (row["direction"] == "head-after")
    assert row["mean_log_score"] == pytest.approx(weights.scores[chosen].mean())
    with pytest.raises(OptionError, match="no arc has relation 'nope'"):
        weights.interaction("length", "upos", "nope")


def test_languages_stand_side_by_side(weights: FeatureWeights) -> None:
    both = shares_across([weights, weights], "nsubj").records()
    assert both[0] == both[1]


@pytest.mark.parametrize("more", [(), ("--relation", "nsubj"), ("--by", "length,children")])
def test_the_command(more: tuple[str, ...], tmp_path: Path) -> None:
    picture = tmp_path / "x.svg"
    files = [str(GOLD), str(SYSTEM), "-m", "en", "--samples", "5", "--figure", str(picture)]
    result = CliRunner().invoke(cli, ["difficulty", "features", *files, *more])
    assert result.exception is None, result.exception
    assert picture.stat().st_size > 1000
    assert ("ROC-AUC without each feature" in result.stdout) == ("--by" not in more)
    wrong = CliRunner().invoke(cli, ["difficulty", "features", *files, "--by", "length"])
    assert "expected two properties" in wrong.output
