"""Align the words of two corpora of the same text by their characters; find common sentences, and differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treegauge.corpus.compare import align_kernel
from treegauge.corpus.compare.shared_text import SharedRun
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.tokens import check_forms
from treegauge.errors import CorpusError

# characters of the Unicode category Zs; they are removed from forms before forms are compared
ZS = dict.fromkeys([0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000])
MOST_CELLS = 1 << 24  # most cells of a table for a longest common subsequence
CONTEXT = 6  # tokens that are shown before and after the first difference


def aligned_rows(corpus: Corpus, other: Corpus) -> np.ndarray:
    """For each word of a corpus (a system) its row in the other (gold), -1 for none, as in the CoNLL 2018 task.

    Outside of multiword tokens, two words are the same if they have the same characters. Inside, the words of a region
    of multiword tokens are aligned by a longest common subsequence of their lower-cased forms. Raises CorpusError if
    the texts, without spaces, are not the same.
    """
    for side in (other, corpus):
        check_forms(side)
    check_same_text(other, corpus)
    return matched_rows(corpus, other, [SharedRun(0, 0, len(other.tokens.chars))])


def matched_rows(corpus: Corpus, other: Corpus, runs: Sequence[SharedRun]) -> np.ndarray:
    """The same as `aligned_rows`, for the words in some stretches of text that both have; other words get -1."""
    row = np.full(corpus.n_words, -1, np.int32)
    for run in runs:
        theirs, ours = _Stretch.of(other, run.other, run.size), _Stretch.of(corpus, run.corpus, run.size)
        partner = np.full(len(ours.of_word), -1, np.int32)
        regions = np.empty((int(theirs.multiword.sum()) + int(ours.multiword.sum()), 4), np.int64)
        words = theirs.of_word, theirs.edge, theirs.multiword, ours.of_word, ours.edge, ours.multiword
        regions = regions[: align_kernel.align_words(*words, partner, regions)]
        row[ours.first : ours.first + len(partner)] = np.where(partner >= 0, partner + theirs.first, -1)
        if len(regions):
            regions += np.array([theirs.first, theirs.first, ours.first, ours.first])
            _check_sizes(regions, other)
            codes: dict[str, int] = {}
            other_form = _folded(other, regions[:, 0], regions[:, 1], codes)
            form = _folded(corpus, regions[:, 2], regions[:, 3], codes)
            align_kernel.align_regions(regions, other_form, form, row)
    return row


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The tokens of a stretch of characters, with their edges counted from its start, and their words."""

    first: int  # the row of the first word
    of_word: np.ndarray
    edge: np.ndarray
    multiword: np.ndarray

    @staticmethod
    def of(side: Corpus, low: int, size: int) -> _Stretch:
        """The stretch of `size` bytes of text that starts at byte `low`."""
        tokens = side.tokens
        begin = int(np.searchsorted(tokens.edge, low, side="left"))
        end = max(int(np.searchsorted(tokens.edge, low + size, side="right")) - 1, begin)
        first, last = np.searchsorted(tokens.of_word, [begin, end]).tolist()
        of_word = (tokens.of_word[first:last] - begin).astype(np.int32)
        return _Stretch(first, of_word, tokens.edge[begin : end + 1] - low, tokens.multiword[begin:end])


def _check_sizes(regions: np.ndarray, gold: Corpus) -> None:
    """Raise CorpusError for a region that would need too much memory; most regions have a few words."""
    cells = (regions[:, 1] - regions[:, 0] + 1) * (regions[:, 3] - regions[:, 2] + 1)
    if cells.max() > MOST_CELLS:
        low, high, first, last = regions[int(np.argmax(cells))].tolist()
        s = int(gold.sentence[low])
        raise CorpusError(
            f"{gold.where(s)}: {gold.place(s)}: from here on multiword tokens of gold and system overlap in a chain "
            f"of {high - low:,} and {last - first:,} words; expected shorter ones"
        )


def _folded(side: Corpus, low: np.ndarray, high: np.ndarray, codes: dict[str, int]) -> np.ndarray:
    """A code for the lower-cased form of each word in low[r]:high[r]; -1 for the other words.

    Words outside of multiword tokens lose their spaces, words inside do not, as in the CoNLL 2018 script.
    """
    size = high - low
    rows = np.repeat(low - (np.cumsum(size) - size), size) + np.arange(size.sum())
    keep = side.tokens.multiword[side.tokens.of_word[rows]].astype(np.int64)
    kinds, inverse = np.unique(2 * side.codes["form"][rows].astype(np.int64) + keep, return_inverse=True)
    labels = side.labels["form"]
    of_kind = np.empty(len(kinds), np.int32)
    for k, kind in enumerate(kinds.tolist()):
        form = labels[kind // 2] if kind % 2 else labels[kind // 2].translate(ZS)
        of_kind[k] = codes.setdefault(form.lower(), len(codes))
    folded = np.full(side.n_words, -1, np.int32)
    folded[rows] = of_kind[inverse.ravel()]
    return folded


def same_chars(gold: Corpus, system: Corpus) -> bool:
    """Whether two corpora have the same text, without spaces."""
    return np.array_equal(gold.tokens.chars, system.tokens.chars)


def check_same_text(gold: Corpus, system: Corpus) -> None:
    """Raise CorpusError with the first difference of two texts, and its context in both, if they differ."""
    if same_chars(gold, system):
        return
    ours, theirs = gold.tokens.chars, system.tokens.chars
    shared = min(len(ours), len(theirs))
    different = np.flatnonzero(ours[:shared] != theirs[:shared])
    end = int(different[0]) if len(different) else shared
    characters = len(ours[:end].tobytes().decode(errors="ignore"))  # the last character may be incomplete
    raise CorpusError(
        f"the texts are not the same: they part after {characters} characters (spaces not counted)\n"
        f"  gold   {_context(gold, end)}\n"
        f"  system {_context(system, end)}"
    )


def _context(side: Corpus, byte: int) -> str:
    """The place of a byte of the characters, and the tokens around it; its own token is marked."""
    tokens, n = side.tokens, len(side.tokens)
    t = min(int(np.searchsorted(tokens.edge, byte, side="right")), n) - 1
    s = int(np.searchsorted(tokens.start, t, side="right")) - 1
    where = f"{side.where(s, int(tokens.line[t]))}: {side.place(s)}"
    if byte >= len(tokens.chars):
        return f"{where}: {'… ' * (n > CONTEXT)}{' '.join(tokens.forms(n - CONTEXT, n))} [end of file]"
    words = [*tokens.forms(t - CONTEXT, t), f"[{tokens.forms(t, t + 1)[0]}]", *tokens.forms(t + 1, t + 1 + CONTEXT)]
    return f"{where}: {'… ' * (t > CONTEXT)}{' '.join(words)}{' …' * (t + CONTEXT < n - 1)}"


Masks = tuple[np.ndarray, np.ndarray]  # a mask of the sentences of each corpus


def common_sentences(gold: Corpus, system: Corpus) -> Masks:
    """Masks of the sentences of gold and of the system that together have the same text; each may lack sentences.

    If the sentences with the same numbers have the same text, these are the common sentences. Otherwise one side must
    be complete, and the text of the other is searched in it, from gap to gap. Raises CorpusError if that fails, too.
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
    """Masks of the common sentences, if `part` lacks some text of `whole`; None if `part` has other text."""
    chars, text = part.tokens.chars.tobytes(), whole.tokens.chars.tobytes()
    edge = part.tokens.sentence_edge
    gaps = np.flatnonzero(np.diff(part.number) > 1) + 1
    shift, end = np.empty(part.n_sentences, np.int64), 0
    for low, high in pairwise([0, *gaps.tolist(), part.n_sentences]):
        run = chars[edge[low] : edge[high]]
        place = text.find(run, end)
        if place < 0:
            return None
        shift[low:high] = place - edge[low]
        end = place + len(run)
    spans = [(edge[:-1] + shift, edge[1:] + shift), (whole.tokens.sentence_edge[:-1], whole.tokens.sentence_edge[1:])]
    masks = [np.ones(part.n_sentences, bool), np.ones(whole.n_sentences, bool)]
    while True:  # a sentence stays if the sentences of the other side that stay have all of its text
        before = [mask.copy() for mask in masks]
        for side in (1, 0):
            masks[side] &= _inside(spans[side], [edges[masks[1 - side]] for edges in spans[1 - side]], len(text))
        if all(map(np.array_equal, before, masks)):
            return masks[0], masks[1]


def _inside(spans: tuple[np.ndarray, np.ndarray], others: list[np.ndarray], size: int) -> np.ndarray:
    """Whether other spans, which do not overlap, cover each span."""
    steps = np.zeros(size + 1, np.int64)
    np.add.at(steps, others[0], 1)
    np.add.at(steps, others[1], -1)
    covered = np.append(0, np.cumsum(np.cumsum(steps)[:-1]))
    return np.asarray(covered[spans[1]] - covered[spans[0]] == spans[1] - spans[0])
