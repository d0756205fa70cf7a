"""Two treebanks of one text: which words are the same, and where their texts part if they do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.attachment import align_kernel
from treegauge.attachment.treebank import Treebank
from treegauge.errors import CorpusError

# Unicode category Zs, which forms are compared without
ZS = dict.fromkeys([0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000])
CONTEXT = 6  # tokens shown on either side of the place where two texts part


@dataclass(frozen=True, slots=True)
class Alignment:
    """Words of the system and gold that are the same, one to one, in text order."""

    to_gold: np.ndarray  # of each word of the system: its row in gold, -1 for none
    unit: np.ndarray  # of each word of the system: the gold sentence in which it starts


def align(gold: Treebank, system: Treebank) -> Alignment:
    """The same words of both, by characters, as the CoNLL 2018 shared task aligns them.

    Outside of multiword tokens: those with the same characters. Inside: a longest common subsequence of the
    lower-cased forms of the region that the multiword tokens of either side make up. Raises CorpusError where
    the texts, without spaces, are not the same.
    """
    check_same_text(gold, system)
    to_gold = np.full(system.n_words, -1, np.int32)
    regions = np.empty((int(gold.multiword.sum()) + int(system.multiword.sum()), 4), np.int64)
    found = align_kernel.align_words(
        gold.token,
        gold.edge,
        gold.multiword,
        system.token,
        system.edge,
        system.multiword,
        to_gold,
        regions,
    )
    if found:
        regions = regions[:found]
        codes: dict[str, int] = {}
        gold_form = _folded(gold, regions[:, 0], regions[:, 1], codes)
        form = _folded(system, regions[:, 2], regions[:, 3], codes)
        align_kernel.align_regions(regions, gold_form, form, to_gold)
    low = system.edge[system.token]
    if np.array_equal(gold.sentence_edge, system.sentence_edge):
        unit = system.sentence
    else:
        unit = (np.searchsorted(gold.sentence_edge, low, side="right") - 1).astype(np.int32)
    return Alignment(to_gold, unit)


def _folded(side: Treebank, low: np.ndarray, high: np.ndarray, codes: dict[str, int]) -> np.ndarray:
    """A code of each word's lower-cased form, of the words low[r]:high[r] only.

    Words outside of multiword tokens lose their spaces, those inside keep them, as in the CoNLL 2018 script.
    """
    size = high - low
    rows = np.repeat(low - (np.cumsum(size) - size), size) + np.arange(size.sum())
    keep = side.multiword[side.token[rows]].astype(np.int64)
    kinds, inverse = np.unique(2 * side.codes["form"][rows].astype(np.int64) + keep, return_inverse=True)
    labels = side.labels["form"]
    of_kind = np.empty(len(kinds), np.int32)
    for k, kind in enumerate(kinds.tolist()):
        form = labels[kind // 2] if kind % 2 else labels[kind // 2].translate(ZS)
        of_kind[k] = codes.setdefault(form.lower(), len(codes))
    folded = np.full(side.n_words, -1, np.int32)
    folded[rows] = of_kind[inverse.ravel()]
    return folded


def check_same_text(gold: Treebank, system: Treebank) -> None:
    """Raise CorpusError with the first place where the texts part, and both contexts, if they do."""
    if np.array_equal(gold.chars, system.chars):
        return
    shared = min(len(gold.chars), len(system.chars))
    different = np.flatnonzero(gold.chars[:shared] != system.chars[:shared])
    at = int(different[0]) if len(different) else shared
    raise CorpusError(
        "the texts are not the same: they part after "
        f"{_characters(gold.chars[:at])} characters (spaces not counted)\n"
        f"  gold   {_context(gold, at)}\n"
        f"  system {_context(system, at)}"
    )


def _characters(text: np.ndarray) -> int:
    """How many whole characters UTF-8 bytes have, the last perhaps cut."""
    return len(text.tobytes().decode(errors="ignore"))


def _context(side: Treebank, at: int) -> str:
    """Where byte `at` of the characters is, and the tokens around it, its own marked."""
    if at >= len(side.chars):
        last = side.place(side.n_sentences - 1)
        tokens = side.token_forms(len(side.multiword) - CONTEXT, len(side.multiword))
        lead = "… " * (len(side.multiword) > CONTEXT)
        return f"{side.path}:{side.token_line[-1]}: {last}: {lead}{' '.join(tokens)} [end of file]"
    t = int(np.searchsorted(side.edge, at, side="right")) - 1
    s = int(np.searchsorted(side.token_start, t, side="right")) - 1
    before, after = side.token_forms(t - CONTEXT, t), side.token_forms(t + 1, t + 1 + CONTEXT)
    here = side.token_forms(t, t + 1)[0]
    words = " ".join([*before, f"[{here}]", *after])
    lead, trail = "… " * (t > CONTEXT), " …" * (t + CONTEXT < len(side.multiword) - 1)
    return f"{side.path}:{side.token_line[t]}: {side.place(s)}: {lead}{words}{trail}"
