"""Verb subcategorisation frames: what a verb takes, learned from a treebank or written by hand."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from treegauge.corpus.files import bundled_or_file, read_text
from treegauge.errors import ModelError

FOLDER = os.path.join(os.path.dirname(__file__), "lexica")
SUFFIX = ".txt"
SUBJECT, OBJECT, BARE, FINITE = "Sogg", "Ogg", "inf", "fin"
SHARE, LEAST = 0.15, 2  # a slot is the verb's own if it has it so often, and so many times


@dataclass(frozen=True, slots=True)
class Frame:
    """How often a verb was met, and how often with each slot.

    Slots: Sogg, Ogg; a preposition such as `a`; an infinitive, `inf` or `di+inf`; a clause, `che+fin`.
    """

    count: int
    slots: Mapping[str, int]

    def own(self) -> frozenset[str]:
        """The slots that the verb takes: of a verb met once, or written by hand without numbers, all."""
        least = 1 if self.count <= 1 else max(LEAST, SHARE * self.count)
        return frozenset(slot for slot, count in self.slots.items() if count >= least)


@dataclass(frozen=True)
class Lexicon:
    """Frames by lemma."""

    frames: Mapping[str, Frame]
    name: str = ""

    @cached_property
    def owned(self) -> dict[str, frozenset[str]]:
        """The slots that each verb takes, by its lemma."""
        return {lemma: frame.own() for lemma, frame in self.frames.items()}


def added_up(frames: Iterable[tuple[str, Frame]], name: str = "") -> Lexicon:
    """The lexicon of frames by lemma, those of one lemma added up."""
    count: Counter[str] = Counter()
    slots: dict[str, Counter[str]] = {}
    for lemma, frame in frames:
        count[lemma] += frame.count
        slots.setdefault(lemma, Counter()).update(frame.slots)
    return Lexicon({lemma: Frame(count[lemma], dict(slots[lemma])) for lemma in slots}, name)


def merge_lexica(lexica: Iterable[Lexicon]) -> Lexicon:
    """The lexicon of all their counts together."""
    return added_up(item for lexicon in lexica for item in lexicon.frames.items())


def write_lexicon(lexicon: Lexicon, comment: str = "") -> str:
    """A lexicon as text: a line `lemma count: slot count, slot count`, the most frequent slot first."""
    lines = [f"# {line}" for line in comment.splitlines()]
    for lemma, frame in sorted(lexicon.frames.items()):
        slots = sorted(frame.slots.items(), key=lambda slot: (-slot[1], slot[0]))
        lines.append(f"{lemma} {frame.count}: {', '.join(f'{name} {n}' for name, n in slots)}".rstrip())
    return "\n".join(lines) + "\n"


def parse_lexicon(text: str, path: str) -> Lexicon:
    """The lexicon in a text; lines of one verb are added up, so that files can be joined. Numbers may be left out."""
    found: list[tuple[str, Frame]] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        head, colon, rest = line.partition(":")
        try:
            if not colon:
                raise ValueError
            lemma, count = _counted(head)
            slots = dict(_counted(part) for part in rest.split(",") if part.strip())
        except ValueError:
            raise ModelError(f"{path}:{number}: {line!r}; expected `lemma count: slot count, slot count`") from None
        found.append((lemma, Frame(count, slots)))
    return added_up(found, path)


def _counted(text: str) -> tuple[str, int]:
    """A name and the number behind it, 1 if there is none."""
    name, *rest = text.split()
    number = int(rest[0]) if rest else 1
    if len(rest) > 1 or not 0 <= number < 1 << 53:
        raise ValueError
    return name, number


def find_lexicon(name: str) -> Lexicon:
    """The lexicon in a file, or the bundled one of a name such as `it`."""
    path = bundled_or_file(name, FOLDER, SUFFIX, "lexicon file and no bundled lexicon")
    return parse_lexicon(read_text(path), name)
