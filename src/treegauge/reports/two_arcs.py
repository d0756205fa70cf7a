"""Draws two arcs of a word, of gold and system or of two versions: one above the words, one below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treegauge.corpus.corpus import Corpus
from treegauge.reports.arc_text import UNDER, draw, lay_out
from treegauge.wording import printable

if TYPE_CHECKING:
    from treegauge.evaluation.attachment.evaluation import Evaluation
    from treegauge.evaluation.attachment.versus import Versus

INDENT = "  "
WIDTH = 100


def draw_word(evaluation: Evaluation, row: int) -> str:
    """The sentence of a gold word with its arc in gold and in the system.

    If the sentence is wide, words far from both arcs are left out. If the words of the two differ, it stands twice.
    """
    partner = int(evaluation.comparison.partner[row])
    words, relations = evaluation.words, evaluation.words.relations
    gold = DrawnArc("gold", evaluation.gold, row, relations[words.gold_relation[row]])
    return draw_arcs(gold, DrawnArc("system", evaluation.system, partner, relations[words.relation[partner]]))


def draw_versus(versus: Versus, row: int) -> str:
    """The sentence of a gold word with its arc in the system that is right, and in the one that is wrong."""
    first_is_right = bool(versus.right[0, row])
    right, wrong = versus.names if first_is_right else versus.names[::-1]
    evaluation = versus.second if first_is_right else versus.first
    gold, words = versus.first.gold, evaluation.words
    arc = DrawnArc(f"{right}, as gold:", gold, row, words.relations[words.gold_relation[row]])
    partner = int(evaluation.comparison.partner[row])
    if partner < 0:
        place = f"{gold.place(arc.sentence)}, word {arc.ends[0] + 1} {gold.value('form', row)!r}"
        return printable(f"{place}: {arc.text}; {wrong} does not have this word") + "\n"
    return draw_arcs(arc, DrawnArc(f"{wrong}:", evaluation.system, partner, words.relations[words.relation[partner]]))


@dataclass(frozen=True, slots=True)
class DrawnArc:
    """The arc of a word, which is a row of a corpus, and the name of the side that has it."""

    side: str
    corpus: Corpus
    row: int
    label: str

    @property
    def sentence(self) -> int:
        """The sentence that it is in."""
        return int(self.corpus.sentence[self.row])

    @property
    def forms(self) -> list[str]:
        """The words of its sentence."""
        return self.corpus.forms(self.sentence)

    @property
    def ends(self) -> tuple[int, int]:
        """Places of the word and its head in the sentence, from 0; −1 is the root."""
        return self.row - int(self.corpus.start[self.sentence]), int(self.corpus.head[self.row]) - 1

    @property
    def text(self) -> str:
        """The arc in words: side, relation and head."""
        head = self.ends[1]
        above = f"of {head + 1} {self.forms[head]!r}" if head >= 0 else "(head: the root)"
        return f"{self.side} {self.label} {above}"


def draw_arcs(first: DrawnArc, second: DrawnArc) -> str:
    """A line that names two arcs of a word; below it the sentence, with one arc above the words and one below."""
    (word, head), (second_word, second_head) = first.ends, second.ends
    forms, second_forms = first.forms, second.forms
    title = f"{first.corpus.place(first.sentence)}, word {word + 1} {forms[word]!r}: {first.text}, {second.text}"
    if forms == second_forms and word == second_word:
        line = second_line = lay_out(forms, (word, head, second_head), WIDTH)
        texts = [line.text]
    else:
        line = lay_out(forms, (word, head), WIDTH)
        second_line = lay_out(second_forms, (second_word, second_head), WIDTH)
        texts = [line.text, second_line.text]
    lines = [
        draw(line, word, head, first.label),
        *texts,
        draw(second_line, second_word, second_head, second.label, UNDER),
    ]
    return "\n".join([printable(title), *(INDENT + drawn for drawn in lines)]) + "\n"
