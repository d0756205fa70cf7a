"""How well a ranking puts wrong arcs last (2013 §4–6): one number, or one per part of the ranking."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.corpus.joined import join_column, join_relations
from treegauge.errors import CorpusError, OptionError
from treegauge.ranking.listing import reliable_order


def right_arcs(gold: Corpus, system: Corpus) -> np.ndarray:
    """Whether head and universal relation of each arc of the system are those of gold, which has the same words.

    Words are compared by their number in each sentence, and by their forms where both corpora were read with them.
    """
    different = f"{gold.path} and {system.path} do not have the same words"
    if not np.array_equal(gold.start, system.start):
        raise CorpusError(different)
    if "form" in gold.codes and "form" in system.codes:
        form = join_column(gold, system, "form")
        if not form.same.all():
            w = int(np.argmin(form.same))
            raise CorpusError(
                f"{different}: sentence {gold.number[gold.sentence[w]]}, word {gold.position[w]}: "
                f"{gold.value('form', w)!r} and {system.value('form', w)!r}"
            )
    return np.asarray((gold.head == system.head) & join_relations(gold, system).same)


def roc_auc(scores: np.ndarray, right: np.ndarray) -> float:
    """The share of pairs of a right and a wrong arc in which the right one has the higher score; ties count half.

    NaN where all arcs are right or all wrong: there is no such pair.
    """
    return Curve.of(scores, right).roc_auc(_once(scores))


def average_precision(scores: np.ndarray, right: np.ndarray) -> float:
    """The mean, over right arcs, of the share of right ones among the arcs with at least as high a score.

        AP = Σ_k (R_k − R_{k−1}) · P_k,   k over the distinct scores, descending

    P_k is the LAS of the arcs down to that score, R_k the share of all right arcs among them. What to find are right
    arcs; pass −scores and ~right for wrong ones. NaN where there is nothing to find.
    """
    return Curve.of(scores, right).average_precision(_once(scores))


def errors_in_worst(scores: np.ndarray, right: np.ndarray, share: float) -> float:
    """The share of all wrong arcs that are in the last `share` of the ranking (2013, Table 3)."""
    worst = reliable_order(scores)[::-1][: round(share * len(scores))]
    wrong = int((~right).sum())
    return float((~right)[worst].sum() / wrong) if wrong else float("nan")


def _once(scores: np.ndarray) -> np.ndarray:
    return np.ones(len(scores))


@dataclass(frozen=True, slots=True)
class Curve:
    """Arcs by descending score, ready to be counted with any weights: sorted once, measured often."""

    order: np.ndarray
    ends: np.ndarray  # where each run of equal scores ends
    right: np.ndarray  # in that order

    @staticmethod
    def of(scores: np.ndarray, right: np.ndarray) -> "Curve":
        """The arcs with these scores, none of them NaN."""
        order = reliable_order(scores)
        ordered = scores[order]
        ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1) if len(ordered) else order
        return Curve(order, ends, right[order])

    def found(self, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Right and wrong arcs down to each distinct score, each arc as often as its weight says."""
        weight = weight[self.order]
        right = np.cumsum(np.where(self.right, weight, 0.0))[self.ends]
        return right, np.cumsum(weight)[self.ends] - right

    def roc_auc(self, weight: np.ndarray) -> float:
        """See `roc_auc`."""
        return _roc_auc(*self.found(weight))

    def average_precision(self, weight: np.ndarray) -> float:
        """See `average_precision`."""
        return _average_precision(*self.found(weight))

    def areas(self, weight: np.ndarray) -> tuple[float, float]:
        """Both, counted once."""
        found = self.found(weight)
        return _roc_auc(*found), _average_precision(*found)


def _roc_auc(right: np.ndarray, wrong: np.ndarray) -> float:
    """From right and wrong arcs down to each distinct score."""
    pairs = right[-1] * wrong[-1] if len(right) else 0.0
    here = np.diff(right, prepend=0.0)
    tied = np.diff(wrong, prepend=0.0)
    return float((here * (wrong[-1] - wrong + tied / 2)).sum() / pairs) if pairs else float("nan")


def _average_precision(right: np.ndarray, wrong: np.ndarray) -> float:
    """From right and wrong arcs down to each distinct score."""
    if not len(right) or right[-1] == 0:
        return float("nan")
    share = right / np.maximum(right + wrong, 1e-300)  # before the first arc that counts, nothing is added
    return float((np.diff(right, prepend=0.0) * share).sum() / right[-1])


def bootstrap(
    measures: Callable[[np.ndarray], Sequence[float]],
    sentence: np.ndarray,
    samples: int,
    seed: int = 0,
    level: float = 0.95,
    progress: Callable[[int], None] = lambda done: None,
) -> list[tuple[float, float]]:
    """The interval of each of the measures of weighted arcs over resampled sentences, as (low, high).

    Sentences are drawn with replacement, as many as there are, and an arc weighs as often as its sentence was drawn:
    arcs of one sentence stand or fall together. Percentiles (1 ∓ level)/2 of the values; samples in which a measure is
    NaN are left out, and all NaN give NaN. The same seed draws the same sentences, whatever is measured.
    """
    if samples < 1:
        raise OptionError(f"samples {samples}; expected 1 or more")
    names, place = np.unique(sentence, return_inverse=True)
    rng = np.random.default_rng(seed)
    values = np.full((len(measures(np.ones(len(sentence)))), samples), np.nan)
    for k in range(samples if len(names) else 0):
        drawn = np.bincount(rng.integers(0, len(names), len(names)), minlength=len(names)).astype(float)
        weight = drawn[place]
        values[:, k] = measures(weight)
        progress(1)
    found = []
    for row in values:
        known = row[~np.isnan(row)]
        low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]) if len(known) else (np.nan, np.nan)
        found.append((float(low), float(high)))
    return found
