"""Two versions of a treebank for people: the tables cut to their first rows, and the changes drawn."""

from __future__ import annotations

from dataclasses import replace

from treegauge.ranking.units import Unit
from treegauge.reports.arc_text import UNDER, draw, lay_out
from treegauge.reports.table_text import write_tables
from treegauge.reports.two_arcs import INDENT, WIDTH, DrawnArc, draw_arcs
from treegauge.tables import Table
from treegauge.upkeep.diff import Change, TreebankDiff
from treegauge.wording import chance, counted


def diff_text(found: TreebankDiff, top: int) -> str:
    """Summary, relation pairs, tags and patterns, at most `top` rows each, and the first `top` changes drawn."""
    parts = [write_tables(shown_tables(found, top), "text")]
    if found.changes:
        parts.append(f"{heading(found, top)}\n")
    parts += [drawn_change(found, change) for change in found.changes[:top]]
    return "\n".join(parts)


def shown_tables(found: TreebankDiff, top: int) -> list[Table]:
    """The tables that people see: those that are empty are left out."""
    others = (found.relation_pairs(), found.tag_pairs(), found.pattern_table())
    return [found.summary(), *(_first(table, top) for table in others if table.rows)]


def _first(table: Table, top: int) -> Table:
    if len(table.rows) <= top:
        return table
    return replace(table, title=f"{table.title} (the first {top:,} of {len(table.rows):,})", rows=table.rows[:top])


def heading(found: TreebankDiff, top: int) -> str:
    """What is drawn below: how many changes, and in which order."""
    order = "those that made it worse first" if found.plausibility else "in the order of the corpus"
    shown = min(top, len(found.changes))
    return f"{shown:,} of {counted(len(found.changes), 'change')}, {order}"


def drawn_change(found: TreebankDiff, change: Change) -> str:
    """A change in lines of text: its place, what it was, what it is, and how plausible both are; then a drawing."""
    old, new = found.versions.old, found.versions.new
    if change.what == Unit.TAG:
        drawn = _drawn_tag(found, change)
    else:
        now = DrawnArc("new", new, change.row, new.value("deprel", change.row))
        drawn = draw_arcs(now, DrawnArc("old", old, change.old_row, old.value("deprel", change.old_row)))
    said = odds(change)
    return f"{place(found, change)}: {drawn}" + (f"{INDENT}{said}\n" if said else "")


def _drawn_tag(found: TreebankDiff, change: Change) -> str:
    new = found.versions.new
    s = int(new.sentence[change.row])
    forms, word = new.forms(s), change.row - int(new.start[s])
    tags = f"{found.value(change, new=False)} → {found.value(change, new=True)}"
    line = lay_out(forms, (word,), WIDTH)
    title = f"{new.place(s)}, word {word + 1} {forms[word]!r}: tag {tags}"
    return "\n".join([title, INDENT + line.text, INDENT + draw(line, word, -1, tags, UNDER)]) + "\n"


def place(found: TreebankDiff, change: Change) -> str:
    """File and line of a change in NEW."""
    new = found.versions.new
    return f"{new.files[new.file[new.sentence[change.row]]]}:{new.line_number(change.row)}"


def odds(change: Change) -> str:
    """The probabilities before and after, and what that means; empty if they are not known."""
    if change.before != change.before or change.after != change.after:
        return ""
    verdict = "worse" if change.is_worse else "better" if change.after > change.before else "the same"
    return f"probability {chance(change.before)} before, {chance(change.after)} after: {verdict}"
