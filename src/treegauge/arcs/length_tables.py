"""Tables of what each value of a trait adds to a log score, for sentences of one length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class TableShape:
    """Where the values of each trait lie in a row of a table of weights.

    The table has room for the values that nearly all arcs have; those of the others are looked up one by one.
    """

    first_bits: np.ndarray  # of each trait's first number
    second_bits: np.ndarray
    offset: np.ndarray
    width: int

    @staticmethod
    def of(traits: tuple[str, ...], length: int) -> TableShape:
        """The shape for sentences of one length: an arc can be as long as they are."""
        room = {"depth": (0, 6), "leaves": (3, 4), "siblings": (4, 4), "children": (4, 4)}
        room["span"] = (2, max(6, length.bit_length()))
        bits = np.array([room[trait] for trait in traits], dtype=np.int32)
        sizes = 1 << bits.sum(axis=1)
        offset = (np.cumsum(sizes) - sizes).astype(np.int32)
        return TableShape(bits[:, 0].copy(), bits[:, 1].copy(), offset, int(sizes.sum()))

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """How many values of its first and of its second number a table has room for, of each trait."""
        return [(1 << a, 1 << b) for a, b in zip(self.first_bits.tolist(), self.second_bits.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class LengthTables:
    """The logarithms that `add_weights` adds up, for sentences of one length, and which stand for a ratio of 0."""

    shape: TableShape
    by_tag: np.ndarray
    by_relation: np.ndarray
    unseen_by_tag: np.ndarray
    unseen_by_relation: np.ndarray
