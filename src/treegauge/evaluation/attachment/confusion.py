"""Which relations, tags or feature values a system confuses, and the words behind each cell of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.corpus.relations import GROUPS
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.breakdown import classes_of
from treegauge.evaluation.attachment.evaluation import Evaluation
from treegauge.evaluation.attachment.metrics import ARC
from treegauge.evaluation.attachment.scores_kernel import HEAD
from treegauge.tables import Table, Tabular, column_kinds

CONFUSED = ("relation", "deprel", "upos", "xpos", "lemma")
ANY = "*"  # any other relation


@dataclass(frozen=True, slots=True, repr=False)
class Confusion(Tabular):
    """How many aligned words have which label (relation, tag …) in gold (rows) and in the system (columns)."""

    labels: tuple[str, ...]
    words: np.ndarray  # [gold, system]
    heads: np.ndarray  # [gold, system]: words with the right head
    title: str
    signature: str

    def table(self, *, right_ones: bool = True) -> Table:
        """The cells that are not empty, largest first; right_ones: whether the cells of right labels are there, too.

        share: the share of the cell among the aligned words that have this label in gold.
        """
        totals = self.words.sum(axis=1)
        cells = []
        for g, w in np.argwhere(self.words).tolist():
            if g != w or right_ones:
                words, heads = int(self.words[g, w]), int(self.heads[g, w])
                cells.append((self.labels[g], self.labels[w], words, words / int(totals[g]), heads / words))
        cells.sort(key=lambda cell: (-cell[2], cell[0], cell[1]))
        columns = column_kinds("gold text, system text, words count, share percent, right_head percent")
        return Table(self.title, columns, tuple(cells), self.signature, "confusion")


def confusion(evaluation: Evaluation, column: str = "relation") -> Confusion:
    """The aligned words by their labels in gold and system; words that only one side has are not counted.

    column: relation, deprel, upos, xpos, lemma, or a feature such as Case.
    """
    if column not in CONFUSED and not column[:1].isupper():
        raise OptionError(f"confusion of {column!r}; expected {', '.join(CONFUSED)}, or a feature such as Case")
    classes = classes_of(evaluation, column)
    rows = np.flatnonzero(evaluation.comparison.partner >= 0)
    n = len(classes.labels)
    cell = classes.gold[rows].astype(np.int64) * n + classes.system[evaluation.comparison.partner[rows]]
    right = evaluation.words.right[rows] & HEAD != 0
    what = "relations" if column == "relation" else f"values of {column}"
    title = f"{evaluation.name} against {evaluation.gold.path}: {what} taken for others"
    return Confusion(
        classes.labels,
        np.bincount(cell, minlength=n * n).reshape(n, n),
        np.bincount(cell[right], minlength=n * n).reshape(n, n),
        title,
        evaluation.signature,
    )


def confused_words(evaluation: Evaluation, gold_relation: str, relation: str | None = None) -> np.ndarray:
    """The gold rows of aligned words with these relations in gold and system, whose arc is wrong.

    ANY (`*`) stands for any other relation. Without a relation of the system, any wrong arc counts.
    """
    words, partner = evaluation.words, evaluation.comparison.partner
    known = {relation for group in GROUPS.values() for relation in group} | {ANY}
    for name in filter(None, (gold_relation, relation)):
        if name not in words.relations and name not in known:
            raise OptionError(f"relation {name!r}; expected one of {', '.join(sorted(words.relations))}, or {ANY}")
    names = np.array(words.relations)
    of_gold, of_system = names[words.gold_relation], names[words.relation[partner]]
    chosen = (partner >= 0) & (words.right & ARC != ARC)
    if gold_relation != ANY:
        chosen &= of_gold == gold_relation
    if relation not in (None, ANY):
        chosen &= of_system == relation
    if ANY in (gold_relation, relation):
        chosen &= of_gold != of_system
    return np.flatnonzero(chosen)


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
