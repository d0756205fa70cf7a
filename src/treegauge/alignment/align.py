"""Two treebanks of one text: which words are the same, and where their texts part if they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.alignment import align_kernel
from treegauge.alignment.runs import Run
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.tokens import check_forms
from treegauge.errors import CorpusError

# Unicode category Zs, which forms are compared without
ZS = dict.fromkeys([0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000])
MOST_CELLS = 1 << 24  # of the table for a longest common subsequence
CONTEXT = 6  # tokens shown on either side of the place where two texts part


@dataclass(frozen=True, slots=True)
class Alignment:
    """Words of the system and gold that are the same, one to one, in text order."""

    to_gold: np.ndarray  # of each word of the system: its row in gold, -1 for none
    unit: np.ndarray  # of each word of the system: the gold sentence in which it starts


def align(gold: Corpus, system: Corpus) -> Alignment:
    """The same words of both, by characters, as the CoNLL 2018 shared task aligns them.

    Outside of multiword tokens: those with the same characters. Inside: a longest common subsequence of the
    lower-cased forms of the region that the multiword tokens of either side make up. Raises CorpusError where
    the texts, without spaces, are not the same.
    """
    for side in (gold, system):
        check_forms(side)
    check_same_text(gold, system)
    ours, theirs = gold.tokens, system.tokens
    to_gold = same_words(gold, system, [Run(0, 0, len(ours.chars))])
    edge = ours.sentence_edge
    if np.array_equal(edge, theirs.sentence_edge):
        unit = np.repeat(np.arange(system.n_sentences, dtype=np.int32), np.diff(system.start))
    else:
        unit = (np.searchsorted(edge, theirs.edge[theirs.of_word], side="right") - 1).astype(np.int32)
    return Alignment(to_gold, unit)


def same_words(gold: Corpus, system: Corpus, runs: Sequence[Run]) -> np.ndarray:
    """The row of the same word in gold for each word of the system, -1 for none, as for words outside of the runs."""
    to_gold = np.full(system.n_words, -1, np.int32)
    for run in runs:
        ours, theirs = _Stretch.of(gold, run.gold, run.size), _Stretch.of(system, run.system, run.size)
        found = np.full(len(theirs.of_word), -1, np.int32)
        regions = np.empty((int(ours.multiword.sum()) + int(theirs.multiword.sum()), 4), np.int64)
        words = ours.of_word, ours.edge, ours.multiword, theirs.of_word, theirs.edge, theirs.multiword
        regions = regions[: align_kernel.align_words(*words, found, regions)]
        to_gold[theirs.first : theirs.first + len(found)] = np.where(found >= 0, found + ours.first, -1)
        if len(regions):
            regions += np.array([ours.first, ours.first, theirs.first, theirs.first])
            _check_sizes(regions, gold)
            codes: dict[str, int] = {}
            gold_form = _folded(gold, regions[:, 0], regions[:, 1], codes)
            form = _folded(system, regions[:, 2], regions[:, 3], codes)
            align_kernel.align_regions(regions, gold_form, form, to_gold)
    return to_gold


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The tokens that lie within a stretch of characters, their edges from its start, and their words."""

    first: int  # row of the first word
    of_word: np.ndarray
    edge: np.ndarray
    multiword: np.ndarray

    @staticmethod
    def of(side: Corpus, low: int, size: int) -> _Stretch:
        """That of so many characters from `low` on."""
        tokens = side.tokens
        begin = int(np.searchsorted(tokens.edge, low, side="left"))
        end = max(int(np.searchsorted(tokens.edge, low + size, side="right")) - 1, begin)
        first, last = np.searchsorted(tokens.of_word, [begin, end]).tolist()
        of_word = (tokens.of_word[first:last] - begin).astype(np.int32)
        return _Stretch(first, of_word, tokens.edge[begin : end + 1] - low, tokens.multiword[begin:end])


def _check_sizes(regions: np.ndarray, gold: Corpus) -> None:
    """Raise CorpusError for a region that would take too much memory: one of a few words is usual."""
    cells = (regions[:, 1] - regions[:, 0] + 1) * (regions[:, 3] - regions[:, 2] + 1)
    if cells.max() > MOST_CELLS:
        low, high, first, last = regions[int(np.argmax(cells))].tolist()
        s = int(gold.sentence[low])
        raise CorpusError(
            f"{gold.where(s)}: {gold.place(s)}: from here on multiword tokens of gold and system overlap in a chain "
            f"of {high - low:,} and {last - first:,} words; expected shorter ones"
        )


def _folded(side: Corpus, low: np.ndarray, high: np.ndarray, codes: dict[str, int]) -> np.ndarray:
    """A code of each word's lower-cased form, of the words low[r]:high[r] only.

    Words outside of multiword tokens lose their spaces, those inside keep them, as in the CoNLL 2018 script.
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
    """Whether two corpora have the same text, spaces not counted."""
    return np.array_equal(gold.tokens.chars, system.tokens.chars)


def check_same_text(gold: Corpus, system: Corpus) -> None:
    """Raise CorpusError with the first place where the texts part, and both contexts, if they do."""
    if same_chars(gold, system):
        return
    ours, theirs = gold.tokens.chars, system.tokens.chars
    shared = min(len(ours), len(theirs))
    different = np.flatnonzero(ours[:shared] != theirs[:shared])
    at = int(different[0]) if len(different) else shared
    raise CorpusError(
        "the texts are not the same: they part after "
        f"{_characters(ours[:at])} characters (spaces not counted)\n"
        f"  gold   {_context(gold, at)}\n"
        f"  system {_context(system, at)}"
    )


def _characters(text: np.ndarray) -> int:
    """How many whole characters UTF-8 bytes have, the last perhaps cut."""
    return len(text.tobytes().decode(errors="ignore"))


def _context(side: Corpus, at: int) -> str:
    """Where byte `at` of the characters is, and the tokens around it, its own marked."""
    tokens, n = side.tokens, len(side.tokens)
    t = min(int(np.searchsorted(tokens.edge, at, side="right")), n) - 1
    s = int(np.searchsorted(tokens.start, t, side="right")) - 1
    where = f"{side.where(s, int(tokens.line[t]))}: {side.place(s)}"
    if at >= len(tokens.chars):
        return f"{where}: {'… ' * (n > CONTEXT)}{' '.join(tokens.forms(n - CONTEXT, n))} [end of file]"
    words = [*tokens.forms(t - CONTEXT, t), f"[{tokens.forms(t, t + 1)[0]}]", *tokens.forms(t + 1, t + 1 + CONTEXT)]
    return f"{where}: {'… ' * (t > CONTEXT)}{' '.join(words)}{' …' * (t + CONTEXT < n - 1)}"
