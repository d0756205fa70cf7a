"""Reads the text of a request; an error names line and column, what stands there, and what was expected."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from treegauge.errors import TreegaugeError
from treegauge.upkeep.search.request import (
    SUBTYPE_PARTS,
    ArcClause,
    Constraint,
    Dominance,
    EdgeOrder,
    Filter,
    Inside,
    LabelTest,
    NodeClause,
    Order,
    Quantity,
    Request,
    RequestBlock,
    Test,
    Value,
    ValueComparison,
)


class RequestError(TreegaugeError):
    """A request that cannot be read; the message names the place, what is there, and what was expected."""


STRUCTURES = ("projective", "tree", "forest", "cyclic")
_SPACE = re.compile(r"(?:\s|%[^\n]*)*")
_NODE = re.compile(r"[^\W\d]\w*'?\$?")
_FEATURE = re.compile(r"[^\W\d]\w*(?:\[\w+\])?|\d")
_WORD = re.compile(r"[\w:+'.\-/@]+")
_LABEL = re.compile(r"""[^\s,|\]=<>^"!%{}\[]+""")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ORDER = re.compile(r"<<|>>|><|<>|<|>")
_COMPARE = re.compile(r"<>|<=|>=|=|<|>")
_EDGE_VALUES = ("label", "length", "delta", *SUBTYPE_PARTS)
_OTHER_ARROWS = re.compile(r"=\[|==>|-->|~>")
_NO_FEATURES = {"textform": "form", "wordform": "form"}


class RequestScanner:
    """The text of a request, read from its beginning."""

    def __init__(self, text: str, source: str) -> None:
        """source: a name for messages: a file, or `request`."""
        self.text, self.source, self.at = text, source, 0

    def error(self, expected: str, at: int | None = None) -> RequestError:
        """The error at a place, by default here."""
        self._skip()
        at = self.at if at is None else at
        line, column = self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)
        rest = self.text[at:].split("\n")[0]
        shown = repr(rest if len(rest) <= 30 else rest[:29] + "…") if rest else "the end"
        return RequestError(f"{self.source}:{line}:{column}: {shown}; expected {expected}")

    def _skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    @property
    def is_done(self) -> bool:
        """Whether only blanks and comments are left."""
        self._skip()
        return self.at == len(self.text)

    def sees(self, text: str) -> bool:
        """Whether this text comes next."""
        self._skip()
        return self.text.startswith(text, self.at)

    def has(self, text: str) -> bool:
        """Whether this text came next; it is read then."""
        found = self.sees(text)
        self.at += len(text) if found else 0
        return found

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What comes next, if it fits the pattern; it is read then."""
        self._skip()
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def need(self, what: str | re.Pattern[str], expected: str) -> str:
        """What comes next; an error if it does not fit."""
        if isinstance(what, str):
            if not self.has(what):
                raise self.error(expected)
            return what
        found = self.match(what)
        if not found:
            raise self.error(expected)
        return found[0]

    def word(self) -> str:
        """The next name, empty if there is none."""
        found = self.match(_NODE)
        return found[0] if found else ""


def parse_request(text: str, source: str = "request") -> Request:
    """The request in a text; raises RequestError."""
    scanner = RequestScanner(text, source)
    request = read_blocks(scanner)
    if not scanner.is_done:
        raise scanner.error("pattern, with, without or global")
    return request


def read_blocks(scanner: RequestScanner) -> Request:
    """The blocks of a request, up to what is none."""
    start = scanner.at
    patterns: list[tuple[bool, _BlockReader]] = []
    filters: list[tuple[bool, _BlockReader]] = []
    structure: list[tuple[str, bool]] = []
    comments: list[Test] = []
    while not scanner.is_done:
        before = scanner.at
        keyword = scanner.word()
        if keyword in ("pattern", "with", "without"):
            reader = _BlockReader(scanner)
            reader.read()
            (patterns if keyword == "pattern" else filters).append((keyword == "without", reader))
        elif keyword == "global":
            _read_global(scanner, structure, comments)
        else:
            scanner.at = before
            break
    if not (patterns or filters or structure or comments):
        raise scanner.error("a request, such as pattern { V [upos=VERB]; V -[obj]-> O }")
    whole = sum((reader.block for _, reader in patterns), RequestBlock())
    declared = whole.names()
    edges = {edge.name: edge for edge in whole.edges if edge.name}
    for _, reader in patterns:
        whole = replace(whole, constraints=whole.constraints + reader.resolved(declared, edges))
    kept = []
    for is_negated, reader in filters:
        own = {edge.name: edge for edge in reader.block.edges if edge.name}
        names = list(dict.fromkeys([*declared, *reader.block.names()]))
        constraints = reader.resolved(names, edges | own)
        kept.append(Filter(replace(reader.block, constraints=constraints), is_negated))
    return Request(scanner.text[start : scanner.at].strip(), whole, tuple(kept), tuple(structure), tuple(comments))


_Resolver = Callable[[list[str], dict[str, ArcClause]], Constraint]


class _BlockReader:
    """Reads the clauses of a block. Constraints are resolved when all names of the request are known."""

    def __init__(self, scanner: RequestScanner) -> None:
        self.scanner = scanner
        self.block = RequestBlock()
        self.pending: list[_Resolver] = []

    def read(self) -> None:
        """Read a block in braces."""
        scanner = self.scanner
        scanner.need("{", "{")
        while not scanner.has("}"):
            self._clause()
            if not scanner.sees("}"):
                scanner.need(";", "; or }")
            while scanner.has(";"):
                pass

    def resolved(self, nodes: list[str], edges: dict[str, ArcClause]) -> tuple[Constraint, ...]:
        """The constraints of the block, with its names told apart: nodes and arcs."""
        return tuple(resolve(nodes, edges) for resolve in self.pending)

    def _clause(self) -> None:
        scanner = self.scanner
        scanner.sees("")
        at = scanner.at
        if scanner.sees("*"):
            self._edge("")
            return
        name = scanner.word()
        if not name:
            raise scanner.error("a node such as V [upos=VERB], an arc, or a condition")
        if name in ("length", "delta") and scanner.sees("("):
            self._comparison(self.distance(name), at)
        elif scanner.sees("["):
            self._node(name)
        elif scanner.has(":"):
            self._edge(name)
        elif scanner.sees("->>"):
            scanner.has("->>")
            self._pair(name, at, lambda first, second: Dominance(first, second))
        elif scanner.sees("->") or scanner.sees("-["):
            scanner.at = at
            self._edge("")
        elif scanner.has("."):
            self._comparison(self._quantity(name, at), at)
        else:
            if scanner.match(_OTHER_ARROWS):
                raise scanner.error("an arc of the basic tree, such as V -[obj]-> O; other arcs are not supported", at)
            relation = scanner.need(_ORDER, f"[, ->, -[, ., < or << behind {name!r}")
            self._relative(name, relation, at)

    def _node(self, name: str) -> None:
        alternatives = [self._tests()]
        while self.scanner.has("|"):
            alternatives.append(self._tests())
        self.block += RequestBlock(nodes=(NodeClause(name, tuple(alternatives)),), mentioned=(name,))

    def _tests(self) -> tuple[Test, ...]:
        """The tests in square brackets."""
        scanner = self.scanner
        scanner.need("[", "[")
        tests: list[Test] = []
        while not scanner.has("]"):
            if tests:
                scanner.need(",", ", or ]")
            tests.append(read_test(scanner, "a feature such as upos=VERB, Number, or !Number"))
            _check_feature(scanner, tests[-1].feature)
        return tuple(tests)

    def _edge(self, name: str) -> None:
        scanner, at = self.scanner, self.scanner.at
        source = self._end()
        if scanner.has("->>"):
            raise scanner.error("-> or -[…]-> behind the name of an arc")
        label = LabelTest() if scanner.has("->") else self._label()
        target = self._end()
        if source is None and target is None:
            raise scanner.error("a name on at least one side of the arc, instead of *")
        if name in {edge.name for edge in self.block.edges} - {""}:
            raise scanner.error(f"another name than {name!r}, which is an arc already", at)
        if name and target is None:
            target = f"*{name}"
        ends = tuple(end for end in (source, target) if end is not None)
        self.block += RequestBlock(edges=(ArcClause(source, target, label, name),), mentioned=ends)

    def _end(self) -> str | None:
        if self.scanner.has("*"):
            return None
        name = self.scanner.word()
        if not name:
            raise self.scanner.error("the name of a node, or *")
        if self.scanner.sees("["):
            raise self.scanner.error(f"; behind {name!r}: what a node is like stands in a clause of its own")
        return name

    def _label(self) -> LabelTest:
        scanner = self.scanner
        scanner.need("-[", "-> or -[…]->")
        label = read_label(scanner)
        scanner.need("]->", "]->")
        return label

    def distance(self, name: str) -> Quantity:
        """The distance of two nodes, which stand in parentheses."""
        scanner = self.scanner
        scanner.need("(", "(")
        first = scanner.need(_NODE, "the name of a node")
        scanner.need(",", ",")
        second = scanner.need(_NODE, "the name of a node")
        scanner.need(")", ")")
        return Quantity(first, name, second)

    def _quantity(self, owner: str, at: int) -> Quantity:
        return Quantity(owner, feature_name(self.scanner, "a feature, or label, length, delta, 1 or 2 of an arc"))

    def _comparison(self, left: Quantity, at: int) -> None:
        scanner = self.scanner
        relation = scanner.need(_COMPARE, "=, <>, <, <=, > or >=")
        place = scanner.at
        right: Quantity | Value | float
        word = scanner.word()
        if word in ("length", "delta") and scanner.sees("("):
            right = self.distance(word)
        elif word and word != "re" and scanner.has("."):
            right = self._quantity(word, place)
        else:
            scanner.at = place
            number = None if relation in ("=", "<>") and not left.other else scanner.match(_NUMBER)
            if number:
                right = float(number[0])
            elif relation in ("=", "<>") and not left.other:
                right = read_value(scanner, _WORD)
            else:
                raise scanner.error("a number, or a value such as X.feature")
            if scanner.sees("|"):
                raise scanner.error("one value: alternatives stand in a node, such as X [upos=VERB|AUX]")

        def resolve(nodes: list[str], edges: dict[str, ArcClause]) -> Constraint:
            sides = [self.known(q, nodes, edges, at) if isinstance(q, Quantity) else q for q in (left, right)]
            first, second = sides
            assert isinstance(first, Quantity)
            if first.is_edge and first.name in ("length", "delta") and isinstance(second, str):
                second = float(second) if _NUMBER.fullmatch(second) else second
            return ValueComparison(first, relation, second)

        self.pending.append(resolve)

    def known(self, quantity: Quantity, nodes: list[str], edges: Mapping[str, ArcClause], at: int) -> Quantity:
        """The quantity, with its owner known as a node or an arc."""
        if quantity.other:
            return replace(
                quantity, owner=self._one(quantity.owner, nodes, at), other=self._one(quantity.other, nodes, at)
            )
        if quantity.owner in edges:
            if quantity.name not in _EDGE_VALUES:
                raise self.scanner.error(f"one of {', '.join(_EDGE_VALUES)} of the arc {quantity.owner!r}", at)
            return replace(quantity, is_edge=True)
        self._one(quantity.owner, [*nodes, *edges], at)
        _check_feature(self.scanner, quantity.name, at)
        return quantity

    def _one(self, name: str, known: list[str], at: int) -> str:
        if name not in known:
            near = difflib.get_close_matches(name, known, 3, 0.5) or known[:8]
            raise self.scanner.error(f"a name that a node or an arc has: {', '.join(near)}; {name!r} has none", at)
        return name

    def _pair(self, first: str, at: int, make: Callable[[str, str], Constraint]) -> None:
        second = self.scanner.need(_NODE, "the name of a node")
        self.pending.append(lambda nodes, edges: make(self._one(first, nodes, at), self._one(second, nodes, at)))

    def _relative(self, first: str, relation: str, at: int) -> None:
        """A condition on the order of nodes or arcs."""
        second = self.scanner.need(_NODE, "the name of a node or an arc")

        def resolve(nodes: list[str], edges: dict[str, ArcClause]) -> Constraint:
            known = [*nodes, *edges]
            for name in (first, second):
                self._one(name, known, at)
            are_edges = first in edges, second in edges
            if all(are_edges) and relation in ("><", "<>", "<<"):
                return EdgeOrder(first, second, relation)
            if are_edges == (False, True) and relation == "<<":
                return Inside(first, second)
            if any(are_edges) or relation in ("><", "<>"):
                raise self.scanner.error("two nodes with < or <<, two arcs with ><, <> or <<, or a node << an arc", at)
            one, other = (second, first) if relation.startswith(">") else (first, second)
            return Order(one, other, len(relation) == 1)

        self.pending.append(resolve)


def feature_name(scanner: RequestScanner, expected: str) -> str:
    """The next name of a feature; Number__psor is Number[psor]."""
    name = scanner.need(_FEATURE, expected)
    if "__" in name.strip("_") and "[" not in name:
        before, _, layer = name.partition("__")
        return f"{before}[{layer}]"
    return name


def read_test(scanner: RequestScanner, expected: str) -> Test:
    """A test of a feature: `f=v|w`, `f<>v`, `f`, `f=*` or `!f`."""
    if scanner.has("!"):
        return Test(feature_name(scanner, "a feature behind !"), "!")
    feature = feature_name(scanner, expected)
    relation = "<>" if scanner.has("<>") else "=" if scanner.has("=") else ""
    if not relation or (relation == "=" and scanner.has("*")):
        return Test(feature, "=")
    values = [read_value(scanner, _WORD)]
    while scanner.has("|"):
        if scanner.sees("["):
            raise scanner.error("a value behind |; alternatives of a node stand behind its ]")
        values.append(read_value(scanner, _WORD))
    return Test(feature, relation, tuple(values))


def read_value(scanner: RequestScanner, word: re.Pattern[str]) -> Value:
    """A word, a text in quotes, or a regular expression."""
    scanner.sees("")
    at = scanner.at
    if scanner.has('re"'):
        scanner.at -= 1
        return _compiled(scanner, _as_python(_string(scanner)), 0, at)
    if scanner.sees('"'):
        return _string(scanner)
    if scanner.has("/"):
        return _pcre(scanner, at)
    return scanner.need(word, 'a value: a word, "…", re"…" or /…/')


def _string(scanner: RequestScanner) -> str:
    found = scanner.match(_STRING)
    if not found:
        raise scanner.error('a text that ends in "')
    return re.sub(r'\\(["\\])', r"\1", found[1])


def _pcre(scanner: RequestScanner, at: int) -> re.Pattern[str]:
    found = re.compile(r"((?:[^/\\\n]|\\.)*)/(i?)").match(scanner.text, scanner.at)
    if not found:
        raise scanner.error("a regular expression that ends in /", at)
    scanner.at = found.end()
    return _compiled(scanner, found[1].replace("\\/", "/"), re.IGNORECASE if found[2] else 0, at)


def _compiled(scanner: RequestScanner, pattern: str, flags: int, at: int) -> re.Pattern[str]:
    try:
        return re.compile(pattern, flags | re.DOTALL)
    except re.error as error:
        raise scanner.error(f"a regular expression ({error})", at) from error


def _as_python(pattern: str) -> str:
    r"""An expression of OCaml's Str, where \( \) \| are operators and ( ) | { } are letters, as one of Python.

    >>> _as_python(r"a\(b\|c\)(")
    'a(b|c)\\('
    """
    out, at = [], 0
    while at < len(pattern):
        two = pattern[at : at + 2]
        if two in (r"\(", r"\)", r"\|"):
            out.append(two[1])
        elif two[0] == "\\":
            out.append(two if len(two) == 2 and (two[1] in "bdwsBDWS0123456789" or not two[1].isalnum()) else two[1:])
        elif two[0] == "[":
            end = pattern.find("]", at + (3 if pattern[at + 1 : at + 2] == "^" else 2))
            end = len(pattern) if end < 0 else end
            out.append(pattern[at : end + 1])
            at = end + 1
            continue
        else:
            out.append(f"\\{two[0]}" if two[0] in "(){}|" else two[0])
            at += 1
            continue
        at += 2
    return "".join(out)


def read_label(scanner: RequestScanner) -> LabelTest:
    """What stands between -[ and ]->."""
    start = scanner.at
    is_negated = scanner.has("^")
    first = scanner.match(_FEATURE) if not is_negated else None
    is_part = bool(first) and (scanner.sees("=") or scanner.sees("<>"))
    scanner.at = start
    if is_part or scanner.sees("!"):
        return LabelTest(parts=_label_tests(scanner))
    is_negated = scanner.has("^")
    labels = [read_value(scanner, _LABEL)]
    while scanner.has("|"):
        labels.append(read_value(scanner, _LABEL))
    if scanner.sees(","):
        raise scanner.error("] or |; with commas, each part has a value, such as 1=obl, 2=*")
    for label in labels:
        if isinstance(label, str) and label.startswith("E:"):
            raise scanner.error("a relation of the basic tree; enhanced arcs are not supported", start)
    return LabelTest(tuple(labels), is_negated)


def _label_tests(scanner: RequestScanner) -> tuple[Test, ...]:
    tests: list[Test] = []
    while not tests or scanner.has(","):
        scanner.sees("")
        at = scanner.at
        tests.append(read_test(scanner, "a part of the relation, such as 1=obl"))
        if tests[-1].feature not in SUBTYPE_PARTS:
            parts = ", ".join(SUBTYPE_PARTS)
            raise scanner.error(f"one of the parts {parts}; {tests[-1].feature!r} is not supported", at)
    return tuple(tests)


def _check_feature(scanner: RequestScanner, name: str, at: int | None = None) -> None:
    if name in _NO_FEATURES:
        raise scanner.error(f"{_NO_FEATURES[name]!r} instead of {name!r}, which CoNLL-U does not have", at)


def _read_global(scanner: RequestScanner, structure: list[tuple[str, bool]], comments: list[Test]) -> None:
    scanner.need("{", "{")
    known = ", ".join(f"is_{name}" for name in STRUCTURES)
    while not scanner.has("}"):
        scanner.sees("")
        at = scanner.at
        expected = f'{known}, is_not_…, or a comment such as sent_id = "…"'
        test = read_test(scanner, expected)
        name = test.feature
        if test.relation == "=" and not test.values and name.startswith("is_"):
            bare = name.removeprefix("is_").removeprefix("not_")
            if bare not in STRUCTURES:
                raise scanner.error(expected, at)
            structure.append((bare, not name.startswith("is_not_")))
        else:
            comments.append(test)
        if not scanner.sees("}"):
            scanner.need(";", "; or }")
        while scanner.has(";"):
            pass


def read_key(scanner: RequestScanner, request: Request) -> Quantity | Filter:
    """What matches are counted by: a value of a match, or a block in braces, which holds or not."""
    nodes, edges = request.pattern.names(), request.edges
    reader = _BlockReader(scanner)
    if scanner.sees("{"):
        reader.read()
        own = edges | {edge.name: edge for edge in reader.block.edges if edge.name}
        names = list(dict.fromkeys([*nodes, *reader.block.names()]))
        return Filter(replace(reader.block, constraints=reader.resolved(names, own)), False)
    expected = "a key such as O.upos, e.label, e.length, length(V,O), {O << V}, or file"
    name = scanner.word()
    if name in ("length", "delta") and scanner.sees("("):
        return reader.known(reader.distance(name), nodes, edges, 0)
    scanner.need(".", expected)
    return reader.known(Quantity(name, feature_name(scanner, expected)), nodes, edges, 0)
