"""Repair of a parse by the best tree."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from treegauge.choice.learning import learn_choice
from treegauge.choice.likely_arcs import LikelyArcs, likely_arcs
from treegauge.choice.probabilities import Choice
from treegauge.choice.words import COLUMNS
from treegauge.combining.repair import CAUTIOUS, ENTIRE, Trust, learn_trust, repair, right_columns
from treegauge.corpus.conllu import Corpus, read_conllu
from treegauge.errors import CorpusError

NOUNS = ("owl", "barn", "mouse", "lamp", "cup")
VERBS = ("saw", "ate", "took", "met")


def sentence(rng: np.random.Generator, wrong: bool) -> str:
    """The owl saw a cup; wrong: articles belong to the verb, and both nouns are objects."""
    a, b, verb = rng.choice(NOUNS), rng.choice(NOUNS), rng.choice(VERBS)
    rows = [
        ("the", "DET", 3 if wrong else 2, "det"),
        (a, "NOUN", 3, "obj" if wrong else "nsubj:agent"),
        (verb, "VERB", 0, "root"),
        ("a", "DET", 3 if wrong else 5, "det"),
        (b, "NOUN", 3, "obj"),
    ]
    lines = (f"{k}\t{w}\t{w}\t{t}\t_\t_\t{h}\t{r}\t_\t_\n" for k, (w, t, h, r) in enumerate(rows, 1))
    return "".join(lines) + "\n"


def read(path: Path, wrong: list[bool]) -> Corpus:
    rng = np.random.default_rng(1)
    path.write_text("".join(sentence(rng, one) for one in wrong))
    return read_conllu(path, columns=COLUMNS)


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return read(tmp_path_factory.mktemp("gold") / "gold.conllu", 60 * [False])


@pytest.fixture(scope="module")
def choice(gold: Corpus) -> Choice:
    return Choice(learn_choice([gold]))


@pytest.fixture
def system(tmp_path: Path) -> Corpus:
    return read(tmp_path / "system.conllu", 15 * [True, False, False, False])


def test_wrong_arcs_are_repaired_and_right_ones_stay(gold: Corpus, system: Corpus, choice: Choice) -> None:
    arcs = likely_arcs(choice, system)
    found = repair(system, arcs, Trust(1.0))
    assert np.array_equal(found.head, gold.head)
    assert np.array_equal(found.changed[system.head != gold.head], np.ones(30, dtype=bool))
    assert found.relation[:5].tolist() == ["det", "nsubj", "root", "det", "obj"]
    assert found.relation[5:10].tolist() == ["det", "nsubj:agent", "root", "det", "obj"]
    assert np.array_equal(found.log_prob, arcs.log_prob[np.arange(300), found.column])


def test_a_changed_head_keeps_the_subtype(system: Corpus) -> None:
    n, part = 5, system.part(1, 2)  # nsubj:agent of the second word
    head = np.stack([part.head, np.where(np.arange(n) == 1, 5, -1)], axis=1).astype(np.int32)
    log = np.where(head < 0, -np.inf, np.stack([np.full(n, -3.0), np.full(n, -0.1)], axis=1))
    arcs = LikelyArcs(head, np.zeros((n, 2), dtype=np.int32), log, np.zeros((n, 2)), ("nsubj",))
    found = repair(part, arcs, Trust(1.0))
    assert (found.head[1], found.relation[1], found.changed.tolist()) == (5, "nsubj:agent", [False, True] + 3 * [False])


def test_nothing_changes_for_a_parser_that_is_trusted_entirely(system: Corpus, choice: Choice) -> None:
    found = repair(system, likely_arcs(choice, system), ENTIRE)
    assert not found.changed.any()
    assert np.array_equal(found.head, system.head)


def test_only_arcs_that_are_probable_enough(system: Corpus, choice: Choice) -> None:
    arcs = likely_arcs(choice, system)
    for least in (0.5, 0.9, 0.99):
        found = repair(system, arcs, Trust(0.0, least))
        assert np.all(np.exp(found.log_prob[found.changed]) >= least)
    assert not repair(system, arcs, Trust(0.0, 1.0)).changed.any()
    before = arcs.log_prob.copy()
    repair(system, arcs, CAUTIOUS)
    assert np.array_equal(arcs.log_prob, before)


def test_trust_is_learned_from_gold(gold: Corpus, system: Corpus, choice: Choice) -> None:
    arcs = likely_arcs(choice, system)
    right = right_columns(gold, system, choice, arcs)
    trust = learn_trust(system, arcs, right)
    assert 0 <= trust.bonus < 8
    repaired = repair(system, arcs, trust)
    assert right[np.arange(300), repaired.column].all()
    # the system itself is gold: whatever is changed gets worse
    own = right_columns(system, system, choice, arcs)
    assert own[:, 0].all()
    assert learn_trust(system, arcs, own) == ENTIRE
    # only some words count
    none = np.zeros(300, dtype=bool)
    assert learn_trust(system, arcs, right, none) == ENTIRE


def test_right_columns_look_at_head_and_universal_relation(gold: Corpus, system: Corpus, choice: Choice) -> None:
    arcs = likely_arcs(choice, system)
    right = right_columns(gold, system, choice, arcs)
    assert right[:5, 0].tolist() == [False, False, True, False, True]
    row = 1  # nsubj:agent in gold; its head is the given one
    nsubj = arcs.relations.index("nsubj")
    assert right[row].tolist() == ((arcs.head[row] == 3) & (arcs.relation[row] == nsubj)).tolist()
    with pytest.raises(CorpusError, match="do not have the same words"):
        right_columns(gold.part(0, 2), system, choice, arcs)


def test_relations_that_the_weights_have_not(system: Corpus, choice: Choice) -> None:
    """They are kept as they are written, and are right only where gold has the same."""
    codes, labels = dict(system.codes), dict(system.labels)
    labels["deprel"] = tuple("strange" if name == "det" else name for name in labels["deprel"])
    strange = replace(system, codes=type(system.codes)(codes), labels=type(system.labels)(labels))
    arcs = likely_arcs(choice, strange)
    assert (arcs.relation[:, 0] == -1).sum() == 120
    assert not right_columns(system, strange, choice, arcs)[arcs.relation[:, 0] == -1, 0].any()
    assert right_columns(strange, strange, choice, arcs)[:, 0].all()
    found = repair(strange, arcs, ENTIRE)
    assert set(found.relation[arcs.relation[:, 0] == -1]) == {"strange"}


def test_unused_columns_are_never_taken(system: Corpus) -> None:
    n = system.n_words
    head = np.stack([system.head, np.full(n, -1)], axis=1).astype(np.int32)
    log = np.stack([np.full(n, -50.0), np.full(n, -np.inf)], axis=1)
    arcs = LikelyArcs(head, np.zeros((n, 2), dtype=np.int32), log, np.zeros((n, 2)), ("det",))
    assert not repair(system, arcs, Trust(0.0)).changed.any()
