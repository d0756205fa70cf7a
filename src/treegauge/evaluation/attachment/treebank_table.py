"""One table of many treebanks: LAS by group, CLAS, LAS without some relations.

Nivre and Fang (2017), Tables 2 and 3.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from treegauge.corpus.files import read_text
from treegauge.corpus.relations import GROUPS
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.breakdown import left_out_by_default
from treegauge.evaluation.attachment.evaluation import Evaluation, select
from treegauge.tables import Table

CLAS_CHANGE = "CLAS-LAS"


@dataclass(frozen=True, slots=True)
class Pair:
    """Gold and system of one treebank."""

    name: str
    gold: str
    system: str
    family: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: column -> fraction, None if the pair has no such arc."""

    name: str
    family: str
    values: dict[str, float | None]


def read_pairs(path: str | os.PathLike[str]) -> list[Pair]:
    """The pairs in a table with a header, whose columns (name, gold, system; perhaps family) are separated by tabs.

    Paths are relative to the table's folder. Blank lines and lines that start with `#` are ignored.
    """
    name = os.fspath(path)
    lines = read_text(name).split("\n")
    folder = os.path.dirname(name)
    header: list[str] | None = None
    pairs: list[Pair] = []
    for n, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if header is None:
            header = [cell.lower() for cell in cells]
            missing = [column for column in ("name", "gold", "system") if column not in header]
            if missing:
                raise OptionError(
                    f"{name}:{n}: no column {missing[0]!r} in {line!r}; "
                    "expected a header name, gold, system, separated by tabs"
                )
            continue
        if len(cells) != len(header):
            raise OptionError(f"{name}:{n}: {len(cells)} columns in {line!r}; expected {len(header)}, as in the header")
        row = dict(zip(header, cells, strict=True))
        gold, system = (os.path.join(folder, row[column]) for column in ("gold", "system"))
        pairs.append(Pair(row["name"], gold, system, row.get("family", "")))
    if not pairs:
        raise OptionError(f"{name}: no pair; expected a header name, gold, system and a line for each pair")
    return pairs


def row_of(pair: Pair, evaluation: Evaluation) -> Row:
    """LAS, LAS of each group, CLAS, and the change of LAS in CLAS and without some relations.

    These relations are each entry of `left_out_by_default`, and each exclusion of the evaluation.
    """
    las = evaluation["LAS"].f1
    values: dict[str, float | None] = {"LAS": las}
    for group in evaluation.groups:
        if evaluation.groups is not GROUPS or group != "PUNCT":
            score = select(evaluation, [group]).las
            values[group] = score.f1 if score.gold + score.system else None
    values |= {"CLAS": evaluation["CLAS"].f1, CLAS_CHANGE: evaluation["CLAS"].f1 - las}
    entries = [names for names in left_out_by_default(evaluation.groups) if names != ("FUN", "PUNCT")]
    for selection in (*(select(evaluation, names, without=True) for names in entries), *evaluation.selections):
        score = selection.las
        values[selection.name.replace("without ", "-")] = score.f1 - las if score.gold + score.system else None
    return Row(pair.name, pair.family, values)


def treebanks_table(
    rows: Sequence[Row],
    signature: str,
    columns: Sequence[str] | None = None,
    title: str = "LAS by group, and its change without some relations",
) -> Table:
    """One row for each pair, the average of each family with two or more pairs, and the average of all.

    Averages are over the pairs that have a value. columns: which columns, in this order, by default all.
    """
    names = list(rows[0].values if columns is None else columns)
    families = list(dict.fromkeys(row.family for row in rows if row.family))
    kinds = [("treebank", "text"), *((name, "change" if _is_change(name) else "percent") for name in names)]
    if families:
        kinds.insert(1, ("family", "text"))
    body = [_cells(row.name, row.family, [row.values[n] for n in names], families) for row in rows]
    for family in families:
        members = [row for row in rows if row.family == family]
        if len(members) > 1:
            body.append(_average(members, family, names, families))
    body.append(_average(rows, "", names, families))
    return Table(title, tuple(kinds), tuple(body), signature, "treebanks")


def paper_tables(rows: Sequence[Row], signature: str) -> list[Table]:
    """The same as two tables, as in the paper: groups (Table 2), CLAS and functional relations (Table 3)."""
    names = list(rows[0].values)
    relations = [name for name in names if name[1:] in GROUPS["FUN"]]
    third = ["LAS", "CLAS", CLAS_CHANGE, *relations]
    second = [name for name in names if name == "LAS" or name not in third]
    return [
        treebanks_table(rows, signature, second),
        treebanks_table(rows, signature, third, "CLAS, and the change of LAS without a functional relation"),
    ]


def _average(rows: Sequence[Row], family: str, names: Sequence[str], families: Sequence[str]) -> tuple[Any, ...]:
    return _cells("Average", family, [mean(row.values[n] for row in rows) for n in names], families)


def _is_change(column: str) -> bool:
    return column.startswith("-") or column == CLAS_CHANGE


def _cells(name: str, family: str, values: Sequence[float | None], families: Sequence[str]) -> tuple[Any, ...]:
    return (name, family, *values) if families else (name, *values)


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are not None; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
