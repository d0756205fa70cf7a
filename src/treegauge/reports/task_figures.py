"""The picture of a shared task: the ranks of the systems by two metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treegauge.evaluation.task.task import TaskScores
from treegauge.palette import LIGHT, SERIES
from treegauge.reports.figures import axes_of, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def slope_figure(scores: TaskScores) -> Figure:
    """A line for each system from its rank by the first metric to its rank by the second (Nivre and Fang 2017).

    Systems that gain ranks have one colour, those that lose ranks another; grey ones stay. A thin rule stands between
    neighbours that differ significantly.
    """
    first, second = scores.settings.metrics[:2]
    sides = [scores.ranking(first), scores.ranking(second)]
    place = [{ranked.system: k for k, ranked in enumerate(side)} for side in sides]
    size = (6.4, 0.24 * len(scores.systems) + 1.4)
    figure, (axes,) = axes_of([f"Ranks by {first} and by {second}"], "", "", size)
    axes.grid(visible=False)
    for system in scores.systems:
        y, other = place[0][system], place[1][system]
        colour = LIGHT.soft if y == other else SERIES[0] if other < y else SERIES[1]
        width = 0.9 if y == other else 2.0
        axes.plot([0, 1], [y, other], color=colour, linewidth=width, marker="o", markersize=3.5, zorder=3)
    for x, side, align in ((0, sides[0], "right"), (1, sides[1], "left")):
        for y, ranked in enumerate(side):
            text = (
                f"{ranked.system}  {100 * ranked.average:.2f}"
                if x == 0
                else f"{100 * ranked.average:.2f}  {ranked.system}"
            )
            axes.text(x + (0.05 if x else -0.05), y, text, ha=align, va="center", fontsize=8)
            if ranked.is_separate:
                edge = (-0.03, 0.03) if x == 0 else (0.97, 1.03)
                axes.plot(edge, [y + 0.5, y + 0.5], color=LIGHT.ink, linewidth=0.8)
    axes.set_xlim(-0.9, 1.9)
    axes.set_ylim(len(scores.systems) - 0.4, -0.6)
    axes.set_xticks([0, 1], [first, second])
    axes.set_yticks([])
    axes.xaxis.tick_top()
    axes.spines[:].set_visible(False)
    return signed(figure, scores.signature)
