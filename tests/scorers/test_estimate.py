"""Estimates without gold: signs, intervals, groups, probabilities that follow the estimate, and how they are shown."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import treegauge as tg
from treegauge.cli import cli
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.errors import ModelError, OptionError
from treegauge.ranking.accuracy import WHOLE, whole_log_probs
from treegauge.scorers.calibration import BUNDLED, find_calibration
from treegauge.scorers.estimate import calibration_for, estimate, estimate_beside, estimated_las, of_words
from treegauge.scorers.log_odds import log_odds, log_prob_of, move_to
from treegauge.scorers.signs import Signs, expit, logit, signs_of
from treegauge.scorers.trust import opinion_weights, repairing, weights_by_model

DATA = Path(__file__).parents[1] / "data"
DEMO = Path(__file__).parents[2] / "src" / "treegauge" / "demo" / "demo.conllu"


@pytest.fixture(scope="module")
def model() -> tg.Model:
    return tg.load_model("en")


def damaged(every: int) -> str:
    """The demo where each k-th word that is no root depends on the root instead, by a relation that does not fit."""
    lines, n = [], 0
    for line in DEMO.read_text(encoding="utf-8").split("\n"):
        cells = line.split("\t")
        if len(cells) == 10 and cells[0].isdigit() and cells[6] != "0":
            n += 1
            if n % every == 0:
                cells[7] = "vocative"
        lines.append("\t".join(cells))
    return "\n".join(lines)


def test_a_sign_is_the_share_of_arcs_that_are_the_first_choice(model: tg.Model) -> None:
    corpus, choice = read_conllu(str(DEMO)), tg.scorer("choice", model)
    rows = np.arange(corpus.n_words)
    own, rivals = choice.scores(corpus), choice.alternatives(corpus, rows)
    assert signs_of(choice.choice, corpus).choice == pytest.approx(np.mean(own > rivals.log_prob))


def test_a_worse_parse_is_estimated_lower(model: tg.Model) -> None:
    good, bad, worse = (
        estimate(text, model).parses[0].las.value for text in map(parse_conllu, map(damaged, (99, 4, 2)))
    )
    assert good > bad > worse


def test_an_estimate_lies_in_its_interval_and_probabilities_have_its_mean(model: tg.Model) -> None:
    parse = estimate(str(DEMO), model).parses[0]
    assert parse.las.low < parse.las.value < parse.las.high
    assert np.exp(parse.log_prob).mean() == pytest.approx(parse.las.value, abs=1e-6)
    assert parse.metrics["UAS"].value > parse.metrics["LAS"].value > parse.metrics["CLAS"].value


def test_the_formula_of_the_estimate_by_hand() -> None:
    # choice alone, 20,000 words: logit LAS = intercept + weight · logit share, and log(20,000 / 20,000) = 0
    low, high = (estimated_las(Signs(1, share), 20_000) for share in (0.7, 0.8))
    step = (logit(high.value) - logit(low.value)) / (logit(0.8) - logit(0.7))
    assert step == pytest.approx(1.258, abs=1e-3)
    assert of_words(20_000) == 0
    assert of_words(10**9) == of_words(50_000)


def test_shares_of_groups_add_up_to_the_whole(model: tg.Model) -> None:
    parse = estimate(str(DEMO), model).parses[0]
    assert set(parse.groups) == {"relation"}
    code, names = parse.groups["relation"].code, parse.groups["relation"].names
    for name, arcs, share in parse.by("relation"):
        rows = code == names.index(name)
        assert rows.sum() == arcs
        assert share.value == pytest.approx(np.exp(parse.log_prob[rows]).mean())
    with pytest.raises(OptionError, match=r"file is not known; expected relation"):
        parse.by("file")


def test_several_files_are_groups(model: tg.Model, tmp_path: Path) -> None:
    paths = [tmp_path / "a.conllu", tmp_path / "b.conllu"]
    for path, every in zip(paths, (99, 2), strict=True):
        path.write_text(damaged(every), encoding="utf-8")
    rows = estimate([str(path) for path in paths], model).parses[0].by("file")
    assert [name for name, _, _ in rows] == ["b", "a"]


def test_of_several_parses_the_undamaged_is_best(model: tg.Model, tmp_path: Path) -> None:
    paths = []
    for every in (2, 99, 3):
        paths.append(tmp_path / f"p{every}.conllu")
        paths[-1].write_text(damaged(every), encoding="utf-8")
    first, *others = map(str, paths)
    estimates = estimate(first, model, others)
    assert estimates.best.name == "p99"
    assert "parses:3" in estimates.signature


def test_a_model_that_is_too_small_or_does_not_fit_gives_no_estimate(model: tg.Model) -> None:
    assert model.weights is not None
    small = replace(model, weights=replace(model.weights, words=4999))
    with pytest.raises(ModelError, match=r"no estimate: the model has 4,999 words"):
        estimate(str(DEMO), small)
    with pytest.raises(ModelError, match=r"no estimate of .*: the words look like"):
        estimate(str(DEMO), "ru")


def test_any_follows_the_estimate(model: tg.Model) -> None:
    made = calibration_for(str(DEMO), model)
    plain = find_calibration(BUNDLED, net=model.net is not None)
    assert made.weight == plain.weight
    scored = tg.score(str(DEMO), tg.scorer(model=model, calibration=made))
    las = estimate(str(DEMO), model).parses[0].las.value
    assert np.exp(scored.scores).mean() == pytest.approx(las, abs=1e-6)
    assert calibration_for("-", model) == plain


@given(st.lists(st.floats(-8, 8), min_size=1, max_size=30), st.floats(0.05, 0.95))
def test_moved_log_odds_have_the_mean_asked_for(odds: list[float], mean: float) -> None:
    moved = np.array(odds) + move_to(np.array(odds), mean)
    assert np.exp(log_prob_of(moved)).mean() == pytest.approx(mean, abs=1e-6)
    assert log_odds(log_prob_of(np.array(odds))) == pytest.approx(np.array(odds), abs=1e-6)


def test_the_probability_of_a_wholly_right_sentence_by_hand() -> None:
    p, start = np.array([0.9, 0.8, 0.95]), np.array([0, 2, 3])
    w0, product, one_word, lowest = WHOLE
    expected = [
        w0 + product * logit(0.72) + lowest * logit(0.8),
        w0 + product * logit(0.95) + one_word + lowest * logit(0.95),
    ]
    assert np.exp(whole_log_probs(np.log(p), start)) == pytest.approx([expit(x) for x in expected])
    assert len(whole_log_probs(np.zeros(0), np.zeros(1, int))) == 0


def test_a_weak_parse_has_no_weight_and_a_good_one_more() -> None:
    none, some, more = opinion_weights(0.8, [0.3, 0.8, 0.9])
    assert none == 0
    assert 0 < some < more <= 3


def test_the_better_the_parse_the_less_is_repaired() -> None:
    assert repairing(0.6, 0.8).scale < repairing(0.7, 0.8).scale < repairing(0.9, 0.6).scale == 10.0


def test_the_parse_that_the_model_likes_best_counts_most() -> None:
    weight = weights_by_model([0.8, 0.9, 0.5], np.array([0.8, 0.8, 0.8]))
    assert weight.argmax() == 1
    assert weight.argmin() == 2


def test_opinions_keep_the_mean_probability(model: tg.Model, tmp_path: Path) -> None:
    other = tmp_path / "other.conllu"
    other.write_text(damaged(3), encoding="utf-8")
    scored = tg.score(str(DEMO), tg.scorer(model=model, others=tg.other_parses(str(DEMO), [str(other)])))
    alone = tg.score(str(DEMO), tg.scorer(model=model))
    assert scored.scorer.probabilities
    assert np.exp(scored.scores).mean() == pytest.approx(np.exp(alone.scores).mean(), abs=1e-6)


def run(*args: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, [str(arg) for arg in args], catch_exceptions=True)
    return result.exit_code, result.stdout, result.stderr + str(result.exception or "")


def test_json_has_a_row_for_each_parse_and_metric_in_fractions() -> None:
    code, out, _ = run("estimate", DEMO, "-m", "en", "-f", "json")
    assert code == 0
    tables = [json.loads(line) for line in out.replace("\n}\n{", "\n}\x00{").split("\x00")]
    rows = tables[0]["rows"]
    assert [row["metric"] for row in rows] == ["LAS", "UAS", "CLAS"]
    assert all(0 < row["low"] < row["estimate"] < row["high"] < 1 for row in rows)
    assert list(rows[0]) == ["parse", "metric", "estimate", "low", "high"]


def test_eval_without_gold_says_the_same() -> None:
    code, out, _ = run("eval", "--without-gold", DEMO, "-m", "en")
    assert code == 0
    assert out == run("estimate", DEMO, "-m", "en")[1]
    assert "estimates LAS, UAS, CLAS, not --min-mlas" in run("eval", "--without-gold", DEMO, "--min-mlas", "3%")[2]


def test_a_gate_fails_below_it() -> None:
    code, _, err = run("estimate", DEMO, "-m", "en", "--min-clas", "99")
    assert code == 1
    assert "estimated CLAS" in err


def test_the_page_says_the_estimate(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run("report", DEMO, "-m", "en", "-o", page)[0] == 0
    assert "estimated LAS" in page.read_text(encoding="utf-8")


def test_the_estimate_beside_a_scorer_is_the_same_and_asks_the_net_once(
    model: tg.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, scorer = read_conllu(str(DEMO)), tg.scorer(model=model)
    scored = tg.score(corpus, scorer)
    assert len(scored.scores) == corpus.n_words
    monkeypatch.setattr("treegauge.models.net.inference.Net.choices", None)  # would be an error if it were asked again
    las = estimate_beside(scorer, scored.corpus, model)
    monkeypatch.undo()
    assert las == estimate(corpus, model).parses[0].las


def test_auto_is_no_model_of_the_parsers_own_text(tmp_path: Path) -> None:
    outputs = []
    for name in ("auto", "en"):
        out = tmp_path / f"{name}.conllu"
        assert run("combine", DEMO, "-m", name, "-o", out)[0] == 0
        outputs.append(out.read_bytes())
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("option", [("--partial",), ("--subtypes",), ("--exclude", "punct"), ("--no-enhanced",)])
def test_options_that_need_gold_are_refused_without_it(option: tuple[str, ...]) -> None:
    code, _, err = run("eval", "--without-gold", DEMO, "-m", "en", *option)
    assert code == 2
    assert "--without-gold: only with" in err
