"""Tags of constituency treebanks as UPOS: tables, patterns, and flattened trees as gold for CHAOS."""

import pytest

from treegauge.constituency.brackets import read_brackets
from treegauge.constituency.chaos.parser import Chaos
from treegauge.constituency.cleaning import Cleaning
from treegauge.constituency.flattening import find_tags, fits, flatten, head_child, parse_heads, parse_tags
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError, OptionError

KEEP = Cleaning(style="floresta", keep_functions=True)
FLORESTA = """#1 A raposa dorme em a casa de o rei .
(STA+fcl (SUBJ+np (>N+art A) (H+n raposa)) (P+v-fin dorme) (ADVL+pp (H+prp em) (P<+np (>N+art a) (H+n casa)
 (N<+pp (H+prp de) (P<+np (>N+art o) (H+n rei))))) (.))
"""


@pytest.mark.parametrize(
    ("label", "pattern", "expected"),
    [("NP", "NP", True), ("NP-SBJ", "NP*", True), ("N<+pp", "*+pp", True), ("N<+ppx", "*+pp", False), ("x", "*", True),
     ("a.b", "a*b", True), ("ab", "a.b", False)],
)  # fmt: skip
def test_a_star_stands_for_any_letters(label: str, pattern: str, expected: bool) -> None:
    assert fits(label, pattern) is expected


@pytest.mark.parametrize(
    ("table", "tag", "word", "expected"),
    [
        ("penn", "NNS", "foxes", ("NOUN", "_")),
        ("penn", "NNPS", "Alps", ("PROPN", "_")),
        ("penn", "VBZ", "Is", ("AUX", "Mood=Ind|VerbForm=Fin")),
        ("penn", "VBZ", "sleeps", ("VERB", "Mood=Ind|VerbForm=Fin")),
        ("penn", "IN", "that", ("SCONJ", "_")),
        ("penn", "#", "#", ("SYM", "_")),
        ("penn", "``", "``", ("PUNCT", "_")),
        ("cess", "vmip3s0", "duerme", ("VERB", "VerbForm=Fin")),
        ("cess", "van0000", "haber", ("AUX", "VerbForm=Inf")),
        ("cess", "Fc", ",", ("PUNCT", "_")),
        ("floresta", "P<+n", "massas", ("NOUN", "_")),
        ("floresta", "AUX+v-inf", "ter", ("AUX", "VerbForm=Inf")),
        ("floresta", "SUBJ+pron-indp", "que", ("PRON", "PronType=Rel")),
        ("floresta", ",", ",", ("PUNCT", "_")),
    ],
)
def test_bundled_tables(table: str, tag: str, word: str, expected: tuple[str, str]) -> None:
    assert find_tags(table).of(tag, word) == expected


def test_the_first_line_that_fits_counts_and_none_is_an_error() -> None:
    table = parse_tags("# mine\nN=fox,owl PROPN\nN* NOUN Number=Sing\n", "mine.txt")
    assert [table.of(*pair) for pair in (("N", "Fox"), ("N", "cat"), ("NX", "fox"))] == [
        ("PROPN", "_"), ("NOUN", "Number=Sing"), ("NOUN", "Number=Sing"),
    ]  # fmt: skip
    with pytest.raises(CorpusError, match=r"runs: tag 'V'; mine.txt has no line for it"):
        table.of("V", "runs")


@pytest.mark.parametrize("text", ["N", "N noun", "N NOUN a b", "", "# only"])
def test_a_wrong_table_is_named(text: str) -> None:
    with pytest.raises(OptionError, match="expected TAG UPOS"):
        parse_tags(text, "mine.txt")


def test_heads_are_found_by_patterns() -> None:
    table = parse_heads("*+pp left P<* H*\n* right X*\n", "mine")
    assert head_child("N<+pp", ["H+prp", "P<+np"], table) == 1
    assert head_child("anything", ["A", "XY", "B"], table) == 1


def flat(tmp: object) -> Corpus:
    path = f"{tmp}/trees.ptb"
    with open(path, "w") as stream:
        stream.write(FLORESTA)
    return flatten(read_brackets(path, style="floresta"), "floresta", KEEP, tags="floresta")


def test_a_flattened_tree_is_gold_for_chaos(tmp_path: object) -> None:
    corpus = flat(tmp_path)
    assert corpus.head.tolist() == [2, 3, 0, 6, 6, 3, 9, 9, 6, 3]  # content words on top
    last = Chaos("pt").evaluate(corpus).table().records()[-1]
    assert last["recall"] == last["precision"] == 1


def test_flattened_trees_without_tags_are_refused_by_chaos(data: object) -> None:
    bare = parse_conllu(b"1\tdorme\t_\t_\tv\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(CorpusError, match="no word has a UPOS tag"):
        Chaos("pt").evaluate(bare)
