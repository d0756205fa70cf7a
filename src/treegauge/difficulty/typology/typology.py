"""Compares languages: word order by relation, clause orders, markedness, distances, and a tree of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from treegauge.corpus.conllu import CorpusSource
from treegauge.difficulty.typology.likeness import LanguageTree, language_distances, language_tree, like_order
from treegauge.difficulty.typology.word_order import BY, CLAUSES, LEAST, MEASURES, SAMPLES, Cell, WordOrder, clause_row
from treegauge.difficulty.typology.word_order import word_order as measure_order
from treegauge.errors import OptionError
from treegauge.ranking.scored import BINS, bin_of
from treegauge.scorers.scorer import Scorer
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.version import signature


@dataclass(frozen=True, slots=True)
class Markedness:
    """The arcs of each cell by direction, and by bin of the cell's ranking; bin 1 has the most plausible arcs."""

    order: WordOrder
    counts: np.ndarray  # [cell, direction (0: the head follows), bin]
    signature: str

    @property
    def head_after(self) -> np.ndarray:
        """[cell, bin]: the share of arcs whose head follows; NaN for an empty bin."""
        total = self.counts.sum(axis=1)
        return np.divide(self.counts[:, 0], total, out=np.full(total.shape, np.nan), where=total > 0)

    @property
    def mean_bin(self) -> np.ndarray:
        """[cell, direction]: the mean bin of the arcs of each direction; NaN if there are none."""
        bins = np.arange(1, self.counts.shape[2] + 1)
        n = self.counts.sum(axis=2)
        total = (self.counts * bins).sum(axis=2)
        return np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)


def markedness(order: WordOrder, scorer: Scorer, bins: int = BINS) -> Markedness:
    """Ranks the arcs of each cell among themselves by a scorer, and cuts the ranking into equal bins."""
    scores = scorer.scores(order.corpus)[order.row]
    after = order.row < order.corpus.head_row[order.row]
    counts = np.zeros((len(order.cells), 2, bins))
    for cell in range(len(order.cells)):
        mine = np.flatnonzero((order.cell == cell) & ~np.isnan(scores))
        ranked = mine[np.argsort(-scores[mine], kind="stable")]  # equal scores stay in corpus order
        at = bin_of(np.arange(len(ranked)), len(ranked), bins) - 1
        np.add.at(counts[cell], (np.where(after[ranked], 0, 1), at), 1)
    return Markedness(order, counts, scorer.signature)


_CELL = ("relation", "tag", "head_tag")
_ENDS = ("", "_low", "_high")
_KINDS = {"head_after": "percent", "length": "number", "direction_entropy": "number", "order_entropy": "number"}
_HEADERS = {
    "head_after": "head after",
    "head_after_low": "low",
    "head_after_high": "high",
    "length_low": "low",
    "length_high": "high",
    "direction_entropy": "H(direction)",
    "order_entropy": "H(order)",
    "head_tag": "tag of head",
}
# columns that only programs get
_DETAILS = frozenset(f"{name}{end}" for name in ("direction_entropy", "order_entropy") for end in _ENDS[1:])


@dataclass(frozen=True, slots=True)
class TypologySettings:
    """The settings that the numbers depend on, besides the trees."""

    by: str = "relation"
    least: int = LEAST
    samples: int = SAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        if self.by not in BY:
            raise OptionError(f"by {self.by!r}; expected one of {', '.join(BY)}")
        if self.least < 1 or self.samples < 1 or self.seed < 0:
            raise OptionError("least, samples, seed; expected 1 or more, and a seed of 0 or more")

    @property
    def signature(self) -> str:
        """Settings and version, to stand beside every number."""
        parts = f"by:{self.by}", f"least:{self.least}", f"samples:{self.samples}", f"seed:{self.seed}"
        return signature("typology", *parts)


@dataclass(frozen=True, repr=False)
class Typology(Tabular):
    """The word order of several treebanks."""

    orders: tuple[WordOrder, ...]  # by relation, or as settings say
    by_tags: tuple[WordOrder, ...]  # by relation and tags, for distances
    settings: TypologySettings
    marked: tuple[Markedness, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the treebanks."""
        return [order.name for order in self.orders]

    def arranged(self, how: str) -> Typology:
        """The same result, its treebanks sorted by `family` and name, by `likeness` (needs SciPy), or as `given`."""
        places = list(range(len(self.orders)))
        if how == "likeness" and len(places) > 2:
            places = like_order(self.by_tags)
        elif how == "family":
            families = [order.family for order in self.orders]
            places.sort(key=lambda k: (families[k] == "other", families[k], self.names[k]))
        orders, by_tags = (tuple(side[k] for k in places) for side in (self.orders, self.by_tags))
        marked = tuple(self.marked[k] for k in places if self.marked)
        return replace(self, orders=orders, by_tags=by_tags, marked=marked)

    def table(self) -> Table:
        """A row for each treebank and cell: direction, length, entropies, with their intervals."""
        rows = []
        width = BY[self.settings.by]
        for order in self.orders:
            values, (low, high) = order.measures(), order.intervals(self.settings.samples, self.settings.seed)
            for c, cell in enumerate(order.cells):
                three = (side[m, c] for m in range(len(MEASURES)) for side in (values, low, high))
                rows.append((order.name, order.family, *cell, int(order.arcs[c]), *map(float, three)))
        columns = (
            *column_kinds("treebank text, family text"),
            *((name, "text") for name in _CELL[:width]),
            ("arcs", "count"),
            *((f"{name}{end}", _KINDS[name]) for name in MEASURES for end in _ENDS),
        )
        title = "Word order: share of arcs whose head follows, mean length, entropies in bits; 95 % intervals"
        return Table(title, columns, tuple(rows), self.settings.signature, "order", _DETAILS, _HEADERS)

    def side_by_side(self) -> Table:
        """A row for each cell, a column for each treebank: the share of arcs whose head follows."""
        shares = [dict(zip(order.cells, order.measures()[0].tolist(), strict=True)) for order in self.orders]
        rows = [(" ".join(cell), *(by_cell.get(cell) for by_cell in shares)) for cell in self.cells]
        columns = (("cell", "text"), *((name, "percent") for name in self.names))
        title = "Share of arcs whose head follows, languages side by side"
        return Table(title, columns, tuple(rows), self.settings.signature, "side_by_side")

    @property
    def cells(self) -> list[Cell]:
        """The cells; those that most treebanks have come first, then those with most arcs."""
        arcs: dict[Cell, list[float]] = {}
        for order in self.orders:
            for cell, n in zip(order.cells, order.arcs.tolist(), strict=True):
                arcs.setdefault(cell, []).append(n)
        return sorted(arcs, key=lambda cell: (-len(arcs[cell]), -sum(arcs[cell]), cell))

    def clauses_table(self) -> Table:
        """The order of subject, verb and object in clauses that have all three."""
        settings = self.settings
        rows = [(o.name, o.family, *clause_row(o, settings.samples, settings.seed)) for o in self.orders]
        columns = (
            *column_kinds("treebank text, family text, clauses count"),
            *((name, "percent") for name in CLAUSES),
            *column_kinds("entropy number, entropy_low number, entropy_high number"),
        )
        title = "Order of subject, verb and object (nsubj, obj of a VERB)"
        headers = {"entropy_low": "low", "entropy_high": "high"}
        return Table(title, columns, tuple(rows), self.settings.signature, "clauses", headers=headers)

    def marked_table(self) -> Table:
        """For each cell, how plausible each direction is: its mean bin, and the share of heads that follow, by bin.

        marked: the mean bin of the rarer direction less that of the commoner one; above 0, the rarer one is marked.
        """
        rows: list[tuple[Any, ...]] = []
        for marked in self.marked:
            counts = marked.counts.sum(axis=2)
            for c, cell in enumerate(marked.order.cells):
                after, before = marked.mean_bin[c].tolist()
                rarer = after - before if counts[c, 0] < counts[c, 1] else before - after
                fixed = marked.order.name, " ".join(cell), int(counts[c].sum())
                rows.append((*fixed, after, before, rarer, *marked.head_after[c].tolist()))
        bins = self.marked[0].counts.shape[2] if self.marked else 0
        columns = (
            *column_kinds("treebank text, cell text, arcs count, bin_head_after number, bin_head_before number"),
            ("marked", "number"),
            *((f"bin_{k}", "percent") for k in range(1, bins + 1)),
        )
        headers = {"bin_head_after": "mean bin: head after", "bin_head_before": "head before"}
        headers |= {f"bin_{k}": str(k) for k in range(1, bins + 1)}
        scorers = " ; ".join(dict.fromkeys(marked.signature for marked in self.marked))
        title = "Share of arcs whose head follows in each bin of plausibility (bin 1: the most plausible)"
        signature = f"{self.settings.signature} ; {scorers}"
        return Table(title, columns, tuple(rows), signature, "marked", headers=headers)

    @cached_property
    def distances(self) -> np.ndarray:
        """The share of arcs that stand in another direction, for every two treebanks."""
        return language_distances(self.by_tags)

    def distances_table(self) -> Table:
        """Distances between every two treebanks."""
        rows = tuple((name, *row) for name, row in zip(self.names, self.distances.tolist(), strict=True))
        columns = (("treebank", "text"), *((name, "p") for name in self.names))
        title = "Distances: share of arcs (by relation and tags) that stand in another direction"
        return Table(title, columns, rows, self.settings.signature, "distances")

    @cached_property
    def tree(self) -> LanguageTree:
        """The tree of languages; needs SciPy and three treebanks."""
        return language_tree(self.by_tags, self.settings.samples, self.settings.seed)

    def tree_table(self) -> Table:
        """The clusters of the tree, the closest first, with their support."""
        tree = self.tree
        rows = [
            (len(members), float(height), float(support), " ".join(sorted(members)))
            for members, height, support in zip(tree.clusters, tree.linkage[:, 2], tree.support, strict=True)
        ]
        columns = column_kinds("languages count, distance p, support percent, members text")
        title = "Clusters of languages (average linkage), support: share of samples that have the cluster"
        return Table(title, columns, tuple(rows), self.settings.signature, "tree")

    def examples(self, cell: Cell, head_after: bool, top: int) -> Table:
        """The words behind a cell: the first `top` of each treebank."""
        rows = []
        for order in self.orders:
            corpus = order.corpus
            for row in order.rows_of(cell, head_after)[:top].tolist():
                s, head = int(corpus.sentence[row]), int(corpus.head_row[row])
                place = order.name, int(corpus.number[s]), corpus.sent_id(s), int(corpus.position[row])
                words = corpus.value("form", row), int(corpus.head[row]), corpus.value("form", head)
                rows.append((*place, *words, " ".join(corpus.forms(s))))
        columns = column_kinds(
            "treebank text, sentence count, sent_id text, word count, form text, head count, head_form text, text text"
        )
        title = f"{' '.join(cell)}, {'head-after' if head_after else 'head-before'}"
        return Table(title, columns, tuple(rows), self.settings.signature, "examples")


def typology(
    *treebanks: CorpusSource,
    settings: TypologySettings | None = None,
    names: Sequence[str | None] | None = None,
    scorer_of: Callable[[WordOrder], Scorer] | None = None,
    bins: int = BINS,
    progress: Callable[[int], None] = lambda treebanks: None,
) -> Typology:
    """The word order of treebanks, to compare them.

    names: the names of the treebanks, by default those of their files; a UD name (`it_pud`) tells the language family.
    scorer_of: gives the scorer that judges a treebank; with it, the bins of plausibility are counted, too.
    """
    settings = settings or TypologySettings()
    if not treebanks:
        raise OptionError("no treebank; expected one or more")
    orders, by_tags, marked = [], [], []
    for source, name in zip(treebanks, names or [None] * len(treebanks), strict=True):
        order = measure_order(source, by=settings.by, least=settings.least, name=name)
        orders.append(order)
        tagged = (
            order
            if settings.by == "tags"
            else measure_order(order.corpus, by="tags", least=settings.least, name=order.name)
        )
        by_tags.append(tagged)
        if scorer_of is not None:
            marked.append(markedness(order, scorer_of(order), bins))
        progress(1)
    known = [order.name for order in orders]
    if len(set(known)) < len(known):
        raise OptionError(f"treebanks {', '.join(known)}; expected different names")
    return Typology(tuple(orders), tuple(by_tags), settings, tuple(marked))
