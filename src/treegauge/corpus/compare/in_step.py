"""Read two corpora side by side, in pairs of pieces that have the same sentences, or the same text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from treegauge.corpus.columns import COLUMNS
from treegauge.corpus.conllu import join_pieces
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError


def same_sentences(gold: Iterable[Corpus], system: Iterable[Corpus]) -> Iterator[tuple[Corpus, Corpus]]:
    """Pairs of pieces with the same number of sentences. Raises CorpusError if one corpus ends first."""
    sides = (iter(gold), iter(system))
    rest: list[Corpus | None] = [None, None]
    while True:
        ours, theirs = (_next(piece, side) for piece, side in zip(rest, sides, strict=True))
        if ours is None or theirs is None:
            if ours is not theirs:
                raise CorpusError("one of two corpora has more sentences than the other; expected the same words")
            return
        n = min(ours.n_sentences, theirs.n_sentences)
        yield ours.part(0, n), theirs.part(0, n)
        rest = [ours.part(n, ours.n_sentences), theirs.part(n, theirs.n_sentences)]


def _next(rest: Corpus | None, pieces: Iterator[Corpus]) -> Corpus | None:
    """The rest of a piece, or the next piece that has sentences; None at the end."""
    while rest is None or not rest.n_sentences:
        rest = next(pieces, None)
        if rest is None:
            return None
    return rest


def same_text(gold: Iterator[Corpus], system: Iterator[Corpus]) -> Iterator[tuple[Corpus, Corpus]]:
    """Pairs of pieces that end where a sentence ends in both corpora, so that each pair can be aligned alone.

    Raises CorpusError if one corpus has text that the other does not have.
    """
    ours, theirs = next(gold, None), next(system, None)
    while ours is not None and theirs is not None:
        edge, their_edge = ours.tokens.sentence_edge, theirs.tokens.sentence_edge
        common = int(np.intersect1d(edge, their_edge)[-1])
        end, their_end = int(np.searchsorted(edge, common)), int(np.searchsorted(their_edge, common))
        if common:
            yield ours.part(0, end), theirs.part(0, their_end)
            ours, theirs = ours.part(end, ours.n_sentences), theirs.part(their_end, theirs.n_sentences)
        if not ours.n_sentences or (not common and edge[-1] <= their_edge[-1]):
            ours = _longer(ours, gold)
        if not theirs.n_sentences or (not common and edge[-1] > their_edge[-1]):
            theirs = _longer(theirs, system)
    if ours is not theirs:
        raise CorpusError("one of two corpora has more text than the other")


def _longer(first: Corpus, pieces: Iterator[Corpus]) -> Corpus | None:
    """A piece joined with the next pieces; None if there are no sentences at all.

    The result is at least twice as long: so the number of copies stays small if sentences rarely end together. Raises
    CorpusError if the piece has sentences and no other piece follows.
    """
    more, words = list[Corpus](), 0
    for piece in pieces:
        if piece.n_sentences:
            more.append(piece)
            words += piece.n_words
        if words > first.n_words:
            break
    if not more:
        if first.n_sentences:
            raise CorpusError("one of two corpora has text that the other does not have")
        return None
    return join_pieces([first, *more] if first.n_sentences else more, tuple(COLUMNS))
