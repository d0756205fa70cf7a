"""The index of a study: one HTML file that shows its tables and figures, with links to its files.

The template escapes the content and the names of the files, pictures are images that run no script, and the page
has no script and loads nothing.
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

from treegauge.reports.html_file import rendered, settings_list
from treegauge.version import __version__
from treegauge.wording import counted

METHODS = {
    "model build": "A reference model counts how often each feature of an arc occurs in the reference, and learns "
    "weights for choosing heads and relations.",
    "judge": "Arcs of the parser's output are ranked by each scorer. An arc is right if gold has the same head and "
    "universal relation. The tables give the errors among the worst 10, 20 and 30 % of the arcs, ROC-AUC and average "
    "precision with 95 % intervals over resampled sentences, and LAS of top lists and groups (Dell'Orletta, Venturi "
    "and Montemagni 2013).",
    "eval": "Words are aligned by their characters and scored as in the CoNLL 2018 shared task.",
    "challenge": "Sentences were chosen by the bins of their arcs in the ranking by LISCA.",
    "difficulty types": "Relation types are ranked by labelled F-score, by the mean LISCA score of their arcs in gold "
    "and in the parser's output, and by mean length in gold; rankings are compared by Spearman's ρ (Alzetta et al. "
    "2020, §4). A type is called hard in a language if it is among the hardest third by F-score.",
    "difficulty bins": "Arcs are ranked by LISCA and cut into ten equal bins; bin 1 holds the most plausible arcs "
    "(Alzetta et al. 2020, §5).",
    "typology": "For each relation, without root arcs and punctuation: the share of arcs whose head follows, the mean "
    "arc length, and the entropy of direction and of place, with 95 % percentile intervals over resampled sentences. "
    "Arcs of a relation are ranked by LISCA and cut into bins. The distance of two languages is the mean difference of "
    "the shares of arcs whose head follows, by relation and tags, weighted by frequency. Languages are clustered by "
    "average linkage; support is the share of bootstrap samples of sentences that have the cluster.",
    "bits": "A learner goes through the treebank once in random order and predicts head and relation of each word "
    "before it learns from the sentence; bits per arc are the mean −log2 of the probability of the arc (prequential "
    "code length, Dawid 1984).",
    "agreement": "Agreement on heads, relations and tags is given as shares of words, as Cohen's κ (mean of pairs), "
    "Fleiss' κ and Krippendorff's α. The α of trees uses the squared edit distance of whole dependency trees "
    "(Skjærholt 2014). Intervals are at 95 %, over resampled sentences.",
}


def method_of(args: Sequence[str]) -> str:
    """A text on how a command computes, with the version; empty for a command that computes nothing."""
    text = METHODS.get(" ".join(args[:2])) or METHODS.get(args[0])
    return f"{text} Computed with treegauge {__version__}." if text else ""


MOST_ROWS = 200  # rows of a table that the page shows
LARGEST = 4 << 20  # the most bytes of a file that the page shows; a larger file is only linked
PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}
TEXTS = (".txt", ".md", ".tex")

_OUTPUT = re.compile("(o|output|format|beside|figure.*)$")

Cell = tuple[str, bool]  # a text, and whether it is a number


@dataclass(frozen=True, slots=True)
class StudyPart:
    """One command of a study and the files that it wrote."""

    name: str
    args: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a file as the page shows it."""

    title: str
    signature: str
    names: list[Cell]  # each with whether its column has only numbers
    rows: list[list[Cell]]
    more: str  # a text about the rows that are left out


def study_html(title: str, parts: Sequence[StudyPart], folder: str) -> str:
    """The index page of a study in a folder; it reads every file of the parts."""
    sections = [_part(part, folder) for part in parts]
    files = [file for section in sections for file in section["files"]]
    tables, pictures = sum(len(file["tables"]) for file in files), sum(file["is_figure"] for file in files)
    size = f"{counted(len(parts), 'step')}, {counted(tables, 'table')}, {counted(pictures, 'figure')}"
    return rendered("study.html", "look.css", title=title, parts=sections, size=size)


def _part(part: StudyPart, folder: str) -> dict[str, Any]:
    files = [_file(path, folder, main=k == 0) for k, path in enumerate(part.files)]
    signatures = dict.fromkeys(
        text for file in files for table in file["tables"] for text in table.signature.split(" ; ") if text
    )
    return {
        "name": part.name,
        "method": method_of(part.args),
        "command": f"treegauge {shlex.join(part.args)}",
        "options": _options(part.args),
        "files": files,
        "settings": list(map(settings_list, signatures)),
    }


def _options(args: Sequence[str]) -> list[tuple[str, str]]:
    """The arguments of a command as names and values, without those of its output; a flag has the value yes."""
    words = list(takewhile(str.isalpha, args))
    options: list[tuple[str, list[str]]] = [("input", [])]
    for arg in args[len(words) :]:
        if re.match(r"--?[a-z]", arg):
            options.append((arg.lstrip("-"), []))
        else:
            options[-1][1].append(arg)
    pairs = [
        (name.capitalize().replace("-", " "), ", ".join(values) or "yes")
        for name, values in options
        if (values or name != "input") and not _OUTPUT.match(name)
    ]
    return [("Command", " ".join(words)), *pairs]


def _file(path: str, folder: str, *, main: bool) -> dict[str, Any]:
    """A file for the page; only the main file is shown as text: the others say the same in another format."""
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
        "is_figure": ending in PICTURES or ending == ".pdf",
        "tables": tables,
        "picture": f"data:{PICTURES[ending]};base64,{base64.b64encode(content).decode()}" if picture else "",
        "text": text if ending in TEXTS and main else "",
    }


def _tsv_tables(text: str) -> list[PageTable]:
    """The tables of a TSV file, each below a line `# title · signature` and a line of names."""
    tables = []
    for block in re.split(r"^(?=# .* · )", text, flags=re.MULTILINE):
        heading, *lines = block.rstrip("\n").split("\n")
        if heading.startswith("# ") and lines:
            title, _, signature = heading[2:].rpartition(" · ")
            names, *rows = (line.split("\t") for line in lines)
            tables.append(_page_table(title, signature, names, rows))
    return tables


def _json_tables(text: str) -> list[PageTable]:
    """The tables of a JSON file: title, signature and rows, further tables under `more`; none in other files."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return []
    others = content.get("more") if isinstance(content, dict) else None
    tables = []
    for table in filter(_is_table, [content, *(others if isinstance(others, list) else [])]):
        names = list(dict.fromkeys(name for row in table["rows"] for name in row))
        rows = [["" if row.get(name) is None else str(row[name]) for name in names] for row in table["rows"]]
        tables.append(_page_table(str(table.get("title", "")), str(table.get("signature", "")), names, rows))
    return tables


def _is_table(content: Any) -> bool:
    rows = content.get("rows") if isinstance(content, dict) else None
    return isinstance(rows, list) and all(isinstance(row, dict) for row in rows)


def _page_table(title: str, signature: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> PageTable:
    cells = [[_cell(value) for value in row] for row in rows[:MOST_ROWS]]
    columns = list(zip_longest(*cells, fillvalue=("", True)))
    numbers = [all(is_number for _, is_number in column) for column in columns] or [True] * len(names)
    heads = [(name.replace("_", " "), kind) for name, kind in zip(names, numbers, strict=False)]
    more = counted(len(rows) - MOST_ROWS, "more row") if len(rows) > MOST_ROWS else ""
    return PageTable(title, signature, heads, cells, more)


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
