"""Draws docs/bins.svg: the share of wrong arcs in ten bins of plausibility, by bundled models.

python benchmarks/bins_figure.py
"""

import os
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from treegauge.corpus.compare.comparison import right_arcs
from treegauge.corpus.conllu import read_conllu
from treegauge.ranking.scored import bin_of, reliable_order
from treegauge.scorers.registry import scorer

PAIRS = {
    "en_ewt_udpipe": ("English, UDPipe", "o"),
    "es_spacy": ("Spanish, spaCy", "s"),
    "it_mix": ("Italian, UDPipe", "^"),
    "tr_imst": ("Turkish, UDPipe", "D"),
}
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#000000")  # Okabe and Ito's, safe for the colour-blind


def wrong_by_bin(folder: Path) -> list[float]:
    """The share of wrong arcs in each of ten bins, most plausible first, by the bundled model of the language."""
    gold, system = (read_conllu(folder / f"test.{side}.conllu") for side in ("gold", "system"))
    right = right_arcs(gold, system)
    order = reliable_order(scorer(model=folder.name[:2]).scores(system))
    bins = bin_of(np.arange(len(order)), len(order), 10)
    return [float((~right[order])[bins == b].mean()) for b in range(1, 11)]


def main() -> None:
    """Draw the figure and print its numbers."""
    data = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.subplots()
    for (name, (label, marker)), colour in zip(PAIRS.items(), COLOURS, strict=True):
        shares = wrong_by_bin(data / "pairs" / name)
        print(name, *(f"{share:.3f}" for share in shares))
        axes.plot(range(1, 11), [100 * share for share in shares], marker=marker, color=colour, label=label)
    axes.set_xlabel("bin of plausibility (1: the most plausible tenth of the arcs)")
    axes.set_ylabel("wrong arcs (%)")
    axes.set_xticks(range(1, 11))
    axes.set_ylim(0)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    with rc_context({"svg.hashsalt": "treegauge", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(Path(__file__).parents[1] / "docs" / "bins.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
