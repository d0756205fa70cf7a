"""The findings of a check as text: patterns as a table, then each finding drawn over its sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.reports.arc_text import Style, draw_arc, lay_out, plain
from treegauge.upkeep.findings import Findings
from treegauge.upkeep.patterns import Pattern, place
from treegauge.wording import chance, counted


def findings_text(found: Findings, top: int, patterns: int, width: int, style: Style = plain) -> str:
    """The first patterns and the first findings."""
    parts = [f"{found.corpus.path}: {counted(len(found), 'finding')}, {counted(len(found.patterns), 'pattern')}\n"]
    if found.patterns and patterns:
        parts.append("Patterns: arcs in doubt that share something, and what they would rather be\n")
        parts += [_pattern(found.corpus, k, one) for k, one in enumerate(found.patterns[:patterns], 1)]
        parts.append("")
    if len(found) and top:
        parts.append("Findings: the most suspicious first\n")
        parts += _drawn(found[:top], width, style)
    return "\n".join(parts)


def _pattern(corpus: Corpus, k: int, one: Pattern) -> str:
    other = f", {one.rather} {counted(one.n_rather, 'time')}" if one.n_rather and one.rather != one.relation else ""
    lines = [
        f"{k:>3}. {one.text}: {one.relation} {counted(one.n_relation, 'time')}{other}; {counted(len(one.rows), 'arc')} "
        f"in doubt, rather {one.change} ({one.doubt:.2f})",
        f"     {one.relation}: {_example(corpus, one.rows)}",
    ]
    if len(one.other_rows) and one.rather != one.relation:
        lines.append(f"     {one.rather}: {_example(corpus, one.other_rows)}")
    return "\n".join([*lines, f"     {one.grew}"])


def _example(corpus: Corpus, rows: np.ndarray) -> str:
    """The words between a word and its head, or around it, and where they are."""
    row = int(rows[0])
    s = int(corpus.sentence[row])
    head = int(corpus.head_row[row])
    low, high = min(row, head if head >= 0 else row), max(row, head)
    low, high = max(low - 1, int(corpus.start[s])), min(high + 2, int(corpus.start[s + 1]))
    words = [corpus.value("form", w) for w in range(low, high)]
    text = " ".join(words if len(words) <= 12 else [*words[:6], "…", *words[-5:]])
    return f"{text} ({place(corpus, rows)})"


def _drawn(found: Findings, width: int, style: Style) -> Iterator[str]:
    corpus = found.corpus
    for k, record in enumerate(found.records()):
        row = int(found.row[k])
        title = (
            f"{k + 1} · {record['what']} · probability {chance(record['probability'])} · {record['file']}:"
            f"{record['line']} · {corpus.place(int(corpus.sentence[row]))}, word {record['id']}"
        )
        above, words = (_tag if found.is_tag[k] else draw_arc)(corpus, row, width - 4, style)
        lines = [style(title, "title"), f"    {above}", f"    {words}"]
        lines += [f"      - {line}" for line in said(found, k, found.invalid_at(k))]
        yield "\n".join(lines) + "\n"


def _tag(corpus: Corpus, row: int, width: int, style: Style) -> tuple[str, str]:
    s, at = int(corpus.sentence[row]), int(corpus.position[row]) - 1
    words = lay_out(corpus.forms(s), (at,), width)
    return " " * words.column[at] + style(f"▼ {corpus.value('upos', row)}", "arc"), words.text


def said(found: Findings, k: int, invalid: Sequence[str] = ()) -> list[str]:
    """What is said of a finding, a line each: the suggestion, the tag, other parses, and what the validator says."""
    corpus, row, head = found.corpus, int(found.row[k]), int(found.other_head[k])
    lines = []
    if head >= 0:
        form = corpus.forms(int(corpus.sentence[row]))[head - 1] if head else ""
        other = f"{found.other_deprel[k]} of '{form}' (word {head})" if head else f"{found.other_deprel[k]}, the root"
        lines.append(f"rather {other}: probability {chance(float(found.other_probability[k]))}")
    if found.other_upos[k]:
        probability = f" (probability {chance(float(found.other_probability[k]))})" if found.is_tag[k] else ""
        lines.append(f"tagged {corpus.value('upos', row)}, rather {found.other_upos[k]}{probability}")
    if not found.is_tag[k] and found.scorer.agreement is not None:
        lines.append(found.scorer.agreement.opinions(corpus).said(row))
    return [*lines, *invalid]
