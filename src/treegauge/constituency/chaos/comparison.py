"""The links of a parse between its chunks, beside gold: which are right, which are wrong, and which are missed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treegauge.constituency.chaos.links import CERTAIN, CHUNK, FINAL, INTRODUCED, PREDICATE, VERBAL
from treegauge.constituency.chaos.notation import link_rows
from treegauge.constituency.chaos.parse import ChunkParse, word_heads

RIGHT, WRONG, MISSED = "right", "wrong", "missed"


@dataclass(frozen=True, slots=True)
class ChunkLink:
    """A link between chunks, which count from 1; governor 0 is that of the main clause.

    verdict: RIGHT, WRONG or MISSED, or empty without gold. A missed link has the stratum CHUNK (0), and its kind is
    the relation in gold.
    """

    governor: int
    dependent: int
    stratum: int
    kind: str
    share: float = 1.0
    verdict: str = ""

    @property
    def label(self) -> str:
        """The kind, with the plausibility if there is another governor."""
        return self.kind if self.share == 1 else f"{self.kind} {self.share:.3f}"


def chunk_links(parse: ChunkParse, heads: Sequence[int] = (), relations: Sequence[str] = ()) -> list[ChunkLink]:
    """The links of a parse; heads, relations: those of the words in gold, to compare with.

    A link is right if gold has the arc that it stands for between words (`word_edges`). A missed link is an arc of gold
    between the words of two chunks, or of the root, that no link stands for; punctuation is left out.
    """
    of_word = [k for k, chunk in enumerate(parse.chunks, 1) for _ in range(chunk.first, chunk.last + 1)]
    head_of = word_heads(parse)
    found: set[tuple[int, int]] = set()
    links = []
    for stratum in (VERBAL, CERTAIN, FINAL):
        for governor, dependent, kind, share in link_rows(parse, stratum):
            arc = head_of(dependent - 1), head_of(governor - 1)
            if kind in (INTRODUCED, PREDICATE):  # these run the other way in UD
                arc = parse.chunks[governor - 1].head + 1, head_of(dependent - 1)
            found.add(arc)
            verdict = "" if not heads else RIGHT if heads[arc[0] - 1] == arc[1] else WRONG
            links.append(ChunkLink(governor, dependent, stratum, kind, share, verdict))
    for word, (head, relation) in enumerate(zip(heads, relations, strict=True), 1):
        above = of_word[head - 1] if head else 0
        if above != of_word[word - 1] and (word, head) not in found and relation != "punct":
            links.append(ChunkLink(above, of_word[word - 1], CHUNK, relation, 1.0, MISSED))
    return links
