"""The part of a reference that an arc is compared with: arcs in sentences of about the same length."""

import numpy as np

from treegauge.arcs.features import NONE, Feature
from treegauge.arcs.reference import LABEL_AT, LENGTH_AT, TRAIT_AT, VALUE, Counts, Reference, trait_tables


class Range:
    """The reference arcs in sentences of L−r … L+r words, counted by feature value and characteristic.

    minus: so many of them are not to count (those of the one sentence that is judged). Where the range holds no
    other arc, a smoothed score widens r until it does.
    """

    def __init__(self, reference: Reference, length: int, r: int, minus: int, widen: bool) -> None:
        self.reference = reference
        self.length = length
        self.r = r
        self.traits = reference.preset.traits
        self.first = trait_tables(reference.preset)[0]
        one = reference.tables[self.first]
        first_trait = int(np.searchsorted(one.keys, 1 << TRAIT_AT))
        arcs = one.counts[:first_trait]
        lengths = one.keys[:first_trait] >> LENGTH_AT
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
        """How many arcs in the range have each label; 0 for the label the model has not."""
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
