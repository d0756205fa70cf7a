"""JSON from a file that anyone may have changed: every field is checked before it is used."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from treegauge.errors import TreegaugeError

LARGEST = 1 << 53  # no file of ours has larger whole numbers
MOST = 10_000_000  # a list has at most so many items


def parse_json(content: bytes | str, where: str, kind: type[TreegaugeError], what: str = "JSON") -> Any:
    """The value of a JSON text; an error of that kind for bad JSON, NaN, deep nesting or a name twice."""
    try:
        return json.loads(content, parse_constant=_refuse, object_pairs_hook=_object)
    except RecursionError as error:
        raise kind(f"{where}: nested too deeply; expected {what}") from error
    except ValueError as error:
        raise kind(f"{where}: {error}; expected {what}") from error


def json_text(content: Any, **layout: Any) -> str:
    """JSON with letters as they are; what UTF-8 cannot have is escaped: bytes of a file name that is not UTF-8.

    layout: what `json.dumps` takes, such as indent.
    """
    return json.dumps(content, ensure_ascii=False, **layout).encode("utf-8", "backslashreplace").decode()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"{twice[:60]!r} stands twice in an object")
    return values


class Fields:
    """A JSON object whose fields are taken one by one; a field that is not as expected is an error that names it."""

    def __init__(self, value: Any, where: str, kind: type[TreegaugeError]) -> None:
        self.where, self._kind = where, kind
        if not isinstance(value, dict):
            self._fail("", value, "an object")
        self._values = dict(value)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def _fail(self, name: str, value: Any, expected: str) -> NoReturn:
        shown = repr(value) if not isinstance(value, list | dict) else f"a list or object of {len(value)}"
        shown = shown if len(shown) <= 60 else shown[:60] + "…"
        raise self._kind(f"{self.where}: {name}{' ' if name else ''}{shown}; expected {expected}")

    def take(self, name: str) -> Any:
        """The value of a field, whatever it is; the field is then done with."""
        if name not in self._values:
            raise self._kind(f"{self.where}: {name} is missing")
        return self._values.pop(name)

    def whole(self, name: str, least: int = 0, most: int = LARGEST) -> int:
        """A whole number from least to most."""
        return self._whole(name, self.take(name), least, most)

    def whole_or_none(self, name: str, least: int = 0, most: int = LARGEST) -> int | None:
        """A whole number from least to most, or null, or nothing."""
        value = self._values.pop(name, None)
        return None if value is None else self._whole(name, value, least, most)

    def _whole(self, name: str, value: Any, least: int, most: int) -> int:
        if type(value) is not int or not least <= value <= most:
            self._fail(name, value, f"a whole number from {least} to {most}")
        return value

    def number(self, name: str, least: float, most: float) -> float:
        """A number from least to most."""
        return self._number(name, self.take(name), least, most)

    def _number(self, name: str, value: Any, least: float, most: float) -> float:
        if type(value) not in (int, float) or not least <= value <= most:
            self._fail(name, value, f"a number from {least:g} to {most:g}")
        return float(value)

    def number_or_none(self, name: str, least: float, most: float) -> float | None:
        """A number from least to most, or null."""
        value = self.take(name)
        return None if value is None else self._number(name, value, least, most)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.take(name)
        if not isinstance(value, bool):
            self._fail(name, value, "true or false")
        return value

    def text(self, name: str) -> str:
        """A string that can be written as UTF-8."""
        return self._text(name, self.take(name))

    def text_or_none(self, name: str) -> str | None:
        """A string that can be written as UTF-8, or null, or nothing."""
        value = self._values.pop(name, None)
        return None if value is None else self._text(name, value)

    def _text(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or any("\ud800" <= c <= "\udfff" for c in value):
            self._fail(name, value, "a text")
        return value

    def one_of(self, name: str, values: Sequence[str]) -> str:
        """A string that is one of these."""
        value = self.take(name)
        if value not in values:
            self._fail(name, value, f"one of {', '.join(values)}")
        return str(value)

    def items(self, name: str, most: int = MOST) -> list[Any]:
        """A list of at most so many."""
        value = self.take(name)
        if not isinstance(value, list) or len(value) > most:
            self._fail(name, value, f"a list of at most {most}")
        return value

    def texts(self, name: str, most: int = MOST) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(self._text(name, value) for value in self.items(name, most))

    def wholes(self, name: str, most: int = MOST) -> tuple[int, ...]:
        """A list of whole numbers from 0."""
        return tuple(self._whole(name, value, 0, LARGEST) for value in self.items(name, most))

    def numbers(self, name: str, least: float, most: float) -> tuple[float, ...]:
        """A list of numbers from least to most."""
        return tuple(self._number(name, value, least, most) for value in self.items(name))

    def object(self, name: str) -> Fields:
        """An object within this one."""
        return Fields(self.take(name), f"{self.where}: {name}", self._kind)

    def objects(self, name: str, most: int = MOST) -> Iterator[Fields]:
        """A list of objects."""
        for k, value in enumerate(self.items(name, most), 1):
            yield Fields(value, f"{self.where}: {name} {k}", self._kind)

    def end(self) -> None:
        """Raise an error if a field was not taken."""
        if self._values:
            raise self._kind(f"{self.where}: {next(iter(self._values))!r} is not known")
