"""What `treegauge eval` writes: the tables that are asked for, in the format that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treegauge.attachment.breakdown import breakdown, leave_out, systems_breakdown
from treegauge.attachment.confusion import confused_table, confused_words, confusion
from treegauge.attachment.evaluation import Evaluation, long_table, system_names, systems_table
from treegauge.attachment.pairs import Row, pairs_table, paper_tables
from treegauge.reports.table_text import write_json, write_tables
from treegauge.reports.two_arcs import draw_word
from treegauge.tables import Table


@dataclass(frozen=True, slots=True)
class Asked:
    """The options that say what to write."""

    by: list[list[str]]
    bins: list[int] | None
    confusions: bool
    show: list[tuple[str, str]]
    limit: int
    form: str

    @property
    def tables(self) -> bool:
        """Whether other tables are asked for than the scores."""
        return bool(self.by or self.confusions or self.show)


def written(evaluations: Sequence[Evaluation], asked: Asked, tests: Sequence[Table]) -> str:
    """What is asked for; without other tables, the scores themselves. JSON has these always."""
    if asked.form == "json":
        return write_json(_content(evaluations, asked, tests))
    tables = [*_scores(evaluations, asked), *_by(evaluations, asked), *_confusions(evaluations, asked), *tests]
    parts = [write_tables(tables, asked.form)] if tables else []
    for evaluation in evaluations:
        for cell in asked.show:
            parts.append(_words(evaluation, cell, asked))
    return "\n".join(parts)


def written_pairs(rows: Sequence[Row], signature: str, form: str) -> str:
    """Many treebanks: one table for machines, the paper's two for people."""
    if form == "json":
        return write_json(pairs_table(rows, signature).to_dict())
    return write_tables([pairs_table(rows, signature)] if form == "tsv" else paper_tables(rows, signature), form)


def _scores(evaluations: Sequence[Evaluation], asked: Asked) -> list[Table]:
    if asked.tables:
        return []
    if len(evaluations) == 1:
        return [evaluations[0].table()]
    return [long_table(evaluations) if asked.form == "tsv" else systems_table(evaluations)]


def _by(evaluations: Sequence[Evaluation], asked: Asked) -> list[Table]:
    """The tables of --by; people see several systems side by side. Groups come with what leaving them out does."""
    tables = []
    for names in asked.by:
        if len(evaluations) > 1 and asked.form != "tsv":
            tables.append(systems_breakdown(evaluations, names, bins=asked.bins))
        else:
            tables += [breakdown(evaluation, names, bins=asked.bins).table() for evaluation in evaluations]
        if names == ["group"]:
            tables += [leave_out(evaluation) for evaluation in evaluations]
    return tables


def _confusions(evaluations: Sequence[Evaluation], asked: Asked) -> list[Table]:
    """People see the largest wrong cells, machines all cells."""
    tables = []
    for evaluation in evaluations if asked.confusions else ():
        table = confusion(evaluation).table(right_ones=asked.form == "tsv")
        tables.append(table if asked.form == "tsv" else _cut(table, asked.limit))
    return tables


def _cut(table: Table, limit: int) -> Table:
    """The first rows of a table, its title saying so."""
    if not limit or len(table.rows) <= limit:
        return table
    title = f"{table.title} (the first {limit} of {len(table.rows)})"
    return Table(title, table.columns, table.rows[:limit], table.signature)


def _words(evaluation: Evaluation, cell: tuple[str, str], asked: Asked) -> str:
    """The words of a cell: drawn in text, a table elsewhere."""
    rows = confused_words(evaluation, *cell)
    shown = rows[: asked.limit or None]
    if asked.form != "text":
        return write_tables([confused_table(evaluation, shown)], asked.form)
    title = (
        f"{evaluation.system.path} against {evaluation.gold.path}: "
        f"gold {cell[0]}, system {cell[1]}: {len(shown)} of {len(rows)} words\n"
    )
    return "\n".join([title, *(draw_word(evaluation, row) for row in shown.tolist()), evaluation.signature + "\n"])


def _content(evaluations: Sequence[Evaluation], asked: Asked, tests: Sequence[Table]) -> dict[str, Any]:
    """What JSON has: of one system its metrics by name; of several, these under `systems`."""
    systems = [_of_system(evaluation, asked) for evaluation in evaluations]
    if len(systems) == 1:
        return systems[0]
    named = dict(zip(system_names(evaluations), systems, strict=True))
    content: dict[str, Any] = {"systems": named, "signature": evaluations[0].signature}
    if tests:
        content["significance"] = [test.to_dict() for test in tests]
    return content


def _of_system(evaluation: Evaluation, asked: Asked) -> dict[str, Any]:
    content = evaluation.to_dict()
    if asked.by:
        content["by"] = [table.to_dict() for table in _by([evaluation], asked)]
    if asked.confusions:
        content["confusion"] = confusion(evaluation).to_dict()
    if asked.show:
        content["show"] = [_of_cell(evaluation, cell, asked.limit) for cell in asked.show]
    return content


def _of_cell(evaluation: Evaluation, cell: tuple[str, str], limit: int) -> dict[str, Any]:
    rows = confused_words(evaluation, *cell)
    shown = rows[: limit or None]
    records = confused_table(evaluation, shown).records()
    for record, row in zip(records, shown.tolist(), strict=True):
        record["drawing"] = draw_word(evaluation, row)
    return {"gold": cell[0], "system": cell[1], "words": len(rows), "rows": records}
