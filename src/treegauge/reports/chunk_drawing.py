"""A parse into chunks drawn: as a tree of lines in text, as boxes and arcs in SVG."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from treegauge.chunks.hierarchy import ClauseNode, clause_hierarchy
from treegauge.chunks.links import CERTAIN, FINAL, STRATA, VERBAL
from treegauge.chunks.notation import Row, chunk_text, link_rows
from treegauge.chunks.parse import ChunkParse


def draw_text(parse: ChunkParse, forms: Sequence[str], name: str, width: int = 100) -> str:
    """The chunks of a sentence, each under its first governor, with the kind of link; ? marks ambiguous links.

    What no link joins to the main clause stands at the margin. Lines are cut at the width.
    """
    below: dict[int, list[Row]] = {}
    others: dict[int, list[Row]] = {}
    for stratum in (VERBAL, CERTAIN, FINAL):
        for row in link_rows(parse, stratum):
            taken = others if row[1] in {r[1] for rows in below.values() for r in rows} else below
            taken.setdefault(row[1] if taken is others else row[0], []).append(row)
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
    linked = {row[1] for rows in below.values() for row in rows}
    for k in sorted(range(1, len(parse.chunks) + 1), key=lambda k: k in linked):
        if k not in drawn:
            add(k, "", "", "  ")
    return "\n".join(line if cell_len(line) <= width else set_cell_size(line, width - 1) + "…" for line in lines) + "\n"


COLOUR = {VERBAL: "#000000", CERTAIN: "#0072b2", FINAL: "#d55e00"}
DASH = {VERBAL: "", CERTAIN: "", FINAL: ' stroke-dasharray="4 3"'}
LETTER, GAP, STEP, LINE = 7, 14, 22, 16  # pixels: a character, between chunks, an arc's level, a line of text

Box = tuple[int, int]  # of a chunk: its left side and its width


@dataclass(frozen=True, slots=True)
class ChunkDrawing:
    """A picture's size in pixels and its SVG elements."""

    width: int
    height: int
    body: str


def draw_svg(parse: ChunkParse, forms: Sequence[str], name: str = "") -> ChunkDrawing:
    """Chunks in a row, links as arcs above, an arrow at the dependent, clauses as lines below.

    Verbal links are black, certain ones blue, ambiguous ones orange and dashed, with their plausibility.
    """
    texts = [chunk_text(parse, k, forms) for k in range(len(parse.chunks))]
    boxes: list[Box] = []
    at = GAP
    for text, chunk in zip(texts, parse.chunks, strict=True):
        size = LETTER * max(cell_len(text), len(chunk.kind) + 3) + 8
        boxes.append((at, size))
        at += size + GAP
    rows = [(stratum, row) for stratum in (VERBAL, CERTAIN, FINAL) for row in link_rows(parse, stratum)]
    level = _levels({(min(g, d), max(g, d)) for _, (g, d, *_) in rows if g})
    top = STEP * (max(level.values(), default=0) + 2)
    parts = [f'<text x="{GAP}" y="{LINE - 4}" font-weight="bold">{html.escape(name)}</text>'] if name else []
    for k, (text, chunk, (x, size)) in enumerate(zip(texts, parse.chunks, boxes, strict=True)):
        middle = _middle(boxes[k])
        parts += [
            f'<rect x="{x}" y="{top}" width="{size}" height="{2 * LINE + 6}" rx="3" fill="#f4f4f4" stroke="#999"/>',
            f'<text x="{middle}" y="{top + LINE}" text-anchor="middle">{html.escape(text)}</text>',
            f'<text x="{middle}" y="{top + 2 * LINE}" text-anchor="middle" fill="#666">{chunk.kind}/{k + 1}</text>',
        ]
    for stratum, row in rows:
        parts += _arc(row, stratum, boxes, top, level)
    bottom = top + 3 * LINE
    clauses = _clause_lines(clause_hierarchy(parse), boxes, bottom)
    parts += [part for line in clauses for part in line]
    return ChunkDrawing(at, bottom + len(clauses) * LINE // 2 + LINE, "\n".join(parts))


def _middle(box: Box) -> int:
    return box[0] + box[1] // 2


def _levels(spans: set[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """How high the arc over each span is: above those inside it and those it crosses."""
    level: dict[tuple[int, int], int] = {}
    for low, high in sorted(spans, key=lambda span: span[1] - span[0]):
        inside = [level[a, b] for a, b in level if (low <= a and b <= high) or a < low < b or a < high < b]
        level[low, high] = max(inside, default=0) + 1
    return level


def _arc(
    row: Row, stratum: int, boxes: Sequence[Box], top: int, level: Mapping[tuple[int, int], int]
) -> tuple[str, str]:
    """A link and its label; a straight line from above for one to the root."""
    g, d, kind, share = row
    style = f'stroke="{COLOUR[stratum]}" fill="none"{DASH[stratum]} marker-end="url(#a{stratum})"'
    label = kind if share == 1 else f"{kind} {share:.3f}"
    x = _middle(boxes[d - 1])
    if g:
        height = top - STEP * level[min(g, d), max(g, d)]
        start = _middle(boxes[g - 1]) + (6 if d > g else -6)
        path = f'<path d="M{start} {top} V{height} H{x} V{top - 2}" {style}/>'
        where, y = (start + x) // 2, height - 3
    else:
        path = f'<path d="M{x} {LINE + 4} V{top - 2}" {style}/>'
        where, y = x, LINE
    shown = f'<text x="{where}" y="{y}" text-anchor="middle" fill="{COLOUR[stratum]}" font-size="9">{label}</text>'
    return path, shown


def _clause_lines(clause: ClauseNode, boxes: Sequence[Box], bottom: int) -> list[tuple[str, str]]:
    """A line with a dot for each clause that has a head, one below the other."""
    lines: list[tuple[str, str]] = []

    def add(clause: ClauseNode) -> None:
        if clause.head:
            low, (x, size) = boxes[max(clause.first, 1) - 1][0], boxes[clause.last - 1]
            y = bottom + (len(lines) + 1) * LINE // 2
            line = f'<path d="M{low} {y - 3} v3 H{x + size} v-3" stroke="#009e73" fill="none"/>'
            lines.append((line, f'<circle cx="{_middle(boxes[clause.head - 1])}" cy="{y}" r="3" fill="#009e73"/>'))
        for inner in clause.inner:
            add(inner)

    add(clause)
    return lines


def svg_page(drawings: Sequence[ChunkDrawing]) -> str:
    """The drawings one below the other, as one SVG file with a legend."""
    width = max((one.width for one in drawings), default=0)
    height = sum(one.height for one in drawings) + 2 * LINE
    arrow = '<marker id="a{0}" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" orient="auto">'
    arrow += '<path d="M0 0 L6 3 L0 6 z" fill="{1}"/></marker>'
    markers = "".join(arrow.format(stratum, colour) for stratum, colour in COLOUR.items())
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(width, 400)}" height="{height}" font-family="sans-serif" '
        f'font-size="11"><rect width="100%" height="100%" fill="white"/><defs>{markers}</defs>'
    ]
    y = 0
    for one in drawings:
        lines.append(f'<g transform="translate(0 {y})">\n{one.body}\n</g>')
        y += one.height
    x = GAP
    for stratum, colour in COLOUR.items():
        lines.append(f'<text x="{x}" y="{y + LINE}" fill="{colour}">— {STRATA[stratum]}</text>')
        x += 80
    lines.append(f'<text x="{x}" y="{y + LINE}" fill="#009e73">— clauses, a dot at the verb</text></svg>')
    return "\n".join(lines) + "\n"
