"""Result tables: one shape for every command and every result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from treegauge.extras import needed
from treegauge.wording import printable

if TYPE_CHECKING:
    import pandas
    import polars

# kind of column -> how people read its values; machines (TSV, JSON) get them as they are
SHOWN: dict[str, Callable[[Any], str]] = {
    "text": str,
    "count": lambda value: f"{value:,.0f}",
    "percent": lambda value: f"{100 * value:.2f}",
    "change": lambda value: f"{100 * value:+.2f}",
    "p": lambda value: "<0.0001" if 0 < value < 0.0001 else f"{value:.4f}",
    "number": lambda value: f"{value + 0.0:.2f}",
    "interval": lambda value: f"± {value:.2f}",
    "percent_interval": lambda value: f"± {100 * value:.2f}",
}
MISSING = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns, each of a kind of SHOWN, rows of values (None for none), and the settings behind them.

    Percents and changes are fractions; people see them times 100. What is no number (NaN, infinite) becomes None.
    """

    title: str
    columns: tuple[tuple[str, str], ...]  # name, kind
    rows: tuple[tuple[Any, ...], ...]
    signature: str
    name: str = ""  # by which programs tell it from the other tables of a command
    details: frozenset[str] = frozenset()  # columns that only machines get
    headers: Mapping[str, str] = field(default_factory=dict)  # what people read above a column instead of its name
    best_in_row: frozenset[str] = frozenset()  # columns of systems: the highest of their values in a row is the best
    best_in_column: frozenset[str] = frozenset()  # columns of metrics: the highest value of each is the best

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(tuple(map(finite, row)) for row in self.rows))

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [name for name, _ in self.columns]

    def records(self) -> list[dict[str, Any]]:
        """Each row by column name."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Title, signature and rows, as JSON has them; the name where there is one."""
        named = {"name": self.name} if self.name else {}
        return {**named, "title": self.title, "signature": self.signature, "rows": self.records()}

    def labelled(self, name: str, value: str) -> Table:
        """The same with a first column that has one value, for programs: people find it in the title."""
        columns, rows = ((name, "text"), *self.columns), tuple((value, *row) for row in self.rows)
        return replace(self, columns=columns, rows=rows, details=self.details | {name})

    def to_polars(self) -> polars.DataFrame:
        """A polars table of the fractions and counts."""
        polars = needed("polars", "tables", "a polars table")
        columns = {name: [row[k] for row in self.rows] for k, name in enumerate(self.names)}
        return polars.DataFrame(columns, strict=False)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas table of the fractions and counts."""
        pandas = needed("pandas", "pandas", "a pandas table")
        return pandas.DataFrame(self.records(), columns=self.names)

    def best(self) -> list[list[bool]]:
        """Which of the cells that people read are best: the highest of some that differ, and all that look like it."""
        kept = [(k, name, kind) for k, (name, kind) in enumerate(self.columns) if name not in self.details]
        in_row = [k for k, name, kind in kept if name in self.best_in_row and kind != "text"]
        groups = [[(r, k) for k in in_row] for r in range(len(self.rows))]
        groups += [[(r, k) for r in range(len(self.rows))] for k, name, _ in kept if name in self.best_in_column]
        best = set()
        for group in groups:
            values = {(r, k): self.rows[r][k] for r, k in group if self.rows[r][k] is not None}
            shown = {place: SHOWN[self.columns[place[1]][1]](value) for place, value in values.items()}
            if len(set(shown.values())) > 1:
                highest = shown[max(values, key=values.__getitem__)]
                best |= {place for place, text in shown.items() if text == highest}
        return [[(r, k) in best for k, _, _ in kept] for r in range(len(self.rows))]

    def for_people(self) -> tuple[list[str], list[list[str]], list[bool]]:
        """Header, cells as people read them, and which columns are set to the left; without the details."""
        kept = [(k, name, kind) for k, (name, kind) in enumerate(self.columns) if name not in self.details]
        header = [printable(self.headers.get(name, name)) for _, name, _ in kept]
        cells = [
            [MISSING if row[k] is None else printable(SHOWN[kind](row[k])) for k, _, kind in kept] for row in self.rows
        ]
        return header, cells, [kind == "text" for _, _, kind in kept]

    def __repr__(self) -> str:
        return f"Table({self.title!r}, {len(self.rows)} rows, columns {', '.join(self.names)})"

    def _repr_html_(self) -> str:
        header, cells, _ = self.for_people()
        return html_table(header, cells, f"{self.title} · {self.signature}")


def stacked(tables: Iterable[Table]) -> list[Table]:
    """Tables of the same name and columns as one table, with the rows of all of them and the first one's title."""
    groups: dict[tuple[object, ...], list[Table]] = {}
    for table in tables:
        groups.setdefault((table.name, table.columns), []).append(table)
    return [
        replace(first, rows=first.rows + tuple(r for t in rest for r in t.rows)) for first, *rest in groups.values()
    ]


MOST_ROWS = 20  # rows of a table in a notebook


def html_table(header: Sequence[str], cells: Iterable[Sequence[str]], caption: str = "", of: int = 0) -> str:
    """A table as a notebook shows it: MOST_ROWS rows, and how many more there are; of: how many there are in all."""
    import html

    cells = list(cells)
    left = max(len(cells), of) - min(len(cells), MOST_ROWS)
    more = f"<p>… {left:,} more</p>" if left else ""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in cells[:MOST_ROWS]
    )
    above = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def column_kinds(text: str) -> tuple[tuple[str, str], ...]:
    """Columns from `name kind, name kind, …`; the last word is the kind."""
    return tuple((name, kind) for name, _, kind in (part.strip().rpartition(" ") for part in text.split(",")))


def finite(value: Any) -> Any:
    """The value, or None for what JSON has no number for: NaN, and the logarithm of a product of 0."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Tabular:
    """A result that is shown and converted as its table."""

    __slots__ = ()

    def __repr__(self) -> str:
        table = self.table()
        return f"{type(self).__name__}({table.title!r}, {len(table.rows)} rows)"

    def table(self) -> Table:
        """The result as a table."""
        raise NotImplementedError

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars data frame."""
        return self.table().to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame."""
        return self.table().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Title, signature and rows."""
        return self.table().to_dict()

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
