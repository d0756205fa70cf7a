"""The arcs that the words of a parse may have: its own, those of other parses, and those that choice finds likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.alignment.laid_over import LaidOver
from treegauge.calibration.trust import Trust
from treegauge.choice.likely_arcs import likely_arcs
from treegauge.choice.probabilities import Choice
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import relation_codes

LOWEST = -9.0  # log p of an arc: beyond, less says nothing more
HEAD_ONLY = 0.15  # of a parse's weight, for an arc whose head it has, but not its relation
REST = -3.0  # score of all arcs that are no candidates


@dataclass(frozen=True)
class Candidates:
    """A row for each word, a column for each arc that it may have: of the parses, the first of which is this one; then
    those that only choice has. A column that is not used has the head -1.
    """

    parse: Corpus
    head: np.ndarray  # position in the sentence, 0 = root
    relation: np.ndarray  # code into relations
    log_prob: np.ndarray  # by choice; 0 without it
    parse_head: np.ndarray  # a row for each parse; -1 where it has not the word, or its head is not in the sentence
    parse_relation: np.ndarray
    relations: tuple[str, ...]  # universal ones

    @property
    def parses(self) -> int:
        """How many parses there are."""
        return len(self.parse_head)

    def scores(self, weight: np.ndarray, trust: Trust) -> np.ndarray:
        """What speaks for each arc, in nats: max(log p, LOWEST) + Σ_k w_k · (1, or HEAD_ONLY), w as the trust has it.

        −inf where there is no arc, and of an arc that no parse has and that is not probable enough.
        """
        score = np.maximum(self.log_prob, LOWEST)
        for k, one in enumerate(trust.weights(weight).tolist()):
            head = self.head == self.parse_head[k][:, None]
            arc = head & (self.relation == self.parse_relation[k][:, None])
            score += np.where(arc, one, np.where(head, HEAD_ONLY * one, 0.0))
        score[self.head < 0] = -np.inf
        if trust.least > 0:
            rest = score[:, self.parses :]
            rest[self.log_prob[:, self.parses :] < np.log(trust.least)] = -np.inf
        return score

    def who_has(self, row: int, column: int) -> list[int]:
        """The parses that have an arc of a word."""
        same = self.parse_head[:, row] == self.head[row, column]
        same &= self.parse_relation[:, row] == self.relation[row, column]
        return np.flatnonzero(same).tolist()


def log_odds(score: np.ndarray) -> np.ndarray:
    """The log odds of each arc against all others of its word, REST among them."""
    best = np.maximum(score.max(axis=1, initial=REST), REST)[:, None]
    share = np.exp(score - best)
    before, after = (np.zeros_like(share) for _ in range(2))
    before[:, 1:] = np.cumsum(share[:, :-1], axis=1)
    after[:, :-1] = np.cumsum(share[:, :0:-1], axis=1)[:, ::-1]
    return np.asarray(score - best - np.log(before + after + np.exp(REST - best)))


def candidates(
    parse: Corpus, others: Sequence[LaidOver], choice: Choice | None, *, threads: int | None = None
) -> Candidates:
    """The arcs that the words of a parse may have; others: other parses laid over it."""
    names = {name: k for k, name in enumerate(choice.weights.relations)} if choice is not None else {}
    known = len(names)
    sides = [parse, *(over.gold for over in others)]
    heads = np.stack([side.head for side in sides]).astype(np.int32)
    relations = np.stack(
        [relation_codes(side.labels["deprel"], False, names)[side.codes["deprel"]] for side in sides]
    ).astype(np.int32)
    for k, over in enumerate(others, 1):
        if over.kept is not None:
            heads[k, ~over.kept] = -1
    given, of_given = heads.T.copy(), relations.T.copy()
    for k in range(1, len(sides)):
        same = (heads[:k] == heads[k]) & (relations[:k] == relations[k])
        given[same.any(axis=0), k] = -1
    if choice is None:
        log_prob = np.where(given < 0, -np.inf, 0.0)
        return Candidates(parse, given, of_given, log_prob, heads, relations, tuple(names))
    by_choice = np.where(of_given < known, of_given, -1).astype(np.int32)
    found = likely_arcs(choice, parse, (given, by_choice), threads=threads)
    relation = found.relation.copy()
    relation[:, : len(sides)] = of_given
    return Candidates(parse, found.head, relation, found.log_prob, heads, relations, tuple(names))
