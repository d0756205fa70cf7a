"""Which arcs are listed, in which order; ranks and bins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal
from treegauge.errors import OptionError

RELIABLE, SUSPICIOUS, CORPUS = "reliable", "suspicious", "corpus"
ORDERS = (RELIABLE, SUSPICIOUS, CORPUS)
BINS = 10


@dataclass(frozen=True, slots=True)
class Listing:
    """What is asked of a ranking.

    relations: only these, a name with a subtype (`nsubj:pass`) for just that, without one for all its subtypes; ranks
    and bins are then those among them, unless bins_of_all. top: only the first so many of the order. accuracy: only the
    most reliable, as many as are right at this rate by their probabilities.
    """

    order: str = SUSPICIOUS
    top: int | None = None
    relations: Sequence[str] | None = None
    bins: int = BINS
    bins_of_all: bool = False
    accuracy: float | None = None

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise OptionError(f"order {self.order!r}; expected one of {', '.join(ORDERS)}")
        if self.bins < 1:
            raise OptionError(f"bins {self.bins}; expected 1 or more")
        if self.top is not None and self.top < 0:
            raise OptionError(f"top {self.top}; expected 0 or more")
        if self.relations is not None:  # a string is one name, not its characters
            names = (self.relations,) if isinstance(self.relations, str) else tuple(self.relations)
            object.__setattr__(self, "relations", names)

    def wants(self, corpus: Corpus) -> np.ndarray:
        """Whether each arc has one of the relations asked for."""
        if self.relations is None:
            return np.ones(corpus.n_words, dtype=bool)
        labels = corpus.labels["deprel"]
        wanted = [label in self.relations or universal(label) in self.relations for label in labels]
        return np.array(wanted, dtype=bool)[corpus.codes["deprel"]] if wanted else np.zeros(0, dtype=bool)

    def check_relations(self, labels: Iterable[str]) -> None:
        """Refuse relations none of which is among the labels of a corpus."""
        relations = self.relations
        if relations is not None and not any(label in relations or universal(label) in relations for label in labels):
            raise OptionError(f"no arc has relation {', '.join(relations)}; there are {', '.join(sorted(labels))}")


def reliable_order(scores: np.ndarray) -> np.ndarray:
    """Rows by descending score, equal scores in corpus order; the suspicious order is its exact reverse."""
    return np.argsort(-scores, kind="stable")


def bin_of(position: np.ndarray, n: int, bins: int) -> np.ndarray:
    """⌊i·bins/n⌋ + 1 for the arc at position i, from 0, of n: bin 1 holds the most reliable."""
    return position * bins // max(n, 1) + 1
