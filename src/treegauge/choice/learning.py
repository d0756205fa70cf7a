"""Learning choices from a parsed reference: one pass, sentence by sentence, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from treegauge.choice.choice_kernel import ALL, HEAD_BITS, PAIR_BITS, RARE, RELATION_BITS, Chooser
from treegauge.choice.weights import MOST_RELATIONS, ChoiceWeights, check_relations, rounded
from treegauge.choice.words import NAMES, WordHashes
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import relation_codes

HEAD_RATE, RELATION_RATE = 0.07, 0.1  # of learning; chosen on five pairs, see docs/choice.md
LONGEST = 100  # words of a sentence to learn from: the cost of a sentence grows with their square
_COLUMNS_AT_A_TIME = 8


class ChoiceTrainer:
    """Learns from corpora, pieces of a stream say, in the order in which they come.

    A word's head and its relation are two choices with weights of their own; they are learned side by side, each on
    a thread, and what is learned does not depend on the threads. A relation is among the choices from the piece on in
    which it first occurs, unless it is given before: a stream that is cut elsewhere may give slightly other weights.
    """

    def __init__(self, groups: int = ALL, relations: Iterable[str] = ()) -> None:
        self.groups = groups
        self.hashes = WordHashes()
        self.relations: dict[str, int] = {name: k for k, name in enumerate(relations)}
        self.words = 0
        self.head = np.zeros((1 << HEAD_BITS, 4), dtype=np.float32)  # two weights, their sums of squared gradients
        self.relation, self.relation_power = np.zeros((2, 1 << RELATION_BITS, 0), dtype=np.float32)
        self.taken, self.chances = np.zeros((2, 1 << PAIR_BITS), dtype=np.uint32)

    def add(self, corpus: Corpus) -> None:
        """Learn from a corpus read with `COLUMNS`."""
        words = self.hashes.words(corpus)
        of_label = relation_codes(corpus.labels["deprel"], False, self.relations)
        relation = of_label[corpus.codes["deprel"]].astype(np.int32) if len(of_label) else corpus.codes["deprel"]
        if len(self.relations) > MOST_RELATIONS:
            check_relations(tuple(self.relations))
        missing = len(self.relations) - self.relation.shape[1]
        if missing > 0:
            more = ((0, 0), (0, -(-missing // _COLUMNS_AT_A_TIME) * _COLUMNS_AT_A_TIME))
            self.relation, self.relation_power = np.pad(self.relation, more), np.pad(self.relation_power, more)
        learners = [
            Chooser(NAMES, self.groups, self.head, self.relation, self.taken, self.chances, self.relation_power)
            for _ in range(2)
        ]
        known = len(self.relations)

        def learn_heads() -> None:
            with np.errstate(over="ignore"):  # interpreted, hashes overflow loudly
                learners[0].train_heads(words, corpus.head, corpus.start, LONGEST, HEAD_RATE)

        def learn_relations() -> None:
            with np.errstate(over="ignore"):
                learners[1].train_relations(words, corpus.head, relation, corpus.start, LONGEST, known, RELATION_RATE)

        with ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(learn_heads), pool.submit(learn_relations)]:
                done.result()
        self.words += corpus.n_words

    def weights(self) -> ChoiceWeights:
        """What was learned so far."""
        names = sorted(self.relations)
        check_relations(names)
        columns = [self.relations[name] for name in names]
        candidate = self.chances <= (self.taken.astype(np.int64) + 1) * RARE
        return ChoiceWeights(
            self.groups,
            tuple(names),
            self.words,
            rounded(self.head[:, :2]),
            rounded(self.relation[:, columns]),
            candidate,
        )


def learn_choice(
    pieces: Iterable[Corpus],
    groups: int = ALL,
    relations: Iterable[str] = (),
    progress: Callable[[int], None] = lambda words: None,
) -> ChoiceWeights:
    """The weights learned from corpora read with `COLUMNS`, in this order; progress is told words as they come."""
    trainer = ChoiceTrainer(groups, relations)
    for piece in pieces:
        trainer.add(piece)
        progress(piece.n_words)
    return trainer.weights()
