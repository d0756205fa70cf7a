"""PARSEVAL of bracketed trees against its definition, and hand-made cases of EVALB."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.constituency.bracket_scores import PARSEVAL_OPTIONS, evalb_options
from treegauge.constituency.brackets import parse_brackets
from treegauge.constituency.parseval import bracketed, compare_parseval, parseval, parseval_table
from treegauge.constituency.trees import Leaf, Tree, to_nltk
from treegauge.errors import CorpusError, OptionError

COLLINS = PARSEVAL_OPTIONS["collins"]
GOLD = "(TOP (S (NP-SBJ (D the) (N dog)) (VP (V saw) (NP (D a) (N cat)) (PP (P in) (NP (N town)))) (. .)))"
OTHER = "(S1 (S (NP (D the) (N dog)) (VP (V saw) (NP (NP (D a) (N cat)) (PP (P in) (NP (V town))))) (. .)))"


def trees(*texts: str) -> list[Tree]:
    return [tree for text in texts for _, tree in parse_brackets(text) if isinstance(tree, Tree)]


def test_a_case_by_hand() -> None:
    # gold: S NP VP NP PP NP; the system has one NP more; all of gold's are found; one of 8 tags is wrong
    found = parseval(trees(GOLD), trees(OTHER)).figures()
    assert (found["lp"], found["lr"], found["f1"]) == pytest.approx((6 / 7, 1, 12 / 13))
    assert (found["exact"], found["crossing"], found["tagging"]) == (0, 0, 7 / 8)
    assert found["product"] == pytest.approx((12 / 13) ** 6)


def test_crossing_brackets() -> None:
    gold = trees("(S (A (t a) (t b)) (t c) (t d))")
    system = trees("(S (t a) (B (t b) (t c)) (C (t c2) ))".replace("(C (t c2) )", "(t d)"))
    found = parseval(gold, system).figures()
    assert (found["crossing"], found["no_crossing"], found["at_most_two_crossing"]) == (1, 0, 1)


def test_collins_leaves_punctuation_out_and_takes_prt_for_advp() -> None:
    gold, system = "(S (NP (N n) (, ,)) (ADVP (R r)) (. .))", "(S (NP (N n)) (, ,) (PRT (R r) (. .)))"
    assert parseval(trees(gold), trees(system)).figures()["f1"] < 1
    assert parseval(trees(gold), trees(system), COLLINS).figures()["f1"] == 1
    assert parseval(trees(gold), trees(system), COLLINS).figures()["exact"] == 1


def test_nodes_of_one_label_over_the_same_words_count_as_often_as_they_stand() -> None:
    # two NP over one word in gold, one in the system: LR 2/3 with S, LP 1
    found = parseval(trees("(S (NP (NP (N n))))"), trees("(S (NP (N n)))")).figures()
    assert (found["lp"], found["lr"]) == (1, pytest.approx(2 / 3))


def test_traces_and_functions_are_left_out() -> None:
    plain = bracketed(trees("(S (NP (N n)))")[0])
    assert bracketed(trees("( (S (NP-SBJ-1 (N n)) (VP (NP (-NONE- *)))))")[0]) == plain


def test_a_parameter_file(tmp_path: Path) -> None:
    path = tmp_path / "my.prm"
    path.write_text("DEBUG 0\nMAX_ERROR 10\nCUTOFF_LEN 2\nLABELED 0\nDELETE_LABEL TOP\nDELETE_LABEL .\nEQ_LABEL A B\n")
    options = evalb_options(str(path))
    assert (options.labelled, options.cutoff, options.equal_labels) == (False, 2, (("A", "B"),))
    scores = parseval(
        trees("(S (A (t a)) (. .))", "(S (t a) (t b) (t c))"),
        trees("(X (Z (t a)) (. .))", "(S (t a) (t b) (t c))"),
        options,
    )
    assert scores.figures()["f1"] == 1
    assert [row["trees"] for row in parseval_table([scores]).records()] == [2, 1]
    path.write_text("DELETE_WORDS x\n")
    with pytest.raises(OptionError, match=r"my\.prm:1"):
        evalb_options(str(path))
    with pytest.raises(OptionError, match="plain, collins or a parameter file"):
        evalb_options("nothing")


def test_trees_that_do_not_belong_together() -> None:
    with pytest.raises(CorpusError, match="system: tree 1 has other words"):
        parseval(trees(GOLD), trees("(S (t a))"))
    found = parseval(trees(GOLD, GOLD), trees("(S (t a))", GOLD), on_error="skip")
    assert (found.figures()["trees"], len(found.skipped)) == (1, 1)
    with pytest.raises(CorpusError, match="gold: 1 trees, system: 2"):
        parseval(trees(GOLD), trees(GOLD, GOLD))


def test_escaped_brackets_are_the_same_words() -> None:
    assert parseval(trees("(S (t -LRB-))"), [Tree("S", (Leaf("t", "("),))]).figures()["f1"] == 1


def test_trees_of_nltk() -> None:
    assert parseval(map(to_nltk, trees(GOLD)), trees(GOLD)).figures()["exact"] == 1


def test_labels_and_significance() -> None:
    right, wrong = parseval(trees(*[GOLD] * 8), trees(*[GOLD] * 8)), parseval(trees(*[GOLD] * 8), trees(*[OTHER] * 8))
    rows = {row["label"]: row for row in wrong.by_label().records()}
    assert (rows["NP"]["gold"], rows["NP"]["system"], rows["NP"]["both"]) == (24, 32, 24)
    f1, exact = compare_parseval(right, wrong, samples=500)
    assert f1.difference == pytest.approx(1 / 13)
    assert exact.difference == 1
    assert f1.p_randomisation < 0.05
    assert compare_parseval(right, right, samples=50)[0].p_bootstrap == 1


leaves = st.sampled_from("xyz").map(lambda tag: Leaf(tag, "w"))
some_trees = st.recursive(
    st.builds(Tree, st.sampled_from("AB"), st.lists(leaves, min_size=1, max_size=3).map(tuple)),
    lambda below: st.builds(Tree, st.sampled_from("AB"), st.lists(below | leaves, min_size=1, max_size=3).map(tuple)),
    max_leaves=6,
)


@given(st.lists(st.tuples(some_trees, some_trees), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_counts_are_those_of_the_definition(pairs: list[tuple[Tree, Tree]]) -> None:
    def spans(tree: Tree, begin: int = 0) -> tuple[list[tuple[str, int, int]], int]:
        found, end = [], begin
        for child in tree.children:
            if isinstance(child, Leaf):
                end += 1
            else:
                below, end = spans(child, end)
                found += below
        return [(tree.label, begin, end), *found], end

    same = [(one, other) for one, other in pairs if spans(one)[1] == spans(other)[1]]
    if not same:
        return
    counts = parseval(*zip(*same, strict=True)).counts
    for row, (one, other) in zip(counts, same, strict=True):
        gold, system = spans(one)[0], spans(other)[0]
        left, both = list(gold), 0
        for bracket in system:
            if bracket in left:
                left.remove(bracket)
                both += 1
        cross = sum(any(a < c < b < d or c < a < d < b for _, c, d in gold) for _, a, b in system)
        assert row[:4].tolist() == [both, len(gold), len(system), cross]
    assert np.array_equal(counts[:, 4], [spans(one)[1] for one, _ in same])
