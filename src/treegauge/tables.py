"""Result tables, and their five written forms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treegauge.errors import OptionError

if TYPE_CHECKING:
    import pandas
    import polars

FORMATS = ("text", "tsv", "json", "markdown", "latex")

# kind of column -> how people read its values; machines (TSV, JSON) get them as they are
SHOWN = {
    "text": lambda value: str(value),
    "count": lambda value: f"{value:,}",
    "percent": lambda value: f"{100 * value:.2f}",
    "change": lambda value: f"{100 * value:+.2f}",
    "p": lambda value: f"{value:.4f}",
}
MISSING = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns, each of a kind of SHOWN, rows of values (None for none), and the settings behind them.

    Percents and changes are fractions; people see them times 100.
    """

    title: str
    columns: tuple[tuple[str, str], ...]  # name, kind
    rows: tuple[tuple[Any, ...], ...]
    signature: str

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [name for name, _ in self.columns]

    @property
    def left(self) -> list[bool]:
        """Which columns are set to the left: those of text."""
        return [kind == "text" for _, kind in self.columns]

    def records(self) -> list[dict[str, Any]]:
        """Each row by column name."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Title, signature and rows, as JSON has them."""
        return {"title": self.title, "signature": self.signature, "rows": self.records()}

    def to_polars(self) -> polars.DataFrame:
        """A polars table of the fractions and counts."""
        import polars

        return polars.DataFrame(
            {name: [row[k] for row in self.rows] for k, name in enumerate(self.names)}, strict=False
        )

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas table of the fractions and counts."""
        import pandas

        return pandas.DataFrame(self.records(), columns=self.names)

    def shown(self) -> list[list[str]]:
        """The rows as people read them."""
        return [
            [
                MISSING if value is None else SHOWN[kind](value)
                for value, (_, kind) in zip(row, self.columns, strict=True)
            ]
            for row in self.rows
        ]

    def _repr_html_(self) -> str:
        import html

        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.names)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self.shown()
        )
        caption = html.escape(f"{self.title} · {self.signature}")
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def write_tables(tables: Sequence[Table], form: str) -> str:
    """The tables in one of FORMATS, except JSON, whose shape is the caller's (see `write_json`)."""
    writers = {"text": _text, "tsv": _tsv, "markdown": _markdown, "latex": _latex}
    if form not in writers:
        raise OptionError(f"format {form!r}; expected one of {', '.join(writers)}")
    return "\n".join(writers[form](table) for table in tables)


def write_json(content: object) -> str:
    """JSON at full precision, characters as they are."""
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def text_lines(header: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[bool]) -> list[str]:
    """Aligned columns under a ruled header; those that are `left` are set to the left, the others to the right."""
    from rich.cells import cell_len

    rows = [header, *body]
    width = [max(cell_len(row[k]) for row in rows) for k in range(len(left))]

    def line(row: Sequence[str]) -> str:
        cells = []
        for cell, size, to_left in zip(row, width, left, strict=True):
            gap = " " * (size - cell_len(cell))
            cells.append(cell + gap if to_left else gap + cell)
        return "  ".join(cells).rstrip()

    return [line(header), "─" * (sum(width) + 2 * len(width) - 2), *map(line, body)]


def markdown_lines(header: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[bool]) -> list[str]:
    """The same in Markdown."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return [line(header), line(["---" if to_left else "---:" for to_left in left]), *map(line, body)]


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
    """A text as LaTeX has it."""
    return "".join(_LATEX.get(c, c) for c in text)


def latex_lines(header: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[bool]) -> list[str]:
    """The same in LaTeX, for the booktabs package."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(map(latex, cells)) + r" \\"

    columns = "".join("l" if to_left else "r" for to_left in left)
    begin = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", line(header), r"\midrule"]
    return [*begin, *map(line, body), r"\bottomrule", r"\end{tabular}"]


def _text(table: Table) -> str:
    return "\n".join([table.title, *text_lines(table.names, table.shown(), table.left), table.signature]) + "\n"


def _tsv(table: Table) -> str:
    lines = [f"# {table.title} · {table.signature}", "\t".join(table.names)]
    lines += ["\t".join("" if value is None else str(value) for value in row) for row in table.rows]
    return "\n".join(lines) + "\n"


def _markdown(table: Table) -> str:
    rows = markdown_lines(table.names, table.shown(), table.left)
    return "\n".join([f"**{table.title}**", "", *rows, "", f"`{table.signature}`"]) + "\n"


def _latex(table: Table) -> str:
    caption = latex(f"{table.title} ({table.signature})")
    rows = latex_lines(table.names, table.shown(), table.left)
    return "\n".join([r"\begin{table}", *rows, rf"\caption{{{caption}}}", r"\end{table}"]) + "\n"
