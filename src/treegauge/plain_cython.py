"""Stands in for the module `cython` where it is not installed: a kernel that was not compiled runs as plain Python.

It has what the kernels use of Cython's pure Python mode. Numbers become Python's, decorators do nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

compiled = False
Decorated = TypeVar("Decorated")


class _Type:
    """A type of C: makes Python's number of a value. A view of numbers, `int[:, ::1]`, is taken as it is."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self.make = make

    def __getitem__(self, _: Any) -> _Type:
        return _ANYTHING


class _Nogil:
    """`@cython.nogil` and `with cython.nogil`: nothing happens."""

    def __call__(self, function: Decorated) -> Decorated:
        return function

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


nogil = _Nogil()
_WHOLE, _ANYTHING = _Type(int), _Type(lambda value: value)
_KINDS = {"double": _Type(float), "float": _Type(float), "bint": _Type(bool)}
_KINDS |= dict.fromkeys(("schar", "uchar", "ushort", "int", "uint", "longlong", "ulonglong"), _WHOLE)
_KINDS |= dict.fromkeys(("Py_ssize_t", "size_t"), _WHOLE)
_KINDS |= dict.fromkeys(("void", "const", "p_int", "p_uchar", "p_ulonglong"), _ANYTHING)


def __getattr__(name: str) -> _Type:
    """A type by its name."""
    if name in _KINDS:
        return _KINDS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def same(decorated: Decorated) -> Decorated:
    """What is decorated, as it is."""
    return decorated


cfunc = cclass = inline = final = same


def exceptval(*_: Any, check: bool = True) -> Callable[[Decorated], Decorated]:
    """A decorator that does nothing."""
    return same


def declare(kind: _Type, value: Any = None) -> Any:
    """The value as a number of a type."""
    return None if value is None else kind.make(value)


def cast(kind: _Type, value: Any) -> Any:
    """The value as a number of a type."""
    return kind.make(value)
