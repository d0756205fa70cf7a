"""Trees whose branches cross: the formats, how crossings are resolved, and what is refused."""

import re
from collections import Counter
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treegauge as tg
from treegauge.cli import cli
from treegauge.constituency.brackets import STYLES, parse_brackets, read_brackets
from treegauge.constituency.cleaning import Cleaning, clean
from treegauge.constituency.crossing import GraphNode, continuous
from treegauge.constituency.measures import EccSettings
from treegauge.constituency.trees import Leaf, Tree, leaves
from treegauge.errors import CorpusError

# "Das hat er gestern gesagt", own sentence; the verb phrase is [Das] … [gestern gesagt]
EXPORT = """#FORMAT 3
#BOS 1 0 0 0
Das PDS -- OA 500
hat VAFIN -- HD 501
er PPER -- SB 501
gestern ADV -- MO 500
gesagt VVPP -- HD 500
. $. -- -- 0
#500 VP -- OC 501
#501 S -- -- 0
#EOS 1
"""
TIGER = """<?xml version="1.0" encoding="utf-8"?>
<corpus><body><s id="s1"><graph root="n2">
<terminals>
<t id="a" word="Das" pos="PDS"/><t id="b" word="hat" pos="VAFIN"/><t id="c" word="er" pos="PPER"/>
<t id="d" word="gestern" pos="ADV"/><t id="e" word="gesagt" pos="VVPP"/><t id="f" word="." pos="$."/>
</terminals>
<nonterminals>
<nt id="n1" cat="VP"><edge label="OA" idref="a"/><edge label="MO" idref="d"/><edge label="HD" idref="e"/></nt>
<nt id="n2" cat="S"><edge label="OC" idref="n1"/><edge label="HD" idref="b"/><edge label="SB" idref="c"/></nt>
</nonterminals></graph></s></body></corpus>
"""
DISC = "(ROOT (S (VP-OC (PDS 0=Das) (ADV 3=gestern) (VVPP 4=gesagt)) (VAFIN 1=hat) (PPER 2=er)) ($. 5=.))"


def shown(tree: Tree | Leaf) -> str:
    if isinstance(tree, Leaf):
        return f"({tree.tag} {tree.word})"
    return f"({tree.label} {' '.join(map(shown, tree.children))})"


RESOLVED = "(S (PDS Das) (VAFIN hat) (PPER er) (VP-OC (ADV gestern) (VVPP gesagt))) ($. .))"


def test_the_choices_of_the_command_are_the_styles() -> None:
    command = cli.get_command(click.Context(cli), "ecc")
    assert command is not None
    (option,) = (each for each in command.params if each.name == "style")
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == tuple(STYLES)


@pytest.mark.parametrize(
    ("style", "text", "root"), [("export", EXPORT, "("), ("tigerxml", TIGER, "("), ("discbracket", DISC, "(ROOT")]
)
def test_what_is_left_of_the_gap_moves_up(style: str, text: str, root: str) -> None:
    ((_, tree),) = parse_brackets(text, style)
    assert isinstance(tree, Tree)
    assert shown(tree) == f"{root} {RESOLVED}"


def test_version_four_has_lemmas() -> None:
    lines = [line.split(" ") for line in EXPORT.replace("#FORMAT 3", "#FORMAT 4").splitlines()]
    text = "\n".join(
        " ".join([row[0], "lemma", *row[1:]] if row[0][:2] not in ("#F", "#B", "#E") else row) for row in lines
    )
    assert shown(next(parse_brackets(text, "export"))[1]) == f"( {RESOLVED}"


@st.composite
def graphs(draw: st.DrawFn) -> tuple[GraphNode, int]:
    """A random tree over up to eight words, in any places, some of its branches marked as heads."""
    n = draw(st.integers(1, 8))
    nodes = [GraphNode("t", word=f"w{place}", place=place) for place in draw(st.permutations(range(n)))]
    for number in range(draw(st.integers(0, 5))):
        size = draw(st.integers(1, len(nodes)))
        chosen, nodes = nodes[:size], nodes[size:]
        chosen[draw(st.integers(0, size - 1))].edge = draw(st.sampled_from(["HD", "--"]))
        nodes.append(GraphNode(f"N{number}", children=chosen))
        nodes = draw(st.permutations(nodes))
    return GraphNode("", children=list(nodes)), n


def labels(node: Tree | Leaf | GraphNode) -> Counter[str]:
    children = getattr(node, "children", ())
    own = Counter([node.label.split("-")[0]]) if children else Counter()
    return sum(map(labels, children), own)


@given(graphs())
def test_words_keep_their_order_and_no_node_is_lost(graph: tuple[GraphNode, int]) -> None:
    root, n = graph
    tree = continuous(root)
    assert isinstance(tree, Tree)
    assert [leaf.word for leaf in leaves(tree)] == [f"w{place}" for place in range(n)]
    assert labels(tree) == labels(root)


@given(graphs())
def test_a_tree_without_crossings_stays_as_it_is(graph: tuple[GraphNode, int]) -> None:
    first = continuous(graph[0])
    assert isinstance(first, Tree)
    count = iter(range(99))

    def again(node: Tree | Leaf) -> GraphNode:
        if isinstance(node, Leaf):
            return GraphNode(node.tag, word=node.word, place=next(count))
        return GraphNode(node.label, children=list(map(again, node.children)))

    assert continuous(again(first)) == first


@pytest.mark.parametrize(
    ("style", "text", "line", "message"),
    [
        ("export", "#BOS 1\nDas PDS -- OA\n#EOS 1\n", 2, "expected 5 columns"),
        ("export", "#BOS 1\nDas PDS -- OA 501\n#EOS 1\n", 2, "node above 501; expected 0 or a node"),
        ("export", "#BOS 1\nDas PDS -- OA 0\n#500 S -- -- 0\n#500 S -- -- 0\n#EOS 1\n", 4, "stands here again"),
        ("export", "#BOS 1\nDas PDS -- OA 0\n#500 S -- -- 500\n#EOS 1\n", 1, ""),
        (
            "export",
            "#BOS 1\nDas PDS -- OA 500\n#500 S -- -- 501\n#501 S -- -- 500\n#EOS 1\n",
            1,
            "are not below the root",
        ),
        ("export", "#BOS 1\nDas PDS -- OA 0\n", 1, "the text ends before #EOS"),
        ("export", "#BOS 1\n#EOS 1\n", 1, "no words"),
        ("tigerxml", "<corpus><s>", 1, "no XML"),
        ("tigerxml", "<corpus></corpus>", 1, "without <s>"),
        ("discbracket", "(S (A 0=a) (B 2=b))", 1, "each once"),
        ("discbracket", "(S (A a) (B 1=b))", 1, "each once"),
        ("penn", DISC, 1, "this is discbracket: expected --brackets discbracket"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(style: str, text: str, line: int, message: str) -> None:
    ((where, tree),) = parse_brackets(text, style)
    assert where == line
    if message:
        assert isinstance(tree, str)
        assert message in tree


def test_chinese_trees_stand_between_markup(tmp_path: Path) -> None:
    text = "<DOC>\n<S ID=1>\n( (IP (NP (PN 我)) (VP (VV 来))) )\n</S>\n<S ID=2>\n( (IP (VP (VV 走))) )\n</S>\n</DOC>\n"
    (tmp_path / "a.fid").write_bytes(text.encode("gb18030"))
    treebank = read_brackets(tmp_path, style="ctb")
    assert [shown(clean(tree)) for tree in treebank] == [  # type: ignore[arg-type]
        "(TOP (IP (NP (PN 我)) (VP (VV 来))))",
        "(TOP (IP (VP (VV 走))))",
    ]
    assert [line for _, line in treebank.places] == [3, 6]


def test_features_of_spmrl_are_no_part_of_labels() -> None:
    ((_, tree),) = parse_brackets("(SENT (NP-SUJ (DET##lem=le|g=m## le) (NC##lem=chat|n=s## chat)))")
    assert isinstance(tree, Tree)
    assert shown(clean(tree)) == "(TOP (SENT (NP (DET le) (NC chat))))"  # type: ignore[arg-type]


def test_a_whole_treebank_is_measured(tmp_path: Path) -> None:
    (tmp_path / "a.export").write_text(EXPORT + EXPORT.replace("#FORMAT 3\n", ""))
    settings = EccSettings(cleaning=Cleaning(style="export"))
    (row,) = tg.ecc(read_brackets(tmp_path, style="export"), settings=settings).to_dict()["rows"]
    assert (row["trees"], row["ecc"]) == (2, 0.0)
    with pytest.raises(CorpusError, match=re.escape("no file in this directory ends in .xml .tiger")):
        read_brackets(tmp_path, style="tigerxml")
