"""Pictures of difficulty (2020, Figures 3 to 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treegauge.difficulty.across import EVERYWHERE, NOWHERE, TypesAcross
from treegauge.difficulty.bins import Bins
from treegauge.difficulty.distributions import Distribution
from treegauge.difficulty.feature_weights import FeatureWeights, Interaction
from treegauge.difficulty.properties import NUMBERS, UNITS
from treegauge.difficulty.type_intervals import LanguageAgreement
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
# the columns of the paper's Figure 3, in its order
_COLUMNS = {
    "f_score": "F-score\nrank",
    "lisca_parsed": "LISCA\nparsed",
    "lisca_gold": "LISCA\ngold",
    "length": "link\nlength",
}


def types_figure(languages: Sequence[Types]) -> Figure:
    """The ranks of relation types by four measures, and the correlations of the rankings below (2020, Figure 3).

    The lower a rank, the darker its cell.
    """
    measures = [_COLUMNS[measure] for measure in MEASURES]
    most = max((len(types.scores) for types in languages), default=1)
    inches = 4.6 * len(languages), 0.24 * most + 0.5 * len(measures) + 1.4
    figure = matplotlib().figure.Figure(figsize=inches, layout="constrained")
    heights = [max(most, 3) * 0.24, len(measures) * 0.34]
    grid = figure.subplots(2, len(languages), squeeze=False, height_ratios=heights)
    for (above, below), types in zip(grid.T, languages, strict=True):
        relations = [types.scores[k].relation for k in types.order]
        ranks = [[types.ranks[measure][k] for measure in _COLUMNS] for k in types.order]
        last = max((rank for row in ranks for rank in row if rank is not None), default=1)
        shaded(
            *(above, relations, list(_COLUMNS.values()), ranks),
            *(lambda rank, last=last: 0.05 + 0.8 * (rank - 1) / max(last - 1, 1), str),
            missing="–",
        )
        above.set_title(f"{types.language}\nrank (1: easiest, lightest)", fontsize=10)
        rho = correlations(types).rho
        matrix = [[rho.get((a, b)) for b in MEASURES] for a in MEASURES]
        shaded(below, measures, measures, matrix, lambda rho: 0.6 * abs(rho), "{:.2f}".format)
        below.set_xlabel("Spearman's ρ of the rankings", fontsize=9)
    return figure


def languages_figure(alike: LanguageAgreement) -> Figure:
    """Spearman's ρ of the rankings of types in each two languages, a panel for each measure."""
    names = [types.language for types in alike.languages]
    size = 0.62 * len(names) + 1.6
    figure = matplotlib().figure.Figure(figsize=(size * len(alike.measures), size), layout="constrained")
    grid = figure.subplots(1, len(alike.measures), squeeze=False)[0]
    for axes, measure in zip(grid, alike.measures, strict=True):
        matrix = [[alike.rho(a, b, measure) if b < a else None for b in range(len(names))] for a in range(len(names))]
        shaded(axes, names, names, matrix, lambda rho: 0.6 * abs(rho), "{:.2f}".format)
        axes.set_title(_COLUMNS[measure].replace("\n", " "), fontsize=10)
    return signed(figure, alike.languages[0].signature.partition("|")[0])


def shares_figure(languages: Sequence[FeatureWeights]) -> Figure:
    """The share of each feature in the variance of the score, by relation: a panel for each language."""
    tables = [weights.table() for weights in languages]
    most = max(len(table.rows) for table in tables)
    names = [feature.replace("_", "\n") for feature in languages[0].features]
    size = (0.62 * len(names) + 1.4) * len(languages), 0.24 * most + 1.4
    figure = matplotlib().figure.Figure(figsize=size, layout="constrained")
    for axes, table, weights in zip(
        figure.subplots(1, len(languages), squeeze=False)[0], tables, languages, strict=True
    ):
        rows = [str(row[0]) for row in table.rows]
        values = [list(row[2:]) for row in table.rows]
        shaded(
            axes,
            rows,
            names,
            values,
            lambda share: min(max(2 * share, 0.0), 1.0),
            lambda share: str(round(100 * share)),
        )
        axes.set_title(f"{weights.name}: share of the variance of the log score (%)", fontsize=10)
    return signed(figure, languages[0].signature)


def interaction_figure(parts: Sequence[Interaction]) -> Figure:
    """The mean log score for each pair of values of two properties: a panel for each language."""
    columns = max(len(part.columns) for part in parts)
    size = (0.5 * columns + 1.6) * len(parts), 0.3 * max(len(part.rows) for part in parts) + 1.6
    figure = matplotlib().figure.Figure(figsize=size, layout="constrained")
    for axes, part in zip(figure.subplots(1, len(parts), squeeze=False)[0], parts, strict=True):
        means = part.means
        low, high = float(np.nanmin(means)), float(np.nanmax(means))
        values = [[None if np.isnan(mean) else float(mean) for mean in row] for row in means]

        def shade(mean: float, low: float = low, high: float = high) -> float:
            return 0.05 + 0.8 * (mean - low) / max(high - low, 1e-9)

        shaded(axes, part.rows, part.columns, values, shade, "{:.0f}".format)
        axes.set_title(f"{part.title}\nmean log score (darker: more plausible)", fontsize=9)
        axes.set_ylabel(part.properties[0])
        axes.set_xlabel(part.properties[1])
    return signed(figure, parts[0].signature)


def accuracy_figure(languages: Sequence[Bins]) -> Figure:
    """Accuracy over bins, a panel for each language."""
    names = {"lisca_parsed": "LISCA, parsed", "lisca_gold": "LISCA, gold", "length": "LS (length), gold"}
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
