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
