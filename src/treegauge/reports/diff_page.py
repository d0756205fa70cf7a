"""Two versions of a treebank as one HTML page: the tables, and the first changes drawn as trees.

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


def diff_html(found: TreebankDiff, top: int) -> str:
    """The page: summary, relation pairs, tags and patterns, at most `top` rows each, and the first `top` changes."""
    return rendered(
        "diff.html",
        "look.css",
        title=found.title,
        tables=[_shown(table) for table in shown_tables(found, top)],
        heading=heading(found, top),
        changes=[_drawn(found, change) for change in found.changes[:top]],
        settings=settings_list(found.signature),
    )


def _shown(table: Table) -> dict[str, Any]:
    header, cells, left = table.for_people()
    rows = [list(zip(row, left, strict=True)) for row in cells]
    names = list(zip([name.replace("_", " ") for name in header], left, strict=True))
    return {"title": table.title.rpartition(": ")[2].capitalize(), "names": names, "rows": rows}


def _drawn(found: TreebankDiff, change: Change) -> dict[str, str]:
    """A change: what was changed, where, how plausible, and the tree of NEW with the old arc below the words."""
    new = found.versions.new
    s = int(new.sentence[change.row])
    word = f"{new.position[change.row]} {new.value('form', change.row)}"
    if change.what == Unit.ARC:
        was, now = (_told(found, change, is_new) for is_new in (False, True))
    else:
        was, now = found.value(change, new=False), found.value(change, new=True)
    return {
        "title": f"{word}: {was} → {now}",
        "place": f"{place(found, change)}, {new.place(s)}",
        "odds": odds(change),
        "tree": tree_svg(new, s, change.row, other=_old_arc(found, change), palette=VARIABLES),
    }


def _told(found: TreebankDiff, change: Change, is_new: bool) -> str:
    """An arc in words."""
    side, row = (found.versions.new, change.row) if is_new else (found.versions.old, change.old_row)
    head = int(side.head_row[row])
    return f"{side.value('deprel', row)} of {side.value('form', head) if head >= 0 else 'the root'}"


def _old_arc(found: TreebankDiff, change: Change) -> tuple[int, str] | None:
    """Head and relation that a word had, among the words of NEW; None of a tag, or if the head is not there."""
    if change.what != Unit.ARC:
        return None
    versions = found.versions
    relation = versions.old.value("deprel", change.old_row)
    head = int(versions.old.head_row[change.old_row])
    if head < 0:
        return 0, relation
    s = int(versions.new.sentence[change.row])
    first, last = versions.new.start[s : s + 2].tolist()
    at = (versions.old_rows(np.arange(first, last)) == head).nonzero()[0]
    return (int(at[0]) + 1, relation) if len(at) else None
