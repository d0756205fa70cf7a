"""A column of two corpora under one table of labels, so that codes can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal
from treegauge.errors import CorpusError


@dataclass(frozen=True, slots=True)
class Joined:
    """A column of both sides under one table of labels."""

    gold: np.ndarray
    system: np.ndarray
    labels: tuple[str, ...]

    @property
    def same(self) -> np.ndarray:
        """Of each row, if both sides have the same rows: whether its label is the same."""
        return np.asarray(self.gold == self.system)


class Joiner:
    """Brings a column of both sides under one table of labels, piece by piece; the tables of a side only grow."""

    def __init__(self, column: str, change: Callable[[str], str] = str) -> None:
        self.column, self._change = column, change
        self._table: dict[str, int] = {}
        self._codes = [np.empty(0, np.int32), np.empty(0, np.int32)]  # of each side: from its codes to common ones

    def __call__(self, gold: Corpus, system: Corpus) -> Joined:
        """The column of a piece of each side."""
        for side, corpus in enumerate((gold, system)):
            known = self._codes[side]
            new = corpus.labels[self.column][len(known) :]
            codes = [self._table.setdefault(self._change(label), len(self._table)) for label in new]
            self._codes[side] = np.append(known, np.array(codes, np.int32))
        ours, theirs = (self._joined(k, side.codes[self.column]) for k, side in enumerate((gold, system)))
        return Joined(ours, theirs, tuple(self._table))

    def _joined(self, side: int, codes: np.ndarray) -> np.ndarray:
        """Common codes for a side's own; these themselves where they are the same."""
        common = self._codes[side]
        own = np.array_equal(common, np.arange(len(common))) and codes.flags.c_contiguous and codes.dtype == np.int32
        return codes if own else common[codes]


def join_column(gold: Corpus, system: Corpus, column: str, change: Callable[[str], str] = str) -> Joined:
    """The codes of a column of both sides, each label changed by a function first."""
    return Joiner(column, change)(gold, system)


def join_relations(gold: Corpus, system: Corpus, *, subtypes: bool = False) -> Joined:
    """The relations of both sides: right ones are the same up to the first colon, or with `subtypes` wholly."""
    return join_column(gold, system, "deprel", str if subtypes else universal)


def in_step(gold: Iterable[Corpus], system: Iterable[Corpus]) -> Iterator[tuple[Corpus, Corpus]]:
    """The pieces of two corpora cut so that those of a pair have as many sentences; CorpusError if one ends first."""
    sides = (iter(gold), iter(system))
    rest: list[Corpus | None] = [None, None]
    while True:
        ours, theirs = (_next(one, side) for one, side in zip(rest, sides, strict=True))
        if ours is None or theirs is None:
            if ours is not theirs:
                raise CorpusError("one of two corpora has more sentences than the other; expected the same words")
            return
        n = min(ours.n_sentences, theirs.n_sentences)
        yield ours.part(0, n), theirs.part(0, n)
        rest = [ours.part(n, ours.n_sentences), theirs.part(n, theirs.n_sentences)]


def _next(rest: Corpus | None, pieces: Iterator[Corpus]) -> Corpus | None:
    """What is left of a piece, or the next one that has sentences; None where there is none."""
    while rest is None or not rest.n_sentences:
        rest = next(pieces, None)
        if rest is None:
            return None
    return rest
