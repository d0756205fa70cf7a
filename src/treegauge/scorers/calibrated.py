"""Calibrated probabilities as a scorer."""

from __future__ import annotations

import os

import numpy as np

from treegauge import __version__
from treegauge.calibration.evidence import ArcEvidence, arc_evidence
from treegauge.calibration.logistic import Calibration
from treegauge.corpus.conllu import Corpus
from treegauge.explanations import Alternatives, Explanation
from treegauge.models.model import Model
from treegauge.scorers.choice import ChoiceScorer
from treegauge.scorers.lisca import LiscaScorer
from treegauge.scorers.scorer import Remembered, Scorer


class EvidenceFinder:
    """What is known of arcs without gold: what choice and LISCA, each asked once, say of them."""

    def __init__(self, choice: ChoiceScorer, lisca: LiscaScorer) -> None:
        self.choice, self.lisca = choice, lisca

    def __call__(self, corpus: Corpus) -> ArcEvidence:
        """The evidence for every arc of a corpus."""
        everything = np.arange(corpus.n_words)
        other = self.choice.alternatives(corpus, everything).log_prob
        return arc_evidence(corpus, self.choice.choices(corpus), other, self.lisca.scores(corpus))


class CalibratedScorer(Scorer):
    """log p(right) of every arc; reasons and other arcs are those of the scorer choice."""

    probabilities = explains = suggests = True
    meaning = "log score is log p of the arc being right"

    def __init__(self, calibration: Calibration, model: Model, finder: EvidenceFinder) -> None:
        columns = (*finder.choice.columns, *finder.lisca.columns)
        super().__init__("calibrated", f"{calibration.signature}|ref:{model.signature}|v{__version__}", columns)
        self.calibration, self.choice = calibration, finder.choice
        self.tag_choices = finder.choice.tag_choices
        self.log_probs = Remembered(lambda corpus: calibration.log_probs(finder(corpus)))
        if calibration.made_with != model.signature:
            self.notes = (
                f"the calibration was made from {calibration.made_from} with other models: less to be trusted",
            )

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p(right) of every arc."""
        return self.log_probs(corpus)

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """The likelier arcs, and what speaks for them."""
        return self.choice.explain(corpus, rows)

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs."""
        return self.choice.alternatives(corpus, rows)


def source_names(gold: str, system: str) -> str:
    """What a calibration says it was made from: names of files, not where they lie."""
    return f"{os.path.basename(gold)}+{os.path.basename(system)}"
