"""A model: what was counted in a reference corpus and, where asked for, what was learned from it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treegauge.arcs.reference import CountSettings, Reference, merge_references
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.choice.weights import ChoiceWeights


@dataclass(frozen=True)
class Model:
    """Counts, which LISCA and its rivals look up, and weights, by which choice decides; `hash` is the counts'."""

    reference: Reference = field(repr=False)
    weights: ChoiceWeights | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        weights = "counts and weights" if self.weights else "counts"
        return f"Model({self.signature}, {counted(self.words, 'word')}, preset {self.settings.preset}, {weights})"

    @property
    def settings(self) -> CountSettings:
        """How the reference was counted."""
        return self.reference.settings

    @property
    def words(self) -> int:
        """Words of the reference."""
        return self.reference.words

    @property
    def sentences(self) -> int:
        """Sentences of the reference."""
        return self.reference.sentences

    @property
    def hash(self) -> str:
        """SHA-256 of settings, labels and counts."""
        return self.reference.hash

    @property
    def signature(self) -> str:
        """The model in a signature: what it was built from, and the start of its hash."""
        return self.reference.signature

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all; `-` is standard output."""
        from treegauge.models.model_file import save_model

        save_model(self, path)


def merge_models(models: Iterable[Model]) -> Model:
    """The model of all corpora together, whatever the order.

    Counts add up. Weights do not: where all models have them, the mean is taken, each counting as its words.
    """
    models = list(models)
    learned = [model.weights for model in models if model.weights is not None]
    merged = merge_references(model.reference for model in models)
    if len(learned) < len(models):
        return Model(merged)
    from treegauge.choice.weights import merge_weights

    return Model(merged, merge_weights(learned))
