"""Draw a sentence as a dependency tree in SVG: arcs are above the words, alternatives of one arc below them.

The page draws by the same rules in `page_files/tree.js`; a test compares the two. `layout` makes shapes (lists of
numbers and strings) from the widths of words and labels; a browser measures them, and `text_width` estimates them.
"""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.tokens import multiword_tokens
from treegauge.palette import LIGHT, Palette

# ems of single characters: DejaVu Sans Bold, rounded up (Verdana is as wide, Arial and Helvetica are narrower)
_GROUPS = {
    0.4: " ij|I.,:'/\\",
    0.53: "flrt()[]!;-*_`",
    0.88: "+=<>~#^&",
    1.1: "mw@%—…MæœÆ",
    1.25: "WŒЖШЮЉЊщ",
    1.35: "Щ",
}
_KNOWN = {character: width for width, characters in _GROUPS.items() for character in characters}
# width by category of characters: in ASCII, and others
_ASCII = {"Lu": 0.86, "Ll": 0.73, "Nd": 0.71}
_OTHERS = {"Lu": 1.1, "Ll": 1.09, "Nd": 0.92, "Mc": 1.0, "Mn": 0.0, "Me": 0.0, "Cf": 0.0, "Cc": 0.0}
_SIGN, _WIDE, _EMOJI, _REST = 0.75, 1.06, 1.45, 1.4


def text_width(text: str, size: int) -> int:
    """How many pixels a text needs at most in letters of this size, in common scripts; marks on letters need none."""
    return math.ceil(size * sum(map(_ems, unicodedata.normalize("NFD", text))))


@cache
def _ems(character: str) -> float:
    if character in _KNOWN:
        return _KNOWN[character]
    category = unicodedata.category(character)
    if character.isascii():
        return _ASCII.get(category, _SIGN)
    if unicodedata.east_asian_width(character) in "WF":
        return _EMOJI if category == "So" else _WIDE
    return _OTHERS.get(category, _REST)


GAP, STEP, PAD = 14, 22, 10  # pixels: between words, between levels of arcs, around the drawing
LEAST_STEP, HIGHEST = 12, 440  # if there are many levels, they are closer, so that the arcs need at most so many pixels
FORM, TAG, LABEL = 15, 11, 11  # sizes of letters
NEAR = (4, 3, 2, 1, 0)  # so many words beside the words of interest are drawn if a sentence is too wide; first fit
LONGEST = 28  # most characters of a word that are drawn
WIDEST = 960  # default width in pixels
ROOT = -1  # the place of the root among words

PLAIN, SUSPECT, GOLD, OTHER = "plain", "suspect", "gold", "other"
# kind of arc -> its colour on light ground, width, dashes
PENS = {
    PLAIN: (LIGHT.plain, 1, ""),
    SUSPECT: (LIGHT.suspect, 2.5, ""),
    GOLD: (LIGHT.gold, 2, "6 3"),
    OTHER: (LIGHT.other, 2, "2 3"),
}

Shape = list[Any]  # ["arc", path, arrow, kind] | ["text", x, y, text, size, kind, bold]


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc between places of the words drawn; the head may be ROOT."""

    dependent: int
    head: int
    label: str
    kind: str = PLAIN


@dataclass(frozen=True, slots=True)
class Drawing:
    """The size in pixels, and the shapes."""

    width: int
    height: int
    shapes: list[Shape]


def shortened(form: str) -> str:
    """A form, shortened if it is too long to draw."""
    return form if len(form) <= LONGEST else form[: LONGEST - 1] + "…"


def near(n: int, wanted: Collection[int], reach: int) -> list[int]:
    """The places among n words at most `reach` from the wanted ones; −1 stands for words that are left out."""
    close = [any(abs(k - w) <= reach for w in wanted) for k in range(n)]
    return [k if close[k] else -1 for k in range(n) if close[k] or k == 0 or close[k - 1]]


def layout(
    words: Sequence[tuple[str, str]],
    arcs: Sequence[Arc],
    below: Sequence[Arc],
    tokens: Sequence[tuple[int, int, str]],
    marked: Collection[int],
    rtl: bool,
    width_of: Callable[[str, int], int],
) -> Drawing:
    """The drawing of words and arcs.

    words: form and tag of each; tokens: places of the first and last word of a multiword token, and its form; marked:
    places of words in bold. The distance of words is large enough for the labels of the arcs between them. An arc is
    one level above the highest arc within its span. `rtl` mirrors the drawing.
    """
    label_width = {arc.label: width_of(arc.label, LABEL) for arc in (*arcs, *below)}
    size = [max(width_of(form, FORM), width_of(tag, TAG)) for form, tag in words]
    middle: list[int] = []
    for k in range(len(words)):
        at = PAD + size[0] // 2 if k == 0 else middle[k - 1] + (size[k - 1] + size[k]) // 2 + GAP
        for arc in (*arcs, *below):
            if max(arc.dependent, arc.head) == k and arc.head != ROOT:
                at = max(at, middle[min(arc.dependent, arc.head)] + label_width[arc.label] + 22)
        middle.append(at)
    roots = [label_width[arc.label] // 2 + middle[arc.dependent] for arc in (*arcs, *below) if arc.head == ROOT]
    width = max([middle[-1] + size[-1] // 2 if words else 0, *roots]) + PAD
    x = [width - at for at in middle] if rtl else middle
    levels, levels_below = _levels(arcs, len(words)), _levels(below, len(words))
    step = max(LEAST_STEP, min(STEP, HIGHEST // max(1, *levels, 1)))
    base = PAD + LABEL + step * max(levels, default=0)
    shapes: list[Shape] = []
    for k in sorted(range(len(arcs)), key=lambda k: arcs[k].kind != PLAIN):
        shapes += _arc(arcs[k], x, base, base - step * levels[k], label_width)
    under = base + FORM + TAG + 12
    for k, (form, tag) in enumerate(words):
        shapes.append(["text", x[k], base + FORM + 2, form, FORM, PLAIN, k in marked])
        shapes.append(["text", x[k], base + FORM + TAG + 6, tag, TAG, PLAIN, False])
    for first, last, form in tokens:
        low, high = middle[first] - size[first] // 2, middle[last] + size[last] // 2
        if rtl:
            low, high = width - high, width - low
        shapes.append(["arc", f"M{low} {under}v4H{high}v-4", "", PLAIN])
        shapes.append(["text", (low + high) // 2, under + FORM + 4, form, FORM - 2, PLAIN, False])
    if tokens:
        under += FORM + 10
    for arc, level in zip(below, levels_below, strict=True):
        shapes += _arc(arc, x, under, under + STEP * level, label_width)
    height = under + STEP * max(levels_below, default=0) + (LABEL if below else 0) + PAD
    return Drawing(width, height, shapes)


def _levels(arcs: Sequence[Arc], n: int) -> list[int]:
    """The level of each arc, from 1: short arcs first, each above all arcs between its ends."""
    tops = [0] * (n + 1)  # tops[k]: the highest level between words k and k + 1
    levels = [0] * len(arcs)
    for k in sorted(range(len(arcs)), key=lambda k: abs(arcs[k].dependent - arcs[k].head)):
        if arcs[k].head != ROOT:
            low, high = sorted((arcs[k].dependent, arcs[k].head))
            levels[k] = max(tops[low:high]) + 1
            tops[low:high] = [levels[k]] * (high - low)
    highest = max(levels, default=0) + 1
    return [level or highest for level in levels]


def _arc(arc: Arc, x: Sequence[int], base: int, top: int, label_width: dict[str, int]) -> list[Shape]:
    """A line with round corners from the head to the arrow on the dependent, and the label on it."""
    end = x[arc.dependent]
    down = 1 if top > base else -1  # below the words, y grows away from them
    tip = base + 3 * down
    arrow = f"M{end} {base}l-4 {8 * down}h8z"
    if arc.head == ROOT:
        text = ["text", end, top + (LABEL if down > 0 else -3), arc.label, LABEL, arc.kind, arc.kind != PLAIN]
        return [["arc", f"M{end} {top}V{tip}", arrow, arc.kind], text]
    towards = 1 if end > x[arc.head] else -1
    start = x[arc.head] + 5 * towards
    turn = f"q0 {6 * down} {6 * towards} {6 * down}"
    path = f"M{start} {tip}V{top - 6 * down}{turn}H{end - 6 * towards}q{6 * towards} 0 {6 * towards} {-6 * down}V{tip}"
    text = ["text", (start + end) // 2, top + 4, arc.label, LABEL, arc.kind, arc.kind != PLAIN]
    return [["arc", path, arrow, arc.kind], text]


def svg(drawing: Drawing, title: str, palette: Palette = LIGHT) -> str:
    """The drawing as an SVG element; every text is escaped."""
    parts = []
    for shape in drawing.shapes:
        if shape[0] == "arc":
            colour, (_, width, dashes) = getattr(palette, shape[3]), PENS[shape[3]]
            dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
            parts.append(f'<path d="{shape[1]}" fill="none" stroke="{colour}" stroke-width="{width}"{dashed}/>')
            if shape[2]:
                parts.append(f'<path d="{shape[2]}" fill="{colour}"/>')
        else:
            _, x, y, text, size, kind, bold = shape
            colour = palette.ink if kind == PLAIN and size != LABEL else getattr(palette, kind)
            weight = ' font-weight="bold"' if bold else ""
            parts.append(
                f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}"{weight} text-anchor="middle" '
                f'stroke="{palette.paper}" stroke-width="4" paint-order="stroke">{html.escape(text)}</text>'
            )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{drawing.width}" height="{drawing.height}" '
        f'viewBox="0 0 {drawing.width} {drawing.height}" font-family="system-ui, sans-serif" '
        f'style="background:{palette.paper}"><title>{html.escape(title)}</title>{"".join(parts)}</svg>'
    )


def is_rtl(forms: Sequence[str]) -> bool:
    """Whether most letters with a direction run from right to left."""
    kinds = [unicodedata.bidirectional(c) for form in forms for c in form]
    return sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L")


def tree_svg(
    corpus: Corpus,
    s: int,
    row: int | None = None,
    widest: int = WIDEST,
    other: tuple[int, str] | None = None,
    palette: Palette = LIGHT,
    match: tuple[Collection[int], Collection[int]] = ((), ()),
) -> str:
    """Sentence s of a corpus as SVG, the arc of the word in `row` in colour.

    If a sentence is wider than `widest` pixels only the words near that arc are drawn; without a row, all are.
    other: head (position, 0 for the root) and relation of another arc of that word, drawn below the words.
    match: rows of words, which are bold; and rows of words whose arcs are in colour, too.
    """
    first, last = int(corpus.start[s]), int(corpus.start[s + 1])
    head = (corpus.head[first:last] - 1).tolist()
    forms = corpus.forms(s)
    tags = [corpus.value("upos", w) for w in range(first, last)] if "upos" in corpus.codes else [""] * len(forms)
    suspect = None if row is None else row - first
    below = [] if other is None or suspect is None else [(suspect, other[0] - 1, other[1])]
    suspects = {w - first for w in match[1]} | (set() if suspect is None else {suspect})
    wanted = {w - first for w in match[0]} | suspects | {head[w] for w in suspects} | {h for _, h, _ in below}
    wanted -= {ROOT}
    multiword = multiword_tokens(corpus.part(s, s + 1))

    def drawn(places: list[int]) -> Drawing:
        at = {w: k for k, w in enumerate(places) if w >= 0} | {ROOT: ROOT}
        arcs = [
            Arc(at[w], at[head[w]], corpus.value("deprel", first + w), SUSPECT if w in suspects else PLAIN)
            for w in places
            if w >= 0 and head[w] in at
        ]
        tokens = [
            (at[token.first - 1], at[token.last - 1], shortened(token.form))
            for token in multiword
            if token.first - 1 in at and token.last - 1 in at
        ]
        words = [(shortened(forms[w]), tags[w]) if w >= 0 else ("…", "") for w in places]
        others = [Arc(at[w], at[h], label, OTHER) for w, h, label in below]
        return layout(words, arcs, others, tokens, {at[w] for w in wanted}, is_rtl(forms), text_width)

    drawing = drawn(list(range(len(forms))))
    for reach in NEAR if wanted else ():
        if drawing.width > widest:
            drawing = drawn(near(len(forms), wanted, reach))
    return svg(drawing, " ".join(forms), palette)
