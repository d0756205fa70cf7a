"""Write parses in the notation of the appendix, as JSON, or as CoNLL-U with the best link of each word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treegauge.constituency.chaos.links import CERTAIN, FINAL, NONE, VERBAL
from treegauge.constituency.chaos.parse import ChunkParse, best_edges
from treegauge.constituency.chaos.rules import Rules
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.tokens import multiword_tokens
from treegauge.corpus.writing import with_misc


@dataclass(frozen=True, slots=True)
class ClauseNode:
    """A clause: chunks (from 1) of its head, first and last; the outermost has no head (0) and begins at 0."""

    head: int
    first: int
    last: int
    inner: tuple[ClauseNode, ...]


def clause_hierarchy(parse: ChunkParse) -> ClauseNode:
    """The tree of clauses under the outermost, which has no head.

    A clause stands in the clause in which it opened; a joined clause in its partner. A clause that opened before the
    clause around it had its verb, and that no link joins to it, stands beside it. If the clause around goes on behind a
    clause, the clause ends with the last chunk that unambiguous links reach from its verb (the minimal boundary); any
    other clause goes on to the end of the sentence (the maximal boundary).
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
        below = tuple(map(node, inner.get(k, ())))
        last = max([reach[clause.verb], *(inner.last for inner in below)]) if clause.closed else n
        first = 0 if k == 0 else (clause.intro if clause.intro >= 0 else clause.verb) + 1
        return ClauseNode(clause.verb + 1, first, last, below)

    return ClauseNode(0, 0, n, tuple(map(node, inner.get(-1, ()))))


def _reach(parse: ChunkParse) -> list[int]:
    """For each chunk the last chunk (from 1) that unambiguous links reach from it."""
    links = parse.links
    reach = list(range(1, len(parse.chunks) + 1))
    for i in range(len(reach)):
        k = i
        for _ in reach:  # as many steps as chunks at most
            if k < 0 or (k != i and reach[k] > i):  # all above k reach as far already
                break
            reach[k] = max(reach[k], i + 1)
            k = links.governor[k] if links.layer[k] != FINAL else NONE
    return reach


Row = tuple[int, int, str, float]  # governor (0 for the main clause), dependent, kind, plausibility


def link_rows(parse: ChunkParse, stratum: int) -> list[Row]:
    """The links that a stratum adds, by dependent; chunks count from 1."""
    links = parse.links
    rows: list[Row] = []
    for i, governor in enumerate(links.governor):
        if governor != NONE and links.layer[i] == stratum:
            others = links.others.get(i, [])
            share = 1 / (1 + len(others))
            rows += [(max(g + 1, 0), i + 1, kind, share) for g, kind in [(governor, links.kind[i]), *others]]
    return rows


def chunk_text(parse: ChunkParse, k: int, forms: Sequence[str]) -> str:
    """The words of a chunk; those that are empty stand in the token before."""
    chunk = parse.chunks[k]
    return " ".join(filter(None, forms[chunk.first : chunk.last + 1]))


def surface_forms(corpus: Corpus, parses: Sequence[ChunkParse]) -> list[list[str]]:
    """The forms of each sentence as they are written: `nelle`, not `in le`.

    The first word of a multiword token has the form of the token, and the others are empty, if all are in one chunk.
    """
    forms = [corpus.forms(s) for s in range(corpus.n_sentences)]
    for token in multiword_tokens(corpus):
        chunks = parses[token.sentence].chunks
        if any(chunk.first < token.first <= token.last <= chunk.last + 1 for chunk in chunks):
            rest = token.last - token.first
            forms[token.sentence][token.first - 1 : token.last] = [token.form, *([""] * rest)]
    return forms


def to_prolog(parse: ChunkParse, forms: Sequence[str], name: str = "") -> str:
    """A parse in the notation of the appendix (7.1 to 7.5); here brackets balance, in print they do not."""
    lines = [f"% {name}"] if name else []
    lines += [f"[{chunk_text(parse, k, forms)} /{chunk.kind}/{k + 1}]" for k, chunk in enumerate(parse.chunks)]
    lines += _clause_lines(clause_hierarchy(parse), 0)
    lines[-1] += "."
    lines += [f"link({g},{d},{kind})." for g, d, kind, _ in link_rows(parse, VERBAL)]
    for stratum in (CERTAIN, FINAL):
        lines += [f"link({g},{d},{kind},plaus('{share:.3f}'))." for g, d, kind, share in link_rows(parse, stratum)]
    return "\n".join(lines) + "\n"


def _clause_lines(clause: ClauseNode, depth: int) -> list[str]:
    head = clause.head if depth else "NO_ONE"
    begin = f"{'  ' * depth}clause(head({head}),boundaries({clause.first},{clause.last}),["
    if not clause.inner:
        return [begin + "])"]
    lines = [begin]
    for k, inner in enumerate(clause.inner):
        lines += _clause_lines(inner, depth + 1)
        lines[-1] += "," if k + 1 < len(clause.inner) else ""
    return [*lines, f"{'  ' * depth}])"]


def to_record(parse: ChunkParse, forms: Sequence[str], name: str = "") -> dict[str, Any]:
    """A parse as a JSON object."""

    def clause(node: ClauseNode) -> dict[str, Any]:
        inner = list(map(clause, node.inner))
        return {"head": node.head or None, "boundaries": [node.first, node.last], "clauses": inner}

    def rows(stratum: int) -> list[dict[str, Any]]:
        names = ("governor", "dependent", "kind", "plausibility")
        return [dict(zip(names, row, strict=True)) for row in link_rows(parse, stratum)]

    chunks = [
        {
            "id": k + 1,
            "type": chunk.kind,
            "text": chunk_text(parse, k, forms),
            "words": [chunk.first + 1, chunk.last + 1],
            "head": chunk.head + 1,
        }
        for k, chunk in enumerate(parse.chunks)
    ]
    layers = {"verbal": rows(VERBAL), "certain": rows(CERTAIN), "ambiguous": rows(FINAL)}
    return {"sent_id": name, "chunks": chunks, "clauses": clause(clause_hierarchy(parse)), **layers}


def to_conllu(corpus: Corpus, parses: Sequence[ChunkParse], rules: Rules) -> bytes:
    """The corpus with the best link of each word in HEAD and DEPREL, `_` where there is none.

    DEPREL is the kind of the link; inside a chunk it is the chunk's type. MISC gets Chunk=number:type, Clause=the
    number of the chunk of the clause's verb and, for a link, Plaus=plausibility. DEPS is emptied.
    """
    heads: list[tuple[bytes, bytes]] = []
    misc: dict[str, list[str | None]] = {"Chunk": [], "Clause": [], "Plaus": []}
    for parse in parses:
        best = best_edges(parse, rules)
        for k, chunk in enumerate(parse.chunks):
            verb = parse.clauses[parse.home[k]].verb
            for word in range(chunk.first + 1, chunk.last + 2):
                edge = best.get(word)
                heads.append((b"_", b"_") if edge is None else (b"%d" % edge.head, edge.kind.encode()))
                misc["Chunk"].append(f"{k + 1}:{chunk.kind}")
                misc["Clause"].append(str(verb + 1) if verb >= 0 else None)
                misc["Plaus"].append(f"{edge.share:.3f}" if edge is not None and edge.stratum else None)
    lines = with_misc(corpus, misc).split(b"\n")
    row = 0
    for k, line in enumerate(lines):
        first, tab, _ = line.partition(b"\t")
        if tab and first.isdigit():
            columns = line.split(b"\t")
            columns[6:9] = [*heads[row], b"_"]
            lines[k] = b"\t".join(columns)
            row += 1
    return b"\n".join(lines)
