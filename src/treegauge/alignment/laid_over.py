"""Gold's trees laid over a system's words: what can be compared word by word, though the two were cut otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from treegauge.alignment.align import align
from treegauge.alignment.both_sides import kept_on_both
from treegauge.corpus.conllu import Columns, Corpus
from treegauge.corpus.joined import Joiner
from treegauge.errors import CorpusError
from treegauge.wording import counted

PART = 100_000  # words that are scored at a time
ELSEWHERE = -1  # the head of a word in gold, where that is no word of the same sentence in the system


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many words of gold and of the system have no such word on the other side."""

    gold: int = 0
    system: int = 0

    def __add__(self, more: LeftOut) -> LeftOut:
        return LeftOut(self.gold + more.gold, self.system + more.system)

    def __bool__(self) -> bool:
        return bool(self.gold or self.system)

    def text(self, gold: str, system: str) -> str:
        """What was left out, in words."""
        of_gold, of_system = (counted(n, "word") for n in (self.gold, self.system))
        return f"left out: {of_gold} of {gold} and {of_system} of {system}, which the other does not have"


@dataclass(frozen=True, slots=True)
class LaidOver:
    """Gold over the words of a system."""

    gold: Corpus  # the system's words, with gold's head (ELSEWHERE if it is not among them), relation and tag
    row: np.ndarray | None  # of each word of the system: its row in gold, -1 for none; None: all words are the same
    left_out: LeftOut = LeftOut()

    @property
    def kept(self) -> np.ndarray | None:
        """Of each word of the system: whether gold has it; None if all words are the same."""
        return None if self.row is None else self.row >= 0

    def only_kept(self, values: np.ndarray) -> np.ndarray:
        """Values of the system's words: those of the words that gold has, too."""
        return values if self.row is None else values[self.row >= 0]


def in_parts(system: Corpus, over: LaidOver) -> Iterator[tuple[Corpus, LaidOver]]:
    """The system and gold over it in parts of whole sentences, of about PART words."""
    ends = np.minimum(np.arange(0, system.n_words + PART, PART), system.n_words)
    cuts = np.searchsorted(system.start, ends).tolist()
    for low, high in pairwise(dict.fromkeys(cuts)):
        first, last = system.start[[low, high]].tolist()
        row = None if over.row is None else over.row[first:last]
        yield system.part(low, high), replace(over, gold=over.gold.part(low, high), row=row)


class SameWords:
    """Whether two corpora have the same words, of one pair of pieces after the other.

    Words are compared by their number in each sentence, and by their forms where both corpora were read with them.
    """

    def __init__(self) -> None:
        self._form = Joiner("form")

    def __call__(self, gold: Corpus, system: Corpus) -> bool:
        """Whether the words of a pair of pieces are the same."""
        if not np.array_equal(gold.start, system.start):
            return False
        return not has_forms(gold, system) or bool(self._form(gold, system).same.all())


def has_forms(gold: Corpus, system: Corpus) -> bool:
    """Whether both corpora were read with their forms."""
    return "form" in gold.codes and "form" in system.codes


def lay_over(gold: Corpus, system: Corpus) -> LaidOver:
    """Gold over the words of a system; words are aligned as in `evaluate`, if they are not the same.

    What was left out of one side because it was malformed is left out on the other. Raises CorpusError as `align` does
    where the texts are not the same.
    """
    return LaidOver(gold, None) if SameWords()(gold, system) else _aligned(gold, system)


def _aligned(gold: Corpus, system: Corpus) -> LaidOver:
    """Gold over the words of a system that were found to be others."""
    if not has_forms(gold, system):
        raise CorpusError(f"{gold.path} and {system.path} do not have the same words, and were read without forms")
    return laid_over(gold, system, _partners(gold, system))


def laid_over(gold: Corpus, system: Corpus, row: np.ndarray) -> LaidOver:
    """Gold over the words of a system, given the row in gold of each of them, -1 for none."""
    there = np.flatnonzero(row >= 0)
    partner = np.full(gold.n_words, -1, np.int64)  # of each word of gold: its row in the system
    partner[row[there]] = there
    golden = row[there]
    head_row = np.where(gold.head[golden] > 0, partner[gold.head_row[golden]], -1)
    inside = (head_row >= 0) & (system.sentence[head_row] == system.sentence[there])
    head = np.full(system.n_words, ELSEWHERE, np.int32)
    head[there] = np.where(inside, system.position[head_row], np.where(gold.head[golden] > 0, ELSEWHERE, 0))
    codes = {}
    for column in ("deprel", "upos"):
        if column in gold.codes:
            codes[column] = np.zeros(system.n_words, np.int32)
            codes[column][there] = gold.codes[column][golden]
    labels = Columns({column: gold.labels[column] for column in codes})
    laid = replace(system, path=gold.path, head=head, codes=Columns(codes), labels=labels, checked=None, defects=())
    return LaidOver(laid, row, LeftOut(gold.n_words - len(there), system.n_words - len(there)))


def _partners(gold: Corpus, system: Corpus) -> np.ndarray:
    """Of each word of the system: its row in gold, -1 for none; sentences left out of one side have no partners."""
    if not (gold.defects or system.defects):
        return align(gold, system).to_gold
    ours, theirs = kept_on_both(gold, system)
    found = align(gold.select(ours), system.select(theirs)).to_gold
    rows = np.flatnonzero(ours[gold.sentence])
    row = np.full(system.n_words, -1, np.int32)
    row[theirs[system.sentence]] = np.where(found >= 0, rows[found], -1)
    return row
