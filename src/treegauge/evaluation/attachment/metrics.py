"""The metrics of the CoNLL 2018 shared task, and the metrics of enhanced arcs: one entry for each.

    P = correct / system,  R = correct / gold,  F1 = 2 · correct / (system + gold)

To add a metric of words, add an entry to METRICS: what it counts on both sides, and what must be right about a word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.evaluation.attachment.scores_kernel import ALIGNED, FEATS, HEAD, KIDS, LABEL, LEMMA, UPOS, XPOS

WORDS, CONTENT, TOKENS, SENTENCES, ENHANCED = "words", "content", "tokens", "sentences", "enhanced"
ARC = HEAD | LABEL


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric. `of`: what it counts on both sides; `right`: the bits of a right word, 0 if it counts no words.

    CONTENT counts the words with a content relation; each side by its own relations (Nivre and Fang 2017, §4).
    """

    name: str
    description: str
    of: str
    right: int = 0

    @property
    def is_of_words(self) -> bool:
        """Whether it counts words; then it has an accuracy on aligned words."""
        return self.of in (WORDS, CONTENT)


METRICS = {
    metric.name: metric
    for metric in (
        Metric("Tokens", "tokens with the same characters", TOKENS),
        Metric("Sentences", "sentences with the same characters", SENTENCES),
        Metric("Words", "aligned words", WORDS, ALIGNED),
        Metric("UPOS", "universal tags", WORDS, UPOS),
        Metric("XPOS", "language-specific tags", WORDS, XPOS),
        Metric("UFeats", "universal features, all of a word", WORDS, FEATS),
        Metric("AllTags", "UPOS, XPOS and universal features", WORDS, UPOS | XPOS | FEATS),
        Metric("Lemmas", "lemmas; `_` in gold is always right", WORDS, LEMMA),
        Metric("UAS", "heads", WORDS, HEAD),
        Metric("LAS", "heads and relations", WORDS, ARC),
        Metric("CLAS", "heads and relations of content words", CONTENT, ARC),
        Metric("MLAS", "CLAS with UPOS, features and functional children", CONTENT, ARC | UPOS | FEATS | KIDS),
        Metric("BLEX", "CLAS with lemmas", CONTENT, ARC | LEMMA),
        Metric("ELAS", "enhanced arcs", ENHANCED),
        Metric("EULAS", "enhanced arcs, subtypes not compared", ENHANCED),
    )
}
_OF_WORDS = tuple(metric for metric in METRICS.values() if metric.is_of_words)
# The counts of each gold sentence. A word of the system counts in the sentence in which its first character is.
COLUMNS = (
    *(metric.name for metric in _OF_WORDS),  # right words, the first columns
    *("aligned_content", "gold_words", "system_words", "gold_content", "system_content"),
    *("gold_tokens", "system_tokens", "Tokens"),
    *("gold_sentences", "system_sentences", "Sentences"),
    *("gold_enhanced", "system_enhanced", "ELAS", "EULAS"),
)
NEEDED = np.array([*(metric.right for metric in _OF_WORDS), ALIGNED], np.int32)  # bits, for the first columns
CONTENT_ONLY = np.array([*(metric.of == CONTENT for metric in _OF_WORDS), True], np.uint8)


def column(name: str) -> int:
    """The number of a column of the counts."""
    return COLUMNS.index(name)


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall, F1 and, if words are counted, the accuracy on aligned words: all as fractions.

    A denominator of 0 gives 0, as in the CoNLL 2018 script.
    """

    gold: int
    system: int
    correct: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        """The share of right ones among those of the system."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """The share of right ones among those of gold."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.correct / (self.system + self.gold) if self.system + self.gold else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of right words among the aligned words; None if no words are counted."""
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0


def halves(counts: np.ndarray, metric: str) -> np.ndarray:
    """For each row of counts, the two halves of the fraction F1: 2 · correct, and gold + system."""
    of = METRICS[metric].of
    gold, system, correct = (
        counts[:, column(name)].astype(np.float64) for name in (f"gold_{of}", f"system_{of}", metric)
    )
    return np.stack([2 * correct, gold + system], axis=1)


def score_of(metric: Metric, counts: np.ndarray) -> Score:
    """The score of a metric over a row of COLUMNS, such as the sum of all sentences."""
    aligned = {WORDS: "Words", CONTENT: "aligned_content"}.get(metric.of) if metric.name != "Words" else None
    names = [f"gold_{metric.of}", f"system_{metric.of}", metric.name, *([aligned] if aligned else [])]
    return Score(*counts[[column(name) for name in names]].tolist())


def scores(counts: np.ndarray) -> dict[str, Score]:
    """Every metric over the sum of some rows of counts; ELAS and EULAS only if both sides have enhanced arcs."""
    total = counts.sum(axis=0, dtype=np.int64)
    both = total[column("gold_enhanced")] and total[column("system_enhanced")]
    return {name: score_of(metric, total) for name, metric in METRICS.items() if both or metric.of != ENHANCED}
