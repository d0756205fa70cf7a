"""A word's arc in gold and in the system, or in two versions, drawn as text: one above the words, one below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treegauge.corpus.corpus import Corpus
from treegauge.reports.arc_text import UNDER, draw, lay_out

if TYPE_CHECKING:
    from treegauge.evaluation.attachment.evaluation import Evaluation
    from treegauge.evaluation.attachment.versus import Versus

INDENT = "  "
WIDTH = 100


def draw_word(evaluation: Evaluation, row: int) -> str:
    """The sentence of a gold word with its arc in gold and in the system.

    In a wide one, words far from both are left out. Where the sentence is not the same in both, it stands twice.
    """
    partner = int(evaluation.comparison.partner[row])
    words, relations = evaluation.words, evaluation.words.relations
    gold = DrawnArc("gold", evaluation.gold, row, relations[words.gold_relation[row]])
    return draw_arcs(gold, DrawnArc("system", evaluation.system, partner, relations[words.relation[partner]]))


def draw_versus(versus: Versus, row: int) -> str:
    """The sentence of a gold word with its arc in the system that is right, and in the one that is wrong."""
    first_is_right = bool(versus.right[0, row])
    right, wrong = versus.names if first_is_right else versus.names[::-1]
    there = versus.second if first_is_right else versus.first
    gold, words = versus.first.gold, there.words
    arc = DrawnArc(f"{right}, as gold:", gold, row, words.relations[words.gold_relation[row]])
    partner = int(there.comparison.partner[row])
    if partner < 0:
        place = f"{gold.place(arc.sentence)}, word {arc.ends[0] + 1} {gold.value('form', row)!r}"
        return f"{place}: {arc.told}; {wrong} has not this word\n"
    return draw_arcs(arc, DrawnArc(f"{wrong}:", there.system, partner, words.relations[words.relation[partner]]))


@dataclass(frozen=True, slots=True)
class DrawnArc:
    """The arc of the word in a row of a corpus, under the name of a side."""

    side: str
    corpus: Corpus
    row: int
    label: str

    @property
    def sentence(self) -> int:
        """The sentence it is in."""
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
    def told(self) -> str:
        """The arc in words: side, relation and head."""
        head = self.ends[1]
        above = f"of {head + 1} {self.forms[head]!r}" if head >= 0 else "(head: the root)"
        return f"{self.side} {self.label} {above}"


def draw_arcs(one: DrawnArc, other: DrawnArc) -> str:
    """Two arcs of a word, one above the words of its sentence, one below, under a line that says what they are."""
    (word, head), (other_word, other_head) = one.ends, other.ends
    forms, other_forms = one.forms, other.forms
    title = f"{one.corpus.place(one.sentence)}, word {word + 1} {forms[word]!r}: {one.told}, {other.told}"
    if forms == other_forms and word == other_word:
        line = other_line = lay_out(forms, (word, head, other_head), WIDTH)
        texts = [line.text]
    else:
        line = lay_out(forms, (word, head), WIDTH)
        other_line = lay_out(other_forms, (other_word, other_head), WIDTH)
        texts = [line.text, other_line.text]
    lines = [draw(line, word, head, one.label), *texts, draw(other_line, other_word, other_head, other.label, UNDER)]
    return "\n".join([title, *(INDENT + drawn for drawn in lines)]) + "\n"
