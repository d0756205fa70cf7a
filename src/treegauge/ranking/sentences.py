"""Whole parses by reliability: which sentences to trust, which to look at first (after Dell'Orletta et al. 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.ranking.ranking import RELIABLE, SUSPICIOUS, bin_of, reliable_order

if TYPE_CHECKING:
    import polars


def sentence_scores(corpus: Corpus, scores: np.ndarray) -> np.ndarray:
    """The mean of the scores of a sentence's arcs, those without a score (NaN) left out; NaN where none has one."""
    known = ~np.isnan(scores)
    arcs = np.bincount(corpus.sentence[known], minlength=corpus.n_sentences)
    total = np.bincount(corpus.sentence[known], scores[known], minlength=corpus.n_sentences)
    return np.where(arcs > 0, total / np.maximum(arcs, 1), np.nan)


@dataclass(frozen=True)
class SentenceRanking:
    """Sentences of a corpus in an order; row k of each array is the k-th of that order."""

    corpus: Corpus
    signature: str
    sentence: np.ndarray  # in the corpus
    score: np.ndarray
    rank: np.ndarray  # from the most reliable, from 1
    bin: np.ndarray

    def __len__(self) -> int:
        return len(self.sentence)

    def columns(self) -> dict[str, list[Any]]:
        """The table's columns by name."""
        return {
            "rank": self.rank.tolist(),
            "sent_id": [self.corpus.sent_id(s).replace("\t", " ") for s in self.sentence.tolist()],
            "sentence": self.corpus.number[self.sentence].tolist(),
            "words": np.diff(self.corpus.start)[self.sentence].tolist(),
            "mean_log_score": self.score.tolist(),
            "bin": self.bin.tolist(),
        }

    def to_polars(self) -> polars.DataFrame:
        """The table as a Polars data frame."""
        import polars

        return polars.DataFrame(self.columns(), schema_overrides={"sent_id": polars.String})

    def words(self, k: int) -> str:
        """The words of the k-th sentence."""
        low, high = self.corpus.start[self.sentence[k]], self.corpus.start[self.sentence[k] + 1]
        forms = self.corpus.labels["form"]
        return " ".join(forms[code] for code in self.corpus.codes["form"][low:high].tolist())


def rank_sentences(
    corpus: Corpus,
    scores: np.ndarray,
    signature: str = "",
    *,
    order: str = RELIABLE,
    top: int | None = None,
    bins: int = 10,
) -> SentenceRanking:
    """Rank sentences by the mean score of their arcs; `scores` are those of the arcs."""
    mean = sentence_scores(corpus, scores)
    ranked = reliable_order(mean)
    ranked = ranked[~np.isnan(mean[ranked])]
    place = np.empty(corpus.n_sentences, dtype=np.int64)
    place[ranked] = np.arange(len(ranked))
    chosen = ranked if order == RELIABLE else ranked[::-1] if order == SUSPICIOUS else np.sort(ranked)
    chosen = chosen[:top]
    return SentenceRanking(
        corpus, signature, chosen, mean[chosen], place[chosen] + 1, bin_of(place[chosen], len(ranked), bins)
    )
