"""The clause hierarchy with its boundaries, as the appendix prints it (1998, 7.2)."""

from __future__ import annotations

from dataclasses import dataclass

from treegauge.chunks.links import FINAL, NONE
from treegauge.chunks.parse import ChunkParse


@dataclass(frozen=True, slots=True)
class ClauseNode:
    """A clause: chunks (from 1) of its head, first and last; the outermost has no head (0) and begins at 0."""

    head: int
    first: int
    last: int
    inner: tuple[ClauseNode, ...]


def clause_hierarchy(parse: ChunkParse) -> ClauseNode:
    """The tree of clauses under the outermost, which has no head.

    A clause stands in the one in which it opened; a joined one in its partner; one that opened before that had its
    verb and that no link joins to it stands beside it. A clause behind which the one around it goes on ends with the
    last chunk that unambiguous links reach from its verb (the minimal boundary); any other goes on to the end of the
    sentence (the maximal one).
    """
    n, clauses, links = len(parse.chunks), parse.clauses, parse.links
    inner: dict[int, list[int]] = {}
    of_verb = {clause.verb: k for k, clause in enumerate(clauses) if clause.verb >= 0}
    for k, clause in enumerate(clauses):
        if clause.verb < 0:
            continue
        top = clause.intro if clause.intro >= 0 else clause.verb
        above = of_verb.get(clause.joined, clause.above)
        while above >= 0 and (clauses[above].verb < 0 or (clause.early and links.governor[top] == NONE)):
            above = clauses[above].above
        inner.setdefault(above, []).append(k)
    reach = _reach(parse)

    def node(k: int) -> ClauseNode:
        clause = clauses[k]
        below = tuple(node(j) for j in inner.get(k, ()))
        last = max([reach[clause.verb], *(one.last for one in below)]) if clause.closed else n
        first = 0 if k == 0 else (clause.intro if clause.intro >= 0 else clause.verb) + 1
        return ClauseNode(clause.verb + 1, first, last, below)

    return ClauseNode(0, 0, n, tuple(node(k) for k in inner.get(-1, ())))


def _reach(parse: ChunkParse) -> list[int]:
    """For each chunk the last one (from 1) that unambiguous links reach from it."""
    links = parse.links
    reach = list(range(1, len(parse.chunks) + 1))
    for i in range(len(reach)):
        k = i
        for _ in reach:  # no more steps than chunks
            if k < 0 or (k != i and reach[k] > i):  # what is above a chunk that is further right reaches it too
                break
            reach[k] = max(reach[k], i + 1)
            k = links.governor[k] if links.layer[k] != FINAL else NONE
    return reach
