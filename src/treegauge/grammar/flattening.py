"""Head-marked constituency trees into word graphs (1998 §3, the tree flattener)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from treegauge.corpus.conllu import Corpus, parse_conllu
from treegauge.corpus.files import bundled_or_file, read_text
from treegauge.errors import CorpusError, MalformedError, OptionError
from treegauge.grammar.brackets import BracketDefect, BracketTreebank, Leaf, Tree, read_brackets
from treegauge.grammar.cleaning import PAPER, Cleaning, clean
from treegauge.grammar.tag_tables import UposTable, find_tags, fits

FOLDER = os.path.join(os.path.dirname(__file__), "heads")
SUFFIX = ".txt"
SIDES = ("left", "right", "leftmost", "rightmost")


class HeadSearch(NamedTuple):
    """Where a constituent's head is looked for: from a side, each label in turn, or any of them."""

    from_right: bool
    together: bool
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeadTable:
    """How heads are found."""

    name: str
    rules: dict[tuple[str, ...], int]  # label and its children's labels -> which child
    searches: dict[str, tuple[HeadSearch, ...]]  # by label; in labels of either side * stands for any letters
    punctuation: frozenset[str]

    def searches_of(self, label: str) -> tuple[HeadSearch, ...] | None:
        """Those of the label, else of the first pattern that fits it."""
        exact = self.searches.get(label)
        if exact is not None:
            return exact
        return next((found for pattern, found in self.searches.items() if fits(label, pattern)), None)


class WordEdge(NamedTuple):
    """A word (from 1), the word it depends on (0: none), and the label of the largest constituent it heads."""

    word: int
    head: int
    label: str


def find_heads(name: str = "penn") -> HeadTable:
    """The head table in a file, or the bundled one of a name."""
    return parse_heads(read_text(bundled_or_file(name, FOLDER, SUFFIX, "head table and no bundled one")), name)


def parse_heads(text: str, name: str) -> HeadTable:
    """The head table in a text: lines `LABEL side LABEL…`, `LABEL -> LABEL *HEAD*`, `punctuation LABEL…`."""
    rules: dict[tuple[str, ...], int] = {}
    searches: dict[str, list[HeadSearch]] = {}
    punctuation: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        parts = line.split()
        if not parts or parts[0].startswith("#"):
            continue
        if parts[0] == "punctuation":
            punctuation += parts[1:]
        elif parts[1:2] == ["->"]:
            marked = [k for k, part in enumerate(parts[2:]) if len(part) > 2 and part[0] == part[-1] == "*"]
            if len(marked) != 1:
                raise OptionError(f"{name}:{number}: {line!r}; expected one head between asterisks, as *VP*")
            rules[parts[0], *(part.strip("*") for part in parts[2:])] = marked[0]
        elif len(parts) > 1 and parts[1] in SIDES:
            side = parts[1]
            search = HeadSearch(side.startswith("right"), side.endswith("most"), tuple(parts[2:]))
            searches.setdefault(parts[0], []).append(search)
        else:
            expected = f"LABEL {'|'.join(SIDES)} LABEL…, or LABEL -> LABEL *HEAD*"
            raise OptionError(f"{name}:{number}: {line!r}; expected {expected}")
    return HeadTable(name, rules, {label: tuple(found) for label, found in searches.items()}, frozenset(punctuation))


def head_child(label: str, children: Sequence[str], table: HeadTable) -> int:
    """Which child of a constituent is its head: by its rule, else by the searches of its label.

    Punctuation is not looked at unless there is nothing else. If no label is found, the child at the side of the last
    search. CorpusError if the table says nothing of the label.
    """
    found = table.rules.get((label, *children))
    if found is not None:
        return found
    order = [k for k, child in enumerate(children) if child not in table.punctuation] or list(range(len(children)))
    if len(order) == 1:
        return order[0]
    searches = table.searches_of(label)
    if searches is None:
        raise CorpusError(
            f"{label} -> {' '.join(children)}: no head; {table.name} has no line for {label} and none for *"
        )
    for search in searches:
        sides = order[::-1] if search.from_right else order
        for wanted in [search.labels] if search.together else [(one,) for one in search.labels]:
            for k in sides:
                if any(fits(children[k], pattern) for pattern in wanted):
                    return k
    return order[-1] if searches[-1].from_right else order[0]


def tree_edges(tree: Tree, table: HeadTable) -> list[WordEdge]:
    """The word graph of a tree, one edge for each word.

        edges_rule = {(head(son_h), head(son_i)) | h ≠ i},   edges = ∪ edges(graph(son_i)) ∪ edges_rule     (§3)

    The tree's own head depends on 0, the paper's null marker.
    """
    edges: list[WordEdge] = []
    words = 0

    def head_of(node: Tree | Leaf) -> int:
        nonlocal words
        if isinstance(node, Leaf):
            words += 1
            return words
        heads = [head_of(son) for son in node.children]
        names = [_label(son) for son in node.children]
        h = head_child(node.label, names, table) if len(heads) > 1 else 0
        edges.extend(WordEdge(head, heads[h], names[i]) for i, head in enumerate(heads) if i != h)
        return heads[h]

    root = head_of(tree)
    return sorted([*edges, WordEdge(root, 0, "root")])


def _label(node: Tree | Leaf) -> str:
    return node.tag if isinstance(node, Leaf) else node.label


def flat_conllu(tree: Tree, table: HeadTable, sent_id: str, tags: UposTable | None = None) -> str:
    """A tree's word graph as a CoNLL-U sentence: tags in XPOS, constituents' labels in DEPREL.

    tags: how tags become UPOS and features, which are empty without it.
    """
    leaves = list(_leaves(tree))
    lines = [f"# sent_id = {sent_id}", f"# text = {' '.join(leaf.word for leaf in leaves)}"]
    for leaf, (word, head, label) in zip(leaves, tree_edges(tree, table), strict=True):
        upos, feats = ("_", "_") if tags is None else tags.of(leaf.tag, leaf.word)
        lines.append(f"{word}\t{leaf.word}\t_\t{upos}\t{leaf.tag}\t{feats}\t{head}\t{label}\t_\t_")
    return "\n".join(lines) + "\n\n"


def flat_treebank(
    source: Any,
    heads: str = "penn",
    cleaning: Cleaning = PAPER,
    *,
    tags: str | None = None,
    on_error: str = "stop",
    skipped: Callable[[BracketDefect], None] = lambda defect: None,
) -> Iterator[str]:
    """The word graphs of a treebank's trees as sentences of CoNLL-U, each word under the head of its constituent.

    source: a path, several paths, or a BracketTreebank. heads: a file with a head table, or the name of a bundled
    one. tags: the same for a table of tags, by which words get UPOS and features. `skipped` is told each tree that is
    left out: one of empty elements, and with on_error="skip" one that is malformed or has a label or a tag that the
    tables do not know. CorpusError where no tree is left.
    """
    table = find_heads(heads)
    tag_table = None if tags is None else find_tags(tags)
    if not isinstance(source, BracketTreebank):
        source = read_brackets(source, style=cleaning.style, on_error=on_error)
    for defect in source.defects:
        skipped(defect)
    n_flat = 0
    for number, (tree, (path, line)) in enumerate(zip(source.trees, source.places, strict=True), 1):
        cleaned = clean(tree, cleaning)
        if cleaned is None:
            skipped(BracketDefect(path, line, number, "nothing but empty elements"))
            continue
        try:
            yield flat_conllu(cleaned, table, str(number), tag_table)
            n_flat += 1
        except CorpusError as error:
            defect = BracketDefect(path, line, number, str(error))
            if on_error == "stop":
                raise MalformedError(str(defect)) from error
            skipped(defect)
    if not n_flat:
        raise CorpusError(f"{source.name}: no trees; expected at least one")


def flatten(
    source: Any, heads: str = "penn", cleaning: Cleaning = PAPER, *, tags: str | None = None, on_error: str = "stop"
) -> Corpus:
    """The word graphs of a treebank's trees as a corpus: as `flat_treebank` writes them."""
    text = "".join(flat_treebank(source, heads, cleaning, tags=tags, on_error=on_error)).encode()
    return parse_conllu(text)


def _leaves(node: Tree | Leaf) -> Iterator[Leaf]:
    if isinstance(node, Leaf):
        yield node
    else:
        for son in node.children:
            yield from _leaves(son)
