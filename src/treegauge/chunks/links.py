"""Links between chunks as the layers find them; no layer takes back what one before it found."""

from __future__ import annotations

from dataclasses import dataclass, field

ROOT, NONE = -2, -1  # governors that are no chunks: the main clause's, and none found
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


def no_links(n: int) -> Links:
    """Of n chunks, none linked."""
    return Links([NONE] * n, [""] * n, [CHUNK] * n)


def link_kind(governor: str, dependent: str) -> str:
    """The name of a link by the types of its chunks, as in the appendix: G_Nom_Prep, G_Ver_Avv."""
    return f"G_{'Ver' if governor.startswith('Ver') else governor}_{dependent}"


def without_crossings(links: Links, ambiguous: bool) -> None:
    """Take back links until none crosses another: the graph is planar (1998 §2.2).

    Unambiguous links come first: earlier strata stay before later ones, shorter links before longer ones. Then
    the alternatives, in the same order, those of the nearest governors first; a chunk that keeps one alternative is no
    longer ambiguous. ambiguous=False leaves the alternatives as they are. The link of the main clause spans nothing.
    """
    governor, others = links.governor, links.others
    linked = [i for i, g in enumerate(governor) if g >= 0 and (ambiguous or links.layer[i] != FINAL)]
    spans = [(min(i, governor[i]), max(i, governor[i])) for i in linked]
    if ambiguous:
        spans += [(min(i, g), max(i, g)) for i, found in others.items() for g, _ in found]
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
            found = [(g, kind) for g, kind in [(governor[i], links.kind[i]), *others.pop(i)] if fits(i, g)]
            if found:
                links.add(found[0][0], i, found[0][1], FINAL if len(found) > 1 else CERTAIN)
                if len(found) > 1:
                    others[i] = found[1:]
            else:
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
