"""Arrays that grow in place: each appended array is copied only once."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

Key = TypeVar("Key")


class GrowingArrays(Generic[Key]):
    """Arrays by name; each consists of the arrays that were appended to it, all of the same type and width."""

    def __init__(self) -> None:
        self._bytes: dict[Key, bytearray] = {}
        self._empty: dict[Key, np.ndarray] = {}

    def append(self, name: Key, array: np.ndarray) -> None:
        """Append an array to the array of this name."""
        self._empty.setdefault(name, np.empty((0, *array.shape[1:]), array.dtype))
        content = self._bytes.setdefault(name, bytearray())
        content += np.ascontiguousarray(array).data

    def take(self, name: Key) -> np.ndarray:
        """Remove and return the whole array of this name."""
        empty = self._empty.pop(name)
        return np.frombuffer(self._bytes.pop(name), empty.dtype).reshape(-1, *empty.shape[1:])
