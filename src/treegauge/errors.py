"""What treegauge raises: a few classes, all of them `ValueError`s; and the checks of what users give to functions."""

from __future__ import annotations

import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

PATH = (str, os.PathLike)  # kinds of values that name a file


class TreegaugeError(ValueError):
    """Anything wrong with what the user gave."""


class CorpusError(TreegaugeError):
    """A corpus that cannot be read; the message names file, line, sentence, value and expectation."""


class MalformedError(CorpusError):
    """A sentence or tree that cannot be read; reading with on_error="skip" leaves it out."""


class ModelError(TreegaugeError):
    """A model that cannot be read, merged or applied."""


class OutputError(TreegaugeError):
    """A file that cannot be written: what was under its name before is still there."""


class OptionError(TreegaugeError):
    """An option outside its choices; the message lists them."""


def check_type(name: str, value: Any, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raise OptionError unless a value is of one of the kinds; expected: the kinds in words."""
    if not isinstance(value, kinds):
        raise OptionError(f"{name} {value!r:.80}; expected {expected}")


def check_whole(name: str, value: object, least: int, most: int | None = None) -> None:
    """Raise OptionError unless a value is a whole number, `least` or more, and at most `most`."""
    if not isinstance(value, Integral) or int(value) < least or (most is not None and int(value) > most):
        expected = f"{least} or more" if most is None else f"{least}..{most}"
        raise OptionError(f"{name} {value!r:.80}; expected {expected}")


def check_share(name: str, value: Any) -> None:
    """Raise OptionError unless a value is a number from 0 to 1; NaN is none."""
    if not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise OptionError(f"{name} {value!r:.80}; expected a number from 0 to 1")


def path_list(source: Any, expected: str = "a path, several paths, or a corpus") -> list[Any]:
    """A path, or each of several paths; OptionError for anything else."""
    if isinstance(source, PATH):
        return [source]
    check_type("source", source, Iterable, expected)
    paths = list(source)
    for path in paths:
        check_type("source", path, PATH, expected)
    return paths
