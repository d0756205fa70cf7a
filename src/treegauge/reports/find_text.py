"""Matches of a request as text, each drawn over its sentence; as CoNLL-U; and as a page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from rich.cells import cell_len

from treegauge.corpus.tree_svg import tree_svg
from treegauge.corpus.writing import with_comment
from treegauge.palette import VARIABLES
from treegauge.reports.arc_text import Style, draw, lay_out, plain
from treegauge.reports.drawings_page import drawings_page
from treegauge.tables import Table
from treegauge.upkeep.corrections import OTHERS, Correction
from treegauge.upkeep.search.find import Matches, MatchList
from treegauge.wording import chance, counted, printable

INDENT = "    "


def matches_text(matches: MatchList, total: int, width: int, style: Style = plain) -> str:
    """Each match: its place and nodes, and its arcs drawn over its sentence."""
    parts = [f"{counted(total, 'match')}\n"]
    for rank, (found, k) in enumerate(matches, 1):
        parts.append(
            "\n".join([style(printable(f"{rank} · {_title(found, k)}"), "title"), *_drawn(found, k, width, style), ""])
        )
    return "\n".join(parts)


def _place(found: Matches, k: int) -> str:
    """The probability of a match, if it has one; file, line and sentence."""
    corpus, s = found.corpus, int(found.sentence[k])
    line = corpus.line_number(found.words[k][0]) if found.words[k] else int(corpus.first_line[s])
    place = f"{corpus.files[corpus.file[s]]}:{line} · {corpus.place(s)}"
    return place if found.log_prob is None else f"probability {chance(float(_p(found, k)))} · {place}"


def _p(found: Matches, k: int) -> float:
    assert found.log_prob is not None
    return math.exp(found.log_prob[k])


def _title(found: Matches, k: int) -> str:
    corpus = found.corpus
    nodes = [
        f"{name} = {corpus.value('form', row)} ({corpus.position[row]})" if row >= 0 else f"{name} = root"
        for name, row in zip(found.names, found.nodes[k].tolist(), strict=True)
    ]
    return " · ".join([_place(found, k), *([", ".join(nodes)] if nodes else [])])


def _drawn(found: Matches, k: int, width: int, style: Style) -> list[str]:
    """The arcs of a match, the names of its nodes, and the words."""
    corpus, s = found.corpus, int(found.sentence[k])
    first = int(corpus.start[s])
    rows = [row for row in found.nodes[k].tolist() if row >= 0]
    arcs = [row for row in dict.fromkeys(found.dependents[k].tolist()) if row >= 0]
    ends = {row - first for row in [*rows, *arcs]} | {int(corpus.head[row]) - 1 for row in arcs}
    near = [place for place in ends if place >= 0]
    line = lay_out(corpus.forms(s), near or range(len(corpus.forms(s)))[:8], width - len(INDENT))
    lines = [
        draw(line, row - first, int(corpus.head[row]) - 1, corpus.value("deprel", row))
        for row in sorted(arcs, key=lambda row: -abs(int(corpus.head_row[row]) - row))
    ]
    return [f"{INDENT}{style(text, 'arc')}" for text in [*lines, *_names(found, k, line.column)]] + [INDENT + line.text]


def _names(found: Matches, k: int, column: dict[int, int]) -> list[str]:
    """The names of the nodes above their words."""
    first, text = int(found.corpus.start[found.sentence[k]]), ""
    placed = sorted((row, name) for name, row in zip(found.names, found.nodes[k].tolist(), strict=True) if row >= 0)
    for row, name in placed:
        at = max(column[row - first], cell_len(text) + bool(text))
        text += " " * (at - cell_len(text)) + name
    return [text] if text else []


def matches_conllu(matches: MatchList) -> bytes:
    """The sentences of the matches, each once, with `# highlight tokens` for the words of all its matches."""
    chosen: dict[int, set[int]] = {}
    of_part = {id(part): place for place, part in enumerate(matches.parts)}
    for found, k in matches:
        chosen.setdefault(of_part[id(found)], set()).add(k)
    parts = []
    for place, rows in sorted(chosen.items()):
        found = matches.parts[place][np.array(sorted(rows))].compact()
        corpus, tokens = found.corpus, dict[int, set[int]]()
        for s, words in zip(found.sentence.tolist(), found.words, strict=True):
            tokens.setdefault(s, set()).update(int(corpus.position[row]) for row in words)
        lines = {s: " ".join(map(str, sorted(ids))) for s, ids in tokens.items() if ids}
        parts.append(with_comment(corpus, corpus.text.tobytes(), "highlight tokens", lines))
    return b"".join(parts)


def matches_page(matches: MatchList, total: int, title: str) -> str:
    """The matches as a page of drawings: words of a match are bold, and its arcs are in colour."""
    drawings = []
    for rank, (found, k) in enumerate(matches, 1):
        arcs = [row for row in found.dependents[k].tolist() if row >= 0]
        drawing = tree_svg(found.corpus, int(found.sentence[k]), palette=VARIABLES, match=(found.words[k], arcs))
        drawings.append((printable(f"{rank} · {_title(found, k)}"), drawing))
    shown = "" if len(matches) == total else f", {len(matches):,} of them below"
    notes = [matches.request.text, f"{counted(total, 'match')}{shown} · {matches.signature}"]
    return drawings_page(title, drawings, notes=notes)


def corrections_text(
    made: Sequence[tuple[Matches, int, Correction]], top: int | None, width: int, style: Style = plain
) -> str:
    """Each correction: what the word has, what it would have, and its sentence with the new arc."""
    parts = [f"{counted(len(made), 'correction')}\n"]
    for number, (found, row, correction) in enumerate(made[:top], 1):
        corpus = found.corpus
        s, first = int(corpus.sentence[row]), int(corpus.start[corpus.sentence[row]])
        head, label = correction.arc
        place = f"{corpus.files[corpus.file[s]]}:{corpus.line_number(row)} · {corpus.place(s)}"
        title = f"{number} · {place}, word {correction.id} {correction.form!r}: {'; '.join(changes(correction))}"
        line = lay_out(corpus.forms(s), [w for w in (row - first, head - 1) if w >= 0], width - len(INDENT))
        arc = draw(line, row - first, head - 1, label)
        parts.append("\n".join([style(printable(title), "title"), INDENT + style(arc, "arc"), INDENT + line.text, ""]))
    return "\n".join(parts)


def changes(correction: Correction) -> list[str]:
    """What a correction changes, each `column old → new`."""
    told = [
        f"{name} {getattr(correction, name)} → {getattr(correction, f'new_{name}')}"
        for name in ("head", "deprel", "upos")
        if getattr(correction, f"new_{name}") is not None
    ]
    return told + [f"{name} {old} → {new}" for name, (old, new) in correction.others.items()]


def corrections_table(made: Sequence[tuple[Matches, int, Correction]], of: str) -> Table:
    """The corrections, a row for each column of a word that changes."""
    rows: list[tuple[object, ...]] = []
    for found, row, correction in made:
        s = int(found.corpus.sentence[row])
        place = found.corpus.files[found.corpus.file[s]], correction.sentence, correction.sent_id.replace("\t", " ")
        for name in ("head", "deprel", "upos"):
            if (new := getattr(correction, f"new_{name}")) is not None:
                rows.append((*place, correction.id, correction.form, name, str(getattr(correction, name)), str(new)))
        for name in OTHERS:
            if name in correction.others:
                rows.append((*place, correction.id, correction.form, name, *correction.others[name]))
    names = ("file", "sentence", "sent_id", "id", "form", "column", "old", "new")
    kinds = tuple((name, "count" if name in ("sentence", "id") else "text") for name in names)
    return Table("Corrections", kinds, tuple(rows), of, "corrections")
