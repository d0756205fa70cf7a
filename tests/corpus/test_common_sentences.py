"""A sentence that is malformed in gold is left out on both sides; one that a system lacks counts as wrong."""

import numpy as np
import pytest

from treegauge.corpus.compare.align import common_sentences
from treegauge.corpus.compare.comparison import Unmatched, side_by_side
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.tokens import without_malformed_layers
from treegauge.errors import CorpusError
from treegauge.evaluation.attachment.breakdown import breakdown
from treegauge.evaluation.attachment.evaluation import Coverage, evaluate, read_side


def sentence(*forms: str, head: str = "0", deps: str = "_") -> str:
    """A chain of words; a wrong head makes it malformed."""
    lines = [
        f"{k}\t{form}\t_\tX\t_\t_\t{head if k == 1 else k - 1}\t{'root' if k == 1 else 'dep'}\t{deps}\t_\n"
        for k, form in enumerate(forms, 1)
    ]
    return "".join(lines) + "\n"


def bad(*forms: str) -> str:
    return sentence(*forms, head="99")


def corpus(*sentences: str) -> Corpus:
    return parse_conllu("".join(sentences), on_error="skip")


A, B, C, D = (sentence(*words.split()) for words in ("a b", "c d e", "f g", "a b"))


def kept(gold: Corpus, system: Corpus) -> list[list[int]]:
    return [np.flatnonzero(mask).tolist() for mask in common_sentences(gold, system)]


def test_the_same_sentence_is_left_out_on_the_other_side() -> None:
    assert kept(corpus(A, bad("c", "d", "e"), C), corpus(A, B, C)) == [[0, 1], [0, 2]]
    assert kept(corpus(A, B, C), corpus(bad("a", "b"), B, bad("f", "g"))) == [[1], [0]]
    assert kept(corpus(A, bad("x"), C, D), corpus(A, B, C, bad("y"))) == [[0, 1], [0, 2]]


def test_other_sentences_are_found_by_their_text() -> None:
    gold = corpus(A, bad("c", "d", "e"), C, D)
    assert kept(gold, corpus(sentence("a"), sentence("b"), B, C, D)) == [[0, 1, 2], [0, 1, 3, 4]]
    # what shares a sentence with the text that was left out is left out, too, and what shares one with that
    assert kept(gold, corpus(sentence("a", "b", "c", "d"), sentence("e"), C, D)) == [[1, 2], [2, 3]]
    assert kept(gold, corpus(A, sentence("c", "d"), sentence("e", "f"), sentence("g", "a"), sentence("b"))) == [
        [0],
        [0],
    ]


def test_what_cannot_be_matched_is_refused() -> None:
    gold, system = corpus(A, bad("c", "d", "e"), C, D), corpus(sentence("a"), bad("b"), B, C, D)
    with pytest.raises(CorpusError, match="cannot be matched"):
        common_sentences(gold, system)
    with pytest.raises(CorpusError, match="cannot be matched"):
        common_sentences(corpus(A, bad("x")), corpus(B, C))


def test_evaluation_goes_on_with_the_others() -> None:
    gold, system = corpus(A, bad("c", "d", "e"), C), corpus(A, B, C)
    assert evaluate(gold, system)["LAS"].gold == 4
    both = evaluate(corpus(A, B, C), corpus(bad("a", "b"), B, C), corpus(A, B, bad("f", "g")))
    assert [(one["LAS"].gold, one["LAS"].system, one["LAS"].correct) for one in both] == [(7, 5, 5)] * 2
    assert [one.coverage for one in both] == [Coverage(1, 5 / 7)] * 2


def test_what_a_system_lacks_counts_as_wrong() -> None:
    whole, lacking = corpus(A, B, C), corpus(A, bad("c", "d", "e"), C)
    found = evaluate(whole, lacking)
    names = ("Tokens", "Sentences", "Words", "LAS", "CLAS")
    assert [(found[name].gold, found[name].system, found[name].correct) for name in names] == [
        (7, 4, 4),
        (3, 2, 2),
        (7, 4, 4),
        (7, 4, 4),
        (7, 4, 4),
    ]
    assert "skipped:1,57.14%scored" in found.signature
    assert found.table().title.endswith("; 1 sentence left out, 57.14 % of gold's words scored")
    assert found.table().records()[0]["scored_share"] == pytest.approx(4 / 7)
    by_relation = {row["relation"]: row["support"] for row in breakdown(found, ["relation"]).table().records()}
    assert (by_relation["root"], by_relation["dep"]) == (3, 4)


def test_a_sentence_that_gold_lacks_costs_no_system() -> None:
    found = evaluate(corpus(A, bad("c", "d", "e"), C), corpus(A, B, C), corpus(A, B, bad("f", "g")))
    assert [(one["LAS"].gold, one["LAS"].system, one["LAS"].correct) for one in found] == [(4, 4, 4), (4, 2, 2)]
    assert [one.coverage.share for one in found] == [4 / 7, 2 / 7]
    assert {len(one.counts) for one in found} == {2}


def test_the_words_of_a_sentence_left_out_have_no_partner() -> None:
    over = side_by_side(corpus(A, B, C), corpus(A, bad("c", "d", "e"), C))
    assert over.row is not None
    assert over.row.tolist() == [0, 1, -1, -1, -1, 2, 3]
    assert over.unmatched == Unmatched(0, 3)


def test_malformed_enhanced_arcs_and_forms_are_left_out_when_asked() -> None:
    text = A + sentence("c", deps="9:dep") + sentence("\u3000") + C + sentence("h", deps="x")
    found = without_malformed_layers(corpus(text))
    assert found.number.tolist() == [1, 4]
    assert [defect.line for defect in found.defects] == [6, 4, 11]
    assert without_malformed_layers(corpus(text), enhanced=False).number.tolist() == [1, 2, 4, 5]


def test_a_side_is_read_without_its_malformed_sentences(tmp_path) -> None:
    (tmp_path / "x.conllu").write_text(A + bad("x") + sentence("c", deps="9:dep"))
    side = read_side(tmp_path / "x.conllu", on_error="skip")
    assert (side.n_sentences, len(side.defects)) == (1, 2)
