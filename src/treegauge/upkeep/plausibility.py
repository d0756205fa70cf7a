"""How plausible changed arcs and tags were, and are: the old annotation, laid over the new words, and the new one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treegauge.corpus.columns import Columns
from treegauge.corpus.compare.comparison import join_column
from treegauge.corpus.compare.versions import SAME
from treegauge.corpus.corpus import Corpus
from treegauge.scorers.scorer import Scorer
from treegauge.upkeep.changes import Versions


@dataclass(frozen=True, slots=True)
class Plausibility:
    """log p before and after of each changed arc and tag; NaN where words were cut otherwise, or it is not known."""

    arcs: np.ndarray  # two columns
    tags: np.ndarray
    signature: str


def old_over_new(versions: Versions) -> Corpus:
    """The new corpus with the old annotation in every sentence that has the same words."""
    old, new, matching = versions.old, versions.new, versions.matching
    rows = np.flatnonzero((matching.new_state == SAME)[new.sentence])
    of_old = versions.old_rows(rows)
    head, codes, labels = new.head.copy(), {}, {}
    head[rows] = old.head[of_old]
    for column in new.codes:
        joined = join_column(old, new, column)
        codes[column] = joined.second.copy()
        codes[column][rows] = joined.first[of_old]
        labels[column] = joined.labels
    checked = head if old.checked is old.head and new.checked is new.head else None
    return replace(new, head=head, codes=Columns(codes), labels=Columns(labels), checked=checked, defects=())


def plausibility(versions: Versions, scorer: Scorer, *, whole: bool) -> Plausibility:
    """log p of the old and of the new arcs and tags, by one scorer.

    whole: score all sentences, as a scorer must that judges a corpus by itself, not only those with changes.
    """
    arcs, tags = np.full((len(versions.arcs), 2), np.nan), np.full((len(versions.tags), 2), np.nan)
    sentences = np.unique(versions.new.sentence[np.concatenate([versions.arcs, versions.tags])])
    if len(sentences):
        for k, side in enumerate((old_over_new(versions), versions.new)):
            part = side if whole else side.select(sentences)
            arcs[:, k] = scorer.scores(part)[_places(side, sentences, versions.arcs, whole)]
            choices = scorer.tag_choices(part) if scorer.tag_choices else None
            if choices is not None:
                tags[:, k] = choices.log_prob[_places(side, sentences, versions.tags, whole)]
        same = versions.matching.new_state == SAME
        arcs[~same[versions.new.sentence[versions.arcs]], 0] = np.nan
        tags[~same[versions.new.sentence[versions.tags]], 0] = np.nan
    return Plausibility(arcs, tags, scorer.signature)


def _places(side: Corpus, sentences: np.ndarray, rows: np.ndarray, whole: bool) -> np.ndarray:
    """Where rows of a corpus are among the words of these sentences, or of all."""
    if whole:
        return rows
    length = np.diff(side.start)[sentences]
    at = np.searchsorted(sentences, side.sentence[rows])
    return (np.cumsum(length) - length)[at] + rows - side.start[side.sentence[rows]]
