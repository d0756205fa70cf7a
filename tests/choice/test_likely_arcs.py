"""The arcs that a word may have, against all that `Sentence.rivals` finds."""

from pathlib import Path

import numpy as np
import pytest

from tests.choice.test_choice import corpus_of, random_tree, trained
from tests.trees import interpreted
from treegauge.choice import probabilities
from treegauge.choice.likely_arcs import LikelyArcs, likely_arcs
from treegauge.choice.probabilities import Choice
from treegauge.choice.rivals import Choosers, Sentence
from treegauge.corpus.conllu import Corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    rng = np.random.default_rng(3)
    return corpus_of([random_tree(rng) for _ in range(12)], tmp_path_factory.mktemp("arcs"))


@pytest.fixture(scope="module")
def choice(corpus: Corpus) -> Choice:
    return Choice(trained(corpus).weights())


def test_arcs_are_the_likeliest_rivals(corpus: Corpus, choice: Choice) -> None:
    found = likely_arcs(choice, corpus, least=0.0)
    judged = Choice(choice.weights).choices(corpus)
    assert np.array_equal(found.head[:, 0], corpus.head)
    assert np.array_equal(found.log_prob[:, 0], judged.log_prob)
    words, choosers = choice.hashes.words(corpus), Choosers(choice)
    for row in range(corpus.n_words):
        s, d = int(corpus.sentence[row]), int(corpus.position[row])
        with np.errstate(over="ignore"):
            rivals = Sentence(choosers, corpus, words, s).rivals(d)
        given = (int(corpus.head[row]), corpus.value("deprel", row))
        best: dict[int, tuple[str, float]] = {}
        for rival in rivals:
            if (rival.head, rival.relation) != given:
                best.setdefault(rival.head, (rival.relation, rival.log_prob))
        for column in range(1, found.head.shape[1]):
            head = int(found.head[row, column])
            if head not in best:  # beyond the heads that `rivals` looks at, or not used
                continue
            relation, log_prob = best.pop(head)
            assert found.log_prob[row, column] == pytest.approx(log_prob, abs=1e-9)
            scores = {rival.relation: rival.log_prob for rival in rivals if rival.head == head}
            assert scores[found.relations[found.relation[row, column]]] == pytest.approx(scores[relation], abs=1e-9)
        assert not best
        others = found.log_head[row, 2:]
        assert np.all(np.diff(others[others > -np.inf]) <= 0)


def test_only_so_many_and_so_probable(corpus: Corpus, choice: Choice) -> None:
    full, few = likely_arcs(choice, corpus, least=0.0), likely_arcs(choice, corpus, most=3, least=0.05, threads=1)
    expected = np.where(full.log_head[:, :3] >= np.log(0.05), full.head[:, :3], -1)
    assert np.array_equal(few.head[:, 2], expected[:, 2])
    assert np.array_equal(few.head[:, :2], full.head[:, :2])
    assert np.all(np.isinf(few.log_prob) == (few.head < 0))
    with pytest.raises(ValueError, match="expected 2 or more"):
        likely_arcs(choice, corpus, most=1)


def test_interpreted_as_compiled(corpus: Corpus, choice: Choice, monkeypatch: pytest.MonkeyPatch) -> None:
    def same(one: LikelyArcs, other: LikelyArcs) -> bool:
        alike = np.array_equal(one.head, other.head) and np.array_equal(one.relation, other.relation)
        return alike and np.allclose(one.log_prob, other.log_prob, rtol=1e-12)

    compiled = likely_arcs(choice, corpus)
    monkeypatch.setattr(probabilities, "Chooser", interpreted("choice.choice_kernel").Chooser)
    assert same(compiled, likely_arcs(choice, corpus))


def test_no_words(corpus: Corpus, choice: Choice, tmp_path: Path) -> None:
    assert likely_arcs(choice, corpus.part(0, 0)).head.shape[0] == 0
