"""Classes of words: ordered ways to know each, so that a corpus may lack features or tags."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from treegauge.errors import OptionError

ANY, NO_VALUE = "*", "_"  # of a feature: any value, none
LISTS = ("form", "lemma", "xpos", "end")


class TaggedForm(NamedTuple):
    """What a class may ask of a word; form and lemma in small letters."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Condition:
    """One alternative of a way: a word fits if every part that is given fits."""

    upos: frozenset[str]
    feats: tuple[tuple[str, str], ...]
    lists: tuple[tuple[str, frozenset[str]], ...]  # form, lemma or xpos, and the values that it may have
    ends: tuple[str, ...]  # of the form
    like: re.Pattern[str] | None  # of form/lemma, from beginning to end
    bare: bool  # no features at all

    def fits(self, word: TaggedForm) -> bool:
        """Whether a word with this UPOS is such."""
        for name, value in self.feats:
            found = word.feats.get(name, NO_VALUE)
            if found != value and (value != ANY or found == NO_VALUE):
                return False
        if self.bare and NO_VALUE not in word.feats:
            return False
        for column, values in self.lists:
            if getattr(word, column) not in values:
                return False
        if self.ends and not word.form.endswith(self.ends):
            return False
        return self.like is None or self.like.fullmatch(f"{word.form}/{word.lemma}") is not None

    def evidence(self) -> str:
        """What the condition looks at besides UPOS: Mood, XPOS, form, ending."""
        names = [name for name, value in self.feats if value != NO_VALUE]
        names += [column.upper() if column == "xpos" else column for column, _ in self.lists]
        return "+".join([*names, *(["ending"] if self.ends or self.like else [])]) or "UPOS"


class Way(NamedTuple):
    """An alternative of a class, by its number in the class's list of ways; passed over if the word has a feature."""

    name: str  # of the class
    number: int
    condition: Condition
    unless: frozenset[str]  # features that the first way asks for: a word that has them is known by them


@dataclass(frozen=True)
class WordWays:
    """The ways of all classes, by UPOS and in the order in which they are tried."""

    by_upos: Mapping[str, tuple[Way, ...]]
    lists: Mapping[str, tuple[tuple[Condition, ...], ...]]  # class -> its ways
    rest: str  # the class of words that no way fits

    def of(self, word: TaggedForm) -> tuple[str, int]:
        """The class of a word, and the number of the way by which it is known."""
        for name, number, condition, unless in self.by_upos.get(word.upos, ()):
            if condition.fits(word) and unless.isdisjoint(word.feats):
                return name, number
        return self.rest, 0

    def missing(self, used: set[tuple[str, int]]) -> str:
        """Features that no word has, and what the classes are known by instead; empty if none is missing."""
        found: dict[str, list[str]] = {}
        for name, ways in self.lists.items():
            later = [k for k in range(1, len(ways)) if (name, k) in used]
            if later and (name, 0) not in used:
                asked = dict.fromkeys(f"{key}={value}" for one in ways[0] for key, value in one.feats)
                by = dict.fromkeys(one.evidence() for k in later for one in ways[k])
                for feature in asked:
                    found.setdefault(feature, []).extend(by)
        return ", ".join(f"{feature} (by {', '.join(dict.fromkeys(by))})" for feature, by in found.items())


def make_ways(table: Mapping[str, str | list[str]], rest: str, where: str) -> WordWays:
    """The ways of the part [words] of a rule file.

    A class has a text, or a list of them. First the first ways of the classes with lists are tried, in the order of
    the file; then their second ways, and so on; then the classes with a text.
    """
    lists = {
        name: tuple(tuple(_condition(part, name, where) for part in text.split(" | ")) for text in texts)
        for name, texts in ((name, [given] if isinstance(given, str) else given) for name, given in table.items())
    }
    several = [name for name, given in table.items() if not isinstance(given, str)]
    order = [
        (name, k)
        for k in range(max((len(lists[n]) for n in several), default=0))
        for name in several
        if k < len(lists[name])
    ]
    order += [(name, 0) for name in table if name not in several]
    by_upos: dict[str, list[Way]] = {}
    for name, k in order:
        features = frozenset(key for one in lists[name][0] for key, _ in one.feats)
        for condition in lists[name][k]:
            plain = condition.evidence() == "UPOS"
            way = Way(name, k, condition, frozenset() if k == 0 or plain else features)
            for upos in sorted(condition.upos):
                by_upos.setdefault(upos, []).append(way)
    return WordWays({upos: tuple(ways) for upos, ways in by_upos.items()}, {n: lists[n] for n in several}, rest)


def _condition(text: str, name: str, where: str) -> Condition:
    upos, feats, ends = list[str](), list[tuple[str, str]](), list[str]()
    lists: list[tuple[str, frozenset[str]]] = []
    like, bare = None, False
    for part in text.split():
        key, equals, value = part.partition("=")
        if part == NO_VALUE:
            bare = True
        elif not equals:
            upos += part.split(",")
        elif key == "end":
            ends += value.split(",")
        elif key == "like":
            like = re.compile(value)
        elif key in LISTS:
            lists.append((key, frozenset(value.split(","))))
        else:
            feats.append((key, value))
    if not upos:
        expected = "UPOS tags, then Feature=Value, xpos=…, lemma=…, form=…, end=… or like=…"
        raise OptionError(f"{where}: class {name}: {text!r}; expected {expected}")
    return Condition(frozenset(upos), tuple(feats), tuple(lists), tuple(ends), like, bare)
