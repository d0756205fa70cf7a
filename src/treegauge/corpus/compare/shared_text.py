"""The stretches of text that two corpora share, where either may lack some text of the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.tokens import Tokens

KEY = 24  # bytes that must be the same for two texts to be in step again
_NEAR = 64  # tokens, and then sentences, from which on they may be
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class SharedRun:
    """Text that two corpora share: the byte where it starts in each, and its size in bytes."""

    other: int
    corpus: int
    size: int


def shared_runs(other: Tokens, corpus: Tokens, start: int = 0) -> list[SharedRun]:
    """The stretches that two texts share, in order; start: the byte of `other` from which on to look.

    Where they part, both go on from the nearest place from which on KEY bytes are the same: the start of a token or
    sentence of either. What lies between is in no run. As different sentences may begin with the same letters, that
    place may lie up to KEY bytes before the one where they part.
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
        if size >= KEY or at_end:  # shorter ones are the same by chance
            runs.append(SharedRun(i, j, size))
        if place is None:
            break
        i, j = place
    return runs


def _shared(one: np.ndarray, other: np.ndarray) -> int:
    """How many bytes two texts begin with that are the same."""
    size = min(len(one), len(other))
    for low in range(0, size, _BLOCK):
        high = min(low + _BLOCK, size)
        different = np.flatnonzero(one[low:high] != other[low:high])
        if len(different):
            return low + int(different[0])
    return size


def _whole_sentences(other: Tokens, corpus: Tokens, i: int, j: int, size: int) -> int:
    """A size up to the last end of a sentence, of either, where that is less than KEY bytes before."""
    for tokens, here in ((other, i), (corpus, j)):
        edge = tokens.sentence_edge
        last = int(edge[np.searchsorted(edge, here + size, side="right") - 1]) - here
        if size - KEY < last:
            size = max(last, 0)
    return size


def _next_shared(
    other: Tokens, corpus: Tokens, texts: tuple[bytes, bytes], i: int, j: int, back: int
) -> tuple[int, int] | None:
    """The nearest places from which on KEY bytes are the same, at most `back` before i and j; None if there are none.

    What lies before i or j was the same otherwise and counts twice.
    """
    best, least = None, sum(map(len, texts)) - i - j + 1
    for side, (tokens, here, there) in enumerate(((other, i, j), (corpus, j, i))):
        text, counterpart = texts[side], texts[1 - side]
        for at in _starts(tokens, here - back):
            key, low = text[at : at + KEY], there - back
            if at - here >= least or len(key) < KEY:
                break
            place = counterpart.find(key, low, there + least - max(at - here, 0) + KEY)
            if place - there == at - here < 0:  # as they were in step: that ends here
                place = counterpart.find(key, place + 1, there + least + KEY)
            cost = sum(step if step >= 0 else -2 * step for step in (at - here, place - there))
            if place >= 0 and cost < least:
                best, least = ((at, place) if side == 0 else (place, at)), cost
    return best


def _starts(tokens: Tokens, here: int) -> Iterator[int]:
    """Where the next tokens start, at or behind a byte, and then the sentences."""
    first = int(np.searchsorted(tokens.edge, here))
    yield from tokens.edge[first : first + _NEAR].tolist()
    behind = tokens.edge[min(first + _NEAR, len(tokens))]
    edge = tokens.sentence_edge
    first = int(np.searchsorted(edge, behind))
    yield from edge[first : first + _NEAR].tolist()
