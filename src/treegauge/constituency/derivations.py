"""The rules, tags and brackets of trees; samples of trees from files, treebanks or lists."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from treegauge.constituency.brackets import BracketTreebank, read_brackets
from treegauge.constituency.cleaning import PAPER, Cleaning, clean
from treegauge.constituency.trees import Leaf, Tree, as_tree
from treegauge.errors import CorpusError
from treegauge.wording import counted

TAG = "\t"  # stands before a tag in a rule, so that it differs from a nonterminal of the same name

Rule = tuple[str, ...]  # left side, then the right side


@dataclass(frozen=True, slots=True)
class Derivation:
    """The rules, tags and brackets (nonterminal, from, to) of a clean tree, all in preorder."""

    rules: tuple[Rule, ...]
    tags: tuple[str, ...]
    brackets: tuple[tuple[str, int, int], ...]

    def __len__(self) -> int:
        return len(self.tags)


@dataclass(frozen=True, slots=True)
class Sample:
    """The derivations of a treebank's trees, and the place of each: file:line, or empty."""

    name: str
    trees: tuple[Derivation, ...]
    places: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Sample({self.name!r}, {counted(len(self.trees), 'tree')})"


def derivation(tree: Tree) -> Derivation:
    """The rules, tags and brackets of a clean tree."""
    rules: list[Rule] = []
    tags: list[str] = []
    brackets: list[tuple[str, int, int]] = []

    def walk(node: Tree) -> None:
        symbols = (TAG + child.tag if isinstance(child, Leaf) else child.label for child in node.children)
        rules.append((node.label, *symbols))
        place, begin = len(brackets), len(tags)
        brackets.append((node.label, begin, begin))
        for child in node.children:
            if isinstance(child, Leaf):
                tags.append(child.tag)
            else:
                walk(child)
        brackets[place] = (node.label, begin, len(tags))

    walk(tree)
    return Derivation(tuple(rules), tuple(tags), tuple(brackets))


def derivations(trees: Iterable[Any], cleaning: Cleaning = PAPER) -> list[Derivation]:
    """The derivation of each tree, ours or NLTK's, after cleaning; a tree of which nothing is left is left out."""
    return [derivation(cleaned) for tree in trees if (cleaned := clean(as_tree(tree), cleaning)) is not None]


def clean_trees(treebank: BracketTreebank, cleaning: Cleaning) -> list[tuple[Tree, str]]:
    """The trees of a treebank after cleaning, each with its place, file:line."""
    return [
        (tree, f"{path}:{line}")
        for raw, (path, line) in zip(treebank.trees, treebank.places, strict=True)
        if (tree := clean(raw, cleaning)) is not None
    ]


def sample_of(source: Any, cleaning: Cleaning = PAPER) -> Sample:
    """The sample in a path, several paths, a bracket treebank, or trees: ours, NLTK's, or derivations.

    Trees are cleaned; derivations and samples are taken as they are. CorpusError if there is no tree.
    """
    if isinstance(source, Sample):
        return source
    if not isinstance(source, BracketTreebank):
        source = [source] if isinstance(source, str | os.PathLike) else list(source)
        if source and isinstance(source[0], str | os.PathLike):
            source = read_brackets(source, style=cleaning.style)
    if isinstance(source, BracketTreebank):
        cleaned = clean_trees(source, cleaning)
        places = tuple(place for _, place in cleaned)
        sample = Sample(source.name, tuple(derivation(tree) for tree, _ in cleaned), places)
    else:
        trees = source if source and isinstance(source[0], Derivation) else derivations(source, cleaning)
        sample = Sample("treebank", tuple(trees), ("",) * len(trees))
    if not sample.trees:
        raise CorpusError(f"{sample.name}: no trees; expected at least one")
    return sample
