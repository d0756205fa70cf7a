"""Draws an arc over or under its sentence, in lines of text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from treegauge.corpus.corpus import Corpus
from treegauge.wording import printable

NEAR = 4  # words shown on either side of those that an arc joins, if the sentence is too wide
GAP = "…"
Style = Callable[[str, str], str]
OVER, UNDER = "╭─╮▼", "╰─╯▲"  # corners, line, and the arrow on the dependent


def plain(text: str, role: str) -> str:
    """The text as it is."""
    return text


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence on one line: its text, and the column of the middle of each word that is shown."""

    text: str
    column: dict[int, int]


def lay_out(forms: Sequence[str], wanted: Collection[int], width: int, style: dict[int, Style] | None = None) -> Line:
    """The words on one line; if they are wider than `width`, only those near the wanted words, and … for the others.

    Positions count from 0; −1 is the root, which is on no line. style may colour some words, and keeps their width.
    """
    forms = list(map(printable, forms))
    near = set(range(len(forms)))
    if sum(cell_len(form) + 1 for form in forms) > width:
        near = {k for w in wanted if w >= 0 for k in range(w - NEAR, w + NEAR + 1)}
    cells: list[str] = []
    column: dict[int, int] = {}
    at = 0
    for k, form in enumerate(forms):
        if k in near:
            column[k] = at + (cell_len(form) - 1) // 2
            cells.append(style[k](form, "") if style and k in style else form)
        elif not cells or cells[-1] is not GAP:
            form = GAP
            cells.append(GAP)
        else:
            continue
        at += cell_len(form) + 1
    return Line(" ".join(cells), column)


def draw(line: Line, dependent: int, head: int, label: str, pen: str = OVER) -> str:
    """The arc from the head to the dependent, which has the arrow; a label that is too long stands behind the arc."""
    label = printable(label)
    left_corner, stroke, right_corner, arrow = tuple(pen)
    at = line.column[dependent]
    if head < 0:
        return " " * at + f"{arrow} {label}"
    low, high = sorted((at, line.column[head]))
    room = high - low - 1
    text = f" {label} " if cell_len(label) + 4 <= room else ""
    middle = text.center(room, stroke)
    drawn = arrow + middle + right_corner if at == low else left_corner + middle + arrow
    return " " * low + drawn + ("" if text else f" {label}")


def draw_arc(corpus: Corpus, row: int, width: int = 100, style: Style = plain) -> tuple[str, str]:
    """An arc of a corpus, with an arrow on the dependent, and the line of words that stands below it.

    style(text, role) may colour the arc, the dependent and the head.
    """
    s = int(corpus.sentence[row])
    first = int(corpus.start[s])
    dependent, head = row - first, int(corpus.head[row]) - 1
    styles: dict[int, Style] = {
        dependent: lambda form, _: style(form, "dependent"),
        head: lambda form, _: style(form, "head"),
    }
    line = lay_out(corpus.forms(s), (dependent, head), width, styles)
    arc = draw(line, dependent, head, corpus.value("deprel", row))
    drawn = arc.lstrip(" ")
    return arc[: len(arc) - len(drawn)] + style(drawn, "arc"), line.text
