"""The arcs that each word of a corpus may have, with their probabilities: what a better tree can be made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.choice.probabilities import Choice
from treegauge.choice.threads import run_over
from treegauge.corpus.conllu import Corpus

MOST = 6  # arcs of a word beside the given ones
LEAST = 0.002  # probability of a head that is considered


@dataclass(frozen=True)
class LikelyArcs:
    """A row for each word, a column for each arc: first the given ones, then their heads with another relation.

    Then other heads, likeliest first, each with its likeliest relation. A column that is not used has the head -1 and
    log p = -inf.
    """

    head: np.ndarray  # position in the sentence, 0 = root
    relation: np.ndarray  # code into `relations`, -1 for one that the weights have not
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

    given: heads (-1: none) and relations, as the choice has them (-1: it has not), of arcs that words may have, a row
    for each word. Tags are taken as they are.
    """
    columns = given[0].shape[1]
    shape = corpus.n_words, columns + most
    head, relation = np.full((2, *shape), -1, dtype=np.int32)
    log_head, log_relation = np.full((2, *shape), -np.inf)
    head[:, :columns], relation[:, :columns] = given
    log_head[:, :columns] = log_relation[:, :columns] = np.where(given[0] < 0, -np.inf, 0.0)
    log_relation[:, :columns][(given[0] >= 0) & (given[1] < 0)] = choice.log_unknown
    words, heads = choice.hashes.words(corpus), corpus.tree_head

    def run(*span: Any) -> None:
        chooser: Any = choice.chooser()
        chooser.likeliest_arcs(words, heads, *span, columns, least, head, relation, log_head, log_relation)

    run_over(corpus.start, run, threads)
    return LikelyArcs(head, relation, log_head, log_relation)
