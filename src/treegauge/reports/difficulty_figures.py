"""Pictures of difficulty (2020, Figures 3 to 8)."""

from __future__ import annotations

from collections.abc import Sequence

from treegauge.difficulty.bins import Bins
from treegauge.difficulty.distributions import Distribution
from treegauge.difficulty.properties import NUMBERS, UNITS
from treegauge.difficulty.types import MEASURES, Types, correlations
from treegauge.errors import OptionError
from treegauge.reports.figures import Panel, RankPanel, line_figure, picture, rank_figure, stack_figure

_BIN = "bin (1: the easiest)"


def types_figure(found: Sequence[Types], ending: str) -> bytes:
    """Ranks of relation types side by side, and the correlations of the rankings."""
    shown = {"f_score": "F-score", "length": "length", "lisca_gold": "LISCA\ngold", "lisca_parsed": "LISCA\nparsed"}
    panels = []
    for each in found:
        rho = correlations(each).rho
        panels.append(
            RankPanel(
                each.language,
                [each.scores[k].relation for k in each.order],
                [shown[measure] for measure in MEASURES],
                [[each.ranks[measure][k] for measure in MEASURES] for k in each.order],
                [[rho.get((a, b)) for b in MEASURES] for a in MEASURES],
            )
        )
    return picture(rank_figure(panels), ending)


def accuracy_figure(found: Sequence[Bins], ending: str) -> bytes:
    """Accuracy over bins, a panel for each language."""
    names = {"lisca_parsed": "LISCA, parsed", "lisca_gold": "LISCA, gold", "length": "length"}
    panels = []
    for each in found:
        if any(ranking.right is None for ranking in each.rankings):
            raise OptionError(f"{each.title}: accuracy needs gold and a system's output; --by shows what one can")
        lines = {names[ranking.name]: ranking.accuracy for ranking in each.rankings}
        panels.append(Panel(each.title, list(range(1, each.rankings[0].bins + 1)), lines))
    return picture(line_figure(panels, _BIN, "accuracy (%)"), ending)


def distribution_figure(parts: Sequence[Distribution], ending: str) -> bytes:
    """Stacked bars over bins, a panel for each language."""
    name = parts[0].name
    return picture(stack_figure(parts, _BIN, UNITS.get(name, name), numbers=name in NUMBERS), ending)
