"""Pictures of word order: languages side by side, their tree, and how marked each direction is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.difficulty.typology.typology import Typology
from treegauge.difficulty.typology.word_order import Cell
from treegauge.errors import OptionError
from treegauge.extras import needed
from treegauge.palette import LIGHT, SERIES
from treegauge.reports.figures import axes_of, shaded, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 32  # cells in the grid, a row each
SHAPES = "os^DvX*Pph<>8dH1+x2"  # one for each family, so that they can be told apart in grey
PANELS = 6  # relations in the figure of bins, a panel each
_MISSING = "·"  # stands in a cell that has too few arcs
FIRST = ("nsubj", "obj", "amod", "obl", "advmod", "nmod")  # the relations that typology asks about most


def short_names(names: Sequence[str]) -> list[str]:
    """Names up to their first underscore, if what follows it is the same in all."""
    same = len({name.partition("_")[2] for name in names}) == 1 and len(names) > 1
    return [name.partition("_")[0] if same else name for name in names]


def order_figure(typology: Typology) -> Figure:
    """A grid of relations by languages: the share of arcs whose head follows, the darker the more."""
    cells = typology.cells[:MOST]
    table = [dict(zip(order.cells, order.measures()[0].tolist(), strict=True)) for order in typology.orders]
    values = [[each.get(cell) for each in table] for cell in cells]
    order = sorted(range(len(cells)), key=lambda k: -_mean(values[k]))
    size = (0.40 * len(typology.orders) + 2.2, 0.26 * len(cells) + 2.9)
    title = f"Arcs whose head follows (%); {_MISSING} fewer than {typology.settings.least} arcs"
    figure, (axes,) = axes_of([title], "", "", (max(size[0], 5.0), size[1]))
    names = short_names(typology.names)
    _shares(axes, [" ".join(cells[k]) for k in order], names, [values[k] for k in order])
    if max(map(len, names)) > 3:
        axes.tick_params(axis="x", labelrotation=60)
    _between_families(axes, [each.family for each in typology.orders], len(cells))
    return signed(figure, typology.settings.signature)


def _shares(axes: Any, rows: Sequence[str], columns: Sequence[str], shares: Sequence[Sequence[float | None]]) -> None:
    """Draw a grid of shares in per cent, the darker the more."""
    axes.set_facecolor("white")
    shaded(axes, rows, columns, shares, lambda share: 0.06 + 0.84 * share, lambda share: f"{100 * share:.0f}", _MISSING)


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else 0.0


def _between_families(axes: Any, families: Sequence[str], rows: int) -> None:
    """Draw a line between columns of different families, and name each below, if each family stands together."""
    begins = [k for k in range(len(families)) if k == 0 or families[k] != families[k - 1]]
    if len(begins) != len(set(families)):
        return
    for k, end in zip(begins, [*begins[1:], len(families)], strict=True):
        if k:
            axes.plot([k - 0.5, k - 0.5], [-0.5, rows - 0.5], color=LIGHT.ink, linewidth=0.8)
        look: dict[str, Any] = {"rotation": 40, "ha": "right", "va": "top", "fontsize": 8, "annotation_clip": False}
        axes.annotate(families[k], ((k + end - 1) / 2 + 0.3, rows - 0.4), **look)


def tree_figure(typology: Typology) -> Figure:
    """The tree of languages with the support of each cluster in per cent; a colour and a marker for each family."""
    hierarchy = needed("scipy.cluster.hierarchy", "figures", "a tree of languages")
    tree = typology.tree
    drawn = hierarchy.dendrogram(tree.linkage, no_plot=True)
    size = (7.5, max(2.6, 0.27 * len(tree.names) + 1.2))
    title = "Languages by word order; numbers: samples that have the cluster (%)"
    figure, (axes,) = axes_of([title], "share of arcs in another direction", "", size)
    axes.grid(visible=False)
    for y, x in zip(drawn["icoord"], drawn["dcoord"], strict=True):
        axes.plot(x, y, color=LIGHT.ink, linewidth=1)
    at = {round(float(height), 12): support for height, support in zip(tree.linkage[:, 2], tree.support, strict=True)}
    for y, x in zip(drawn["icoord"], drawn["dcoord"], strict=True):
        place = (x[1], (y[1] + y[2]) / 2)
        text = f"{100 * at[round(float(x[1]), 12)]:.0f}"
        look: dict[str, Any] = {"fontsize": 6.5, "ha": "left", "va": "bottom", "color": LIGHT.suspect}
        axes.annotate(text, place, xytext=(1.5, 0.5), textcoords="offset points", **look)  # above the branch
    families = sorted({order.family for order in typology.orders})
    shown = set()
    for k, place in enumerate(drawn["leaves"]):
        name = typology.orders[place].family
        f = families.index(name)
        style = {"color": SERIES[f % len(SERIES)], "marker": SHAPES[f % len(SHAPES)]}
        label = None if name in shown else name
        axes.plot([0], [10 * k + 5], linestyle="", markersize=6, clip_on=False, label=label, **style)
        shown.add(name)
    names = short_names(typology.names)
    axes.set_yticks([10 * k + 5 for k in range(len(names))], [names[k] for k in drawn["leaves"]], fontsize=8)
    axes.tick_params(axis="y", length=0, pad=8)
    axes.spines[["left"]].set_visible(False)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    return signed(figure, typology.settings.signature)


def marked_figure(typology: Typology) -> Figure:
    """A panel for each of six relations: languages by bins, the share of arcs whose head follows."""
    if not typology.marked:
        raise OptionError("no bins of plausibility; expected a scorer")
    chosen = _chosen_cells(typology)
    names = short_names(typology.names)
    size = (4.6, 0.22 * len(names) + 1.0)
    titles = [f"{' '.join(cell)}: head follows (%)" for cell in chosen]
    figure, panels = axes_of(titles, "bin (1: the most plausible)", "", size, columns=3)
    for axes, cell in zip(panels, chosen, strict=True):
        rows = [
            each.head_after[each.order.cells.index(cell)].tolist()
            if cell in each.order.cells
            else [None] * each.counts.shape[2]
            for each in typology.marked
        ]
        known = [[None if share is None or share != share else share for share in row] for row in rows]
        _shares(axes, names, [str(k) for k in range(1, len(rows[0]) + 1)], known)
    return signed(figure, typology.settings.signature)


def _chosen_cells(typology: Typology) -> list[Cell]:
    """The cells to draw, among those that most treebanks have: those of FIRST, then those with the freest direction."""
    entropies: dict[Cell, list[float]] = {}
    for order in typology.orders:
        for cell, bits in zip(order.cells, order.measures()[2].tolist(), strict=True):
            entropies.setdefault(cell, []).append(bits)
    common = [cell for cell, bits in entropies.items() if len(bits) >= 0.7 * len(typology.orders)]
    freest = sorted(common, key=lambda cell: (-float(np.mean(entropies[cell])), cell))
    first = [cell for name in FIRST for cell in freest if cell == (name,)]
    return [*first, *(cell for cell in freest if cell not in first)][:PANELS]
