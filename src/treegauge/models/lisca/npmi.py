"""PTR, LTR, LPTR: how strongly a dependent and its relation to a head attract each other (2013 §3).

    NPMI(fd,fh,t) = ln( p(fd,fh,t) / (p(X,fh,t)·p(fd)) ) / −ln p(fd,fh,t)

p is over all arcs of the reference, p(fd) the share of arcs whose dependent is fd, and the artificial root is a head
of its own. fd and fh are tags for PTR and word forms for LTR. LPTR is both together, in one of READINGS. A triplet
never seen gets −1; one that is all there is, 0/0, gets 1, the limit.
"""

from collections.abc import Callable

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError
from treegauge.models.lisca.chains import CodedArcs, recode
from treegauge.models.lisca.counts import form_triplets
from treegauge.models.lisca.reference import CHAINS, TRIPLETS, Counts, Reference, chain_parts, triplet_keys
from treegauge.models.lisca.reference import FORM_D_AT as D_AT

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
