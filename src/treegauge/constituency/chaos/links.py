"""Links between chunks: the table that all layers fill, the verbal layer (1998 §2.1, VSG) and the other (§2.2, SG).

No layer takes back a link of a layer before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from treegauge.constituency.chaos.chunker import Chunk
from treegauge.constituency.chaos.clauses import FINITE, INTRODUCERS, JOINING, Clause, asked_slot
from treegauge.constituency.chaos.lexicon import BARE, OBJECT, Lexicon
from treegauge.constituency.chaos.rules import Rules, Search

ROOT, NONE = -2, -1  # governors that are no chunks: the governor of the main clause, and none
CHUNK, VERBAL, CERTAIN, FINAL = range(4)
STRATA = ("Chunk", "Verbal", "Certain", "Final")  # Table 1
MAIN, INTRODUCED, PREDICATE, COORDINATED = "MainClause", "Clausole", "G_V_Pred", "Coord"


@dataclass(slots=True)
class Links:
    """For each chunk its governor, the kind of link and the stratum that found it; further governors if ambiguous."""

    governor: list[int]
    kind: list[str]
    layer: list[int]
    others: dict[int, list[tuple[int, str]]] = field(default_factory=dict)

    def add(self, governor: int, dependent: int, kind: str, layer: int) -> None:
        """Link a chunk that has no governor yet."""
        self.governor[dependent] = governor
        self.kind[dependent] = kind
        self.layer[dependent] = layer

    def add_all(self, dependent: int, governors: Sequence[tuple[int, str]]) -> None:
        """Link a chunk to its governors, each with the kind of link; several are alternatives."""
        if governors:
            self.add(governors[0][0], dependent, governors[0][1], CERTAIN if len(governors) == 1 else FINAL)
        if len(governors) > 1:
            self.others[dependent] = list(governors[1:])


def no_links(n: int) -> Links:
    """The table of n chunks without links."""
    return Links([NONE] * n, [""] * n, [CHUNK] * n)


def link_kind(governor: str, dependent: str) -> str:
    """The name of a link by the types of its chunks, as in the appendix: G_Nom_Prep, G_Ver_Avv."""
    return f"G_{'Ver' if governor.startswith('Ver') else governor}_{dependent}"


def without_crossings(links: Links, ambiguous: bool) -> None:
    """Remove links until no link crosses another: then the graph is planar (1998 §2.2).

    Unambiguous links come first: earlier strata stay before later ones, shorter links before longer ones. Then
    the alternatives, in the same order, those of the nearest governors first; a chunk that keeps one alternative is no
    longer ambiguous. ambiguous=False leaves the alternatives as they are. The link of the main clause spans nothing.
    """
    governor, others = links.governor, links.others
    linked = [i for i, g in enumerate(governor) if g >= 0 and (ambiguous or links.layer[i] != FINAL)]
    spans = [(min(i, governor[i]), max(i, governor[i])) for i in linked]
    if ambiguous:
        spans += [(min(i, g), max(i, g)) for i, alternatives in others.items() for g, _ in alternatives]
    if not _any_crossing(spans):
        return
    linked.sort(key=lambda i: (links.layer[i], abs(governor[i] - i), i))
    kept: list[tuple[int, int]] = []

    def fits(i: int, above: int) -> bool:
        low, high = sorted((i, above))
        if any(low < a < high < b or a < low < b < high for a, b in kept):
            return False
        kept.append((low, high))
        return True

    for i in linked:
        if i in others:
            left = [(g, kind) for g, kind in [(governor[i], links.kind[i]), *others.pop(i)] if fits(i, g)]
            links.add_all(i, left)
            if not left:
                links.add(NONE, i, "", CHUNK)
        elif not fits(i, governor[i]):
            links.add(NONE, i, "", CHUNK)


def _any_crossing(spans: list[tuple[int, int]]) -> bool:
    """Whether two spans cross: opened from left to right, the longest first, one would close inside another."""
    open_ends: list[int] = []
    for low, high in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] <= low:
            open_ends.pop()
        if open_ends and high > open_ends[-1]:
            return True
        open_ends.append(high)
    return False


def add_shallow_links(
    chunks: Sequence[Chunk], clauses: Sequence[Clause], home: Sequence[int], rules: Rules, links: Links
) -> None:
    """Link, from left to right, each chunk that has no governor, by the first of its searches that finds any.

    A single governor has the plausibility 1; each of k has 1/k (1998 §2.2, appendix 7.4 and 7.5).
    """
    governor = links.governor
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
            before = "conj" if chunks[i - 1].tag.letter == rules.conjunction else "comma"
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
            governors = _governors(chunks, i, search, own, links)
            if governors:
                if search.kind == COORDINATED:
                    governors = [_first_joined(governors[0], links)]
                kinds = [search.kind or link_kind(chunks[j].kind, chunk.kind) for j in governors]
                links.add_all(i, list(zip(governors, kinds, strict=True)))
                break
    if rules.coordinate:
        _add_conjunctions(chunks, rules, links)


def _own_verb(
    chunks: Sequence[Chunk], clauses: Sequence[Clause], clause: Clause, i: int, governor: Sequence[int]
) -> int:
    """The verb of the chunk's clause; if the chunk opens it, or if it has no verb, the verb of the clause around."""
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
        j = above if 0 <= above < j else j - 1  # a governor between j and i was reached before


def _governors(chunks: Sequence[Chunk], i: int, search: Search, own: int, links: Links) -> list[int]:
    """The governors that a search finds for chunk i, the nearest first; own: the verb of its clause."""
    governors: list[int] = []
    chunk, to, over = chunks[i], search.to, search.over
    if "next" in to and i + 1 < len(chunks):
        return [i + 1]
    most = search.most - 1 if "own" in to else search.most  # its verb is the last of the alternatives
    for j in frontier(i, links.governor) if most or not search.most else ():
        other = chunks[j]
        if other.kind in to and _suits(chunk, other, search):
            governors.append(j)
            if len(governors) == most or search.both:
                break
        elif over and other.kind not in over:
            break
    if search.both:
        for j in range(i + 1, len(chunks)):
            if chunks[j].kind in to:
                governors.append(j)
                break
            if over and chunks[j].kind not in over:
                break
    if "own" in to and own >= 0 and own not in governors:
        governors.append(own)
    return governors


def _suits(chunk: Chunk, other: Chunk, search: Search) -> bool:
    if search.same and chunk.intro != other.intro:
        return False
    features = ((chunk.tag.number, other.tag.number), (chunk.tag.gender, other.tag.gender))
    return not (search.agree and any(own and its and own != its for own, its in features))


def _first_joined(chunk: int, links: Links) -> int:
    """The first of the chunks that are joined to each other, by one of them."""
    while links.kind[chunk] == COORDINATED and links.governor[chunk] < chunk:
        chunk = links.governor[chunk]
    return chunk


def _add_conjunctions(chunks: Sequence[Chunk], rules: Rules, links: Links) -> None:
    """Link each conjunction to the first chunk behind it whose governor stands before it."""
    for i, chunk in enumerate(chunks):
        if chunk.kind == JOINING and chunk.tag.letter == rules.conjunction and links.governor[i] == NONE:
            for j in range(i + 1, len(chunks)):
                above = links.governor[j]
                if chunks[j].kind != JOINING and (above == ROOT or 0 <= above < i):
                    links.add(j, i, link_kind(chunks[j].kind, JOINING), CERTAIN)
                    break


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
