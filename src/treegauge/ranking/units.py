"""What a ranking lists: arcs, sentences, or the tags of words."""

from __future__ import annotations

from enum import StrEnum


class Unit(StrEnum):
    """What a ranking lists."""

    ARC = "arc"
    SENTENCE = "sentence"
    TAG = "tag"

    @property
    def heading(self) -> str:
        """The title of a ranking of such units."""
        return {
            Unit.ARC: "Arcs by plausibility",
            Unit.SENTENCE: "Sentences by plausibility",
            Unit.TAG: "Words by the plausibility of their tags",
        }[self]
