"""The weights of the net: arrays of eight bits or fewer, each row with a scale of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from treegauge.errors import ModelError
from treegauge.models.choice.tags import check_tags
from treegauge.models.choice.weights import check_relations
from treegauge.models.net.words import FIRST_TAG

DIRECTIONS = ("forwards", "backwards")
FARTHEST = 20  # words; farther heads count as this far
LARGEST = {"rows": 1 << 16, "features": 1 << 14, "form": 256, "tag": 128, "hidden": 512, "arc": 512, "relation": 512}
MOST_VECTORS = 1 << 13  # numbers in a vector of an encoder
BITS = 127  # the largest number of a row: eight bits; 7 is four bits


@dataclass(frozen=True, slots=True)
class NetSizes:
    """How large the parts of the net are."""

    rows: int = 1 << 14  # of the table of forms
    features: int = 1 << 10  # rows of the table of features
    form: int = 64  # numbers for a form
    tag: int = 32  # numbers for a tag, and for features
    hidden: int = 96  # of an LSTM, in each direction
    arc: int = 96  # numbers for a word as a head, and as a dependent
    relation: int = 96  # numbers for a word in the choice of the relation, half of them added, half multiplied
    encoder: int = 0  # numbers in a vector of the encoder; 0: there is none


@dataclass(frozen=True)
class NetWeights:
    """What the net learned: `whole` has arrays of small whole numbers, `scale` what a row's numbers are multiples of.

    Arrays with one dimension are kept as half-precision numbers, in `whole` as the bits of these.
    """

    sizes: NetSizes
    relations: tuple[str, ...]
    tags: tuple[str, ...]
    words: int  # how many the reference has
    whole: Mapping[str, np.ndarray] = field(repr=False)
    scale: Mapping[str, np.ndarray] = field(repr=False)  # int16: bits of half-precision numbers
    encoder: tuple[str, str] = ("", "")  # its name and revision
    first_choice: float = 0.0  # the share of arcs held back, a tenth, that were the first choice of the net
    vectors: Any = field(default=None, repr=False, compare=False)  # a function of the user that stands for the encoder

    @cached_property
    def hash(self) -> str:
        """SHA-256 of all that scores depend on."""
        digest = hashlib.sha256("\n".join((*self.relations, "", *self.tags, "", *self.encoder)).encode())
        for arrays in (self.whole, self.scale):
            for name in sorted(arrays):
                digest.update(arrays[name].tobytes())
        return digest.hexdigest()

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        """The weights as numbers."""
        scale = {name: bits.view(np.float16).astype(np.float32) for name, bits in self.scale.items()}
        return {
            name: values * scale[name][:, None] if values.ndim == 2 else values.view(np.float16).astype(np.float32)
            for name, values in self.whole.items()
        }


def net_shapes(sizes: NetSizes, relations: int, tags: int) -> dict[str, tuple[int, ...]]:
    """The shape of each array."""
    entry, states, gates = sizes.form + 2 * sizes.tag, 2 * sizes.hidden, 4 * sizes.hidden
    shapes: dict[str, tuple[int, ...]] = {
        "form": (sizes.rows, sizes.form),
        "tag": (FIRST_TAG + tags, sizes.tag),
        "features": (sizes.features, sizes.tag),
        "arc pair": (sizes.arc, sizes.arc),
        "arc prior": (sizes.arc,),
        "arc root": (sizes.arc,),
        "distance": (2 * FARTHEST + 1,),
        "relation root": (sizes.relation,),
        "relation out": (relations, sizes.relation),
        "relation out bias": (relations,),
        "tag out": (tags, states),
        "tag out bias": (tags,),
    }
    for direction in DIRECTIONS:
        for layer, width in ((1, entry), (2, states)):
            name = f"{direction} {layer}"
            shapes |= {f"{name} in": (gates, width), f"{name} again": (gates, sizes.hidden), f"{name} bias": (gates,)}
    for what, width in (("arc", sizes.arc), ("relation", sizes.relation)):
        for side in ("dependent", "head"):
            shapes |= {f"{what} {side}": (width, states), f"{what} {side} bias": (width,)}
    return shapes | ({"encoder": (sizes.form, sizes.encoder)} if sizes.encoder else {})


def check_net(sizes: NetSizes, relations: Sequence[str], tags: Sequence[str]) -> None:
    """ModelError unless a net can have these sizes, relations and tags."""
    check_relations(relations)
    check_tags(tags)
    for name, largest in LARGEST.items():
        least = 2 if name in ("rows", "features", "relation") else 1
        if not least <= getattr(sizes, name) <= largest:
            raise ModelError(f"net: {name} {getattr(sizes, name)}; expected {least} to {largest}")
    if not 0 <= sizes.encoder <= MOST_VECTORS:
        raise ModelError(f"net: vectors of {sizes.encoder} numbers; expected at most {MOST_VECTORS}")


def check_numbers(weights: NetWeights) -> None:
    """ModelError if a scale or a number of half precision is not finite, or so large that sums could overflow."""
    for name, values in {**{n: v for n, v in weights.whole.items() if v.ndim == 1}, **weights.scale}.items():
        numbers = values.view(np.float16)
        if not np.isfinite(numbers).all() or np.abs(numbers).max(initial=0) > 1e4:
            raise ModelError(f"net: {name} has a number that is not finite, or above 10,000")


def quantised(
    arrays: Mapping[str, np.ndarray], most: int = BITS
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Arrays as whole numbers from −most to most, and the scales of their rows; rows of a vector stay as they are."""
    whole, scales = {}, {}
    for name, values in arrays.items():
        if values.ndim == 1:
            whole[name] = values.astype(np.float16).view(np.int16)
            continue
        scale = np.maximum(_best_scale(values.astype(np.float32), most), 1e-6).astype(np.float16)
        rounded = np.rint(values / scale.astype(np.float32)[:, None])
        whole[name] = np.clip(rounded, -most, most).astype(np.int8)
        scales[name] = scale.view(np.int16)
    return whole, scales


def _best_scale(values: np.ndarray, most: int) -> np.ndarray:
    """The scale of each row with the least squared error; large numbers are cut if the others gain by it."""
    top = np.abs(values).max(axis=1)
    if most > 15:
        return np.asarray(top / most)
    best, least = top / most, np.full(len(values), np.inf)
    for share in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4):
        scale = np.maximum(top * share / most, 1e-6)[:, None]
        error = ((np.clip(np.rint(values / scale), -most, most) * scale - values) ** 2).sum(axis=1)
        best, least = np.where(error < least, scale[:, 0], best), np.minimum(error, least)
    return np.asarray(best)
