"""The arcs that each word of a corpus may have, with their probabilities: what a better tree can be made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.choice.probabilities import Choice
from treegauge.choice.threads import run_over
from treegauge.corpus.conllu import Corpus

MOST = 8  # arcs of a word
LEAST = 0.002  # probability of a head that is considered


@dataclass(frozen=True)
class LikelyArcs:
    """A row for each word, a column for each arc: first the one it has, then its head with another relation.

    Then other heads, likeliest first, each with its likeliest relation. A column that is not used has the head -1 and
    log p = -inf.
    """

    head: np.ndarray  # position in the sentence, 0 = root
    relation: np.ndarray  # code into `relations`, -1 for one that the weights have not
    log_head: np.ndarray
    log_relation: np.ndarray  # given the head
    relations: tuple[str, ...]

    @property
    def log_prob(self) -> np.ndarray:
        """log p(head, relation) of each arc."""
        return np.asarray(self.log_head + self.log_relation)


def likely_arcs(
    choice: Choice, corpus: Corpus, *, most: int = MOST, least: float = LEAST, threads: int | None = None
) -> LikelyArcs:
    """The arc of each word and its likeliest rivals: at most `most`, heads of a probability of `least` or more.

    Tags are taken as they are given.
    """
    if most < 2:
        raise ValueError(f"{most} arcs of a word; expected 2 or more")
    shape = corpus.n_words, most
    head, relation = np.full((2, *shape), -1, dtype=np.int32)
    log_head, log_relation = np.full((2, *shape), -np.inf)
    arcs = choice.hashes.words(corpus), corpus.tree_head, choice.relation_codes(corpus)
    room = choice.room(corpus.n_words)

    def run(*span: Any) -> None:
        chooser: Any = choice.chooser()
        chooser.likeliest_arcs(*arcs, *span, least, *room, head, relation, log_head, log_relation)

    run_over(corpus.start, run, threads)
    return LikelyArcs(head, relation, log_head, log_relation, choice.weights.relations)
