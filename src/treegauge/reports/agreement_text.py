"""The agreement of annotators as text: tables, and words that they treat differently, drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from treegauge.evaluation.agreement.agreement import Agreement
from treegauge.evaluation.agreement.disagreements import agreement_tables
from treegauge.reports.table_text import write_tables
from treegauge.reports.two_arcs import DrawnArc, draw_arcs

LONG = ("confusions", "sentences", "words")  # the tables that are cut
WIDEST = 60  # a longer text is cut after so many characters


def agreement_text(between: Agreement, top: int) -> str:
    """The tables, the long ones cut to their first rows, and a drawing for each of the commonest disagreements."""
    tables = []
    for table in agreement_tables(between):
        if table.name in LONG:
            rows = tuple(tuple(_short(cell) for cell in row) for row in table.rows[:top])
            title = f"{table.title}: {len(rows):,} of {len(table.rows):,}"
            table = replace(table, title=title, rows=rows)
            if not rows:
                continue
        tables.append(table)
    drawn = [draw_disagreement(between, k) for k in examples(between, top)]
    return "\n".join([write_tables(tables, "text"), *drawn])


def _short(cell: object) -> object:
    return f"{cell[:WIDEST]}…" if isinstance(cell, str) and len(cell) > WIDEST else cell


def examples(between: Agreement, top: int) -> list[int]:
    """A word for each of the commonest kinds of disagreement between two annotators, by both relations."""
    annotators = between.annotators
    cells: dict[tuple[int, int], int] = {}
    count: Counter[tuple[int, int]] = Counter()
    for (first, second), differs in zip(annotators.pairs, between.differing, strict=True):
        for k in between.words[differs[between.words]].tolist():
            cell = int(annotators.relation[first, k]), int(annotators.relation[second, k])
            count[cell] += 1
            cells.setdefault(cell, k)
    return [cells[cell] for cell in sorted(count, key=lambda cell: (-count[cell], cell))[:top]]


def draw_disagreement(between: Agreement, k: int) -> str:
    """A word's arcs of the first two annotators that differ on it, one above its sentence and one below."""
    annotators = between.annotators
    first, second = annotators.pairs[int(np.flatnonzero(between.differing[:, k])[0])]
    sides = [
        DrawnArc(
            f"{annotators.names[a]}:",
            annotators.corpora[a],
            int(annotators.row[a, k]),
            annotators.relations[annotators.relation[a, k]],
        )
        for a in (first, second)
    ]
    return draw_arcs(*sides)
