"""Conditions on bound nodes: their order, ways between them, the order of arcs, and comparisons of values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from treegauge.upkeep.search.nodes import ID, Nodes
from treegauge.upkeep.search.request import (
    ArcClause,
    Constraint,
    Dominance,
    EdgeOrder,
    Inside,
    Order,
    Quantity,
    Test,
    ValueComparison,
    label_parts,
)

_OPERATORS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
Bound = Mapping[str, np.ndarray]  # the name of a node -> the node in each row
Edges = Mapping[str, ArcClause]


def names_of(constraint: Constraint, edges: Edges) -> set[str]:
    """The nodes that a condition is about; the dependent of an arc stands for it."""
    match constraint:
        case Order():
            return {constraint.first, constraint.second}
        case Dominance():
            return {constraint.above, constraint.below}
        case EdgeOrder():
            return {str(edges[constraint.first].target), str(edges[constraint.second].target)}
        case Inside():
            return {constraint.node, str(edges[constraint.edge].target)}
        case ValueComparison():
            both = (constraint.left, constraint.right)
            return {name for side in both if isinstance(side, Quantity) for name in quantity_names(side, edges)}


def quantity_names(quantity: Quantity, edges: Edges) -> set[str]:
    """The nodes that a value comes from."""
    if quantity.is_edge:
        return {str(edges[quantity.owner].target)}
    return {quantity.owner, quantity.other} - {""}


def holds(nodes: Nodes, constraint: Constraint, bound: Bound, edges: Edges) -> np.ndarray:
    """Whether each row holds a condition, whose nodes are bound."""
    match constraint:
        case Order():
            distance = nodes.position[bound[constraint.second]] - nodes.position[bound[constraint.first]]
            return np.asarray(distance == 1 if constraint.is_next else distance > 0)
        case Dominance():
            return _is_below(nodes, bound[constraint.above], bound[constraint.below])
        case EdgeOrder():
            return _edge_order(nodes, constraint, bound, edges)
        case Inside():
            low, high = _ends(nodes, edges[constraint.edge], bound)
            place = nodes.position[bound[constraint.node]]
            return np.asarray((low < place) & (place < high))
        case ValueComparison():
            return _compared(nodes, constraint, bound, edges)


def _is_below(nodes: Nodes, above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Whether a way of one arc or more leads down from one node to the other."""
    found, at = np.zeros(len(above), bool), nodes.head[below]
    while (at >= 0).any():
        found |= at == above
        at = np.where((at < 0) | found, -1, nodes.head[at])
    return found


def _ends(nodes: Nodes, edge: ArcClause, bound: Bound) -> tuple[np.ndarray, np.ndarray]:
    """The positions of the left and the right end of an arc."""
    target = bound[str(edge.target)]
    ends = nodes.position[target], nodes.position[nodes.head[target]]
    return np.minimum(*ends), np.maximum(*ends)


def _edge_order(nodes: Nodes, constraint: EdgeOrder, bound: Bound, edges: Edges) -> np.ndarray:
    low, high = _ends(nodes, edges[constraint.first], bound)
    other_low, other_high = _ends(nodes, edges[constraint.second], bound)
    if constraint.relation == "<<":
        return np.asarray((other_low <= low) & (high <= other_high))
    if constraint.relation == "<>":
        return np.asarray((high <= other_low) | (other_high <= low))
    first = (low < other_low) & (other_low < high) & (high < other_high)
    return np.asarray(first | ((other_low < low) & (low < other_high) & (other_high < high)))


def numbers(nodes: Nodes, quantity: Quantity, bound: Bound, edges: Edges) -> np.ndarray | None:
    """A value of each row as a number; NaN if it is none. None if the value is a text."""
    if quantity.other or (quantity.is_edge and quantity.name in ("length", "delta")):
        if quantity.other:
            first, second = bound[quantity.owner], bound[quantity.other]
        else:
            second = bound[str(edges[quantity.owner].target)]
            first = nodes.head[second]
        delta = nodes.position[second] - nodes.position[first]
        return np.asarray(np.abs(delta) if quantity.name == "length" else delta, dtype=float)
    if quantity.name == ID:
        return np.asarray(bound[quantity.owner], dtype=float)
    return None


def texts(nodes: Nodes, quantity: Quantity, bound: Bound, edges: Edges) -> tuple[np.ndarray, Sequence[str | None]]:
    """A value of each row as a code into labels; None for no value."""
    if not quantity.is_edge:
        values = nodes.values(quantity.name)
        return values.codes[bound[quantity.owner]], values.labels
    relations = nodes.corpus.labels["deprel"]
    codes = nodes.corpus.codes["deprel"][bound[str(edges[quantity.owner].target)]]
    if quantity.name == "label":
        return codes, relations
    return codes, [label_parts(label).get(quantity.name) for label in relations]


def _compared(nodes: Nodes, constraint: ValueComparison, bound: Bound, edges: Edges) -> np.ndarray:
    left, right = constraint.left, constraint.right
    compare = _OPERATORS[constraint.relation]
    given = numbers(nodes, left, bound, edges)
    if given is None and constraint.relation in ("=", "<>") and not isinstance(right, float):
        codes, labels = texts(nodes, left, bound, edges)
        if not isinstance(right, Quantity):
            test = Test(left.name, constraint.relation, (right,))
            return np.array([test.holds(label) for label in labels], dtype=bool)[codes]
        if numbers(nodes, right, bound, edges) is None:
            other_codes, other_labels = texts(nodes, right, bound, edges)
            table: dict[str | None, int] = {None: -1}
            one, other = (
                np.array([table.setdefault(label, len(table)) for label in each], dtype=np.int64)
                for each in (labels, other_labels)
            )
            first, second = one[codes], other[other_codes]
            return np.asarray(compare(first, second) & (first >= 0) & (second >= 0))
    first = _as_numbers(nodes, left, bound, edges)
    second = _as_numbers(nodes, right, bound, edges) if isinstance(right, Quantity) else _number(right)
    known = ~np.isnan(first) & ~np.isnan(second)
    return np.asarray(compare(first, np.asarray(second)) & known)


def _as_numbers(nodes: Nodes, quantity: Quantity, bound: Bound, edges: Edges) -> np.ndarray:
    given = numbers(nodes, quantity, bound, edges)
    if given is not None:
        return given
    codes, labels = texts(nodes, quantity, bound, edges)
    return np.array([_number(label) for label in labels], dtype=float)[codes]


def _number(value: object) -> float:
    """The number that a value is; NaN if it is none."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return float("nan")
