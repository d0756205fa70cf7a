"""Tags of constituency treebanks as UPOS and features, by tables in files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from treegauge.corpus.files import bundled_or_file, read_text
from treegauge.errors import CorpusError, OptionError

FOLDER = os.path.join(os.path.dirname(__file__), "tags")
SUFFIX = ".txt"
UNKNOWN = "_"


@lru_cache(maxsize=4096)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)


def fits(label: str, pattern: str) -> bool:
    """Whether a label is the pattern, in which * stands for any letters, also none."""
    return label == pattern or ("*" in pattern and _pattern(pattern).fullmatch(label) is not None)


@dataclass(frozen=True, slots=True)
class UposTable:
    """Lines of pattern, words (none: any), UPOS and features; the first that fits counts."""

    name: str
    lines: Sequence[tuple[str, frozenset[str], str, str]]
    known: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict, compare=False, repr=False)

    def of(self, tag: str, word: str) -> tuple[str, str]:
        """UPOS and features of a word with this tag; CorpusError if no line fits."""
        key = (tag, word.lower())
        if key not in self.known:
            for pattern, words, upos, feats in self.lines:
                if fits(tag, pattern) and (not words or key[1] in words):
                    self.known[key] = (upos, feats)
                    break
            else:
                raise CorpusError(f"{word}: tag {tag!r}; {self.name} has no line for it and none for *")
        return self.known[key]


def find_tags(name: str) -> UposTable:
    """The table in a file, or the bundled one of a name: penn, cess, floresta."""
    return parse_tags(read_text(bundled_or_file(name, FOLDER, SUFFIX, "tag table and no bundled one")), name)


def parse_tags(text: str, name: str) -> UposTable:
    """The table in a text: lines `TAG UPOS`, `TAG UPOS Feature=Value|…`, `TAG=word,word UPOS`; \\# is a tag #."""
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        parts = line.split()
        if not parts or parts[0].startswith("#"):
            continue
        if not 2 <= len(parts) <= 3 or not parts[1].isalpha() or not parts[1].isupper():
            raise OptionError(f"{name}:{number}: {line!r}; expected TAG UPOS, and features if any")
        tag, _, words = parts[0].removeprefix("\\").partition("=")
        upos, feats = parts[1], parts[2] if len(parts) > 2 else UNKNOWN
        lines.append((tag, frozenset(words.lower().split(",")) if words else frozenset(), upos, feats))
    if not lines:
        raise OptionError(f"{name}: no lines; expected TAG UPOS, and features if any")
    return UposTable(name, tuple(lines))
