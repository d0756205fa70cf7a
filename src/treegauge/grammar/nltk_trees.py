"""NLTK's trees to ours and back."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from treegauge.errors import CorpusError
from treegauge.grammar.brackets import Leaf, Tree


def as_tree(tree: Any) -> Tree:
    """A tree of ours as it is, an NLTK `Tree` rewritten; NLTK need not be installed."""
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
    return Tree(label, tuple(_from_nltk(child) for child in children))


def to_nltk(tree: Tree) -> Any:
    """The tree as an `nltk.Tree`; a leaf becomes a node of its tag over its word."""
    nltk_tree = import_module("nltk.tree").Tree

    return nltk_tree(
        tree.label,
        [nltk_tree(child.tag, [child.word]) if isinstance(child, Leaf) else to_nltk(child) for child in tree.children],
    )
