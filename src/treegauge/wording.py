"""Numbers as people read them."""

from __future__ import annotations

import math

LEAST = 0.0001  # of probabilities that are told apart


def counted(n: int, noun: str) -> str:
    """A number of things: `1 word`, `2,000 words`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def plain(value: float) -> str:
    """A number above 0 with two digits and no exponent: 0.00057, 3.1, 39,000."""
    decimals = 1 - math.floor(math.log10(value))
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def chance(probability: float) -> str:
    """A probability as people read it: two digits, or that it is next to nothing."""
    return plain(probability) if probability >= LEAST else f"below {LEAST}"


def corpus_size(words: int, sentences: int) -> str:
    """How large a corpus is: `2,000 words in 1 sentence`."""
    return f"{counted(words, 'word')} in {counted(sentences, 'sentence')}"
