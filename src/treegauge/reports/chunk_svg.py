"""Draws a parse into chunks as boxes and arcs in SVG; long sentences go on in the next line.

With gold trees, links are told apart: right ones, wrong ones, and those that are missed.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from treegauge.constituency.chaos.comparison import MISSED, RIGHT, WRONG, ChunkLink
from treegauge.constituency.chaos.links import CERTAIN, FINAL, STRATA, VERBAL
from treegauge.constituency.chaos.notation import ClauseNode, chunk_text, clause_hierarchy
from treegauge.constituency.chaos.parse import ChunkParse
from treegauge.corpus.tree_svg import text_width
from treegauge.palette import LIGHT, VARIABLES, Palette
from treegauge.reports.drawings_page import drawings_page

# stratum -> colour, width and dashes of its lines
PENS = {VERBAL: ("ink", 2, ""), CERTAIN: ("other", 1, ""), FINAL: ("suspect", 1, "4 3")}
# the same by what gold says
GOLD_PENS = {RIGHT: ("gold", 1.5, ""), WRONG: ("suspect", 1.5, "4 3"), MISSED: ("other", 1.5, "2 3")}
GAP, STEP, LINE = 14, 22, 16  # pixels: between chunks, between levels of arcs, a line of text
TEXT, LABEL = 11, 9  # sizes of letters
WIDEST = 1100  # pixels; a line ends before the chunk that would be beyond
GOLD = "Beside gold"

Box = tuple[int, int]  # left side and width of a chunk


@dataclass(frozen=True, slots=True)
class ChunkDrawing:
    """A picture: its name, its size in pixels, and its SVG elements."""

    name: str
    width: int
    height: int
    body: str


@dataclass(frozen=True, slots=True)
class _DrawnLink:
    """A link in a line of chunks; ends count from 1 there, 0 and n + 1 stand for chunks of other lines.

    root: it is the link of the main clause, a straight line.
    """

    governor: int
    dependent: int
    label: str
    link: ChunkLink
    root: bool = False


def draw_svg(
    parse: ChunkParse,
    forms: Sequence[str],
    links: Sequence[ChunkLink],
    name: str = "",
    palette: Palette = LIGHT,
    widest: int = WIDEST,
) -> ChunkDrawing:
    """Chunks in lines, links as arcs above, an arrow at the dependent, clauses as lines below, the name on top.

    Verbal links are thick, certain ones thin, ambiguous ones dashed, with their plausibility. A link from a chunk of
    another line begins at the margin, and its label has the number of that chunk. With a verdict, colours say what is
    right. links: see `chunk_links`.
    """
    drawer = _Drawer(parse, forms, palette)
    y = LINE if name else 0
    parts = [
        f'<text x="{GAP}" y="{LINE - 4}" font-weight="bold" fill="{palette.ink}">{html.escape(name)}</text>'
    ] * bool(name)
    right, first = GAP + text_width(name, TEXT), 1
    clauses = clause_hierarchy(parse)
    while first == 1 or first <= len(parse.chunks):
        last = drawer.end_of_line(first, links, widest)
        line, width, height = drawer.line(first, last, links, clauses, y)
        parts += line
        right, y, first = max(right, width), y + height, last + 1
    return ChunkDrawing(name, right + GAP, y, "\n".join(parts))


class _Drawer:
    """Draws the lines of one sentence."""

    def __init__(self, parse: ChunkParse, forms: Sequence[str], palette: Palette) -> None:
        self.palette = palette
        self.texts = [chunk_text(parse, k, forms) for k in range(len(parse.chunks))]
        self.kinds = [f"{chunk.kind}/{k}" for k, chunk in enumerate(parse.chunks, 1)]

    def end_of_line(self, first: int, links: Sequence[ChunkLink], widest: int) -> int:
        """The last chunk of the line that begins with a chunk: as many as fit, and one at least."""
        last = len(self.texts)
        while last > first and sum(self._boxes(first, last, _in_line(links, first, last))[-1]) > widest:
            last -= 1 + (last - first) // 8
        while last < len(self.texts):
            if sum(self._boxes(first, last + 1, _in_line(links, first, last + 1))[-1]) > widest:
                break
            last += 1
        return last

    def line(
        self, first: int, last: int, links: Sequence[ChunkLink], clauses: ClauseNode, y: int
    ) -> tuple[list[str], int, int]:
        """The elements of a line that begins at y, and its width and height."""
        drawn = _in_line(links, first, last)
        boxes = self._boxes(first, last, drawn)
        width = (sum(boxes[-1]) if boxes else 0) + (GAP if any(each.governor > len(boxes) for each in drawn) else 0)
        level = _levels({_span(each) for each in drawn if not each.root})
        top = y + STEP * (max(level.values(), default=0) + 2)
        parts = []
        for text, kind, (x, size) in zip(
            self.texts[first - 1 : last], self.kinds[first - 1 : last], boxes, strict=True
        ):
            middle = _middle((x, size))
            parts += [
                f'<rect x="{x}" y="{top}" width="{size}" height="{2 * LINE + 6}" rx="3" fill="{self.palette.raised}" '
                f'stroke="{self.palette.edge}"/>',
                f'<text x="{middle}" y="{top + LINE}" text-anchor="middle" fill="{self.palette.ink}">'
                f"{html.escape(text)}</text>",
                f'<text x="{middle}" y="{top + 2 * LINE}" text-anchor="middle" fill="{self.palette.soft}">'
                f"{kind}</text>",
            ]
        for each in drawn:
            parts.append(self._arc(each, boxes, y, top, width, level))
        bottom = top + 3 * LINE
        lines = _clause_lines(clauses, boxes, first, last, bottom, self.palette)
        return parts + lines, width, bottom + len(lines) * LINE // 2 + LINE - y

    def _boxes(self, first: int, last: int, drawn: Sequence[_DrawnLink]) -> list[Box]:
        """The boxes of some chunks: as wide as their texts, as far apart as the labels of the links between need."""
        texts = zip(self.texts[first - 1 : last], self.kinds[first - 1 : last], strict=True)
        size = [max(text_width(text, TEXT), text_width(kind, TEXT)) + 8 for text, kind in texts]
        for each in drawn:
            if each.root or not 1 <= each.governor <= len(size):
                at = each.dependent - 1
                size[at] = max(size[at], text_width(each.label, LABEL) * (1 if each.root else 2))
        boxes: list[Box] = []
        for k, width in enumerate(size, 1):
            at = GAP if k == 1 else sum(boxes[-1]) + GAP
            for each in drawn:
                low, high = sorted((each.governor, each.dependent))
                if high == k and low:
                    at = max(at, _middle(boxes[low - 1]) + text_width(each.label, LABEL) + 12 - width // 2)
            boxes.append((at, width))
        return boxes

    def _arc(
        self,
        drawn: _DrawnLink,
        boxes: Sequence[Box],
        above: int,
        top: int,
        width: int,
        level: dict[_Span, int],
    ) -> str:
        """A link: its line, its arrow and its label, with what a filter asks for."""
        colour, stroke, dashes = GOLD_PENS[drawn.link.verdict] if drawn.link.verdict else PENS[drawn.link.stratum]
        colour = getattr(self.palette, colour)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        pen = f'stroke="{colour}" stroke-width="{stroke}" fill="none"{dashed}'
        x = _middle(boxes[drawn.dependent - 1])
        if drawn.root:
            path, where, y = f"M{x} {above + LINE + 4}V{top - 2}", x, above + LINE
        else:
            height = top - STEP * level[_span(drawn)]
            if 1 <= drawn.governor <= len(boxes):
                start = _middle(boxes[drawn.governor - 1]) + (6 if drawn.dependent > drawn.governor else -6)
                path = f"M{start} {top}V{height}H{x}V{top - 2}"
            else:
                start = 0 if drawn.governor < 1 else width
                path = f"M{start} {height}H{x}V{top - 2}"
            where, y = (start + x) // 2, height - 3
        kinds = html.escape(" ".join(_kinds(drawn.link)))
        return (
            f'<g data-kinds="{kinds}"><path d="{path}" {pen}/><path d="M{x} {top - 1}l-3 -6h6z" fill="{colour}"/>'
            f'<text x="{where}" y="{y}" text-anchor="middle" fill="{colour}" font-size="{LABEL}">'
            f"{html.escape(drawn.label)}</text></g>"
        )


def _kinds(link: ChunkLink) -> list[str]:
    """What a link is called in filters."""
    return [STRATA[link.stratum] if link.stratum else MISSED, link.kind, *([link.verdict] if link.verdict else [])]


def _in_line(links: Sequence[ChunkLink], first: int, last: int) -> list[_DrawnLink]:
    """The links whose dependents are chunks first … last, with ends that count from 1 there."""
    drawn = []
    for link in links:
        if first <= link.dependent <= last:
            end = min(max(link.governor - first + 1, 0), last - first + 2)
            outside = link.governor and not first <= link.governor <= last
            label = f"{link.label} of {link.governor}" if outside else link.label
            drawn.append(_DrawnLink(end, link.dependent - first + 1, label, link, link.governor == 0))
    return drawn


def _middle(box: Box) -> int:
    return box[0] + box[1] // 2


_Span = tuple[int, int, bool]


def _span(drawn: _DrawnLink) -> _Span:
    """The ends of a link from left to right, and whether it is missed: then it is above one with the same ends."""
    return min(drawn.governor, drawn.dependent), max(drawn.governor, drawn.dependent), drawn.link.verdict == MISSED


def _levels(spans: set[_Span]) -> dict[_Span, int]:
    """The level of the arc over each span: above the arcs inside it and the arcs it crosses."""
    level: dict[_Span, int] = {}
    for low, high, missed in sorted(spans, key=lambda span: (span[1] - span[0], span[2], span)):
        inside = [level[span] for span in level if (low <= span[0] and span[1] <= high)]
        crossed = [level[span] for span in level if span[0] < low < span[1] or span[0] < high < span[1]]
        level[low, high, missed] = max([*inside, *crossed], default=0) + 1
    return level


def _clause_lines(
    clause: ClauseNode, boxes: Sequence[Box], first: int, last: int, bottom: int, palette: Palette
) -> list[str]:
    """A line for each clause that has chunks in this line and a head, each below the one before; a dot at the head."""
    lines: list[str] = []

    def add(clause: ClauseNode) -> None:
        low, high = max(clause.first, first, 1), min(clause.last, last)
        if clause.head and low <= high:
            (x, _), end = boxes[low - first], sum(boxes[high - first])
            y = bottom + (len(lines) + 1) * LINE // 2
            open_end = "" if clause.last > last else "v-3"
            begin = f"M{x} {y - 3}v3" if low == max(clause.first, 1) else f"M{x} {y}"
            line = f'<path d="{begin}H{end}{open_end}" stroke="{palette.gold}" fill="none"/>'
            if first <= clause.head <= last:
                middle = _middle(boxes[clause.head - first])
                line += f'<circle cx="{middle}" cy="{y}" r="3" fill="{palette.gold}"/>'
            lines.append(line)
        for inner in clause.inner:
            add(inner)

    add(clause)
    return lines


def svg_page(drawings: Sequence[ChunkDrawing], beside_gold: bool = False) -> str:
    """The drawings one below the other, as one SVG file with a legend."""
    y = sum(drawing.height for drawing in drawings)
    legend, right = _legend(y + LINE, LIGHT, beside_gold)
    width, height = max([right, *(drawing.width for drawing in drawings)]), y + 2 * LINE
    lines = [_svg_tag(width, height, LIGHT)]
    y = 0
    for drawing in drawings:
        lines.append(f'<g transform="translate(0 {y})">\n{drawing.body}\n</g>')
        y += drawing.height
    return "\n".join([*lines, *legend, "</svg>"]) + "\n"


def html_page(title: str, drawings: Sequence[ChunkDrawing], links: Sequence[ChunkLink], beside_gold: bool) -> str:
    """A page of the drawings, made with the palette VARIABLES; filters by stratum, kind of link, and what gold says."""
    kinds = sorted({link.kind for link in links if link.stratum})
    filters = {"Stratum": [STRATA[stratum] for stratum in PENS], "Link": kinds}
    if beside_gold:
        filters[GOLD] = [RIGHT, WRONG, MISSED]
        filters["Missed"] = sorted({link.kind for link in links if not link.stratum})
    legend, width = _legend(LINE, VARIABLES, beside_gold)
    key = f"{_svg_tag(width, 2 * LINE, VARIABLES)}{''.join(legend)}</svg>"
    pictures = [(each.name, f"{_svg_tag(each.width, each.height, VARIABLES)}{each.body}</svg>") for each in drawings]
    return drawings_page(title, [("", key), *pictures], filters)


def _svg_tag(width: int, height: int, palette: Palette) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        f'font-size="{TEXT}" fill="{palette.ink}"><rect width="100%" height="100%" fill="{palette.paper}"/>'
    )


def _legend(y: int, palette: Palette, beside_gold: bool) -> tuple[list[str], int]:
    """The legend: a piece of each kind of line and its meaning; and the x where it ends."""
    pens = GOLD_PENS.items() if beside_gold else ((STRATA[stratum], pen) for stratum, pen in PENS.items())
    entries = [*pens, ("clauses, a dot at the verb", ("gold", 1, ""))]
    x, parts = GAP, []
    for text, (name, width, dashes) in entries:
        colour, dashed = getattr(palette, name), f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(
            f'<path d="M{x} {y - 4} h20" stroke="{colour}" stroke-width="{width}" fill="none"{dashed}/>'
            f'<text x="{x + 24}" y="{y}" fill="{colour}">{text}</text>'
        )
        x += 24 + text_width(text, TEXT) + GAP
    return parts, x
