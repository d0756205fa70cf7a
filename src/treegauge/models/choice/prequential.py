"""A learner that follows a treebank: it predicts the arcs of each sentence, and then learns from it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.choice.choice_kernel import HEAD_BITS, RELATION_BITS, Chooser
from treegauge.models.choice.learning import HEAD_RATE, LONGEST, RELATION_RATE, HashedText
from treegauge.models.choice.words import BETWEEN, LEMMAS, MORPHOLOGY, NAMES, TAGS, WordHashes, hash_of

# No features of the tree, because the tree is what is predicted.
LEXICAL = TAGS | BETWEEN | LEMMAS | MORPHOLOGY
UNLEXICAL = TAGS | BETWEEN | MORPHOLOGY
_NOTHING = np.uint64(3)
_HALVES = 2  # words are in two halves by their tag; the heads of each half have weights of their own


def hashed_text(
    corpus: Corpus, relations: dict[str, int], *, lexical: bool = True, tags: Sequence[str] | None = None
) -> HashedText:
    """A corpus, read with `COLUMNS`, as the follower reads it; new relations are added to `relations`.

    tags: the words get these instead of their own; XPOS, FEATS and lemmas, which annotators gave as well, are then left
    out. lexical=False leaves out forms, lemmas and endings.
    """
    words = WordHashes().words(corpus)
    if tags is not None:
        words[0] = np.array([hash_of(tag) for tag in tags], dtype=np.uint64)
        forms = np.array([hash_of(form.lower()) for form in corpus.labels["form"]], dtype=np.uint64)
        words[1] = forms[corpus.codes["form"]]
        words[2:4], words[5] = _NOTHING, 0
    if not lexical:
        words[1], words[6:] = _NOTHING, _NOTHING
    # the relations of other arcs are left out, because they are predicted, too
    words[4] = _NOTHING
    return HashedText.of(corpus, words, relations)


class Follower:
    """A learner that first predicts each sentence and then learns from it.

        p(tree | words) = Π_d p(h | d, words) · p(t | d, h, words)

    h runs over all other words of the sentence and the root, t over the relations given at the start. No feature looks
    at the tree, so −log2 p is the length of a code: whoever has the words, and has learned from the same sentences, can
    decode the tree.
    """

    def __init__(self, relations: int, lexical: bool = True) -> None:
        self.groups = LEXICAL if lexical else UNLEXICAL
        self.relations = relations
        self._head = np.zeros((1 << HEAD_BITS, 2), dtype=np.float32)
        self._relation, self._power = np.zeros((2, 1 << RELATION_BITS, max(relations, 1)), dtype=np.float32)
        self._pairs = np.zeros((1, 2), dtype=np.uint32)

    def follow(self, text: HashedText, *, learn: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """log p of the head of each word, and of its relation; each sentence is learned from after it was judged."""
        log_head, log_relation = np.zeros((2, text.words.shape[1]))

        def heads(half: int) -> None:
            with np.errstate(over="ignore"):  # interpreted, NumPy would warn that hashes overflow
                rate = HEAD_RATE if learn else 0.0
                self._chooser().follow_heads(text.words, text.head, text.start, LONGEST, rate, half, log_head)

        def relations() -> None:
            with np.errstate(over="ignore"):
                arcs = text.head, text.relation, text.start
                rate = RELATION_RATE if learn else 0.0
                self._chooser().follow_relations(text.words, *arcs, LONGEST, rate, self.relations, log_relation)

        with ThreadPoolExecutor(_HALVES + 1) as pool:
            for done in [pool.submit(relations), *(pool.submit(heads, half) for half in range(_HALVES))]:
                done.result()
        return log_head, log_relation

    def _chooser(self) -> Any:
        return Chooser(NAMES, self.groups, self._head, self._relation, self._pairs, self._power)
