"""Constituency trees: labelled nodes over tagged words; conversion from and to the trees of NLTK."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from treegauge.errors import CorpusError


class Leaf(NamedTuple):
    """A word and its tag."""

    tag: str
    word: str


class Tree(NamedTuple):
    """A labelled node over at least one node or leaf; the outermost label of a file's tree may be empty."""

    label: str
    children: tuple[Tree | Leaf, ...]

    def __str__(self) -> str:
        parts: list[str] = []
        stack: list[Tree | Leaf | str] = [self]
        while stack:
            node = stack.pop()
            if isinstance(node, str):
                parts.append(node)
            elif isinstance(node, Leaf):
                parts.append(f" ({node.tag} {node.word})")
            else:
                parts.append(f" ({node.label}")
                stack += [")", *reversed(node.children)]
        return "".join(parts)[1:]


def leaves(tree: Tree) -> list[Leaf]:
    """The leaves of a tree from left to right."""
    below: list[Leaf] = []
    stack: list[Tree | Leaf] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Leaf):
            below.append(node)
        else:
            stack += reversed(node.children)
    return below


def as_tree(tree: Any) -> Tree:
    """The tree of an NLTK `Tree`; one of our trees is returned as it is. NLTK need not be installed."""
    if isinstance(tree, Tree):
        return tree
    if not hasattr(tree, "label"):
        raise CorpusError(f"{type(tree).__name__} {str(tree)[:40]!r}; expected a Tree, treegauge's or NLTK's")
    node = _from_nltk(tree)
    return Tree("", (node,)) if isinstance(node, Leaf) else node


def _from_nltk(node: Any) -> Tree | Leaf:
    label, children = str(node.label()), list(node)
    words = [child for child in children if not hasattr(child, "label")]
    if len(words) == 1 and len(children) == 1:
        return Leaf(label, str(words[0]))
    if words or not children:
        raise CorpusError(f"node ({label} holds {children[:3]!r}; expected nodes, or one word under its tag")
    return Tree(label, tuple(map(_from_nltk, children)))


def to_nltk(tree: Tree | Leaf) -> Any:
    """The tree as an `nltk.Tree`; a leaf becomes a node of its tag over its word."""
    nltk_tree = import_module("nltk.tree").Tree
    if isinstance(tree, Leaf):
        return nltk_tree(tree.tag, [tree.word])
    return nltk_tree(tree.label, [to_nltk(child) for child in tree.children])
