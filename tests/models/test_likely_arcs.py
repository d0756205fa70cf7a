"""The arcs that a word may have, against all that `Sentence.rivals` finds."""

import numpy as np
import pytest

from tests.models.reasons_by_definition import Sentence
from tests.models.test_choice import corpus_of, random_tree, trained
from tests.trees import interpreted
from treegauge.corpus.corpus import Corpus
from treegauge.models.choice import probabilities
from treegauge.models.choice.best_arcs import LikelyArcs, likely_arcs
from treegauge.models.choice.probabilities import Choice


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    rng = np.random.default_rng(3)
    return corpus_of([random_tree(rng) for _ in range(12)], tmp_path_factory.mktemp("arcs"))


@pytest.fixture(scope="module")
def choice(corpus: Corpus) -> Choice:
    return Choice(trained(corpus).weights())


def own_arcs(choice: Choice, corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
    """The arcs of a corpus as given ones."""
    return corpus.head[:, None].astype(np.int32), choice.relation_codes(corpus)[:, None]


def rivals_of(choice: Choice, corpus: Corpus, row: int) -> dict[tuple[int, str], float]:
    """log p of every arc that `Sentence.rivals` looks at."""
    with np.errstate(over="ignore"):
        found = Sentence(choice, corpus, int(corpus.sentence[row])).rivals(int(corpus.position[row]))
    return {(one.head, one.relation): one.log_prob for one in found}


def test_arcs_are_the_likeliest_rivals(corpus: Corpus, choice: Choice) -> None:
    found = likely_arcs(choice, corpus, own_arcs(choice, corpus), least=0.0)
    judged = Choice(choice.weights).choices(corpus)
    assert np.array_equal(found.head[:, 0], corpus.head)
    assert np.array_equal(found.log_prob[:, 0], judged.log_prob)
    for row in range(corpus.n_words):
        rivals = rivals_of(choice, corpus, row)
        rivals.pop((int(corpus.head[row]), corpus.value("deprel", row)), None)
        best: dict[int, float] = {}
        for (head, _), log_prob in rivals.items():
            best[head] = max(best.get(head, -np.inf), log_prob)
        for column in range(1, found.head.shape[1]):
            head = int(found.head[row, column])
            if head not in best:  # beyond the heads that `rivals` looks at, or not used
                continue
            assert found.log_prob[row, column] == pytest.approx(best.pop(head), abs=1e-9)
            relation = choice.weights.relations[found.relation[row, column]]
            assert rivals[head, relation] == pytest.approx(found.log_prob[row, column], abs=1e-9)
        assert not best
        others = found.log_head[row, 2:]
        assert np.all(np.diff(others[others > -np.inf]) <= 0)


def test_given_arcs_are_judged_and_not_found_again(corpus: Corpus, choice: Choice) -> None:
    own_head, own_relation = own_arcs(choice, corpus)
    n, relations = corpus.n_words, len(choice.weights.relations)
    root = np.zeros(n, np.int32)
    same = (own_relation[:, 0] + 1) % relations  # the same head with another relation
    unknown = np.full(n, -1, np.int32)
    heads = np.stack([own_head[:, 0], own_head[:, 0], root, root, unknown], axis=1)
    codes = np.stack([own_relation[:, 0], same, own_relation[:, 0], unknown, root], axis=1).astype(np.int32)
    found = likely_arcs(choice, corpus, (heads, codes), least=0.0)
    assert np.array_equal(found.head[:, :5], heads)
    assert (found.log_prob[:, 4] == -np.inf).all()
    assert (found.log_relation[:, 3] == choice.log_unknown).all()
    for row in range(n):
        rivals = rivals_of(choice, corpus, row)
        arcs = [
            (int(h), choice.weights.relations[r]) for h, r in zip(found.head[row], found.relation[row], strict=True)
        ]
        for column in (0, 1, 2):
            if arcs[column] in rivals:
                assert found.log_prob[row, column] == pytest.approx(rivals[arcs[column]], abs=1e-9)
        extra = [arc for arc, h in zip(arcs[5:], found.head[row, 5:], strict=True) if h >= 0]
        assert len(set(extra)) == len(extra)
        assert not set(extra) & {arc for k, arc in enumerate(arcs[:5]) if k in (0, 1, 2)}


def test_only_so_many_and_so_probable(corpus: Corpus, choice: Choice) -> None:
    own = own_arcs(choice, corpus)
    full, few = likely_arcs(choice, corpus, own, least=0.0), likely_arcs(choice, corpus, own, most=2, least=0.05)
    expected = np.where(full.log_head[:, :3] >= np.log(0.05), full.head[:, :3], -1)
    assert np.array_equal(few.head[:, 2], expected[:, 2])
    assert np.array_equal(few.head[:, :2], full.head[:, :2])
    assert np.all(np.isinf(few.log_prob) == (few.head < 0))


def test_interpreted_as_compiled(corpus: Corpus, choice: Choice, monkeypatch: pytest.MonkeyPatch) -> None:
    def same(one: LikelyArcs, other: LikelyArcs) -> bool:
        alike = np.array_equal(one.head, other.head) and np.array_equal(one.relation, other.relation)
        return alike and np.allclose(one.log_prob, other.log_prob, rtol=1e-12)

    given = own_arcs(choice, corpus)
    compiled = likely_arcs(choice, corpus, given)
    monkeypatch.setattr(probabilities, "Chooser", interpreted("models.choice.choice_kernel").Chooser)
    assert same(compiled, likely_arcs(choice, corpus, given))


def test_no_words(corpus: Corpus, choice: Choice) -> None:
    nothing = corpus.part(0, 0)
    assert likely_arcs(choice, nothing, own_arcs(choice, nothing)).head.shape[0] == 0
