"""The parse of one sentence, and its word graph: nodes are words, edges their dependencies (1998 §3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treegauge.constituency.chaos.chunker import Chunk, Word, inside_heads
from treegauge.constituency.chaos.clauses import Clause
from treegauge.constituency.chaos.links import CHUNK, FINAL, INTRODUCED, NONE, PREDICATE, VERBAL, Links
from treegauge.constituency.chaos.rules import Rules
from treegauge.wording import counted


@dataclass(frozen=True, slots=True, repr=False)
class ChunkParse:
    """The words of a sentence, the letters of their classes, and its chunks, clauses and links."""

    words: Sequence[Word]
    letters: str
    chunks: Sequence[Chunk]
    clauses: Sequence[Clause]
    home: Sequence[int]  # for each chunk the number of its clause
    links: Links

    def __repr__(self) -> str:
        text = " ".join(chunk.kind for chunk in self.chunks)
        return f"ChunkParse({counted(len(self.words), 'word')}, {counted(len(self.clauses), 'clause')}: {text})"


class Edge(NamedTuple):
    """A word depends on another (0 is the root); positions count from 1."""

    word: int
    head: int
    stratum: int
    kind: str
    share: float  # plausibility
    inside: bool = False  # both words are in one chunk, or in the chunks of a copula and its predicate


def word_edges(parse: ChunkParse, rules: Rules) -> list[Edge]:
    """The edges of a parse between words, as UD has them: content words on top.

    A link joins the heads of its two chunks. Two kinds of link run the other way in UD: an introducer depends on its
    verb (Clausole), a copula on its predicate (G_V_Pred). There the dependent takes the governor's place in all other
    links of the governor. Inside a chunk words depend as `inside_heads` says; words in the chunk of a copula depend on
    the predicate, and belong to the stratum of that link.
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
    """Introducers and copulas, each with the chunk that takes its place."""
    return {g: i for i, g in enumerate(links.governor) if g >= 0 and links.kind[i] in (INTRODUCED, PREDICATE)}


def word_heads(parse: ChunkParse) -> Callable[[int], int]:
    """A function from a chunk to the word (from 1) that stands for it in UD; it gives 0 for a number below 0."""
    chunks, place = parse.chunks, _places(parse.links)

    def head_of(k: int) -> int:
        if k < 0:
            return 0
        for _ in range(len(place)):  # as many steps as places at most, even if links form a circle
            if k not in place:
                break
            k = place[k]
        return chunks[k].head + 1

    return head_of


def best_edges(parse: ChunkParse, rules: Rules) -> dict[int, Edge]:
    """The most plausible edge of each word that has any; among equal ones the edge to the nearest governor."""
    best: dict[int, Edge] = {}
    for edge in word_edges(parse, rules):
        best.setdefault(edge.word, edge)
    return best
