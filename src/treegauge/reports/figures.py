"""Pictures of results: SVG, PNG or PDF by the file's ending; they can be read in grey and by colour-blind people."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.corpus.files import is_remote
from treegauge.errors import OptionError
from treegauge.extras import needed
from treegauge.palette import ABOVE, BELOW, CLASSES, LIGHT, SERIES, SHADES
from treegauge.wording import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from treegauge.difficulty.distributions import Distribution

ENDINGS = ("svg", "png", "pdf")
# each colour has its own marker, dash and hatch, so that it can be told apart in grey
MARKERS = "os^Dvx*"
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)))
HATCHES = ("", "////", "....", "xx", "\\\\\\\\", "--", "++")


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines over a common axis: name -> a value for each x; None if there is no value."""

    title: str
    x: Sequence[float]
    lines: Mapping[str, Sequence[float | None]]


def ending_of(path: str) -> str:
    """The ending of a picture's file; OptionError if it is unknown, or the folder or Matplotlib is missing."""
    ending = os.path.splitext(path)[1].lstrip(".").lower()
    if ending not in ENDINGS:
        raise OptionError(f"{path}: a figure's name should end in .{', .'.join(ENDINGS)}")
    folder = os.path.dirname(path)
    if folder and not is_remote(path) and not os.path.isdir(folder):
        raise OptionError(f"{path}: no such folder {folder}")
    matplotlib()
    return ending


def matplotlib() -> Any:
    """The module matplotlib, with matplotlib.figure loaded."""
    needed("matplotlib.figure", "figures", "a figure")
    return needed("matplotlib", "figures", "a figure")


def picture(figure: Figure, ending: str) -> bytes:
    """The bytes of a figure; the same figure always has the same bytes."""
    stream = io.BytesIO()
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    _make_printable(figure)
    with matplotlib().rc_context({"svg.hashsalt": "treegauge", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(stream, format=ending, metadata=metadata, dpi=160)
    return stream.getvalue()


def _make_printable(figure: Figure) -> None:
    """Replace characters that no font has in the texts of a figure: control characters, parts of file names."""
    from matplotlib.text import Text

    def lines(text: str) -> str:
        return "\n".join(map(printable, text.split("\n")))

    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        labels = [label.get_text() for label in axis.get_ticklabels()]
        if labels != list(map(lines, labels)):
            axis.set_ticklabels(list(map(lines, labels)))
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_text(lines(text.get_text()))


def axes_of(
    titles: Sequence[str], x_name: str, y_name: str, size: tuple[float, float] = (5.2, 3.6), columns: int | None = None
) -> tuple[Figure, list[Any]]:
    """A figure and the axes of its panels: in one row over one scale, or in rows of `columns` panels."""
    across = len(titles) if columns is None else min(columns, len(titles))
    rows = -(-len(titles) // across)
    figure = matplotlib().figure.Figure(figsize=(size[0] * across, size[1] * rows), layout="constrained")
    axes = figure.subplots(rows, across, squeeze=False, sharey=columns is None).ravel().tolist()
    for unused in axes[len(titles) :]:
        unused.set_axis_off()
    axes = axes[: len(titles)]
    for each, title in zip(axes, titles, strict=True):
        each.spines[["top", "right"]].set_visible(False)
        each.grid(axis="y", color=LIGHT.line, linewidth=0.6)
        each.set_axisbelow(True)
        each.set_title(title, fontsize=10)
        each.set_xlabel(x_name)
        each.set_ylabel(y_name if columns or each is axes[0] else "")
    return figure, axes


def _numbers(values: Sequence[float | None]) -> list[float]:
    return [float("nan") if value is None else 100 * value for value in values]


# scorer -> its number in SERIES, the same in every figure, and the name that the papers give it
SCORER_STYLES = {"lisca": 0, "choice": 1, "length": 2, "ptr": 3, "ltr": 4, "random": 5, "lptr": 6}
PAPER_NAMES = {"lisca": "LISCA", "length": "LS", "ptr": "PTR", "ltr": "LTR", "lptr": "LPTR", "random": "RS"}


def _styles(panels: Sequence[Panel]) -> dict[str, int]:
    """A number for each line, the same in every panel, so that a colour means one thing.

    A scorer has the number of SCORER_STYLES in every figure; other lines get those that are left.
    """
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    known = {name: SCORER_STYLES[name] for name in names if name in SCORER_STYLES}
    free = [k for k in range(len(SERIES)) if k not in known.values()] or list(range(len(SERIES)))
    others = [name for name in names if name not in known]
    return known | {name: free[k % len(free)] for k, name in enumerate(others)}


def shown_name(name: str) -> str:
    """What a legend calls a line: a scorer by its name in the papers, such as LS for length."""
    first, space, rest = name.partition(" ")
    return PAPER_NAMES.get(first, first) + space + rest


def line_figure(panels: Sequence[Panel], x_name: str, y_name: str) -> Figure:
    """Fractions as lines in per cent, panels side by side (2013, Figure 1; 2020, Figures 4 and 5)."""
    figure, axes = axes_of([panel.title for panel in panels], x_name, y_name)
    style = _styles(panels)
    for panel, each in zip(panels, axes, strict=True):
        for name, values in panel.lines.items():
            k = style[name]
            marker = MARKERS[k] if len(panel.x) <= 30 else None
            look = {"color": SERIES[k], "linestyle": DASHES[k], "marker": marker, "markersize": 4, "linewidth": 1.4}
            each.plot(panel.x, _numbers(values), label=shown_name(name), **look)
        if list(panel.x) == list(range(1, len(panel.x) + 1)) and len(panel.x) <= 20:  # bins
            each.set_xticks(list(panel.x))
        each.legend(frameon=False, fontsize=8, handlelength=3)
    return figure


def bar_figure(panels: Sequence[Panel], x_name: str, y_name: str) -> Figure:
    """Fractions as groups of bars in per cent, panels side by side (2013, Figure 2)."""
    groups = max((len(panel.x) for panel in panels), default=1)
    size = (min(max(5.2, 0.55 * groups), 14), 3.6)
    figure, axes = axes_of([panel.title for panel in panels], x_name, y_name, size)
    style = _styles(panels)
    for panel, each in zip(panels, axes, strict=True):
        width = 0.84 / max(len(panel.lines), 1)
        for place, (name, values) in enumerate(panel.lines.items()):
            k = style[name]
            left = [x - 0.42 + (place + 0.5) * width for x in range(len(panel.x))]
            look = {"color": SERIES[k], "hatch": HATCHES[k], "edgecolor": "white", "linewidth": 0}
            each.bar(left, _numbers(values), width, label=shown_name(name), **look)
        step = -(-len(panel.x) // 20)
        each.set_xticks(range(0, len(panel.x), step), [f"{x:g}" for x in panel.x][::step])
        each.set_ylim(0, 100)
        columns = len(panel.lines)
        each.legend(frameon=False, fontsize=8, ncols=columns, loc="upper center", bbox_to_anchor=(0.5, -0.18))
    return figure


def shaded(
    axes: Any,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[Any]],
    shade: Callable[[Any], float],
    text: Callable[[Any], str],
    missing: str = "",
) -> None:
    """Draw a grid of cells: each has the shade of its value, and its text; on a dark shade the text is white.

    A value of None has no shade, and the text `missing`.
    """
    shades = [[float("nan") if value is None else shade(value) for value in row] for row in values]
    if shades:
        axes.imshow(shades, cmap=SHADES, vmin=0, vmax=1, aspect="auto")
    axes.grid(visible=False)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.set_xticks(range(len(columns)), columns, fontsize=8)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            colour, cell = "white" if shades[y][x] > 0.6 else "black", missing if value is None else text(value)
            axes.text(x, y, cell, ha="center", va="center", fontsize=8, color=colour)


def stack_figure(panels: Sequence[Distribution], x_name: str, class_name: str, *, numbers: bool) -> Figure:
    """Stacked bars in per cent over bins; the column of all arcs stands apart (2020, Figures 6 to 8).

    numbers: the classes are numbers; the last may be `>10`. A class looks the same in all panels. More classes than
    MOST_CLASSES that are no numbers are drawn as a heat map.
    """
    if not numbers and len({label for panel in panels for label in panel.classes}) > MOST_CLASSES:
        return class_heat_map(panels, x_name)
    figure, axes = axes_of([panel.title for panel in panels], x_name, "arcs of the bin (%)", (6.4, 4.0))
    styles = _class_styles({label for panel in panels for label in panel.classes}, numbers)
    for panel, each in zip(panels, axes, strict=True):
        places = [*range(len(panel.columns) - 1), len(panel.columns) - 0.5]
        bottom = [0.0] * len(places)
        bars = []
        for label, shares in zip(panel.classes, panel.shares, strict=True):
            heights = [0.0 if share is None else 100 * share for share in shares]
            colour, hatch = styles[label]
            look = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.5}
            bars.append(each.bar(places, heights, 0.86, bottom, label=label, **look))
            bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
        each.set_xticks(places, panel.columns)
        each.set_ylim(0, 100)
        beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "ncols": 1 + len(panel.classes) // 16}
        each.legend(handles=bars[::-1], title=class_name, title_fontsize=7, fontsize=7, frameon=False, **beside)
    return figure


MOST_CLASSES = 8  # classes that can be told apart in stacked bars


def class_heat_map(panels: Sequence[Distribution], x_name: str) -> Figure:
    """The share of each class in each bin as the shade of a cell, the most frequent class first; TOT: of all arcs."""
    most = max(len(panel.classes) for panel in panels)
    width = 0.46 * max(len(panel.columns) for panel in panels) + 1.6
    figure = matplotlib().figure.Figure(figsize=(width * len(panels), 0.24 * most + 1.4), layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        order = sorted(range(len(panel.classes)), key=lambda k: -int(panel.counts[k, -1]))
        shares = [[share or None for share in row] for row in panel.shares]  # a cell without arcs is empty
        highest = max((share or 0.0 for row in shares for share in row), default=1.0) or 1.0
        shaded(
            *(axes, [panel.classes[k] for k in order], panel.columns, [shares[k] for k in order]),
            *(lambda share, highest=highest: 0.9 * (share / highest) ** 0.5, lambda share: f"{100 * share:.0f}"),
        )
        axes.set_title(f"{panel.title}: arcs of the bin (%)", fontsize=10)
        axes.set_xlabel(x_name)
    return figure


def _class_styles(labels: set[str], numbers: bool) -> dict[str, tuple[Any, str]]:
    """The colour and hatch of each class. Shades differ in grey, too; negative numbers have another hue and a hatch."""
    colormaps = matplotlib().colormaps

    def spread(names: list[str], colours: str, low: float, high: float, hatch: str) -> dict[str, tuple[Any, str]]:
        steps = max(len(names) - 1, 1)
        return {name: (colormaps[colours](low + (high - low) * k / steps), hatch) for k, name in enumerate(names)}

    if not numbers:
        names = sorted(labels)
        if len(names) <= len(SERIES):
            return {name: (SERIES[k], HATCHES[k]) for k, name in enumerate(names)}
        shades = spread(names, CLASSES, 0, 1, "")
        return {name: (shades[name][0], HATCHES[k % len(HATCHES)]) for k, name in enumerate(names)}
    ordered = sorted(labels, key=_number)
    negative = [label for label in ordered if _number(label) < 0]
    rest = ordered[len(negative) :]
    if not negative:
        return spread(rest, f"{CLASSES}_r", 0, 1, "")
    return spread(negative[::-1], BELOW, 0.25, 0.9, "////") | spread(rest, ABOVE, 0.25, 0.95, "")


def _number(label: str) -> float:
    """The place of a class among numbers: `>10` comes last, `<-10` first."""
    return float("inf") if label.startswith(">") else float("-inf") if label.startswith("<") else float(label)


def ecc_figure(points: Sequence[tuple[str, Mapping[str, Any]]], signatures: Sequence[str]) -> Figure:
    """EMR over ECC of samples, each a name and its row, with 99 % intervals (2008, Figure 4)."""
    # the names stand beside the picture, with numbers, because beside the points they would overlap
    size = (9.5, max(5.0, 0.27 * len(points) + 1.2))
    title = "Exact match rate over ECC, 99 % intervals"
    figure, (axes,) = axes_of([title], "ECC (bits per tree)", "EMR (%)", size)
    for number, (name, row) in enumerate(points, 1):
        k = int(row["sample"] != "train")
        x, y = row["ecc"], 100 * row["emr"]
        intervals = {"xerr": row["ecc_ci"] or 0.0, "yerr": 100 * (row["emr_ci"] or 0.0)}
        shape = {"fmt": MARKERS[k], "markersize": 4, "capsize": 2, "linewidth": 1, "color": SERIES[k]}
        axes.errorbar(x, y, **intervals, **shape, label=f"{number}  {name}")
        axes.annotate(str(number), (x, y), xytext=(5, 5), textcoords="offset points", fontsize=8)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False, handlelength=1)
    return signed(figure, "\n".join(signatures))


def curve_figure(curves: Sequence[tuple[str, Any]], signature: str) -> Figure:
    """The running means of each treebank over its trees, a line for each row (2008, Figure 2)."""
    if not curves:
        raise OptionError("no treebank; expected at least one learning curve to draw")
    figure, axes = axes_of([name for name, _ in curves], "trees", "ECC (bits)", columns=2)
    for each, (_, lines) in zip(axes, curves, strict=True):
        n = lines.shape[1]
        for k, line in enumerate(lines):
            k %= len(SERIES)
            each.plot(range(1, n + 1), line, linewidth=0.9, color=SERIES[k], linestyle=DASHES[k])
        if n:
            final = float(lines[0, -1])
            room = max(2.0, 0.3 * final)
            each.set_ylim(max(0.0, final - room), final + room)
    return signed(figure, signature)


def surprisal_figure(name: str, labels: Sequence[str], bits: Mapping[str, np.ndarray], signature: str) -> Figure:
    """Bars for each word of a sentence and its end; panels are below each other, each over its own scale.

    bits: title of a panel -> a value for each label.
    """
    size = (max(5.2, 0.5 * len(labels) + 1.5), 2.6)
    figure, panels = axes_of(list(bits), "", "bits", size, columns=1)
    x = np.arange(len(labels))
    for axes, values, colour in zip(panels, bits.values(), SERIES, strict=False):
        axes.bar(x, np.where(np.isfinite(values), values, np.nan), 0.7, color=colour)
        axes.set_xticks(x, labels, fontsize=8, rotation=45 if len(labels) > 12 else 0, ha="center")
    figure.suptitle(name, fontsize=10)
    return signed(figure, signature)


def signed(figure: Figure, signature: str) -> Figure:
    """The figure, with the settings written below it."""
    figure.supxlabel(signature, fontsize=7, color=LIGHT.soft, x=0.01, ha="left")
    return figure
