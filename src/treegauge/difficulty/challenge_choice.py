"""Chooses sentences by the difficulty of their arcs, or of whole sentences (2020 §6)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.difficulty.properties import NAMES, arc_values
from treegauge.errors import OptionError
from treegauge.ranking.ranking import Ranking
from treegauge.ranking.scored import RELIABLE, Scored
from treegauge.ranking.units import Unit

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_CONDITION = re.compile(r"\s*(\w+)\s*(>=|<=|!=|>|<|=)\s*([\w:+-]+)\s*")
RANDOM, EXTREME = "random", "extreme"
BIN = "bin"


@dataclass(frozen=True, slots=True)
class ChallengeOptions:
    """The conditions for the sentences of a challenge set; a manifest has all of them."""

    unit: str = Unit.ARC  # the difficulty of arcs, or of whole sentences
    easy: bool = False  # choose the easiest, not the hardest
    relations: tuple[str, ...] | None = None
    from_bins: tuple[int, int] | None = None  # the first and the last; None for the hardest (easiest) fifth
    bins: int = 10
    bins_of_all: bool = False
    conditions: tuple[str, ...] = ()  # such as length>5, direction=head-before
    every_arc: bool = False  # every ranked arc of a sentence must fulfil the conditions, not only one
    n: int | None = None  # how many sentences; None: all that fulfil the conditions
    pick: str = RANDOM  # which n of them: at random, or the hardest (easiest)
    balance: str | None = None  # choose as many sentences of each relation, bin, …
    seed: int = 0
    match_length: bool = False  # bins of whole sentences are counted among sentences of about the same length

    def __post_init__(self) -> None:
        if self.match_length and self.unit != Unit.SENTENCE:
            raise OptionError(f"match_length with unit {str(self.unit)!r}; expected {Unit.SENTENCE}")
        if self.unit not in (Unit.ARC, Unit.SENTENCE):
            raise OptionError(f"unit {self.unit!r}; expected {Unit.ARC} or {Unit.SENTENCE}")
        if self.pick not in (RANDOM, EXTREME):
            raise OptionError(f"pick {self.pick!r}; expected {RANDOM} or {EXTREME}")
        if self.bins < 1 or (self.n is not None and self.n < 1):
            raise OptionError(f"bins {self.bins}, sentences {self.n}; expected 1 or more")
        low, high = self.bin_range
        if not 1 <= low <= high <= self.bins:
            raise OptionError(f"bins {low}-{high}; expected a range within 1-{self.bins}")
        if self.balance not in (None, BIN, *NAMES):
            raise OptionError(f"balance {self.balance!r}; expected one of {', '.join((BIN, *NAMES))}")
        of_arcs = self.relations or self.conditions or self.every_arc or self.balance not in (None, BIN)
        if self.unit == Unit.SENTENCE and of_arcs:
            raise OptionError(
                "whole sentences have no relation, condition or class of arcs; balance by bin, or by arcs"
            )

    @property
    def bin_range(self) -> tuple[int, int]:
        """The first and the last bin to choose from."""
        if self.from_bins is not None:
            return self.from_bins
        fifth = max(1, self.bins // 5)
        return (1, fifth) if self.easy else (self.bins - fifth + 1, self.bins)

    def to_dict(self) -> dict[str, Any]:
        """The options as a manifest has them, with the bins always given."""
        return asdict(self) | {"from_bins": list(self.bin_range)}


@dataclass(frozen=True, slots=True)
class SentenceChoice:
    """The chosen sentences, in corpus order, and the arcs that they were chosen for."""

    sentences: np.ndarray
    rows: np.ndarray  # chosen arcs in these sentences, in corpus order; none if sentences were chosen whole
    score: np.ndarray  # the score of every arc, or of every sentence
    rank: np.ndarray  # the rank of every arc, or of every sentence, from 1; 0 if it is not ranked
    bin: np.ndarray  # the bin of every arc, or of every sentence; 0 if it is not ranked
    ranked: int  # how many are ranked
    available: int  # how many sentences fulfil all conditions


def fulfils(corpus: Corpus, condition: str) -> np.ndarray:
    """Whether each arc fulfils a condition: a property of `arc_values`, a comparison, a value."""
    match = _CONDITION.fullmatch(condition)
    if match is None:
        raise OptionError(f"condition {condition!r}; expected a property, one of {' '.join(COMPARISONS)}, and a value")
    name, sign, value = match.groups()
    property_values = arc_values(corpus, name)
    if property_values.labels is not None:
        if sign not in ("=", "!="):
            raise OptionError(f"condition {condition!r}; {name} is no number: expected = or !=")
        return np.asarray(COMPARISONS[sign](np.array(property_values.labels)[property_values.values], value))
    try:
        number = int(value)
    except ValueError:
        raise OptionError(f"condition {condition!r}; expected a whole number, as {name} is one") from None
    return np.asarray(COMPARISONS[sign](property_values.values, number))


def choose(scored: Scored, options: ChallengeOptions) -> SentenceChoice:
    """The sentences asked for of a scored corpus.

    By arcs: the sentences with an arc in the bins asked for that fulfils every condition; bins are counted among the
    arcs of the relations, unless bins_of_all. By sentences: the sentences in the bins asked for, by mean log score. If
    there are more than n, n are drawn with the seed; pick="extreme" takes those with the hardest (easiest) arc or
    score. balance: as many of each class of their hardest (easiest) chosen arc; the smallest class sets the number.
    """
    corpus, (low, high) = scored.corpus, options.bin_range
    conditions = [fulfils(corpus, condition) for condition in options.conditions]
    whole = options.unit == Unit.SENTENCE
    if whole:
        ranking: Ranking = scored.rank_sentences(RELIABLE, bins=options.bins)
    else:
        ranking = scored.rank(RELIABLE, relations=options.relations, bins=options.bins, bins_of_all=options.bins_of_all)
    values = scored.sentence_scores if whole else scored.scores
    rank, bins = np.zeros((2, len(values)), dtype=np.int64)
    rank[ranking.row], bins[ranking.row] = ranking.rank, ranking.bin
    if options.match_length:
        bins = bins_of_like_lengths(np.diff(corpus.start), np.where(rank > 0, values, np.nan), options.bins)
    good = (bins >= low) & (bins <= high)
    for fulfilled in conditions:
        good &= fulfilled
    rows = np.flatnonzero(good)
    if whole:
        sentences, place, classes = rows, rank[rows], bins[rows]
        rows = rows[:0]
    else:
        sentences, best = _extremes(corpus, rows, rank, options.easy)
        if options.every_arc:
            spoilt = np.unique(corpus.sentence[(rank > 0) & ~good])
            unspoilt = ~np.isin(sentences, spoilt)
            sentences, best = sentences[unspoilt], best[unspoilt]
        place, classes = rank[best], _classes(corpus, best, bins, options.balance)
    if len(sentences) == 0:
        raise OptionError(f"no sentence of {corpus.path} fulfils what is asked for: {_asked(options)}")
    picked = np.sort(sentences[_picked(-place if options.easy else place, classes, options)])
    rows = rows[np.isin(corpus.sentence[rows], picked)]
    return SentenceChoice(picked, rows, values, rank, bins, len(ranking), len(sentences))


def bins_of_like_lengths(length: np.ndarray, scores: np.ndarray, bins: int) -> np.ndarray:
    """The bin of each sentence among sentences of about its length, bin 1 for the highest scores; 0 for NaN.

    Sentences are sorted by length and cut into groups, each of at least ten times as many sentences as there are bins;
    each group is cut into bins by score. So every bin has sentences of all lengths.
    """
    ranked = np.flatnonzero(~np.isnan(scores))
    by_length = ranked[np.argsort(length[ranked], kind="stable")]
    result = np.zeros(len(scores), dtype=np.int64)
    for group in np.array_split(by_length, max(len(by_length) // (10 * bins), 1)):
        by_score = group[np.argsort(-scores[group], kind="stable")]
        for number, part in enumerate(np.array_split(by_score, bins), 1):
            result[part] = number
    return result


def _asked(options: ChallengeOptions) -> str:
    """The conditions in words."""
    low, high = options.bin_range
    parts = [f"bins {low}-{high} of {options.bins}", *options.conditions]
    parts += [f"relation {', '.join(options.relations)}"] if options.relations else []
    return "; ".join([*parts, *(["in every arc"] if options.every_arc else [])])


def _extremes(corpus: Corpus, rows: np.ndarray, rank: np.ndarray, easy: bool) -> tuple[np.ndarray, np.ndarray]:
    """The sentences of these arcs, and the easiest or hardest of these arcs in each sentence."""
    by_rank = rows[np.argsort(-rank[rows] if easy else rank[rows], kind="stable")]
    sentences, first = np.unique(corpus.sentence[by_rank], return_index=True)
    return sentences, by_rank[first]


def _classes(corpus: Corpus, rows: np.ndarray, bins: np.ndarray, balance: str | None) -> np.ndarray:
    """The class of each of these arcs, for `balance`."""
    if balance is None:
        return np.zeros(len(rows), dtype=np.int64)
    return bins[rows] if balance == BIN else arc_values(corpus, balance).values[rows]


def _picked(place: np.ndarray, classes: np.ndarray, options: ChallengeOptions) -> np.ndarray:
    """The sentences to take, as indices; with pick="extreme" those with the first places."""
    rng = np.random.default_rng(options.seed)
    preference = np.argsort(place, kind="stable") if options.pick == EXTREME else rng.permutation(len(place))
    if options.balance is None:
        return preference[: options.n]
    names, sizes = np.unique(classes, return_counts=True)
    each = int(sizes.min()) if options.n is None else min(int(sizes.min()), options.n // len(names))
    if each == 0:
        raise OptionError(f"{options.n} sentences of {len(names)} classes of {options.balance}; expected one of each")
    return np.concatenate([preference[classes[preference] == name][:each] for name in names])


def parse_bins(text: str) -> tuple[int, int]:
    """The first and the last bin of `9-10`, or of `10`."""
    match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", text)
    if match is None:
        raise OptionError(f"bins {text!r}; expected a number or a range such as 9-10")
    return int(match[1]), int(match[2] or match[1])
