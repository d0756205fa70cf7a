"""Whole parses by reliability: which sentences to trust, which to look at first (after Dell'Orletta et al. 2011)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.ranking.ranking import Ranking

if TYPE_CHECKING:
    from treegauge.ranking.scored import Scored


def sentence_scores(corpus: Corpus, scores: np.ndarray) -> np.ndarray:
    """The mean of the scores of a sentence's arcs, those without a score (NaN) left out; NaN where none has one."""
    known = ~np.isnan(scores)
    arcs = np.bincount(corpus.sentence[known], minlength=corpus.n_sentences)
    total = np.bincount(corpus.sentence[known], scores[known], minlength=corpus.n_sentences)
    return np.where(arcs > 0, total / np.maximum(arcs, 1), np.nan)


def sentence_probabilities(corpus: Corpus, scores: np.ndarray) -> np.ndarray:
    """The mean probability of a sentence's arcs, where scores are log probabilities; NaN where none has one."""
    return sentence_scores(corpus, np.exp(scores))


class SentenceRanking(Ranking):
    """Sentences in an order; `row` is the index of a sentence."""

    title = "Sentences by plausibility"

    def columns(self) -> dict[str, list[Any]]:
        """The table's columns by name."""
        return {"rank": self.rank.tolist(), **sentence_columns(self.scored, self.row), "bin": self.bin.tolist()}

    @property
    def score(self) -> np.ndarray:
        """The mean score of each."""
        return self.scored.sentence_scores[self.row]

    def _repr_html_(self) -> str:
        from treegauge.reports.notebook import columns_html  # presentation only, when a notebook asks

        return columns_html(self)


def sentence_columns(scored: Scored, sentences: np.ndarray) -> dict[str, list[Any]]:
    """What a table has of some sentences, but for their places in a ranking."""
    corpus = scored.corpus
    return {
        "sent_id": [corpus.sent_id(s).replace("\t", " ") for s in sentences.tolist()],
        "sentence": corpus.number[sentences].tolist(),
        "words": np.diff(corpus.start)[sentences].tolist(),
        "mean_log_score": scored.sentence_scores[sentences].tolist(),
    }
