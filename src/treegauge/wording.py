"""Numbers and other people's text as people read them."""

from __future__ import annotations

import math
import re

LEAST = 0.0001  # of probabilities that are told apart
# control characters (line ends too), separators of lines, marks that turn the direction of text, halves of characters
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """A line of text that does nothing to a terminal: `␛` for an escape, `␍` for a carriage return, `\\x9b`, `\\u202e`.

    Use it for every word, label, name or message that is written for a person; what is written for programs stays as
    it is. A byte of a file name that is not UTF-8 becomes `\\xff`.
    """
    return _UNPRINTABLE.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xDC80 <= code <= 0xDCFF:  # how Python writes a byte of a file name that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def counted(n: int, noun: str) -> str:
    """A number of things: `1 word`, `2,000 words`, `2 matches`."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else plural}"


def plain(value: float) -> str:
    """A number above 0 with two digits and no exponent: 0.00057, 3.1, 39,000."""
    decimals = 1 - math.floor(math.log10(value))
    return f"{value:,.{decimals}f}" if decimals >= 0 else f"{round(value, decimals):,.0f}"


def chance(probability: float) -> str:
    """A probability as people read it: two digits, or that it is next to nothing."""
    return plain(probability) if probability >= LEAST else f"below {LEAST}"


def corpus_size(words: int, sentences: int) -> str:
    """How large a corpus is: `2,000 words in 1 sentence`."""
    return f"{counted(words, 'word')} in {counted(sentences, 'sentence')}"
