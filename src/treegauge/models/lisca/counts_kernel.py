# cython: infer_types=True
"""Counting arcs: dense arrays for what is common, a hash table for the rest."""

# mypy: ignore-errors

from mmap import mmap

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

TRAITS = 5
LENGTHS, LABELS, VALUES = 64, 512, 64  # the dense part: short sentences, the first labels, small values


@cython.cclass
class Counter:
    """How often each integer key was added: an open-addressing hash table over arrays.

    Interpreted, it is a dict.
    """

    keys: cython.longlong[::1]
    counts: cython.longlong[::1]  # 0 where free
    size: cython.longlong
    table: dict

    def __init__(self):
        self.size = 0
        self.keys = np.zeros(1024, dtype=np.int64)
        self.counts = np.zeros(1024, dtype=np.int64)
        self.table = {}

    def reserve(self, more):
        """Make room for `more` keys: `add` itself cannot grow arrays."""
        if not cython.compiled or 2 * (self.size + more) <= self.keys.shape[0]:
            return
        keys: cython.longlong[::1] = self.keys
        counts: cython.longlong[::1] = self.counts
        room = 1 << int(2 * (self.size + more)).bit_length()
        self.keys = np.zeros(room, dtype=np.int64)
        self.counts = np.zeros(room, dtype=np.int64)
        self.size = 0
        for i in range(keys.shape[0]):
            if counts[i]:
                self.add(keys[i], counts[i])

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _place(self, key: cython.longlong) -> cython.ulonglong:
        """Where a key is, or where it would go."""
        mask: cython.ulonglong = self.keys.shape[0] - 1
        at: cython.ulonglong = cython.cast(cython.ulonglong, key) * _MIX
        at = (at ^ (at >> 32)) & mask
        while self.counts[at] and self.keys[at] != key:
            at = (at + 1) & mask
        return at

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def add(self, key: cython.longlong, n: cython.longlong) -> cython.void:
        """Add a key n times, n > 0; there must be room for it."""
        if cython.compiled:
            at = self._place(key)
            self.size += self.counts[at] == 0
            self.keys[at] = key
            self.counts[at] += n
        else:
            key = int(key)
            self.table[key] = self.table.get(key, 0) + n

    def add_keys(self, keys: cython.longlong[::1]) -> None:
        """Add each of these keys once."""
        for low in range(0, keys.shape[0], 4096):  # a few at a time: the table grows no larger than it must
            high = min(low + 4096, keys.shape[0])
            self.reserve(high - low)
            with cython.nogil:
                for i in range(low, high):
                    self.add(keys[i], 1)

    def add_counts(self, keys: cython.longlong[::1], counts: cython.longlong[::1]) -> None:
        """Add each of these keys as often as `counts` says."""
        self.reserve(keys.shape[0])
        with cython.nogil:
            for i in range(keys.shape[0]):
                self.add(keys[i], counts[i])

    def get_keys(self, keys: cython.longlong[::1], counts: cython.longlong[::1]) -> None:
        """The count of each of these keys, 0 for those never added."""
        with cython.nogil:
            for i in range(keys.shape[0]):
                if cython.compiled:
                    counts[i] = self.counts[self._place(keys[i])]
                else:
                    counts[i] = self.table.get(int(keys[i]), 0)

    def items(self):
        """The keys, in no order, and their counts."""
        if not cython.compiled:
            return np.array(list(self.table), np.int64), np.array(list(self.table.values()), np.int64)
        counts = np.asarray(self.counts)
        full = np.flatnonzero(counts)
        return np.asarray(self.keys)[full], counts[full]


_TRAITS = cython.declare(cython.longlong, TRAITS)
_LENGTHS = cython.declare(cython.longlong, LENGTHS)
_LABELS = cython.declare(cython.longlong, LABELS)
_VALUES = cython.declare(cython.longlong, VALUES)
_MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


def dense_counts():
    """Zeros for `count_traits`: sentence length × label × trait × value, flat.

    A mapping of its own: most of it is never touched, and then takes no memory and no time.
    """
    return np.frombuffer(mmap(-1, 2 * LENGTHS * LABELS * TRAITS * VALUES), dtype=np.uint16)


def count_traits(
    order: cython.longlong[::1],
    start: cython.longlong[::1],
    traits: cython.int[:, ::1],
    outside: cython.int[::1],
    shift: cython.int[::1],
    label: cython.int[::1],
    dense: cython.ushort[::1],
    rest: Counter,
) -> None:
    """Count each arc once for every trait, by sentence length, label and value.

    `order` names the sentences from short to long: the counts for one length fit the cache, those for all do not.
    The dense counts are small, to stay in the cache; what goes beyond 65,535 is carried to the others.
    A trait's value is in the dense part if it has none of the bits `outside`; its place there is
    value >> shift | value & 63, which puts its two numbers side by side. For the rest
    key = trait << 60 | length << 48 | label << 24 | value.
    """
    g: cython.longlong  # shifted by 60 bits
    for low in range(0, order.shape[0], 64):  # a few at a time: the hash table grows no larger than it must
        high = min(low + 64, order.shape[0])
        words = 0
        for k in range(low, high):
            words += start[order[k] + 1] - start[order[k]]
        rest.reserve(words * traits.shape[1])
        with cython.nogil:
            for k in range(low, high):
                s = order[k]
                n = cython.cast(cython.longlong, start[s + 1] - start[s])
                for w in range(start[s], start[s + 1]):
                    i = cython.cast(cython.longlong, label[w])
                    inside: cython.bint = n < _LENGTHS and i < _LABELS
                    block = (n * _LABELS + i) * _TRAITS * _VALUES
                    for g in range(traits.shape[1]):
                        v = cython.cast(cython.longlong, traits[w, g])
                        if inside and v & outside[g] == 0:
                            at = block + g * _VALUES + (v >> shift[g] | v & 63)
                            dense[at] = (dense[at] + 1) & 65535
                            if dense[at] == 0:  # it has gone round
                                rest.add(g << 60 | n << 48 | i << 24 | v, 65536)
                        else:
                            rest.add(g << 60 | n << 48 | i << 24 | v, 1)


def dense_items(dense: cython.ushort[::1], n_labels: cython.longlong):
    """The places of what was counted in the dense part, labels below n_labels, and the counts."""
    if not cython.compiled:
        full = np.flatnonzero(dense)
        return full, dense[full].astype(np.int64)
    width: cython.longlong = min(n_labels, _LABELS) * _TRAITS * _VALUES // 4
    four: cython.ulonglong[::1] = np.asarray(dense).view(np.uint64)  # counts at a time: mostly all of them are 0
    full: cython.longlong = 0
    found: cython.longlong = 0
    with cython.nogil:
        for n in range(_LENGTHS):
            low = n * _LABELS * _TRAITS * _VALUES // 4
            for k in range(low, low + width):
                full += four[k] != 0
    places: cython.longlong[::1] = np.empty(4 * full + 1, dtype=np.int64)
    counts: cython.longlong[::1] = np.empty(4 * full + 1, dtype=np.int64)
    with cython.nogil:
        for n in range(_LENGTHS):
            low = n * _LABELS * _TRAITS * _VALUES // 4
            for k in range(low, low + width):
                if four[k] == 0:
                    continue
                for at in range(4 * k, 4 * k + 4):
                    places[found] = at
                    counts[found] = dense[at]
                    found += dense[at] != 0
    return np.asarray(places)[:found], np.asarray(counts)[:found]


def pair_codes(
    one: cython.int[::1],
    two: cython.int[::1],
    codes: cython.int[:, ::1],
    pairs: cython.int[:, ::1],
    n_pairs: cython.longlong,
    label: cython.int[::1],
) -> int:
    """A code for each pair of labels: codes[one, two], or, where that is −1, a new one, noted in `pairs`.

    Returns how many pairs there are.
    """
    with cython.nogil:
        for w in range(label.shape[0]):
            code = codes[one[w], two[w]]
            if code < 0:
                code = cython.cast(cython.int, n_pairs)
                codes[one[w], two[w]] = code
                pairs[code, 0] = one[w]
                pairs[code, 1] = two[w]
                n_pairs += 1
            label[w] = code
    return n_pairs


def chain_keys(
    start: cython.longlong[::1],
    head: cython.int[::1],
    tag: cython.int[::1],
    relation: cython.int[::1],
    keys: cython.longlong[::1],
) -> None:
    """Each arc with the arc above it: d, h, hh (12 bits each, 0 NONE, 1 ROOT), t, th (13 bits, 0 NONE).

    key = d << 50 | h << 38 | t << 25 | hh << 13 | th
    """
    with cython.nogil:
        for s in range(start.shape[0] - 1):
            for w in range(start[s], start[s + 1]):
                d_bits = cython.cast(cython.longlong, tag[w]) + 2
                t_bits = cython.cast(cython.longlong, relation[w]) + 1
                h_bits = 1
                hh_bits = th_bits = 0
                if head[w]:
                    h = start[s] + head[w] - 1
                    h_bits = cython.cast(cython.longlong, tag[h]) + 2
                    th_bits = cython.cast(cython.longlong, relation[h]) + 1
                    hh_bits = 1
                    if head[h]:
                        hh_bits = cython.cast(cython.longlong, tag[start[s] + head[h] - 1]) + 2
                keys[w] = d_bits << 50 | h_bits << 38 | t_bits << 25 | hh_bits << 13 | th_bits
