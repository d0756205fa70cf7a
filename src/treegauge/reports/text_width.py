"""How wide a text is where no browser measures it: what the widest of the usual sans-serif fonts needs, in bold."""

from __future__ import annotations

import math
import unicodedata
from functools import cache

# ems of single characters: DejaVu Sans Bold, rounded up (Verdana is as wide, Arial and Helvetica are narrower)
_GROUPS = {
    0.4: " ij|I.,:'/\\",
    0.53: "flrt()[]!;-*_`",
    0.88: "+=<>~#^&",
    1.1: "mw@%—…MæœÆ",
    1.25: "WŒЖШЮЉЊщ",
    1.35: "Щ",
}
_KNOWN = {character: width for width, characters in _GROUPS.items() for character in characters}
# by category: letters and digits of ASCII, and others
_ASCII = {"Lu": 0.86, "Ll": 0.73, "Nd": 0.71}
_OTHERS = {"Lu": 1.1, "Ll": 1.09, "Nd": 0.92, "Mc": 1.0, "Mn": 0.0, "Me": 0.0, "Cf": 0.0, "Cc": 0.0}
_SIGN, _WIDE, _EMOJI, _REST = 0.75, 1.06, 1.45, 1.4


def text_width(text: str, size: int) -> int:
    """Pixels that a text in letters of that size takes at most, in common scripts; marks on letters take none."""
    return math.ceil(size * sum(map(_ems, unicodedata.normalize("NFD", text))))


@cache
def _ems(character: str) -> float:
    if character in _KNOWN:
        return _KNOWN[character]
    category = unicodedata.category(character)
    if character.isascii():
        return _ASCII.get(category, _SIGN)
    if unicodedata.east_asian_width(character) in "WF":
        return _EMOJI if category == "So" else _WIDE
    return _OTHERS.get(category, _REST)
