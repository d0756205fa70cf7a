"""Clauses to verbal links: main verb, introducers, subjects, objects, predicates, complements (1998 §2.1, VSG)."""

from __future__ import annotations

from collections.abc import Sequence

from treegauge.constituency.chaos.chunker import Chunk
from treegauge.constituency.chaos.clauses import FINITE, INTRODUCERS, JOINING, Clause, asked_slot
from treegauge.constituency.chaos.lexicon import BARE, OBJECT, Lexicon
from treegauge.constituency.chaos.links import INTRODUCED, MAIN, NONE, PREDICATE, ROOT, VERBAL, Links, no_links
from treegauge.constituency.chaos.rules import Rules

WITHOUT_CONTENT = INTRODUCERS | {JOINING, "Avv"}
PREDICATES = frozenset({"Agg", "Nom", "Prep", "Avv"})


def verbal_links(chunks: Sequence[Chunk], clauses: Sequence[Clause], rules: Rules, lexicon: Lexicon) -> Links:
    """The unambiguous links of verbs.

    MainClause: the verb of the outermost clause, or the chunk that stands for it. Clausole: from an introducer to its
    verb. G_V_Pred: from a copula to its predicate. G_V_Sogg, G_V_Ogg: nominal chunks before and behind the verb.
    G_V_Prep: prepositional chunks that the verb's frame has. G_V_Fras: infinitives and clauses as arguments. With
    frames_only the nearest nominal chunk is the subject, and an object or a clause is linked only if the frame has it.
    """
    links = no_links(len(chunks))
    _add_main(chunks, clauses, links)
    for clause in clauses:
        if clause.verb >= 0:
            if clause.intro >= 0 and links.governor[clause.verb] == NONE:
                links.add(clause.intro, clause.verb, INTRODUCED, VERBAL)
            if rules.frames_only:
                _add_licensed(chunks, clause, lexicon, links)
            else:
                _add_all(chunks, clause, rules, lexicon, links)
    for clause in clauses:
        _add_clause(chunks, clauses, clause, rules, lexicon, links)
    return links


def _add_main(chunks: Sequence[Chunk], clauses: Sequence[Clause], links: Links) -> None:
    """Link the main verb. Without one: a joined finite verb, else the introducer of a verb if the sentence begins with
    it, else the first content chunk, else any chunk but punctuation."""
    main = clauses[0].verb
    if main < 0:
        main = next((c.verb for c in clauses if c.verb >= 0 and c.intro < 0 and chunks[c.verb].kind == FINITE), -1)
    if main < 0 and chunks and chunks[0].kind in INTRODUCERS and any(c.intro == 0 and c.verb >= 0 for c in clauses):
        main = 0
    if main < 0:
        main = next((i for i, chunk in enumerate(chunks) if chunk.kind not in WITHOUT_CONTENT), -1)
    if main < 0:
        main = next((i for i, chunk in enumerate(chunks) if chunk.kind != JOINING), 0)
    if chunks:
        links.add(ROOT, main, MAIN, VERBAL)


def _add_licensed(chunks: Sequence[Chunk], clause: Clause, lexicon: Lexicon, links: Links) -> None:
    """Link the nearest subject of a finite verb, and an object if the verb's frame has one."""
    verb = clause.verb
    free = [i for i in clause.own if chunks[i].kind == "Nom" and links.governor[i] == NONE]
    before = [i for i in free if i < verb]
    if before and chunks[verb].kind == FINITE:
        links.add(verb, before[-1], "G_V_Sogg", VERBAL)
    behind = [i for i in free if i > verb]
    if behind and OBJECT in slots_of(chunks[verb], lexicon):
        links.add(verb, behind[0], "G_V_Ogg", VERBAL)


def _add_all(chunks: Sequence[Chunk], clause: Clause, rules: Rules, lexicon: Lexicon, links: Links) -> None:
    """Link the predicate of a copula, nominal chunks on both sides, and prepositional chunks that the frame has."""
    verb = clause.verb
    if chunks[verb].tag.letter in rules.auxiliaries:
        _add_predicate(chunks, clause, links)
    slots = slots_of(chunks[verb], lexicon)
    first = True  # no nominal or prepositional chunk on this side of the verb yet
    behind = False
    for i in clause.own:
        if (i > verb) is not behind:
            behind, first = i > verb, True
        kind = chunks[i].kind
        if kind == "Nom" and links.governor[i] == NONE:
            previous = chunks[i - 1].kind if i else ""
            goes_on = previous in (JOINING, "Nom") or (previous == "Prep" and chunks[i].first == chunks[i].head)
            if not goes_on or (first and not behind):
                links.add(verb, i, "G_V_Ogg" if behind else "G_V_Sogg", VERBAL)
            first = False
        elif kind == "Prep":
            if behind and links.governor[i] == NONE and chunks[i].intro in slots and chunks[i - 1].kind != JOINING:
                links.add(verb, i, "G_V_Prep", VERBAL)
            first = False


def _add_predicate(chunks: Sequence[Chunk], clause: Clause, links: Links) -> None:
    """Link the predicate of a copula: the first fit chunk behind it, a verb right behind it, or the nearest before."""
    verb = clause.verb
    behind = [i for i in clause.own if i > verb and chunks[i].kind in PREDICATES]
    if len(behind) > 1 and chunks[behind[0]].kind == "Avv" and behind[1] <= behind[0] + 2:
        del behind[0]
    if behind:
        predicate = behind[0]
    elif verb + 1 < len(chunks) and chunks[verb + 1].kind in ("VerPar", "VerInf"):
        predicate = verb + 1
    else:
        before = (i for i in reversed(clause.own) if i < verb and chunks[i].kind in ("Nom", "Agg"))
        predicate = next(before, -1) if clause.intro < 0 else -1
    if predicate >= 0 and links.governor[predicate] == NONE:
        links.add(verb, predicate, PREDICATE, VERBAL)


def _add_clause(
    chunks: Sequence[Chunk], clauses: Sequence[Clause], clause: Clause, rules: Rules, lexicon: Lexicon, links: Links
) -> None:
    """Link an infinitive or a conjunction to the verb before it if its clause is an argument of that verb."""
    top = clause.intro if clause.intro >= 0 else clause.verb
    if clause.above < 0 or top < 0 or clause.joined >= 0 or links.governor[top] != NONE:
        return
    host, slot = clauses[clause.above].verb, asked_slot(chunks[top])
    if not 0 <= host < top or not slot:
        return
    asked = slot in slots_of(chunks[host], lexicon)
    if rules.frames_only:
        near = asked
    else:  # nothing but an adverb between; a bare infinitive right behind a verb needs no frame
        near = (top - 1 == host and (asked or slot == BARE)) or (asked and chunks[top - 1].kind == "Avv")
    if near:
        links.add(host, top, "G_V_Fras", VERBAL)


def slots_of(verb: Chunk, lexicon: Lexicon) -> frozenset[str]:
    """The slots that a verb takes, by its lemma; none for a verb that the lexicon lacks."""
    return lexicon.owned.get(verb.tag.lemma, frozenset())
