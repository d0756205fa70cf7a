"""Pictures of the agreement of annotators: by relation, and the relations that they take for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treegauge.evaluation.agreement.agreement import Agreement
from treegauge.evaluation.agreement.disagreements import confusions_table
from treegauge.palette import SERIES
from treegauge.reports.figures import MARKERS, axes_of, shaded, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST = 10  # words that a relation must have to be drawn
MOST = 14  # relations in the grid


def agreement_figure(between: Agreement) -> Figure:
    """Agreement on each relation, and on its arcs, with 95 % intervals; beside it, the confusions as a grid."""
    rows = [row for row in between.relations_table().records() if row["words"] >= LEAST][:40]
    rows.sort(key=lambda row: row["arc"] or 0.0)
    size = (6.0, max(3.2, 0.24 * len(rows) + 1.4))
    titles = [f"Agreement of {between.title}", "Relations taken for each other: words"]
    figure, (left, right) = axes_of(titles, "", "", size, columns=2)
    _dots(left, rows)
    _grid(right, confusions_table(between).records())
    return signed(figure, between.signature)


def _dots(axes: Any, rows: list[dict[str, Any]]) -> None:
    """Draw the agreement on each relation, and on its arcs, as dots with intervals."""
    for k, (name, label) in enumerate((("same", "same relation"), ("arc", "same relation and head"))):
        known = [(y + 0.16 * (1 - 2 * k), row) for y, row in enumerate(rows) if row[name] is not None]
        value = [100 * row[name] for _, row in known]
        below = [100 * max(row[name] - (row[f"{name}_low"] or row[name]), 0) for _, row in known]
        above = [100 * max((row[f"{name}_high"] or row[name]) - row[name], 0) for _, row in known]
        look = {"color": SERIES[k], "fmt": MARKERS[k], "markersize": 4, "capsize": 2, "linewidth": 1}
        axes.errorbar(value, [y for y, _ in known], xerr=[below, above], label=label, **look)
    axes.set_yticks(range(len(rows)), [f"{row['relation']} ({row['words']:,.0f})" for row in rows], fontsize=8)
    axes.set_xlabel("per cent of the words that one of two gives the relation, 95 % intervals")
    axes.grid(axis="x", linewidth=0.4)
    axes.legend(frameon=False, fontsize=8, loc="upper left")


def _grid(axes: Any, cells: list[dict[str, Any]]) -> None:
    """Draw a symmetric grid of the relations that are confused most often, the darker the more."""
    total: dict[str, int] = {}
    for cell in cells:
        for name in (cell["relation"], cell["other"]):
            total[name] = total.get(name, 0) + cell["words"]
    names = sorted(total, key=lambda name: (-total[name], name))[:MOST]
    words = {frozenset((cell["relation"], cell["other"])): cell["words"] for cell in cells}
    most = max(words.values(), default=1)
    values = [[words.get(frozenset((a, b)), 0) if a != b else 0 for b in names] for a in names]
    shaded(
        *(axes, names, names, values), lambda n: 0.05 + 0.85 * n / most if n else 0.0, lambda n: f"{n:,}" if n else ""
    )
    axes.tick_params(axis="x", labelrotation=60)
