"""Relation labels: universal part, subtype, codes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Relations:
    """The relation of each word, as a code into names."""

    codes: np.ndarray  # int32
    names: tuple[str, ...]


def universal(relation: str) -> str:
    """A relation without its subtype."""
    return relation.partition(":")[0]


def relation_codes(labels: Sequence[str], subtypes: bool, codes: dict[str, int]) -> np.ndarray:
    """For each DEPREL label the code of its relation; new relations are added to `codes`."""
    names = labels if subtypes else map(universal, labels)
    return np.array([codes.setdefault(name, len(codes)) for name in names], dtype=np.int32)
