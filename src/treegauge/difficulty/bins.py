"""Rankings of arcs in equal bins, and how accurate the parser is in each (2020 §5.1–5.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from treegauge.arcs.lisca import Lisca
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal
from treegauge.errors import OptionError
from treegauge.judging.measures import right_arcs
from treegauge.ranking.ranking import RELIABLE, rank_arcs
from treegauge.scorers.registry import length_scores
from treegauge.tables import Table

PARSED, GOLD, LENGTH = "lisca_parsed", "lisca_gold", "length"


@dataclass(frozen=True)
class BinnedRanking:
    """Arcs of a corpus in the reliable order, cut into equal bins."""

    name: str
    corpus: Corpus = field(repr=False)
    rows: np.ndarray = field(repr=False)
    bin: np.ndarray = field(repr=False)
    score: np.ndarray = field(repr=False)
    right: np.ndarray | None = field(repr=False)  # None where there is nothing to compare with
    bins: int
    signature: str

    def members(self, number: int) -> np.ndarray:
        """Places, in the ranking, of the arcs of a bin."""
        return np.flatnonzero(self.bin == number)

    @property
    def accuracy(self) -> list[float | None]:
        """The share of right arcs in each bin; None for an empty bin, or where nothing is known."""
        return [
            None if self.right is None or len(places) == 0 else float(self.right[places].mean())
            for places in (self.members(number) for number in range(1, self.bins + 1))
        ]

    @property
    def trend(self) -> tuple[float | None, float | None]:
        """Spearman's ρ of bin and accuracy over the bins that have arcs, and its p-value; −1: it always falls.

        None where fewer than three bins have arcs, or all have the same accuracy.
        """
        known = [(k, value) for k, value in enumerate(self.accuracy) if value is not None]
        if len(known) < 3 or len({value for _, value in known}) == 1:
            return None, None
        from scipy.stats import spearmanr  # type: ignore[import-untyped]

        found = spearmanr([k for k, _ in known], [value for _, value in known])
        return float(found.statistic), float(found.pvalue)


def binned_rankings(
    lisca: Lisca,
    gold: Corpus | None,
    system: Corpus | None,
    *,
    relations: Sequence[str] | None = None,
    bins: int = 10,
    root_arcs: bool = True,
    bins_of_all: bool = False,
) -> list[BinnedRanking]:
    """The rankings that can be made of what is there.

    lisca_parsed: the system's arcs, right when gold has them. lisca_gold and length: gold's arcs, right when the system
    has them; by length the shortest come first, equal ones in corpus order, and root arcs, which have no length, are
    left out. relations: only arcs with these relations on their own side; a side without any has an empty ranking.
    root_arcs=False leaves out arcs from the artificial root everywhere.
    """
    if gold is None and system is None:
        raise OptionError("neither gold nor a system's output; expected one at least")
    sides = [corpus for corpus in (gold, system) if corpus is not None]
    if relations is not None and not any(_has(corpus, relations) for corpus in sides):
        known = sorted({name for corpus in sides for name in corpus.relations().names})
        raise OptionError(f"no arc has relation {', '.join(relations)}; there are {', '.join(known)}")
    right = None if gold is None or system is None else right_arcs(gold, system)
    found = []

    def add(name: str, corpus: Corpus, scores: np.ndarray, signature: str) -> None:
        scores = scores if root_arcs else np.where(corpus.head == 0, np.nan, scores)
        if relations is not None and not _has(corpus, relations):
            scores = np.full(corpus.n_words, np.nan)
            ranking = rank_arcs(corpus, scores, signature, order=RELIABLE, bins=bins)
        else:
            ranking = rank_arcs(
                corpus, scores, signature, order=RELIABLE, relations=relations, bins=bins, bins_of_all=bins_of_all
            )
        of_rows = None if right is None else right[ranking.row]
        found.append(BinnedRanking(name, corpus, ranking.row, ranking.bin, ranking.score, of_rows, bins, signature))

    if system is not None:
        add(PARSED, system, lisca.scores(system), lisca.signature)
    if gold is not None:
        add(GOLD, gold, lisca.scores(gold), lisca.signature)
        add(LENGTH, gold, length_scores(gold), "length")
    return found


def _has(corpus: Corpus, relations: Sequence[str]) -> bool:
    """Whether the corpus has an arc of one of these relations."""
    wanted = [k for k, label in enumerate(corpus.labels["deprel"]) if {label, universal(label)} & set(relations)]
    return bool(np.isin(corpus.codes["deprel"], wanted).any())


def _mean(values: np.ndarray) -> float | None:
    """The mean, None of none or where it is infinite."""
    mean = float(values.mean()) if len(values) else math.nan
    return mean if math.isfinite(mean) else None


def bins_table(title: str, rankings: Sequence[BinnedRanking], signature: str) -> Table:
    """Each bin of each ranking: its arcs, right ones, accuracy, mean log score and mean length (2020, Figures 4, 5)."""
    rows = []
    for ranking in rankings:
        length = ranking.corpus.arc_length[ranking.rows]
        is_root = ranking.corpus.head[ranking.rows] == 0
        for number, accuracy in enumerate(ranking.accuracy, 1):
            places = ranking.members(number)
            right = None if ranking.right is None else int(ranking.right[places].sum())
            inner = places[~is_root[places]]
            score = None if ranking.name == LENGTH else _mean(ranking.score[places])
            rows.append((ranking.name, number, len(places), right, accuracy, score, _mean(length[inner])))
    columns = (
        ("ranking", "text"),
        ("bin", "count"),
        ("n_arcs", "count"),
        ("n_right", "count"),
        ("accuracy", "percent"),
        ("mean_log_score", "p"),
        ("mean_length", "p"),
    )
    return Table(title, columns, tuple(rows), signature)


def trend_table(title: str, rankings: Sequence[BinnedRanking], signature: str) -> Table:
    """Does accuracy fall from bin to bin? First and last bin, Spearman's ρ of bin and accuracy, p-value."""
    rows = []
    for ranking in rankings:
        if ranking.right is None:
            continue
        accuracy, (rho, p) = ranking.accuracy, ranking.trend
        whole = float(ranking.right.mean()) if len(ranking.right) else None
        rows.append((ranking.name, len(ranking.rows), whole, accuracy[0], accuracy[-1], rho, p))
    columns = (
        ("ranking", "text"),
        ("n_arcs", "count"),
        ("accuracy", "percent"),
        ("first_bin", "percent"),
        ("last_bin", "percent"),
        ("spearman", "p"),
        ("p_value", "p"),
    )
    return Table(title, columns, tuple(rows), signature)
