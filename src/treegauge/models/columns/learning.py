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
ENOUGH = 1 << 20  # words of a reference that are learned from
Pieces = Callable[[], Iterable[Corpus]]
InFold = Callable[[Corpus, int], np.ndarray]  # which sentences of a piece are in a fold


def chooser(asked: Questions, weight: np.ndarray, power: np.ndarray | None, features: int) -> CandidateChooser:
    """The kernel that answers these questions by these weights."""
    return CandidateChooser(weight, power, asked.hashes, asked.start, asked.members, asked.evidence, features)


def learn_folds(pieces: Pieces, column: str, folds: int, in_fold: InFold | None) -> tuple[Survey, list[np.ndarray]]:
    """What the whole has in a column, and for each fold the weights learned from the other folds.

    in_fold=None: there is one fold, and everything is learned from. A corpus in one piece is prepared once.
    """
    survey = Survey(column)
    whole = list(pieces())
    for piece in whole:
        survey.add(piece)
    classes = survey.classes()
    tables = np.zeros((folds, 2, 1 << BITS), dtype=np.float32)
    hashes = LabelHashes()
    for _ in range(next((passes for most, passes in PASSES.items() if survey.words <= most), 1)):
        for piece in whole:
            asked = questions(piece, column, classes, survey.supports)
            features = word_features(WordParts(piece, hashes), TEMPLATES[column])
            for fold, (weight, power) in enumerate(tables):
                left = np.ones(piece.n_sentences, dtype=bool) if in_fold is None else ~in_fold(piece, fold)
                part = asked.some(np.flatnonzero(left[piece.sentence[asked.word]]))
                with np.errstate(over="ignore"):
                    chooser(part, weight, power, features.shape[1]).train(
                        features, part.word, part.sets, part.own, RATE
                    )
    return survey, [weight for weight, _ in tables]


def learn_column(pieces: Pieces, column: str, most: int | None = None) -> ColumnWeights:
    """What a reference teaches about a column; most: keep only so many weights."""
    survey, (weight,) = learn_folds(pieces, column, 1, None)
    lemmas = survey.lemma_table() if column == LEMMA else np.zeros(0, dtype=bool)
    return ColumnWeights(column, survey.words, survey.classes(), rounded(weight, most), lemmas)


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
