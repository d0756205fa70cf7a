"""A system against gold, both read in step: the counts of all sentences, and no more than a few pieces in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from treegauge.alignment.align import Alignment, align
from treegauge.attachment.evaluation import Evaluation
from treegauge.attachment.relations import GROUPS
from treegauge.attachment.scores import Comparer, Words, count, without_one_sided
from treegauge.corpus.conllu import COLUMNS, Corpus, join_pieces, parse_conllu, stream_conllu
from treegauge.corpus.tokens import without_text
from treegauge.errors import CorpusError


def evaluate_files(
    gold: str,
    system: str,
    *,
    subtypes: bool = False,
    groups: dict[str, tuple[str, ...]] | None = None,
    enhanced: bool = True,
    progress: Callable[[int], None] = lambda words: None,
) -> Evaluation | None:
    """What `evaluate` gives of two files, but with counts only: its corpora, alignment and words are empty.

    None where the files cannot be read or do not hold the same text: `evaluate` says why.
    """
    compare, found = Comparer(subtypes), []
    try:
        sides = [_light(path, enhanced, progress) for path in (gold, system)]
        for ours, theirs in _same_text(*sides):
            alignment = align(ours, theirs)
            words = compare(ours, theirs, alignment)
            found.append(count(ours, theirs, alignment, words, enhanced=enhanced))
    except CorpusError:
        return None
    if not found:
        return None
    counts = without_one_sided(np.concatenate(found))
    nothing = np.empty(0, np.int32)
    ours, theirs = (replace(parse_conllu(b""), path=path) for path in (gold, system))
    words = Words(nothing.astype(np.uint8), nothing, nothing, ())
    wanted = GROUPS if groups is None else groups
    return Evaluation(ours, theirs, Alignment(nothing, nothing), words, counts, subtypes, wanted)


def _light(path: str, enhanced: bool, progress: Callable[[int], None]) -> Iterator[Corpus]:
    """The pieces of a file without their text."""
    for piece in stream_conllu(path):
        progress(piece.n_words)
        yield without_text(piece, enhanced)


def _same_text(gold: Iterator[Corpus], system: Iterator[Corpus]) -> Iterator[tuple[Corpus, Corpus]]:
    """The pieces of two corpora cut where a sentence ends in both; CorpusError if one has text that the other has not.

    No token reaches over such a place, so that words on either side of it are aligned apart.
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


def _longer(held: Corpus, pieces: Iterator[Corpus]) -> Corpus | None:
    """What is held and the next pieces; None where neither has sentences, CorpusError where only the first has.

    As many pieces as make it twice as long, so that texts that hardly ever end together are not copied again and again.
    """
    more, words = list[Corpus](), 0
    for piece in pieces:
        if piece.n_sentences:
            more.append(piece)
            words += piece.n_words
        if words > held.n_words:
            break
    if not more:
        if held.n_sentences:
            raise CorpusError("one of two corpora has text that the other has not")
        return None
    return join_pieces([held, *more] if held.n_sentences else more, tuple(COLUMNS))
