"""Repair of a parse: in each sentence the tree that choice finds best, where the parser's own arcs count for more.

How much more depends on the parser. It is learned from a little gold that the parser has parsed, too; without that the
parser is trusted unless choice is very sure.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from treegauge.choice.likely_arcs import LikelyArcs
from treegauge.choice.probabilities import Choice
from treegauge.combining.best_trees import best_columns
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.joined import Joiner
from treegauge.corpus.relations import universal
from treegauge.errors import CorpusError

BONUSES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0)  # that are tried …
LEAST = (0.0, 0.5)  # … each with these
ERRORS = 2.0  # standard errors by which a repair must be better than none


@dataclass(frozen=True)
class Trust:
    """How much a parser is trusted: log odds in favour of its own arcs, and how probable other arcs must be."""

    bonus: float
    least: float = 0.0


CAUTIOUS = Trust(7.0, 0.9)  # hardly ever costs anything, however strong the parser is
ENTIRE = Trust(np.inf)  # nothing is changed


@dataclass(frozen=True)
class Repair:
    """The best tree of each sentence."""

    column: np.ndarray  # of each word's arc among the likely ones; 0 where it is the parser's own
    head: np.ndarray
    relation: np.ndarray  # labels; the parser's own where it has the same universal relation
    log_prob: np.ndarray  # of choice

    @property
    def changed(self) -> np.ndarray:
        """Whether each word has another arc than before."""
        return np.asarray(self.column > 0)


def best_arcs(corpus: Corpus, arcs: LikelyArcs, trust: Trust = CAUTIOUS) -> np.ndarray:
    """For each word the column of its arc in the best tree: the largest sum of log p, with a bonus for given arcs."""
    score = arcs.log_prob
    others = score[:, 1:]
    others[others < np.log(max(trust.least, 1e-300))] = -np.inf
    others -= trust.bonus
    return best_columns(arcs.head, score, corpus.start)


def repair(corpus: Corpus, arcs: LikelyArcs, trust: Trust = CAUTIOUS) -> Repair:
    """The best tree of each sentence of a parse, given the arcs that its words may have (`likely_arcs`)."""
    column = best_arcs(corpus, arcs, trust)
    at = np.arange(corpus.n_words), column
    labels = np.array([*corpus.labels["deprel"], ""], dtype=object)
    names = np.array([*arcs.relations, ""], dtype=object)
    relation = np.where(column > 0, names[arcs.relation[at]], labels[corpus.codes["deprel"]])
    same = arcs.relation[at] == arcs.relation[:, 0]  # another head: a subtype is kept
    relation = np.where(same, labels[corpus.codes["deprel"]], relation)
    return Repair(column, arcs.head[at], relation, arcs.log_prob[at])


def right_columns(gold: Corpus, system: Corpus, choice: Choice, arcs: LikelyArcs) -> np.ndarray:
    """Whether each of the likely arcs of the system's words has the head and the universal relation of gold.

    Both have the same words: CorpusError where not.
    """
    if not np.array_equal(gold.start, system.start):
        raise CorpusError(f"{gold.path} and {system.path} do not have the same words; expected sentences in step")
    relation = choice.relation_codes(gold)
    right = (arcs.head == gold.head[:, None]) & (arcs.relation == relation[:, None]) & (relation >= 0)[:, None]
    right[:, 0] = (gold.head == system.head) & Joiner("deprel", universal)(gold, system).same
    return np.asarray(right)


def learn_trust(system: Corpus, arcs: LikelyArcs, right: np.ndarray, rows: np.ndarray | None = None) -> Trust:
    """How much a parser is to be trusted, from text whose right arcs are known (`right_columns`).

    Of BONUSES and LEAST those by which most arcs become right, less ERRORS standard errors; the parser's own arcs stay
    where none makes it better so. rows: only the words in this mask count.
    """
    best, found = 0.0, ENTIRE
    words = np.arange(system.n_words)
    for least, bonus in product(LEAST, reversed(BONUSES)):
        trust = Trust(bonus, least)
        gained = right[words, best_arcs(system, arcs, trust)].astype(np.int64) - right[:, 0]
        if rows is not None:
            gained = gained[rows]
        value = gained.sum() - ERRORS * np.sqrt(np.count_nonzero(gained))
        if value > best:
            best, found = float(value), trust
    return found
