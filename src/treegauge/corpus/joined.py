"""A column of two corpora under one table of labels, so that codes can be compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal


@dataclass(frozen=True, slots=True)
class Joined:
    """A column of both sides under one table of labels."""

    gold: np.ndarray
    system: np.ndarray
    labels: tuple[str, ...]

    @property
    def same(self) -> np.ndarray:
        """Of each row, if both sides have the same rows: whether its label is the same."""
        return np.asarray(self.gold == self.system)


def join_column(gold: Corpus, system: Corpus, column: str, change: Callable[[str], str] = str) -> Joined:
    """The codes of a column of both sides, each label changed by a function first."""
    table: dict[str, int] = {}
    sides = []
    for corpus in (gold, system):
        labels = [table.setdefault(change(label), len(table)) for label in corpus.labels[column]]
        sides.append(np.array(labels, np.int32)[corpus.codes[column]])
    return Joined(sides[0], sides[1], tuple(table))


def join_relations(gold: Corpus, system: Corpus, *, subtypes: bool = False) -> Joined:
    """The relations of both sides: right ones are the same up to the first colon, or with `subtypes` wholly."""
    return join_column(gold, system, "deprel", str if subtypes else universal)
