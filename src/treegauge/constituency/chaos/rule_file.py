"""Reads a rule file: its sections are checked, and joined with those of the file that it names as its base."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from treegauge.corpus.files import bundled_or_file, read_text, read_toml
from treegauge.errors import OptionError

FOLDER = os.path.join(os.path.dirname(__file__), "rules")
SUFFIX = ".toml"
REMOVE = "remove"  # a key of each section: names of the base's keys that the section shall not have
_BASE = "base"

_TEXT, _TEXTS, _ONE_OR_MORE = "a text", "a list of texts", "a text or a list of texts"
_YES_NO, _WHOLE, _TABLES = "true or false", "a whole number of 0 or more", "a list of tables"
# section -> what its values are; in [links], each key has its own kind
_SECTIONS: dict[str, str | dict[str, str]] = {
    "words": _ONE_OR_MORE,
    "units": _TEXTS,
    "chunks": _ONE_OR_MORE,
    "inside": _TEXT,
    "links": {"frames": _TEXT, "coordinate": _YES_NO, "planar": _YES_NO, "lexicon": _TEXT, "search": _TABLES},
}
SEARCH_KEYS = {
    **dict.fromkeys(("what", "to", "of", "after", "before", "over", "shape", "kind"), _TEXT),
    **dict.fromkeys(("same", "agree", "both"), _YES_NO),
    "most": _WHOLE,
}


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The sections of a rule file, joined with those of its base, and the file that each key is from."""

    sections: dict[str, dict[str, Any]]
    origin: dict[tuple[str, str], str]

    def place(self, section: str, key: str) -> str:
        """File and line of a key."""
        path = self.origin[section, key]
        return f"{path}:{_line(path, section, key)}"


def read_rule_file(name: str, seen: tuple[str, ...] = ()) -> RuleFile:
    """The sections of a rule file, or of the bundled one of a name.

    A section has the keys of the base's section, less those that `remove` names, and those of the file's own section.
    A key that both have stands where the base has it; keys of the file's own section keep their order among themselves.
    """
    path = bundled_or_file(name, FOLDER, SUFFIX, "rule file and no bundled rules")
    if path in seen:
        raise OptionError(f"{path}: base {name!r} leads back to the file itself")
    table = read_toml(path)
    base = table.pop(_BASE, None)
    if base is not None and not isinstance(base, str):
        raise _error(path, "", _BASE, base, "the name of bundled rules or a file")
    rules = RuleFile({}, {}) if base is None else read_rule_file(base, (*seen, path))
    for section, own in table.items():
        _check_section(path, section, own)
        kept = dict(rules.sections.get(section, {}))
        for key in own.pop(REMOVE, []):
            if key not in kept:
                raise _error(path, section, REMOVE, key, "a key of the base's section", kept)
            del kept[key]
        rules.sections[section] = _joined(kept, own)
        rules.origin.update({(section, key): path for key in own})
    return rules


def _joined(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The keys of both: the places of shared keys are filled with the own keys in their order, then come the rest."""
    order = iter([*(key for key in own if key in base), *(key for key in own if key not in base)])
    shared = [next(order) if key in own else key for key in base]
    return {key: own.get(key, base.get(key)) for key in [*shared, *order]}


def _error(
    path: str, section: str, key: str, value: object, expected: str, known: Collection[str] = (), row: int = 0
) -> OptionError:
    """The error about a key of a section (`""`: the top), or about table `row`, from 1, of its list."""
    near = get_close_matches(str(value), known, 1)
    rather = f"; did you mean {near[0]}?" if near else ""
    part, number = f"[{section}] " if section else "", f" {row}" if row else ""
    place = f"{path}:{_line(path, section, key)}"
    return OptionError(f"{place}: {part}{key}{number}: {value!r}; expected {expected}{rather}")


def _line(path: str, section: str, key: str) -> int:
    """The line of a key in its section, or else that of the section."""
    at, inside = 1, not section
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if heading := re.match(r"\s*\[([^\]]*)\]", line):
            inside = heading.group(1).strip() == (section or key)
            at = number if inside else at
        if inside and re.match(rf"""\s*(["']?){re.escape(key)}\1\s*=""", line):
            return number
    return at


def _check_section(path: str, section: str, own: object) -> None:
    """OptionError for a section that is unknown, or has a value of another kind than expected."""
    if section not in _SECTIONS:
        raise _error(path, "", section, section, f"one of {', '.join((_BASE, *_SECTIONS))}", _SECTIONS)
    if not isinstance(own, Mapping):
        raise _error(path, "", section, own, f"a section [{section}]")
    kinds = _SECTIONS[section]
    for key, value in own.items():
        if key == REMOVE:
            kind = _TEXTS
        elif isinstance(kinds, str):
            kind = kinds
        elif key in kinds:
            kind = kinds[key]
        else:
            raise _error(path, section, key, key, f"one of {', '.join((*kinds, REMOVE))}", kinds)
        if not _is(value, kind):
            raise _error(path, section, key, value, kind)
        if kind == _TABLES:
            _check_searches(path, section, key, value)


def _check_searches(path: str, section: str, key: str, rows: list[dict[str, object]]) -> None:
    for number, row in enumerate(rows, 1):
        for name, value in row.items():
            if name not in SEARCH_KEYS:
                raise _error(path, section, key, name, f"one of {', '.join(SEARCH_KEYS)}", SEARCH_KEYS, number)
            if not _is(value, SEARCH_KEYS[name]):
                raise _error(path, section, key, f"{name} = {value!r}", SEARCH_KEYS[name], row=number)
        if not row.get("what") or not row.get("to"):
            raise _error(path, section, key, row, "what and to, at least", row=number)


def _is(value: object, kind: str) -> bool:
    """Whether a value of TOML is of a kind."""
    if kind == _YES_NO:
        return isinstance(value, bool)
    if kind == _WHOLE:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if kind == _TABLES:
        return isinstance(value, list) and all(isinstance(row, dict) for row in value)
    texts = isinstance(value, list) and all(isinstance(text, str) and text.split() for text in value)
    return isinstance(value, str) if kind == _TEXT else texts or (kind == _ONE_OR_MORE and isinstance(value, str))
