"""Pictures of results: SVG, PNG or PDF by the file's ending, legible in grey and by the colour-blind."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treegauge.errors import OptionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = ("svg", "png", "pdf")
# Okabe and Ito's colours, safe for the colour-blind; a marker, a dash and a hatch each tell them apart in grey
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000", "#56b4e9")
MARKERS = "os^Dvx*"
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)))
HATCHES = ("", "////", "....", "xx", "\\\\\\\\", "--", "++")


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines over a common axis: name -> a value for each x, None for none."""

    title: str
    x: Sequence[float]
    lines: dict[str, Sequence[float | None]]


def ending_of(path: str) -> str:
    """The kind of picture that a file's name asks for."""
    ending = os.path.splitext(path)[1].lstrip(".").lower()
    if ending not in ENDINGS:
        raise OptionError(f"{path}: a figure's name should end in .{', .'.join(ENDINGS)}")
    return ending


def picture(figure: Figure, ending: str) -> bytes:
    """The bytes of a figure, the same for the same figure."""
    from matplotlib import rc_context

    stream = io.BytesIO()
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending, {})
    with rc_context({"svg.hashsalt": "treegauge", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(stream, format=ending, metadata=metadata, dpi=160)
    return stream.getvalue()


def _figure(panels: int, width: float = 5.2, height: float = 3.6) -> tuple[Figure, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * panels, height), layout="constrained")
    axes = figure.subplots(1, panels, squeeze=False, sharey=True)[0].tolist()
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
        each.grid(axis="y", color="#dddddd", linewidth=0.6)
        each.set_axisbelow(True)
    return figure, axes


def _numbers(values: Sequence[float | None], times: float = 100) -> list[float]:
    return [float("nan") if value is None else times * value for value in values]


def _style(names: Sequence[str]) -> dict[str, int]:
    """A number for each name, the same in every panel, so that a colour means one thing."""
    return {name: k % len(COLOURS) for k, name in enumerate(names)}


def line_figure(panels: Sequence[Panel], x_name: str, y_name: str, *, markers: bool = True) -> Figure:
    """Fractions as lines in per cent, a panel beside the other (2013, Figure 1; 2020, Figures 4 and 5)."""
    figure, axes = _figure(len(panels))
    style = _style(list(dict.fromkeys(name for panel in panels for name in panel.lines)))
    for panel, each in zip(panels, axes, strict=True):
        for name, values in panel.lines.items():
            k = style[name]
            each.plot(
                panel.x,
                _numbers(values),
                label=name,
                color=COLOURS[k],
                linestyle=DASHES[k],
                marker=MARKERS[k] if markers and len(panel.x) <= 30 else None,
                markersize=4,
                linewidth=1.4,
            )
        if list(panel.x) == list(range(1, len(panel.x) + 1)) and len(panel.x) <= 20:  # bins
            each.set_xticks(list(panel.x))
        each.set_title(panel.title, fontsize=10)
        each.set_xlabel(x_name)
        each.set_ylabel(y_name)
        each.legend(frameon=False, fontsize=8, handlelength=3)
    return figure


def bar_figure(panels: Sequence[Panel], x_name: str, y_name: str) -> Figure:
    """Fractions as groups of bars in per cent, a panel beside the other (2013, Figure 2)."""
    groups = max((len(panel.x) for panel in panels), default=1)
    figure, axes = _figure(len(panels), min(max(5.2, 0.55 * groups), 14))
    style = _style(list(dict.fromkeys(name for panel in panels for name in panel.lines)))
    for panel, each in zip(panels, axes, strict=True):
        width = 0.84 / max(len(panel.lines), 1)
        for place, (name, values) in enumerate(panel.lines.items()):
            k = style[name]
            each.bar(
                [x - 0.42 + (place + 0.5) * width for x in range(len(panel.x))],
                _numbers(values),
                width,
                label=name,
                color=COLOURS[k],
                hatch=HATCHES[k],
                edgecolor="white",
                linewidth=0,
            )
        step = -(-len(panel.x) // 20)
        each.set_xticks(range(0, len(panel.x), step), [f"{x:g}" for x in panel.x][::step])
        each.set_title(panel.title, fontsize=10)
        each.set_xlabel(x_name)
        each.set_ylabel(y_name)
        each.set_ylim(0, 100)
        columns = len(panel.lines)
        each.legend(frameon=False, fontsize=8, ncols=columns, loc="upper center", bbox_to_anchor=(0.5, -0.18))
    return figure
