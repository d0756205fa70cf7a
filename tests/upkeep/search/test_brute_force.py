"""Matches are what the definition says: every way to give nodes to names, tried one by one."""

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trees import corpora
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.upkeep.search.find import find
from treegauge.upkeep.search.parser import parse_request
from treegauge.upkeep.search.request import (
    Dominance,
    EdgeOrder,
    Inside,
    Order,
    Quantity,
    Request,
    RequestBlock,
    ValueComparison,
)

Node = dict[str, Any]
OPERATORS: dict[str, Any] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def sentence_nodes(corpus: Corpus, s: int) -> list[Node]:
    """The artificial root and the words of a sentence, read from its lines."""
    lines = [line.split("\t") for line in corpus.sentence_text(s).decode().splitlines() if line[:1].isdigit()]
    nodes: list[Node] = [{"at": 0, "head": None, "features": {"form": "__0__"}}]
    for line in lines:
        features = dict(zip(("form", "lemma", "upos", "xpos"), line[1:5], strict=True))
        for column in (line[9], line[5]):
            features |= dict(feature.split("=") for feature in column.split("|") if column != "_")
        features = {name: value for name, value in features.items() if value != "_"}
        nodes.append({"at": int(line[0]), "head": int(line[6]), "features": features | {"deprel": line[7]}})
    return nodes


def is_below(nodes: list[Node], above: Node, below: Node) -> bool:
    head = below["head"]
    while head is not None:
        if head == above["at"]:
            return True
        head = nodes[head]["head"]
    return False


def quantity(nodes: list[Node], bound: dict[str, Node], edges: dict[str, Any], q: Quantity) -> Any:
    if q.other or q.name in ("length", "delta"):
        one, other = bound[q.owner] if q.other else None, bound[q.other] if q.other else None
        if q.is_edge:
            other = bound[edges[q.owner].target]
            one = nodes[other["head"]]
        assert one is not None
        assert other is not None
        delta = other["at"] - one["at"]
        return abs(delta) if q.name == "length" else delta
    if q.is_edge:
        label = bound[edges[q.owner].target]["features"]["deprel"]
        parts = label.split(":")
        return label if q.name == "label" else parts[int(q.name) - 1] if int(q.name) <= len(parts) else None
    return bound[q.owner]["features"].get(q.name)


def ends(nodes: list[Node], bound: dict[str, Node], edges: dict[str, Any], name: str) -> tuple[int, int]:
    target = bound[edges[name].target]
    low, high = sorted((target["at"], target["head"]))
    return low, high


def holds(nodes: list[Node], bound: dict[str, Node], edges: dict[str, Any], c: Any) -> bool:
    if isinstance(c, Order):
        distance = bound[c.second]["at"] - bound[c.first]["at"]
        return distance == 1 if c.is_next else distance > 0
    if isinstance(c, Dominance):
        return is_below(nodes, bound[c.above], bound[c.below])
    if isinstance(c, Inside):
        low, high = ends(nodes, bound, edges, c.edge)
        return bool(low < bound[c.node]["at"] < high)
    if isinstance(c, EdgeOrder):
        (a, b), (x, y) = ends(nodes, bound, edges, c.first), ends(nodes, bound, edges, c.second)
        return {
            "<<": x <= a and b <= y,
            "<>": b <= x or y <= a,
            "><": a < x < b < y or x < a < y < b,
        }[c.relation]
    assert isinstance(c, ValueComparison)
    left = quantity(nodes, bound, edges, c.left)
    right = quantity(nodes, bound, edges, c.right) if isinstance(c.right, Quantity) else c.right
    if left is None or right is None:
        return False
    if hasattr(right, "fullmatch"):
        return (right.fullmatch(left) is not None) == (c.relation == "=")
    return bool(OPERATORS[c.relation](left, right))


def block_holds(nodes: list[Node], bound: dict[str, Node], edges: dict[str, Any], block: RequestBlock) -> bool:
    for clause in block.nodes:
        features = bound[clause.node]["features"]
        if not any(all(test.holds(features.get(test.feature)) for test in tests) for tests in clause.alternatives):
            return False
    for edge in block.edges:
        sources = nodes if edge.source is None else [bound[edge.source]]
        targets = nodes if edge.target is None else [bound[edge.target]]
        if not any(
            target["head"] == source["at"] and edge.label.holds(target["features"]["deprel"])
            for source in sources
            for target in targets
            if target["head"] is not None
        ):
            return False
    return all(holds(nodes, bound, edges, constraint) for constraint in block.constraints)


def extensions(nodes: list[Node], bound: dict[str, Node], block: RequestBlock) -> Any:
    new = [name for name in block.names() if name not in bound]
    for chosen in itertools.product(nodes, repeat=len(new)):
        whole = bound | dict(zip(new, chosen, strict=True))
        strict = [node["at"] for name, node in whole.items() if not name.endswith("$") and name[0] != "*"]
        if len(set(strict)) == len(strict):
            yield whole


def brute_force(corpus: Corpus, request: Request) -> list[tuple[int, ...]]:
    found = []
    edges = request.edges
    for s in range(corpus.n_sentences):
        nodes = sentence_nodes(corpus, s)
        crossed = any(
            a["head"] is not None
            and b["head"] is not None
            and (x := sorted((a["at"], a["head"])))[0] < (y := sorted((b["at"], b["head"])))[0] < x[1] < y[1]
            for a in nodes
            for b in nodes
        )
        if any(name == "projective" and expected == crossed for name, expected in request.structure):
            continue
        for bound in extensions(nodes, {}, request.pattern):
            if not block_holds(nodes, bound, edges, request.pattern):
                continue
            kept = True
            for each in request.filters:
                own = edges | {edge.name: edge for edge in each.block.edges if edge.name}
                some = any(block_holds(nodes, whole, own, each.block) for whole in extensions(nodes, bound, each.block))
                kept &= some != each.is_negated
            if kept:
                found.append((s, *(bound[name]["at"] for name in request.pattern.names())))
    return sorted(found)


NODES = ("A", "B", "C$")
TESTS = (
    "upos=NOUN",
    "upos<>NOUN|VERB",
    "upos=NOUN|ADJ, lemma=dog",
    'form=re".*d"',
    "form=/S.*/i",
    "!Number",
    "Number",
    "Number=Sing",
    "Gloss=x",
    'lemma="sée"',
    "form=__0__",
    "",
)
LABELS = ("->", "-[nsubj]->", "-[nsubj|obj]->", "-[^punct]->", "-[1=nsubj]->", "-[1=nsubj, 2=pass]->")
LABELS += ("-[1=nsubj, !2]->", "-[1<>obj]->", '-[re"n.*"]->')


@st.composite
def blocks(draw: st.DrawFn, nodes: tuple[str, ...], named: str = "") -> str:
    """Clauses about these nodes; named: the name of an arc from one of them."""
    node = st.sampled_from(nodes)
    clauses = [f"{draw(node)} [{draw(st.sampled_from(TESTS))}]" for _ in range(draw(st.integers(0, 2)))]
    for _ in range(draw(st.integers(0, 2))):
        source, target = draw(st.sampled_from((*nodes, "*"))), draw(node)
        pair = (source, target) if draw(st.booleans()) else (target, source)
        clauses.append(f"{pair[0]} {draw(st.sampled_from(LABELS))} {pair[1]}")
    if named:
        clauses.append(f"{named}: {draw(node)} {draw(st.sampled_from(LABELS))} {draw(st.sampled_from((*nodes, '*')))}")
    return "; ".join(clauses)


@st.composite
def constraints(draw: st.DrawFn, nodes: tuple[str, ...], edges: tuple[str, ...]) -> str:
    """A condition on these nodes and arcs."""
    a, b = draw(st.sampled_from(nodes)), draw(st.sampled_from(nodes))
    choices = [
        f"{a} {draw(st.sampled_from(('<', '<<', '>', '>>', '->>')))} {b}",
        f"{a}.upos {draw(st.sampled_from(('=', '<>')))} {b}.upos",
        f"{a}.lemma <> {b}.form",
        f"{a}.Number = {b}.Number",
        f"{a}.upos = NOUN",
        f"length({a},{b}) {draw(st.sampled_from(('<', '=', '>=')))} 2",
        f"delta({a},{b}) > -2",
    ]
    if edges:
        e, f = draw(st.sampled_from(edges)), draw(st.sampled_from(edges))
        choices += [f"{e}.label = {f}.label", f"{e}.1 <> nsubj", f"{e}.length > 1", f"{e}.delta < 0", f"{a} << {e}"]
        choices += [f"{e} {draw(st.sampled_from(('><', '<>', '<<')))} {f}", f"{e}.2 = {f}.2"]
    return draw(st.sampled_from(choices))


@st.composite
def requests(draw: st.DrawFn) -> str:
    """A request with up to three nodes, two named arcs, and filters."""
    nodes = NODES[: draw(st.integers(1, 3))]
    edges = ("e", "f")[: draw(st.integers(0, 2))]
    clauses = [f"{node} []" for node in nodes] + [draw(blocks(nodes, name)) for name in edges or ("",)]
    clauses += [draw(constraints(nodes, edges)) for _ in range(draw(st.integers(0, 2)))]
    text = f"pattern {{ {'; '.join(filter(None, clauses))} }}"
    for _ in range(draw(st.integers(0, 2))):
        more = (*nodes, "D") if draw(st.booleans()) else nodes
        inside = [
            f"{more[-1]} []",
            draw(blocks(more, draw(st.sampled_from(("", "g"))))),
            draw(constraints(more, edges)),
        ]
        text += f" {draw(st.sampled_from(('with', 'without')))} {{ {'; '.join(filter(None, inside))} }}"
    return text + draw(st.sampled_from(("", "", " global { is_projective }", " global { is_not_projective }")))


def with_features(text: str) -> str:
    """The corpus with a feature in FEATS or in MISC of some words."""
    lines = text.split("\n")
    for k, line in enumerate(lines):
        columns = line.split("\t")
        if len(columns) == 10:
            columns[5] = ("_", "Number=Sing", "Case=Nom|Number=Plur", "_")[k % 4]
            columns[9] = ("_", "Gloss=x", "SpaceAfter=No|Number=Plur|Gloss=y", "Number=Sing")[(k * 7) % 4]
            lines[k] = "\t".join(columns)
    return "\n".join(lines)


@given(corpora(most=4, words=5), requests())
@settings(max_examples=250, deadline=None)
def test_a_match_is_every_way_to_name_nodes_for_which_all_clauses_hold(text: str, request: str) -> None:
    corpus, parsed = parse_conllu(with_features(text)), parse_request(request)
    expected = brute_force(corpus, parsed)
    hidden = [k for k, name in enumerate(parsed.pattern.names()) if name.startswith("*")]
    expected = sorted(tuple(n for k, n in enumerate(each, -1) if k not in hidden) for each in expected)
    found = find(corpus, parsed)
    places = [
        (s, *(int(corpus.position[row]) if row >= 0 else 0 for row in nodes))
        for s, nodes in zip(found.sentence.tolist(), found.nodes.tolist(), strict=True)
    ]
    assert places == sorted(places)
    assert places == expected
