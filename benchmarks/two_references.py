"""How well wrong arcs are found by parsed text, by gold, and by both together (`model build --gold`).

    python benchmarks/two_references.py                      # the ten pairs, the gold treebank of each
    python benchmarks/two_references.py --pairs es_spacy --gold ../shared/data/ud/pud/es_pud.conllu.xz

ROC-AUC of "head and universal relation are right", and the share of all errors among the worst 20 %. What decides is
chosen on the first five pairs; the others report.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from treegauge.corpus.compare.comparison import right_arcs
from treegauge.corpus.conllu import read_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.evaluation.judging.measures import errors_in_worst, roc_auc
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.two_references import learn_with_gold, of_same_scheme
from treegauge.models.choice.weights import ChoiceWeights
from treegauge.models.choice.words import COLUMNS

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
TREEBANKS = {  # the training text of each pair
    "el_gdt": "el_gdt",
    "es_spacy": "es_mix",
    "hu_szeged": "hu_szeged",
    "ko_gsd": "ko_gsd",
    "ru_taiga": "ru_taiga",
    "en_ewt_udpipe": "en_ewt",
    "fr_spacy": "fr_sequoia",
    "it_mix": "it_mix",
    "pt_bosque": "pt_bosque",
    "tr_imst": "tr_imst",
}


def stream(*paths: str) -> Iterator[Corpus]:
    """The sentences of some files, to learn from."""
    return stream_conllu(*paths, columns=COLUMNS)


def measured(weights: ChoiceWeights, system: Corpus, right: np.ndarray) -> tuple[float, float]:
    """ROC-AUC, and the percentage of all errors among the worst 20 %."""
    scores = Choice(weights).choices(system).log_prob
    return roc_auc(scores, right), 100 * errors_in_worst(scores, right, 0.2)


def main() -> None:
    """A line for each pair, then the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", nargs="+", default=list(TREEBANKS))
    parser.add_argument("--gold", nargs="+", help="instead of the training text of each pair")
    given = parser.parse_args()
    rows = []
    for pair in given.pairs:
        folder = DATA / "pairs" / pair
        gold, system = (read_conllu(folder / f"test.{side}.conllu", columns=COLUMNS) for side in ("gold", "system"))
        parsed = str(folder / "reference.parsed.conllu.xz")
        golden = given.gold or [str(next((DATA / "ud" / TREEBANKS[pair]).glob("train.conllu*")))]
        both = learn_with_gold(stream(parsed), stream(*golden))
        learned = (learn_choice(stream(parsed)), learn_choice(stream(*golden)), both)
        right = right_arcs(gold, system)
        rows.append([number for weights in learned for number in measured(weights, system, right)])
        differing = f"{100 * both.gold_differing / both.gold_words:.1f} % differing"
        print(row(pair, rows[-1]), differing, "" if of_same_scheme(both) else "another scheme", flush=True)
    print(row("mean", np.mean(rows, axis=0).tolist()))


def row(name: str, found: list[float]) -> str:
    """A line: the name, then parsed text, gold, both."""
    return f"{name:16} parsed {found[0]:.4f} {found[1]:4.1f}  gold {found[2]:.4f} {found[3]:4.1f}  " + (
        f"both {found[4]:.4f} {found[5]:4.1f}"
    )


if __name__ == "__main__":
    main()
