"""Keys of events without gaps: the parts of a key as digits, each of a base just large enough, so that files are small.

The bases are in the file's header. A part below its base is a label that the model has, so that keys need no check
one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from treegauge.arcs.features import LEMMA, PART_BITS, RELATION, TAG
from treegauge.arcs.reference import (
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
from treegauge.errors import ModelError

LABELS = {"tags": TAG_BITS, "relations": RELATION_BITS, "lemmas": LENGTH_AT - LABEL_AT, "forms": FORM_BITS}
_LABEL_OF = {TAG: "tags", RELATION: "relations", LEMMA: "lemmas"}


def most_labels(kind: str) -> int:
    """How many labels of a kind keys have room for."""
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
    """The keys again; ModelError where they do not ascend, or where a part is none that keys can have.

    Of gaps, which are not negative, the first sum that is too large for 64 bits is negative.
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
