"""The surprisal and entropy of each tag or word, given the ones before it, under a treebank's grammar."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from treegauge.constituency.brackets import BracketSource, as_treebank
from treegauge.constituency.cleaning import PAPER, Cleaning
from treegauge.constituency.grammar import TreebankGrammar, clean_trees, derivation
from treegauge.constituency.parsing import each, parser_of
from treegauge.constituency.prefixes import Prefixes, PrefixParser
from treegauge.constituency.trees import Leaf, Tree, leaves
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError, OptionError
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.version import signature

UNITS = ("tag", "word")
UNKNOWN = "<unknown>"  # stands for every rare word
END = "<end>"


@dataclass(frozen=True, slots=True)
class ReadingUnits:
    """The units of a sentence: tags, or words; all words that a treebank has less than `rare` times are one unit."""

    cleaning: Cleaning = PAPER
    unit: str = "tag"
    rare: int = 1

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise OptionError(f"unit {self.unit!r}; expected one of {', '.join(UNITS)}")
        if self.rare < 1 or (self.rare > 1 and self.unit == "tag"):
            raise OptionError(f"rare {self.rare} with unit {self.unit}; expected 1 or more, and it is for words")

    @property
    def signature(self) -> str:
        """What the numbers depend on besides the trees."""
        words = [f"rare:{self.rare}"] if self.unit == "word" else []
        return signature("surprisal", f"unit:{self.unit}", *words, self.cleaning.signature)

    def grammar(self, trees: Sequence[Tree]) -> TreebankGrammar:
        """The grammar of clean trees."""
        if self.unit == "word":
            count = Counter(leaf.word for tree in trees for leaf in leaves(tree))
            trees = [_over_words(tree, {word for word, n in count.items() if n >= self.rare}) for tree in trees]
        return TreebankGrammar.from_derivations(map(derivation, trees), self.cleaning)

    def codes(self, grammar: TreebankGrammar, units: Sequence[str]) -> np.ndarray:
        """Codes of tags or words, -1 for a unit that the grammar does not have."""
        other = grammar.tag_code.get(UNKNOWN, -1) if self.unit == "word" else -1
        return np.array([grammar.tag_code.get(unit, other) for unit in units], dtype=np.int32)


def _over_words(node: Tree, known: set[str]) -> Tree:
    """The tree with its tags as nonterminals over words; a mark keeps them apart from labels of the same name."""
    children = (
        Tree(f"{child.tag}/", (Leaf(child.word if child.word in known else UNKNOWN, child.word),))
        if isinstance(child, Leaf)
        else _over_words(child, known)
        for child in node.children
    )
    return Tree(node.label, tuple(children))


@dataclass(frozen=True, eq=False)
class SentenceSurprisal:
    """A sentence of n units, and the values of its n + 1 beginnings and its end."""

    name: str
    words: tuple[str, ...]
    units: tuple[str, ...]
    prefixes: Prefixes

    @property
    def has_tree(self) -> bool:
        """Whether the grammar has a tree for the sentence."""
        return bool(np.isfinite(self.prefixes.log_prob[-1]))

    def rows(self) -> list[tuple[Any, ...]]:
        """A row for each unit, and one for the end."""
        own = self.prefixes
        values = (own.surprisal, own.entropy_reduction, own.entropy[1:], own.log_prob[1:])
        numbers = zip(*(value.tolist() for value in values), strict=True)
        named = zip([*self.words, ""], [*self.units, END], numbers, strict=True)
        return [(self.name, place, word, unit, *bits) for place, (word, unit, bits) in enumerate(named, 1)]

    def labels(self) -> list[str]:
        """The text below each unit and the end in a figure: the word, and its tag if the units are tags."""
        pairs = zip(self.words, self.units, strict=True)
        return [*(word if word == unit else f"{word}\n{unit}" for word, unit in pairs), END]


@dataclass(frozen=True, eq=False, repr=False)
class Surprisal(Tabular):
    """The surprisal of a text, sentence by sentence."""

    name: str
    sentences: tuple[SentenceSurprisal, ...]
    unknown: tuple[tuple[str, str], ...]  # sentence, and a tag or word in it that the grammar does not have
    signature: str
    corpus: Corpus | None = field(default=None, compare=False)

    @property
    def n_impossible(self) -> int:
        """How many sentences have no tree."""
        return sum(not sentence.has_tree for sentence in self.sentences)

    def table(self) -> Table:
        """A row for each tag or word, and one for the end of each sentence."""
        columns = "sentence text, place count, word text, unit text, surprisal number, entropy_reduction number"
        return Table(
            "Surprisal and entropy, in bits",
            column_kinds(columns + ", entropy number, log_prob number"),
            tuple(row for sentence in self.sentences for row in sentence.rows()),
            self.signature,
            "surprisal",
            headers={"entropy_reduction": "reduction"},
        )

    def summary(self) -> Table:
        """One row: means over sentences that have a tree."""
        whole = [sentence.prefixes for sentence in self.sentences if sentence.has_tree]
        units = sum(len(prefixes.surprisal) - 1 for prefixes in whole)
        sums = (
            sum(prefixes.surprisal.sum() for prefixes in whole),
            sum(prefixes.entropy_reduction.sum() for prefixes in whole),
        )
        columns = "text text, sentences count, with_tree count, units count, surprisal number, entropy_reduction number"
        means = (float(bits) / units if units else float("nan") for bits in sums)
        row = (self.name, len(self.sentences), len(whole), units, *means)
        title = "Surprisal, bits per tag or word, sentence ends included"
        return Table(title, column_kinds(columns), (row,), self.signature)

    def sentence(self, name: str | None) -> SentenceSurprisal:
        """The sentence of that name, or the first that has a tree."""
        for sentence in self.sentences:
            if sentence.name == name or (name is None and sentence.has_tree):
                return sentence
        wanted = "with a tree" if name is None else repr(name)
        raise CorpusError(f"{self.name}: no sentence {wanted} among {len(self.sentences)}")

    def __repr__(self) -> str:
        return f"Surprisal({self.name!r}, {len(self.sentences)} sentences, {self.n_impossible} without a tree)"


def surprisal(
    train: BracketSource,
    text: Corpus | BracketSource | None = None,
    reader: ReadingUnits | None = None,
    *,
    column: str = "xpos",
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Surprisal:
    """How surprising each tag or word of a text is under the grammar of the treebank `train`.

    train: paths of brackets, or a treebank of `read_brackets`. text: a corpus or the path of a CoNLL-U file, whose tags
    are in `column`; brackets; or None for the treebank itself. Surprisal is −log2 p(unit | those before it).
    """
    reader = reader or ReadingUnits()
    treebank = as_treebank(train, reader.cleaning.style)
    trees = clean_trees(treebank, reader.cleaning)
    grammar = reader.grammar([tree for tree, _ in trees])
    parser = PrefixParser(parser_of(grammar))
    if isinstance(text, str | os.PathLike) and is_conllu(text):
        text = read_conllu(text, trees=False)
    if isinstance(text, Corpus):
        name, sentences = text.path, _corpus_sentences(text, column)
    else:
        if text is not None and text is not treebank:
            treebank = as_treebank(text, reader.cleaning.style)
            trees = clean_trees(treebank, reader.cleaning)
        name, sentences = treebank.name, [(place, leaves(tree)) for tree, place in trees]

    def read(sentence: tuple[str, list[Leaf]]) -> SentenceSurprisal:
        place, below = sentence
        words = tuple(leaf.word for leaf in below)
        units = words if reader.unit == "word" else tuple(leaf.tag for leaf in below)
        return SentenceSurprisal(place, words, units, parser.prefixes(reader.codes(grammar, units)))

    results = each(read, sentences, workers, progress)
    unknown = tuple(
        (sentence.name, unit)
        for sentence in results
        for unit, code in zip(sentence.units, reader.codes(grammar, sentence.units), strict=True)
        if code < 0
    )
    return Surprisal(name, tuple(results), unknown, reader.signature, text if isinstance(text, Corpus) else None)


def is_conllu(path: str | os.PathLike[str]) -> bool:
    """Whether a file is CoNLL-U by its name, compressed or not."""
    return ".conll" in os.path.basename(os.fspath(path)).lower()


def _corpus_sentences(corpus: Corpus, column: str) -> list[tuple[str, list[Leaf]]]:
    """The name of each sentence, and its words with their tags."""
    labels, codes = corpus.labels[column], corpus.codes[column].tolist()
    sentences = []
    for s, (low, high) in enumerate(pairwise(corpus.start.tolist())):
        words = [Leaf(labels[code], form) for code, form in zip(codes[low:high], corpus.forms(s), strict=True)]
        sentences.append((corpus.sent_id(s) or str(s + 1), words))
    return sentences
