"""The best trees of one parse or several: what is changed, by whom, and how probable it is."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.test_spanning import best_sum
from tests.trees import corpora
from treegauge.corpus.compare.comparison import side_by_side
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import OptionError
from treegauge.models.choice.best_arcs import best_columns
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.words import COLUMNS
from treegauge.parsing.combine import Combiner, combine
from treegauge.scorers.other_parses import other_parses
from treegauge.scorers.trust import (
    ALONE,
    ENTIRE,
    HEAD_ONLY,
    REST,
    TOGETHER,
    Trust,
    candidates,
    learn_trust,
    log_odds,
    right_columns,
)

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
    found = Combiner(choice, trust=Trust(1.0))(system)
    assert np.array_equal(found.head, gold.head)
    assert found.deprel[:5].tolist() == ["det", "nsubj", "root", "det", "obj"]
    assert found.deprel[5:10].tolist() == ["det", "nsubj:agent", "root", "det", "obj"]
    assert np.array_equal(found.changed, (system.head != gold.head) | (np.arange(300) % 20 == 1))
    assert set(found.source[found.changed]) == {"model"}


def test_nothing_changes_for_a_parser_that_is_trusted_entirely(system: Corpus, choice: Choice) -> None:
    found = Combiner(choice, trust=ENTIRE)(system)
    assert not found.changed.any()
    assert np.array_equal(found.head, system.head)


def test_the_first_parse_is_repaired_by_what_the_others_have(gold: Corpus, system: Corpus) -> None:
    others = other_parses(system, [gold, gold], ["B", "C"])  # two against one, without a model
    found = Combiner(None, others)(system)
    assert np.array_equal(found.head, gold.head)
    assert found.deprel[1] == "nsubj:agent"  # with the subtype that the others have
    assert set(found.source[found.changed]) == {"B,C"}
    assert np.array_equal(combine(system, [gold], trust=Trust(1.0, own=0.1)).head, gold.head)


def test_a_sentence_that_has_no_tree_with_one_root_stays_as_it_is() -> None:
    here = parse_conllu("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    other = parse_conllu("1\ta\t_\tX\t_\t_\t0\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    found = Combiner(None, other_parses(here, [other, other], ["B", "C"]))(here)
    assert (found.head.tolist(), found.changed.any()) == ([0, 0], False)


def test_one_parse_without_a_model_is_refused(system: Corpus) -> None:
    with pytest.raises(OptionError, match="expected a model, or other parses"):
        combine(system)


def test_the_trees_written_can_be_read_and_compared(gold: Corpus, system: Corpus, choice: Choice) -> None:
    made = Combiner(choice, trust=Trust(1.0))(system)
    written = parse_conllu(made.conllu())
    assert np.array_equal(written.head, made.head)
    assert [written.value("deprel", k) for k in range(300)] == made.deprel.tolist()
    lines = [line.split("\t") for line in made.conllu().decode().splitlines() if line]
    assert lines[0][6:8] == ["2", "det"]
    misc = dict(part.split("=") for part in lines[0][9].split("|"))
    assert misc == {"Probability": f"{made.probability[0]:.4g}", "WasHead": "3", "WasDeprel": "det", "From": "model"}
    assert lines[5][9] == f"Probability={made.probability[5]:.4g}"
    plain = [line[:6] for line in lines]
    assert plain == [line.split("\t")[:6] for line in system.text.tobytes().decode().splitlines() if line]


def test_only_arcs_that_are_probable_enough_are_changed(system: Corpus, choice: Choice) -> None:
    trust = Trust(1.0, intercept=-1.0, slope=0.5)
    everything = Combiner(choice, trust=trust)(system)
    bound = float(np.median(everything.probability[everything.changed]))
    some = Combiner(choice, trust=trust, only_if=bound)(system)
    assert 0 < some.changed.sum() < everything.changed.sum()
    assert (some.probability[some.changed] >= bound).all()
    assert not Combiner(choice, trust=trust, only_if=1.0)(system).changed.any()


def test_the_default_for_one_parse_wants_choice_to_be_sure(system: Corpus, choice: Choice) -> None:
    arcs = Combiner(choice).candidates(system)
    column = np.argmax(arcs.scores(np.ones(1), ALONE), axis=1)
    changed = np.flatnonzero(column)
    assert (np.exp(arcs.log_prob[changed, column[changed]]) >= ALONE.least).all()


def test_trust_is_learned_from_gold(gold: Corpus, system: Corpus, choice: Choice) -> None:
    combiner = Combiner(choice)
    trust = combiner.learned_trust(side_by_side(system, gold))
    repaired = Combiner(choice, trust=trust)(system)
    assert np.array_equal(repaired.head, gold.head)
    # the system itself is gold: whatever is changed gets worse
    own = combiner.learned_trust(side_by_side(system, system))
    assert (own.scale, own.least) == (ENTIRE.scale, ENTIRE.least)
    arcs = combiner.candidates(system)
    nothing = learn_trust(arcs, np.ones(1), right_columns(arcs, side_by_side(system, gold)), np.zeros(300, dtype=bool))
    assert nothing.scale == ENTIRE.scale


def test_a_first_parse_that_is_far_better_gets_more_weight(gold: Corpus, tmp_path: Path) -> None:
    bad = [read(tmp_path / f"{k}.conllu", 20 * [True, False, False]) for k in range(2)]  # wrong in the same places
    combiner = Combiner(None, other_parses(gold, bad))
    assert combiner.learned_trust(side_by_side(gold, gold)).own > 1


def test_right_arcs_have_head_and_universal_relation_of_gold(gold: Corpus, system: Corpus, choice: Choice) -> None:
    arcs = Combiner(choice).candidates(system)
    right = right_columns(arcs, side_by_side(system, gold))
    assert right[:5, 0].tolist() == [False, False, True, False, True]
    nsubj = arcs.relations.index("nsubj")  # nsubj:agent in gold; its head is the given one
    assert right[1].tolist() == ((arcs.head[1] == 3) & (arcs.relation[1] == nsubj)).tolist()


def test_relations_that_the_model_has_not_stay_as_they_are_written(system: Corpus, choice: Choice) -> None:
    strange = parse_conllu(system.text.tobytes().replace(b"\tdet\t", b"\tstrange:one\t"))
    found = Combiner(choice, trust=ENTIRE)(strange)
    assert set(found.deprel[[0, 3]]) == {"strange:one"}
    arcs = Combiner(choice).candidates(strange)
    assert right_columns(arcs, side_by_side(strange, strange))[:, 0].all()


WEIGHT = np.array([1.5, 1.0, 0.5])


@given(corpora(least=1, most=1, words=5), st.data())
def test_the_tree_is_the_best_of_all_trees(lines: str, data: st.DataObject) -> None:
    """Scores by their definition, and all trees of up to five words."""
    here = parse_conllu(lines)
    n = here.n_words
    parses = [here]
    for _ in range(2):
        words = [line.split("\t") for line in lines.splitlines() if line]
        for k, word in enumerate(words):
            if data.draw(st.booleans()):  # a path to the left: always a tree
                word[6] = str(k)
                word[7] = "root" if k == 0 else data.draw(st.sampled_from(("obj", "amod")))
            else:
                word[6] = str(k)
        parses.append(parse_conllu("\n".join("\t".join(word) for word in words) + "\n\n"))
    arcs = candidates(here, [side_by_side(here, one) for one in parses[1:]], None)
    scores = arcs.scores(WEIGHT, Trust(2.0))
    table = np.full((n + 1, n), -np.inf)
    for row in range(n):
        for column in range(3):
            head, relation = int(arcs.head[row, column]), int(arcs.relation[row, column])
            if head < 0:
                assert scores[row, column] == -np.inf
                continue
            expected = 0.0
            for k in range(3):
                if arcs.parse_head[k, row] == head:
                    expected += 2 * WEIGHT[k] * (1.0 if arcs.parse_relation[k, row] == relation else HEAD_ONLY)
            assert scores[row, column] == pytest.approx(expected)
            table[head, row] = max(table[head, row], expected)
    best, column = best_sum(table), best_columns(arcs.head, scores, here.start)
    if best > -np.inf:
        assert scores[np.arange(n), column].sum() == pytest.approx(best)
    else:
        assert (column == -1).all()


@given(st.lists(st.lists(st.floats(-20, 20), min_size=3, max_size=3), min_size=1, max_size=4))
def test_log_odds_are_those_of_the_definition(rows: list[list[float]]) -> None:
    score = np.array(rows)
    score[0, 2] = -np.inf
    found = log_odds(score)
    for row, values in enumerate(score.tolist()):
        for column, value in enumerate(values):
            others = [np.exp(v) for k, v in enumerate(values) if k != column] + [np.exp(REST)]
            assert found[row, column] == pytest.approx(value - np.log(sum(others)))


def test_what_all_parses_have_stays_but_is_not_equally_probable(gold: Corpus, choice: Choice) -> None:
    combiner = Combiner(choice, other_parses(gold, [gold, gold], ["B", "C"]))
    assert combiner.trust == TOGETHER
    made = combiner(gold)
    assert not made.changed.any()
    log_prob = combiner.candidates(gold).log_prob[:, 0]
    low, high = np.argmin(log_prob), np.argmax(log_prob)
    assert made.probability[low] < made.probability[high]
