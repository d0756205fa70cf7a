"""The word order of a treebank: direction, length and place of the dependents of each relation, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.families import family
from treegauge.corpus.treebanks import treebank_name
from treegauge.errors import CorpusError, OptionError
from treegauge.statistics import drawn_sentences, percentile_interval

LEAST = 20  # arcs that a cell must have to be measured
SAMPLES = 200
PUNCT = "punct"  # left out: the head of punctuation is a matter of convention
BY = {"relation": 1, "tags": 3}  # the parts of a cell: a relation, or a relation with the tags of both words
MEASURES = ("head_after", "length", "direction_entropy", "order_entropy")
_PLACES = 6  # third or farther before the head, second, nearest; nearest behind it, second, third or farther
_CELLS = 1 << 22  # how many counts are in memory at a time
Cell = tuple[str, ...]  # relation; or relation, tag of the dependent, tag of the head


@dataclass(frozen=True)
class WordOrder:
    """The arcs of a treebank by cell, without root arcs and punctuation."""

    name: str
    corpus: Corpus = field(repr=False)
    cells: tuple[Cell, ...]
    row: np.ndarray = field(repr=False)  # the arcs that are in a cell
    cell: np.ndarray = field(repr=False)  # the cell of each of these arcs
    place: np.ndarray = field(repr=False)  # the place of each dependent, 0.._PLACES-1: see _PLACES

    @property
    def family(self) -> str:
        """The language family."""
        return family(self.name)

    @cached_property
    def sums(self) -> np.ndarray:
        """[cell, place or length]: the number of arcs in each place, and the sum of lengths."""
        return self.resampled_sums(np.ones((1, self.corpus.n_sentences)))[0]

    @property
    def arcs(self) -> np.ndarray:
        """The number of arcs of each cell."""
        counts: np.ndarray = self.sums[:, :_PLACES].sum(axis=1)
        return counts

    def resampled_sums(self, weights: np.ndarray) -> np.ndarray:
        """[sample, cell, place or length]: the same sums; weights: how often each sample has each sentence."""
        sums = np.zeros((len(weights), len(self.cells), _PLACES + 1))
        n = self.corpus.n_sentences
        sentence, length = self.corpus.sentence[self.row], self.corpus.arc_length[self.row]
        step = max(1, _CELLS // (n * (_PLACES + 1)))
        for low in range(0, len(self.cells), step):
            high = min(low + step, len(self.cells))
            in_part = (self.cell >= low) & (self.cell < high)
            at = (sentence[in_part] * (high - low) + self.cell[in_part] - low) * (_PLACES + 1)
            size = n * (high - low) * (_PLACES + 1)
            counts = np.bincount(at + self.place[in_part], minlength=size)
            counts = counts + np.bincount(at + _PLACES, length[in_part], minlength=size)
            drawn = weights @ counts.reshape(n, -1)
            sums[:, low:high] = drawn.reshape(len(weights), high - low, _PLACES + 1)
        return sums

    def measures(self) -> np.ndarray:
        """[measure, cell]: see `order_measures`."""
        return order_measures(self.sums)

    def intervals(self, samples: int = SAMPLES, seed: int = 0) -> np.ndarray:
        """[end, measure, cell]: the middle 95 % of samples in which sentences are drawn with replacement."""
        rng = np.random.default_rng(seed)
        parts = [self.resampled_sums(weights) for weights in drawn_sentences(self.corpus.n_sentences, samples, rng)]
        return percentile_interval(order_measures(np.concatenate(parts)).swapaxes(0, 1))

    def rows_of(self, cell: Cell, head_after: bool) -> np.ndarray:
        """The arcs of a cell in one direction."""
        if cell not in self.cells:
            return np.empty(0, np.int64)
        mine = self.cell == self.cells.index(cell)
        return np.asarray(self.row[mine & ((self.place < _PLACES // 2) == head_after)])


def order_measures(sums: np.ndarray) -> np.ndarray:
    """[measure, …, cell], from counts […, cell, place or length]; NaN if a cell has no arc.

    head_after        = share of arcs whose head follows
    length            = mean |position(h) − position(d)|
    direction_entropy = − Σ_x p(x) log2 p(x) over the two directions, in bits
    order_entropy     = the same over six places: nearest to the head, second, third or farther, on either side
    """
    places, length = sums[..., :_PLACES], sums[..., _PLACES]
    n = np.where(places.sum(axis=-1) > 0, places.sum(axis=-1), np.nan)
    after = places[..., : _PLACES // 2].sum(axis=-1) / n
    directions = np.stack([after, 1 - after], axis=-1)
    return np.stack([after, length / n, entropy(directions), entropy(places / n[..., None])])


def entropy(shares: np.ndarray) -> np.ndarray:
    """− Σ p log2 p over the last axis, in bits, from observed shares; for few arcs it is too low."""
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(shares * logs).sum(axis=-1) + 0.0)


def word_order(source: CorpusSource, *, by: str = "relation", least: int = LEAST, name: str | None = None) -> WordOrder:
    """The word order of a treebank: a cell for each relation, or for each relation with both tags (by="tags").

    Cells of fewer than `least` arcs are left out.
    """
    if by not in BY:
        raise OptionError(f"by {by!r}; expected one of {', '.join(BY)}")
    corpus = as_corpus(source)
    relations = corpus.relations()
    punct = np.array([relation == PUNCT for relation in relations.names])
    rows = np.flatnonzero((corpus.head > 0) & ~punct[relations.codes])
    if not len(rows):
        raise CorpusError(f"{corpus.path}: no arc but roots and punctuation; expected trees of two words or more")
    tags = corpus.codes["upos"]
    parts = [relations.codes[rows], tags[rows], tags[corpus.head_row[rows]]][: BY[by]]
    keys, code = np.unique(np.stack(parts), axis=1, return_inverse=True)
    code = code.ravel()
    labels: list[Sequence[str]] = [relations.names, corpus.labels["upos"], corpus.labels["upos"]]
    enough = np.flatnonzero(np.bincount(code) >= least)
    if not len(enough):
        raise OptionError(f"{corpus.path}: no cell has {least:,} arcs or more; expected a lower --least")
    names = [tuple(table[k] for table, k in zip(labels, keys[:, c].tolist(), strict=False)) for c in enough]
    order = sorted(range(len(names)), key=lambda k: names[k])
    new = np.full(keys.shape[1], -1)
    new[enough[order]] = np.arange(len(order))
    measured = new[code] >= 0
    places = _places(corpus, rows)
    cells = tuple(names[k] for k in order)
    return WordOrder(
        name or treebank_name(corpus.path), corpus, cells, rows[measured], new[code][measured], places[measured]
    )


def _places(corpus: Corpus, rows: np.ndarray) -> np.ndarray:
    """The place of each dependent among those on its side of the head, counted from the head: see _PLACES."""
    head = corpus.head_row[rows]
    before = rows < head
    order = np.lexsort((np.abs(rows - head), before, head))
    group = 2 * head[order] + before[order]
    first = np.flatnonzero(np.append(True, np.diff(group) != 0))
    rank = np.arange(len(rows)) - np.repeat(first, np.diff(np.append(first, len(rows))))
    place = np.empty(len(rows), np.int64)
    place[order] = np.minimum(rank, _PLACES // 2 - 1)
    half = _PLACES // 2
    return np.where(before, half - 1 - place, half + place)


CLAUSES = ("SVO", "SOV", "VSO", "VOS", "OVS", "OSV")


def clause_orders(corpus: Corpus) -> np.ndarray:
    """[sentence, order of CLAUSES]: the number of clauses of a verb with one subject and one object (nsubj, obj)."""
    relations = corpus.relations()
    verb = np.array([label == "VERB" for label in corpus.labels["upos"]])[corpus.codes["upos"]]
    place: list[np.ndarray] = []
    single = verb.copy()
    for name in ("nsubj", "obj"):
        code = relations.names.index(name) if name in relations.names else -1
        rows = np.flatnonzero((relations.codes == code) & (corpus.head > 0))
        of_head = np.bincount(corpus.head_row[rows], minlength=corpus.n_words)
        at = np.full(corpus.n_words, -1)
        at[corpus.head_row[rows]] = rows
        single &= of_head == 1
        place.append(at)
    verbs = np.flatnonzero(single)
    counts = np.zeros((corpus.n_sentences, len(CLAUSES)))
    for v in verbs.tolist():
        order = sorted(((v, "V"), (int(place[0][v]), "S"), (int(place[1][v]), "O")))
        counts[corpus.sentence[v], CLAUSES.index("".join(letter for _, letter in order))] += 1
    return counts


def clause_row(order: WordOrder, samples: int, seed: int) -> tuple[Any, ...]:
    """The number of clauses, the share of each order, the entropy of the order, and its interval."""
    counts = clause_orders(order.corpus)
    total = counts.sum(axis=0)
    n = float(total.sum())
    if not n:
        return (0, *[math.nan] * (len(CLAUSES) + 3))
    rng = np.random.default_rng(seed)
    drawn = np.concatenate([w @ counts for w in drawn_sentences(order.corpus.n_sentences, samples, rng)])
    drawn = drawn[drawn.sum(axis=1) > 0]
    low, high = percentile_interval(entropy(drawn / drawn.sum(axis=1, keepdims=True)))
    return (int(n), *(total / n).tolist(), float(entropy(total / n)), float(low), float(high))
