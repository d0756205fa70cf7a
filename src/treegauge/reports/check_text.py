"""The findings of a check as text: patterns as a table, then each finding drawn over its sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.reports.arc_text import Style, draw_arc, lay_out, plain
from treegauge.upkeep.codes import ARCS, KINDS, TAG
from treegauge.upkeep.findings import Findings
from treegauge.upkeep.patterns import Pattern, place
from treegauge.wording import chance, counted, printable


def findings_text(findings: Findings, top: int, patterns: int, width: int, style: Style = plain) -> str:
    """The first patterns and the first findings."""
    counts = f"{counted(len(findings), 'finding')}, {counted(len(findings.patterns), 'pattern')}"
    parts = [f"{printable(findings.corpus.path)}: {counts}\n"]
    if findings.patterns and patterns:
        parts.append("Patterns: arcs in doubt that share something, and what they would rather be\n")
        parts += [_pattern(findings.corpus, k, pattern) for k, pattern in enumerate(findings.patterns[:patterns], 1)]
        parts.append("")
    if len(findings) and top:
        parts.append("Findings: the most suspicious first\n")
        parts += _drawn(findings[:top], width, style)
    return "\n".join(parts)


def _pattern(corpus: Corpus, k: int, pattern: Pattern) -> str:
    """A pattern in lines: how often it has each relation, the arcs in doubt, and an example of each relation."""
    is_other = pattern.rather != pattern.relation
    other = f", {pattern.rather} {counted(pattern.n_rather, 'time')}" if pattern.n_rather and is_other else ""
    times, arcs = counted(pattern.n_relation, "time"), counted(len(pattern.rows), "arc")
    doubt = f"{arcs} in doubt, rather {pattern.change} ({pattern.doubt:.2f})"
    lines = [
        f"{k:>3}. {pattern.text}: {pattern.relation} {times}{other}; {doubt}",
        f"     {pattern.relation}: {_example(corpus, pattern.rows)}",
    ]
    if len(pattern.other_rows) and is_other:
        lines.append(f"     {pattern.rather}: {_example(corpus, pattern.other_rows)}")
    return "\n".join(map(printable, [*lines, f"     {pattern.grew}"]))


def _example(corpus: Corpus, rows: np.ndarray) -> str:
    """The words from a word to its head, with one word on either side, and the place of the sentence."""
    row = int(rows[0])
    s = int(corpus.sentence[row])
    head = int(corpus.head_row[row])
    low, high = min(row, head if head >= 0 else row), max(row, head)
    low, high = max(low - 1, int(corpus.start[s])), min(high + 2, int(corpus.start[s + 1]))
    words = [corpus.value("form", w) for w in range(low, high)]
    text = " ".join(words if len(words) <= 12 else [*words[:6], "…", *words[-5:]])
    return f"{text} ({place(corpus, rows)})"


def _drawn(findings: Findings, width: int, style: Style) -> Iterator[str]:
    """Each finding: a title, the arc or tag over its sentence, and the details."""
    corpus = findings.corpus
    for k, record in enumerate(findings.records()):
        row = int(findings.row[k])
        probability = "" if record["probability"] is None else f" · probability {chance(record['probability'])}"
        title = (
            f"{k + 1} · {record['code']} {KINDS[record['code']].name}{probability} · {record['file']}:"
            f"{record['line']} · {corpus.place(int(corpus.sentence[row]))}, word {record['id']}"
        )
        if record["code"] in ARCS:
            above, words = draw_arc(corpus, row, width - 4, style)
        else:
            above, words = _marked(corpus, row, record["value"] or corpus.value("upos", row), width - 4, style)
        lines = [style(printable(title), "title"), f"    {above}", f"    {words}"]
        lines += [f"      - {printable(line)}" for line in details(findings, k)]
        yield "\n".join(lines) + "\n"


def _marked(corpus: Corpus, row: int, value: str, width: int, style: Style) -> tuple[str, str]:
    """A value of a word with an arrow on the word, and the line of words that stands below it."""
    s, at = int(corpus.sentence[row]), int(corpus.position[row]) - 1
    words = lay_out(corpus.forms(s), (at,), width)
    return " " * words.column[at] + style(printable(f"▼ {value}"), "arc"), words.text


def details(findings: Findings, k: int) -> list[str]:
    """The lines below a finding: the suggestion, the likelier tag, what other parses have, or what is wrong."""
    corpus, row, head = findings.corpus, int(findings.row[k]), int(findings.other_head[k])
    lines = [findings.message[k]] if findings.message[k] else []
    if findings.other_value[k]:
        probability = chance(float(findings.other_probability[k]))
        lines.append(f"{findings.value[k]}, rather {findings.other_value[k]} (probability {probability})")
    if head >= 0:
        form = corpus.forms(int(corpus.sentence[row]))[head - 1] if head else ""
        other = (
            f"{findings.other_deprel[k]} of '{form}' (word {head})" if head else f"{findings.other_deprel[k]}, the root"
        )
        lines.append(f"rather {other}: probability {chance(float(findings.other_probability[k]))}")
    if findings.other_upos[k]:
        probability = (
            f" (probability {chance(float(findings.other_probability[k]))})" if findings.code[k] == TAG else ""
        )
        lines.append(f"tagged {corpus.value('upos', row)}, rather {findings.other_upos[k]}{probability}")
    if findings.code[k] in ARCS and findings.scorer.agreement is not None:
        lines.append(findings.scorer.agreement.opinions(corpus).said(row))
    return lines
