"""The rule file of a language: classes of words, patterns of chunks, and what may be linked to what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple

from treegauge.constituency.chaos.rule_file import read_rule_file
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


def make_ways(table: Mapping[str, str | list[str]], rest: str, where: Callable[[str], str]) -> WordWays:
    """The ways of the part [words] of a rule file; where: gives the place of a class, for messages.

    A class has one text or a list of texts. The first ways of the classes with lists are tried first, in the order of
    the file; then their second ways, and so on; then the classes with one text.
    """
    lists = {
        name: tuple(
            tuple(_condition(part, where(name)) for part in text.split(" | "))
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


def _condition(text: str, where: str) -> Condition:
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
            try:
                like = re.compile(value)
            except re.error as error:
                raise OptionError(f"{where}: {part!r}: {error.msg}") from error
        elif key in LISTS:
            lists.append((key, frozenset(value.split(","))))
        else:
            feats.append((key, value))
    if not upos:
        expected = "UPOS tags, then Feature=Value, xpos=…, lemma=…, form=…, end=… or like=…"
        raise OptionError(f"{where}: {text!r}; expected {expected}")
    return Condition(frozenset(upos), tuple(feats), tuple(lists), tuple(ends), like, bare)


CONTINUED = "\x01"  # stands for each word of a multiword unit but the first
FIRST_LETTER = 0x100  # class number k is written as the character of this code plus k
CONTINUES = "continued"  # the class of words that belong to the word before, like the rest of a multiword unit
LOOKS = {"!": "<!", "^": "<=", "=": "=", "~": "!"}  # see `_translated`
REST = "other"  # the class of a word that no line fits

_SYMBOL = re.compile(r"[!^=~]?[a-z][a-z0-9-]*|[()|?*+<>]|(\S)")


@dataclass(frozen=True, slots=True)
class Search:
    """Where to look for the governor of a chunk that is of a certain type and stands in a certain place.

    The search goes to the left along the right frontier: the chunk before, its governor, the governor's governor, and
    so on, so that no link crosses another. `own` stands for the verb of the chunk's clause, on either
    side; `next` for the chunk behind.
    """

    to: frozenset[str]  # types of governors
    of: frozenset[str] = frozenset()  # lemmas, one of which is the chunk's first word or its head; empty: any
    after: frozenset[str] = frozenset()  # the chunk before is of these types, or `conj`, `comma`, `start`; empty: any
    before: frozenset[str] = frozenset()  # the chunk behind is of these types; empty: any
    over: frozenset[str] = frozenset()  # types that the search may pass; empty: all
    shape: str = ""  # `bare`: one word; `full`: more than one; empty: any
    same: bool = False  # the governor has the same first word, or none either
    agree: bool = False  # gender and number of the two heads do not differ
    both: bool = False  # also the first such governor to the right
    most: int = 1  # so many governors at most, 0: all; each is an alternative
    kind: str = ""  # of the link; empty: by the two types


@dataclass(frozen=True)
class Rules:
    """The content of a rule file, ready for use."""

    name: str
    classes: Mapping[str, str]  # class -> its letter
    ways: WordWays  # how the class of a word is known
    units: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]  # first form -> (forms, letter), the longest first
    pattern: re.Pattern[str]  # over letters; the group that matched tells the rule
    types: tuple[str, ...]  # the type of chunk of each rule
    inside: Mapping[str, frozenset[str]]  # letter -> letters of a next word on which such a word depends
    searches: Mapping[str, tuple[Search, ...]]  # type of chunk -> searches, in order
    frames_only: bool  # the verbal layer links only arguments that the verb's frame has
    coordinate: bool  # conjunctions are linked to a chunk that they join, and joined chunks to the first of them
    planar: bool  # no link crosses another; otherwise no unambiguous link does
    lexicon: str  # the lexicon to use if no other is asked for

    def changed(self, most: int | None = None, planar: bool = False) -> Rules:
        """The rules with at most so many governors, 0 for all, for each search that may find several; and planar."""
        searches = {
            kind: tuple(search if most is None or search.most == 1 else replace(search, most=most) for search in own)
            for kind, own in self.searches.items()
        }
        return replace(self, searches=searches, planar=self.planar or planar)

    @cached_property
    def conjunction(self) -> str:
        """The letter of coordinating conjunctions, the class `conj`."""
        return self.classes.get("conj", "")

    @cached_property
    def auxiliaries(self) -> frozenset[str]:
        """The letters of the classes whose name begins with `aux`."""
        return frozenset(letter for name, letter in self.classes.items() if name.startswith("aux"))


@lru_cache(maxsize=8)
def find_rules(name: str) -> Rules:
    """The rules in a file, or the bundled ones of a name such as `it`."""
    file = read_rule_file(name)
    return make_rules(file.sections, name, file.place)


def make_rules(
    table: Mapping[str, Mapping[str, Any]], name: str, place: Callable[[str, str], str] | None = None
) -> Rules:
    """Rules from the sections of a rule file (see `read_rule_file`); OptionError says what is wrong with them.

    place: gives file and line of a section and key, for messages.
    """

    def where(section: str, key: str) -> str:
        return f"{name if place is None else place(section, key)}: [{section}] {key}"

    for part in ("words", "chunks", "links"):
        if part not in table:
            raise OptionError(f"{name}: no part [{part}]; expected words, chunks and links")
    names = [*table["words"], *([] if REST in table["words"] else [REST])]
    classes = {word: CONTINUED if word == CONTINUES else chr(FIRST_LETTER + k) for k, word in enumerate(names)}
    ways = make_ways(table["words"], REST, partial(where, "words"))
    patterns, types = [], []
    for kind, texts in table["chunks"].items():
        for text in [texts] if isinstance(texts, str) else texts:
            patterns.append(_compiled(text, classes, where("chunks", kind)))
            types.append(kind)
    links = table["links"]
    if links.get("frames", "first") not in ("first", "only"):
        raise OptionError(f"{where('links', 'frames')}: {links['frames']!r}; expected first or only")

    def letters(section: str, key: str, words: Iterable[str]) -> list[str]:
        """The letters of some classes, which a key names."""
        for word in words:
            if word not in classes:
                raise OptionError(f"{where(section, key)}: class {word!r}; {_expected(word, classes)}")
        return [classes[word] for word in words]

    units: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for word, texts in table.get("units", {}).items():
        (letter,) = letters("units", word, [word])
        for forms in map(tuple, map(str.split, texts)):
            units.setdefault(forms[0], []).append((forms, letter))
    inside = {
        letters("inside", word, [word])[0]: frozenset(letters("inside", word, text.split()))
        for word, text in table.get("inside", {}).items()
    }
    return Rules(
        name,
        classes,
        ways,
        {first: tuple(sorted(own, key=lambda unit: -len(unit[0]))) for first, own in units.items()},
        re.compile("|".join(patterns)),
        tuple(types),
        inside,
        _searches(links.get("search", [])),
        links.get("frames", "first") == "only",
        links.get("coordinate", True),
        links.get("planar", False),
        links.get("lexicon", ""),
    )


def _searches(rows: list[dict[str, Any]]) -> dict[str, tuple[Search, ...]]:
    searches: dict[str, list[Search]] = {}
    lists = ("to", "of", "after", "before", "over")
    for row in rows:
        values: dict[str, Any] = {key: frozenset(row[key].split()) if key in lists else row[key] for key in row}
        search = Search(**{key: value for key, value in values.items() if key != "what"})
        for kind in row["what"].split():
            searches.setdefault(kind, []).append(search)
    return {kind: tuple(own) for kind, own in searches.items()}


def _compiled(text: str, classes: Mapping[str, str], where: str) -> str:
    """A pattern as one group of a regular expression, with the group of the head in it."""
    pattern = f"({''.join(_translated(text, classes, where))})"
    try:
        re.compile(pattern)
    except re.error as error:
        raise OptionError(f"{where}: pattern {text!r}: {error.msg}") from error
    return pattern


def _translated(text: str, classes: Mapping[str, str], where: str) -> Iterator[str]:
    """A pattern over class names as a regular expression over their letters.

    < > become the group of the head. !c means: not right behind a c; ^c: right behind one; =c: right before one; ~c:
    not right before one.
    """
    if text.count("<") != 1 or text.count(">") != 1:
        raise OptionError(f"{where}: pattern {text!r}; expected one head in < >")
    for match in _SYMBOL.finditer(text):
        symbol = match.group()
        if match.group(1):
            raise OptionError(f"{where}: {symbol!r} in pattern {text!r}; expected class names and ( ) | ? * + < >")
        if symbol[0] in LOOKS and symbol[1:] in classes:
            yield f"(?{LOOKS[symbol[0]]}{classes[symbol[1:]]})"
        elif symbol in classes:
            yield f"(?:{classes[symbol]}{CONTINUED}*)"
        elif symbol in "()|?*+<>":
            yield {"(": "(?:", "<": "(", ">": ")"}.get(symbol, symbol)
        else:
            raise OptionError(f"{where}: class {symbol!r}; {_expected(symbol, classes)}")


def _expected(word: str, classes: Mapping[str, str]) -> str:
    """The classes that a word should be one of, and the one that it was meant to be, if one is near."""
    near = get_close_matches(word, classes, 1)
    return f"expected one of {', '.join(classes)}" + (f"; did you mean {near[0]}?" if near else "")
