"""Turn constituency trees into word graphs by rules for heads (1998 §3, the tree flattener)."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from treegauge.constituency.brackets import BracketDefect, BracketSource, as_treebank
from treegauge.constituency.cleaning import PAPER, Cleaning, clean
from treegauge.constituency.trees import Leaf, Tree, leaves
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import bundled_or_file, read_text
from treegauge.errors import CorpusError, MalformedError, OptionError

HEADS, TAGS = (os.path.join(os.path.dirname(__file__), folder) for folder in ("heads", "tags"))
SUFFIX = ".txt"
SIDES = ("left", "right", "leftmost", "rightmost")
UNKNOWN = "_"


@lru_cache(maxsize=4096)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)


def fits(label: str, pattern: str) -> bool:
    """Whether a label is the pattern, in which * stands for any letters, also none."""
    return label == pattern or ("*" in pattern and _pattern(pattern).fullmatch(label) is not None)


class HeadSearch(NamedTuple):
    """How to look for a constituent's head: from a side, label by label or any of the labels."""

    from_right: bool
    together: bool  # the first child that has any of the labels; otherwise the labels are tried one by one
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeadTable:
    """The rules by which heads are found."""

    name: str
    rules: dict[tuple[str, ...], int]  # label and its children's labels -> which child
    searches: dict[str, tuple[HeadSearch, ...]]  # label -> searches; * in any label stands for any letters
    punctuation: frozenset[str]

    def knows(self, label: str) -> bool:
        """Whether the table has a line for the label, and not only one for any label."""
        return label in self.searches or any(fits(label, name) for name in self.searches if name.strip("*"))

    def searches_of(self, label: str) -> tuple[HeadSearch, ...] | None:
        """The searches of the label, otherwise of the first pattern that fits it."""
        fitting = (own for pattern, own in self.searches.items() if fits(label, pattern))
        return self.searches.get(label) or next(fitting, None)


class WordEdge(NamedTuple):
    """A word (from 1), the word it depends on (0: none), and the label of the largest constituent it heads."""

    word: int
    head: int
    label: str


def find_heads(name: str = "penn") -> HeadTable:
    """The head table in a file, or the bundled one of a name."""
    return parse_heads(read_text(bundled_or_file(name, HEADS, SUFFIX, "head table and no bundled one")), name)


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
            label, side, *labels = parts
            search = HeadSearch(side.startswith("right"), side.endswith("most"), tuple(labels))
            searches.setdefault(label, []).append(search)
        else:
            expected = f"LABEL {'|'.join(SIDES)} LABEL…, or LABEL -> LABEL *HEAD*"
            raise OptionError(f"{name}:{number}: {line!r}; expected {expected}")
    return HeadTable(name, rules, {label: tuple(own) for label, own in searches.items()}, frozenset(punctuation))


@dataclass(frozen=True, slots=True)
class UposTable:
    """Lines of pattern, words (none: any word), UPOS and features; the first line that fits counts."""

    name: str
    lines: Sequence[tuple[str, frozenset[str], str, str]]
    known: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict, compare=False, repr=False)

    def of(self, tag: str, word: str) -> tuple[str, str]:
        """UPOS and features of a word with this tag; CorpusError if no line fits."""
        key = (tag, word.lower())
        if key not in self.known:
            lines = (line for line in self.lines if fits(tag, line[0]) and (not line[1] or key[1] in line[1]))
            line = next(lines, None)
            if line is None:
                raise CorpusError(f"{word}: tag {tag!r}; {self.name} has no line for it and none for *")
            self.known[key] = line[2:]
        return self.known[key]


def find_tags(name: str) -> UposTable:
    """The table in a file, or the bundled one of a name: penn, cess, floresta."""
    return parse_tags(read_text(bundled_or_file(name, TAGS, SUFFIX, "tag table and no bundled one")), name)


def parse_tags(text: str, name: str) -> UposTable:
    """The table in a text: lines `TAG UPOS`, `TAG UPOS Feature=Value|…`, `TAG=word,word UPOS`; \\# is a tag #."""
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        parts = line.split()
        if not parts or parts[0].startswith("#"):
            continue
        if not 2 <= len(parts) <= 3 or not parts[1].isalpha() or not parts[1].isupper():
            raise OptionError(f"{name}:{number}: {line!r}; expected TAG UPOS, and features if any")
        tag, _, words = parts[0].removeprefix("\\").partition("=")
        feats = parts[2] if len(parts) > 2 else UNKNOWN
        lines.append((tag, frozenset(words.lower().split(",")) if words else frozenset(), parts[1], feats))
    if not lines:
        raise OptionError(f"{name}: no lines; expected TAG UPOS, and features if any")
    return UposTable(name, tuple(lines))


def head_child(label: str, children: Sequence[str], table: HeadTable) -> int:
    """Which child of a constituent is its head: by its rule, otherwise by the searches of its label.

    Punctuation is not considered unless there is nothing else. If no search succeeds, the head is the first child from
    the side of the last search. CorpusError if the table has no line for the label.
    """
    head = table.rules.get((label, *children))
    if head is not None:
        return head
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
        for wanted in [search.labels] if search.together else [(name,) for name in search.labels]:
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

    tags: the table that turns tags into UPOS and features, which are empty without it.
    """
    below = leaves(tree)
    lines = [f"# sent_id = {sent_id}", f"# text = {' '.join(leaf.word for leaf in below)}"]
    for leaf, (word, head, label) in zip(below, tree_edges(tree, table), strict=True):
        upos, feats = (UNKNOWN, UNKNOWN) if tags is None else tags.of(leaf.tag, leaf.word)
        lines.append(f"{word}\t{leaf.word}\t_\t{upos}\t{leaf.tag}\t{feats}\t{head}\t{label}\t_\t_")
    return "\n".join(lines) + "\n\n"


def flat_treebank(
    source: BracketSource,
    heads: str = "penn",
    cleaning: Cleaning = PAPER,
    *,
    tags: str | None = None,
    on_error: str = "stop",
    skipped: Callable[[BracketDefect], None] = lambda defect: None,
    unknown: Counter[str] | None = None,
) -> Iterator[str]:
    """The word graphs of a treebank's trees as sentences of CoNLL-U, each word under the head of its constituent.

    source: a path, several paths, or a BracketTreebank. heads: a file with a head table, or the name of a bundled
    one. tags: the same for a table of tags, by which words get UPOS and features. `skipped` is told each tree that is
    left out: a tree of empty elements and, with on_error="skip", a tree that is malformed or has a label or a tag that
    the tables do not know. unknown: counts the labels of constituents that the head table has no line for, so that
    their heads are found by the line of `*`. CorpusError if no tree is left.
    """
    table = find_heads(heads)
    tag_table = None if tags is None else find_tags(tags)
    treebank = as_treebank(source, cleaning.style, on_error)
    for defect in treebank.defects:
        skipped(defect)
    n_flat = 0
    for number, (tree, (path, line)) in enumerate(zip(treebank.trees, treebank.places, strict=True), 1):
        cleaned = clean(tree, cleaning)
        if cleaned is None:
            skipped(BracketDefect(path, line, number, "nothing but empty elements"))
            continue
        if unknown is not None:
            unknown.update(label for label in _branching(cleaned) if not table.knows(label))
        try:
            yield flat_conllu(cleaned, table, str(number), tag_table)
            n_flat += 1
        except CorpusError as error:
            defect = BracketDefect(path, line, number, str(error))
            if on_error != "skip":
                raise MalformedError(str(defect)) from error
            skipped(defect)
    if not n_flat:
        raise CorpusError(f"{treebank.name}: no trees; expected at least one")


def _branching(tree: Tree) -> Iterator[str]:
    """The labels of the nodes below the root that have several children: their heads must be found."""
    stack = [child for child in tree.children if isinstance(child, Tree)]
    while stack:
        node = stack.pop()
        stack += [child for child in node.children if isinstance(child, Tree)]
        if len(node.children) > 1:
            yield node.label


def unknown_labels(unknown: Counter[str], heads: str) -> str:
    """What to tell of labels that a head table does not know, and the bundled table that knows most of them."""
    if not unknown:
        return ""
    some = ", ".join(f"{label} {n:,} times" for label, n in unknown.most_common(4))
    more = f" and {len(unknown) - 4} more" if len(unknown) > 4 else ""
    bundled = sorted(name.removesuffix(SUFFIX) for name in os.listdir(HEADS) if name.endswith(SUFFIX))
    known = {name: sum(n for label, n in unknown.items() if find_heads(name).knows(label)) for name in bundled}
    best = max(bundled, key=known.__getitem__)
    rather = f"; --heads {best} knows most of them" if 2 * known[best] > unknown.total() else ""
    return f"the head table {heads} has no line for {some}{more}: heads there are those of its line `*`{rather}"


def flatten(
    source: BracketSource,
    heads: str = "penn",
    cleaning: Cleaning = PAPER,
    *,
    tags: str | None = None,
    on_error: str = "stop",
) -> Corpus:
    """The word graphs of a treebank's trees as a corpus: as `flat_treebank` writes them."""
    return parse_conllu("".join(flat_treebank(source, heads, cleaning, tags=tags, on_error=on_error)))
