"""Chooses the constants of LISCA's smoothing on half of the pairs in the evaluation data, and reports the other half.

python benchmarks/smoothing.py [PAIRS]
"""

import os
import sys
from pathlib import Path

import numpy as np

from treegauge.corpus.compare.comparison import right_arcs
from treegauge.corpus.conllu import read_conllu
from treegauge.evaluation.judging.measures import errors_in_worst, roc_auc
from treegauge.models.lisca.counts import build_reference
from treegauge.models.lisca.score import Lisca, LiscaOptions, Smoothing

CHOSEN_ON = ("el_gdt", "es_spacy", "hu_szeged", "ko_gsd", "ru_taiga")
REPORTED_ON = ("en_ewt_udpipe", "fr_spacy", "it_mix", "pt_bosque", "tr_imst")
ALPHAS = (0.001, 0.01, 0.03, 0.1, 0.2, 0.5, 1.0, 2.0)
KS = (1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
SHARES = (0.1, 0.2, 0.3)


def load(folder: Path):
    """The factors of a pair's system arcs, without smoothing and with, and which arcs are right."""
    model = build_reference([str(folder / "reference.parsed.conllu.xz")])
    gold, system = (read_conllu(folder / f"test.{side}.conllu") for side in ("gold", "system"))
    plain, smoothed = (Lisca(model, LiscaOptions(smoothing=s)).factors(system) for s in (None, Smoothing()))
    return plain, smoothed, right_arcs(gold, system)


def judge(plain, smoothed, right, smoothing):
    """ROC-AUC, then the share of errors in the worst 10, 20 and 30 %."""
    scores = (smoothed if smoothing else plain).log_ratios(smoothing).sum(axis=0)
    return [roc_auc(scores, right), *(errors_in_worst(scores, right, share) for share in SHARES)]


def main() -> None:
    """Choose, then report."""
    data = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    pairs = Path(sys.argv[1]) if len(sys.argv) > 1 else data / "pairs"
    loaded = {name: load(pairs / name) for name in CHOSEN_ON}
    print(f"mean over {', '.join(CHOSEN_ON)}: ROC-AUC, errors in the worst 10, 20, 30 %")
    table = {}
    for smoothing in (None, *(Smoothing(alpha, k) for alpha in ALPHAS for k in KS)):
        table[smoothing] = np.mean([judge(*pair, smoothing) for pair in loaded.values()], axis=0)
        print(smoothing, *(f"{value:.4f}" for value in table[smoothing]), flush=True)
    best = max(table, key=lambda smoothing: table[smoothing].mean())
    print("chosen by the mean of the four:", best)
    loaded = {name: load(pairs / name) for name in REPORTED_ON}
    for name, pair in loaded.items():
        for smoothing in (None, best):
            print(name, smoothing, *(f"{value:.4f}" for value in judge(*pair, smoothing)), flush=True)


if __name__ == "__main__":
    main()
