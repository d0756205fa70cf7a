"""The text of two versions of a treebank: the tables cut to their first rows, and drawings of the changes."""

from __future__ import annotations

from dataclasses import replace

from treegauge.ranking.units import Unit
from treegauge.reports.arc_text import UNDER, draw, lay_out
from treegauge.reports.table_text import write_tables
from treegauge.reports.two_arcs import INDENT, WIDTH, DrawnArc, draw_arcs
from treegauge.tables import Table
from treegauge.upkeep.diff import Change, TreebankDiff
from treegauge.wording import chance, counted, printable


def diff_text(diff: TreebankDiff, top: int) -> str:
    """Summary, relation pairs, tags and patterns, at most `top` rows each, and the first `top` changes drawn."""
    parts = [write_tables(shown_tables(diff, top), "text")]
    if diff.changes:
        parts.append(f"{heading(diff, top)}\n")
    parts += [drawn_change(diff, change) for change in diff.changes[:top]]
    return "\n".join(parts)


def shown_tables(diff: TreebankDiff, top: int) -> list[Table]:
    """The tables that people see; empty ones are left out."""
    others = (diff.relation_pairs(), diff.tag_pairs(), diff.value_pairs(), diff.pattern_table())
    return [diff.summary(), *(_first(table, top) for table in others if table.rows)]


def _first(table: Table, top: int) -> Table:
    if len(table.rows) <= top:
        return table
    return replace(table, title=f"{table.title} (the first {top:,} of {len(table.rows):,})", rows=table.rows[:top])


def heading(diff: TreebankDiff, top: int) -> str:
    """The heading of the drawings: how many changes follow, and in which order."""
    order = "those that made it worse first" if diff.plausibility else "in the order of the corpus"
    shown = min(top, len(diff.changes))
    return f"{shown:,} of {counted(len(diff.changes), 'change')}, {order}"


def drawn_change(diff: TreebankDiff, change: Change) -> str:
    """A change in lines of text: its place, the old and the new annotation, a drawing, and how plausible both are."""
    old, new = diff.versions.old, diff.versions.new
    if change.what == Unit.ARC:
        now = DrawnArc("new", new, change.row, new.value("deprel", change.row))
        drawn = draw_arcs(now, DrawnArc("old", old, change.old_row, old.value("deprel", change.old_row)))
    else:
        drawn = _drawn_value(diff, change)
    odds_text = odds(change)
    return f"{place(diff, change)}: {drawn}" + (f"{INDENT}{odds_text}\n" if odds_text else "")


def _drawn_value(diff: TreebankDiff, change: Change) -> str:
    new = diff.versions.new
    s = int(new.sentence[change.row])
    forms, word = new.forms(s), change.row - int(new.start[s])
    values = f"{diff.value(change, new=False)} → {diff.value(change, new=True)}"
    line = lay_out(forms, (word,), WIDTH)
    title = f"{new.place(s)}, word {word + 1} {forms[word]!r}: {change.what} {values}"
    return "\n".join([printable(title), INDENT + line.text, INDENT + draw(line, word, -1, values, UNDER)]) + "\n"


def place(diff: TreebankDiff, change: Change) -> str:
    """File and line of a change in NEW."""
    new = diff.versions.new
    return printable(f"{new.files[new.file[new.sentence[change.row]]]}:{new.line_number(change.row)}")


def odds(change: Change) -> str:
    """The probabilities before and after, and which is better; empty if they are not known."""
    if change.before != change.before or change.after != change.after:
        return ""
    verdict = "worse" if change.is_worse else "better" if change.after > change.before else "the same"
    return f"probability {chance(change.before)} before, {chance(change.after)} after: {verdict}"
