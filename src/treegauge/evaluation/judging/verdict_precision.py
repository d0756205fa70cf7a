"""How many of the first arcs of a ranking are errors, by people's verdicts instead of gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.ranking.scored import reliable_order, score
from treegauge.ranking.verdicts import ACCEPT, ERROR, UNSURE, VERDICTS, Verdict, VerdictError, verdict_codes
from treegauge.scorers.scorer import Scorer
from treegauge.tables import Table, Tabular
from treegauge.wording import counted


@dataclass(frozen=True, slots=True)
class Precision:
    """The verdicts on the k most suspicious arcs of a ranking."""

    k: int
    errors: int
    accepted: int
    unsure: int

    @property
    def precision(self) -> float | None:
        """errors / (errors + accepted); None if there are neither errors nor accepted arcs."""
        decided = self.errors + self.accepted
        return self.errors / decided if decided else None


def steps(n: int) -> list[int]:
    """The numbers 10, 20, 50, 100, … below n, and n."""
    series = (digit * 10**power for power in range(1, 19) for digit in (1, 2, 5))
    return [*takewhile(lambda k: k < n, series), n]


def precision_at(scores: np.ndarray, codes: np.ndarray, ks: Sequence[int]) -> list[Precision]:
    """The verdicts on the k most suspicious arcs, for each k; arcs without a score are not ranked.

    codes: the codes of `verdict_codes`. Arcs without a verdict are among the k arcs, but are not counted.
    """
    ranked = reliable_order(scores)
    ranked = ranked[~np.isnan(scores[ranked])][::-1]
    precisions = []
    for k in ks:
        here = codes[ranked[:k]]
        errors, accepted, unsure = (int((here == VERDICTS.index(v) + 1).sum()) for v in (ERROR, ACCEPT, UNSURE))
        precisions.append(Precision(k, errors, accepted, unsure))
    return precisions


def judge_by_verdicts(
    source: CorpusSource, verdicts: Sequence[Verdict], scorers: Sequence[Scorer], *, root_arcs: bool = True
) -> VerdictPrecision:
    """The precision at 10, 20, 50, … of each ranking of a system's arcs, until all verdicts are counted."""
    corpus = as_corpus(source)
    codes = verdict_codes(corpus, verdicts)
    fitting = int((codes > 0).sum())
    if fitting == 0:
        raise VerdictError(f"not one of {counted(len(verdicts), 'verdict')} is about an arc of {corpus.path}")
    rows = []
    for scorer in scorers:
        scores = score(corpus, scorer).scores
        scores = scores if root_arcs else np.where(corpus.head == 0, np.nan, scores)
        ranked = int((~np.isnan(scores)).sum())
        judged = int((codes[~np.isnan(scores)] > 0).sum())
        for top in precision_at(scores, codes, steps(ranked)):
            verdicts_met = top.errors + top.accepted + top.unsure
            rows.append((scorer.name, top.k, verdicts_met, top.errors, top.accepted, top.unsure, top.precision))
            if verdicts_met == judged:
                break
    signature = " ; ".join(scorer.signature for scorer in scorers)
    return VerdictPrecision(corpus.path, tuple(rows), signature, len(verdicts), len(verdicts) - fitting)


@dataclass(frozen=True, slots=True, repr=False)
class VerdictPrecision(Tabular):
    """How many of the first arcs of each ranking are errors."""

    path: str
    rows: tuple[tuple[Any, ...], ...]
    signature: str
    verdicts: int
    strangers: int  # how many verdicts are about arcs that the corpus does not have

    def table(self) -> Table:
        """One row for each scorer and k."""
        counts = ("k", "judged", "errors", "accepted", "unsure")
        columns = (("scorer", "text"), *((name, "count") for name in counts), ("precision", "percent"))
        title = f"Errors among the k most suspicious arcs of {self.path}"
        return Table(title, columns, self.rows, self.signature, "precision")
