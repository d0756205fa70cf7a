"""A word's arc in gold and in the system, drawn as text: gold's above the words, the system's below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from treegauge.attachment.evaluation import Evaluation
from treegauge.attachment.treebank import Treebank

NEAR = 4  # words kept on either side of those that an arc joins
INDENT = "  "


def draw_word(evaluation: Evaluation, row: int) -> str:
    """The sentence of a gold word with its arc in gold and in the system; words far from both are left out.

    Where the sentence is not the same in both, it stands twice.
    """
    gold, system = evaluation.gold, evaluation.system
    partner = int(evaluation.partner[row])
    s, t = int(gold.sentence[row]), int(system.sentence[partner])
    relations = evaluation.words.relations
    word, other = row - int(gold.start[s]), partner - int(system.start[t])
    head, other_head = int(gold.head[row]) - 1, int(system.head[partner]) - 1
    label = relations[evaluation.words.gold_relation[row]]
    other_label = relations[evaluation.words.relation[partner]]
    forms, other_forms = gold.forms(s), system.forms(t)
    lines = [
        f"{gold.place(s)}, word {word + 1} {forms[word]!r}: "
        f"gold {_arc(label, gold, s, head)}, system {_arc(other_label, system, t, other_head)}"
    ]
    if forms == other_forms and word == other:
        words, column = _layout(forms, (word, head, other_head))
        lines += [
            _draw(column, word, head, label, "╭─╮▼"),
            words,
            _draw(column, other, other_head, other_label, "╰─╯▲"),
        ]
    else:
        words, column = _layout(forms, (word, head))
        lines += [_draw(column, word, head, label, "╭─╮▼"), words]
        words, column = _layout(other_forms, (other, other_head))
        lines += [words, _draw(column, other, other_head, other_label, "╰─╯▲")]
    return "\n".join([lines[0], *(INDENT + line for line in lines[1:])]) + "\n"


def _arc(label: str, side: Treebank, s: int, head: int) -> str:
    """An arc in words: its relation and its head."""
    if head < 0:
        return f"{label} (head: the root)"
    return f"{label} of {head + 1} {side.forms(s)[head]!r}"


def _layout(forms: Sequence[str], wanted: Iterable[int]) -> tuple[str, dict[int, int]]:
    """The words on one line, those far from the wanted as one …, and the column of each that is there."""
    centres = [w for w in wanted if w >= 0]
    near = {k for w in centres for k in range(w - NEAR, w + NEAR + 1) if 0 <= k < len(forms)}
    cells: list[str] = []
    column: dict[int, int] = {}
    width = 0
    gap = False
    for k, form in enumerate(forms):
        if k in near:
            column[k] = width + (cell_len(form) - 1) // 2
            gap = False
        elif gap:
            continue
        else:
            form, gap = "…", True
        cells.append(form)
        width += cell_len(form) + 1
    return " ".join(cells), column


def _draw(column: dict[int, int], word: int, head: int, label: str, pen: str) -> str:
    """The arc from the head's column to the word's, which has the arrow; a label too long stands behind."""
    left_corner, line, right_corner, arrow = list(pen)
    at = column[word]
    if head < 0:
        return " " * at + f"{arrow} {label}"
    low, high = sorted((at, column[head]))
    room = high - low - 1
    text = f" {label} " if len(label) + 4 <= room else ""
    middle = text.center(room, line)
    drawn = arrow + middle + right_corner if at == low else left_corner + middle + arrow
    return " " * low + drawn + ("" if text else f" {label}")
