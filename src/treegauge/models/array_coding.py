"""Arrays as bytes that compress well, and back; a wrong length is noticed before any memory is taken.

bits    of booleans: eight in a byte
small   of whole numbers from 0, most of them small: a byte each, 255 for those from 255 on; what these exceed it by
        follows, in rows of bytes, the lowest bytes first; the first byte of all says how many rows
sparse  of bytes that are mostly 0: bits that say which are not, then those
plain   of whole numbers of one or two bytes: as they are, the lowest byte first
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.errors import ModelError
from treegauge.models.lisca.features import LEMMA, PART_BITS, RELATION, TAG
from treegauge.models.lisca.reference import (
    CHAINS,
    D_AT,
    FIRST_FORM,
    FIRST_RELATION,
    FIRST_TAG,
    FORM_BITS,
    FORM_D_AT,
    FORM_H_AT,
    H_AT,
    HH_AT,
    LABEL_AT,
    LENGTH_AT,
    RELATION_BITS,
    ROOT_TAG,
    T_AT,
    TAG_BITS,
    TH_AT,
    TRAIT_AT,
    TRIPLETS,
)
from treegauge.models.sparse_kernel import fill

LABELS = {"tags": TAG_BITS, "relations": RELATION_BITS, "lemmas": LENGTH_AT - LABEL_AT, "forms": FORM_BITS}
_LABEL_OF = {TAG: "tags", RELATION: "relations", LEMMA: "lemmas"}


def most_labels(kind: str) -> int:
    """The largest number of labels of a kind that keys have room for."""
    return (1 << LABELS[kind]) - 4


def _parts(table: str) -> list[tuple[int, int, int]]:
    """Where each part of a table's keys lies, highest first, how many bits it has, and the least it can be."""
    if table == CHAINS:
        tags = [(D_AT, TAG_BITS, FIRST_TAG), (H_AT, TAG_BITS, ROOT_TAG)]
        return [*tags, (T_AT, RELATION_BITS, FIRST_RELATION), (HH_AT, TAG_BITS, 0), (TH_AT, RELATION_BITS, 0)]
    if table == TRIPLETS:
        forms = [(FORM_D_AT, FORM_BITS, FIRST_FORM), (FORM_H_AT, FORM_BITS, 0)]
        return [*forms, (0, RELATION_BITS, FIRST_RELATION)]
    value = [(PART_BITS, PART_BITS, 0), (0, PART_BITS, 0)]
    label = (LABEL_AT, LENGTH_AT - LABEL_AT, 0)
    return [(TRAIT_AT, 63 - TRAIT_AT, 0), (LENGTH_AT, TRAIT_AT - LENGTH_AT, 0), label, *value]


def largest_bases(table: str, traits: int, sizes: dict[str, int]) -> list[int]:
    """The largest base of each part, given how many labels of each kind there are."""
    tag, relation, form = sizes["tags"] + FIRST_TAG, sizes["relations"] + FIRST_RELATION, sizes["forms"] + FIRST_FORM
    if table == CHAINS:
        return [tag, tag, relation, tag, relation]
    if table == TRIPLETS:
        return [form, form, relation]
    return [traits, 1 << TRAIT_AT - LENGTH_AT, sizes[_LABEL_OF[table]], 1 << PART_BITS, 1 << PART_BITS]


def pack(table: str, keys: np.ndarray) -> tuple[list[int], np.ndarray]:
    """The bases of a table's parts, and its keys, which ascend, as differences of the numbers that the parts make."""
    bases, packed = [], np.zeros_like(keys)
    for at, bits, _ in _parts(table):
        part = keys >> at & (1 << bits) - 1
        bases.append(int(part.max(initial=0)) + 1)
        packed = packed * bases[-1] + part
    return bases, np.diff(packed, prepend=0)


def unpack(table: str, bases: Sequence[int], gaps: np.ndarray) -> np.ndarray:
    """The keys of `pack` again; ModelError if they do not ascend, or if a part has a value that keys cannot have.

    Gaps are not negative, so the first sum that is too large for 64 bits is negative.
    """
    if not len(gaps):
        return gaps
    packed = np.cumsum(gaps)
    if gaps[1:].min(initial=1) < 1 or packed.min() < 0 or int(packed[-1]) >= math.prod(bases):
        raise ModelError(f"the events of the table {table} do not ascend")
    keys = np.zeros_like(packed)
    for (at, _, least), base in zip(reversed(_parts(table)), reversed(bases), strict=True):
        rest = packed // base
        part = packed - rest * base
        if part.min() < least:
            raise ModelError(f"the table {table} has an event without a word")
        keys |= part << at
        packed = rest
    return keys


TYPES = ("bool", "int8", "int16", "int32", "int64")
_LARGEST = 1 << 62


@dataclass(frozen=True, slots=True)
class ArrayCode:
    """How an array was written: type, shape, coding and how many bytes it takes."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    coding: str
    size: int

    @property
    def n(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


def encode(name: str, array: np.ndarray, coding: str) -> tuple[ArrayCode, bytes]:
    """An array as bytes, and how they are to be read."""
    data = CODINGS[coding][0](array.ravel())
    return ArrayCode(name, array.dtype.name, array.shape, coding, len(data)), data


def decode(code: ArrayCode, data: memoryview) -> np.ndarray:
    """The array of some bytes."""
    if len(data) != code.size:
        raise ModelError(f"{code.name}: {len(data)} bytes; expected {code.size}")
    array: np.ndarray = CODINGS[code.coding][1](code, np.frombuffer(data, dtype=np.uint8))
    return array.reshape(code.shape)


def _check(code: ArrayCode, fits: bool) -> None:
    if not fits:
        raise ModelError(f"{code.name}: {code.size} bytes do not hold {code.n} numbers as {code.coding}")


def _planes(numbers: np.ndarray, width: int) -> bytes:
    """Numbers as rows of bytes, the lowest first."""
    little = np.ascontiguousarray(numbers.astype(numbers.dtype.newbyteorder("<")))
    return little.view(np.uint8).reshape(len(numbers), numbers.itemsize).T[:width].tobytes()


def _from_planes(data: np.ndarray, n: int, width: int, dtype: str) -> np.ndarray:
    itemsize = np.dtype(dtype).itemsize
    rows = np.zeros((n, itemsize), dtype=np.uint8)
    rows[:, :width] = data.reshape(width, n).T
    return rows.view(np.dtype(dtype).newbyteorder("<")).reshape(n).astype(dtype)


def _bits(array: np.ndarray) -> bytes:
    return np.packbits(array).tobytes()


def _from_bits(code: ArrayCode, data: np.ndarray) -> np.ndarray:
    _check(code, code.dtype == "bool" and code.size == -(-code.n // 8))
    return np.unpackbits(data, count=code.n).astype(bool)


def _small(array: np.ndarray) -> bytes:
    low = np.minimum(array, 255).astype(np.uint8)
    rest = array[low == 255].astype(np.int64) - 255
    width = -(-int(rest.max(initial=0)).bit_length() // 8)
    return bytes([width]) + low.tobytes() + _planes(rest, width)


def _from_small(code: ArrayCode, data: np.ndarray) -> np.ndarray:
    _check(code, code.dtype == "int64" and code.size > code.n and data[0] <= 8)
    low, rows = data[1 : 1 + code.n], data[1 + code.n :]
    full = np.flatnonzero(low == 255)
    width = int(data[0])
    _check(code, len(rows) == width * len(full))
    numbers = low.astype(np.int64)
    rest = _from_planes(rows, len(full), width, "int64")
    _check(code, not len(rest) or 0 <= rest.min() <= rest.max() <= _LARGEST)
    numbers[full] += rest
    return numbers


def _sparse(array: np.ndarray) -> bytes:
    full = array != 0
    return _bits(full) + array[full].tobytes()


def _from_sparse(code: ArrayCode, data: np.ndarray) -> np.ndarray:
    n_bits = -(-code.n // 8)
    _check(code, code.dtype == "int8" and code.size >= n_bits)
    array = np.empty(code.n, dtype=np.uint8)
    n_values = fill(data[:n_bits], data[n_bits:] if code.size > n_bits else np.zeros(1, dtype=np.uint8), array)
    _check(code, code.size == n_bits + n_values)
    return array.view(np.int8)


def _plain(array: np.ndarray) -> bytes:
    return array.astype(array.dtype.newbyteorder("<")).tobytes()


def _from_plain(code: ArrayCode, data: np.ndarray) -> np.ndarray:
    _check(code, code.dtype in ("int8", "int16") and code.size == code.n * np.dtype(code.dtype).itemsize)
    return np.frombuffer(data.tobytes(), dtype=np.dtype(code.dtype).newbyteorder("<")).astype(code.dtype)


# coding -> to bytes, and back
CODINGS: dict[str, tuple[Callable[[np.ndarray], bytes], Callable[[ArrayCode, np.ndarray], Any]]] = {
    "bits": (_bits, _from_bits),
    "small": (_small, _from_small),
    "sparse": (_sparse, _from_sparse),
    "plain": (_plain, _from_plain),
}
