"""What a ranking lists: arcs, sentences, or one column of words, or words by all their columns."""

from __future__ import annotations

from enum import StrEnum


class Unit(StrEnum):
    """What a ranking lists."""

    ARC = "arc"
    SENTENCE = "sentence"
    TAG = "tag"
    LEMMA = "lemma"
    XPOS = "xpos"
    FEATS = "feats"
    SUBTYPE = "subtype"
    WORD = "word"

    @property
    def heading(self) -> str:
        """The title of a ranking of such units."""
        return {
            Unit.ARC: "Arcs by plausibility",
            Unit.SENTENCE: "Sentences by plausibility",
            Unit.TAG: "Words by the plausibility of their tags",
            Unit.LEMMA: "Words by the plausibility of their lemmas",
            Unit.XPOS: "Words by the plausibility of their language-specific tags",
            Unit.FEATS: "Words by the plausibility of their features",
            Unit.SUBTYPE: "Words by the plausibility of the subtypes of their relations",
            Unit.WORD: "Words by their least plausible column",
        }[self]


COLUMN_UNITS = (Unit.LEMMA, Unit.XPOS, Unit.FEATS, Unit.SUBTYPE)  # of columns that are no arc and no tag
