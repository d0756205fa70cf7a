"""What LISCA looks at: the traits of an arc, the features that are read off them, and the two published presets.

A trait is what is counted: two numbers in one value, `first << 12 | second`. A feature is a trait or one of its
two numbers. So every count of 2020 is a marginal of what is kept, and those of 2013 are kept as they are.
"""

from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.errors import OptionError
from treegauge.models.lisca.features_kernel import arc_traits as _arc_traits

PART_BITS = 12
PART = (1 << PART_BITS) - 1
HEAD_AFTER, HEAD_BEFORE = 1, 2


@dataclass(frozen=True, slots=True)
class Feature:
    """A value read off a trait: its first number, its second, or both."""

    name: str
    trait: str
    part: str

    def values(self, trait: np.ndarray) -> np.ndarray:
        """The values of this feature, given those of its trait."""
        if self.part == "first":
            return trait >> PART_BITS
        return trait & PART if self.part == "second" else trait


ARCPOS = "arcpos"  # the feature that is no count of values; see lisca.py
NONE, TAG, RELATION, LEMMA = "N", "P", "D", "L"


@dataclass(frozen=True, slots=True)
class Preset:
    """A published form of LISCA: what is counted, and in which sets of arcs."""

    name: str
    traits: tuple[str, ...]
    features: tuple[Feature, ...]
    characteristics: tuple[str, ...]

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, ArcPOS last."""
        return (*(feature.name for feature in self.features), ARCPOS)


PRESETS = {
    # Alzetta et al. 2020, §2.1.1: delexicalised
    "2020": Preset(
        "2020",
        ("depth", "leaves", "siblings", "children", "span"),
        (
            Feature("depth", "depth", "second"),
            Feature("nearest_leaf", "leaves", "first"),
            Feature("farthest_leaf", "leaves", "second"),
            Feature("left_siblings", "siblings", "first"),
            Feature("right_siblings", "siblings", "second"),
            Feature("left_children", "children", "first"),
            Feature("right_children", "children", "second"),
            Feature("length", "span", "second"),
            Feature("direction", "span", "first"),
        ),
        (NONE, TAG, RELATION),
    ),
    # Dell'Orletta et al. 2013, §2.1: complex features, lemmas
    "2013": Preset(
        "2013",
        ("paths", "children", "siblings", "span"),
        (
            Feature("paths", "paths", "both"),
            Feature("children", "children", "both"),
            Feature("siblings", "siblings", "both"),
            Feature("signed_length", "span", "both"),
        ),
        (NONE, TAG, LEMMA),
    ),
}


def find_preset(name: str) -> Preset:
    """The preset of that name."""
    if name not in PRESETS:
        raise OptionError(f"preset {name!r}; expected one of {', '.join(PRESETS)}")
    return PRESETS[name]


def arc_traits(corpus: Corpus, preset: Preset) -> np.ndarray:
    """The traits of every arc, a column for each trait of the preset.

    depth: arcs from the root word down to d. leaves: arcs from d down to the nearest and to the farthest leaf
    below it. siblings, children: how many on the left and on the right. span: direction (0 for a root arc, 1 if the
    head comes after, 2 if before) and length, |position(h) − position(d)|, 0 for a root arc. paths: from the root
    word through d to its nearest and to its farthest leaf.
    """
    traits = np.empty((corpus.n_words, 5), dtype=np.int32)
    _arc_traits(corpus.scorable_head, corpus.start, traits)
    if preset.name == "2020":
        return traits
    depth, leaves, siblings, children, span = traits.T
    paths = depth + (leaves >> PART_BITS) << PART_BITS | depth + (leaves & PART)
    return np.ascontiguousarray(np.stack([paths, children, siblings, span], axis=1))
