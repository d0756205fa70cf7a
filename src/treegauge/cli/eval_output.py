"""What `treegauge eval` writes: the tables that are asked for, in the format that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treegauge.evaluation.attachment.breakdown import breakdown, leave_out, systems_breakdown
from treegauge.evaluation.attachment.confusion import confused_table, confused_words, confusion
from treegauge.evaluation.attachment.evaluation import Evaluation, Evaluations
from treegauge.evaluation.attachment.treebank_table import Row, paper_tables, treebanks_table
from treegauge.evaluation.attachment.versus import Versus
from treegauge.reports.table_text import write_tables
from treegauge.reports.two_arcs import draw_versus, draw_word
from treegauge.tables import Table
from treegauge.wording import counted

MACHINES = ("tsv", "json")  # formats that have everything; others are for people


@dataclass(frozen=True, slots=True)
class Asked:
    """The options that say what to write."""

    by: list[list[str]]
    class_ends: list[int] | None
    confusions: bool
    show: list[tuple[str, str]]
    versus: bool
    top: int
    form: str

    @property
    def tables(self) -> bool:
        """Whether other tables are asked for than the scores."""
        return bool(self.by or self.confusions or self.show or self.versus)

    @property
    def machine(self) -> bool:
        """Whether a program reads what is written."""
        return self.form in MACHINES


def written(evaluations: Evaluations[Any], asked: Asked, tests: Sequence[Table]) -> str:
    """What is asked for; without other tables, the scores themselves. JSON has these always, first."""
    tables = [*_scores(evaluations, asked), *_by(evaluations, asked), *_confusions(evaluations, asked), *tests]
    shown = [_words(evaluation, cell, asked) for evaluation in evaluations for cell in asked.show]
    for other in evaluations[1:] if asked.versus else ():
        versus = Versus(evaluations[0], other)
        tables.append(versus.table())
        shown.append(_versus_words(versus, asked))
    if asked.form != "text":
        return write_tables([*tables, *(table for table, _ in shown)], asked.form)
    parts = [write_tables(tables, "text")] if tables else []
    parts += ["\n".join([table.title + "\n", *drawn, table.signature + "\n"]) for table, drawn in shown]
    return "\n".join(parts)


def written_pairs(rows: Sequence[Row], signature: str, form: str) -> str:
    """Many treebanks: one table for machines, the paper's two for people."""
    tables = [treebanks_table(rows, signature)] if form in MACHINES else paper_tables(rows, signature)
    return write_tables(tables, form)


def _scores(evaluations: Evaluations[Any], asked: Asked) -> Iterator[Table]:
    if asked.form == "json" or not asked.tables:
        single = len(evaluations) == 1
        yield evaluations[0].table() if single else evaluations.long_table() if asked.machine else evaluations.table()


def _by(evaluations: Evaluations[Any], asked: Asked) -> Iterator[Table]:
    """The tables of --by; people see several systems side by side. Groups come with what leaving them out does."""
    for names in asked.by:
        if len(evaluations) > 1 and not asked.machine:
            yield systems_breakdown(evaluations, names, bins=asked.class_ends)
        else:
            yield from (breakdown(evaluation, names, bins=asked.class_ends).table() for evaluation in evaluations)
        if names == ["group"]:
            yield from map(leave_out, evaluations)


def _confusions(evaluations: Evaluations[Any], asked: Asked) -> Iterator[Table]:
    """People see the largest wrong cells, machines all cells."""
    for evaluation in evaluations if asked.confusions else ():
        table = confusion(evaluation).table(right_ones=asked.machine)
        if len(table.rows) > asked.top and not asked.machine:
            title = f"{table.title} (the first {asked.top} of {len(table.rows)})"
            table = replace(table, title=title, rows=table.rows[: asked.top])
        yield table


def _words(evaluation: Evaluation, cell: tuple[str, str], asked: Asked) -> tuple[Table, list[str]]:
    """The words of a cell as a table, and drawn; in JSON the table has the drawings."""
    rows = confused_words(evaluation, *cell)
    shown = rows[: asked.top]
    title = (
        f"{evaluation.system.path} against {evaluation.gold.path}: "
        f"gold {cell[0]}, system {cell[1]}: {len(shown)} of {counted(len(rows), 'word')}"
    )
    table = confused_table(evaluation, shown, title)
    return _with_drawings(table, lambda: [draw_word(evaluation, row) for row in shown.tolist()], asked)


def _versus_words(versus: Versus, asked: Asked) -> tuple[Table, list[str]]:
    """The words where only one of two systems is right; people see some of each relation, programs get all."""
    rows = versus.rows if asked.machine else versus.chosen(asked.top)
    return _with_drawings(versus.words_table(rows), lambda: [draw_versus(versus, row) for row in rows.tolist()], asked)


def _with_drawings(table: Table, draw: Callable[[], list[str]], asked: Asked) -> tuple[Table, list[str]]:
    """A table of words, and these drawn; in JSON the table has the drawings."""
    drawn = draw() if asked.form in ("text", "json") else []
    if asked.form == "json":
        rows_drawn = tuple((*row, drawing) for row, drawing in zip(table.rows, drawn, strict=True))
        table = replace(table, columns=(*table.columns, ("drawing", "text")), rows=rows_drawn)
    return table, drawn
