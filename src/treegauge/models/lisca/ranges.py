"""The part of a reference that an arc is compared with: arcs in sentences of about the same length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.models.lisca.features import NONE, Feature
from treegauge.models.lisca.reference import LABEL_AT, LENGTH_AT, TRAIT_AT, VALUE, Counts, Reference, trait_tables


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


class Range:
    """The reference arcs in sentences of L−r … L+r words, counted by feature value and characteristic.

    minus: how many of them do not count (those of the sentence that is scored). Where the range holds no
    other arc, a smoothed score widens r until it does.
    """

    def __init__(self, reference: Reference, length: int, r: int, minus: int, widen: bool) -> None:
        self.reference = reference
        self.length = length
        self.r = r
        self.traits = reference.preset.traits
        self.first = trait_tables(reference.preset)[0]
        table = reference.tables[self.first]
        first_trait = int(np.searchsorted(table.keys, 1 << TRAIT_AT))
        arcs = table.counts[:first_trait]
        lengths = table.keys[:first_trait] >> LENGTH_AT
        before = np.append(0, np.cumsum(arcs))
        most = int(lengths[-1]) if len(lengths) else 0
        while widen and self.r <= most + length:
            low, high = np.searchsorted(lengths, [length - self.r, length + self.r + 1])
            if before[high] - before[low] > minus:
                break
            self.r += 1
        self._tables: dict[tuple[str, str], Counts] = {}
        self._dense: dict[tuple[str, str], np.ndarray] = {}
        self._totals: dict[str, np.ndarray] = {}

    def counts(self, feature: Feature, characteristic: str) -> Counts:
        """How often each label << 24 | value of a feature occurs in the range."""
        known = self._tables.get((feature.name, characteristic))
        if known is not None:
            return known
        keys, counts = self._slice(characteristic, self.traits.index(feature.trait))
        label = np.zeros_like(keys) if characteristic == NONE else keys >> LABEL_AT << LABEL_AT
        table = Counts.of(label | feature.values(keys & VALUE), counts)
        self._tables[feature.name, characteristic] = table
        return table

    def _slice(self, characteristic: str, trait: int) -> tuple[np.ndarray, np.ndarray]:
        """The events of one trait in the range, label << 24 | value, and their counts."""
        table = self.reference.tables[self.first if characteristic == NONE else characteristic]
        base = trait << TRAIT_AT
        low = base + (max(self.length - self.r, 0) << LENGTH_AT)
        high = base + (self.length + self.r + 1 << LENGTH_AT)
        span = slice(*np.searchsorted(table.keys, [low, high]))
        return table.keys[span] & (1 << LENGTH_AT) - 1, table.counts[span]

    def totals(self, characteristic: str) -> np.ndarray:
        """How many arcs in the range have each label; 0 for a label that the model does not have."""
        if characteristic not in self._totals:
            keys, counts = self._slice(characteristic, 0)
            label = np.zeros_like(keys) if characteristic == NONE else keys >> LABEL_AT
            size = len(self.reference.labels_of(characteristic)) + (characteristic != NONE)
            self._totals[characteristic] = np.bincount(label, counts, size).astype(np.int64)
        return self._totals[characteristic]

    def total(self, characteristic: str, label: np.ndarray) -> np.ndarray:
        """|Range(L,r), c| for each of these labels."""
        return np.asarray(self.totals(characteristic)[label])

    def lookup(self, feature: Feature, characteristic: str, label: np.ndarray, value: np.ndarray) -> np.ndarray:
        """F(V(f), Range(L,r), c) for each of these labels and values."""
        return self.counts(feature, characteristic).find(label.astype(np.int64) << LABEL_AT | value)

    def dense(self, feature: Feature, characteristic: str, values: int) -> tuple[np.ndarray, np.ndarray]:
        """F of every label and every value below `values`, and N of every label, in the order of `totals`."""
        N = self.totals(characteristic)
        if characteristic == NONE:
            return self.dense(feature, self.first, values)[0].sum(axis=0, keepdims=True), N
        known = self._dense.get((feature.name, characteristic))
        if known is None:
            keys, counts = self._slice(characteristic, self.traits.index(feature.trait))
            value = feature.values(keys & VALUE)
            inside = value < values
            place = (keys >> LABEL_AT) * values + value
            known = np.bincount(place[inside], counts[inside], len(N) * values).reshape(len(N), values)
            self._dense[feature.name, characteristic] = known
        return known, N
