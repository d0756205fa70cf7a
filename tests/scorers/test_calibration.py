"""Calibrated probabilities, and whether they can be trusted."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from treegauge.corpus.conllu import parse_conllu
from treegauge.errors import ModelError, OptionError
from treegauge.evaluation.judging.calibrate import held_out, reliability
from treegauge.models.choice.probabilities import ArcChoices
from treegauge.models.choice.tags import TagChoices
from treegauge.models.choice.words import COLUMNS
from treegauge.scorers.calibration import (
    PENALTY,
    calibration_bytes,
    find_calibration,
    fit_calibration,
    load_calibration,
)
from treegauge.scorers.evidence import NUMBERS, TAG_NUMBERS, TAGS, ArcEvidence, Evidence, arc_evidence


def toy(n: int = 600) -> Evidence:
    """Evidence of arcs whose truth depends on two numbers and a label."""
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(n, len(NUMBERS)))
    relation = np.array(["obj", "det", "rare"], dtype=object)[rng.choice(3, n, p=[0.5, 0.49, 0.01])]
    odds = 1 + 2 * numbers[:, 0] - numbers[:, 4] + 2 * (relation == "det")
    right = rng.random(n) < 1 / (1 + np.exp(-odds))
    tag = np.full(n, "NOUN", dtype=object)
    arcs = ArcEvidence(numbers, {"deprel": relation, "upos": tag, "head upos": tag})
    return Evidence(arcs, right, np.arange(n) // 4)


def test_the_fit_is_that_of_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression  # 1.4 or later

    known = toy()
    made = fit_calibration(known, "toy", "")
    assert "deprel=obj × choice" in made.names
    assert not any("rare" in name for name in made.names)
    evidence = (known.arcs.columns(made.names) - np.array(made.mean)) / np.array(made.scale)
    oracle = LogisticRegression(C=1 / PENALTY, tol=1e-10, max_iter=10_000).fit(evidence, known.right)
    wanted = oracle.predict_proba(evidence)[:, 1]
    assert np.exp(made.log_probs(known.arcs)) == pytest.approx(wanted, abs=1e-5)


def test_the_fit_is_found_where_nearly_all_are_right() -> None:
    """Whole steps of Newton's method lead away here: a rare label explains the few errors."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(1)
    n = 6000
    numbers = rng.normal(size=(n, len(TAG_NUMBERS)))
    numbers[:, 0] = 10 - rng.exponential(0.4, n)
    tag = np.array(["NOUN", "VERB", "X"], dtype=object)[rng.choice(3, n, p=[0.6, 0.395, 0.005])]
    right = rng.random(n) < np.where(tag == "X", 0.05, 0.999)
    words = ArcEvidence(numbers, {"upos": tag, "other upos": tag}, TAGS)
    made = fit_calibration(Evidence(words, right, np.arange(n) // 4), "toy", "")
    evidence = (words.columns(made.names) - np.array(made.mean)) / np.array(made.scale)
    oracle = LogisticRegression(C=1 / PENALTY, tol=1e-10, max_iter=10_000).fit(evidence, right)
    assert np.exp(made.log_probs(words)) == pytest.approx(oracle.predict_proba(evidence)[:, 1], abs=1e-4)


def test_a_calibration_of_tags_is_in_the_same_file(tmp_path: Path) -> None:
    known = toy()
    tags = ArcEvidence(known.arcs.numbers[:, :5], {"upos": known.arcs.labels["deprel"]}, TAGS)
    made = replace(
        fit_calibration(known, "toy", "model"), tags=fit_calibration(replace(known, arcs=tags), "toy", "model")
    )
    assert made.tags is not None
    assert "upos=obj × tag" in made.tags.names
    path = tmp_path / "toy.tgc"
    made.save(path)
    assert load_calibration(str(path)) == made
    content = json.loads(path.read_text())
    content["tags"]["names"][0] = "length"  # evidence of arcs
    path.write_text(json.dumps(content))
    with pytest.raises(ModelError, match=r"toy\.tgc: tags: evidence 'length' is not known"):
        load_calibration(str(path))


def test_a_calibration_survives_its_file_which_is_plain_json(tmp_path: Path) -> None:
    made = fit_calibration(toy(), "toy", "model")
    path = tmp_path / "toy.tgc"
    path.write_bytes(calibration_bytes(made))
    assert load_calibration(str(path)) == made
    assert json.loads(path.read_text())["made_from"] == "toy"


@pytest.mark.parametrize("content", ["{", "[]", '{"treegauge calibration": 2}', '{"treegauge calibration": 1, "a": 0}'])
def test_what_is_no_calibration_is_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.tgc"
    path.write_text(content)
    with pytest.raises(ModelError, match=r"bad\.tgc"):
        load_calibration(str(path))


def test_nothing_is_learned_where_all_arcs_are_right() -> None:
    known = toy()
    with pytest.raises(OptionError, match="600 of 600 arcs are right"):
        fit_calibration(replace(known, right=np.ones_like(known.right)), "toy", "")


def test_reliability_by_hand() -> None:
    # two bins: p .2 .4, one of two right; p .6 .8, both right
    found = reliability(np.array([0.8, 0.2, 0.6, 0.4]), np.array([True, False, True, True]), bins=2)
    assert [(b.probability, b.right) for b in found.bins] == [pytest.approx((0.3, 0.5)), pytest.approx((0.7, 1.0))]
    assert found.calibration_error == pytest.approx((2 * 0.2 + 2 * 0.3) / 4)
    assert found.brier == pytest.approx((0.04 + 0.04 + 0.16 + 0.36) / 4)


def test_held_out_probabilities_are_calibrated() -> None:
    known = toy(4000)
    found = reliability(held_out(known), known.right)
    assert found.calibration_error < 0.04
    assert found.roc_auc > 0.85


def test_joined_evidence_keeps_sentences_apart() -> None:
    known = toy(8)
    both = Evidence.joined([known, known])
    assert both.sentence.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    assert both.only(both.sentence < 2).right.tolist() == known.right.tolist()


def test_the_bundled_calibration_is_found() -> None:
    made = find_calibration("any")
    assert made.arcs > 150_000
    assert set(made.names) == set(NUMBERS)


def test_a_probability_does_not_depend_on_the_other_arcs() -> None:
    known = toy(101)
    made = fit_calibration(known, "toy", "")
    whole = made.log_probs(known.arcs)
    for size in (1, 2, 3, 7, 50):
        cuts = [np.arange(len(whole)) // size == k for k in range(-(-len(whole) // size))]
        assert np.concatenate([made.log_probs(known.only(cut).arcs) for cut in cuts]).tolist() == whole.tolist()


def test_evidence_of_the_arcs_around_by_hand() -> None:
    rows = [("1", "big", 2, "amod"), ("2", "dogs", 3, "nsubj"), ("3", "bark", 0, "root"), ("4", "now", 3, "advmod")]
    text = "".join(f"{i}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_\n" for i, form, head, relation in rows)
    corpus = parse_conllu(text + "\n" + "1\tGo\t_\tX\t_\t_\t0\troot\t_\t_\n\n", columns=COLUMNS)
    p = np.array([0.9, 0.6, 0.8, 0.3, 0.7])
    tags = TagChoices(np.log([0.5, 0.9, 0.99, 0.6, 0.2]), np.zeros(5, dtype=np.int32), np.zeros(5), ("X",))
    none = np.zeros(5)
    choices = ArcChoices(np.log(p), none, none, none, none, none, ("root",), tags, np.log(np.full(5, 0.25)))
    found = arc_evidence(corpus, choices, none, none)
    odds, sure = np.log(p / (1 - p)), 6.0
    expected = {
        "choice": odds,
        "choice as tagged": np.full(5, np.log(1 / 3)),
        "above": [odds[1], odds[2], sure, odds[2], sure],
        "below": [sure, odds[0], odds[3], sure, sure],
        "beside": [sure, odds[3], sure, odds[1], sure],
        "before": [sure, odds[0], odds[1], odds[2], sure],
        "after": [odds[1], odds[2], odds[3], sure, sure],
        "tag": np.log([1, 9, 99, 1.5, 0.25]),
        "tag of head": [np.log(9), np.log(99), sure, np.log(99), sure],
    }
    for name, values in expected.items():
        np.testing.assert_allclose(found.columns([name])[:, 0], values, err_msg=name)
