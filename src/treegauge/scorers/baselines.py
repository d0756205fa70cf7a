"""The rivals of LISCA (2013 §3): random, length, and three by association of dependent and head."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.lisca import npmi
from treegauge.models.lisca.reference import Reference, counted_columns
from treegauge.scorers.scorer import Scorer
from treegauge.version import signature


def length_scores(corpus: Corpus) -> np.ndarray:
    """LS: minus the length of each arc; root arcs have none and are not ranked."""
    return np.where(corpus.head == 0, np.nan, -corpus.arc_length.astype(float))


class LengthScorer(Scorer):
    """LS: short arcs first."""

    meaning = "log score is minus the length of the arc"

    def __init__(self) -> None:
        super().__init__("length", signature("length"))

    def scores(self, corpus: Corpus) -> np.ndarray:
        """Minus the length of each arc."""
        return length_scores(corpus)


class RandomScorer(Scorer):
    """RS: a number from 0 to 1 for every arc, the same for the same place of the same corpus."""

    meaning = "log score is drawn by chance"

    def __init__(self, seed: int = 0) -> None:
        super().__init__("random", signature("random", f"seed:{seed}"))
        self.seed = seed

    def scores(self, corpus: Corpus) -> np.ndarray:
        """Numbers drawn with the seed; a piece of a stream gets those that the whole would have there."""
        bits = np.random.PCG64(self.seed)
        bits.advance(corpus.words_before)  # one draw a number
        return np.random.Generator(bits).random(corpus.n_words)


# name -> scores of a corpus by a reference
NPMI: dict[str, Callable[[Corpus, Reference], np.ndarray]] = {
    "ptr": npmi.ptr_scores,
    "ltr": npmi.ltr_scores,
    "lptr": npmi.lptr_scores,
    "lptr-sum": partial(npmi.lptr_scores, reading="sum"),
    "lptr-shifted": partial(npmi.lptr_scores, reading="shifted"),
}


class NpmiScorer(Scorer):
    """PTR, LTR and LPTR: how strongly a dependent and its relation to a head attract each other."""

    meaning = "log score is how strongly a dependent and its relation attract the head, from -1 to 1"

    def __init__(self, name: str, reference: Reference) -> None:
        settings = reference.settings
        subtypes = "yes" if settings.subtypes else "no"
        parts = name, f"ref:{reference.signature}", f"pos:{settings.pos}", f"subtypes:{subtypes}"
        super().__init__(name, signature(*parts), counted_columns(settings))
        self._scores, self._counts = NPMI[name], reference

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The association of each arc's dependent with its head and relation."""
        return self._scores(corpus, self._counts)
