"""LISCA as a scorer."""

from __future__ import annotations

import numpy as np

from treegauge.arcs.lisca import ArcScores, Lisca
from treegauge.arcs.reasons import Explainer
from treegauge.arcs.reference import counted_columns
from treegauge.corpus.conllu import Corpus
from treegauge.explanations import Explanation
from treegauge.models.fit import Fit, model_fit
from treegauge.scorers.scorer import Remembered, Scorer


class LiscaScorer(Scorer):
    """The log score of every arc by counts of a reference."""

    explains = True
    meaning = "log score is the log of a product of shares: how usual such an arc is in the reference"

    def __init__(self, lisca: Lisca, signature: str = "") -> None:
        super().__init__("lisca", signature or lisca.signature, counted_columns(lisca.reference.settings))
        self.lisca, self.reference = lisca, lisca.reference
        self.explainer = Explainer(lisca)
        self.judged = Remembered(self._judged)

    def _judged(self, corpus: Corpus) -> ArcScores:
        return self.lisca.judged(corpus)

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The logarithm of the score of every arc."""
        return self.judged(corpus).log_score

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """What each of these arcs has that is unusual for its relation."""
        return self.explainer.explain(corpus, rows)

    def fit(self, corpus: Corpus) -> Fit | None:
        """What the corpus has that the reference has not."""
        return model_fit(corpus, self.lisca, self.judged(corpus).unseen)
