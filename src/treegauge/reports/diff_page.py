"""The HTML page of two versions of a treebank: the tables, and the first changes drawn as trees.

Words and names are data: the template escapes them, drawings are inline SVG whose texts are escaped, and the page has
no script and loads nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treegauge.corpus.tree_svg import tree_svg
from treegauge.palette import VARIABLES
from treegauge.ranking.units import Unit
from treegauge.reports.diff_text import heading, odds, place, shown_tables
from treegauge.reports.html_file import rendered, settings_list
from treegauge.tables import Table
from treegauge.upkeep.diff import Change, TreebankDiff


def diff_html(diff: TreebankDiff, top: int) -> str:
    """The page: summary, relation pairs, tags and patterns, at most `top` rows each, and the first `top` changes."""
    return rendered(
        "diff.html",
        "look.css",
        title=diff.title,
        tables=[_table(table) for table in shown_tables(diff, top)],
        heading=heading(diff, top),
        changes=[_change(diff, change) for change in diff.changes[:top]],
        settings=settings_list(diff.signature),
    )


def _table(table: Table) -> dict[str, Any]:
    """A table as the template takes it: each cell with whether it is set to the left."""
    header, cells, left = table.for_people()
    rows = [list(zip(row, left, strict=True)) for row in cells]
    names = list(zip([name.replace("_", " ") for name in header], left, strict=True))
    return {"title": table.title.rpartition(": ")[2].capitalize(), "names": names, "rows": rows}


def _change(diff: TreebankDiff, change: Change) -> dict[str, str]:
    """The parts of a change: what was changed, its place, its odds, and the tree of NEW with the old arc below."""
    new = diff.versions.new
    s = int(new.sentence[change.row])
    word = f"{new.position[change.row]} {new.value('form', change.row)}"
    if change.what == Unit.ARC:
        was, now = (_arc_text(diff, change, is_new) for is_new in (False, True))
    else:
        was, now = diff.value(change, new=False), diff.value(change, new=True)
        word += "" if change.what == Unit.TAG else f", {change.what}"
    return {
        "title": f"{word}: {was} → {now}",
        "place": f"{place(diff, change)}, {new.place(s)}",
        "odds": odds(change),
        "tree": tree_svg(new, s, change.row, other=_old_arc(diff, change), palette=VARIABLES),
    }


def _arc_text(diff: TreebankDiff, change: Change, is_new: bool) -> str:
    """The old or the new arc of a change, in words."""
    side, row = (diff.versions.new, change.row) if is_new else (diff.versions.old, change.old_row)
    head = int(side.head_row[row])
    return f"{side.value('deprel', row)} of {side.value('form', head) if head >= 0 else 'the root'}"


def _old_arc(diff: TreebankDiff, change: Change) -> tuple[int, str] | None:
    """The old head of a word, as a position in NEW, and the old relation; None for a tag, or if NEW lacks the head."""
    if change.what != Unit.ARC:
        return None
    versions = diff.versions
    relation = versions.old.value("deprel", change.old_row)
    head = int(versions.old.head_row[change.old_row])
    if head < 0:
        return 0, relation
    s = int(versions.new.sentence[change.row])
    first, last = versions.new.start[s : s + 2].tolist()
    at = (versions.old_rows(np.arange(first, last)) == head).nonzero()[0]
    return (int(at[0]) + 1, relation) if len(at) else None
