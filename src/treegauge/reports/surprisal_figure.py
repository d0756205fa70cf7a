"""A sentence as it is read: the surprisal of each word, and what is still open after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treegauge.grammar.surprisal import END, ReadSentence
from treegauge.reports.figures import axes_of, sign
from treegauge.reports.palette import SERIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def surprisal_figure(sentence: ReadSentence, signature: str) -> Figure:
    """Bars for the surprisal of each word and of the end, a line for the reduction of entropy."""
    labels = [*(w if w == u else f"{w}\n{u}" for w, u in zip(sentence.words, sentence.units, strict=True)), END]
    size = (max(5.2, 0.5 * len(labels) + 1.5), 3.8)
    figure, (axes,) = axes_of([sentence.name], "", "bits", size)
    x = np.arange(len(labels))
    surprisal = np.where(np.isfinite(sentence.prefixes.surprisal), sentence.prefixes.surprisal, np.nan)
    axes.bar(x, surprisal, 0.7, color=SERIES[0], label="surprisal")
    look = {"color": SERIES[1], "marker": "o", "markersize": 4, "linewidth": 1.2, "linestyle": "--"}
    axes.plot(x, sentence.prefixes.entropy_reduction, label="entropy reduction", **look)
    axes.set_xticks(x, labels, fontsize=8, rotation=45 if len(labels) > 12 else 0, ha="center")
    axes.legend(frameon=False, fontsize=8)
    sign(figure, signature)
    return figure
