"""How well a ranking puts wrong arcs last (2013 §4–6)."""

import numpy as np

from treegauge.arcs.ranking import reliable_order
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal
from treegauge.errors import CorpusError


def right_arcs(gold: Corpus, system: Corpus) -> np.ndarray:
    """Whether head and universal relation of each arc of the system are those of gold, which has the same words."""
    if not np.array_equal(gold.start, system.start):
        raise CorpusError(f"{gold.path} and {system.path} do not have the same words")
    relation = [
        np.array([universal(label) for label in corpus.labels["deprel"]])[corpus.codes["deprel"]]
        for corpus in (gold, system)
    ]
    return np.asarray((gold.head == system.head) & (relation[0] == relation[1]))


def roc_auc(scores: np.ndarray, right: np.ndarray) -> float:
    """The share of pairs of a right and a wrong arc in which the right one has the higher score; ties count half."""
    values, inverse = np.unique(scores, return_inverse=True)
    n_right = np.bincount(inverse[right], minlength=len(values))
    n_wrong = np.bincount(inverse[~right], minlength=len(values))
    wrong_below = np.cumsum(n_wrong) - n_wrong
    pairs = int(n_right.sum()) * int(n_wrong.sum())
    return float((n_right * (wrong_below + n_wrong / 2)).sum() / pairs) if pairs else float("nan")


def errors_in_worst(scores: np.ndarray, right: np.ndarray, share: float) -> float:
    """The share of all wrong arcs that are in the last `share` of the ranking (2013, Table 3)."""
    worst = reliable_order(scores)[::-1][: round(share * len(scores))]
    wrong = int((~right).sum())
    return float((~right)[worst].sum() / wrong) if wrong else float("nan")
