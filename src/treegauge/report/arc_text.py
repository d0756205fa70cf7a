"""An arc drawn over its sentence, in two lines of text."""

import unicodedata
from collections.abc import Callable

from treegauge.corpus.conllu import Corpus

AROUND = 4  # words kept on either side of dependent and head where the sentence is too wide
GAP = "…"


def plain(text: str, role: str) -> str:
    """No styling."""
    return text


def draw_arc(corpus: Corpus, row: int, width: int = 100, style: Callable[[str, str], str] = plain) -> tuple[str, str]:
    """The arc, with an arrow on the dependent, and the words below it.

    Words far from both ends make place for … where the sentence is wider than `width` columns. style(text, role) may
    colour the arc, the dependent and the head.
    """
    s = int(corpus.sentence[row])
    first = int(corpus.start[s])
    words = [corpus.value("form", w) for w in range(first, int(corpus.start[s + 1]))]
    dependent, head = row - first, int(corpus.head[row]) - 1
    shown = _visible(words, dependent, head, width)
    columns, line, used, last = {}, "", 0, -1
    for w in shown:
        if w != last + 1:
            line += GAP + " "
            used += 2
        columns[w] = used
        role = "dependent" if w == dependent else "head" if w == head else ""
        line += (style(words[w], role) if role else words[w]) + " "
        used += text_width(words[w]) + 1
        last = w
    if last != len(words) - 1:
        line += GAP
    label = corpus.value("deprel", row)
    end = columns[dependent] + text_width(words[dependent]) // 2
    if head < 0:
        return " " * end + style(f"▼ {label}", "arc"), line.rstrip()
    other = columns[head] + text_width(words[head]) // 2
    low, high = min(end, other), max(end, other)
    inside = f" {label} ".center(high - low - 1, "─") if high - low - 1 >= len(label) + 2 else "─" * (high - low - 1)
    beside = "" if label in inside else f" {label}"
    arc = f"▼{inside}╮" if end < other else f"╭{inside}▼"
    return " " * low + style(arc + beside, "arc"), line.rstrip()


def _visible(words: list[str], dependent: int, head: int, width: int) -> list[int]:
    """The words to show: all of them, or those around dependent and head, fewer until they fit."""
    if sum(text_width(word) + 1 for word in words) <= width:
        return list(range(len(words)))
    ends = {dependent, head} - {-1}
    for around in range(len(words), -1, -1):
        shown = [w for w in range(len(words)) if any(abs(w - end) <= around for end in ends)]
        if around <= AROUND and (around == 0 or sum(text_width(words[w]) + 1 for w in shown) <= width - 6):
            return shown
    return sorted(ends)


def text_width(text: str) -> int:
    """Columns that a text takes on a terminal: wide characters two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
