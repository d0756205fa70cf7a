"""Draws a parse into chunks: as a tree of lines in text, or as boxes and arcs in SVG."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from treegauge.constituency.chaos.links import CERTAIN, FINAL, STRATA, VERBAL
from treegauge.constituency.chaos.notation import ClauseNode, Row, chunk_text, clause_hierarchy, link_rows
from treegauge.constituency.chaos.parse import ChunkParse
from treegauge.corpus.tree_svg import text_width
from treegauge.palette import LIGHT
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


# stratum -> colour, width and dashes of its lines
PENS = {VERBAL: (LIGHT.ink, 2, ""), CERTAIN: (LIGHT.other, 1, ""), FINAL: (LIGHT.suspect, 1, "4 3")}
GAP, STEP, LINE = 14, 22, 16  # pixels: between chunks, between levels of arcs, a line of text
TEXT, LABEL = 11, 9  # sizes of letters

Box = tuple[int, int]  # left side and width of a chunk
Links = list[tuple[int, Row]]  # stratum and link


@dataclass(frozen=True, slots=True)
class ChunkDrawing:
    """A picture: its size in pixels, and its SVG elements."""

    width: int
    height: int
    body: str


def draw_svg(parse: ChunkParse, forms: Sequence[str], name: str = "") -> ChunkDrawing:
    """Chunks in a row, links as arcs above, an arrow at the dependent, clauses as lines below, the name on top.

    Verbal links are black and thick, certain ones blue, ambiguous ones orange and dashed, with their plausibility.
    """
    texts = [chunk_text(parse, k, forms) for k in range(len(parse.chunks))]
    kinds = [f"{chunk.kind}/{k}" for k, chunk in enumerate(parse.chunks, 1)]
    links = [(stratum, row) for stratum in PENS for row in link_rows(parse, stratum)]
    boxes = _boxes(texts, kinds, links)
    level = _levels({(min(g, d), max(g, d)) for _, (g, d, *_) in links if g})
    head = LINE if name else 0
    top = head + STEP * (max(level.values(), default=0) + 2)
    parts = [f'<text x="{GAP}" y="{LINE - 4}" font-weight="bold">{html.escape(name)}</text>'] if name else []
    for text, kind, (x, size) in zip(texts, kinds, boxes, strict=True):
        middle = _middle((x, size))
        parts += [
            f'<rect x="{x}" y="{top}" width="{size}" height="{2 * LINE + 6}" rx="3" fill="{LIGHT.raised}" '
            f'stroke="{LIGHT.edge}"/>',
            f'<text x="{middle}" y="{top + LINE}" text-anchor="middle">{html.escape(text)}</text>',
            f'<text x="{middle}" y="{top + 2 * LINE}" text-anchor="middle" fill="{LIGHT.soft}">{kind}</text>',
        ]
    for stratum, row in links:
        parts += _arc(row, stratum, boxes, (head, top), level)
    bottom = top + 3 * LINE
    clauses = _clause_lines(clause_hierarchy(parse), boxes, bottom)
    parts += [part for line in clauses for part in line]
    width = max(sum(boxes[-1]) if boxes else 0, GAP + text_width(name, TEXT)) + GAP
    return ChunkDrawing(width, bottom + len(clauses) * LINE // 2 + LINE, "\n".join(parts))


def _boxes(texts: Sequence[str], kinds: Sequence[str], links: Links) -> list[Box]:
    """The boxes of the chunks: as wide as their texts, as far apart as the labels of the links between them need."""
    size = [max(text_width(text, TEXT), text_width(kind, TEXT)) + 8 for text, kind in zip(texts, kinds, strict=True)]
    for _, row in links:
        if not row[0]:
            size[row[1] - 1] = max(size[row[1] - 1], text_width(_label(row), LABEL))
    boxes: list[Box] = []
    for k, width in enumerate(size, 1):
        at = GAP if k == 1 else sum(boxes[-1]) + GAP
        for _, row in links:
            low, high = min(row[:2]), max(row[:2])
            if high == k and low:
                at = max(at, _middle(boxes[low - 1]) + text_width(_label(row), LABEL) + 12 - width // 2)
        boxes.append((at, width))
    return boxes


def _label(row: Row) -> str:
    _, _, kind, share = row
    return kind if share == 1 else f"{kind} {share:.3f}"


def _pen(stratum: int) -> str:
    colour, width, dashes = PENS[stratum]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'stroke="{colour}" stroke-width="{width}" fill="none"{dashed}'


def _middle(box: Box) -> int:
    return box[0] + box[1] // 2


def _levels(spans: set[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """The level of the arc over each span: above the arcs inside it and the arcs it crosses."""
    level: dict[tuple[int, int], int] = {}
    for low, high in sorted(spans, key=lambda span: span[1] - span[0]):
        inside = [level[a, b] for a, b in level if (low <= a and b <= high) or a < low < b or a < high < b]
        level[low, high] = max(inside, default=0) + 1
    return level


def _arc(
    row: Row, stratum: int, boxes: Sequence[Box], between: tuple[int, int], level: Mapping[tuple[int, int], int]
) -> tuple[str, str]:
    """The arc of a link, and its label; a link to the root is a straight line. between: y of the top and the bottom."""
    g, d, *_ = row
    head, top = between
    style = f'{_pen(stratum)} marker-end="url(#a{stratum})"'
    x = _middle(boxes[d - 1])
    if g:
        height = top - STEP * level[min(g, d), max(g, d)]
        start = _middle(boxes[g - 1]) + (6 if d > g else -6)
        path = f'<path d="M{start} {top} V{height} H{x} V{top - 2}" {style}/>'
        where, y = (start + x) // 2, height - 3
    else:
        path = f'<path d="M{x} {head + LINE + 4} V{top - 2}" {style}/>'
        where, y = x, head + LINE
    colour = PENS[stratum][0]
    label = html.escape(_label(row))
    return path, f'<text x="{where}" y="{y}" text-anchor="middle" fill="{colour}" font-size="{LABEL}">{label}</text>'


def _clause_lines(clause: ClauseNode, boxes: Sequence[Box], bottom: int) -> list[tuple[str, str]]:
    """A line with a dot for each clause that has a head, each below the one before."""
    lines: list[tuple[str, str]] = []

    def add(clause: ClauseNode) -> None:
        if clause.head:
            low, (x, size) = boxes[max(clause.first, 1) - 1][0], boxes[clause.last - 1]
            y = bottom + (len(lines) + 1) * LINE // 2
            line = f'<path d="M{low} {y - 3} v3 H{x + size} v-3" stroke="{LIGHT.gold}" fill="none"/>'
            lines.append((line, f'<circle cx="{_middle(boxes[clause.head - 1])}" cy="{y}" r="3" fill="{LIGHT.gold}"/>'))
        for inner in clause.inner:
            add(inner)

    add(clause)
    return lines


def svg_page(drawings: Sequence[ChunkDrawing]) -> str:
    """The drawings one below the other, as one SVG file with a legend."""
    y = sum(drawing.height for drawing in drawings)
    legend, right = _legend(y + LINE)
    width, height = max([right, *(drawing.width for drawing in drawings)]), y + 2 * LINE
    arrow = '<marker id="a{0}" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" '
    arrow += 'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L6 3 L0 6 z" fill="{1}"/></marker>'
    markers = "".join(arrow.format(stratum, colour) for stratum, (colour, *_) in PENS.items())
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="{TEXT}" fill="{LIGHT.ink}"><rect width="100%" height="100%" fill="{LIGHT.paper}"/>'
        f"<defs>{markers}</defs>"
    ]
    y = 0
    for drawing in drawings:
        lines.append(f'<g transform="translate(0 {y})">\n{drawing.body}\n</g>')
        y += drawing.height
    return "\n".join([*lines, *legend, "</svg>"]) + "\n"


def _legend(y: int) -> tuple[list[str], int]:
    """The legend: a piece of each kind of line and its meaning; and the x where it ends."""
    clauses = f'stroke="{LIGHT.gold}" fill="none"'
    entries = [(_pen(stratum), colour, STRATA[stratum]) for stratum, (colour, *_) in PENS.items()]
    x, parts = GAP, []
    for pen, colour, text in [*entries, (clauses, LIGHT.gold, "clauses, a dot at the verb")]:
        parts.append(f'<path d="M{x} {y - 4} h20" {pen}/><text x="{x + 24}" y="{y}" fill="{colour}">{text}</text>')
        x += 24 + text_width(text, TEXT) + GAP
    return parts, x
