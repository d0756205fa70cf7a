"""The sentences that two corpora share, where malformed ones were left out of one of them when it was read."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from treegauge.corpus.compare.align import same_chars
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError

Masks = tuple[np.ndarray, np.ndarray]  # one for the sentences of each corpus


def with_common_sentences(gold: Corpus, *systems: Corpus) -> list[Corpus]:
    """Gold and systems without the sentences that one of them lacks because they were malformed (`Corpus.defects`)."""
    for system in systems:
        gold = gold.select(common_sentences(gold, system)[0])
    return [gold, *(system.select(common_sentences(gold, system)[1]) for system in systems)]


def common_sentences(gold: Corpus, system: Corpus) -> Masks:
    """Masks of the sentences of gold and of the system that make up the same text, where either lacks some.

    Sentences of the same number are taken if their texts are the same. Otherwise one side must lack nothing: the text
    of the other is looked for in it, from gap to gap. Raises CorpusError if that fails, too.
    """
    masks = np.isin(gold.number, system.number), np.isin(system.number, gold.number)
    if masks[0].any() and same_chars(gold.select(masks[0]), system.select(masks[1])):
        return masks
    shared = _with_gaps(gold, system)
    if shared is None and (turned := _with_gaps(system, gold)) is not None:
        shared = turned[1], turned[0]
    if shared is None or not shared[0].any():
        raise CorpusError(
            f"malformed sentences were left out of {gold.path} or {system.path}, and the rest cannot be matched; "
            "expected the same sentences on both sides, or malformed ones on one side only, and the same text"
        )
    return shared


def _with_gaps(part: Corpus, whole: Corpus) -> Masks | None:
    """Masks of the sentences to keep, if `part` lacks some text of `whole`; None if `part` has text of its own."""
    chars, text = part.tokens.chars.tobytes(), whole.tokens.chars.tobytes()
    edge = part.tokens.sentence_edge
    gaps = np.flatnonzero(np.diff(part.number) > 1) + 1
    shift, at = np.empty(part.n_sentences, np.int64), 0
    for low, high in pairwise([0, *gaps.tolist(), part.n_sentences]):
        run = chars[edge[low] : edge[high]]
        place = text.find(run, at)
        if place < 0:
            return None
        shift[low:high] = place - edge[low]
        at = place + len(run)
    spans = [(edge[:-1] + shift, edge[1:] + shift), (whole.tokens.sentence_edge[:-1], whole.tokens.sentence_edge[1:])]
    kept = [np.ones(part.n_sentences, bool), np.ones(whole.n_sentences, bool)]
    while True:  # a sentence stays if the other side has all of its text, in sentences that stay
        before = [mask.copy() for mask in kept]
        for side in (1, 0):
            kept[side] &= _inside(spans[side], [end[kept[1 - side]] for end in spans[1 - side]], len(text))
        if all(map(np.array_equal, before, kept)):
            return kept[0], kept[1]


def _inside(spans: tuple[np.ndarray, np.ndarray], others: list[np.ndarray], size: int) -> np.ndarray:
    """Whether other spans, which do not overlap, cover each span."""
    steps = np.zeros(size + 1, np.int64)
    np.add.at(steps, others[0], 1)
    np.add.at(steps, others[1], -1)
    covered = np.append(0, np.cumsum(np.cumsum(steps)[:-1]))
    return np.asarray(covered[spans[1]] - covered[spans[0]] == spans[1] - spans[0])
