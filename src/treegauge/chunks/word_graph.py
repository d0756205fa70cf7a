"""Parses as word graphs: nodes are words, edges their dependencies (1998 §3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treegauge.chunks.chunker import inside_heads
from treegauge.chunks.links import CHUNK, FINAL, INTRODUCED, NONE, PREDICATE, VERBAL, Links
from treegauge.chunks.parse import ChunkParse
from treegauge.chunks.rules import Rules


class Edge(NamedTuple):
    """A word depends on another (0 is the root); positions count from 1."""

    word: int
    head: int
    stratum: int
    kind: str
    share: float  # plausibility
    inside: bool = False  # both words are in one chunk, or in those of a copula and its predicate


def word_edges(parse: ChunkParse, rules: Rules) -> list[Edge]:
    """The edges of a parse, the words as UD has them: content words on top.

    A link joins the heads of its two chunks. Two kinds of link run the other way in UD, from what they lead to: an
    introducer depends on its verb (Clausole), a copula on its predicate (G_V_Pred). There the dependent takes the
    governor's place in all its links. Inside a chunk words depend as `inside_heads` says; what is in the chunk of a
    copula depends on the predicate, and is known no earlier than that.
    """
    chunks, links = parse.chunks, parse.links
    place = _places(links)
    head_of = word_heads(parse)
    edges: list[Edge] = []
    for i, chunk in enumerate(chunks):
        governor, kind = links.governor[i], links.kind[i]
        if governor == NONE:
            pass
        elif kind in (INTRODUCED, PREDICATE):
            edges.append(Edge(chunks[governor].head + 1, head_of(i), VERBAL, kind, 1.0))
        else:
            others = links.others.get(i, ())
            share = 1 / (1 + len(others))
            edges.append(Edge(head_of(i), head_of(governor), links.layer[i], kind, share))
            edges += [Edge(head_of(i), head_of(other), FINAL, name, share) for other, name in others]
        if chunk.first < chunk.last:
            copula = i in place and links.kind[place[i]] == PREDICATE
            stratum = VERBAL if copula else CHUNK
            for word, inner in inside_heads(chunk, parse.letters, rules):
                to = head_of(i) if copula and inner == chunk.head else inner + 1
                edges.append(Edge(word + 1, to, stratum, chunk.kind, 1.0, True))
    return edges


def _places(links: Links) -> dict[int, int]:
    """Introducers and copulas, and the chunk that takes the place of each."""
    return {g: i for i, g in enumerate(links.governor) if g >= 0 and links.kind[i] in (INTRODUCED, PREDICATE)}


def word_heads(parse: ChunkParse) -> Callable[[int], int]:
    """What gives the word (from 1) that stands for a chunk in UD; 0 for a governor that is no chunk."""
    chunks, place = parse.chunks, _places(parse.links)

    def head_of(k: int) -> int:
        if k < 0:
            return 0
        for _ in range(len(place)):  # no more steps than places, whatever the links
            if k not in place:
                break
            k = place[k]
        return chunks[k].head + 1

    return head_of


def best_edges(parse: ChunkParse, rules: Rules) -> dict[int, Edge]:
    """For each word that has any its most plausible edge; of equal ones the nearest governor's."""
    best: dict[int, Edge] = {}
    for edge in word_edges(parse, rules):
        best.setdefault(edge.word, edge)
    return best
