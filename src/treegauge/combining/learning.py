"""How much parses are to be trusted, learned from a little gold."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from treegauge.alignment.laid_over import LaidOver
from treegauge.calibration.logistic import maximum_likelihood
from treegauge.calibration.trust import ALONE, ENTIRE, TOGETHER, Trust
from treegauge.combining.best_trees import best_or_given
from treegauge.combining.candidates import Candidates, log_odds
from treegauge.combining.combine import Combiner
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import relation_codes

# what is tried: scale and least of one parse, scale and own of several
ALONE_SCALES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
LEAST = (0.0, 0.5)
TOGETHER_SCALES = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0)
OWN = (1.0, 1.25, 1.5, 2.0, 3.0, 5.0)
ERRORS = 2.0  # standard errors by which another trust must be better than the usual one


def trust_in(combiner: Combiner, parse: Corpus, gold: LaidOver) -> Trust:
    """How much a parse, and the others of a combiner, are to be trusted, from gold laid over the parse."""
    arcs = combiner.candidates(parse)
    return learn_trust(arcs, combiner.weight, right_columns(arcs, gold), gold.kept)


def right_columns(arcs: Candidates, gold: LaidOver) -> np.ndarray:
    """Whether each arc that a word may have has the head and the universal relation of gold, laid over the parse."""
    names = {name: k for k, name in enumerate(arcs.relations)}
    relation = relation_codes(gold.gold.labels["deprel"], False, names)[gold.gold.codes["deprel"]]
    right = (arcs.head == gold.gold.head[:, None]) & (arcs.relation == relation[:, None]) & (arcs.head >= 0)
    if gold.kept is not None:
        right[~gold.kept] = False
    return np.asarray(right)


def learn_trust(arcs: Candidates, weight: np.ndarray, right: np.ndarray, rows: np.ndarray | None = None) -> Trust:
    """How much parses are to be trusted, from text whose right arcs are known (`right_columns`).

    Of what is tried that by which most arcs become right, less ERRORS standard errors of the difference from what is
    usual: one parse stays as it is, several count as TOGETHER, where nothing is better so. Then the probabilities are
    fitted to what comes out. rows: only the words in this mask count.
    """
    counted = np.ones(len(right), bool) if rows is None else rows

    def is_right(trust: Trust) -> np.ndarray:
        column = best_or_given(arcs.head, arcs.scores(weight, trust), arcs.parse.start)
        return np.asarray(right[np.arange(len(right)), column][counted].astype(np.int64))

    if arcs.parses == 1:
        usual, tried = ENTIRE, [Trust(scale, least) for least, scale in product(LEAST, reversed(ALONE_SCALES))]
    else:
        usual, tried = TOGETHER, [Trust(scale, own=own) for scale, own in product(TOGETHER_SCALES, OWN)]
    before, best, found = is_right(usual), 0.0, usual
    for trust in tried:
        gained = is_right(trust) - before
        value = float(gained.sum() - ERRORS * np.sqrt(np.count_nonzero(gained)))
        if value > best:
            best, found = value, trust
    return with_probabilities(found, arcs, weight, right, counted)


def with_probabilities(
    trust: Trust, arcs: Candidates, weight: np.ndarray, right: np.ndarray, rows: np.ndarray
) -> Trust:
    """A trust with the intercept and slope that make the arcs of the best trees of some words most probable.

    Those that are usual where these arcs are all right, or all wrong.
    """
    score = arcs.scores(weight, trust)
    column = best_or_given(arcs.head, score, arcs.parse.start)
    at = np.flatnonzero(rows), column[rows]
    if not 0 < right[at].sum() < len(at[0]):
        usual = ALONE if arcs.parses == 1 else TOGETHER
        return replace(trust, intercept=usual.intercept, slope=usual.slope)
    x = log_odds(score)[at] / trust.weights(weight).sum()
    weights = maximum_likelihood(np.column_stack([np.ones(len(x)), x]), right[at], np.array([1e-9, 1.0]))
    return replace(trust, intercept=float(weights[0]), slope=max(float(weights[1]), 0.0))
