"""The rivals of LISCA (2013 §3): random, length, and three by association of dependent and head.

PTR, LTR and LPTR tell how strongly a dependent and its relation to a head attract each other:

    NPMI(fd,fh,t) = ln( p(fd,fh,t) / (p(X,fh,t)·p(fd)) ) / −ln p(fd,fh,t)

p is over all arcs of the reference, p(fd) the share of arcs whose dependent is fd, and the artificial root is a head
of its own. fd and fh are tags for PTR and word forms for LTR. LPTR is both together, in one of READINGS. A triplet
never seen gets −1; one that is all there is, 0/0, gets 1, the limit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError
from treegauge.models.lisca.chains import CodedArcs, recode
from treegauge.models.lisca.counts import form_triplets
from treegauge.models.lisca.reference import (
    CHAINS,
    TRIPLETS,
    Counts,
    Reference,
    chain_parts,
    counted_columns,
    triplet_keys,
)
from treegauge.models.lisca.reference import FORM_D_AT as D_AT
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


UNSEEN = -1.0
# what LPTR makes of LTR and PTR
READINGS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "printed": lambda ltr, ptr: ltr * ptr,  # as in the paper: two negative scores give a positive one
    "sum": lambda ltr, ptr: ltr + ptr,
    "shifted": lambda ltr, ptr: (1 + ltr) / 2 * (1 + ptr) / 2,  # both from 0 to 1 first
}


def npmi(triplets: Counts, keys: np.ndarray) -> np.ndarray:
    """NPMI of the triplets with these keys."""
    total = triplets.counts.sum()
    of_head = Counts.of(triplets.keys & (1 << D_AT) - 1, triplets.counts)
    of_dependent = Counts.of(triplets.keys >> D_AT, triplets.counts)
    joint = triplets.find(keys) / total
    head = of_head.find(keys & (1 << D_AT) - 1) / total
    dependent = of_dependent.find(keys >> D_AT) / total
    seen = joint > 0
    certain = joint == 1
    score = np.full(len(keys), UNSEEN)
    score[certain] = 1.0
    some = seen & ~certain
    score[some] = np.log(joint[some] / (head[some] * dependent[some])) / -np.log(joint[some])
    return score


def ptr_scores(corpus: Corpus, reference: Reference) -> np.ndarray:
    """PTR: triplets of tags, which any model has in its chains."""
    d, h, t, _, _ = chain_parts(reference.tables[CHAINS].keys)
    triplets = Counts.of(triplet_keys(d, h, t), reference.tables[CHAINS].counts)
    d, h, t, _, _ = chain_parts(CodedArcs.of(corpus, reference).chains)
    return npmi(triplets, triplet_keys(d, h, t))


def ltr_scores(corpus: Corpus, reference: Reference) -> np.ndarray:
    """LTR: triplets of word forms, which a model has if it was built with them."""
    if TRIPLETS not in reference.tables:
        raise ModelError("this model has no word forms; build one with --forms for the scorers ltr and lptr")
    form = recode(corpus, "form", reference.forms)
    relation = CodedArcs.of(corpus, reference).labels["D"]
    return npmi(reference.tables[TRIPLETS], form_triplets(corpus, form, relation))


def lptr_scores(corpus: Corpus, reference: Reference, reading: str = "printed") -> np.ndarray:
    """LPTR: LTR and PTR together, in one of READINGS."""
    return READINGS[reading](ltr_scores(corpus, reference), ptr_scores(corpus, reference))


# name -> scores of a corpus by a reference
NPMI: dict[str, Callable[[Corpus, Reference], np.ndarray]] = {
    "ptr": ptr_scores,
    "ltr": ltr_scores,
    "lptr": lptr_scores,
    "lptr-sum": partial(lptr_scores, reading="sum"),
    "lptr-shifted": partial(lptr_scores, reading="shifted"),
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
