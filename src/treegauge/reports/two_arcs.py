"""A word's arc in gold and in the system, drawn as text: gold's above the words, the system's below."""

from __future__ import annotations

from treegauge.attachment.evaluation import Evaluation
from treegauge.corpus.conllu import Corpus
from treegauge.reports.arc_text import UNDER, draw, lay_out

INDENT = "  "
WIDTH = 100


def draw_word(evaluation: Evaluation, row: int) -> str:
    """The sentence of a gold word with its arc in gold and in the system.

    In a wide one, words far from both are left out. Where the sentence is not the same in both, it stands twice.
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
    title = (
        f"{gold.place(s)}, word {word + 1} {forms[word]!r}: "
        f"gold {_arc(label, gold, s, head)}, system {_arc(other_label, system, t, other_head)}"
    )
    if forms == other_forms and word == other:
        line = lay_out(forms, (word, head, other_head), WIDTH)
        lines = [draw(line, word, head, label), line.text, draw(line, other, other_head, other_label, UNDER)]
    else:
        line, other_line = lay_out(forms, (word, head), WIDTH), lay_out(other_forms, (other, other_head), WIDTH)
        lines = [draw(line, word, head, label), line.text, other_line.text]
        lines.append(draw(other_line, other, other_head, other_label, UNDER))
    return "\n".join([title, *(INDENT + drawn for drawn in lines)]) + "\n"


def _arc(label: str, side: Corpus, s: int, head: int) -> str:
    """An arc in words: its relation and its head."""
    if head < 0:
        return f"{label} (head: the root)"
    return f"{label} of {head + 1} {side.forms(s)[head]!r}"
