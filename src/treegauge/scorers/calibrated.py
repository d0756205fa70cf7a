"""Calibrated probabilities as a scorer."""

from __future__ import annotations

import os

from treegauge import __version__
from treegauge.arcs.reference import Model
from treegauge.calibration.evidence import Evidence, arc_labels, arc_numbers
from treegauge.calibration.logistic import Calibration, fit_calibration
from treegauge.corpus.conllu import Corpus
from treegauge.scorers.registry import Scorer, make_scorer

CALIBRATED = "calibrated"


def calibrate(gold: Corpus, system: Corpus, model: Model) -> Calibration:
    """The calibration of a system's arcs by gold for the same words."""
    names = source_names(gold.path, system.path)
    return fit_calibration(Evidence.of(gold, system, model), names, model.signature)


def source_names(gold: str, system: str) -> str:
    """What a calibration says it was made from: names of files, not where they lie."""
    return f"{os.path.basename(gold)}+{os.path.basename(system)}"


def calibrated_scorer(calibration: Calibration, model: Model) -> Scorer:
    """log p(right) of every arc; reasons and other arcs are those of the scorer choice."""
    choice = make_scorer("choice", model)
    return Scorer(
        CALIBRATED,
        f"{calibration.signature}|ref:{model.signature}|v{__version__}",
        lambda corpus: calibration.log_probs(arc_numbers(corpus, model), arc_labels(corpus)),
        explainer=choice.explainer,
        choices=choice.choices,
        probabilities=True,
    )
