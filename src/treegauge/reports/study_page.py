"""The index of a study: one HTML file that shows its tables and figures and leads to its files.

What the files hold, and their names, are data: the template escapes them, pictures are images that run no script, and
the page has no script and loads nothing.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from typing import Any
from urllib.parse import quote

from treegauge.reports.html_file import rendered
from treegauge.reports.methods import method_of
from treegauge.reports.settings_list import settings_list
from treegauge.wording import counted

MOST_ROWS = 200  # of a table that are shown
LARGEST = 4 << 20  # bytes of a file that is shown; a larger one is only linked
PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}
TEXTS = (".txt", ".md", ".tex")

_OUTPUT = re.compile("(o|output|format|beside|figure.*)$")

Cell = tuple[str, bool]  # what is shown, and whether it is a number


@dataclass(frozen=True, slots=True)
class StudyPart:
    """One command of a study and the files that it wrote."""

    name: str
    args: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table as a file has it."""

    title: str
    signature: str
    names: list[Cell]  # each with whether its column holds numbers
    rows: list[list[Cell]]
    more: str  # what is left out, in words


def study_html(title: str, parts: Sequence[StudyPart], folder: str) -> str:
    """The index page of a study in a folder; every file is read again, as it is."""
    shown = [_part(part, folder) for part in parts]
    tables = sum(len(file["tables"]) for part in shown for file in part["files"])
    pictures = sum(file["kind"] == "figure" for part in shown for file in part["files"])
    size = f"{counted(len(parts), 'step')}, {counted(tables, 'table')}, {counted(pictures, 'figure')}"
    return rendered("study.html", "look.css", title=title, parts=shown, size=size)


def _part(part: StudyPart, folder: str) -> dict[str, Any]:
    files = [_file(path, folder, main=k == 0) for k, path in enumerate(part.files)]
    signatures = dict.fromkeys(
        one for file in files for table in file["tables"] for one in table.signature.split(" ; ") if one
    )
    return {
        "name": part.name,
        "method": method_of(part.args),
        "command": f"treegauge {shlex.join(part.args)}",
        "options": _options(part.args),
        "files": files,
        "settings": [settings_list(one) for one in signatures],
    }


def _options(args: Sequence[str]) -> list[tuple[str, str]]:
    """The arguments of a command as names and values, but for those that name its output; a flag has the value yes."""
    words = list(takewhile(str.isalpha, args))
    found: list[tuple[str, list[str]]] = [("input", [])]
    for arg in args[len(words) :]:
        if re.match(r"--?[a-z]", arg):
            found.append((arg.lstrip("-"), []))
        else:
            found[-1][1].append(arg)
    shown = [(name, ", ".join(values) or "yes") for name, values in found if values or name != "input"]
    told = [(name.capitalize().replace("-", " "), value) for name, value in shown if not _OUTPUT.match(name)]
    return [("Command", " ".join(words)), *told]


def _file(path: str, folder: str, *, main: bool) -> dict[str, Any]:
    """What the page has of a file; texts are shown only of the main one: others say the same in another format."""
    name = os.path.relpath(path, folder).replace(os.sep, "/")
    size, ending = os.path.getsize(path), os.path.splitext(path)[1]
    content = b""
    if size <= LARGEST and ending in (*PICTURES, *TEXTS, ".tsv", ".json"):
        with open(path, "rb") as stream:
            content = stream.read()
    text = "" if ending in PICTURES else content.decode(errors="replace")
    tables = {".tsv": _tsv_tables, ".json": _json_tables}.get(ending, lambda text: [])(text)
    picture = ending in PICTURES and content
    return {
        "name": name,
        "link": "./" + quote(name),
        "size": f"{max(round(size / 1000), 1):,} kB",
        "kind": "figure" if ending in PICTURES or ending == ".pdf" else "other",
        "tables": tables,
        "picture": f"data:{PICTURES[ending]};base64,{base64.b64encode(content).decode()}" if picture else "",
        "text": text if ending in TEXTS and main else "",
    }


def _tsv_tables(text: str) -> list[ShownTable]:
    """The tables of a TSV file, each below a line `# title · signature` and a line of names."""
    found = []
    for block in re.split(r"^(?=# .* · )", text, flags=re.MULTILINE):
        heading, *lines = block.rstrip("\n").split("\n")
        if heading.startswith("# ") and lines:
            title, _, signature = heading[2:].rpartition(" · ")
            names, *rows = (line.split("\t") for line in lines)
            found.append(_shown(title, signature, names, rows))
    return found


def _json_tables(text: str) -> list[ShownTable]:
    """The tables of a JSON file: title, signature and rows, others under `more`; none in another file."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return []
    others = content.get("more") if isinstance(content, dict) else None
    found = []
    for table in [content, *(others if isinstance(others, list) else [])]:
        if not _is_table(table):
            continue
        names = list(dict.fromkeys(name for row in table["rows"] for name in row))
        rows = [["" if row.get(name) is None else str(row[name]) for name in names] for row in table["rows"]]
        found.append(_shown(str(table.get("title", "")), str(table.get("signature", "")), names, rows))
    return found


def _is_table(content: Any) -> bool:
    rows = content.get("rows") if isinstance(content, dict) else None
    return isinstance(rows, list) and all(isinstance(row, dict) for row in rows)


def _shown(title: str, signature: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> ShownTable:
    cells = [[_cell(value) for value in row] for row in rows[:MOST_ROWS]]
    columns = list(zip_longest(*cells, fillvalue=("", True)))
    numbers = [all(is_number for _, is_number in column) for column in columns] or [True] * len(names)
    heads = [(name.replace("_", " "), kind) for name, kind in zip(names, numbers, strict=False)]
    more = counted(len(rows) - MOST_ROWS, "more row") if len(rows) > MOST_ROWS else ""
    return ShownTable(title, signature, heads, cells, more)


def _cell(value: str) -> Cell:
    """A value as people read it: four decimals, no exponent."""
    if value == "":
        return "–", True
    if re.fullmatch(r"-?\d+", value):
        return value.replace("-", "−"), True
    if not re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", value):
        return value, False
    if 0 < abs(float(value)) < 0.0001:
        return "below 0.0001" if float(value) > 0 else "0.0000", True
    return f"{float(value):,.4f}".replace("-", "−"), True
