"""The weights of choice: what was learned from a reference corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treegauge.errors import ModelError
from treegauge.models.choice.choice_kernel import HEAD_BITS, PAIR_BITS, RELATION_BITS, UNIT
from treegauge.models.choice.tags import TagWeights, in_steps, merge_tag_weights

MOST_RELATIONS = 512  # a relation takes 2^RELATION_BITS weights
SMALLEST = 3  # smaller weights, in 1/UNIT, are dropped: they change no ranking and double the file


@dataclass(frozen=True)
class ChoiceWeights:
    """Weights of hashed features, as multiples of 1/UNIT, eight bits each."""

    groups: int  # what was looked at: bits of choice_kernel
    relations: tuple[str, ...]
    words: int  # how many the reference has
    head: np.ndarray = field(repr=False)  # int8, 2^HEAD_BITS
    relation: np.ndarray = field(repr=False)  # int8, 2^RELATION_BITS × relations
    candidate: np.ndarray = field(repr=False)  # bool, 2^PAIR_BITS: pairs of tags and distances that may be arcs
    tags: TagWeights | None = None
    gold_words: int = 0  # how many of the words are of a gold treebank beside parsed text
    gold_differing: int = 0  # tags and relations of gold that are surely others in the parsed text

    @cached_property
    def hash(self) -> str:
        """SHA-256 of all that scores depend on."""
        return hashlib.sha256(weights_bytes(self)).hexdigest()


def weight_shapes(relations: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Type and shape of each array of weights."""
    return {
        "candidate": ("bool", (1 << PAIR_BITS,)),
        "head": ("int8", (1 << HEAD_BITS,)),
        "relation": ("int8", (1 << RELATION_BITS, relations)),
    }


def check_relations(relations: Sequence[str]) -> None:
    """ModelError unless these can be the relations of weights: each once, at least one, and not too many."""
    if not 1 <= len(relations) <= MOST_RELATIONS or len(set(relations)) < len(relations):
        raise ModelError(f"{len(relations)} relations to choose from; expected 1 to {MOST_RELATIONS}, each once")


def rounded(head: np.ndarray, relation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights as they are kept: multiples of 1/UNIT in eight bits, those near 0 dropped."""
    return in_steps(head * UNIT, SMALLEST), in_steps(relation * UNIT, SMALLEST)


def merge_weights(parts: Sequence[ChoiceWeights]) -> ChoiceWeights:
    """The mean of the weights, each part counting as its words: not what training on all of them would give.

    Features are hashed alike everywhere, so weights of the same place belong together; a relation that a part has
    not seen has weights 0 there.
    """
    if len({part.groups for part in parts}) != 1:
        raise ModelError("choice weights that look at different things cannot be merged")
    relations = tuple(sorted(set().union(*(part.relations for part in parts))))
    words = sum(part.words for part in parts)
    head = np.zeros(1 << HEAD_BITS)
    relation = np.zeros((1 << RELATION_BITS, len(relations)))
    for part in parts:
        share = part.words / words if words else 0.0
        head += share / UNIT * part.head
        relation[:, [relations.index(name) for name in part.relations]] += share / UNIT * part.relation
    candidate = np.logical_or.reduce([part.candidate for part in parts])
    tags = merge_tag_weights([(part.tags, part.words) for part in parts])
    gold = (sum(part.gold_words for part in parts), sum(part.gold_differing for part in parts))
    return ChoiceWeights(parts[0].groups, relations, words, *rounded(head, relation), candidate, tags, *gold)


def weights_bytes(weights: ChoiceWeights) -> bytes:
    """The arrays as bytes to be hashed: for each, bits that tell which values are not 0, then these values."""
    parts = [np.packbits(weights.candidate).tobytes()]
    for array in (weights.head.ravel(), weights.relation.ravel()):
        full = array != 0
        parts += [np.packbits(full).tobytes(), array[full].tobytes()]
    if weights.tags is not None:
        parts += ["\n".join(weights.tags.tags).encode(), weights.tags.tag.tobytes()]
    return b"".join(parts)
