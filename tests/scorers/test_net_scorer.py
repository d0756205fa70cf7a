"""Choice and the net together: scores, suggestions, reasons, tags, and what builds on them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import treegauge as tg
from tests.models.small_net import random_net
from treegauge.cli import cli
from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError, OptionError
from treegauge.models.choice.probabilities import Choice
from treegauge.models.model import Model
from treegauge.models.net.inference import Net
from treegauge.parsing.combine import combine
from treegauge.scorers import by_itself
from treegauge.scorers.by_net import NET, both_of
from treegauge.scorers.calibration import find_calibration
from treegauge.scorers.net_odds import ALONE_WEIGHTS, ARC_WEIGHTS, TAG_WEIGHTS, clipped_odds
from treegauge.scorers.registry import Folding, scorer

DEMO = tg.read_conllu(Path(tg.__file__).with_name("demo") / "demo.conllu")


@pytest.fixture(scope="module")
def model() -> Model:
    return replace(tg.load_model("en"), net=random_net(DEMO))


def odds(log_prob: float) -> float:
    p = min(np.exp(log_prob), 1 - 1e-6)
    value = np.log(p / (1 - p))
    return float(np.clip(value, -8, 8) + 0.1 * min(max(value + 8, -8), 0))


def test_log_odds_are_cut_but_keep_the_order_of_the_worst() -> None:
    log_prob = np.array([-20.0, -10.0, -5.0, np.log(0.5), -0.01, -1e-9])
    found = clipped_odds(log_prob)
    assert found == pytest.approx([odds(value) for value in log_prob], abs=1e-3)
    assert (np.diff(found) > 0).all()


def test_scores_are_the_sum_of_the_formula(model: Model) -> None:
    by = scorer(None, model)
    assert by.name == NET
    choice = Choice(model.weights).choices(DEMO)  # type: ignore[arg-type]
    net = Net(model.net).choices(DEMO)  # type: ignore[arg-type]
    scores = by.scores(DEMO)
    own = [[odds(choice.log_prob[w]), odds(net.log_prob[0, w]), odds(net.log_prob[1, w])] for w in range(DEMO.n_words)]
    mixed = [c / 2 + t / 4 + n / 4 for c, t, n in own]
    for w in range(DEMO.n_words):
        s = DEMO.sentence[w]
        rows = range(DEMO.start[s], DEMO.start[s + 1])
        beside = [mixed[o] for o in rows if o != w and DEMO.head[o] == DEMO.head[w] and DEMO.head[w] > 0]
        before, after = (mixed[o] if o in rows else 6.0 for o in (w - 1, w + 1))
        known = [1, *own[w], min([6.0, *beside]) if DEMO.head[w] > 0 else 6.0, before, after]
        z = float(np.dot(ARC_WEIGHTS, known))
        assert scores[w] == pytest.approx(-np.log1p(np.exp(-z)), abs=2e-3)


def test_the_suggestion_is_the_likelier_of_both_and_leaves_room_for_the_arc(model: Model) -> None:
    by, rows = scorer(NET, model), np.arange(DEMO.n_words)
    other, both = by.alternatives(DEMO, rows), both_of(model)
    found = both.choices(DEMO)
    by_choice = both.choice.alternatives(DEMO, rows, found.choice)
    assert (other.own_log_prob == by.scores(DEMO)).all()
    assert (np.exp(other.log_prob) + np.exp(other.own_log_prob) < 1 + 1e-9).all()
    names = np.array(both.net.weights.relations)[found.net.other_relation]
    from_choice = (other.head == by_choice.head) & (other.relation == by_choice.relation)
    from_net = (other.head == found.net.other_head) & (other.relation == names)
    assert (from_choice | from_net).all()
    assert from_choice.any()
    assert (~from_choice).any()
    w = int(np.flatnonzero(from_net & ~from_choice)[0])
    # log p of the net's arc by choice, asked for by itself, and the formula
    head = np.full((DEMO.n_words, 1), -1, dtype=np.int32)
    relation = head.copy()
    head[w], relation[w] = other.head[w], both.choice.weights.relations.index(other.relation[w])
    from treegauge.models.choice.best_arcs import likely_arcs

    log_choice = float(likely_arcs(both.choice, DEMO, (head, relation), most=0).log_prob[w, 0])
    q = [odds(log_choice), *map(odds, found.net.log_other[:, w])]
    own = [odds(found.choice.log_prob[w]), *map(odds, found.net.log_prob[:, w])]
    z, z_own = (float(np.dot(ALONE_WEIGHTS, [1, *values])) for values in (q, own))
    share = min((1 / (1 + np.exp(-z))) / (1 - 1 / (1 + np.exp(-z_own))), 1)
    assert np.exp(other.log_prob[w]) == pytest.approx((1 - np.exp(other.own_log_prob[w])) * share, rel=1e-2)


def test_explanations_say_what_the_net_finds(model: Model) -> None:
    lines = [e.lines() for e in scorer(NET, model).explain(DEMO, np.arange(30))]
    said = "\n".join(line for some in lines for line in some)
    assert "choice alone" in said
    assert "the net finds" in said
    assert "likelier, 0." in said


def test_tags_are_judged_by_both(model: Model) -> None:
    by = scorer("tags", model)
    weights, net = model.weights, Net(model.net).choices(DEMO)  # type: ignore[arg-type]
    choice = Choice(weights).choices(DEMO)  # type: ignore[arg-type]
    assert choice.tags is not None
    for w in range(20):
        known = [1, odds(choice.tags.log_prob[w]), odds(net.log_tag[w]), odds(choice.log_prob[w])]
        assert by.scores(DEMO)[w] == pytest.approx(-np.log1p(np.exp(-np.dot(TAG_WEIGHTS, known))), abs=2e-3)
    explained = by.explain(DEMO, np.arange(5))
    assert all("probability" in e.notes[0] for e in explained)


def test_choice_stays_and_a_model_without_a_net_says_so(model: Model) -> None:
    assert scorer("choice", model).name == "choice"
    with pytest.raises(ModelError, match="--net"):
        scorer(NET, replace(model, net=None))
    assert scorer(None, replace(model, net=None)).name == "choice"


def test_calibrations_with_and_without_nets_are_kept_apart(model: Model, tmp_path: Path) -> None:
    system = tg.parse_conllu(DEMO_WITH_ERRORS)
    made = tg.calibrate(DEMO, system, model).calibration
    assert made.uses_net
    made.save(tmp_path / "c.tgc")
    assert find_calibration(str(tmp_path / "c.tgc")).uses_net
    scores = scorer(None, model, calibration=made).scores(system)
    assert np.isfinite(scores).all()
    with pytest.raises(OptionError, match="net"):
        scorer(None, replace(model, net=None), calibration=made)
    assert find_calibration("any", net=True).uses_net
    assert not find_calibration("any").uses_net
    for with_net in (model, replace(model, net=None)):
        assert np.isfinite(scorer(None, with_net, calibration="any").scores(system)).all()


def test_combining_asks_both(model: Model) -> None:
    system = tg.parse_conllu(DEMO_WITH_ERRORS)
    assert len(combine(system, [DEMO], model).head) == system.n_words
    head, relation = DEMO.head[:, None].astype(np.int32), np.zeros((DEMO.n_words, 1), dtype=np.int32)
    both = both_of(model)
    relation[:, 0] = both.choice.relation_codes(DEMO)
    given = np.full((DEMO.n_words, 1), -2.0)
    found = both.choices(DEMO)
    known = relation[:, 0] >= 0
    log_prob = both.log_probs(DEMO, head, relation, given)[:, 0]
    assert log_prob[known] == pytest.approx(-1.0 + found.net.log_prob.sum(axis=0)[known] / 4, abs=1e-3)


def test_by_itself_each_fold_has_its_net(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="the extra `net` is not installed")
    asked = []

    def nets(tasks: list[object], progress: object = None) -> list[object]:
        asked.append(len(tasks))
        return [random_net(DEMO, seed) for seed in range(len(tasks))]

    monkeypatch.setattr(by_itself, "nets_of_folds", nets)
    by = scorer(None, by_itself=DEMO, folding=Folding(3, net=True))
    assert by.name == NET
    assert asked == [3]
    rows = np.arange(DEMO.n_words)
    other = by.alternatives(DEMO, rows)
    assert (other.own_log_prob == by.scores(DEMO)).all()
    assert "the net" in "\n".join(line for e in by.explain(DEMO, rows[:9]) for line in e.lines())
    inside = DEMO.select(np.arange(DEMO.n_sentences) % 3 == 1)
    of_fold = by.both[1].choices(inside).odds.log_prob  # type: ignore[attr-defined]
    assert by.scores(DEMO)[(DEMO.sentence % 3) == 1] == pytest.approx(of_fold)
    tags = scorer("tags", by_itself=DEMO, folding=Folding(3, net=True))
    assert tags.scores(DEMO).shape == (DEMO.n_words,)


def test_check_with_nets_orders_findings_by_both(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="the extra `net` is not installed")
    monkeypatch.setattr(
        by_itself, "nets_of_folds", lambda tasks, progress: [random_net(DEMO, k) for k in range(len(tasks))]
    )
    found = tg.check(DEMO, folds=Folding(2, net=True), below=0.9)
    assert len(found)
    assert found.scorer.signature.startswith("check|")
    by, scores = found.scorer.by_itself, found.scorer.scores(DEMO)
    assert isinstance(by, by_itself.NetByItself)

    def plain(log_prob: float) -> float:
        p = min(np.exp(log_prob), 1 - 1e-6)
        return float(np.clip(np.log(p / (1 - p)), -16, 10))

    for rows, choices in by.found(DEMO):
        for k, row in enumerate(rows.tolist()):
            c = 2 * plain(choices.choice.log_prob[k])
            n = plain(choices.net.log_prob[0, k]) + plain(choices.net.log_prob[1, k])
            assert choices.choice.tags is not None
            tags = max(choices.choice.tags.log_prob[k], -8) + max(choices.net.log_tag[k], -8)
            assert scores[row] == pytest.approx((c + n + max(c, n) / 2) / 4 + 0.15 * tags, abs=1e-3)


def test_rank_from_the_command_line(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "m.tgm"
    model.save(path)
    target = DEMO.path
    run = CliRunner().invoke(cli, ["rank", target, "--model", str(path), "--explain", "--suggest"])
    assert run.exit_code == 0, run.output
    assert "the net" in run.output
    fast = CliRunner().invoke(cli, ["rank", target, "--model", str(path), "--fast", "-f", "tsv"])
    choice = CliRunner().invoke(cli, ["rank", target, "--model", str(path), "--scorer", "choice", "-f", "tsv"])
    assert fast.stdout == choice.stdout
    refused = CliRunner().invoke(cli, ["rank", target, "--model", str(path), "--net"])
    assert isinstance(refused.exception, OptionError)
    info = CliRunner().invoke(cli, ["model", "info", str(path)])
    assert "held back" in info.output


def test_pieces_of_a_corpus_are_ranked_alike(model: Model) -> None:
    by = scorer(NET, model)
    whole = by.scores(DEMO)
    parts = np.concatenate([by.scores(part) for part in DEMO.parts(40)])
    assert whole == pytest.approx(parts, abs=1e-3)


def _with_errors(corpus: Corpus) -> str:
    """The corpus with another relation of every seventh word, and another tag of every ninth."""
    lines = []
    for row, line in enumerate(corpus.line_text(w).decode() for w in range(corpus.n_words)):
        cells = line.rstrip("\n").split("\t")
        if row % 7 == 0 and cells[6] != "0":
            cells[7] = "dep"
        if row % 5 == 0:
            cells[3] = "X"
        start = row in corpus.start.tolist()
        lines.append(("\n" if start and row else "") + "\t".join(cells) + "\n")
    return "".join(lines) + "\n"


DEMO_WITH_ERRORS = _with_errors(DEMO)
