"""Changes to a tree before rules are read off it: traces, functions, clusters, punctuation, parents."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import cycle

from treegauge.constituency.brackets import EMPTY, STYLES
from treegauge.constituency.trees import Leaf, Tree
from treegauge.corpus.files import read_text
from treegauge.errors import OptionError

TOP = "TOP"  # the one root of every tree
ROOTS = frozenset({"", "TOP", "ROOT"})  # outermost labels that only mark the root
TRANSFORMS = ("none", "parent")
PUNCTUATION_TAGS = ("none", "wsj")

_FUNCTION = re.compile(r"(?<=.)[-=|].*", re.DOTALL)

# The paper's Table 3, in the format of a cluster file: kind, new label, old labels.
BUNDLED_CLUSTERS = {
    "ptb-pos": """
        POS JJ: JJ JJR JJS
        POS NN: NN NNP NNPS NNS
        POS VB: VB VBD VBG VBN VBP VBZ
        POS RB: RB RBR RBS
    """,
    "ptb-nt": """
        NT ADJ: ADJP WHADJP
        NT ADV: ADVP WHADVP
        NT NP: NP WHNP QP
        NT PP: PP WHPP
    """,
}
BUNDLED_CLUSTERS["ptb-all"] = BUNDLED_CLUSTERS["ptb-pos"] + BUNDLED_CLUSTERS["ptb-nt"]

# Tag of the Wall Street Journal treebank -> forms; a straight double quote opens and closes in turn.
_WSJ_FORMS = {
    ",": ", ،",
    ".": ". ? ! ¿ ¡ ?! !! .?",
    ":": ": ; ... .. … - -- – — /",
    "``": "`` ` “ « ‘ „",
    "''": "'' ” » ’ '",
    "-LRB-": "( [ { -LRB- -LSB- -LCB- -Fpa- -Fca-",
    "-RRB-": ") ] } -RRB- -RSB- -RCB- -Fpt- -Fct-",
}
WSJ_PUNCTUATION = {form: tag for tag, forms in _WSJ_FORMS.items() for form in forms.split()}


@dataclass(frozen=True, slots=True)
class Clusters:
    """New labels for tags and for nonterminals; other labels stay."""

    name: str = "none"
    pos: Mapping[str, str] = field(default_factory=dict)
    nt: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cleaning:
    """The settings for cleaning trees; the defaults are those of the paper (§4, §5)."""

    style: str = "penn"
    keep_functions: bool = False  # NP-SBJ stays NP-SBJ
    keep_empty: bool = False  # -NONE- stays a tag
    clusters: Clusters = Clusters()
    transform: str = "none"
    punctuation_tags: str = "none"

    def __post_init__(self) -> None:
        for value, choices in (
            (self.style, tuple(STYLES)),
            (self.transform, TRANSFORMS),
            (self.punctuation_tags, PUNCTUATION_TAGS),
        ):
            if value not in choices:
                raise OptionError(f"{value!r}; expected one of {', '.join(choices)}")

    @property
    def signature(self) -> str:
        """The settings that change numbers, for a result's signature."""
        parts = {
            "functions": "kept" if self.keep_functions else "cut",
            "empty": "kept" if self.keep_empty else "cut",
            "cluster": self.clusters.name,
            "transform": self.transform,
            "punctuation-tags": self.punctuation_tags,
            "input": self.style,
        }
        return "|".join(f"{name}:{value}" for name, value in parts.items() if value not in ("none", "penn"))


PAPER = Cleaning()


def read_clusters(source: str | None) -> Clusters:
    """Clusters by bundled name (ptb-pos, ptb-nt, ptb-all), or from a file of lines `POS JJ: JJ JJR JJS`; None: none."""
    if source is None:
        return Clusters()
    if source in BUNDLED_CLUSTERS:
        return parse_clusters(BUNDLED_CLUSTERS[source], source)
    if not os.path.exists(source):
        raise OptionError(f"cluster {source!r}; expected a file or one of {', '.join(BUNDLED_CLUSTERS)}")
    return parse_clusters(read_text(source), os.path.basename(source), source)


def parse_clusters(text: str, name: str, path: str = "clusters") -> Clusters:
    """Clusters from lines `POS NEW: OLD OLD …` and `NT NEW: OLD OLD …`; # begins a comment."""
    maps: dict[str, dict[str, str]] = {"POS": {}, "NT": {}}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(POS|NT)\s+(\S+):\s+(\S.*)", line)
        if not match:
            raise OptionError(f"{path}:{number}: {line!r}; expected `POS NEW: OLD OLD` or `NT NEW: OLD OLD`")
        kind, new, olds = match.groups()
        for old in olds.split():
            if maps[kind].setdefault(old, new) != new:
                raise OptionError(f"{path}:{number}: {old!r} is already in {maps[kind][old]}; expected one cluster")
    return Clusters(name, maps["POS"], maps["NT"])


def clean(tree: Tree, cleaning: Cleaning = PAPER) -> Tree | None:
    """The tree from which rules are read, or None if it has only empty elements.

    In this order: empty elements are removed, and nodes that become empty by that; labels lose the features of SPMRL
    treebanks (##…##) and are cut at the first - = or | (not at a leading one: -LRB- stays); punctuation is retagged; a
    node whose only child is a node of the same label is removed; clusters replace labels, and here a node over a node
    of the same new label stays (QP under NP, both NP then: only so does the paper's Table 4 come out in its order); TOP
    is put over the root, or replaces an empty root; nonterminals are annotated with their parent's label (Johnson
    1998), tags are not.
    """
    body = _cleaned(tree, cleaning, cycle(("``", "''")))
    if body is None:
        return None
    top = Tree(TOP, (_merged(body, cleaning.clusters.nt) if cleaning.clusters.nt else body,))
    while len(top.children) == 1 and isinstance(only := top.children[0], Tree) and only.label in ROOTS:
        top = Tree(TOP, only.children)  # TOP replaces an outermost label that only marks the root
    return _annotated(top) if cleaning.transform == "parent" else top


def _cleaned(node: Tree | Leaf, cleaning: Cleaning, quotes: Iterator[str]) -> Tree | Leaf | None:
    if isinstance(node, Leaf):
        if node.tag == EMPTY:
            return node if cleaning.keep_empty else None
        tag = _cut(node.tag, cleaning)
        if cleaning.punctuation_tags == "wsj":
            tag = next(quotes) if node.word == '"' else WSJ_PUNCTUATION.get(node.word, tag)
        return Leaf(cleaning.clusters.pos.get(tag, tag), node.word)
    children = [below for child in node.children if (below := _cleaned(child, cleaning, quotes)) is not None]
    if not children:
        return None
    label = _cut(node.label, cleaning)
    if len(children) == 1 and isinstance(children[0], Tree) and children[0].label == label:
        return children[0]
    return Tree(label, tuple(children))


def _merged(node: Tree | Leaf, clusters: Mapping[str, str]) -> Tree | Leaf:
    """The tree with the new labels of clusters."""
    if isinstance(node, Leaf):
        return node
    children = tuple(_merged(child, clusters) for child in node.children)
    return Tree(clusters.get(node.label, node.label), children)


def _cut(label: str, cleaning: Cleaning) -> str:
    label = without_features(label) if "##" in label else label
    return label if cleaning.keep_functions else label_without_functions(label, cleaning.style)


@lru_cache(1 << 14)
def label_without_functions(label: str, style: str) -> str:
    """A label without its functions: NP-SBJ-1 and NP=2 are NP; in Floresta SUBJ+np is np."""
    if style == "floresta":
        return label.partition("+")[2] or label
    return label if label.startswith("-") else _FUNCTION.sub("", label)


def without_features(label: str) -> str:
    """A label without the features that SPMRL treebanks write behind it: DET##lem=le|g=m## is DET."""
    return label.partition("##")[0] or label


def _annotated(node: Tree, parent: str = "") -> Tree:
    children = (child if isinstance(child, Leaf) else _annotated(child, node.label) for child in node.children)
    return Tree(f"{node.label}^{parent}" if parent else node.label, tuple(children))
