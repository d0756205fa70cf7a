"""Classes of words: ordered ways to know each, so that a corpus may lack features or tags."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from treegauge.errors import OptionError

ANY, NO_VALUE = "*", "_"  # in place of a feature's value: any value, no value
LISTS = ("form", "lemma", "xpos", "end")


class TaggedForm(NamedTuple):
    """The properties of a word that tell its class; form and lemma in small letters."""

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
    ends: tuple[str, ...]  # endings, one of which the form has
    like: re.Pattern[str] | None  # a pattern that the whole of form/lemma matches
    bare: bool  # the word has no features at all

    def fits(self, word: TaggedForm) -> bool:
        """Whether a word that has one of the UPOS tags fulfils the condition."""
        for name, value in self.feats:
            own = word.feats.get(name, NO_VALUE)
            if own != value and (value != ANY or own == NO_VALUE):
                return False
        if self.bare and NO_VALUE not in word.feats:
            return False
        if any(getattr(word, column) not in values for column, values in self.lists):
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
    """One way to know a class, by its number in the list of the class."""

    name: str  # the class
    number: int
    condition: Condition
    unless: frozenset[str]  # features of the first way: a word that has one of them is not known by this way


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
        instead: dict[str, list[str]] = {}
        for name, ways in self.lists.items():
            later = [k for k in range(1, len(ways)) if (name, k) in used]
            if later and (name, 0) not in used:
                by = [condition.evidence() for k in later for condition in ways[k]]
                for feature in dict.fromkeys(f"{key}={value}" for part in ways[0] for key, value in part.feats):
                    instead.setdefault(feature, []).extend(by)
        return ", ".join(f"{feature} (by {', '.join(dict.fromkeys(by))})" for feature, by in instead.items())


def make_ways(table: Mapping[str, str | list[str]], rest: str, where: str) -> WordWays:
    """The ways of the part [words] of a rule file.

    A class has one text or a list of texts. The first ways of the classes with lists are tried first, in the order of
    the file; then their second ways, and so on; then the classes with one text.
    """
    lists = {
        name: tuple(
            tuple(_condition(part, name, where) for part in text.split(" | "))
            for text in ([texts] if isinstance(texts, str) else texts)
        )
        for name, texts in table.items()
    }
    several = [name for name, texts in table.items() if not isinstance(texts, str)]
    order = sorted(((name, k) for name in several for k in range(len(lists[name]))), key=lambda way: way[1])
    order += [(name, 0) for name in table if name not in several]
    by_upos: dict[str, list[Way]] = {}
    for name, k in order:
        features = frozenset(key for condition in lists[name][0] for key, _ in condition.feats)
        for condition in lists[name][k]:
            plain = condition.evidence() == "UPOS"
            way = Way(name, k, condition, frozenset() if k == 0 or plain else features)
            for upos in sorted(condition.upos):
                by_upos.setdefault(upos, []).append(way)
    return WordWays(
        {upos: tuple(ways) for upos, ways in by_upos.items()}, {name: lists[name] for name in several}, rest
    )


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
