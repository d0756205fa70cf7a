"""Compare two corpora of the same text: which word of one is which word of the other, and which arcs are right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from treegauge.corpus.columns import NO_NOTES, Columns
from treegauge.corpus.compare.align import aligned_rows, common_sentences
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.errors import CorpusError
from treegauge.wording import counted


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """A column of two corpora as codes into one table of labels."""

    first: np.ndarray
    second: np.ndarray
    labels: tuple[str, ...]


class LabelJoiner:
    """Gives a column of two corpora a common table of labels, piece by piece; new labels come after old ones."""

    def __init__(self, column: str, change: Callable[[str], str] = str) -> None:
        """change: a function that each label passes through first."""
        self.column, self._change = column, change
        self._table: dict[str, int] = {}
        self._codes = [np.empty(0, np.int32) for _ in range(2)]  # for each corpus: its own codes -> common codes

    def __call__(self, first: Corpus, second: Corpus) -> ColumnPair:
        """The column of a pair of pieces."""
        pair = []
        for side, corpus in enumerate((first, second)):
            known = self._codes[side]
            labels = corpus.labels[self.column][len(known) :]
            codes = [self._table.setdefault(self._change(label), len(self._table)) for label in labels]
            self._codes[side] = np.append(known, np.array(codes, np.int32))
            pair.append(self._common(side, corpus.codes[self.column]))
        return ColumnPair(pair[0], pair[1], tuple(self._table))

    def _common(self, side: int, codes: np.ndarray) -> np.ndarray:
        """The common codes instead of a corpus's own codes; the same array if both are equal."""
        common = self._codes[side]
        own = np.array_equal(common, np.arange(len(common))) and codes.flags.c_contiguous and codes.dtype == np.int32
        return codes if own else common[codes]


def join_column(first: Corpus, second: Corpus, column: str, change: Callable[[str], str] = str) -> ColumnPair:
    """A column of two corpora as codes into one table; `change` is a function that each label passes through first."""
    return LabelJoiner(column, change)(first, second)


PART = 100_000  # words in a part of a comparison
ROOT_ROW, NO_ROW = -1, -2  # stand for the root, and for a head that is missing or that the other does not have
ELSEWHERE = -1  # stands for a head that is not in the same sentence of the corpus
_LOST = -2  # stands for a word that the other corpus does not have


@dataclass(frozen=True, slots=True)
class Unmatched:
    """How many words of the other corpus (such as gold), and of the corpus, have no partner."""

    other: int = 0
    corpus: int = 0

    def __add__(self, more: Unmatched) -> Unmatched:
        return Unmatched(self.other + more.other, self.corpus + more.corpus)

    def __bool__(self) -> bool:
        return bool(self.other or self.corpus)

    def text(self, other: str, corpus: str) -> str:
        """The numbers in a sentence; other, corpus: the names of the two sides."""
        of_other, of_corpus = (counted(n, "word") for n in (self.other, self.corpus))
        return f"left out: {of_other} of {other} and {of_corpus} of {corpus}, which the other does not have"


@dataclass(frozen=True)
class Comparison:
    """A corpus (a parse, a new version) and another of the same text (gold, another parse, the old version)."""

    corpus: Corpus
    other: Corpus
    # for each word of the corpus, its row in the other, -1 for none; None if both have the same sentences and words
    row: np.ndarray | None = None
    # whether the corpus has the text of each sentence of the other; None if both have the same text
    shared: np.ndarray | None = None

    @cached_property
    def present(self) -> np.ndarray:
        """Whether the other corpus has each word of the corpus."""
        return np.ones(self.corpus.n_words, bool) if self.row is None else self.row >= 0

    @cached_property
    def partner(self) -> np.ndarray:
        """For each word of the other, its row in the corpus, -1 for none."""
        if self.row is None:
            return np.arange(self.other.n_words, dtype=np.int32)
        rows = np.flatnonzero(self.present)
        partner = np.full(self.other.n_words, -1, np.int32)
        partner[self.row[rows]] = rows
        return partner

    @cached_property
    def unmatched(self) -> Unmatched:
        """How many words have no partner."""
        matched = int(np.count_nonzero(self.present))
        return Unmatched(self.other.n_words - matched, self.corpus.n_words - matched)

    def matched(self, values: np.ndarray) -> np.ndarray:
        """The values of the words that the other corpus has; values: one for each word of the corpus."""
        return values if self.row is None else values[self.present]

    @cached_property
    def other_sentence(self) -> np.ndarray:
        """The sentence of the other corpus in which each word of the corpus starts, by characters."""
        edge, tokens = self.shared_other.tokens.sentence_edge, self.corpus.tokens
        if np.array_equal(edge, tokens.sentence_edge):
            sentence = np.repeat(np.arange(self.corpus.n_sentences, dtype=np.int32), np.diff(self.corpus.start))
        else:
            sentence = (np.searchsorted(edge, tokens.edge[tokens.of_word], side="right") - 1).astype(np.int32)
        return sentence if self.shared is None else np.flatnonzero(self.shared).astype(np.int32)[sentence]

    @cached_property
    def shared_other(self) -> Corpus:
        """The sentences of the other whose text the corpus has."""
        return self.other if self.shared is None else self.other.select(self.shared)

    @cached_property
    def overlay(self) -> Corpus:
        """The words of the corpus with head, relation and UPOS of the other; the other itself if words are the same.

        A head is ELSEWHERE if it is not a word of the same sentence in the corpus, or if the other does not have the
        word.
        """
        corpus, other = self.corpus, self.other
        if self.row is None:
            return other
        rows = np.flatnonzero(self.present)
        partners = self.row[rows]
        head_row = np.where(other.head[partners] > 0, self.partner[other.head_row[partners]], -1)
        inside = (head_row >= 0) & (corpus.sentence[head_row] == corpus.sentence[rows])
        head = np.full(corpus.n_words, ELSEWHERE, np.int32)
        head[rows] = np.where(inside, corpus.position[head_row], np.where(other.head[partners] > 0, ELSEWHERE, 0))
        codes = {name: np.zeros(corpus.n_words, np.int32) for name in ("deprel", "upos") if name in other.codes}
        for name, column in codes.items():
            column[rows] = other.codes[name][partners]
        labels = Columns({name: other.labels[name] for name in codes})
        return replace(
            corpus, path=other.path, head=head, codes=Columns(codes), labels=labels, checked=None, notes=NO_NOTES
        )

    @cached_property
    def same_head(self) -> np.ndarray:
        """Whether each word of the corpus has the same head in the other: its partner, or the root in both."""
        if self.row is None:
            return np.asarray(self.corpus.head == self.other.head)
        partner = np.append(np.where(self.present, self.row, np.int32(_LOST)), np.int32(-1))  # the root has row -1
        return np.asarray(self.present & (partner[self.corpus.head_row] == self.other.head_row[self.row]))

    @cached_property
    def head_in_other(self) -> np.ndarray:
        """For each word of the corpus the row of its head in the other: ROOT_ROW, or NO_ROW. Heads may be missing."""
        corpus = self.corpus
        row = np.maximum(corpus.start[corpus.sentence] + corpus.head - 1, 0)
        partner = row if self.row is None else np.where(self.row[row] >= 0, self.row[row], NO_ROW)
        return np.asarray(np.where(corpus.head > 0, partner, np.where(corpus.head == 0, ROOT_ROW, NO_ROW)))

    @cached_property
    def right(self) -> np.ndarray:
        """Whether each arc of the corpus is right: the other has the same head and the same universal relation.

        An arc whose word the other does not have is not right.
        """
        return np.asarray(self.same_head & self.same("deprel", universal))

    def same(self, column: str, change: Callable[[str], str] = str) -> np.ndarray:
        """Whether each word of the corpus has the same label in a column of the other; `change` maps labels first."""
        labels = join_column(self.corpus, self.other, column, change)
        if self.row is None:
            return np.asarray(labels.first == labels.second)
        return np.asarray(self.present & (labels.first == labels.second[self.row]))

    def parts(self) -> Iterator[Comparison]:
        """The comparison in parts of whole sentences of the corpus, of about PART words each."""
        corpus = self.corpus
        ends = np.minimum(np.arange(0, corpus.n_words + PART, PART), corpus.n_words)
        for low, high in pairwise(dict.fromkeys(np.searchsorted(corpus.start, ends).tolist())):
            first, last = corpus.start[[low, high]].tolist()
            if self.row is None:
                yield Comparison(corpus.part(low, high), self.other.part(low, high))
            else:
                yield Comparison(corpus.part(low, high), self.other, self.row[first:last])


class SameWords:
    """Tells whether two corpora have the same words, for one pair of pieces after the other.

    Sentences must have the same number of words, and the same forms if both corpora were read with forms.
    """

    def __init__(self) -> None:
        self._form = LabelJoiner("form")

    def __call__(self, corpus: Corpus, other: Corpus) -> bool:
        """Whether the words of a pair of pieces are the same."""
        if not np.array_equal(corpus.start, other.start):
            return False
        if not has_forms(corpus, other):
            return True
        forms = self._form(corpus, other)
        return bool((forms.first == forms.second).all())


def has_forms(corpus: Corpus, other: Corpus) -> bool:
    """Whether both corpora were read with their forms."""
    return "form" in corpus.codes and "form" in other.codes


def side_by_side(corpus: Corpus, other: Corpus) -> Comparison:
    """The comparison of two corpora of the same text; words are aligned as in `evaluate` if they are not the same.

    A sentence that was left out of one corpus because it was malformed has no partner. Raises CorpusError if the texts
    are not the same.
    """
    if SameWords()(corpus, other):
        return Comparison(corpus, other)
    if not has_forms(corpus, other):
        raise CorpusError(f"{other.path} and {corpus.path} do not have the same words, and were read without forms")
    if not (other.notes.n_sentences or corpus.notes.n_sentences):
        return aligned(corpus, other)
    of_other, of_corpus = common_sentences(other, corpus)
    row = np.full(corpus.n_words, -1, np.int32)
    row[of_corpus[corpus.sentence]] = _rows_with_gaps(corpus.select(of_corpus), other, of_other)
    return Comparison(corpus, other, row)


def with_gaps(corpus: Corpus, other: Corpus, shared: np.ndarray) -> Comparison:
    """The comparison of a corpus with another that has more text. shared: the sentences whose text both have."""
    return Comparison(corpus, other, _rows_with_gaps(corpus, other, shared), shared)


def _rows_with_gaps(corpus: Corpus, other: Corpus, shared: np.ndarray) -> np.ndarray:
    """For each word of a corpus its row in another that has more text, -1 for none."""
    row = aligned_rows(corpus, other.select(shared))
    rows = np.flatnonzero(shared[other.sentence])
    return np.where(row >= 0, rows[row], -1).astype(np.int32)


def aligned(corpus: Corpus, other: Corpus) -> Comparison:
    """The comparison of two corpora of the same text, with words aligned by characters (see `aligned_rows`)."""
    return Comparison(corpus, other, aligned_rows(corpus, other))


def right_arcs(gold: Corpus, system: Corpus) -> np.ndarray:
    """Whether each arc of the system is right by gold, which must have the same words (see `Comparison.right`).

    Raises CorpusError at the first word that differs; use `side_by_side` if words may differ.
    """
    if not SameWords()(system, gold):
        raise CorpusError(_difference(gold, system))
    return Comparison(system, gold).right


def _difference(gold: Corpus, system: Corpus) -> str:
    """The message that says where two corpora do not have the same words."""
    different = f"{gold.path} and {system.path} do not have the same words"
    if not np.array_equal(gold.start, system.start):
        return different
    w = int(np.argmin(Comparison(system, gold).same("form")))
    place = f"sentence {gold.number[gold.sentence[w]]}, word {gold.position[w]}"
    return f"{different}: {place}: {gold.value('form', w)!r} and {system.value('form', w)!r}"
