"""Which relations a system confuses, and the words behind each cell of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.corpus.relations import GROUPS
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.evaluation import Evaluation
from treegauge.evaluation.attachment.scores_kernel import HEAD
from treegauge.tables import Table, Tabular, column_kinds


@dataclass(frozen=True, slots=True, repr=False)
class Confusion(Tabular):
    """How many aligned words have which relation in gold (rows) and in the system (columns)."""

    relations: tuple[str, ...]
    words: np.ndarray  # [gold, system]
    heads: np.ndarray  # [gold, system]: words with the right head
    title: str
    signature: str

    def table(self, *, right_ones: bool = True) -> Table:
        """The cells that are not empty, largest first; right_ones: whether the cells of right relations are there, too.

        share: the share of the cell among the aligned words that have this relation in gold.
        """
        totals = self.words.sum(axis=1)
        cells = []
        for g, w in np.argwhere(self.words).tolist():
            if g != w or right_ones:
                words, heads = int(self.words[g, w]), int(self.heads[g, w])
                cells.append((self.relations[g], self.relations[w], words, words / int(totals[g]), heads / words))
        cells.sort(key=lambda cell: (-cell[2], cell[0], cell[1]))
        columns = column_kinds("gold text, system text, words count, share percent, right_head percent")
        return Table(self.title, columns, tuple(cells), self.signature, "confusion")


def confusion(evaluation: Evaluation) -> Confusion:
    """The aligned words by both relations; words that only one side has are not counted."""
    words = evaluation.words
    rows = np.flatnonzero(evaluation.comparison.partner >= 0)
    n = len(words.relations)
    cell = words.gold_relation[rows].astype(np.int64) * n + words.relation[evaluation.comparison.partner[rows]]
    right = words.right[rows] & HEAD != 0
    title = f"{evaluation.system.path} against {evaluation.gold.path}: relations taken for others"
    return Confusion(
        words.relations,
        np.bincount(cell, minlength=n * n).reshape(n, n),
        np.bincount(cell[right], minlength=n * n).reshape(n, n),
        title,
        evaluation.signature,
    )


def confused_words(evaluation: Evaluation, gold_relation: str, relation: str) -> np.ndarray:
    """The gold rows of words with these relations in gold and system; if both are equal, with a wrong head."""
    words = evaluation.words
    known = {relation for group in GROUPS.values() for relation in group}
    for name in (gold_relation, relation):
        if name not in words.relations and name not in known:
            raise OptionError(f"relation {name!r}; expected one of {', '.join(sorted(words.relations))}")
    if gold_relation not in words.relations or relation not in words.relations:
        return np.empty(0, np.int64)
    g, w = words.relations.index(gold_relation), words.relations.index(relation)
    rows = np.flatnonzero((evaluation.comparison.partner >= 0) & (words.gold_relation == g))
    rows = rows[words.relation[evaluation.comparison.partner[rows]] == w]
    if g == w:
        rows = rows[words.right[rows] & HEAD == 0]
    return rows


def confused_table(evaluation: Evaluation, rows: np.ndarray, title: str) -> Table:
    """Some words of gold with their arcs in gold and system, one row for each word."""
    gold, system, words = evaluation.gold, evaluation.system, evaluation.words
    cells = []
    for row in rows.tolist():
        partner = int(evaluation.comparison.partner[row])
        s, t = int(gold.sentence[row]), int(system.sentence[partner])
        place = int(gold.number[s]), gold.sent_id(s), row - int(gold.start[s]) + 1, gold.value("form", row)
        gold_arc = words.relations[words.gold_relation[row]], int(gold.head[row])
        arc = words.relations[words.relation[partner]], int(system.head[partner])
        cells.append((*place, *gold_arc, *arc, int(system.number[t]), partner - int(system.start[t]) + 1))
    columns = column_kinds(
        "sentence count, sent_id text, word count, form text, gold_relation text, gold_head count, "
        "system_relation text, system_head count, system_sentence count, system_word count"
    )
    return Table(title, columns, tuple(cells), evaluation.signature, "show")
