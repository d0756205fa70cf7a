"""The reasons of choice, against their definition."""

from dataclasses import replace

import numpy as np
import pytest

from tests.models.reasons_by_definition import explanation
from tests.models.test_choice import Rows, corpus_of, random_tree
from tests.trees import interpreted
from treegauge.corpus.corpus import Corpus
from treegauge.models.choice import probabilities, reasons
from treegauge.models.choice.learning import ChoiceTrainer, learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.reasons import explain
from treegauge.models.choice.words import ALL, TREE


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    rng = np.random.default_rng(5)
    return corpus_of([random_tree(rng, 12) for _ in range(25)], tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Random trees, a word alone, and a relation that the reference does not have."""
    rng = np.random.default_rng(6)
    odd: Rows = [("see", "VERB", "X", "_", 0, "root"), ("kettle", "NOUN", "X", "_", 1, "strange")]
    some = [random_tree(rng, 12) for _ in range(25)]
    return corpus_of([*some, odd, odd[:1]], tmp_path_factory.mktemp("reasons"))


@pytest.fixture(scope="module")
def choice(reference: Corpus) -> Choice:
    return Choice(learn_choice([reference]))


@pytest.mark.parametrize("groups", [ALL, ALL ^ TREE])
def test_reasons_are_those_of_the_definition(
    corpus: Corpus, reference: Corpus, groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reasons, "_AT_A_TIME", 7)
    trainer = ChoiceTrainer(groups)
    trainer.add(reference)
    choice = Choice(trainer.weights())
    choices = choice.choices(corpus)
    rows = np.random.default_rng(1).permutation(corpus.n_words)
    made = explain(choice, corpus, rows, choices)
    assert len({reason.feature for one in made for reason in one.reasons}) == 2
    assert any("×" in line for one in made for line in one.lines())
    assert any("is not in the model" in line for one in made for line in one.lines())
    for one, row in zip(made, rows.tolist(), strict=True):
        by_definition = explanation(choice, corpus, row, choices)
        assert one.lines() == by_definition.lines()
        assert (one.row, one.log_score) == (by_definition.row, by_definition.log_score)
        assert [r.feature for r in one.reasons] == [r.feature for r in by_definition.reasons]
        assert [r.cost for r in one.reasons] == pytest.approx([r.cost for r in by_definition.reasons], abs=1e-12)


def test_interpreted_as_compiled(corpus: Corpus, choice: Choice, monkeypatch: pytest.MonkeyPatch) -> None:
    choices, rows = choice.choices(corpus), np.arange(corpus.n_words)
    compiled = explain(choice, corpus, rows, choices)
    monkeypatch.setattr(probabilities, "Chooser", interpreted("models.choice.choice_kernel").Chooser)
    assert [one.lines() for one in explain(choice, corpus, rows, choices)] == [one.lines() for one in compiled]


def test_no_arcs_have_no_reasons(corpus: Corpus, choice: Choice) -> None:
    assert explain(choice, corpus, np.empty(0, dtype=np.int64), choice.choices(corpus)) == []


def test_tags_that_nobody_doubts_are_not_named(corpus: Corpus, choice: Choice) -> None:
    choices, rows = choice.choices(corpus), np.arange(corpus.n_words)
    assert choices.tags is not None
    for one in explain(choice, corpus, rows, replace(choices, tags=None)):
        assert not any("tagged" in note for note in one.notes)
    assert any("tagged" in note for one in explain(choice, corpus, rows, choices) for note in one.notes)
