"""The rules of trees, and their grammar: rules over tags with their relative frequencies."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from treegauge.constituency.brackets import BracketTreebank, read_brackets
from treegauge.constituency.cleaning import PAPER, TOP, Cleaning, clean
from treegauge.constituency.trees import Leaf, Tree, as_tree
from treegauge.errors import CorpusError, check_type
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
    """The derivation of each tree, ours or NLTK's, after cleaning; a tree that becomes empty is left out."""
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
        check_type("source", source, (Iterable, os.PathLike), "a path, several paths, or trees")
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


@dataclass(frozen=True, eq=False)
class TreebankGrammar:
    """A probabilistic context-free grammar by counting: p(A → α) = f(A → α) / f(A), no smoothing (§2, §5).

    Symbols have codes: nonterminals first, then tags. Rules are sorted by their left side and then by
    their right side, tags before nonterminals; this order decides between equally probable trees.
    """

    nonterminals: tuple[str, ...]
    tags: tuple[str, ...]
    lhs: np.ndarray  # nonterminal of each rule
    rhs: tuple[tuple[int, ...], ...]  # symbols of each rule
    count: np.ndarray  # f(A → α)
    cleaning: Cleaning = PAPER

    @classmethod
    def from_trees(cls, trees: Iterable[Any], cleaning: Cleaning = PAPER) -> TreebankGrammar:
        """The grammar of trees, ours or NLTK's, which are cleaned first."""
        return cls.from_derivations(derivations(trees, cleaning), cleaning)

    @classmethod
    def from_derivations(cls, sample: Iterable[Derivation], cleaning: Cleaning = PAPER) -> TreebankGrammar:
        """The grammar of derivations."""
        counts = Counter(rule for tree in sample for rule in tree.rules)
        if not counts:
            raise CorpusError("no trees; expected at least one to read a grammar off")
        return cls.from_counts(counts, cleaning)

    @classmethod
    def from_counts(cls, counts: dict[Rule, int], cleaning: Cleaning = PAPER) -> TreebankGrammar:
        """The grammar of rules with their counts; in a rule a tag is marked by TAG."""
        rules = sorted(counts)
        nonterminals = sorted({symbol for rule in rules for symbol in rule if not symbol.startswith(TAG)})
        tags = sorted({symbol[1:] for rule in rules for symbol in rule if symbol.startswith(TAG)})
        code = {symbol: at for at, symbol in enumerate([*nonterminals, *(TAG + tag for tag in tags)])}
        return cls(
            tuple(nonterminals),
            tuple(tags),
            np.array([code[rule[0]] for rule in rules], dtype=np.int32),
            tuple(tuple(code[symbol] for symbol in rule[1:]) for rule in rules),
            np.array([counts[rule] for rule in rules], dtype=np.int64),
            cleaning,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # without caches and charts

    def __repr__(self) -> str:
        sizes = f"{self.n_rules} rules, {len(self.nonterminals)} nonterminals, {len(self.tags)} tags"
        return f"TreebankGrammar({sizes})"

    @property
    def n_rules(self) -> int:
        """How many different rules there are."""
        return len(self.lhs)

    @cached_property
    def start(self) -> int:
        """The code of the start symbol TOP."""
        if TOP not in self.nonterminals:
            raise CorpusError(f"no rule has {TOP} on its left; expected the root of every tree")
        return self.nonterminals.index(TOP)

    @cached_property
    def prob(self) -> np.ndarray:
        """p(A → α), the share of A's occurrences that are expanded to α."""
        return relative_frequency(self.lhs, self.count, len(self.nonterminals))

    @cached_property
    def rule_code(self) -> dict[Rule, int]:
        """The code of each rule."""
        names = [*self.nonterminals, *(TAG + tag for tag in self.tags)]
        return {
            (names[left], *(names[symbol] for symbol in right)): at
            for at, (left, right) in enumerate(zip(self.lhs.tolist(), self.rhs, strict=True))
        }

    @cached_property
    def tag_code(self) -> dict[str, int]:
        """The code of each tag, counted from 0."""
        return {tag: at for at, tag in enumerate(self.tags)}

    def tag_codes(self, tags: Sequence[str]) -> np.ndarray:
        """Codes of tags, -1 for a tag that the grammar does not have."""
        return np.array([self.tag_code.get(tag, -1) for tag in tags], dtype=np.int32)

    def rule_codes(self, tree: Derivation) -> np.ndarray:
        """Codes of a tree's rules, -1 for a rule that the grammar does not have."""
        return np.array([self.rule_code.get(rule, -1) for rule in tree.rules], dtype=np.int64)


def relative_frequency(lhs: np.ndarray, count: np.ndarray, n_nonterminals: int) -> np.ndarray:
    """f(A → α) / f(A) for each rule; 0 where A has no occurrence left."""
    total = np.bincount(lhs, weights=count, minlength=n_nonterminals)[lhs]
    share: np.ndarray = np.divide(count, total, out=np.zeros(len(count)), where=total > 0)
    return share
