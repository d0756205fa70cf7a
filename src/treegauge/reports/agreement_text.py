"""The agreement of annotators as text: tables, and words that they treat differently, drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from treegauge.evaluation.agreement.agreement import Agreement
from treegauge.evaluation.agreement.disagreements import agreement_tables
from treegauge.reports.table_text import write_tables
from treegauge.reports.two_arcs import DrawnArc, draw_arcs

LONG = ("confusions", "sentences", "words")  # tables that are cut
WIDEST = 60  # characters of a text


def agreement_text(between: Agreement, top: int) -> str:
    """Tables, the long ones cut to their first rows, and one word drawn of each of the commonest disagreements."""
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
    found = between.annotators
    cells: dict[tuple[int, int], int] = {}
    count: Counter[tuple[int, int]] = Counter()
    for (one, other), differs in zip(found.pairs, between.differing, strict=True):
        for k in between.words[differs[between.words]].tolist():
            cell = int(found.relation[one, k]), int(found.relation[other, k])
            count[cell] += 1
            cells.setdefault(cell, k)
    return [cells[cell] for cell in sorted(count, key=lambda cell: (-count[cell], cell))[:top]]


def draw_disagreement(between: Agreement, k: int) -> str:
    """A word's arcs of the first two annotators that differ on it, one above its sentence and one below."""
    found = between.annotators
    one, other = found.pairs[int(np.flatnonzero(between.differing[:, k])[0])]
    sides = [
        DrawnArc(f"{found.names[a]}:", found.corpora[a], int(found.row[a, k]), found.relations[found.relation[a, k]])
        for a in (one, other)
    ]
    return draw_arcs(*sides)
