"""What other parses say of an arc, against brute force on small texts, and what it does to scores."""

import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scoring import Given
from tests.trees import corpora
from treegauge.corpus.conllu import parse_conllu, read_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError, OptionError
from treegauge.evaluation.judging.judge import JudgeOptions, judge
from treegauge.explanations import Alternatives
from treegauge.ranking.scored import score
from treegauge.scorers.opinions import ABSENT, BOTH, HEAD, NEITHER, Opinions
from treegauge.scorers.other_parses import OtherParses, other_parses
from treegauge.scorers.registry import scorer
from treegauge.scorers.scorer import Scorer
from treegauge.scorers.second_opinions import AgreementScorer, OpinionScorer
from treegauge.scorers.trust import WRONG_ARCS, accuracies, objections, weights


def text(*rows: str) -> Corpus:
    """Sentences given as `form head relation` words with commas between."""
    lines = []
    for row in rows:
        words = [word.split() for word in row.split(", ")]
        lines += [f"{k}\t{form}\t_\tX\t_\t_\t{head}\t{rel}\t_\t_\n" for k, (form, head, rel) in enumerate(words, 1)]
        lines.append("\n")
    return parse_conllu("".join(lines))


def opinions_on(parse: Corpus, others: list[Corpus], names: list[str] | None = None) -> Opinions:
    """What other parses say of a whole parse."""
    return other_parses(parse, others, names or [str(k) for k in range(len(others))])(parse)


HERE = text("She 2 nsubj, ran 0 root, home 2 obl, fast 3 advmod")
B = text("She 2 nsubj:outer, ran 0 root, home 2 obj, fast 2 advmod")
C = text("She 2 nsubj, ran 0 root, home 2 obl, fast 3 advmod")


def test_each_parse_says_of_each_arc_what_it_has() -> None:
    found = opinions_on(HERE, [B, C], ["B", "C"])
    assert found.says.tolist() == [[BOTH, BOTH, HEAD, NEITHER], [BOTH] * 4]
    assert found.head.tolist() == [[2, 0, 2, 2], [2, 0, 2, 3]]


def test_other_words_and_sentences_are_aligned_and_counted() -> None:
    here = text("I 3 nsubj, cannot 3 aux, go 0 root, . 3 punct, Stop 3 parataxis, ! 5 punct")
    other = text("I 4 nsubj, can 4 aux, not 4 advmod, go 0 root, . 4 punct", "Stop 0 root, ! 1 punct")
    others = other_parses(here, [other], ["B"])
    assert others(here).says.tolist() == [[BOTH, ABSENT, BOTH, BOTH, NEITHER, BOTH]]
    assert others.notes == ("B lacks 1 word of 6, or cuts the text otherwise there: scored without it",)
    back = opinions_on(other, [here])
    assert back.says.tolist() == [[BOTH, ABSENT, ABSENT, BOTH, BOTH, NEITHER, BOTH]]
    assert back.head[0].tolist()[5] == -1  # Stop has its head in the sentence before


def test_a_text_without_a_common_word_is_refused() -> None:
    with pytest.raises(CorpusError, match="B: no word of it is one of the parse's"):
        other_parses(HERE, [text("He 2 nsubj, ran 0 root")], ["B"])


def test_every_other_parse_has_one_name() -> None:
    with pytest.raises(OptionError, match="1 name of 2 other parses"):
        other_parses(HERE, [B, C], ["B"])
    with pytest.raises(OptionError, match="0 names of 0 other parses"):
        other_parses(HERE, [])
    with pytest.raises(OptionError, match="expected each once"):
        other_parses(HERE, [B, C], ["B", "B"])


def test_corpora_without_a_file_are_numbered() -> None:
    assert other_parses(HERE, [B, C]).names == ("<text> (1)", "<text> (2)")


def test_standard_input_cannot_be_another_parse_nor_have_one() -> None:
    with pytest.raises(OptionError, match="cannot be standard input"):
        other_parses(HERE, ["-"])
    with pytest.raises(OptionError, match="standard input cannot be read twice"):
        other_parses("-", [B], ["B"])


def slow_accuracies(groups: np.ndarray, passes: int) -> list[float]:
    """The same word by word, over every arc that a parse gives it and none of them."""
    accuracy = [0.8] * len(groups)
    for _ in range(passes):
        right, words = [1.0] * len(groups), [2.0] * len(groups)
        for column in groups.T.tolist():
            odds = {-1: 1.0}
            for k, arc in enumerate(column):
                if arc >= 0:
                    odds[arc] = odds.get(arc, 1.0) * WRONG_ARCS * accuracy[k] / (1 - accuracy[k])
            total = sum(odds.values())
            for k, arc in enumerate(column):
                if arc >= 0:
                    words[k] += 1
                    right[k] += odds[arc] / total
        accuracy = [min(max(r / n, 0.2), 0.99) for r, n in zip(right, words, strict=True)]
    return accuracy


@st.composite
def groups(draw: st.DrawFn) -> np.ndarray:
    """Who agrees with whom, of two to four parses; the first has every word."""
    n, words = draw(st.integers(2, 4)), draw(st.integers(1, 6))
    columns = []
    for _ in range(words):
        arcs = [0, *(draw(st.integers(-1, 3)) for _ in range(n - 1))]
        columns.append([-1 if arc < 0 else arcs.index(arc) for arc in arcs])
    return np.array(columns).T


@given(groups(), st.integers(1, 10))
def test_accuracies_are_those_of_the_plain_definition(found: np.ndarray, passes: int) -> None:
    """Few passes: where two parses are alike, more of them make the last digit of a sum grow."""
    assert accuracies(found, passes).tolist() == pytest.approx(slow_accuracies(found, passes))


def test_a_parse_that_others_contradict_is_trusted_less() -> None:
    agree, alone = [0, 0, 0, 0], [0, 0, 0, 3]
    accuracy = accuracies(np.array([agree] * 6 + [alone] * 4).T)
    assert accuracy[3] == pytest.approx(0.6, abs=0.1)
    assert (accuracy[:3] > 0.9).all()


@given(corpora(most=3))
def test_a_parse_agrees_with_itself(lines: str) -> None:
    corpus = parse_conllu(lines)
    found = opinions_on(corpus, [corpus])
    assert (found.says == BOTH).all()
    assert (found.groups == 0).all()


@given(st.data(), st.integers(1, 4), st.integers(1, 5))
def test_a_parse_that_comes_to_agree_raises_the_score(data: st.DataObject, others: int, words: int) -> None:
    cell = st.integers(ABSENT, BOTH)
    says = np.array([[data.draw(cell) for _ in range(words)] for _ in range(others)])
    weight = np.array([data.draw(st.floats(0.7, 6)) for _ in range(others)])
    before = objections(says, weight)
    for k, w in product(range(others), range(words)):
        agreeing = says.copy()
        agreeing[k, w] = BOTH
        after = objections(agreeing, weight)[w]
        assert after <= before[w] + 1e-9
        if says[k, w] in (HEAD, NEITHER):
            assert after < before[w]


def test_objections_by_hand() -> None:
    says = np.array([[BOTH, HEAD, NEITHER, ABSENT, ABSENT], [BOTH, BOTH, NEITHER, NEITHER, ABSENT]])
    # weights 1 and 3; word 4: one of one is against it, so both are; word 5: as the text, 8 of 15
    found = objections(says, np.array([1.0, 3.0]))
    assert found.tolist() == pytest.approx([0, 1, 4, 4, 4 * 8 / 15])


def test_agreement_always_speaks_for_an_arc() -> None:
    assert accuracies(np.array([[0] * 9, [1] * 9]).astype(int)).min() >= 0.2
    assert weights(np.array([0.2])).tolist() == pytest.approx([math.log(2)])  # 8 · .2 / .8


def opinion_scorer(base: Scorer) -> tuple[OpinionScorer, OtherParses]:
    others = other_parses(HERE, [B, C], ["B", "C"])
    return OpinionScorer(base, AgreementScorer(others)), others


class Suggesting(Given):
    """Scores that are known, and another arc for every word."""

    suggests = True

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        n = len(rows)
        return Alternatives(np.ones(n, int), np.full(n, "dep", object), np.full(n, -1.0), self.given[rows])


def test_scores_fall_by_the_weight_of_every_parse_with_another_arc() -> None:
    scorer, others = opinion_scorer(Given(np.array([-1.0, -2.0, -3.0, -4.0])))
    weight = others.weight[1]
    assert scorer.scores(HERE).tolist() == pytest.approx([-1, -2, -3 - weight, -4 - weight])
    assert AgreementScorer(others).scores(HERE).tolist() == pytest.approx([0, 0, -weight, -weight])


def test_explanations_say_who_has_what() -> None:
    scorer, others = opinion_scorer(Given(np.zeros(4)))
    found = scorer.explain(HERE, np.arange(4))
    assert [one.lines() for one in found] == [
        ["B: as here; C: as here"],
        ["B: as here; C: as here"],
        ["B: obj of the same head; C: as here"],
        ["B: advmod of 'ran'; C: as here"],
    ]
    assert [one.log_score for one in found] == pytest.approx(scorer.scores(HERE).tolist())
    assert found[3].reasons[0].cost == pytest.approx(others.weight[1])


def test_explanations_name_roots_missing_words_and_other_sentences() -> None:
    here = text("I 3 nsubj, can 3 aux, go 0 root", "Stop 0 root, it 1 obj")
    other = text("Ican 0 root, go 1 xcomp, Stop 2 conj, it 0 dep")
    scorer = OpinionScorer(Given(np.zeros(5)), AgreementScorer(other_parses(here, [other], ["B"])))
    assert [one.lines()[0] for one in scorer.explain(here, np.arange(5))] == [
        "B: does not have this word",
        "B: does not have this word",
        "B: xcomp of a word that is not in this sentence",
        "B: conj of a word that is not in this sentence",
        "B: dep, the root",
    ]
    assert scorer.notes == ("B lacks 2 words of 5, or cuts the text otherwise there: scored without it",)


def test_suggestions_are_those_of_the_other_scorer() -> None:
    scorer, _ = opinion_scorer(Suggesting(np.zeros(4)))
    assert scorer.suggests
    assert scorer.alternatives(HERE, np.arange(2)).relation.tolist() == ["dep", "dep"]
    plain, _ = opinion_scorer(Given(np.zeros(4)))
    assert not plain.suggests


class ByRow(Scorer):
    """Minus the position of each word."""

    def __init__(self) -> None:
        super().__init__("by row", "by row")

    def scores(self, corpus: Corpus) -> np.ndarray:
        return -corpus.position.astype(float)


def test_values_of_words_can_be_written_with_second_opinions() -> None:
    corpus = read_conllu("tests/data/difficulty_system.conllu")
    others = other_parses(corpus, ["tests/data/difficulty_gold.conllu"])
    for made in (scorer(model="en", others=others), scorer("choice", by_itself=corpus)):
        assert "RatherHead=" in score(corpus, made).to_conllu()


def test_pieces_are_scored_as_the_whole_is_and_can_be_gone_through_again() -> None:
    here = text("a 2 x, b 0 root", "c 0 root, d 1 x, e 1 x", "f 0 root")
    other = text("a 2 x, b 0 root, c 2 z, d 1 y", "e 2 x, f 0 root")
    scorer = OpinionScorer(ByRow(), AgreementScorer(other_parses(here, [other], ["B"])))
    whole = scorer.scores(here).tolist()
    for _ in range(2):
        pieces = [here.part(0, 1), here.part(1, 2), here.part(2, 3)]
        # an absent word counts as the words of its piece do: here every word is there
        assert [score for piece in pieces for score in scorer.scores(piece).tolist()] == whole


def test_files_in_pieces_are_scored_as_the_whole_is(tmp_path: Path) -> None:
    def lines(relation: str) -> str:
        return f"1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\t{relation}\t_\t_\n\n"

    for name, relation in (("1.conllu", "x"), ("2.conllu", "y")):
        (tmp_path / name).write_text(lines(relation))
    (tmp_path / "other.conllu").write_text(lines("x") + lines("x"))
    files = [tmp_path / "1.conllu", tmp_path / "2.conllu"]
    scorer = OpinionScorer(ByRow(), AgreementScorer(other_parses(files, [tmp_path / "other.conllu"])))
    found = [scorer.scores(piece).tolist() for piece in stream_conllu(*files, block=1)]
    assert [score for piece in found for score in piece] == scorer.scores(read_conllu(*files)).tolist()
    assert found[0] != found[-1]
    assert scorer.agreement.others.names == ("other",)


LONG = [f"Some{k}words 2 nsubj, happen{k * k} 0 root, here{k}again 2 obl, . 2 punct" for k in range(40)]


@pytest.mark.parametrize("kept", [range(20, 40), range(0, 20), range(10, 30), [*range(5), *range(12, 25), 30, 31, 39]])
@pytest.mark.parametrize("size", [3, 40])
def test_a_parse_of_a_part_of_the_text_is_found_in_it_and_the_other_way_round(kept: list[int], size: int) -> None:
    whole, part = text(*LONG), text(*(LONG[k] for k in kept))
    there = np.repeat(np.isin(np.arange(40), list(kept)), 4)
    others = other_parses(whole, [part], ["B"])
    pieces = [whole.part(low, min(low + size, 40)) for low in range(0, 40, size)]
    says = np.concatenate([others(piece).says[0] for piece in pieces])
    assert (says == np.where(there, BOTH, ABSENT)).all()
    assert others.parses[0].unmatched == (~there).sum()
    assert (opinions_on(part, [whole]).says == BOTH).all()


def test_a_parse_with_other_characters_is_asked_about_the_rest() -> None:
    here = text(*LONG[:6])
    other = text(*LONG[:2], "“Some2words 2 nsubj, happen4 0 root, here2again 2 obl, . 2 punct", *LONG[3:6])
    says = opinions_on(here, [other]).says[0]
    assert np.flatnonzero(says == ABSENT).tolist() == [8]
    assert (np.delete(says, 8) == BOTH).all()


def test_a_parse_that_others_contradict_counts_less() -> None:
    rng = np.random.default_rng(0)

    def parse(wrong: float) -> Corpus:
        heads = [1 if rng.random() > wrong else int(rng.integers(2, 6)) for _ in range(300)]
        return text(*(f"a{k} 0 root, b 1 x, c 1 x, d 1 x, e 1 x, f {head} x" for k, head in enumerate(heads)))

    good, fair, bad = parse(0.05), parse(0.2), parse(0.9)
    weight = other_parses(good, [fair, bad], ["fair", "bad"]).weight
    assert weight[0] > weight[1] > weight[2] > 0


def test_a_ranking_with_second_opinions_is_judged() -> None:
    gold = text("She 2 nsubj, ran 0 root, home 2 obl, fast 2 advmod")
    scorer, _ = opinion_scorer(Given(np.zeros(4)))
    (judged,) = judge(gold, HERE, scorer, JudgeOptions(True, samples=0)).judgements
    assert judged.scorer == "given+opinions"
    assert judged.roc_auc == pytest.approx(0.75)  # of two right arcs, one ties with the wrong one


def test_heads_in_another_sentence_are_no_common_arc() -> None:
    here = text("a 0 root", "b 0 root")
    joined = text("a 0 root, b 1 x")
    found = opinions_on(here, [joined, joined, here])
    assert found.groups.tolist() == [[0, 0], [0, 1], [0, 2], [0, 0]]


@given(corpora(most=2, words=4), st.data())
def test_groups_are_those_of_a_comparison_of_all_arcs(lines: str, data: st.DataObject) -> None:
    here = parse_conllu(lines)
    n, others = here.n_words, []
    for _ in range(2):
        keep = [data.draw(st.booleans()) for _ in range(n)]  # words that are not kept hang from the root
        others.append(replace(here, head=np.where(keep, here.head, 0).astype(np.int32), checked=None))
    names = [label.partition(":")[0] for label in here.labels["deprel"]]
    relations = [names[code] for code in here.codes["deprel"]]
    answers = [list(zip(one.head.tolist(), relations, strict=True)) for one in (here, *others)]
    expected = [[min(j for j in range(k + 1) if answers[j][w] == answers[k][w]) for w in range(n)] for k in range(3)]
    assert opinions_on(here, others).groups.tolist() == expected
