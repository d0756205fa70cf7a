"""Tables as text, TSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from treegauge.corpus.files import read_at_most
from treegauge.errors import CorpusError, OptionError
from treegauge.json_fields import Fields, parse_json
from treegauge.tables import Table

_LONGEST = 1 << 26  # the most bytes of a result that is read again
FORMATS = ("text", "tsv", "json", "markdown", "latex")


def write_tables(tables: Sequence[Table], format_name: str) -> str:
    """The tables in one of FORMATS.

    JSON is one object, the first table (title, signature, rows); others follow under `more`, each of the same shape.
    """
    writers = {"text": _text, "tsv": _tsv, "markdown": _markdown, "latex": _latex}
    if format_name == "json":
        first, *others = [table.to_dict() for table in tables]
        return write_json(first | ({"more": others} if others else {}))
    if format_name not in writers:
        raise OptionError(f"format {format_name!r}; expected one of {', '.join(FORMATS)}")
    return "\n".join(map(writers[format_name], tables))


def write_csv(table: Table) -> str:
    """One table as comma-separated values: names, then rows at full precision; a missing value is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(["" if value is None else value for value in row] for row in table.rows)
    return stream.getvalue()


def read_samples(path: str) -> dict[str, Any]:
    """The table of samples that `treegauge ecc` wrote as JSON: the values that a figure needs, checked."""
    content = parse_json(read_at_most(path, _LONGEST), path, CorpusError, "a result in JSON")
    table = Fields(content, path, CorpusError)
    if "name" not in table or table.take("name") != "samples":
        raise CorpusError(f"{path}: no table 'samples'; expected a result in JSON that begins with it")
    numbers = ("ecc", "ecc_ci", "emr", "emr_ci", "f1", "product")
    rows = [
        {name: row.text(name) for name in ("treebank", "sample")}
        | {name: row.number_or_none(name, 0.0, 1e9) for name in numbers}
        for row in table.objects("rows")
    ]
    return {"signature": table.text("signature"), "rows": rows}


def write_json(content: object) -> str:
    """JSON at full precision, without escaped characters."""
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _text(table: Table) -> str:
    """Aligned columns under a ruled header."""
    from rich.cells import cell_len

    header, body, left = table.for_people()
    width = [max(cell_len(row[k]) for row in (header, *body)) for k in range(len(left))]

    def line(row: Sequence[str]) -> str:
        cells = []
        for cell, size, to_left in zip(row, width, left, strict=True):
            gap = " " * (size - cell_len(cell))
            cells.append(cell + gap if to_left else gap + cell)
        return "  ".join(cells).rstrip()

    rule = "─" * (sum(width) + 2 * len(width) - 2)
    return "\n".join([table.title, line(header), rule, *map(line, body), table.signature]) + "\n"


def _tsv(table: Table) -> str:
    lines = [f"# {table.title} · {table.signature}", "\t".join(table.names)]
    lines += ["\t".join("" if value is None else str(value) for value in row) for row in table.rows]
    return "\n".join(lines) + "\n"


def _markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    header, body, left = table.for_people()
    rows = [line(header), line(["---" if to_left else "---:" for to_left in left]), *map(line, body)]
    return "\n".join([f"**{table.title}**", "", *rows, "", f"`{table.signature}`"]) + "\n"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "−": "$-$",
    "±": r"$\pm$",
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
}
_LATEX |= {c: "\\" + c for c in "&%$#_{}"}


def latex(text: str) -> str:
    """A text with LaTeX's special characters escaped."""
    return "".join(_LATEX.get(c, c) for c in text)


def _latex(table: Table) -> str:
    """A table for the booktabs package."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(map(latex, cells)) + r" \\"

    header, body, left = table.for_people()
    columns = "".join("l" if to_left else "r" for to_left in left)
    lines = [r"\begin{table}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule", line(header), r"\midrule"]
    lines += [*map(line, body), r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, rf"\caption{{{latex(f'{table.title} ({table.signature})')}}}", r"\end{table}"]) + "\n"
