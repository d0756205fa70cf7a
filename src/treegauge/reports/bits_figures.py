"""Pictures of bits: many treebanks in one, relations across treebanks, learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treegauge.corpus.families import family
from treegauge.difficulty.bits import DependencyBits
from treegauge.difficulty.bits_breakdowns import relation_groups
from treegauge.palette import SERIES
from treegauge.reports.figures import DASHES, MARKERS, axes_of, shaded, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST_ARCS = 30  # arcs that a relation of a treebank must have to be drawn


def _signature(treebanks: Sequence[DependencyBits]) -> str:
    return "\n".join(sorted({treebank.signature for treebank in treebanks}))


def bits_figure(treebanks: Sequence[DependencyBits]) -> Figure:
    """A dot for each treebank with its 95 % interval, the easiest on top; a colour and a marker for each family."""
    ordered = sorted(treebanks, key=lambda treebank: -treebank.per_arc)
    families = sorted({family(treebank.name) for treebank in ordered})
    size = (7.0, max(2.4, 0.24 * len(ordered) + 1.2))
    figure, (axes,) = axes_of(["Bits per arc, with 95 % intervals"], "bits per arc", "", size)
    for k, name in enumerate(families):
        at = [place for place, treebank in enumerate(ordered) if family(treebank.name) == name]
        # if there are more families than colours, families of the same colour have different markers
        look = {"color": SERIES[k % len(SERIES)], "fmt": MARKERS[(k + k // len(SERIES)) % len(MARKERS)]}
        mean, width = [ordered[p].per_arc for p in at], [ordered[p].half_width for p in at]
        axes.errorbar(mean, at, xerr=width, **look, markersize=5, capsize=2, linewidth=1, label=name)
    axes.set_yticks(range(len(ordered)), [treebank.name for treebank in ordered], fontsize=8)
    axes.grid(axis="x", linewidth=0.4)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    return signed(figure, _signature(treebanks))


def relations_figure(treebanks: Sequence[DependencyBits]) -> Figure:
    """Bits per arc of each relation in each treebank, the darker the more; the commonest relations."""
    means: dict[str, dict[str, float]] = {}
    arcs: dict[str, int] = {}
    for treebank in treebanks:
        code, names = relation_groups(treebank)
        count = np.bincount(code, minlength=len(names))
        total = np.bincount(code, weights=treebank.bits, minlength=len(names))
        for name, n, bits in zip(names, count.tolist(), total.tolist(), strict=True):
            if n >= LEAST_ARCS:
                means.setdefault(name, {})[treebank.name] = bits / n
                arcs[name] = arcs.get(name, 0) + n
    relations = sorted(arcs, key=lambda name: (-len(means[name]), -arcs[name]))[:30]
    relations.sort(key=lambda name: np.mean(list(means[name].values())))
    ordered = sorted(treebanks, key=lambda treebank: treebank.per_arc)
    most = max((bits for row in means.values() for bits in row.values()), default=1.0)
    cells = [[means[name].get(treebank.name) for treebank in ordered] for name in relations]
    size = (0.46 * len(ordered) + 1.8, 0.26 * len(relations) + 1.6)
    figure, (axes,) = axes_of(["Bits per arc by relation; treebanks from easy to hard"], "", "", size)
    names = [treebank.name for treebank in ordered]
    shaded(axes, relations, names, cells, lambda bits: 0.05 + 0.85 * bits / most, "{:.1f}".format)
    axes.tick_params(axis="x", labelrotation=60)
    return signed(figure, _signature(treebanks))


def bits_curve_figure(treebanks: Sequence[DependencyBits]) -> Figure:
    """Bits per arc over the words learned from, with the power law and its limit."""
    figure, (axes,) = axes_of(["Bits per arc as words are learned"], "words seen", "bits per arc", (7.5, 4.4))
    for k, treebank in enumerate(treebanks):
        words, bits, _ = treebank.curve()
        colour, law = SERIES[k % len(SERIES)], treebank.power_law()
        marker = MARKERS[(k + k // len(SERIES)) % len(MARKERS)]
        label = f"{treebank.name}: limit {law.limit:.2f}" if law.limit == law.limit else treebank.name
        axes.plot(words, bits, linestyle="", marker=marker, markersize=4, color=colour, label=label)
        if len(words) and law.limit == law.limit:
            x = np.geomspace(words[0], 4 * words[-1], 60)
            axes.plot(x, law.limit + law.scale * x**-law.exponent, color=colour, linestyle=DASHES[1], linewidth=1)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    return signed(figure, _signature(treebanks))
