"""Find the clauses of a sentence: a verb, the chunk that introduces it, and its other chunks (1998 §2.1, CBR)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from treegauge.constituency.chaos.chunker import Chunk
from treegauge.constituency.chaos.lexicon import BARE, OBJECT, Lexicon

FINITE = "VerFin"
VERBS = frozenset({FINITE, "VerInf", "VerGer", "VerPar"})
INTRODUCERS = frozenset({"CongSub", "NomRel", "PrepRel"})
JOINING = "CongCo"
RELATIVES = INTRODUCERS - {"CongSub"}
LEFT_BY = {  # type of a verb -> what leaves its clause behind a comma
    "VerPar": INTRODUCERS | {"VerInf", "VerGer", "VerPar"},
    "VerInf": INTRODUCERS,
    "VerGer": RELATIVES,
}
AHEAD = 8  # how far to look for the verb of a clause that a conjunction or a comma may open, in chunks


@dataclass(slots=True)
class Clause:
    """A verb, the chunk that introduces it, and the other chunks of its clause; −1 stands for none."""

    intro: int  # chunk of the conjunction or relative
    verb: int  # chunk
    above: int  # the clause in which it opened
    joined: int  # chunk of the verb that its verb is coordinated with
    early: bool = False  # it opened before the clause above had its verb
    closed: bool = False  # another clause went on behind it
    own: list[int] = field(default_factory=list)  # chunks without its verb and introducer


def find_clauses(chunks: Sequence[Chunk], conjunction: str, lexicon: Lexicon) -> tuple[list[Clause], list[int]]:
    """The clauses of a sentence, the outermost first, and for each chunk the number of its clause.

    Clauses open and close like brackets. A conjunction or relative opens one, which waits for its finite verb; an
    infinitive, gerund or participle opens its own. A finite verb belongs to the innermost clause that still waits, and
    closes the clauses inside it; if none waits, it opens a clause joined to the innermost finite one. That clause opens
    at a comma or a conjunction (`conjunction` is the letter of its class) if the next verb is finite.

    Frames guide where clauses end (1998 §2.1): a chunk that opens a clause behind a comma leaves the clause of an
    infinitive, gerund or participle, unless the frame of that verb takes it (see `_leave`).
    """
    clauses = [Clause(-1, -1, -1, -1)]
    home = [0] * len(chunks)
    stack = [0]  # numbers of open clauses
    for i, chunk in enumerate(chunks):
        kind = chunk.kind
        top = clauses[stack[-1]]
        if kind == FINITE:
            if top.verb >= 0:
                _reopen(clauses, stack, chunks)
                top = clauses[stack[-1]]
            top.verb = i
        elif kind in INTRODUCERS:
            _leave(chunks, i, clauses, stack, conjunction, lexicon)
            top = clauses[stack[-1]]
            _open(clauses, stack, Clause(i, -1, stack[-1], -1, early=top.verb < 0))
        elif kind in VERBS:
            if top.verb < 0 <= top.intro and all(chunks[k].kind == "Avv" for k in top.own):
                top.verb = i  # `come fare`, `se presentata`
            else:
                _leave(chunks, i, clauses, stack, conjunction, lexicon)
                top = clauses[stack[-1]]
                _open(clauses, stack, Clause(-1, i, stack[-1], -1, early=top.verb < 0))
        else:
            top.own.append(i)
            home[i] = stack[-1]
            if kind == JOINING and top.verb >= 0 and _finite_verb_ahead(chunks, i):
                comma = chunk.tag.letter != conjunction
                if comma or all(clauses[k].verb >= 0 for k in stack):
                    _reopen(clauses, stack, chunks, keep=True)
            continue
        home[i] = stack[-1]
    return clauses, home


def asked_slot(chunk: Chunk) -> str:
    """The slot of a frame that a clause fills, by the chunk that opens it; empty if it is no argument."""
    if chunk.kind == "VerInf":
        return f"{chunk.intro}+{BARE}" if chunk.intro and chunk.first != chunk.head else BARE
    return f"{chunk.tag.lemma}+fin" if chunk.kind == "CongSub" else ""


def _leave(
    chunks: Sequence[Chunk], i: int, clauses: list[Clause], stack: list[int], conjunction: str, lexicon: Lexicon
) -> None:
    """Close the innermost clause if chunk i opens one behind a comma that its verb does not take.

    LEFT_BY says which openers leave which verbs. A relative stays if the verb takes an object, which may be what the
    relative belongs to; other openers stay if they fill a slot of the verb's frame.
    """
    inner = clauses[stack[-1]]
    if len(stack) < 2 or not inner.verb < i - 2 or chunks[i - 1].kind != JOINING:
        return
    verb = chunks[inner.verb]
    if inner.verb < 0 or chunks[i - 1].tag.letter == conjunction or clauses[stack[-2]].verb < 0:
        return
    if chunks[i].kind in LEFT_BY.get(verb.kind, ()):
        slot = asked_slot(chunks[i]) or OBJECT
        if slot not in lexicon.owned.get(verb.tag.lemma, ()):
            inner.closed = True
            stack.pop()


def _open(clauses: list[Clause], stack: list[int], clause: Clause) -> None:
    stack.append(len(clauses))
    clauses.append(clause)


def _reopen(clauses: list[Clause], stack: list[int], chunks: Sequence[Chunk], keep: bool = False) -> None:
    """Close clauses up to the innermost that waits for a verb; if none does, open one joined to a finite clause.

    keep: the clauses around the joined one stay open; otherwise all but the first are closed.
    """
    waiting = max((k for k, number in enumerate(stack) if clauses[number].verb < 0), default=-1)
    if waiting >= 0:
        for k in stack[waiting + 1 :]:
            clauses[k].closed = True
        del stack[waiting + 1 :]
        return
    partner = next((k for k in reversed(stack) if chunks[clauses[k].verb].kind == FINITE), -1)
    if partner < 0:
        if keep:
            return
        partner = stack[0]
    if not keep:
        del stack[1:]
    _open(clauses, stack, Clause(-1, -1, clauses[partner].above, clauses[partner].verb))


def _finite_verb_ahead(chunks: Sequence[Chunk], i: int) -> bool:
    """Whether the first verb, introducer or conjunction among the next chunks is a finite verb."""
    kinds = (chunk.kind for chunk in chunks[i + 1 : i + AHEAD])
    return next((kind for kind in kinds if kind in VERBS or kind in INTRODUCERS or kind == JOINING), "") == FINITE
