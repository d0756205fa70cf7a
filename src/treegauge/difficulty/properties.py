"""Properties of arcs that distributions are made of and challenge sets are chosen by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.errors import OptionError
from treegauge.models.lisca.features import PART, PART_BITS, PRESETS, arc_traits

HEAD_AFTER, HEAD_BEFORE, ROOT_ARC = "head-after", "head-before", "root"
_FEATURES = {feature.name: (preset, feature) for preset in PRESETS.values() for feature in preset.features}
# property -> the label of its axis in a figure
UNITS = {
    "length": "arc length (words)",
    "signed_length": "signed arc length (words; > 0: the head follows)",
    "direction": "direction",
    "children": "dependents of d",
    "depth": "depth of d (arcs)",
    "relation": "relation",
    "deprel": "relation with subtype",
    "upos": "tag of d",
}
_COUNTED = ("length", "signed_length", "children", "siblings", "sentence_length")
_SINGLE = (name for name, (_, feature) in _FEATURES.items() if feature.part != "both" and name != "direction")
NUMBERS = tuple(dict.fromkeys((*_COUNTED, *_SINGLE)))
NAMES = ("direction", "relation", "deprel", "upos", "paths")
PROPERTIES = (*NUMBERS, *NAMES)


@dataclass(frozen=True, slots=True)
class ArcValues:
    """The values of a property: for every arc a number, or a code into labels."""

    values: np.ndarray
    labels: tuple[str, ...] | None = None

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers, not codes."""
        return self.labels is None


def arc_values(corpus: Corpus, name: str) -> ArcValues:
    """A property of every arc of a corpus.

    length: |position(h) − position(d)|, 0 for root arcs. signed_length: position(h) − position(d), positive if the head
    follows. children, siblings: how many, on both sides together. sentence_length: words. direction: head-after,
    head-before or root. relation: without its subtype; deprel: with it. upos: of d. Else a feature of LISCA; `paths`
    of 2013 is a pair of numbers.
    """
    signed = np.where(corpus.head > corpus.position, corpus.arc_length, -corpus.arc_length)
    numbers = {"signed_length": signed, "length": corpus.arc_length, "sentence_length": corpus.sentence_length}
    if name in numbers:
        return ArcValues(numbers[name])
    if name == "direction":
        return ArcValues(np.sign(signed) % 3, (ROOT_ARC, HEAD_AFTER, HEAD_BEFORE))
    if name in ("relation", "deprel"):
        relations = corpus.relations(subtypes=name == "deprel")
        return _sorted(relations.codes, relations.names)
    if name == "upos":
        return _sorted(corpus.codes["upos"], corpus.labels["upos"])
    if name not in _FEATURES:
        raise OptionError(f"property {name!r}; expected one of {', '.join(PROPERTIES)}")
    preset, feature = _FEATURES[name]
    trait = arc_traits(corpus, preset)[:, preset.traits.index(feature.trait)].astype(np.int64)
    values = feature.values(trait)
    if name in ("children", "siblings"):
        return ArcValues((values >> PART_BITS) + (values & PART))
    if feature.part == "both":
        pairs, codes = np.unique(values, return_inverse=True)
        return ArcValues(codes, tuple(f"{pair >> PART_BITS},{pair & PART}" for pair in pairs.tolist()))
    return ArcValues(values)


def _sorted(codes: np.ndarray, labels: Sequence[str]) -> ArcValues:
    """The values of a column, as codes into its labels sorted by name."""
    names = sorted(labels)
    place = np.array([names.index(label) for label in labels], dtype=np.int64)
    return ArcValues(place[codes], tuple(names))


def rows_by_relation(corpus: Corpus) -> dict[str, np.ndarray]:
    """The rows of each relation that occurs, without subtypes."""
    codes, names = corpus.relations().codes, corpus.relations().names
    return {names[code]: np.flatnonzero(codes == code) for code in np.unique(codes).tolist()}
