"""Surprisal of texts: tags, words, unknown ones."""

import math
from pathlib import Path

import numpy as np
import pytest

from treegauge.constituency.brackets import read_brackets
from treegauge.constituency.grammar import TreebankGrammar
from treegauge.constituency.parsing import inside
from treegauge.constituency.surprisal import END, ReadingUnits, surprisal
from treegauge.errors import CorpusError, OptionError

TREES = """(S (NP (D the) (N dog)) (VP (V barks)))
(S (NP (D the) (N cat)) (VP (V sees) (NP (D the) (N dog))))
(S (NP (N Anna)) (VP (V barks)))
"""


@pytest.fixture
def trees(tmp_path: Path) -> str:
    (tmp_path / "trees.mrg").write_text(TREES)
    return str(tmp_path / "trees.mrg")


def test_surprisals_of_a_sentence_add_up_to_its_probability(trees: str) -> None:
    found = surprisal(trees)
    grammar = TreebankGrammar.from_trees(read_brackets(trees).trees)
    for sentence in found.sentences:
        assert sentence.prefixes.surprisal.sum() == pytest.approx(-inside(grammar, sentence.units))
    assert found.n_impossible == 0
    rows = [row for row in found.table().records() if row["sentence"] == f"{trees}:1"]
    assert [row["unit"] for row in rows] == ["D", "N", "V", END]
    # NP → D N three times, N once: the first tag is D with 3/4
    assert rows[0]["surprisal"] == pytest.approx(math.log2(4 / 3))


def test_words_are_read_with_their_tags_summed_over(trees: str) -> None:
    found = surprisal(trees, reader=ReadingUnits(unit="word"))
    the, dog = found.sentences[0].prefixes.surprisal[:2]
    # `the` is the only D; after it `dog` with 2 of 4 N
    assert (the, dog) == pytest.approx((math.log2(4 / 3), 1.0))


def test_rare_words_are_one(trees: str) -> None:
    found = surprisal(trees, reader=ReadingUnits(unit="word", rare=2))
    # the N are dog twice and two rare ones: half of them are <unknown>
    assert found.sentences[1].prefixes.surprisal[1] == pytest.approx(1.0)
    with pytest.raises(OptionError, match="it is for words"):
        ReadingUnits(rare=2)


def test_unknown_tags_are_told_and_end_a_sentence(trees: str, tmp_path: Path) -> None:
    (tmp_path / "text.mrg").write_text("(S (NP (D the) (X dog)) (VP (V barks)))\n")
    found = surprisal(trees, str(tmp_path / "text.mrg"))
    assert found.unknown == ((f"{tmp_path}/text.mrg:1", "X"),)
    assert found.n_impossible == 1
    assert np.isinf(found.sentences[0].prefixes.surprisal[1])
    with pytest.raises(CorpusError, match="no sentence with a tree"):
        found.sentence(None)
