"""Draws a parse into chunks as a tree of lines in text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from treegauge.constituency.chaos.links import CERTAIN, FINAL, VERBAL
from treegauge.constituency.chaos.notation import Row, chunk_text, link_rows
from treegauge.constituency.chaos.parse import ChunkParse
from treegauge.wording import printable


def draw_text(parse: ChunkParse, forms: Sequence[str], name: str, width: int = 100) -> str:
    """The chunks of a sentence, each under its first governor, with the kind of link; ? marks ambiguous links.

    Chunks that no link joins to the main clause stand at the margin. Lines are cut at the width.
    """
    below: dict[int, list[Row]] = {}
    others: dict[int, list[Row]] = {}
    linked: set[int] = set()
    for stratum in (VERBAL, CERTAIN, FINAL):
        for row in link_rows(parse, stratum):
            if row[1] in linked:
                others.setdefault(row[1], []).append(row)
            else:
                linked.add(row[1])
                below.setdefault(row[0], []).append(row)
    drawn: set[int] = set()
    lines = [f"# {name}"]

    def add(k: int, before: str, link: str, after: str) -> None:
        drawn.add(k)
        lines.append(f"{before}{link}[{chunk_text(parse, k - 1, forms)}] {parse.chunks[k - 1].kind}/{k}")
        inner = sorted((row for row in below.get(k, []) if row[1] not in drawn), key=lambda row: row[1])
        for place, (_, d, kind, share) in enumerate(inner):
            last = place + 1 == len(inner)
            mark = "" if share == 1 else f"? {share:.3f}" + "".join(f", or {g}" for g, *_ in others.get(d, []))
            add(d, after + ("└ " if last else "├ "), f"{kind}{mark} → ", after + ("  " if last else "│ "))

    for _, d, kind, _ in below.get(0, []):
        add(d, "", f"{kind} → ", "  ")
    for k in sorted(range(1, len(parse.chunks) + 1), key=lambda k: k in linked):
        if k not in drawn:
            add(k, "", "", "  ")
    lines = list(map(printable, lines))
    return "\n".join(line if cell_len(line) <= width else set_cell_size(line, width - 1) + "…" for line in lines) + "\n"
