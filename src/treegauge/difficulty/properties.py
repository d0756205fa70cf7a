"""Properties of arcs that distributions are made of and challenge sets are chosen by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.arcs.features import PART, PART_BITS, PRESETS, arc_traits
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal
from treegauge.errors import OptionError

RIGHT_HEADED, LEFT_HEADED, ROOT_ARC = "right-headed", "left-headed", "root"
_FEATURES = {feature.name: (preset, feature) for preset in PRESETS.values() for feature in preset.features}
# what is said of an axis
UNITS = {
    "length": "arc length (words)",
    "signed_length": "signed arc length (words; > 0: the head follows)",
    "direction": "direction",
    "children": "dependents of d",
    "depth": "depth of d (arcs)",
    "relation": "relation",
    "upos": "tag of d",
}
NUMBERS = (
    "length",
    "signed_length",
    "children",
    "siblings",
    "sentence_length",
    *(name for name, (_, feature) in _FEATURES.items() if feature.part != "both" and name != "direction"),
)
NUMBERS = tuple(dict.fromkeys(NUMBERS))
NAMES = ("direction", "relation", "upos", "paths")
PROPERTIES = (*NUMBERS, *NAMES)


@dataclass(frozen=True, slots=True)
class Values:
    """A property of every arc: a number each, or a code into labels."""

    name: str
    values: np.ndarray
    labels: tuple[str, ...] | None = None

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers, not codes."""
        return self.labels is None


def arc_values(corpus: Corpus, name: str) -> Values:
    """A property of every arc of a corpus.

    length: |position(h) − position(d)|, 0 for root arcs. signed_length: position(h) − position(d), positive if the head
    follows (right-headed). children, siblings: how many, on both sides together. sentence_length: words. direction:
    right-headed, left-headed or root. relation: without its subtype. upos: of d. Else a feature of LISCA; `paths` of
    2013 is a pair of numbers.
    """
    head, position = corpus.head.astype(np.int64), corpus.position
    signed = np.where(head == 0, 0, head - position)
    if name == "signed_length":
        return Values(name, signed)
    if name == "length":
        return Values(name, np.abs(signed))
    if name == "sentence_length":
        return Values(name, corpus.sentence_length)
    if name == "direction":
        return Values(name, np.sign(signed) % 3, (ROOT_ARC, RIGHT_HEADED, LEFT_HEADED))
    if name == "relation":
        return _coded(name, corpus, "deprel", cut=True)
    if name == "upos":
        return _coded(name, corpus, "upos", cut=False)
    if name not in _FEATURES:
        raise OptionError(f"property {name!r}; expected one of {', '.join(PROPERTIES)}")
    preset, feature = _FEATURES[name]
    trait = arc_traits(corpus, preset)[:, preset.traits.index(feature.trait)].astype(np.int64)
    values = feature.values(trait)
    if name in ("children", "siblings"):
        return Values(name, (values >> PART_BITS) + (values & PART))
    if feature.part == "both":
        pairs, codes = np.unique(values, return_inverse=True)
        return Values(name, codes, tuple(f"{pair >> PART_BITS},{pair & PART}" for pair in pairs.tolist()))
    return Values(name, values)


def _coded(name: str, corpus: Corpus, column: str, cut: bool) -> Values:
    labels = [universal(label) if cut else label for label in corpus.labels[column]]
    names = sorted(set(labels))
    place = {label: k for k, label in enumerate(names)}
    codes = np.array([place[label] for label in labels], dtype=np.int64)
    return Values(name, codes[corpus.codes[column]] if corpus.n_words else np.empty(0, dtype=np.int64), tuple(names))
