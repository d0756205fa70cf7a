"""Read and score the arcs of a system beside gold, piece by piece; only a few arrays of all arcs stay in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.compare.comparison import Comparison, SameWords, Unmatched, side_by_side
from treegauge.corpus.compare.in_step import same_sentences
from treegauge.corpus.conllu import CorpusSource, as_corpus, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import STDIN
from treegauge.corpus.growing_arrays import GrowingArrays
from treegauge.errors import CorpusError
from treegauge.evaluation.judging.gold_ranking import ArcOrder, GoldRanking, Truth, gold_ranking
from treegauge.explanations import Alternatives
from treegauge.progress import Stages, silent
from treegauge.scorers.scorer import Scorer


@dataclass(frozen=True)
class GoldArcs:
    """The arcs of a system as several scorers rank them, and which of them are right."""

    gold: str
    system: str
    truth: Truth
    orders: list[ArcOrder]  # one for each scorer
    suggestions: list[SuggestionHits]  # one for each scorer that has alternatives
    left_out: Unmatched  # words that only one side has

    def rankings(self, root_arcs: bool) -> list[GoldRanking]:
        """The rankings, with or without root arcs."""
        return [gold_ranking(order, self.truth, root_arcs=root_arcs) for order in self.orders]


def score_beside_gold(
    gold: CorpusSource, system: CorpusSource, scorers: Sequence[Scorer], stages: Stages = silent
) -> GoldArcs:
    """The arcs of a system as scorers rank them, and which of them are right; only words that both have count.

    Files with the same words are read side by side, one piece at a time; other files are aligned as a whole. Raises
    CorpusError if the texts are not the same.
    """
    if not (_can_be_read_again(gold) and _can_be_read_again(system)):
        gold, system = as_corpus(gold), as_corpus(system)
    columns = tuple(dict.fromkeys(["form", "deprel", *(name for scorer in scorers for name in scorer.columns)]))
    with stages("scoring", None) as progress:
        arcs = _in_step(_pieces(gold, ("form", "deprel")), _pieces(system, columns), scorers, progress)
        if arcs is None:
            arcs = _aligned(as_corpus(gold), as_corpus(system), scorers, progress)
    return arcs.take(_name(gold), _name(system))


def _in_step(
    gold: Iterable[Corpus], system: Iterable[Corpus], scorers: Sequence[Scorer], progress: Callable[[int], None]
) -> _ArcCollector | None:
    """The arcs of two corpora of the same words; None if their words differ, if they have none, or cannot be read."""
    arcs, same = _ArcCollector(scorers), SameWords()
    try:
        for gold_piece, piece in same_sentences(gold, system):
            if not same(piece, gold_piece):
                return None
            arcs.add(Comparison(piece, gold_piece))
            progress(piece.n_words)
    except CorpusError:
        return None
    return arcs if arcs.words else None


def _aligned(gold: Corpus, system: Corpus, scorers: Sequence[Scorer], progress: Callable[[int], None]) -> _ArcCollector:
    """The arcs of two corpora with the same text but different words."""
    arcs, comparison = _ArcCollector(scorers), side_by_side(system, gold)
    for part in comparison.parts():
        arcs.add(part)
        progress(part.corpus.n_words)
    arcs.left_out = comparison.unmatched
    if not arcs.words:
        raise CorpusError(f"{gold.path} and {system.path} have no word in common")
    return arcs


def _can_be_read_again(source: CorpusSource) -> bool:
    return isinstance(source, Corpus) or (isinstance(source, (str, os.PathLike)) and os.fspath(source) != STDIN)


def _name(source: CorpusSource) -> str:
    return source.path if isinstance(source, Corpus) else os.fspath(source)  # type: ignore[arg-type]


def _pieces(source: CorpusSource, columns: Sequence[str]) -> Iterable[Corpus]:
    return [source] if isinstance(source, Corpus) else stream_conllu(source, columns=columns)  # type: ignore[arg-type]


class _ArcCollector:
    """Collects the arrays of all arcs from pairs of pieces."""

    def __init__(self, scorers: Sequence[Scorer]) -> None:
        self._scorers = scorers
        self._arrays: GrowingArrays[tuple[str, int]] = GrowingArrays()
        self.words = self._sentences = 0
        self.left_out = Unmatched()

    def add(self, comparison: Comparison) -> None:
        """Add a piece of the system beside gold."""
        system, matched = comparison.corpus, comparison.matched
        self._arrays.append(("right", 0), matched(comparison.right))
        self._arrays.append(("right_head", 0), matched(comparison.same_head))
        self._arrays.append(("length", 0), matched(system.arc_length.astype(np.int32)))
        self._arrays.append(("sentence", 0), matched((system.sentence + self._sentences).astype(np.int32)))
        for k, scorer in enumerate(self._scorers):
            self._arrays.append(("scores", k), matched(scorer.scores(system)))
            if scorer.suggests:
                others = scorer.alternatives(system, np.arange(system.n_words))
                hit, likelier = suggestion_hits(comparison.overlay, others)
                self._arrays.append(("hit", k), matched(hit))
                self._arrays.append(("likelier", k), matched(likelier))
        self.words += len(matched(system.head))
        self._sentences += system.n_sentences

    def take(self, gold: str, system: str) -> GoldArcs:
        """All arcs; afterwards the collector is empty. gold, system: the names of the two corpora."""
        truth = Truth(*(self._arrays.take((name, 0)) for name in ("right", "right_head", "length", "sentence")))
        orders, hits = [], []
        for k, scorer in enumerate(self._scorers):
            orders.append(ArcOrder(scorer.name, scorer.signature, self._arrays.take(("scores", k))))
            if scorer.suggests:
                arrays = (self._arrays.take((name, k)) for name in ("hit", "likelier"))
                hits.append(SuggestionHits(orders[-1], *arrays))
        return GoldArcs(gold, system, truth, orders, hits, self.left_out)


@dataclass(frozen=True)
class SuggestionHits:
    """For each arc, whether the likeliest other arc is right by gold, and whether it is likelier than the arc."""

    order: ArcOrder
    hit: np.ndarray
    likelier: np.ndarray


def suggestion_hits(gold: Corpus, other: Alternatives) -> tuple[np.ndarray, np.ndarray]:
    """For each word, whether its likeliest other arc is right by gold, and whether it is likelier than its own arc."""
    wanted = gold.relations()
    names = np.array([*wanted.names, ""], dtype=object)[wanted.codes]
    hit = (other.head == gold.head) & (other.relation == names)
    return np.asarray(hit, dtype=bool), other.log_prob > other.own_log_prob
