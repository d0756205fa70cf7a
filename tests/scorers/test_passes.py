"""Whatever is asked about a corpus, it is scored once."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from treegauge import build_model, calibrate, check, judge, read_conllu, report, score, scorer
from treegauge.cli import cli
from treegauge.difficulty.stability import judged_in_folds
from treegauge.evaluation.judging.judge import JudgeOptions
from treegauge.models.choice import words
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.words import form_parts
from treegauge.models.lisca.score import Lisca
from treegauge.models.model import Model
from treegauge.scorers.registry import scorers

DATA = Path(__file__).parents[1] / "data"
DEMO = Path(__file__).parents[2] / "src" / "treegauge" / "demo" / "demo.conllu"


@pytest.fixture(scope="module")
def model() -> Model:
    return build_model(DEMO)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many words each scorer has gone through."""
    found: Counter[str] = Counter()

    def counted(name: str, method: Any) -> Any:
        def count(self: Any, corpus: Any, *args: Any, **options: Any) -> Any:
            found[name] += corpus.n_words
            return method(self, corpus, *args, **options)

        return count

    monkeypatch.setattr(Lisca, "judged", counted("lisca", Lisca.judged))
    monkeypatch.setattr(Choice, "choices", counted("choice", Choice.choices))
    return found


@pytest.mark.parametrize("name", ["lisca", "choice"])
def test_scores_reasons_suggestions_sentences_and_fit_take_one_pass(
    name: str, model: Model, passes: Counter[str]
) -> None:
    corpus = read_conllu(DEMO)
    scored = score(corpus, scorer(name, model))
    ranking = scored.rank()
    scored.rank_sentences()
    scored.explain(ranking.row[:5])
    assert (scored.fit is not None) == (name == "lisca")
    if name == "choice":
        scored.alternatives(np.arange(corpus.n_words))
    assert passes == {name: corpus.n_words}


def test_a_calibrated_scorer_shares_the_passes_of_those_it_rests_on(model: Model, passes: Counter[str]) -> None:
    gold, system = (read_conllu(DATA / f"difficulty_{side}.conllu") for side in ("gold", "system"))
    made = calibrate(gold, system, model).calibration
    assert passes == {"lisca": system.n_words, "choice": system.n_words}
    passes.clear()
    judge(gold, system, scorers(["lisca", "choice"], model, calibration=made), JudgeOptions(samples=0))
    assert passes == {"lisca": system.n_words, "choice": system.n_words}


def test_a_page_with_gold_takes_one_pass_for_each_corpus(model: Model, passes: Counter[str]) -> None:
    gold, system = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"
    report(system, scorer("choice", model), gold=gold, compare=str(gold)).html()
    assert passes == {"choice": 2 * read_conllu(system).n_words}


@pytest.mark.parametrize("form", ["text", "tsv", "json", "conllu"])
@pytest.mark.parametrize("name", ["lisca", "choice"])
def test_the_command_takes_one_pass(form: str, name: str, model: Model, passes: Counter[str], tmp_path: Path) -> None:
    model.save(str(tmp_path / "m.tgm"))
    arguments = ["rank", str(DEMO), "-m", str(tmp_path / "m.tgm"), "--scorer", name, "-f", form]
    arguments += ["--explain"] if form != "conllu" else []
    arguments += ["--suggest"] if name == "choice" else []
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert passes == {name: read_conllu(DEMO).n_words}


def test_which_arcs_are_right_is_asked_once_for_a_page(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    from treegauge.corpus.compare import comparison

    asked = []
    original = comparison.join_column
    monkeypatch.setattr(comparison, "join_column", lambda *sides: asked.append(sides[2]) or original(*sides))
    gold, system = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"
    report(system, model, gold=gold).html()
    assert asked.count("deprel") == 1


def test_random_scores_are_the_same_when_asked_again() -> None:
    corpus = read_conllu(DEMO)
    by_chance = scorer("random", seed=5)
    assert by_chance.scores(corpus).tolist() == by_chance.scores(corpus).tolist()
    assert by_chance.scores(corpus).tolist() != scorer("random", seed=6).scores(corpus).tolist()


@pytest.mark.parametrize(
    "judge_by_itself",
    [
        lambda corpus: check(corpus),
        lambda corpus: score(corpus, scorer("choice", by_itself=corpus)).scores,
        lambda corpus: score(corpus, scorer("tags", by_itself=corpus)).scores,
        lambda corpus: judged_in_folds(corpus, 3, seed=0),
    ],
    ids=["check", "choice", "tags", "stability"],
)
def test_folds_share_the_parts_of_forms(judge_by_itself: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, taken_apart = read_conllu(DEMO), Counter[str]()

    def counted(form: str) -> list[int]:
        taken_apart[form] += 1
        return form_parts(form)

    monkeypatch.setattr(words, "form_parts", counted)
    judge_by_itself(corpus)
    assert taken_apart == Counter(corpus.labels["form"])  # each once
