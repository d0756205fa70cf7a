"""The likely arcs of each word of a corpus, and the best tree that can be made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.pool import run_over
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.spanning_kernel import SpanningTrees


def best_columns(head: np.ndarray, score: np.ndarray, start: np.ndarray) -> np.ndarray:
    """For each word the column of its arc in the tree with one root whose scores have the largest sum.

    head, score: a row for each word, a column for each arc it may have, several to one head if need be; no arc where
    the score is -inf or nan, or the head is no other word of the sentence and not 0. start: where each sentence
    starts, and where the last one ends. A sentence without such a tree has -1.
    """
    best = np.full(len(head), -1, dtype=np.int32)
    room = SpanningTrees(int(np.diff(start).max(initial=0)), head.shape[1])
    arcs = np.ascontiguousarray(head, dtype=np.int32), np.ascontiguousarray(score, dtype=np.float64)
    room.find(*arcs, np.ascontiguousarray(start, dtype=np.int64), 0, len(start) - 1, best)
    return best


def best_or_given(head: np.ndarray, score: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The result of `best_columns`, where every word of a sentence without such a tree gets column 0."""
    return np.asarray(np.maximum(best_columns(head, score, start), 0))


MOST = 6  # a word gets at most so many arcs beside the given ones
LEAST = 0.002  # less probable heads are not considered


@dataclass(frozen=True)
class LikelyArcs:
    """A row for each word, a column for each arc: first the given ones, then their heads with another relation.

    Then other heads, likeliest first, each with its likeliest relation. A column that is not used has the head -1 and
    log p = -inf.
    """

    head: np.ndarray  # position in the sentence, 0 = root
    relation: np.ndarray  # code into `relations`, -1 for one that the weights do not have
    log_head: np.ndarray
    log_relation: np.ndarray  # given the head

    @property
    def log_prob(self) -> np.ndarray:
        """log p(head, relation) of each arc."""
        return np.asarray(self.log_head + self.log_relation)


def likely_arcs(
    choice: Choice,
    corpus: Corpus,
    given: tuple[np.ndarray, np.ndarray],
    *,
    most: int = MOST,
    least: float = LEAST,
    threads: int | None = None,
) -> LikelyArcs:
    """Given arcs and their likeliest rivals: at most `most`, heads of a probability of `least` or more.

    given: heads (-1: none) and relations, as codes of the choice (-1: unknown to it), of arcs that words may have,
    a row for each word. Tags are taken as they are.
    """
    columns = given[0].shape[1]
    shape = corpus.n_words, columns + most
    head, relation = np.full((2, *shape), -1, dtype=np.int32)
    log_head, log_relation = np.full((2, *shape), -np.inf)
    head[:, :columns], relation[:, :columns] = given
    log_head[:, :columns] = log_relation[:, :columns] = np.where(given[0] < 0, -np.inf, 0.0)
    log_relation[:, :columns][(given[0] >= 0) & (given[1] < 0)] = choice.log_unknown
    heads, words = corpus.scorable_head, choice.hashes.words(corpus)

    def run(*span: Any) -> None:
        chooser: Any = choice.chooser()
        chooser.likeliest_arcs(words, heads, *span, columns, least, head, relation, log_head, log_relation)

    run_over(corpus.start, run, threads)
    return LikelyArcs(head, relation, log_head, log_relation)
