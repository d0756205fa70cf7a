"""Pictures: ECC against EMR, and the learning curve of ECC."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from treegauge.corpus.files import open_bytes, write_whole
from treegauge.errors import CorpusError, OptionError
from treegauge.grammar.measures import EccResult

PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True)
class Point:
    """One sample in the plane of ECC and EMR, with 99 % intervals."""

    name: str
    ecc: float
    ecc_ci: float
    emr: float
    emr_ci: float


def points(results: Iterable[EccResult | dict[str, Any]]) -> list[Point]:
    """The samples of results, or of what `to_dict` made of them, that have both figures; easiest first."""
    found = []
    for result in results:
        data = result.to_dict() if isinstance(result, EccResult) else result
        for sample in ("train", "test"):
            figures = data.get(sample)
            if not figures or figures.get("ecc") is None or figures.get("emr") is None:
                continue
            kind = "LOO" if sample == "test" and "leave-one-out" in data.get("signature", "") else sample
            intervals = (figures.get("ecc_ci") or 0.0, figures.get("emr_ci") or 0.0)
            name = " ".join([data.get("treebank", ""), *_unusual(data.get("signature", "")), kind])
            found.append(Point(name, figures["ecc"], intervals[0], figures["emr"], intervals[1]))
    return sorted(found, key=lambda point: point.ecc)


def signatures(results: Iterable[EccResult | dict[str, Any]]) -> str:
    """The signatures of results, a line for each different one."""
    told = (result.signature if isinstance(result, EccResult) else result.get("signature", "") for result in results)
    return "\n".join(sorted(set(told)))


def _unusual(signature: str) -> list[str]:
    """What a signature says about the treebank's labels, if it is not the usual."""
    told = ("cluster", "transform", "punctuation-tags", "parseval")
    values = [part.partition(":")[2] for part in signature.split("|") if part.partition(":")[0] in told]
    return values + [part for part in ("functions:kept", "empty:kept") if part in signature]


def read_runs(paths: Iterable[str]) -> list[dict[str, Any]]:
    """Results of earlier runs, from files of one JSON object per line."""
    runs: list[dict[str, Any]] = []
    for path in paths:
        with open_bytes(path) as stream:
            lines = stream.read().decode("utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                run = json.loads(line)
            except json.JSONDecodeError as error:
                raise CorpusError(f"{path}:{number}: {error}; expected a line of `ecc --format json`") from error
            if not isinstance(run, dict) or "train" not in run:
                raise CorpusError(f'{path}:{number}: no "train"; expected a line of `ecc --format json`')
            runs.append(run)
    return runs


def check_picture(path: str) -> None:
    """Raise unless the name's ending is one a picture can have and its folder exists."""
    if os.path.splitext(path)[1] not in PICTURES:
        raise OptionError(f"{path}: expected a name that ends in one of {', '.join(PICTURES)}")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise OptionError(f"{path}: no such folder {folder}")


def plot_ecc_emr(samples: Sequence[Point], path: str, signature: str = "") -> None:
    """The paper's Figure 4: each sample's EMR over its ECC, with 99 % intervals."""
    from matplotlib.figure import Figure

    if not samples:
        raise OptionError("no sample has both ECC and EMR; expected at least one to plot")
    # names beside the plot, numbered in it: beside the points they would lie on each other
    figure = Figure(figsize=(9.5, max(5.0, 0.27 * len(samples) + 1.2)), layout="constrained")
    axes = figure.subplots()
    colours = ("#1b6ca8" if sample.name.endswith("train") else "#c4541a" for sample in samples)
    for number, (sample, colour) in enumerate(zip(samples, colours, strict=True), 1):
        axes.errorbar(
            sample.ecc,
            sample.emr,
            xerr=sample.ecc_ci,
            yerr=sample.emr_ci,
            fmt="o",
            markersize=4,
            capsize=2,
            linewidth=1,
            color=colour,
            label=f"{number}  {sample.name}",
        )
        axes.annotate(str(number), (sample.ecc, sample.emr), xytext=(5, 5), textcoords="offset points", fontsize=8)
    axes.set_xlabel("ECC (bits per tree)")
    axes.set_ylabel("EMR (%)")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False, handlelength=1)
    axes.set_title("Exact match rate over ECC, 99 % intervals", fontsize=11)
    _save(figure, path, signature)


def plot_learning_curves(curves: dict[str, Any], path: str, signature: str = "") -> None:
    """The paper's Figure 2: for each treebank the running mean of Δt, a line per shuffle."""
    from matplotlib.figure import Figure

    if not curves:
        raise OptionError("no treebank; expected at least one learning curve to plot")
    columns = min(2, len(curves))
    rows = -(-len(curves) // columns)
    figure = Figure(figsize=(5.2 * columns, 3.6 * rows), layout="constrained")
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes, (name, lines) in zip(panels, curves.items(), strict=False):
        n = lines.shape[1]
        for line in lines:
            axes.plot(range(1, n + 1), line, linewidth=0.9)
        if n:
            final = float(lines[0, -1])
            axes.set_ylim(max(0.0, final - max(2.0, 0.3 * final)), final + max(2.0, 0.3 * final))
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("trees")
        axes.set_ylabel("ECC (bits)")
        axes.grid(alpha=0.3)
    for axes in panels[len(curves) :]:
        axes.set_axis_off()
    _save(figure, path, signature)


def _save(figure: Any, path: str, signature: str) -> None:
    check_picture(path)
    if signature:
        figure.supxlabel(signature, fontsize=7, color="#555555", x=0.01, ha="left")
    with write_whole(path) as stream:
        figure.savefig(stream, format=os.path.splitext(path)[1][1:], dpi=150)
