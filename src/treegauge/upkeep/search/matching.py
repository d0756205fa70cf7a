"""The matches of a request in a corpus: candidates of each node by masks, then joins over arrays of nodes.

A partial match is a row of a `_Rows` table with a column for each node that is bound. The next node is bound by its
head, by its neighbour, by its children or by its sentence, whichever leaves fewest rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treegauge.evaluation.attachment.breakdown import is_projective
from treegauge.upkeep.search.conditions import holds, names_of
from treegauge.upkeep.search.nodes import Nodes, comment_values
from treegauge.upkeep.search.request import ArcClause, Order, Request, RequestBlock, is_free

_MOST_ROWS = 1 << 21  # a table that would grow beyond is cut, and its parts are extended one after the other


@dataclass(frozen=True, slots=True)
class _Rows:
    """Partial matches: the node that each name is bound to, the sentence, and where each began."""

    sentence: np.ndarray
    origin: np.ndarray  # the row of the table that this one extends
    bound: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.sentence)

    def some(self, which: np.ndarray | slice) -> _Rows:
        """The rows that an index, a mask or a slice selects."""
        return _Rows(
            self.sentence[which], self.origin[which], {name: column[which] for name, column in self.bound.items()}
        )

    def plus(self, name: str, column: np.ndarray) -> _Rows:
        """The same rows with one more node bound."""
        return replace(self, bound={**self.bound, name: column})


def match(nodes: Nodes, request: Request) -> Iterator[dict[str, np.ndarray]]:
    """The matches in parts, in any order: sentence (under the name ""), and the node of each name of the pattern."""
    wanted = _wanted_sentences(nodes, request)
    block, edges = request.pattern, dict(request.edges)
    for rows in _Solver(nodes, block, edges).solve(_start(nodes, wanted)):
        for each in request.filters:
            extended = extendable(nodes, each.block, edges, rows.sentence, rows.bound)
            rows = rows.some(extended != each.is_negated)
        if len(rows):
            yield {"": rows.sentence, **rows.bound}


def extendable(
    nodes: Nodes,
    block: RequestBlock,
    edges: Mapping[str, ArcClause],
    sentence: np.ndarray,
    bound: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Whether each match, of which some nodes are bound, can be extended so that a block holds."""
    own = {**edges, **{edge.name: edge for edge in block.edges if edge.name}}
    extended = np.zeros(len(sentence), bool)
    for part in _Solver(nodes, block, own).solve(_Rows(sentence, np.arange(len(sentence)), bound)):
        extended[part.origin] = True
    return extended


def _start(nodes: Nodes, wanted: np.ndarray) -> _Rows:
    sentences = np.flatnonzero(wanted)
    return _Rows(sentences, np.zeros(len(sentences), np.int64), {})


def _wanted_sentences(nodes: Nodes, request: Request) -> np.ndarray:
    """Whether each sentence is as the `global` blocks ask. Every corpus has trees only: no circles, one root each."""
    corpus = nodes.corpus
    wanted = np.ones(corpus.n_sentences, bool)
    for name, expected in request.structure:
        if name == "projective":
            of_arcs = is_projective(corpus)
            crossed = np.bincount(corpus.sentence[~of_arcs], minlength=corpus.n_sentences) > 0
            wanted &= ~crossed == expected
        else:
            wanted &= (name != "cyclic") == expected
    for test in request.comments:
        values = comment_values(corpus, test.feature)
        wanted &= np.array([test.holds(value) for value in values], dtype=bool)
    return wanted


@dataclass(frozen=True, slots=True)
class _Join:
    """An arc between two nodes that have names."""

    source: str
    target: str


class _Solver:
    """Extends rows by the nodes of a block."""

    def __init__(self, nodes: Nodes, block: RequestBlock, edges: Mapping[str, ArcClause]) -> None:
        """edges: the arcs with names, also those of the pattern."""
        self.nodes, self.block, self.edges = nodes, block, edges
        self.labels = [nodes.arc_passes(edge.label) for edge in block.edges]
        self.joins = [
            _Join(edge.source, edge.target)
            for edge in block.edges
            if edge.source is not None and edge.target is not None
        ]

    def solve(self, rows: _Rows) -> Iterator[_Rows]:
        """The rows, extended in every way by which all clauses hold."""
        new = [name for name in self.block.names() if name not in rows.bound]
        masks = {name: self._mask(name) for name in self.block.names()}
        for name in set(masks) & set(rows.bound):
            rows = _masked(rows, name, masks[name])
        rows = self._holding(rows, set(rows.bound))
        if not len(rows):
            return
        present = np.zeros(self.nodes.corpus.n_sentences, bool)
        present[rows.sentence] = True
        candidates = self._reduced({name: masks[name] for name in new}, present)
        yield from self._extended(rows, masks, candidates, new)

    def _mask(self, name: str) -> np.ndarray | None:
        """Whether each node can be the one of that name, by what is said of it alone; None if every node can."""
        nodes, masks = self.nodes, []
        for clause in self.block.nodes:
            if clause.node == name:
                either = [
                    np.logical_and.reduce([nodes.passes(test) for test in tests]) if tests else np.ones(nodes.n, bool)
                    for tests in clause.alternatives
                ]
                masks.append(np.logical_or.reduce(either))
        for edge, label in zip(self.block.edges, self.labels, strict=True):
            if edge.target == name:
                is_word = np.zeros(nodes.n, bool)
                is_word[: nodes.n_words] = True if label is None else label
                masks.append(is_word)
            elif edge.source == name and edge.target is None:
                heads = nodes.head[: nodes.n_words]
                has_child = np.zeros(nodes.n, bool)
                has_child[heads if label is None else heads[label]] = True
                masks.append(has_child)
        return np.logical_and.reduce(masks) if masks else None

    def _reduced(self, masks: dict[str, np.ndarray | None], present: np.ndarray) -> dict[str, np.ndarray]:
        """The candidates of each new node, without those that no arc or neighbour of another new node allows."""
        nodes = self.nodes
        some = {name: np.flatnonzero(mask) for name, mask in masks.items() if mask is not None}
        for _ in range(2):
            for edge in self.joins:
                if edge.source in some and edge.target in some:
                    source, target = some[edge.source], some[edge.target]
                    is_source = np.zeros(nodes.n, bool)
                    is_source[source] = True
                    target = target[is_source[nodes.head[target]]]
                    is_source[:] = False
                    is_source[nodes.head[target]] = True
                    some[edge.target], some[edge.source] = target, source[is_source[source]]
        for name in masks:
            some.setdefault(name, np.arange(nodes.n))
        for candidates in some.values():
            here = np.zeros(len(present), bool)
            here[nodes.sentence[candidates]] = True
            present = present & here
        return {name: candidates[present[nodes.sentence[candidates]]] for name, candidates in some.items()}

    def _extended(
        self, rows: _Rows, masks: Mapping[str, np.ndarray | None], candidates: dict[str, np.ndarray], new: Sequence[str]
    ) -> Iterator[_Rows]:
        if not new or not len(rows):
            yield rows
            return
        name, how = self._next(rows, candidates, new)
        rest = [each for each in new if each != name]
        for part in self._bound(rows, name, how, candidates):
            if isinstance(how, np.ndarray):  # not chosen among the candidates
                part = _masked(part, name, masks[name])
            for other in rows.bound:
                if not is_free(name) and not is_free(other):
                    part = part.some(part.bound[name] != part.bound[other])
            yield from self._extended(self._holding(part, {name}), masks, candidates, rest)

    def _next(
        self, rows: _Rows, candidates: Mapping[str, np.ndarray], new: Sequence[str]
    ) -> tuple[str, np.ndarray | _Join | None]:
        """The node to bind next, and how: to one node for each row, by its head, or by its sentence."""
        bound, head = rows.bound, self.nodes.head
        by_head: list[tuple[int, str, _Join]] = []
        for edge in self.joins:
            if edge.source in new and edge.target in bound:
                return edge.source, head[bound[edge.target]]
            if edge.source in bound and edge.target in new:
                by_head.append((len(candidates[edge.target]), edge.target, edge))
        for constraint in self.block.constraints:
            if isinstance(constraint, Order) and constraint.is_next:
                if constraint.first in bound and constraint.second in new:
                    return constraint.second, self._neighbour(bound[constraint.first], 1)
                if constraint.second in bound and constraint.first in new:
                    return constraint.first, self._neighbour(bound[constraint.second], -1)
        if by_head:
            _, name, edge = min(by_head, key=lambda each: each[:2])
            return name, edge
        return min(new, key=lambda each: len(candidates[each])), None

    def _neighbour(self, of: np.ndarray, step: int) -> np.ndarray:
        """The node directly behind (1) or before (−1) each node; −1 if there is none."""
        nodes = self.nodes
        start, sentence = nodes.corpus.start, nodes.sentence[of]
        place = nodes.position[of] + step
        length = np.diff(start)[sentence]
        node = np.where(place == 0, nodes.n_words + sentence, start[sentence] + place - 1)
        return np.where((place < 0) | (place > length), -1, node)

    def _bound(
        self, rows: _Rows, name: str, how: np.ndarray | _Join | None, candidates: Mapping[str, np.ndarray]
    ) -> Iterator[_Rows]:
        """The rows with one more node bound, in parts that are not too large."""
        if isinstance(how, np.ndarray):
            known = how >= 0
            yield rows.some(known).plus(name, how[known])
            return
        of = self.nodes.sentence if how is None else self.nodes.head
        own = rows.sentence if how is None else rows.bound[how.source]
        chosen = candidates[name]
        group = of[chosen]
        order = np.argsort(group, kind="stable")
        chosen, group = chosen[order], group[order]
        low, high = np.searchsorted(group, own, "left"), np.searchsorted(group, own, "right")
        ends = np.cumsum(high - low)
        first = 0
        while first < len(rows):
            before = int(ends[first - 1]) if first else 0
            last = max(int(np.searchsorted(ends, before + _MOST_ROWS, "right")), first + 1)
            size = (high - low)[first:last]
            which = np.repeat(np.arange(first, last), size)
            place = np.arange(len(which)) - np.repeat(ends[first:last] - size - before, size)
            yield rows.some(which).plus(name, chosen[low[which] + place])
            first = last

    def _holding(self, rows: _Rows, new: set[str]) -> _Rows:
        """The rows for which arcs and conditions hold whose nodes are all bound, and of which one is new."""
        for edge in self.joins:
            ends = {edge.source, edge.target}
            if edge.source in rows.bound and edge.target in rows.bound and ends & new:
                rows = rows.some(self.nodes.head[rows.bound[edge.target]] == rows.bound[edge.source])
        for constraint in self.block.constraints:
            names = names_of(constraint, self.edges)
            if names <= set(rows.bound) and names & new:
                rows = rows.some(holds(self.nodes, constraint, rows.bound, self.edges))
        return rows


def _masked(rows: _Rows, name: str, mask: np.ndarray | None) -> _Rows:
    """The rows whose node of that name can be there."""
    return rows if mask is None else rows.some(mask[rows.bound[name]])
