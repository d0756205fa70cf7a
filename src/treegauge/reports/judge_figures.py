"""Pictures of how rankings were judged (2013, Figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from treegauge.evaluation.judging import tables
from treegauge.evaluation.judging.calibrate import CalibrationResult
from treegauge.evaluation.judging.gold_ranking import GoldRanking
from treegauge.evaluation.judging.judge import Judgements
from treegauge.evaluation.judging.risk import LAS, risk_curve
from treegauge.ranking.units import Unit
from treegauge.reports.figures import Panel, bar_figure, line_figure
from treegauge.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_BARS = 12  # more groups of bars than that are drawn as lines


def _panels(judgements: Judgements, make: Callable[[str, list[GoldRanking]], Table]) -> list[Panel]:
    panels = []
    for kind in judgements.rankings:
        table = make(tables.roots(kind), judgements.shown(kind))
        lines = {name: [row[k] for row in table.rows] for k, name in enumerate(table.names) if k}
        panels.append(Panel(table.title, [row[0] for row in table.rows], lines))
    return panels


def top_figure(judgements: Judgements) -> Figure:
    """LAS of the top k arcs, a line for each scorer."""
    panels = _panels(judgements, lambda title, judged: tables.top_table(title, judged, judgements.options.step))
    return line_figure(panels, "k (arcs)", "LAS of the top k arcs (%)")


def groups_figure(judgements: Judgements) -> Figure:
    """LAS of the groups of each ranking, as bars, or as lines where there are many."""
    step, equal = judgements.options.step, judgements.options.groups
    panels = _panels(judgements, lambda title, judged: tables.groups_table(title, judged, step, equal))
    name = "tenth" if equal == 10 else f"group ({f'{equal} equal ones' if equal else f'{step} arcs each'})"
    draw = line_figure if any(len(panel.x) > MOST_BARS for panel in panels) else bar_figure
    return draw(panels, f"{name}, the most reliable first", "LAS (%)")


def risk_figure(judgements: Judgements) -> Figure:
    """Risk over coverage, of arcs and of sentences: the share of wrong arcs among those kept, a line a scorer."""
    shown, shares = judgements.shown(next(iter(judgements.rankings))), range(1, 101)
    panels = []
    for unit in (Unit.ARC, Unit.SENTENCE):
        curves = {ranking.scorer: risk_curve(ranking, unit, LAS) for ranking in shown}
        lines = {name: [curve.risk(share / 100) for share in shares] for name, curve in curves.items()}
        panels.append(Panel(f"{unit}s", shares, lines))
    return line_figure(panels, "coverage: share kept (%)", "risk: wrong arcs among those kept (%)")


def reliability_figure(result: CalibrationResult) -> Figure:
    """The share of right arcs over their probability, beside what a perfect calibration has."""
    panels = [
        Panel(
            name,
            [100 * b.probability for b in r.bins],
            {"arcs": [b.right for b in r.bins], "perfect": [b.probability for b in r.bins]},
        )
        for name, r in result.reliabilities.items()
    ]
    return line_figure(panels, "mean probability (%)", "share of right arcs (%)")
