"""What was learned about one column: the values of the reference, and weights of features."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treegauge.errors import ModelError
from treegauge.models.columns.columns_kernel import UNIT
from treegauge.models.columns.inventory import LEMMA_BITS, NAMES, Classes, lemma_bit

BITS = 18  # of the table of weights
MOST_CLASSES = 1 << 16  # of all contexts together


@dataclass(frozen=True)
class ColumnWeights:
    """The values of a column and the weights by which one of them is chosen; weights are multiples of 1/UNIT.

    lemmas: bits that are set for lemmas that several forms have; empty for other columns.
    """

    column: str
    words: int  # of the reference
    classes: Classes
    weight: np.ndarray = field(repr=False)  # int8, 2^BITS
    lemmas: np.ndarray = field(repr=False)  # bool, 2^LEMMA_BITS, or none

    def supports(self, upos: str, lemma: str, form: str) -> bool:
        """Whether several forms with this tag have the lemma."""
        return bool(len(self.lemmas)) and bool(self.lemmas[lemma_bit(upos, lemma)])

    @cached_property
    def hash(self) -> str:
        """SHA-256 of classes and weights."""
        digest = hashlib.sha256(f"{self.column} {self.words}\n{classes_text(self.classes)}\n".encode())
        digest.update(self.weight.tobytes())
        digest.update(np.packbits(self.lemmas).tobytes())
        return digest.hexdigest()


Columns = tuple[ColumnWeights, ...]  # in the order of NAMES; a column that is not worth its room is left out


def rounded(weight: np.ndarray) -> np.ndarray:
    """Weights as they are kept: multiples of 1/UNIT in eight bits."""
    return np.clip(np.rint(weight * UNIT), -127, 127).astype(np.int8)


def classes_text(classes: Classes) -> str:
    """A line for each context: its name and its values, with tabs between."""
    return "\n".join("\t".join([context, *values]) for context, values in sorted(classes.items()))


def parse_classes(text: str) -> dict[str, tuple[str, ...]]:
    """The classes of such lines; ModelError if they are not sorted, or too many."""
    classes = {}
    for line in text.split("\n") if text else ():
        context, *values = line.split("\t")
        if not values or len(set(values)) < len(values):
            raise ModelError(f"values of {context[:40]!r}; expected each once, and one at least")
        classes[context] = tuple(values)
    if list(classes) != sorted(classes) or sum(map(len, classes.values())) > MOST_CLASSES:
        raise ModelError(f"{len(classes)} contexts of values; expected them sorted, with at most {MOST_CLASSES} values")
    return classes


def check_columns(names: Sequence[str]) -> None:
    """ModelError unless these are names of columns, each once, in their order."""
    if list(names) != [name for name in NAMES if name in names]:
        raise ModelError(f"columns {', '.join(names)[:80]}; expected some of {', '.join(NAMES)}")


def lemma_shape(column: str) -> tuple[int, ...]:
    """The shape of the table of lemmas of a column."""
    return (1 << LEMMA_BITS if column == NAMES[0] else 0,)
