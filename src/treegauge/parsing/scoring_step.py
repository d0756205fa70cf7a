"""The common part of spaCy's component and Stanza's processor: it scores documents by a model and a calibration."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.errors import ModelError
from treegauge.models.bundled_models import bundled_file, load_model
from treegauge.models.model import Model, model_bytes, parse_model
from treegauge.ranking.scored import Scored, score
from treegauge.scorers.calibration import Calibration, calibration_bytes, find_calibration, parse_calibration
from treegauge.scorers.registry import scorer
from treegauge.scorers.scorer import Scorer

SAVED = _MODEL, _CALIBRATION = "model.tgm", "calibration.tgc"  # names of files
_MOST_UNKNOWN = 0.05  # if a larger share of the first arcs has unknown relations, a warning is given


class ScoringStep:
    """A model, and perhaps a calibration, in a pipeline. Both are loaded when they are first used."""

    def __init__(self, model: str, calibration: str | None = None, suggest: bool = True, build: str = "") -> None:
        """model: the code of a bundled model, or a file. build: how a model of the pipeline's own output is built."""
        if not bundled_file(model) and os.path.basename(model) == model and "." not in model:
            load_model(model)  # neither a code nor the name of a file: this raises, and tells the codes
        self._model, self._calibration, self.suggest, self._build = model, calibration, suggest, build
        self._checked = False

    @cached_property
    def model(self) -> Model:
        """The model."""
        return load_model(self._model)

    @cached_property
    def calibration(self) -> Calibration | None:
        """The calibration, if there is one."""
        return None if self._calibration is None else find_calibration(self._calibration, self.model.net is not None)

    @cached_property
    def scorer(self) -> Scorer:
        """The scorer, whose scores are log probabilities."""
        if self.model.weights is None:
            raise ModelError(f"the model {self._model!r} holds counts only; expected one that was built with weights")
        return scorer(model=self.model, calibration=self.calibration)

    def saved(self) -> dict[str, bytes]:
        """The content of the files that hold model and calibration, by name."""
        files = {_MODEL: model_bytes(self.model)}
        return files if self.calibration is None else files | {_CALIBRATION: calibration_bytes(self.calibration)}

    def restore(self, files: Mapping[str, bytes], place: str) -> None:
        """Take a model and a calibration from the content of their files; messages name them by `place`."""
        if _MODEL in files:
            calibration = files.get(_CALIBRATION)
            self.model = parse_model(files[_MODEL], f"{place}/{_MODEL}")
            self.calibration = None
            if calibration:
                self.calibration = parse_calibration(calibration, f"{place}/{_CALIBRATION}")
            self.__dict__.pop("scorer", None)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "scorer"}  # made again elsewhere

    def scored(self, corpus: Corpus) -> Scored:
        """A corpus with its scores."""
        self._check(corpus)
        return score(corpus, self.scorer)

    def _check(self, corpus: Corpus) -> None:
        """Warn, once, if the relations are not those of the model."""
        if self._checked or not corpus.n_words:
            return
        self._checked = True
        known = set(self.model.reference.relations)
        unknown = {label for label in corpus.labels["deprel"] if universal(label) not in known and label not in known}
        codes = [code for code, label in enumerate(corpus.labels["deprel"]) if label in unknown]
        if np.isin(corpus.codes["deprel"], codes).mean() > _MOST_UNKNOWN:
            names = ", ".join(sorted(unknown))
            warnings.warn(
                f"treegauge: this pipeline has relations that the model {self._model!r} does not know ({names}): they "
                "are not those of Universal Dependencies, and the probabilities mean little. "
                f"Build a model from the pipeline's own output: {self._build}",
                stacklevel=4,
            )
