"""Sentences that both sides have, where malformed ones were left out of one of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from treegauge.alignment.align import same_chars
from treegauge.corpus.conllu import Corpus
from treegauge.errors import CorpusError

Masks = tuple[np.ndarray, np.ndarray]  # of the sentences of gold, and of the system


def on_both_sides(gold: Corpus, *systems: Corpus) -> list[Corpus]:
    """Gold and systems without what was left out of one of them because it was malformed (`Corpus.defects`)."""
    for system in systems:
        gold = gold.select(kept_on_both(gold, system)[0])
    return [gold, *(system.select(kept_on_both(gold, system)[1]) for system in systems)]


def kept_on_both(gold: Corpus, system: Corpus) -> Masks:
    """Which sentences of gold and of the system make up the same text, where some were left out of either.

    Those of the same number, if their texts are the same. Else the text of one side is looked for in that of the other,
    from gap to gap; that side has no gaps of its own. Raises CorpusError where neither is so.
    """
    masks = np.isin(gold.number, system.number), np.isin(system.number, gold.number)
    if masks[0].any() and same_chars(gold.select(masks[0]), system.select(masks[1])):
        return masks
    found = _with_gaps(gold, system)
    if found is None and (turned := _with_gaps(system, gold)) is not None:
        found = turned[1], turned[0]
    if found is None or not found[0].any():
        raise CorpusError(
            f"malformed sentences were left out of {gold.path} or {system.path}, and the rest cannot be matched; "
            "expected the same sentences on both sides, or malformed ones on one side only, and the same text"
        )
    return found


def _with_gaps(part: Corpus, whole: Corpus) -> Masks | None:
    """Which sentences of two corpora to keep, the first of which lacks some text; None where it has other text, too."""
    chars, text = part.tokens.chars.tobytes(), whole.tokens.chars.tobytes()
    edge = part.tokens.sentence_edge
    gaps = np.flatnonzero(np.diff(part.number) > 1) + 1
    shift, at = np.empty(part.n_sentences, np.int64), 0
    for low, high in pairwise([0, *gaps.tolist(), part.n_sentences]):
        run = chars[edge[low] : edge[high]]
        found = text.find(run, at)
        if found < 0:
            return None
        shift[low:high] = found - edge[low]
        at = found + len(run)
    spans = [(edge[:-1] + shift, edge[1:] + shift), (whole.tokens.sentence_edge[:-1], whole.tokens.sentence_edge[1:])]
    kept = [np.ones(part.n_sentences, bool), np.ones(whole.n_sentences, bool)]
    while True:  # a sentence stays if the other side has all of its text, in sentences that stay
        before = [mask.copy() for mask in kept]
        for side in (1, 0):
            kept[side] &= _inside(spans[side], [end[kept[1 - side]] for end in spans[1 - side]], len(text))
        if all(map(np.array_equal, before, kept)):
            return kept[0], kept[1]


def _inside(spans: tuple[np.ndarray, np.ndarray], others: list[np.ndarray], size: int) -> np.ndarray:
    """Of each span: whether other spans, which do not overlap, cover it."""
    steps = np.zeros(size + 1, np.int64)
    np.add.at(steps, others[0], 1)
    np.add.at(steps, others[1], -1)
    covered = np.append(0, np.cumsum(np.cumsum(steps)[:-1]))
    return np.asarray(covered[spans[1]] - covered[spans[0]] == spans[1] - spans[0])
