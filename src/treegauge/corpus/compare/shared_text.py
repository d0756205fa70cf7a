"""Find the stretches of text that two corpora share; each may lack some text of the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.tokens import Tokens

KEY = 24  # so many equal bytes are needed for a new shared stretch
_NEAR = 64  # a new stretch may start at so many next tokens, and then at so many next sentences
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class SharedRun:
    """Text that two corpora share: the byte where it starts in each, and its size in bytes."""

    other: int
    corpus: int
    size: int


def shared_runs(other: Tokens, corpus: Tokens, start: int = 0) -> list[SharedRun]:
    """The stretches that two texts share, in order; start: the first byte of `other` that is compared.

    After a difference, the next stretch starts at the nearest place where KEY bytes are the same, which must be the
    start of a token or sentence of one text. The text between is in no stretch. Different sentences may begin with the
    same letters; therefore that place may be up to KEY bytes before the difference.
    """
    runs, i, j = list[SharedRun](), start, 0
    texts = other.chars.tobytes(), corpus.chars.tobytes()
    while i < len(texts[0]) and j < len(texts[1]):
        size = _shared(other.chars[i:], corpus.chars[j:])
        at_end = i + size == len(texts[0]) or j + size == len(texts[1])
        place = None if at_end else _next_shared(other, corpus, texts, i + size, j + size, min(size, KEY))
        if place is not None:
            size = min(size, place[0] - i, place[1] - j)
        elif not at_end:
            size = _whole_sentences(other, corpus, i, j, size)
        if size >= KEY or at_end:  # shorter stretches are the same by chance
            runs.append(SharedRun(i, j, size))
        if place is None:
            break
        i, j = place
    return runs


def _shared(first: np.ndarray, second: np.ndarray) -> int:
    """How many bytes are the same at the beginning of two texts."""
    size = min(len(first), len(second))
    for low in range(0, size, _BLOCK):
        high = min(low + _BLOCK, size)
        different = np.flatnonzero(first[low:high] != second[low:high])
        if len(different):
            return low + int(different[0])
    return size


def _whole_sentences(other: Tokens, corpus: Tokens, i: int, j: int, size: int) -> int:
    """The size cut down to the last end of a sentence of either text, if less than KEY bytes are lost."""
    for tokens, here in ((other, i), (corpus, j)):
        edge = tokens.sentence_edge
        last = int(edge[np.searchsorted(edge, here + size, side="right") - 1]) - here
        if size - KEY < last:
            size = max(last, 0)
    return size


def _next_shared(
    other: Tokens, corpus: Tokens, texts: tuple[bytes, bytes], i: int, j: int, back: int
) -> tuple[int, int] | None:
    """The nearest places where KEY bytes are the same, at most `back` bytes before i and j; None if there are none.

    Bytes before i or j were already in a shared stretch; therefore their distance counts twice.
    """
    best, least = None, sum(map(len, texts)) - i - j + 1
    for side, (tokens, own_end, counter_end) in enumerate(((other, i, j), (corpus, j, i))):
        text, counterpart = texts[side], texts[1 - side]
        for start in _starts(tokens, own_end - back):
            key, low, step = text[start : start + KEY], counter_end - back, start - own_end
            if step >= least or len(key) < KEY:
                break
            place = counterpart.find(key, low, counter_end + least - max(step, 0) + KEY)
            if place - counter_end == step < 0:  # both places are in the stretch that ends here
                place = counterpart.find(key, place + 1, counter_end + least + KEY)
            cost = sum(distance if distance >= 0 else -2 * distance for distance in (step, place - counter_end))
            if place >= 0 and cost < least:
                best, least = ((start, place) if side == 0 else (place, start)), cost
    return best


def _starts(tokens: Tokens, byte: int) -> Iterator[int]:
    """Where the next tokens start, at a byte or after it; then where the next sentences start."""
    first = int(np.searchsorted(tokens.edge, byte))
    yield from tokens.edge[first : first + _NEAR].tolist()
    behind = tokens.edge[min(first + _NEAR, len(tokens))]
    edge = tokens.sentence_edge
    first = int(np.searchsorted(edge, behind))
    yield from edge[first : first + _NEAR].tolist()
