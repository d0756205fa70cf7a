"""Cuts rankings of arcs into equal bins, and measures how accurate the parser is in each (2020 §5.1–5.2)."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treegauge.corpus.compare.comparison import Unmatched, side_by_side
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.errors import OptionError
from treegauge.models.model import Model
from treegauge.ranking.ranking import Ranking
from treegauge.ranking.scored import RELIABLE, Listing, Scored, score
from treegauge.scorers.baselines import LengthScorer
from treegauge.scorers.registry import as_scorer
from treegauge.scorers.scorer import Scorer
from treegauge.statistics import spearman
from treegauge.tables import Table, Tabular, column_kinds

PARSED, GOLD, LENGTH = "lisca_parsed", "lisca_gold", "length"


@dataclass(frozen=True)
class BinnedRanking:
    """Arcs of a corpus in the reliable order, cut into equal bins."""

    name: str
    ranking: Ranking = field(repr=False)
    right: np.ndarray | None = field(repr=False)  # None if there is nothing to compare with
    bins: int

    @property
    def corpus(self) -> Corpus:
        """The corpus whose arcs are ranked."""
        return self.ranking.scored.corpus

    @property
    def signature(self) -> str:
        """The settings behind the scores."""
        return LENGTH if self.name == LENGTH else self.ranking.scored.signature

    def members(self, number: int) -> np.ndarray:
        """The places, in the ranking, of the arcs of a bin."""
        return np.flatnonzero(self.ranking.bin == number)

    @property
    def accuracy(self) -> list[float | None]:
        """The share of right arcs in each bin; None for an empty bin, or if it is not known which arcs are right."""
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
        return spearman([k for k, _ in known], [value for _, value in known])


@dataclass(frozen=True, repr=False)
class Bins(Tabular):
    """The rankings that can be made of gold, a system's output, or both, in equal bins."""

    title: str
    rankings: tuple[BinnedRanking, ...]
    left_out: Unmatched  # words that only gold or only the system has

    def table(self) -> Table:
        """A row for each bin of each ranking."""
        return self.tables()[0]

    def tables(self) -> list[Table]:
        """The table of the bins; and, if it is known which arcs are right, whether accuracy falls over the bins."""
        first = self.rankings[0]
        signature = f"bins:{first.bins}|{first.signature}"
        tables = [bins_table(f"{self.title}: bins", self.rankings, signature)]
        if any(ranking.right is not None for ranking in self.rankings):
            tables.append(trend_table(f"{self.title}: accuracy over bins", self.rankings, signature))
        return tables

    def chosen(self, asked: str | None = None) -> BinnedRanking:
        """The ranking asked for (gold, parsed or length); else that of gold, or of the system if there is no gold."""
        by_name = {each.name.removeprefix("lisca_"): each for each in self.rankings}
        name = asked or ("gold" if "gold" in by_name else "parsed")
        if name not in by_name:
            raise OptionError(f"ranking {name!r}; what is given allows {', '.join(by_name)}")
        return by_name[name]

    def only(self, names: Sequence[str]) -> Bins:
        """The same with the rankings of these names: gold, parsed, length."""
        return replace(self, rankings=tuple(self.chosen(name) for name in dict.fromkeys(names)))


def difficulty_bins(
    gold: CorpusSource | None,
    system: CorpusSource | None,
    by: Scorer | Model | str | os.PathLike[str],
    *,
    relations: Sequence[str] | None = None,
    bins: int = 10,
    root_arcs: bool = True,
    bins_of_all: bool = False,
    name: str = "",
) -> Bins:
    """The rankings that gold, a system's output or both allow, by a scorer or by LISCA over a model.

    lisca_parsed: the system's arcs, right when gold has them. lisca_gold and length: gold's arcs, right when the system
    has them; by length the shortest come first, equal ones in corpus order, and root arcs, which have no length, are
    left out. relations: only arcs with these relations on their own side; a side without any has an empty ranking.
    root_arcs=False leaves out arcs from the artificial root everywhere. Where gold and system have other words they are
    aligned as in `evaluate`, and arcs of words that only one of them has are left out.
    """
    corpora = [None if source is None else as_corpus(source) for source in (gold, system)]
    sides = [corpus for corpus in corpora if corpus is not None]
    if not sides:
        raise OptionError("neither gold nor a system's output; expected one at least")
    listing = Listing(RELIABLE, None, relations, bins, bins_of_all)
    relations = listing.relations
    if not any(listing.wants(corpus).any() for corpus in sides):
        known = sorted({universal(label) for corpus in sides for label in corpus.labels["deprel"]})
        raise OptionError(f"no arc has relation {', '.join(relations or ())}; there are {', '.join(known)}")
    scorer = as_scorer(by)
    of_gold, of_system = corpora
    left_out, right_gold, right_system = _right_on_both(of_gold, of_system)
    rankings = []
    if of_system is not None:
        rankings.append(_binned(PARSED, score(of_system, scorer), right_system, listing, root_arcs))
    if of_gold is not None:
        rankings.append(_binned(GOLD, score(of_gold, scorer), right_gold, listing, root_arcs))
        rankings.append(_binned(LENGTH, score(of_gold, LengthScorer()), right_gold, listing, root_arcs))
    what = "all arcs" if relations is None else ", ".join(relations)
    return Bins(f"{name or sides[0].path}, {what}", tuple(rankings), left_out)


# for the arcs of one side: whether the other side has them (None if there is no other side); whether it has the words
_Right = tuple[np.ndarray | None, np.ndarray | bool]


def _right_on_both(gold: Corpus | None, system: Corpus | None) -> tuple[Unmatched, _Right, _Right]:
    """The words that one side lacks; which arcs of gold are right, and which arcs of the system."""
    if gold is None or system is None:
        return Unmatched(), (None, True), (None, True)
    comparison = side_by_side(system, gold)
    right = np.append(comparison.right, False)[comparison.partner]  # a word without a partner has the row -1
    return comparison.unmatched, (right, comparison.partner >= 0), (comparison.right, comparison.present)


def _binned(name: str, scored: Scored, known: _Right, listing: Listing, root_arcs: bool) -> BinnedRanking:
    """The ranking of the listed arcs in bins; arcs that are left out get no score."""
    corpus, (right, words) = scored.corpus, known
    has_any = bool(listing.wants(corpus).any())
    left_out = (corpus.head == 0) & (not root_arcs) | (not has_any) | ~np.asarray(words)
    scored = replace(scored, scores=np.where(left_out, np.nan, scored.scores))
    relations = listing.relations if has_any else None
    ranking = scored.rank(RELIABLE, relations=relations, bins=listing.bins, bins_of_all=listing.bins_of_all)
    return BinnedRanking(name, ranking, None if right is None else right[ranking.row], listing.bins)


def _mean(values: np.ndarray) -> float | None:
    """The mean; None if there are no values, or if it is infinite."""
    mean = float(values.mean()) if len(values) else math.nan
    return mean if math.isfinite(mean) else None


def bins_table(title: str, rankings: Sequence[BinnedRanking], signature: str) -> Table:
    """A row for each bin: its arcs, right ones, accuracy, mean log score and mean length (2020, Figures 4, 5)."""
    rows = []
    for ranking in rankings:
        arcs, scores = ranking.ranking.row, ranking.ranking.score
        length = ranking.corpus.arc_length[arcs]
        is_root = ranking.corpus.head[arcs] == 0
        for number, accuracy in enumerate(ranking.accuracy, 1):
            places = ranking.members(number)
            right = None if ranking.right is None else int(ranking.right[places].sum())
            inner = places[~is_root[places]]
            score = None if ranking.name == LENGTH else _mean(scores[places])
            rows.append((ranking.name, number, len(places), right, accuracy, score, _mean(length[inner])))
    columns = column_kinds(
        "ranking text, bin count, n_arcs count, n_right count, accuracy percent, mean_log_score p, mean_length p"
    )
    return Table(title, columns, tuple(rows), signature, "bins")


def trend_table(title: str, rankings: Sequence[BinnedRanking], signature: str) -> Table:
    """Whether accuracy falls over the bins: the first and last bin, Spearman's ρ of bin and accuracy, p-value."""
    rows = []
    for ranking in rankings:
        if ranking.right is None:
            continue
        accuracy, (rho, p) = ranking.accuracy, ranking.trend
        whole = float(ranking.right.mean()) if len(ranking.right) else None
        rows.append((ranking.name, len(ranking.ranking), whole, accuracy[0], accuracy[-1], rho, p))
    columns = column_kinds(
        "ranking text, n_arcs count, accuracy percent, first_bin percent, last_bin percent, spearman p, p_value p"
    )
    return Table(title, columns, tuple(rows), signature, "trend")
