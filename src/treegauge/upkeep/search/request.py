"""A search request: what it asks of words, arcs and sentences. The language is the usual part of Grew's requests.

A request is a list of blocks. The `pattern` blocks say which nodes to find and what holds for them; a `with` or
`without` block keeps the matches that can, or cannot, be extended by what it says; `global` is about the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields

Value = str | re.Pattern[str]
SUBTYPE_PARTS = ("1", "2", "3", "deep")  # the parts of a relation such as comp:obl@agent: 1, 2, …; deep is behind @


def _is(value: Value, text: str) -> bool:
    """Whether a text is the value, or fits the regular expression from its first to its last character."""
    return text == value if isinstance(value, str) else value.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Test:
    """What is asked of a feature of a node, of a part of a relation, or of a comment of a sentence."""

    __test__ = False  # for pytest: the name is only a name
    feature: str
    relation: str  # "=", "<>" (there is a value, and it is none of these), "!" (there is no value)
    values: tuple[Value, ...] = ()  # with "=": none for any value

    def holds(self, value: str | None) -> bool:
        """Whether a value, or None if there is none, passes the test."""
        if value is None:
            return self.relation == "!"
        if self.relation == "!":
            return False
        if not self.values:
            return True
        return any(_is(each, value) for each in self.values) == (self.relation == "=")


@dataclass(frozen=True, slots=True)
class LabelTest:
    """What is asked of a relation: one of some labels, none of them, or tests of its parts; nothing without both."""

    labels: tuple[Value, ...] = ()
    is_negated: bool = False
    parts: tuple[Test, ...] = ()

    def holds(self, label: str) -> bool:
        """Whether a relation passes."""
        if self.parts:
            of_label = label_parts(label)
            return all(test.holds(of_label.get(test.feature)) for test in self.parts)
        return not self.labels or any(_is(each, label) for each in self.labels) != self.is_negated


def label_parts(label: str) -> dict[str, str]:
    """The parts of a relation.

    >>> label_parts("comp:obl@agent")
    {'1': 'comp', '2': 'obl', 'deep': 'agent'}
    """
    label, _, deep = label.partition("@")
    parts = dict(zip(SUBTYPE_PARTS, label.split(":", 2), strict=False))
    return parts | ({"deep": deep} if deep else {})


@dataclass(frozen=True, slots=True)
class NodeClause:
    """A node passes all tests of one of the alternatives."""

    node: str
    alternatives: tuple[tuple[Test, ...], ...]


@dataclass(frozen=True, slots=True)
class ArcClause:
    """An arc between two nodes; None stands for `*`, any node, which is not part of the match."""

    source: str | None
    target: str | None
    label: LabelTest
    name: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """The first node comes before the second one; directly before it if `is_next`."""

    first: str
    second: str
    is_next: bool


@dataclass(frozen=True, slots=True)
class Dominance:
    """There is a way of one arc or more from the node above down to the node below."""

    above: str
    below: str


@dataclass(frozen=True, slots=True)
class EdgeOrder:
    """Two arcs cross (`><`), have no stretch in common (`<>`), or the second one spans the first one (`<<`)."""

    first: str
    second: str
    relation: str


@dataclass(frozen=True, slots=True)
class Inside:
    """The node is between the two ends of an arc, and is neither."""

    node: str
    edge: str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value of a match: a feature of a node, something of an arc (label, 1, 2, length, delta), or a distance."""

    owner: str
    name: str
    other: str = ""  # for a distance: the second node; name is then "length" or "delta"
    is_edge: bool = False

    def __str__(self) -> str:
        return f"{self.name}({self.owner},{self.other})" if self.other else f"{self.owner}.{self.name}"


@dataclass(frozen=True, slots=True)
class ValueComparison:
    """A value compared with another one, with a text, a regular expression, or a number (`<` and the like)."""

    left: Quantity
    relation: str
    right: Quantity | Value | float


Constraint = Order | Dominance | EdgeOrder | Inside | ValueComparison


@dataclass(frozen=True, slots=True)
class RequestBlock:
    """The clauses of a block; several `pattern` blocks are one."""

    nodes: tuple[NodeClause, ...] = ()
    edges: tuple[ArcClause, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    mentioned: tuple[str, ...] = ()  # the nodes of nodes and edges, in the order of the text

    def __add__(self, more: RequestBlock) -> RequestBlock:
        return RequestBlock(*(getattr(self, each.name) + getattr(more, each.name) for each in fields(self)))

    def names(self) -> list[str]:
        """The nodes of the block, as they appear in it."""
        return list(dict.fromkeys(self.mentioned))


@dataclass(frozen=True, slots=True)
class Filter:
    """A `with` block, or a `without` block, which must not hold."""

    block: RequestBlock
    is_negated: bool


@dataclass(frozen=True, slots=True)
class Request:
    """A whole request."""

    text: str
    pattern: RequestBlock = field(default_factory=RequestBlock)
    filters: tuple[Filter, ...] = ()
    structure: tuple[tuple[str, bool], ...] = ()  # such as ("projective", False) for is_not_projective
    comments: tuple[Test, ...] = ()  # about sent_id, text and other comments of the sentence

    @property
    def nodes(self) -> list[str]:
        """The nodes of a match."""
        return [name for name in self.pattern.names() if not is_hidden(name)]

    @property
    def arcs(self) -> list[ArcClause]:
        """The arcs of a match: each is that of its dependent."""
        return [edge for edge in self.pattern.edges if edge.target is not None]

    @property
    def edges(self) -> dict[str, ArcClause]:
        """The arcs of a match that have a name."""
        return {edge.name: edge for edge in self.pattern.edges if edge.name}

    def blocks(self) -> Iterator[RequestBlock]:
        """All blocks but `global`."""
        yield self.pattern
        yield from (each.block for each in self.filters)

    def features(self) -> set[str]:
        """The names of all features of nodes that the request asks for."""
        names: set[str] = set()
        for block in self.blocks():
            names |= {test.feature for clause in block.nodes for tests in clause.alternatives for test in tests}
            for constraint in block.constraints:
                if isinstance(constraint, ValueComparison):
                    both = (constraint.left, constraint.right)
                    names |= {q.name for q in both if isinstance(q, Quantity) and not (q.is_edge or q.other)}
        return names


def is_hidden(name: str) -> bool:
    """Whether a node is the `*` of a named arc, which has no name of its own."""
    return name.startswith("*")


def is_free(name: str) -> bool:
    """Whether a node may be the same word as another node of the match: its name ends in `$`, or it is a `*`."""
    return name.endswith("$") or is_hidden(name)
