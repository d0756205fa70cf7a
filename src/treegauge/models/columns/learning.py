"""Learning how values are chosen, from a reference, or from all folds of a corpus but one, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.columns.columns_kernel import CandidateChooser
from treegauge.models.columns.features import LEMMA, TEMPLATES, LabelHashes, WordParts, word_features
from treegauge.models.columns.inventory import Questions, Survey, present, questions
from treegauge.models.columns.weights import BITS, ColumnWeights, rounded

RATE = 0.1
PASSES = {1 << 17: 3, 1 << 20: 2}  # largest number of words -> passes over them; larger references get one pass
AGAIN = 2  # passes after the smaller weights were dropped
ENOUGH = 1 << 20  # words of a reference that are learned from
Pieces = Callable[[], Iterable[Corpus]]
InFold = Callable[[Corpus, int], np.ndarray]  # which sentences of a piece are in a fold


def chooser(asked: Questions, weight: np.ndarray, power: np.ndarray | None, features: int) -> CandidateChooser:
    """The kernel that answers these questions by these weights."""
    return CandidateChooser(weight, power, asked.hashes, asked.start, asked.members, asked.evidence, features)


def learn_folds(pieces: Pieces, column: str, folds: int, in_fold: InFold | None) -> tuple[Survey, list[np.ndarray]]:
    """What the whole has in a column, and for each fold the weights learned from the other folds.

    in_fold=None: there is one fold, and everything is learned from.
    """
    learner = _Learner(pieces, column, folds, in_fold)
    learner.learn(next((passes for most, passes in PASSES.items() if learner.survey.words <= most), 1))
    return learner.survey, [weight for weight, _ in learner.tables]


class _Learner:
    """Learns a column; tables has the weights and the sums of squared gradients of each fold."""

    def __init__(self, pieces: Pieces, column: str, folds: int, in_fold: InFold | None) -> None:
        self.pieces, self.column, self.in_fold = list(pieces()), column, in_fold
        self.survey = Survey(column)
        for piece in self.pieces:
            self.survey.add(piece)
        self.classes = self.survey.classes()
        self.tables = np.zeros((folds, 2, 1 << BITS), dtype=np.float32)
        self._hashes = LabelHashes()
        self._ready: tuple[Questions, np.ndarray] | None = None

    def _prepared(self, piece: Corpus) -> tuple[Questions, np.ndarray]:
        """The questions of a piece and the features of its words; those of the last piece are kept."""
        if self._ready is None or len(self.pieces) > 1:
            asked = questions(piece, self.column, self.classes, self.survey.supports)
            self._ready = asked, word_features(WordParts(piece, self._hashes), TEMPLATES[self.column])
        return self._ready

    def learn(self, passes: int) -> None:
        """Go through everything so many times."""
        for _ in range(passes):
            for piece in self.pieces:
                asked, features = self._prepared(piece)
                for fold, (weight, power) in enumerate(self.tables):
                    left = (
                        np.ones(piece.n_sentences, dtype=bool) if self.in_fold is None else ~self.in_fold(piece, fold)
                    )
                    part = asked.some(np.flatnonzero(left[piece.sentence[asked.word]]))
                    kernel = chooser(part, weight, power, features.shape[1])
                    with np.errstate(over="ignore"):
                        kernel.train(features, part.word, part.sets, part.own, RATE)

    def keep(self, most: int) -> None:
        """Keep so many weights, the largest: the others become 0, and nothing moves them any more."""
        for weight, power in self.tables:
            dropped = np.argsort(-np.abs(weight), kind="stable")[most:]
            power[dropped], weight[dropped] = np.inf, 0


def learn_column(pieces: Pieces, column: str, most: int | None = None) -> ColumnWeights:
    """What a reference teaches about a column; most: keep only so many weights, which then learn to do without more."""
    learner = _Learner(pieces, column, 1, None)
    learner.learn(next((passes for words, passes in PASSES.items() if learner.survey.words <= words), 1))
    if most is not None:
        learner.keep(most)
        learner.learn(AGAIN)
    lemmas = learner.survey.lemma_table() if column == LEMMA else np.zeros(0, dtype=bool)
    return ColumnWeights(column, learner.survey.words, learner.classes, rounded(learner.tables[0, 0]), lemmas)


def learn_columns(
    pieces: Iterable[Corpus],
    most: Mapping[str, int] | None = None,
    progress: Callable[[int], None] = lambda words: None,
) -> tuple[ColumnWeights, ...]:
    """What the first million words of a reference teach about each column that has values; most: weights to keep."""
    held, words = list[Corpus](), 0
    for piece in pieces:
        held.append(piece)
        words += piece.n_words
        progress(piece.n_words)
        if words >= ENOUGH:
            break
    names = present(held)
    return tuple(learn_column(lambda: held, name, None if most is None else most[name]) for name in names)
