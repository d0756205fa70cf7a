"""What other parses of a text say of the arcs of one parse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.compare.comparison import ELSEWHERE, Comparison
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import relation_codes

COLUMNS = ("form", "deprel")  # what other parses must have been read with
# What another parse says of an arc: it does not have the word; it has another head; only the head; the whole arc.
ABSENT, NEITHER, HEAD, BOTH = range(4)


@dataclass(frozen=True)
class Opinions:
    """What each of several other parses (the rows) says of every arc of a parse (the columns).

    Relations are universal ones, without their subtypes.
    """

    parse: Corpus
    names: tuple[str, ...]  # the names of the other parses
    says: np.ndarray  # ABSENT, NEITHER, HEAD or BOTH
    head: np.ndarray  # the position of the other head in this parse's sentence, 0 = root, ELSEWHERE if it is not there
    relation: np.ndarray  # code into relations
    relations: tuple[str, ...]
    own_relation: np.ndarray  # the relations of this parse

    def said(self, at: int) -> str:
        """Who has which arc of the word in a row, in words: `B: obl of 'ran'; C: as here`."""
        return "; ".join(f"{name}: {self._said_by(k, at)}" for k, name in enumerate(self.names))

    def _said_by(self, k: int, at: int) -> str:
        says, head = self.says[k, at], int(self.head[k, at])
        if says in (ABSENT, BOTH):
            return "as here" if says == BOTH else "does not have this word"
        relation = self.relations[self.relation[k, at]]
        if says == HEAD:
            return f"{relation} of the same head" if head else f"{relation}, the root"
        if head == ELSEWHERE:
            return f"{relation} of a word that is not in this sentence"
        if not head:
            return f"{relation}, the root"
        return f"{relation} of '{self.parse.value('form', int(self.parse.start[self.parse.sentence[at]]) + head - 1)}'"

    @property
    def groups(self) -> np.ndarray:
        """For this parse (row 0) and each other one, and every word: the first parse that has the same arc.

        -1 where a parse does not have the word. A head outside the sentence is different from every other head.
        """
        answers = np.vstack([self.parse.head, self.head]).astype(np.int64) * len(self.relations)
        answers += np.vstack([self.own_relation, self.relation])
        groups = np.empty(answers.shape, np.int64)
        known = np.vstack([np.ones((1, self.parse.n_words), bool), (self.says != ABSENT) & (self.head != ELSEWHERE)])
        for k in range(len(answers)):
            groups[k] = k
            for earlier in range(k - 1, -1, -1):
                same = known[k] & known[earlier] & (answers[k] == answers[earlier])
                groups[k, same] = earlier
        groups[1:][self.says == ABSENT] = -1
        return groups


def opinions_of(parse: Corpus, others: Sequence[Comparison], names: Sequence[str]) -> Opinions:
    """What other parses say of the arcs of a parse; others: the parse beside each of them."""
    codes: dict[str, int] = {}
    own, own_head = _relations(parse, codes), parse.tree_head
    shape = len(others), parse.n_words
    head, relation = np.full(shape, ELSEWHERE, np.int32), np.zeros(shape, np.int32)
    says = np.full(shape, ABSENT, np.int8)
    for k, comparison in enumerate(others):
        overlay, present = comparison.overlay, comparison.present
        head[k], relation[k] = overlay.head, _relations(overlay, codes)
        same = overlay.head == own_head
        says[k, present] = np.where(same, np.where(relation[k] == own, BOTH, HEAD), NEITHER)[present]
    return Opinions(parse, tuple(names), says, head, relation, tuple(codes), own)


def _relations(corpus: Corpus, codes: dict[str, int]) -> np.ndarray:
    """The universal relation of each word, as a code; new relations are added to `codes`."""
    return relation_codes(corpus.labels["deprel"], False, codes)[corpus.codes["deprel"]]
