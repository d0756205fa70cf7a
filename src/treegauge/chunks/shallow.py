"""What the verbs leave: links by search, certain with one governor, ambiguous with several (1998 §2.2, SG)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treegauge.chunks.chunker import Chunk
from treegauge.chunks.clauses import JOINING, Clause
from treegauge.chunks.links import CERTAIN, COORDINATED, FINAL, NONE, ROOT, Links, link_kind
from treegauge.chunks.rules import Rules, Search


def add_shallow_links(
    chunks: Sequence[Chunk], clauses: Sequence[Clause], home: Sequence[int], rules: Rules, links: Links
) -> None:
    """Link, from left to right, each chunk that has no governor by the first of its searches that finds any.

    One governor found has the plausibility 1; of k, each has 1/k (1998 §2.2, appendix 7.4 and 7.5).
    """
    governor = links.governor
    conjunction = rules.conjunction
    for i, chunk in enumerate(chunks):
        if governor[i] != NONE:
            continue
        searches = rules.searches.get(chunk.kind)
        if searches is None:
            continue
        clause = clauses[home[i]]
        if clause.joined >= 0 and i == clause.verb and rules.coordinate:
            links.add(clause.joined, i, COORDINATED, CERTAIN)
            continue
        before = chunks[i - 1].kind if i else "start"
        if before == JOINING:
            before = "conj" if chunks[i - 1].tag.letter == conjunction else "comma"
        own = _own_verb(chunks, clauses, clause, i, governor)
        for search in searches:
            if (
                (search.after and before not in search.after)
                or (search.of and chunk.intro not in search.of and chunk.tag.lemma not in search.of)
                or (search.shape and (search.shape == "bare") is not (chunk.first == chunk.last))
            ):
                continue
            if search.before and (i + 1 == len(chunks) or chunks[i + 1].kind not in search.before):
                continue
            found = _governors(chunks, i, search, own, links)
            if found:
                _add(chunks, i, found, search.kind, links)
                break
    if rules.coordinate:
        _add_conjunctions(chunks, rules, links)


def _own_verb(
    chunks: Sequence[Chunk], clauses: Sequence[Clause], clause: Clause, i: int, governor: Sequence[int]
) -> int:
    """The verb of the chunk's clause; of what opens a clause, and where there is none, that of the clause around."""
    if i == clause.intro or i == clause.verb or clause.verb < 0:
        while clause.above >= 0:
            clause = clauses[clause.above]
            if clause.verb >= 0:
                return clause.verb
        main = governor.index(ROOT)
        return main if main != i else NONE
    return clause.verb


def frontier(i: int, governor: Sequence[int]) -> Iterator[int]:
    """Chunks to the left of i that a link can reach without crossing another, the nearest first."""
    j = i - 1
    while j >= 0:
        yield j
        above = governor[j]
        if above == ROOT:
            return
        j = above if 0 <= above < j else j - 1  # a governor that stands between has been passed


def _governors(chunks: Sequence[Chunk], i: int, search: Search, own: int, links: Links) -> list[int]:
    found: list[int] = []
    chunk, to, over = chunks[i], search.to, search.over
    if "next" in to and i + 1 < len(chunks):
        return [i + 1]
    most = search.most - 1 if "own" in to else search.most  # its verb is the last of the alternatives
    for j in frontier(i, links.governor) if most or not search.most else ():
        other = chunks[j]
        if other.kind in to and _suits(chunk, other, search):
            found.append(j)
            if len(found) == most or search.both:
                break
        elif over and other.kind not in over:
            break
    if search.both:
        for j in range(i + 1, len(chunks)):
            if chunks[j].kind in to:
                found.append(j)
                break
            if over and chunks[j].kind not in over:
                break
    if "own" in to and own >= 0 and own not in found:
        found.append(own)
    return found


def _suits(chunk: Chunk, other: Chunk, search: Search) -> bool:
    if search.same and chunk.intro != other.intro:
        return False
    features = ((chunk.tag.number, other.tag.number), (chunk.tag.gender, other.tag.gender))
    return not (search.agree and any(one and two and one != two for one, two in features))


def _add(chunks: Sequence[Chunk], i: int, found: list[int], kind: str, links: Links) -> None:
    if kind == COORDINATED:  # to the first of what is joined
        first = found[0]
        while links.kind[first] == COORDINATED and links.governor[first] < first:
            first = links.governor[first]
        found = [first]
    kinds = [kind or link_kind(chunks[j].kind, chunks[i].kind) for j in found]
    links.add(found[0], i, kinds[0], CERTAIN if len(found) == 1 else FINAL)
    if len(found) > 1:
        links.others[i] = list(zip(found[1:], kinds[1:], strict=True))


def _add_conjunctions(chunks: Sequence[Chunk], rules: Rules, links: Links) -> None:
    """Link a conjunction to the first chunk behind it whose governor stands before it: what it joins to that."""
    for i, chunk in enumerate(chunks):
        if chunk.kind == JOINING and chunk.tag.letter == rules.conjunction and links.governor[i] == NONE:
            for j in range(i + 1, len(chunks)):
                above = links.governor[j]
                if chunks[j].kind != JOINING and (above == ROOT or 0 <= above < i):
                    links.add(j, i, link_kind(chunks[j].kind, JOINING), CERTAIN)
                    break
