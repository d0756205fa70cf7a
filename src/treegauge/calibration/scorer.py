"""Calibrated probabilities as a scorer."""

from __future__ import annotations

from treegauge import __version__
from treegauge.arcs.judging import right_arcs
from treegauge.arcs.model import Model
from treegauge.arcs.scorers import Scorer, make_scorer
from treegauge.calibration.evidence import arc_labels, arc_numbers
from treegauge.calibration.logistic import Calibration, fit_calibration
from treegauge.corpus.conllu import Corpus

CALIBRATED = "calibrated"


def calibrate(gold: Corpus, system: Corpus, model: Model) -> Calibration:
    """The calibration of a system's arcs by gold for the same words."""
    made_from = f"{gold.path} and {system.path}"
    right = right_arcs(gold, system)
    return fit_calibration(arc_numbers(system, model), arc_labels(system), right, made_from, model.signature)


def calibrated_scorer(calibration: Calibration, model: Model) -> Scorer:
    """log p(right) of every arc; reasons and other arcs are those of the scorer choice."""
    choice = make_scorer("choice", model)
    return Scorer(
        CALIBRATED,
        f"{calibration.signature}|ref:{model.signature}|v{__version__}",
        lambda corpus: calibration.log_probs(corpus, model),
        explainer=choice.explainer,
        choices=choice.choices,
        probabilities=True,
    )
