"""Are the errors of a treebank at the end of LISCA's ranking?

    python benchmarks/dangerous_relations.py [en_ewt_r22 pt_bosque_2019 …] [--figure FILE]

Each treebank of the evaluation data (`corrections/`) is ranked by LISCA, every sentence judged by all others, and the
ranking is cut into ten equal bins. Printed for each bin: the arcs, how many of them a commit of at most 20 arcs changed
later (see corrections.py), their share, and the three relations that have most of the errors in the last bin.
"""

import argparse
from collections import Counter

import numpy as np
from corrections import read_corrections

from treegauge.ranking.scored import BINS, bin_of
from treegauge.reports.figures import axes_of, picture
from treegauge.scorers.registry import scorer


def main() -> None:
    """Print the bins of each treebank, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["en_ewt_r22", "pt_bosque_2019"])
    parser.add_argument("--figure")
    options = parser.parse_args()
    shares = {}
    for name in options.names:
        corrections = read_corrections(name)
        corpus = corrections.corpus
        scores = scorer("lisca", by_itself=corpus).scores(corpus)
        judged = np.flatnonzero((corrections.error | ~corrections.changed) & ~np.isnan(scores))
        ranked = judged[np.argsort(-scores[judged], kind="stable")]
        bins = bin_of(np.arange(len(ranked)), len(ranked), BINS)
        errors = corrections.error[ranked]
        shares[name] = [float(errors[bins == k].mean()) for k in range(1, BINS + 1)]
        print(f"{name}: {len(ranked)} arcs, {int(errors.sum())} errors")
        for k in range(1, BINS + 1):
            mine = errors[bins == k]
            print(f"  bin {k:2}: {int(mine.sum()):5} errors, {100 * mine.mean():.2f} % of {len(mine)} arcs")
        worst = ranked[(bins == BINS) & errors]
        relations = Counter(corpus.value("deprel", row).partition(":")[0] for row in worst.tolist())
        print(f"  last bin: {100 * len(worst) / max(errors.sum(), 1):.0f} % of all errors; {relations.most_common(3)}")
    if options.figure:
        figure, (axes,) = axes_of(
            ["Arcs that maintainers corrected later"], "bin of LISCA's ranking (1: the most reliable)", "%", (6.0, 3.4)
        )
        for name, values in shares.items():
            axes.plot(range(1, BINS + 1), [100 * value for value in values], marker="o", label=name)
        axes.set_xticks(range(1, BINS + 1))
        axes.legend(frameon=False)
        with open(options.figure, "wb") as stream:
            stream.write(picture(figure, options.figure.rpartition(".")[2]))


if __name__ == "__main__":
    main()
