"""Arrays that grow in place: what is appended is copied once, and no second copy is made in the end."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

Key = TypeVar("Key")


class Growing(Generic[Key]):
    """Arrays by name, each made of the arrays that were appended to it, all of one type and width."""

    def __init__(self) -> None:
        self._bytes: dict[Key, bytearray] = {}
        self._empty: dict[Key, np.ndarray] = {}

    def append(self, name: Key, array: np.ndarray) -> None:
        """Put an array behind what is there."""
        self._empty.setdefault(name, np.empty((0, *array.shape[1:]), array.dtype))
        held = self._bytes.setdefault(name, bytearray())
        held += np.ascontiguousarray(array).data

    def take(self, name: Key) -> np.ndarray:
        """The whole array, which is not kept here then."""
        empty = self._empty.pop(name)
        return np.frombuffer(self._bytes.pop(name), empty.dtype).reshape(-1, *empty.shape[1:])
