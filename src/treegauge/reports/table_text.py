"""Tables as text, TSV, CSV, JSON, JSON lines, Parquet, Markdown and LaTeX."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

from treegauge.corpus.files import read_at_most
from treegauge.errors import CorpusError, OptionError
from treegauge.json_fields import Fields, json_text, parse_json
from treegauge.tables import Table
from treegauge.wording import printable

_LONGEST = 1 << 26  # the most bytes of a result that is read again
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # text that begins so is a formula for a spreadsheet
PARQUET = "parquet"
FORMATS = ("text", "tsv", "csv", "json", "jsonl", PARQUET, "markdown", "latex")
MACHINES = (
    "tsv",
    "csv",
    "json",
    "jsonl",
    PARQUET,
)  # formats that have everything, for programs; the others are for people


def table_bytes(tables: Sequence[Table], format_name: str) -> bytes:
    """The tables in one of FORMATS, as the content of a file. Parquet holds one table only."""
    if format_name != PARQUET:
        return write_tables(tables, format_name).encode("utf-8", "surrogateescape")  # file names keep their bytes
    if len(tables) != 1:
        names = ", ".join(table.name or table.title for table in tables)
        raise OptionError(f"parquet holds one table, and there are {len(tables)}: {names}; expected --format jsonl")
    stream = io.BytesIO()
    tables[0].to_polars().write_parquet(stream)
    return stream.getvalue()


def write_tables(tables: Sequence[Table], format_name: str) -> str:
    """The tables in one of FORMATS, but for Parquet, which is no text.

    JSON is one object, the first table (title, signature, rows); others follow under `more`, each of the same shape.
    JSON lines have one object for each row of each table, which begins with the name of the table and the signature.
    Several tables in CSV have a blank line between them.
    """
    writers = {"text": _text, "tsv": _tsv, "csv": write_csv, "markdown": _markdown}
    if format_name == "jsonl":
        return "".join(map(_json_lines, tables))
    if format_name == "json":
        first, *others = [table.to_dict() for table in tables]
        return write_json(first | ({"more": others} if others else {}))
    if format_name == "latex":
        return "\n".join(map(_latex, tables, _latex_labels(tables)))
    if format_name not in writers:
        raise OptionError(f"format {format_name!r}; expected one of {', '.join(FORMATS)}")
    return "\n".join(map(writers[format_name], tables))


def write_csv(table: Table, *, for_spreadsheets: bool = False) -> str:
    """One table as comma-separated values: names, then rows at full precision; a missing value is empty.

    for_spreadsheets: text that a spreadsheet would take for a formula gets a `'` in front.
    """
    rows = [table.names, *table.rows]
    return "".join(",".join(_csv_cell(value, for_spreadsheets) for value in row) + "\n" for row in rows)


def _csv_cell(value: Any, for_spreadsheets: bool) -> str:
    """A value as RFC 4180 has it: in quotes if it has a comma, a quote, a carriage return or a line end."""
    text = "" if value is None else str(value)
    if for_spreadsheets and isinstance(value, str) and text.startswith(_FORMULAS):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\r\n') else text


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


def _json_lines(table: Table) -> str:
    about = {"table": table.name, "signature": table.signature}
    return "".join(json_text(about | record) + "\n" for record in table.records())


def write_json(content: object) -> str:
    """JSON at full precision, without escaped characters."""
    return json_text(content, indent=1) + "\n"


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
    return "\n".join([printable(table.title), line(header), rule, *map(line, body), printable(table.signature)]) + "\n"


def _tsv(table: Table) -> str:
    lines = [printable(f"# {table.title} · {table.signature}"), "\t".join(table.names)]
    lines += ["\t".join("" if value is None else str(value) for value in row) for row in table.rows]
    return "\n".join(lines) + "\n"


def _markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    header, body, left = table.for_people()
    rows = [line(header), line(["---" if to_left else "---:" for to_left in left]), *map(line, body)]
    return "\n".join([f"**{printable(table.title)}**", "", *rows, "", f"`{printable(table.signature)}`"]) + "\n"


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


def _latex(table: Table, label: str) -> str:
    """A table for the booktabs package: the best of what is compared is bold, and a comment has the signature."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(cells) + r" \\"

    header, body, left = table.for_people()
    cells = [
        [rf"\textbf{{{latex(cell)}}}" if is_best else latex(cell) for cell, is_best in zip(row, best, strict=True)]
        for row, best in zip(body, table.best(), strict=True)
    ]
    columns = "".join("l" if to_left else "r" for to_left in left)
    lines = [f"% {printable(table.signature)}", r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{columns}}}"]
    lines += [r"\toprule", line([latex(name) for name in header]), r"\midrule", *map(line, cells), r"\bottomrule"]
    lines += [r"\end{tabular}", rf"\caption{{{latex(printable(table.title))}}}", rf"\label{{tab:{label}}}"]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _latex_labels(tables: Sequence[Table]) -> list[str]:
    """A label for each table, from its name or its title; a second table of the same name gets a number."""
    labels: list[str] = []
    for table in tables:
        name = re.sub(r"[^a-z0-9]+", "-", (table.name or table.title).lower()).strip("-") or "table"
        times = sum(re.fullmatch(rf"{name}(-\d+)?", label) is not None for label in labels)
        labels.append(f"{name}-{times + 1}" if times else name)
    return labels
