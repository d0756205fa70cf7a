"""Read trees whose branches may cross, and resolve these: NEGRA and TIGER export, TigerXML, discbracket."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from treegauge.constituency.trees import Leaf, Tree

MOST_LEVELS = 250  # if a tree is nested deeper, something must be wrong
HEAD = "HD"  # the edge label of heads
NO_LABEL = "--"
_NUMBERED = re.compile(r"(\d+)=(.*)", re.DOTALL)  # a word of discbracket, with its place in the sentence


@dataclass(slots=True)
class GraphNode:
    """A node, or a word (`place`: its position in the sentence, from 0); `edge` is the label of the branch above it."""

    label: str
    edge: str = NO_LABEL
    word: str = ""
    place: int = -1
    children: list[GraphNode] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A tree or leaf over the words first … last."""

    first: int
    last: int
    tree: Tree | Leaf
    is_head: bool


def continuous(root: GraphNode) -> Tree | str:
    """The tree without crossing branches, or a message about what is wrong with it.

    From the bottom up: if the words below a node are not contiguous, its children are cut into contiguous blocks. The
    block with the head (edge label HD) stays below the node, without a head the block with most words, of equal ones
    the first. The children of the other blocks move up to the node above. Words keep their order, and no node is lost.
    Edge labels become functions of labels: NP-SB.
    """
    try:
        pieces, moved = _resolved(root, 0, is_root=True)
    except _WrongTreeError as error:
        return str(error)
    assert not moved
    tree = pieces.tree
    return tree if isinstance(tree, Tree) else Tree("", (tree,))


class _WrongTreeError(Exception):
    """What is wrong with a tree."""


def _resolved(node: GraphNode, depth: int, is_root: bool = False) -> tuple[_Piece, list[_Piece]]:
    """The piece of a node, and the pieces that move up to the node above."""
    if depth > MOST_LEVELS:
        raise _WrongTreeError(f"nodes nest more than {MOST_LEVELS} deep; expected a tree")
    is_head = node.edge == HEAD
    if node.place >= 0:
        return _Piece(node.place, node.place, Leaf(node.label, node.word), is_head), []
    pieces: list[_Piece] = []
    for child in node.children:
        own, moved = _resolved(child, depth + 1)
        pieces += [own, *moved]
    if not pieces:
        raise _WrongTreeError(f"node {node.label} has nothing below it; expected words or nodes")
    pieces.sort(key=lambda piece: piece.first)
    blocks: list[list[_Piece]] = []
    for piece in pieces:
        if blocks and blocks[-1][-1].last + 1 == piece.first:
            blocks[-1].append(piece)
        else:
            blocks.append([piece])
    kept = 0
    if is_root:
        blocks = [pieces]
    elif len(blocks) > 1:
        sizes = [(any(p.is_head for p in block), sum(p.last + 1 - p.first for p in block)) for block in blocks]
        kept = sizes.index(max(sizes))
    block = blocks.pop(kept)
    moved = [_Piece(p.first, p.last, p.tree, False) for other in blocks for p in other]
    label = node.label if node.edge == NO_LABEL else f"{node.label}-{node.edge}"
    return _Piece(block[0].first, block[-1].last, Tree(label, tuple(p.tree for p in block)), is_head), moved


def parse_export(text: str) -> Iterator[tuple[int, Tree | str]]:
    """Each tree of NEGRA or TIGER export, versions 3 and 4, with its line; or a message, with the line of the problem.

    A sentence stands between `#BOS` and `#EOS`. Words: form, (version 4: lemma,) tag, morphology, edge label, number of
    the node above; nodes the same with `#500` as form; 0 is the root.
    """
    width, begin, rows = 5, 0, list[tuple[int, list[str]]]()
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.partition("%%")[0].split()
        if cells[:1] == ["#FORMAT"]:
            width = 6 if cells[1:2] == ["4"] else 5
        elif cells[:1] == ["#BOS"]:
            if begin:
                yield begin, "#BOS without #EOS; expected #EOS before the next #BOS"
            begin, rows = number, []
        elif cells[:1] == ["#EOS"] and begin:
            yield _export_tree(begin, rows, width)
            begin = 0
        elif begin and cells:
            rows.append((number, cells))
    if begin:
        yield begin, "the text ends before #EOS; expected #EOS"


def _export_tree(begin: int, rows: Sequence[tuple[int, list[str]]], width: int) -> tuple[int, Tree | str]:
    """The tree of the lines of a sentence, or the defect of one of them."""
    nodes, above, words = {0: GraphNode("")}, dict[int, int](), list[GraphNode]()
    order: list[tuple[GraphNode, int]] = []
    for line, cells in rows:
        if len(cells) < width or not cells[width - 1].isdecimal():
            return line, f"{' '.join(cells)!r}; expected {width} columns, the last the number of the node above"
        tag, edge, parent = cells[width - 4], cells[width - 2], int(cells[width - 1])
        node = GraphNode(tag, edge)
        name = re.fullmatch(r"#(\d{3,})", cells[0])
        if name is None:
            node.word, node.place = cells[0], len(words)
            words.append(node)
        elif int(name.group(1)) in nodes:
            return line, f"node {cells[0]} stands here again; expected each node once"
        else:
            nodes[int(name.group(1))] = node
            above[int(name.group(1))] = parent
        order.append((node, parent))
    for (node, parent), (line, _) in zip(order, rows, strict=True):
        if parent not in nodes:
            return line, f"node above {parent}; expected 0 or a node of the sentence"
        nodes[parent].children.append(node)
    return begin, _whole(nodes[0], len(words))


def parse_tigerxml(text: str) -> Iterator[tuple[int, Tree | str]]:
    """Each tree of TigerXML (`<s>` with terminals, nonterminals and edges) with the number of its sentence as line."""
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        yield error.position[0], f"no XML ({error}); expected TigerXML"
        return
    sentences = list(root.iter("s"))
    if not sentences:
        yield 1, f"<{root.tag}> without <s>; expected TigerXML"
    lines = [number for number, line in enumerate(text.split("\n"), 1) for _ in re.findall(r"<s[\s>]", line)]
    for k, sentence in enumerate(sentences):
        yield (lines[k] if k < len(lines) else k + 1), _tiger_tree(sentence)


def _tiger_tree(sentence: object) -> Tree | str:
    """The tree of an element `<s>`, or a message about it."""
    nodes: dict[str, GraphNode] = {}
    edges: list[tuple[str, str, str]] = []
    for place, element in enumerate(sentence.iter("t")):  # type: ignore[attr-defined]
        nodes[element.get("id", "")] = GraphNode(element.get("pos", ""), word=element.get("word", ""), place=place)
    n_words = len(nodes)
    for element in sentence.iter("nt"):  # type: ignore[attr-defined]
        name = element.get("id", "")
        if name in nodes:
            return f"node {name} stands here again; expected each node once"
        nodes[name] = GraphNode(element.get("cat", ""))
        edges += [(name, edge.get("idref", ""), edge.get("label", NO_LABEL)) for edge in element.iter("edge")]
    below: set[str] = set()
    for name, child, label in edges:
        if child not in nodes or child in below:
            return f"edge to {child!r}; expected a node or a word that no other edge leads to"
        below.add(child)
        nodes[child].edge = label
        nodes[name].children.append(nodes[child])
    root = GraphNode("", children=[node for name, node in nodes.items() if name not in below])
    return _whole(root, n_words)


def _whole(root: GraphNode, n_words: int) -> Tree | str:
    """The tree below a root that only marks the root, if it has all words; or a message."""
    if not n_words:
        return "no words; expected at least one"
    if missing := n_words - _words_below(root):
        return f"{missing} of {n_words} words are not below the root; expected a tree"
    only = root.children[0] if len(root.children) == 1 else None
    return continuous(root if only is None or only.place >= 0 else only)


def _words_below(root: GraphNode) -> int:
    """How many words stand below a node."""
    stack, words = [root], 0
    while stack:
        node = stack.pop()
        words += node.place >= 0
        stack += node.children
    return words


def discontinuous_tree(tree: Tree) -> Tree | str:
    """A tree of discbracket, whose words have their places (`(NN 3=dog)`), with crossing branches resolved."""
    places: list[int] = []

    def graph(node: Tree | Leaf) -> GraphNode:
        if isinstance(node, Tree):
            return GraphNode(node.label, children=list(map(graph, node.children)))
        numbered = _NUMBERED.fullmatch(node.word)
        places.append(int(numbered.group(1)) if numbered else -1)
        return GraphNode(node.tag, word=numbered.group(2) if numbered else node.word, place=max(places[-1], 0))

    root = graph(tree)
    if sorted(places) != list(range(len(places))):
        return (
            f"words numbered {' '.join(map(str, sorted(places)[:9]))} …; expected 0=word, 1=word and so on, each once"
        )
    return continuous(root)


def is_discontinuous(tree: Tree) -> bool:
    """Whether all words of a tree have places, as in discbracket: it is not to be read as plain brackets."""
    stack: list[Tree | Leaf] = [tree]
    places: list[int] = []
    while stack:
        node = stack.pop()
        if isinstance(node, Tree):
            stack += node.children
        elif numbered := _NUMBERED.fullmatch(node.word):
            places.append(int(numbered.group(1)))
        else:
            return False
    return sorted(places) == list(range(len(places)))
