"""Rankings judged: by definition, and against scikit-learn 1.9.1."""

import json
import math
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from tests.trees import interpreted
from treegauge.cli import cli
from treegauge.corpus import conllu
from treegauge.corpus.compare.comparison import right_arcs
from treegauge.corpus.conllu import read_conllu
from treegauge.errors import CorpusError, OptionError
from treegauge.evaluation.judging import gold_arcs, measures
from treegauge.evaluation.judging.gold_ranking import ArcOrder, GoldRanking, Truth, groups, judgement, top_lists
from treegauge.evaluation.judging.judge import JudgeOptions, find_pairs, judge
from treegauge.evaluation.judging.measures import Curve, bootstrap, errors_in_worst, roc_auc
from treegauge.evaluation.judging.tables import mean_judgements, pairs_table, top_table
from treegauge.models.bundled_models import load_model
from treegauge.ranking.scored import bin_of
from treegauge.scorers.registry import scorers


def average_precision(scores: np.ndarray, right: np.ndarray) -> float:
    return Curve.of(scores, right).areas()[1]


@st.composite
def rankings(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Scores with many ties, −inf among them, and which arcs are right: at least one is, and one is not."""
    scores = draw(st.lists(st.sampled_from([-math.inf, -3.0, -2.5, 0.0, 1.0, 7.25]), min_size=2, max_size=30))
    right = draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    right[:2] = [True, False]
    return np.array(scores), np.array(right)


def judged(scores: list[float], right: list[bool], length: list[int] | None = None) -> GoldRanking:
    n = len(scores)
    lengths = np.array(length if length is not None else [1] * n)
    truth = Truth(np.array(right, dtype=bool), np.array(right, dtype=bool), lengths, np.arange(n))
    return GoldRanking(True, ArcOrder("lisca", "s", np.array(scores, dtype=float)), truth)


@given(rankings())
def test_roc_auc_is_the_share_of_pairs_in_order(ranking: tuple[np.ndarray, np.ndarray]) -> None:
    scores, right = ranking
    pairs = list(product(scores[right], scores[~right]))
    expected = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)
    assert roc_auc(scores, right) == pytest.approx(expected)
    finite = np.where(np.isneginf(scores), -1e9, scores)  # scikit-learn takes no infinities
    assert roc_auc(scores, right) == pytest.approx(roc_auc_score(right, finite))


@given(rankings())
def test_average_precision_is_that_of_scikit_learn(ranking: tuple[np.ndarray, np.ndarray]) -> None:
    scores, right = ranking
    finite = np.where(np.isneginf(scores), -1e9, scores)
    assert average_precision(scores, right) == pytest.approx(average_precision_score(right, finite))
    assert average_precision(-scores, ~right) == pytest.approx(average_precision_score(~right, -finite))


@given(rankings(), st.integers(0, 5))
def test_weights_are_repetitions(ranking: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    scores, right = ranking
    weight = np.random.default_rng(seed).integers(0, 4, len(scores))
    weight[:2] = np.maximum(weight[:2], 1)
    curve = Curve.of(scores, right)
    again = np.repeat(np.arange(len(scores)), weight)
    expected = roc_auc(scores[again], right[again]), average_precision(scores[again], right[again])
    assert curve.sampler(curve.order)(weight) == pytest.approx(expected)
    with pytest.MonkeyPatch.context() as patch:
        compiled = curve.sampler(curve.order)(weight)
        patch.setattr(measures, "resampled", interpreted("evaluation.judging.areas_kernel").resampled)
        assert curve.sampler(curve.order)(weight) == compiled


def test_without_errors_nothing_can_be_found() -> None:
    scores, right = np.array([1.0, 2.0]), np.array([True, True])
    assert math.isnan(roc_auc(scores, right))
    assert math.isnan(errors_in_worst(scores, right, 0.1))
    assert average_precision(scores, right) == 1.0
    assert math.isnan(average_precision(scores, ~right))
    nothing = np.zeros(0)
    assert math.isnan(roc_auc(nothing, nothing.astype(bool)))
    assert math.isnan(judgement(judged([1, 2], [True, True])).roc_auc)


def test_intervals_hold_the_value_and_repeat() -> None:
    rng = np.random.default_rng(3)
    right = rng.random(600) < 0.8
    scores = right + rng.normal(0, 1, 600)
    sentence = np.repeat(np.arange(60), 10)
    curve = Curve.of(scores, right)
    first = bootstrap(curve, sentence, 200, seed=1)[0]
    assert first == bootstrap(curve, sentence, 200, seed=1)[0]
    assert first != bootstrap(curve, sentence, 200, seed=2)[0]
    low, high = first[0]
    assert low < roc_auc(scores, right) < high
    assert high - low < 0.2
    with pytest.raises(OptionError, match="samples 0"):
        bootstrap(curve, sentence, 0)


def test_intervals_are_percentiles_over_corpora_of_drawn_sentences() -> None:
    rng = np.random.default_rng(5)
    sentence = np.sort(rng.integers(0, 12, 80)) * 3  # numbers with gaps: some sentences have no arc that is ranked
    scores, right = rng.integers(0, 9, 80).astype(float), rng.random(80) < 0.7
    names, draws, values = np.unique(sentence), np.random.default_rng(2), []
    for _ in range(50):
        drawn = names[draws.integers(0, len(names), len(names))]
        rows = np.concatenate([np.flatnonzero(sentence == one) for one in drawn])
        values.append((roc_auc(scores[rows], right[rows]), average_precision(scores[rows], right[rows])))
    expected = [tuple(np.quantile(column, [0.025, 0.975])) for column in zip(*values, strict=True)]
    found, _ = bootstrap(Curve.of(scores, right), sentence, 50, seed=2)
    assert np.array(found) == pytest.approx(np.array(expected))


def test_files_are_judged_as_corpora_are(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [data / f"difficulty_{side}.conllu" for side in ("gold", "system")]
    gold, system = map(read_conllu, paths)
    for path, more in zip(paths, (0, 300), strict=True):  # so that the two are cut at other places
        comment = "# a comment of one side only " + "x" * more + "\n"
        (tmp_path / path.name).write_text(path.read_text().replace("# sent_id", comment + "# sent_id"))
    made = scorers(("lisca", "length", "ptr", "random"), load_model("en"))
    expected = [table.rows for table in judge(gold, system, made, JudgeOptions(samples=20)).tables()]
    pieces = partial(conllu.stream_conllu, block=150)
    assert len(list(pieces(tmp_path / paths[0].name))) > 1
    monkeypatch.setattr(gold_arcs, "stream_conllu", pieces)
    found = judge(*(tmp_path / path.name for path in paths), made, JudgeOptions(samples=20))
    assert [table.rows for table in found.tables()] == expected


def test_files_that_do_not_fit_are_refused_as_corpora_are(data: Path, tmp_path: Path) -> None:
    made, gold = scorers(["random"], None), data / "difficulty_gold.conllu"
    text = gold.read_text()
    (tmp_path / "short.conllu").write_text(text[: text.rindex("\n\n", 0, -2) + 2])
    (tmp_path / "empty.conllu").write_text("")
    (tmp_path / "other.conllu").write_text(text.replace("kings\tking", "queens\tqueen"))
    for name, message in (
        ("short", "they part after 32 characters"),
        ("empty", "empty.conllu: no sentences"),
        ("other", r"gold .* \[kings\] sleep"),
    ):
        with pytest.raises(CorpusError, match=message):
            judge(gold, tmp_path / f"{name}.conllu", made, JudgeOptions(samples=0))


def test_top_lists_grow_by_the_step_up_to_all() -> None:
    ranking = judged([5, 4, 3, 2, 1], [True, True, False, True, False], [1, 2, 3, 4, 5])
    parts = top_lists(ranking, 2)
    assert [(p.end, p.n_arcs) for p in parts] == [(2, 2), (4, 4), (5, 5)]
    assert [p.las for p in parts] == [1.0, 0.75, 0.6]
    assert [p.mean_length for p in parts] == [1.5, 2.5, 3.0]
    assert [p.end for p in top_lists(ranking, 5)] == [5]
    assert top_lists(judged([], []), 5) == []


def test_groups_of_a_size_and_equal_groups() -> None:
    ranking = judged([5, 4, 3, 2, 1], [True, True, False, True, False], [0, 2, 3, 0, 0])
    assert [(p.n_arcs, p.las) for p in groups(ranking, 2)] == [(2, 1.0), (2, 0.5), (1, 0.0)]
    assert [p.n_arcs for p in groups(ranking, equal=2)] == [3, 2]  # ⌊i·2/5⌋ = 0 0 0 1 1
    for n, equal in product(range(12), range(1, 15)):
        some = judged([-k for k in range(n)], [True] * n)
        expected = np.bincount(bin_of(np.arange(n), n, equal), minlength=equal + 1)[1:]
        assert [p.n_arcs for p in groups(some, equal=equal)] == expected.tolist()
    seven = groups(ranking, equal=7)
    assert [p.n_arcs for p in seven] == [1, 1, 1, 0, 1, 1, 0]  # ⌊i·7/5⌋ = 0 1 2 4 5
    assert math.isnan(seven[3].las)
    assert math.isnan(seven[0].mean_length)  # a root arc has no length
    with pytest.raises(OptionError, match="groups 0"):
        groups(ranking, equal=0)


def test_equal_scores_stay_in_corpus_order() -> None:
    ranking = judged([0, 0, 0, 0], [True, False, False, True])
    assert [p.las for p in groups(ranking, 2)] == [0.5, 0.5]
    assert errors_in_worst(ranking.by.scores, ranking.truth.right, 0.5) == 0.5


def test_right_is_head_and_universal_relation(data: Path) -> None:
    gold, system = (read_conllu(data / f"difficulty_{side}.conllu") for side in ("gold", "system"))
    wrong = np.flatnonzero(~right_arcs(gold, system)).tolist()
    assert wrong == [6, 9, 12]  # kings: head and relation; There: relation; very: head; nsubj:outer is nsubj


def test_length_is_judged_without_root_arcs_only(data: Path) -> None:
    gold, system = (read_conllu(data / f"difficulty_{side}.conllu") for side in ("gold", "system"))
    made = scorers(("lisca", "length", "ptr"), load_model("en"))
    found = judge(gold, system, made, JudgeOptions(samples=0))
    with_root, without = found.rankings[True], found.rankings[False]
    assert [(j.root_arcs, j.n_arcs) for j in with_root] == [(True, 17), (False, 14), (True, 17)]
    assert [(j.root_arcs, j.n_arcs) for j in without] == [(False, 14)] * 3
    assert all(judgement(j).n_errors == 3 for j in with_root + without)
    assert [j.scorer for j in with_root] == ["lisca", "length", "ptr"]


def test_random_is_a_constant_line(data: Path) -> None:
    gold, system = (read_conllu(data / f"difficulty_{side}.conllu") for side in ("gold", "system"))
    found = judge(gold, system, scorers(["random"], None), JudgeOptions(samples=0))
    table = top_table("t", found.rankings[True], 4)
    assert {row[1] for row in table.rows} == {14 / 17}


def test_different_words_are_refused(data: Path) -> None:
    with pytest.raises(CorpusError, match="do not have the same words"):
        right_arcs(read_conllu(data / "difficulty_gold.conllu"), read_conllu(data / "plain.conllu"))


def test_other_forms_are_refused(data: Path, tmp_path: Path) -> None:
    text = (data / "difficulty_gold.conllu").read_text().replace("kings\tking", "queens\tqueen")
    (tmp_path / "other.conllu").write_text(text)
    gold, other = read_conllu(data / "difficulty_gold.conllu"), read_conllu(tmp_path / "other.conllu")
    with pytest.raises(CorpusError, match="sentence 2, word 3: 'kings' and 'queens'"):
        right_arcs(gold, other)
    columns = ("upos", "deprel")
    without = [read_conllu(corpus.path, columns=columns) for corpus in (gold, other)]
    assert right_arcs(*without).all()


def test_the_mean_leaves_out_what_is_not_a_number() -> None:
    found = {"a": [judgement(judged([2, 1], [True, False]))], "b": [judgement(judged([2, 1], [True, True]))]}
    (mean,) = mean_judgements(found)
    assert (mean.roc_auc, mean.n_arcs, mean.n_errors) == (1.0, 4, 1)
    rows = pairs_table("t", found, "s").to_dict()["rows"]
    assert [row["pair"] for row in rows] == ["a", "b", "mean"]
    assert rows[1]["roc_auc"] is None
    assert rows[0]["errors_in_worst_10"] == 0  # a tenth of two arcs is none


def test_pairs_are_found_plain_or_compressed(tmp_path: Path) -> None:
    for name in ("a/test.gold.conllu.gz", "a/test.system.conllu", "a/reference.parsed.conllu.xz", "b/test.gold.conllu"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "c").mkdir()
    pairs, lacking = find_pairs(str(tmp_path))
    assert [pair.name for pair in pairs] == ["a"]
    assert pairs[0].reference.endswith(".xz")
    assert lacking == {"b": ["test.system.conllu", "reference.parsed.conllu"]}
    assert [pair.name for pair in find_pairs(str(tmp_path / "a"))[0]] == ["a"]
    with pytest.raises(CorpusError, match="no folder in it holds"):
        find_pairs(str(tmp_path / "c"))
    with pytest.raises(CorpusError, match="no such folder"):
        find_pairs(str(tmp_path / "d"))


@pytest.mark.data
def test_lisca_beats_its_rivals(evaluation_data: Path) -> None:
    """On Turkish, the smallest pair with a reference of its own; length is compared without root arcs."""
    from treegauge.models.building import build_model
    from treegauge.models.lisca.reference import CountSettings

    folder = evaluation_data / "pairs" / "tr_imst"
    reference = folder / "reference.parsed.conllu.xz"
    model = build_model(reference, choice=False, settings=CountSettings(forms=True))
    gold, system = (read_conllu(folder / f"test.{side}.conllu") for side in ("gold", "system"))
    lisca, *rivals = judge(gold, system, model, JudgeOptions(without_root=True, samples=0)).judgements
    assert [rival.scorer for rival in rivals] == ["length", "ptr", "ltr", "lptr", "random"]
    for rival in rivals:
        assert lisca.roc_auc > rival.roc_auc
        assert lisca.average_precision > rival.average_precision
        assert all(lisca.errors_in_worst[share] > rival.errors_in_worst[share] for share in (10, 20, 30))


def test_models_and_scorers_are_compared_and_tested(tmp_path: Path) -> None:
    data = Path(__file__).parents[1] / "data"
    gold, system = str(data / "difficulty_gold.conllu"), str(data / "difficulty_system.conllu")
    model = str(tmp_path / "mine.tgm")
    assert CliRunner().invoke(cli, ["model", "build", gold, "-o", model]).exception is None
    options = ["-m", "en", "-m", model, "--scorers", "lisca,length", "--samples", "30", "-f", "json"]
    result = CliRunner().invoke(cli, ["judge", gold, system, *options, "--features", "length,arcpos"])
    assert result.exception is None, result.exception
    content = json.loads(result.stdout)
    tables = {table["name"]: table["rows"] for table in (content, *content["more"])}
    names = {row["scorer"] for row in tables["errors"]}
    assert {"lisca (en)", "length"} <= names
    assert len(names) == 3
    assert "features:length,arcpos" in content["signature"]
    areas = {(row["scorer"], row["root_arcs"]): row["roc_auc"] for row in tables["areas"]}
    for row in tables["differences"]:
        kind = "no" if "without" in row["arcs"] else "yes"
        assert row["difference"] == pytest.approx(areas[row["first"], kind] - areas[row["second"], kind])
        assert row["low"] <= row["high"]
        assert row["p_bootstrap"] <= row["p_holm"]
