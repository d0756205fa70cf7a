"""Learning the weights of choice from a reference, sentence by sentence, in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import relation_codes
from treegauge.models.choice.choice_kernel import HEAD_BITS, PAIR_BITS, RARE, RELATION_BITS, UNIT, Chooser
from treegauge.models.choice.tags import TagTrainer
from treegauge.models.choice.weights import MOST_RELATIONS, ChoiceWeights, check_relations, rounded
from treegauge.models.choice.words import ALL, NAMES, WordHashes

HEAD_RATE, RELATION_RATE = 0.07, 0.1  # learning rates; chosen on five pairs, see docs/choice.md
PASSES = {1 << 19: 3, 1 << 20: 2}  # largest number of words -> passes over them; larger references get one pass
LONGEST = 100  # longer sentences are not learned from, because cost grows with the square of the length
_COLUMNS_AT_A_TIME = 8
_AHEAD = 2  # at most so many corpora wait to be learned from
_HALVES = 2  # words are in two halves by their tag; the heads of each half have weights of their own


@dataclass(frozen=True, slots=True)
class HashedText:
    """A text as learners read it: words as hashes, heads, relations as codes, and where each sentence starts."""

    words: np.ndarray
    head: np.ndarray
    relation: np.ndarray
    start: np.ndarray

    @staticmethod
    def of(corpus: Corpus, words: np.ndarray, relations: dict[str, int]) -> HashedText:
        """A corpus, its words as hashes; relations that are new get the next codes."""
        of_label = relation_codes(corpus.labels["deprel"], False, relations)
        relation = of_label[corpus.codes["deprel"]].astype(np.int32) if len(of_label) else corpus.codes["deprel"]
        return HashedText(np.ascontiguousarray(words), corpus.scorable_head, relation, corpus.start)

    def reordered(self, sentences: np.ndarray) -> tuple[HashedText, np.ndarray]:
        """These sentences in this order, and the row that each of their words has here."""
        lengths = np.diff(self.start)[sentences]
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        rows = np.arange(start[-1]) + np.repeat(self.start[sentences] - start[:-1], lengths)
        words = np.ascontiguousarray(self.words[:, rows])
        return HashedText(words, self.head[rows], self.relation[rows], start), rows


class ChoiceTrainer:
    """Learns from corpora, such as pieces of a stream, in the order in which they come.

    A word's head and its relation are two choices with weights of their own, and so are the heads of two halves of the
    words; they are learned side by side, each on a thread, and what is learned does not depend on the threads. A
    relation is among the choices from the piece on in which it first occurs, unless it is given before: a stream that
    is cut elsewhere may give slightly other weights. Corpora are held, as numbers, 64 bytes a word, as long as they are
    few enough for a second pass.
    """

    def __init__(
        self,
        groups: int = ALL,
        relations: Iterable[str] = (),
        start: ChoiceWeights | None = None,
        hashes: WordHashes | None = None,
    ) -> None:
        """start: weights to go on from; `words` does not count what they were learned from.

        hashes: shared with others that read the corpus.
        """
        relations = list(dict.fromkeys([*relations, *(start.relations if start else ())]))
        self.groups = groups
        self.hashes = hashes or WordHashes()
        self.relations: dict[str, int] = {name: k for k, name in enumerate(relations)}
        self.words = 0
        self.head = np.zeros((1 << HEAD_BITS, 2), dtype=np.float32)  # weights, and their sums of squared gradients
        self.relation, self.relation_power = np.zeros((2, 1 << RELATION_BITS, 0), dtype=np.float32)
        self.pairs = np.zeros((1 << PAIR_BITS, 2), dtype=np.uint32)  # chances, and how many were taken
        if start is not None:
            self.head[:, 0] = start.head / np.float32(UNIT)
            self._make_room(len(self.relations))
            self.relation[:, [self.relations[name] for name in start.relations]] = start.relation / np.float32(UNIT)
        self._threads = [
            ThreadPoolExecutor(1) for _ in range(_HALVES + 1)
        ]  # one for the heads of each half, and one for relations
        self._learning: deque[list[Future[None]]] = deque()
        self._held: list[HashedText] = []
        self._before = 0  # words whose passes are done

    def add(self, corpus: Corpus) -> None:
        """Learn from a corpus read with `COLUMNS`; the next one may be read meanwhile."""
        text = HashedText.of(corpus, self.hashes.words(corpus), self.relations)
        if len(self.relations) > MOST_RELATIONS:
            check_relations(tuple(self.relations))
        self.words += corpus.n_words
        self._held = [*self._held, text] if self.words - self._before <= max(PASSES) else []
        self._learn(text, first=True)

    def finish(self) -> None:
        """Make the further passes over what was added since the last call."""
        passes = next((passes for most, passes in PASSES.items() if self.words - self._before <= most), 1)
        for _ in range(1, passes):
            for text in self._held:
                self._learn(text, first=False)
        self._held, self._before = [], self.words
        self._wait(0)

    def _learn(self, text: HashedText, *, first: bool) -> None:
        """Learn from a text; first: it is the first pass, in which pairs are counted, too."""
        heads = [self._threads[half].submit(self._learn_heads, text, first, half) for half in range(_HALVES)]
        known = len(self.relations)
        self._learning.append([*heads, self._threads[_HALVES].submit(self._learn_relations, text, known)])
        self._wait(_AHEAD)

    def _wait(self, most: int) -> None:
        """Wait until at most `most` corpora are still to be learned from."""
        while len(self._learning) > most:
            for done in self._learning.popleft():
                done.result()

    def _chooser(self) -> Chooser:
        return Chooser(NAMES, self.groups, self.head, self.relation, self.pairs, self.relation_power)

    def _learn_heads(self, text: HashedText, first: bool, half: int) -> None:
        with np.errstate(over="ignore"):  # interpreted, NumPy would warn that hashes overflow
            self._chooser().train_heads(text.words, text.head, text.start, LONGEST, HEAD_RATE, first, half)

    def _learn_relations(self, text: HashedText, known: int) -> None:
        self._make_room(known)
        with np.errstate(over="ignore"):
            arcs = text.head, text.relation, text.start
            self._chooser().train_relations(text.words, *arcs, LONGEST, known, RELATION_RATE)

    def _make_room(self, relations: int) -> None:
        """Make room for the weights of at least this number of relations."""
        missing = relations - self.relation.shape[1]
        if missing > 0:
            more = ((0, 0), (0, -(-missing // _COLUMNS_AT_A_TIME) * _COLUMNS_AT_A_TIME))
            self.relation, self.relation_power = np.pad(self.relation, more), np.pad(self.relation_power, more)

    def weights(self) -> ChoiceWeights:
        """What was learned so far."""
        self._wait(0)
        names = sorted(self.relations)
        check_relations(names)
        head, relation = rounded(self.head[:, 0], self.relation[:, [self.relations[name] for name in names]])
        candidate = self.pairs[:, 0] <= (self.pairs[:, 1].astype(np.int64) + 1) * RARE
        return ChoiceWeights(self.groups, tuple(names), self.words, head, relation, candidate)


def learn_choice(
    pieces: Iterable[Corpus],
    groups: int = ALL,
    relations: Iterable[str] = (),
    progress: Callable[[int], None] = lambda words: None,
    start: ChoiceWeights | None = None,
    tags: Iterable[str] | None = (),
    hashes: WordHashes | None = None,
) -> ChoiceWeights:
    """The weights learned from corpora read with `COLUMNS`, in this order; progress is told words as they come.

    relations, tags: known from the start. start: weights to go on from. With tags=None the plausibility of tags is not
    learned. hashes: shared with other learners that read the corpus.
    """
    trainer = ChoiceTrainer(groups, relations, start, hashes)
    tagger = TagTrainer(tags or (), start.tags if start else None, trainer.hashes.forms)
    for piece in pieces:
        trainer.add(piece)
        if tags is not None:
            tagger.add(piece)
        progress(piece.n_words)
    with ThreadPoolExecutor(1) as beside:  # tags have passes of their own, which need not wait for those of arcs
        of_tags = beside.submit(tagger.weights) if tags is not None else None
        trainer.finish()
        return replace(trainer.weights(), tags=of_tags.result() if of_tags else None)
