"""Word graphs of constituency trees."""

from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from treegauge.constituency.brackets import BracketDefect, parse_brackets, read_brackets
from treegauge.constituency.cleaning import Cleaning, clean
from treegauge.constituency.flattening import (
    HeadTable,
    find_heads,
    flat_conllu,
    flat_treebank,
    flatten,
    head_child,
    parse_heads,
    tree_edges,
)
from treegauge.constituency.trees import Leaf, Tree
from treegauge.corpus.conllu import read_conllu
from treegauge.errors import CorpusError, OptionError

FIGURE_3 = "S -> NP *VP*\nVP -> *V* NP\nNP -> *Art* N\n"


def tree_of(text: str) -> Tree:
    ((_, tree),) = parse_brackets(text)
    assert isinstance(tree, Tree)
    return tree


def test_figure_3() -> None:
    tree = tree_of("(S (NP (Art una) (N volpe)) (VP (V attraversa) (NP (Art il) (N sentiero))))")
    edges = tree_edges(tree, parse_heads(FIGURE_3, "figure 3"))
    # V is the root; each article depends on it, each noun on its article
    assert [(edge.word, edge.head) for edge in edges] == [(1, 3), (2, 1), (3, 0), (4, 3), (5, 4)]
    assert [edge.label for edge in edges] == ["NP", "N", "root", "NP", "N"]


LEAVES = st.sampled_from(["NN", "VB", "DT", ","]).map(lambda tag: Leaf(tag, "w"))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda label, sons: Tree(label, tuple(sons)),
        st.sampled_from(["NP", "VP", "S"]),
        st.lists(inner, min_size=1, max_size=4),
    ),
    max_leaves=12,
).map(lambda node: node if isinstance(node, Tree) else Tree("TOP", (node,)))


def by_definition(tree: Tree, table: HeadTable) -> set[tuple[int, int]]:
    """The paper's algorithm as printed: graph and head of each son, then the edges of the rule."""
    counter = iter(range(1, 10_000))

    def flattener(node: Tree | Leaf) -> tuple[set[tuple[int, int]], int]:
        if isinstance(node, Leaf):
            return set(), next(counter)
        graphs = [flattener(son) for son in node.children]
        names = [son.tag if isinstance(son, Leaf) else son.label for son in node.children]
        h = head_child(node.label, names, table)
        rule = {(graphs[h][1], head) for i, (_, head) in enumerate(graphs) if i != h}
        return set().union(*(edges for edges, _ in graphs)) | rule, graphs[h][1]

    edges, head = flattener(tree)
    return edges | {(0, head)}


@given(TREES)
def test_edges_are_those_of_the_printed_algorithm(tree: Tree) -> None:
    table = find_heads()
    edges = tree_edges(tree, table)
    assert {(edge.head, edge.word) for edge in edges} == by_definition(tree, table)
    assert [edge.word for edge in edges] == list(range(1, len(edges) + 1))  # one head for each word


def test_searches_are_tried_in_order() -> None:
    table = parse_heads("A left X Y\nA right Z\nB leftmost X Y\nB right\n* right\npunctuation ,\n", "t")
    assert head_child("A", ["Y", "Q", "X"], table) == 2  # X comes before Y, wherever it stands
    assert head_child("A", ["Y", "Q", "Y"], table) == 0
    assert head_child("A", ["Z", "Q", "Z", "Q"], table) == 2
    assert head_child("A", ["P", "Q", ","], table) == 1  # none of them: the side of the last line, punctuation passed
    assert head_child("B", ["Q", "Y", "X"], table) == 1
    assert head_child("C", ["P", "Q"], table) == 1
    assert head_child("C", [",", ","], table) == 1


def test_penn_heads() -> None:
    subject = "(NP (DT The) (JJ old) (NN mill))"
    tree = tree_of(f"(S {subject} (VP (MD will) (VP (VB grind) (NP (NN corn)) (PP (IN in) (NP (NNP May))))) (. .))")
    heads = [edge.head for edge in tree_edges(tree, find_heads())]
    assert heads == [3, 3, 4, 0, 4, 5, 5, 7, 4]


def test_the_result_is_conllu(tmp_path: Path) -> None:
    path = tmp_path / "flat.conllu"
    path.write_text(flat_conllu(tree_of("(S (NP (N Anna)) (VP (V dorme)))"), find_heads(), "1"))
    corpus = read_conllu(path, one_root=True)
    assert corpus.head.tolist() == [2, 0]  # S left … VP
    assert corpus.value("xpos", 1) == "V"


@pytest.mark.parametrize("line", ["S -> NP VP", "S -> *NP* *VP*", "S up VP", "S"])
def test_a_wrong_head_table_is_named(line: str) -> None:
    with pytest.raises(OptionError, match=r"mine:2: .*expected"):
        parse_heads(f"# heads\n{line}\n", "mine")


def test_a_label_without_line_is_named() -> None:
    with pytest.raises(CorpusError, match=r"NP -> A B: no head; mine has no line for NP"):
        tree_edges(tree_of("(NP (A a) (B b))"), parse_heads("S left\n", "mine"))


@pytest.mark.data
def test_the_wsj_sample_gives_planar_trees(evaluation_data: Path) -> None:
    table = find_heads()
    for tree in read_brackets(evaluation_data / "const" / "wsj").trees[:400]:
        cleaned = clean(tree)
        assert cleaned is not None
        spans = [tuple(sorted(edge[:2])) for edge in tree_edges(cleaned, table) if edge.head]
        assert not any(a < c < b < d for a, b in spans for c, d in spans)


def test_a_treebank_is_flattened_into_a_corpus(data: Path) -> None:
    path = data / "traces_and_functions.mrg"
    left_out: list[BracketDefect] = []
    text = "".join(flat_treebank(path, skipped=left_out.append))
    corpus = flatten([path])
    assert corpus.text.tobytes().decode() == text
    assert corpus.sent_ids == ["1", "2", "3", "4"]
    assert [str(defect) for defect in left_out] == [f"{path}:8: tree 5: nothing but empty elements"]
    assert flatten(read_brackets(path)).head.tolist() == corpus.head.tolist()
    assert flatten(path, cleaning=Cleaning(keep_empty=True)).n_words > corpus.n_words
