"""Pictures of difficulty (2020, Figures 3 to 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treegauge.difficulty.across import EVERYWHERE, NOWHERE, TypesAcross
from treegauge.difficulty.bins import Bins
from treegauge.difficulty.distributions import Distribution
from treegauge.difficulty.properties import NUMBERS, UNITS
from treegauge.difficulty.types import MEASURES, Types, correlations
from treegauge.errors import OptionError
from treegauge.palette import LIGHT, SERIES
from treegauge.reports.figures import Panel, axes_of, line_figure, matplotlib, shaded, signed, stack_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 40  # types that are drawn
LARGEST = 170.0  # area of the dot of a type that is always wrong, in square points


def across_figure(across: TypesAcross) -> Figure:
    """Types by languages: the area of a dot is the share that is wrong (1 − F-score).

    A full dot is a type among the hardest third of the language. The text on the right says where a type is hard.
    """
    relations = [name for name in across.relations if across.hard(name)][:MOST]
    size = (max(5.0, 0.46 * len(across.names) + 3.2), 0.26 * len(relations) + 1.8)
    title = "Relation types: area of dots: 1 − F-score; full: among the hardest third"
    figure, (axes,) = axes_of([title], "", "", size)
    axes.grid(axis="both", color=LIGHT.line, linewidth=0.4)
    for y, relation in enumerate(relations):
        hard = across.hard_in(relation)
        for x, name in enumerate(across.names):
            score = across.scores[x].get(relation)
            if score is None or score.f_score is None or relation not in across.places[x]:
                continue
            fill = SERIES[1] if name in hard else "white"
            area = max(LARGEST * (1 - score.f_score), 2.0)
            axes.scatter([x], [y], s=area, facecolor=fill, edgecolor=LIGHT.ink, linewidth=0.8, zorder=3)
        where = across.hard(relation)
        weight = "bold" if where == EVERYWHERE or where.startswith("only") else "normal"
        text = "" if where == NOWHERE else where if len(where) <= 30 else f"{len(hard)} languages"
        axes.text(len(across.names) - 0.4, y, text, va="center", fontsize=7, weight=weight, clip_on=False)
    axes.set_yticks(range(len(relations)), relations, fontsize=8)
    axes.set_xticks(range(len(across.names)), across.names, fontsize=8, rotation=60)
    axes.xaxis.tick_top()
    axes.set_xlim(-0.6, len(across.names) - 0.5)
    axes.set_ylim(len(relations) - 0.4, -0.6)
    axes.spines[:].set_visible(False)
    return signed(figure, across.signature.partition(" ; ")[0])


_BIN = "bin (1: the easiest)"


def types_figure(languages: Sequence[Types]) -> Figure:
    """The ranks of relation types by four measures, and the correlations of the rankings below (2020, Figure 3).

    The lower a rank, the darker its cell.
    """
    names = {"f_score": "F-score", "length": "length", "lisca_gold": "LISCA\ngold", "lisca_parsed": "LISCA\nparsed"}
    measures = [names[measure] for measure in MEASURES]
    most = max((len(types.scores) for types in languages), default=1)
    inches = 4.6 * len(languages), 0.24 * most + 0.5 * len(measures) + 1.4
    figure = matplotlib().figure.Figure(figsize=inches, layout="constrained")
    heights = [max(most, 3) * 0.24, len(measures) * 0.34]
    grid = figure.subplots(2, len(languages), squeeze=False, height_ratios=heights)
    for (above, below), types in zip(grid.T, languages, strict=True):
        relations = [types.scores[k].relation for k in types.order]
        ranks = [[types.ranks[measure][k] for measure in MEASURES] for k in types.order]
        last = max((rank for row in ranks for rank in row if rank is not None), default=1)
        shaded(
            *(above, relations, measures, ranks),
            *(lambda rank, last=last: 0.05 + 0.8 * (rank - 1) / max(last - 1, 1), str),
            missing="–",
        )
        above.set_title(f"{types.language}\nrank (1: easiest, lightest)", fontsize=10)
        rho = correlations(types).rho
        matrix = [[rho.get((a, b)) for b in MEASURES] for a in MEASURES]
        shaded(below, measures, measures, matrix, lambda rho: 0.6 * abs(rho), "{:.2f}".format)
        below.set_xlabel("Spearman's ρ of the rankings", fontsize=9)
    return figure


def accuracy_figure(languages: Sequence[Bins]) -> Figure:
    """Accuracy over bins, a panel for each language."""
    names = {"lisca_parsed": "LISCA, parsed", "lisca_gold": "LISCA, gold", "length": "length"}
    panels = []
    for bins in languages:
        if any(ranking.right is None for ranking in bins.rankings):
            raise OptionError(f"{bins.title}: accuracy needs gold and a system's output; --by shows what one can")
        lines = {names[ranking.name]: ranking.accuracy for ranking in bins.rankings}
        panels.append(Panel(bins.title, list(range(1, bins.rankings[0].bins + 1)), lines))
    return line_figure(panels, _BIN, "accuracy (%)")


def distribution_figure(parts: Sequence[Distribution]) -> Figure:
    """Stacked bars over bins, a panel for each language."""
    name = parts[0].name
    return stack_figure(parts, _BIN, UNITS.get(name, name), numbers=name in NUMBERS)
