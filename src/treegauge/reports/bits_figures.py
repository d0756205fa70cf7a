"""Pictures of bits: many treebanks in one, relations across treebanks, learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treegauge.difficulty.bits import DependencyBits
from treegauge.difficulty.bits_breakdowns import relation_groups
from treegauge.difficulty.typology.families import family
from treegauge.palette import SERIES
from treegauge.reports.figures import DASHES, MARKERS, axes_of, shaded, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST_ARCS = 30  # of a relation in a treebank, to be drawn


def _signature(found: Sequence[DependencyBits]) -> str:
    return "\n".join(sorted({one.signature for one in found}))


def bits_figure(found: Sequence[DependencyBits]) -> Figure:
    """A dot for each treebank with its 95 % interval, the easiest on top; a colour and a marker for each family."""
    ordered = sorted(found, key=lambda one: -one.per_arc)
    families = sorted({family(one.name) for one in ordered})
    size = (7.0, max(2.4, 0.24 * len(ordered) + 1.2))
    figure, (axes,) = axes_of(["Bits per arc, with 95 % intervals"], "bits per arc", "", size)
    for k, name in enumerate(families):
        at = [place for place, one in enumerate(ordered) if family(one.name) == name]
        # more families than colours: the marker goes on where the colours begin again
        look = {"color": SERIES[k % len(SERIES)], "fmt": MARKERS[(k + k // len(SERIES)) % len(MARKERS)]}
        mean, width = [ordered[p].per_arc for p in at], [ordered[p].half_width for p in at]
        axes.errorbar(mean, at, xerr=width, **look, markersize=5, capsize=2, linewidth=1, label=name)
    axes.set_yticks(range(len(ordered)), [one.name for one in ordered], fontsize=8)
    axes.grid(axis="x", linewidth=0.4)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    return signed(figure, _signature(found))


def relations_figure(found: Sequence[DependencyBits]) -> Figure:
    """Bits per arc of each relation in each treebank, the darker the more; the commonest relations."""
    means: dict[str, dict[str, float]] = {}
    arcs: dict[str, int] = {}
    for one in found:
        code, names = relation_groups(one)
        count = np.bincount(code, minlength=len(names))
        total = np.bincount(code, weights=one.bits, minlength=len(names))
        for name, n, bits in zip(names, count.tolist(), total.tolist(), strict=True):
            if n >= LEAST_ARCS:
                means.setdefault(name, {})[one.name] = bits / n
                arcs[name] = arcs.get(name, 0) + n
    relations = sorted(arcs, key=lambda name: (-len(means[name]), -arcs[name]))[:30]
    relations.sort(key=lambda name: np.mean(list(means[name].values())))
    ordered = sorted(found, key=lambda one: one.per_arc)
    most = max((bits for row in means.values() for bits in row.values()), default=1.0)
    cells = [[means[name].get(one.name) for one in ordered] for name in relations]
    size = (0.46 * len(ordered) + 1.8, 0.26 * len(relations) + 1.6)
    figure, (axes,) = axes_of(["Bits per arc by relation; treebanks from easy to hard"], "", "", size)
    names = [one.name for one in ordered]
    shaded(axes, relations, names, cells, lambda bits: 0.05 + 0.85 * bits / most, "{:.1f}".format)
    axes.tick_params(axis="x", labelrotation=60)
    return signed(figure, _signature(found))


def bits_curve_figure(found: Sequence[DependencyBits]) -> Figure:
    """Bits per arc over the words learned from, with the power law and its limit."""
    figure, (axes,) = axes_of(["Bits per arc as words are learned"], "words seen", "bits per arc", (7.5, 4.4))
    for k, one in enumerate(found):
        words, bits, _ = one.curve()
        colour, law = SERIES[k % len(SERIES)], one.power_law()
        marker = MARKERS[(k + k // len(SERIES)) % len(MARKERS)]
        label = f"{one.name}: limit {law.limit:.2f}" if law.limit == law.limit else one.name
        axes.plot(words, bits, linestyle="", marker=marker, markersize=4, color=colour, label=label)
        if len(words) and law.limit == law.limit:
            x = np.geomspace(words[0], 4 * words[-1], 60)
            axes.plot(x, law.limit + law.scale * x**-law.exponent, color=colour, linestyle=DASHES[1], linewidth=1)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
    return signed(figure, _signature(found))
