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
    """Bars for each word and the end: surprisal above, the reduction of entropy below, each over its own scale."""
    labels = [*(w if w == u else f"{w}\n{u}" for w, u in zip(sentence.words, sentence.units, strict=True)), END]
    size = (max(5.2, 0.5 * len(labels) + 1.5), 2.6)
    found = sentence.prefixes.surprisal, sentence.prefixes.entropy_reduction
    figure, panels = axes_of(["surprisal", "entropy reduction"], "", "bits", size, columns=1)
    x = np.arange(len(labels))
    for axes, values, colour in zip(panels, found, SERIES, strict=False):
        axes.bar(x, np.where(np.isfinite(values), values, np.nan), 0.7, color=colour)
        axes.set_xticks(x, labels, fontsize=8, rotation=45 if len(labels) > 12 else 0, ha="center")
    figure.suptitle(sentence.name, fontsize=10)
    sign(figure, signature)
    return figure
