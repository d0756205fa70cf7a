"""How plausible changed arcs and tags were, and are: the old annotation, laid over the new words, and the new one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treegauge.corpus.conllu import Columns, Corpus
from treegauge.corpus.joined import join_column
from treegauge.differences.changes import Versions
from treegauge.differences.matching import SAME
from treegauge.scorers.scorer import Scorer


@dataclass(frozen=True, slots=True)
class Plausibility:
    """log p before and after of each changed arc and tag; NaN where words were cut otherwise, or it is not known."""

    arcs: np.ndarray  # two columns
    tags: np.ndarray
    signature: str


def old_over_new(found: Versions) -> Corpus:
    """The new corpus with the old annotation in every sentence that has the same words."""
    old, new, matching = found.old, found.new, found.matching
    rows = np.flatnonzero((matching.new_state == SAME)[new.sentence])
    of_old = matching.word[rows]
    head, codes, labels = new.head.copy(), {}, {}
    head[rows] = old.head[of_old]
    for column in new.codes:
        joined = join_column(old, new, column)
        codes[column] = joined.system.copy()
        codes[column][rows] = joined.gold[of_old]
        labels[column] = joined.labels
    checked = head if old.checked is old.head and new.checked is new.head else None
    return replace(new, head=head, codes=Columns(codes), labels=Columns(labels), checked=checked, defects=())


def plausibility(found: Versions, scorer: Scorer, *, whole: bool) -> Plausibility:
    """log p of the old and of the new arcs and tags, by one scorer.

    whole: score all sentences, as a scorer must that judges a corpus by itself, not only those with changes.
    """
    arcs, tags = np.full((len(found.arcs), 2), np.nan), np.full((len(found.tags), 2), np.nan)
    sentences = np.unique(found.new.sentence[np.concatenate([found.arcs, found.tags])])
    if len(sentences):
        for k, side in enumerate((old_over_new(found), found.new)):
            part = side if whole else side.select(sentences)
            arcs[:, k] = scorer.scores(part)[_places(side, sentences, found.arcs, whole)]
            choices = scorer.tag_choices(part) if scorer.tag_choices else None
            if choices is not None:
                tags[:, k] = choices.log_prob[_places(side, sentences, found.tags, whole)]
        same = found.matching.new_state == SAME
        arcs[~same[found.new.sentence[found.arcs]], 0] = np.nan
        tags[~same[found.new.sentence[found.tags]], 0] = np.nan
    return Plausibility(arcs, tags, scorer.signature)


def _places(side: Corpus, sentences: np.ndarray, rows: np.ndarray, whole: bool) -> np.ndarray:
    """Where rows of a corpus are among the words of these sentences, or of all."""
    if whole:
        return rows
    length = np.diff(side.start)[sentences]
    at = np.searchsorted(sentences, side.sentence[rows])
    return (np.cumsum(length) - length)[at] + rows - side.start[side.sentence[rows]]
