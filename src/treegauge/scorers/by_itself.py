"""Judging a treebank by itself, where there is no reference corpus: no arc is judged by counts it is part of."""

import numpy as np

from treegauge.arcs.counts import ArcCounter, count_arcs
from treegauge.arcs.lisca import Lisca, LiscaOptions
from treegauge.arcs.reference import Model, Settings, Source, subtract_model
from treegauge.corpus.conllu import Corpus
from treegauge.errors import OptionError
from treegauge.scorers.registry import Scorer


def self_scores(
    corpus: Corpus, model: Model, options: LiscaOptions | None = None, folds: int | None = None
) -> np.ndarray:
    """The log score of every arc by the rest of its corpus, of which `model` is the model.

    folds=None: the rest is all other sentences; the sentence's own counts are subtracted, exactly. folds=k:
    sentence s, from 0, is in fold s mod k, and the rest is the other folds.
    """
    if folds is None:
        return Lisca(model, options).scores(corpus, leave_out=True)
    if not 2 <= folds <= max(corpus.n_sentences, 1):
        raise OptionError(f"folds {folds}; expected 2..{corpus.n_sentences}, the number of sentences")
    scores = np.empty(corpus.n_words)
    for fold in range(folds):
        rows = np.flatnonzero(corpus.sentence % folds == fold)
        part = corpus.select(np.arange(fold, corpus.n_sentences, folds))
        counter = ArcCounter(model.settings)
        counter.add(part)
        rest = subtract_model(model, counter.model([Source(f"fold {fold}", part.n_sentences, part.n_words)]))
        scores[rows] = Lisca(rest, options).scores(part)
    return scores


def self_scorer(
    corpus: Corpus, settings: Settings, options: LiscaOptions | None = None, folds: int | None = None
) -> Scorer:
    """A scorer for the arcs of one corpus by the rest of it; its reasons are those of folds=None."""
    model = count_arcs(corpus, settings, "self")
    lisca = Lisca(model, options)
    return Scorer(
        "lisca",
        f"{lisca.signature}|{'self' if folds is None else f'folds:{folds}'}",
        lambda same: self_scores(same, model, options, folds),
        lisca,
        leave_out=True,
    )
