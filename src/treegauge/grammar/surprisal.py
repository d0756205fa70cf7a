"""Words as they come: how surprising each tag or word is after those before it, under a treebank's grammar."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from treegauge import __version__
from treegauge.corpus.conllu import Corpus, read_conllu
from treegauge.errors import CorpusError, OptionError
from treegauge.grammar.brackets import BracketTreebank, Leaf, Tree, read_brackets
from treegauge.grammar.cleaning import PAPER, Cleaning, clean
from treegauge.grammar.derivations import derivation
from treegauge.grammar.grammar import TreebankGrammar
from treegauge.grammar.parsing import each, parser_of
from treegauge.grammar.prefixes import Prefixes, PrefixParser
from treegauge.tables import Table, Tabular, column_kinds

UNITS = ("tag", "word")
UNKNOWN = "<unknown>"  # stands for every rare word
END = "<end>"


@dataclass(frozen=True, slots=True)
class ReadingUnits:
    """What is read: tags, or words, those that a treebank has less than `rare` times as one."""

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
        return "|".join(["surprisal", f"unit:{self.unit}", *words, self.cleaning.signature, f"v{__version__}"])

    def grammar(self, trees: Sequence[Tree]) -> TreebankGrammar:
        """The grammar of trees as they were read."""
        cleaned = [kept for tree in trees if (kept := clean(tree, self.cleaning)) is not None]
        if self.unit == "word":
            count = Counter(leaf.word for tree in cleaned for leaf in leaves(tree))
            cleaned = [_over_words(tree, {word for word, n in count.items() if n >= self.rare}) for tree in cleaned]
        return TreebankGrammar.from_derivations([derivation(tree) for tree in cleaned], self.cleaning)

    def codes(self, grammar: TreebankGrammar, units: Sequence[str]) -> np.ndarray:
        """Codes of tags or words, -1 for one that the grammar has not."""
        other = grammar.tag_code.get(UNKNOWN, -1) if self.unit == "word" else -1
        return np.array([grammar.tag_code.get(unit, other) for unit in units], dtype=np.int32)


def leaves(tree: Tree) -> list[Leaf]:
    """The leaves of a tree from left to right."""
    found: list[Leaf] = []
    waiting: list[Tree | Leaf] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Leaf):
            found.append(node)
        else:
            waiting += reversed(node.children)
    return found


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
class ReadSentence:
    """A sentence as it was read: n units, and the values of its n + 1 beginnings and its end."""

    name: str
    words: tuple[str, ...]
    units: tuple[str, ...]
    prefixes: Prefixes

    def rows(self) -> list[tuple[Any, ...]]:
        """A row for each unit, and one for the end."""
        found, n = self.prefixes, len(self.units)
        numbers = zip(
            found.surprisal.tolist(),
            found.entropy_reduction.tolist(),
            found.entropy[1:].tolist(),
            found.log_prob[1:].tolist(),
            strict=True,
        )
        named = zip([*self.words, ""], [*self.units, END], range(1, n + 2), numbers, strict=True)
        return [(self.name, place, word, unit, *values) for word, unit, place, values in named]


@dataclass(frozen=True, eq=False, repr=False)
class Surprisal(Tabular):
    """A text as it was read, sentence by sentence."""

    name: str
    sentences: tuple[ReadSentence, ...]
    unknown: tuple[tuple[str, str], ...]  # tags or words that the grammar has not: where, which
    signature: str
    corpus: Corpus | None = field(default=None, compare=False)

    @property
    def n_impossible(self) -> int:
        """How many sentences have no tree."""
        return sum(bool(np.isneginf(sentence.prefixes.log_prob[-1])) for sentence in self.sentences)

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
        whole = [one.prefixes for one in self.sentences if np.isfinite(one.prefixes.log_prob[-1])]
        units = sum(len(one.surprisal) - 1 for one in whole)
        bits, reduced = (
            float(sum(values.sum() for values in found)) / units if units else float("nan")
            for found in ([one.surprisal for one in whole], [one.entropy_reduction for one in whole])
        )
        columns = "text text, sentences count, with_tree count, units count, surprisal number, entropy_reduction number"
        row = (self.name, len(self.sentences), len(whole), units, bits, reduced)
        return Table(
            "Surprisal, bits per tag or word, sentence ends included", column_kinds(columns), (row,), self.signature
        )

    def sentence(self, name: str | None) -> ReadSentence:
        """The sentence of that name, or the first that has a tree."""
        for sentence in self.sentences:
            if sentence.name == name or (name is None and np.isfinite(sentence.prefixes.log_prob[-1])):
                return sentence
        wanted = "with a tree" if name is None else repr(name)
        raise CorpusError(f"{self.name}: no sentence {wanted} among {len(self.sentences)}")

    def __repr__(self) -> str:
        return f"Surprisal({self.name!r}, {len(self.sentences)} sentences, {self.n_impossible} without a tree)"


def surprisal(
    train: Any,
    text: Any = None,
    reader: ReadingUnits | None = None,
    *,
    column: str = "xpos",
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Surprisal:
    """How surprising each tag or word of a text is under the grammar of the treebank `train`.

    train: paths of brackets, or what `read_brackets` gives. text: a corpus or the path of a CoNLL-U file, whose tags
    are in `column`; brackets; or None for the treebank itself. Surprisal is −log2 p(unit | those before it).
    """
    reader = reader or ReadingUnits()
    treebank = train if isinstance(train, BracketTreebank) else read_brackets(train, style=reader.cleaning.style)
    grammar = reader.grammar(treebank.trees)
    parser = PrefixParser(parser_of(grammar))
    corpus = None
    if text is not None and not isinstance(text, BracketTreebank):
        if isinstance(text, Corpus) or is_conllu(text):
            corpus = text if isinstance(text, Corpus) else read_conllu(text, trees=False)
        else:
            text = read_brackets(text, style=reader.cleaning.style)
    sentences = (
        _of_corpus(corpus, column) if corpus is not None else _of_trees(treebank if text is None else text, reader)
    )
    name = corpus.path if corpus is not None else (treebank if text is None else text).name

    def read(sentence: tuple[str, list[str], list[str]]) -> ReadSentence:
        place, words, tags = sentence
        units = words if reader.unit == "word" else tags
        return ReadSentence(place, tuple(words), tuple(units), parser.prefixes(reader.codes(grammar, units)))

    found = each(read, sentences, workers, progress)
    unknown = tuple(
        (one.name, unit)
        for one in found
        for unit, code in zip(one.units, reader.codes(grammar, one.units), strict=True)
        if code < 0
    )
    return Surprisal(name, tuple(found), unknown, reader.signature, corpus)


def is_conllu(path: str | os.PathLike[str]) -> bool:
    """Whether a file's name says that it is CoNLL-U, packed or not."""
    return ".conll" in os.path.basename(os.fspath(path)).lower()


def _of_corpus(corpus: Corpus, column: str) -> list[tuple[str, list[str], list[str]]]:
    labels, codes = corpus.labels[column], corpus.codes[column].tolist()
    found = []
    for s, (low, high) in enumerate(pairwise(corpus.start.tolist())):
        name = corpus.sent_id(s) or str(s + 1)
        found.append((name, corpus.forms(s), [labels[code] for code in codes[low:high]]))
    return found


def _of_trees(treebank: BracketTreebank, reader: ReadingUnits) -> list[tuple[str, list[str], list[str]]]:
    found = []
    for raw, (path, line) in zip(treebank.trees, treebank.places, strict=True):
        if (tree := clean(raw, reader.cleaning)) is not None:
            below = leaves(tree)
            found.append((f"{path}:{line}", [leaf.word for leaf in below], [leaf.tag for leaf in below]))
    return found
