"""What a step of a pipeline does to documents, whatever package they are of: a model, trees in, values out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from treegauge.calibration.logistic import Calibration, calibration_bytes, find_calibration, parse_calibration
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal
from treegauge.errors import ModelError
from treegauge.models.bundled_models import bundled_file, load_model
from treegauge.models.model import Model
from treegauge.models.model_file import model_bytes, parse_model
from treegauge.objects.word_values import WordValues
from treegauge.ranking.scored import score
from treegauge.scorers.registry import scorer
from treegauge.scorers.scorer import Scorer

SAVED = _MODEL, _CALIBRATION = "model.tgm", "calibration.tgc"  # names of files
_MOST_UNKNOWN = 0.05  # of the arcs of the first documents, before it is said that the model is of another scheme


class JudgingStep:
    """A model, perhaps a calibration, and what they find of each word. What is not given is found when it is used."""

    def __init__(self, model: str, calibration: str | None = None, suggest: bool = True, build: str = "") -> None:
        """model: the code of a bundled one, or a file. build: how a model of the pipeline's own output is made."""
        if not bundled_file(model) and os.path.basename(model) == model and "." not in model:
            load_model(model)  # no code, and no name of a file either: this says which codes there are
        self._model, self._calibration, self.suggest, self._build = model, calibration, suggest, build
        self._checked = False

    @cached_property
    def model(self) -> Model:
        """The model."""
        return load_model(self._model)

    @cached_property
    def calibration(self) -> Calibration | None:
        """The calibration, if there is one."""
        return None if self._calibration is None else find_calibration(self._calibration)

    @cached_property
    def scorer(self) -> Scorer:
        """The scorer, whose scores are log probabilities."""
        if self.model.weights is None:
            raise ModelError(f"the model {self._model!r} holds counts only; expected one that was built with weights")
        return scorer(model=self.model, calibration=self.calibration)

    def saved(self) -> dict[str, bytes]:
        """The files that hold all there is to know, by name."""
        found = {_MODEL: model_bytes(self.model)}
        return found if self.calibration is None else found | {_CALIBRATION: calibration_bytes(self.calibration)}

    def restore(self, files: Mapping[str, bytes], place: str) -> None:
        """Take a model and a calibration as they were saved; place: for messages."""
        if _MODEL in files:
            calibration = files.get(_CALIBRATION)
            self.model = parse_model(files[_MODEL], f"{place}/{_MODEL}")
            self.calibration = None
            if calibration:
                self.calibration = parse_calibration(calibration, f"{place}/{_CALIBRATION}")
            self.__dict__.pop("scorer", None)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "scorer"}  # made again over there

    def values(self, corpus: Corpus) -> WordValues:
        """What is known of each word of a corpus."""
        self._check(corpus)
        return score(corpus, self.scorer).word_values(self.suggest)

    def _check(self, corpus: Corpus) -> None:
        """Say, once, where the relations are not those of the model."""
        if self._checked or not corpus.n_words:
            return
        self._checked = True
        known = set(self.model.reference.relations)
        unknown = {label for label in corpus.labels["deprel"] if universal(label) not in known and label not in known}
        codes = [code for code, label in enumerate(corpus.labels["deprel"]) if label in unknown]
        if np.isin(corpus.codes["deprel"], codes).mean() > _MOST_UNKNOWN:
            said = ", ".join(sorted(unknown))
            warnings.warn(
                f"treegauge: this pipeline has relations that the model {self._model!r} does not know ({said}): they "
                "are not those of Universal Dependencies, and the probabilities mean little. "
                f"Build a model from the pipeline's own output: {self._build}",
                stacklevel=4,
            )
