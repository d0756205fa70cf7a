"""How well bits per arc foretell the LAS of a parser, beside what is usually looked at (treebank size and the like).

    python benchmarks/udpipe_las.py --output las.tsv            # UDPipe, trained on equally many words of each treebank
    python benchmarks/bits_and_las.py las.tsv                   # Spearman's correlations with that LAS
    python benchmarks/bits_and_las.py --pairs                   # the pairs of the evaluation data: their parsers' LAS

Bits are measured on the words that the parser was trained and tested on: train → test, prequential on the training
words, and without words. Treebanks are in the order of their names: the first of each two (`chosen on`) may be looked
at while something is decided, the others (`reported on`) not. Rivals: words of the whole treebank, mean sentence
length, share of non-projective arcs, entropy of the tags, mean arc length, entropy of the relations.
"""

import argparse
from pathlib import Path

import numpy as np
from two_references import TREEBANKS
from udpipe_las import DATA, TEST_WORDS, WORDS, first, part_of, sample

from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.difficulty.bits import BitsSettings, dependency_bits
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.statistics import spearman

ORDERS = 3  # of the sentences, whose mean is taken
MEASURES = ("train-test", "unlexical", "prequential", "preq_unlex")
RIVALS = ("size", "length", "non-projective", "tag entropy", "arc length", "relation entropy")


def entropy(codes: np.ndarray) -> float:
    """Bits of the distribution of codes."""
    p = np.bincount(codes) / len(codes)
    return float(-(p[p > 0] * np.log2(p[p > 0])).sum())


def non_projective(corpus: Corpus) -> float:
    """The share of arcs that cross another one."""
    crossing = 0
    for low, high in zip(corpus.start[:-1].tolist(), corpus.start[1:].tolist(), strict=True):
        heads = corpus.head[low:high].tolist()
        arcs = [(min(h, d), max(h, d)) for d, h in enumerate(heads, 1)]
        crossing += sum(any(a < c < b < d or c < a < d < b for c, d in arcs) for a, b in arcs)
    return crossing / corpus.n_words


def bits_of(train: Corpus, test: Corpus) -> list[float]:
    """The MEASURES of a treebank."""
    found = []
    for lexical in (True, False):
        settings = BitsSettings(lexical=lexical, samples=ORDERS)
        found.append(dependency_bits(train, test, settings).per_arc)
    for lexical in (True, False):
        found.append(dependency_bits(train, None, BitsSettings(lexical=lexical, samples=ORDERS)).per_arc)
    return found


def rivals_of(train: Corpus, test: Corpus, size: int) -> list[float]:
    """The RIVALS of a treebank."""
    mean = test.n_words / test.n_sentences
    usual = entropy(train.codes["upos"]), float(train.arc_length.mean()), entropy(train.relations().codes)
    return [float(size), mean, non_projective(test), *usual]


def equal_amounts(path: Path) -> list[tuple[str, float, list[float]]]:
    """Name, LAS and numbers of each treebank of a file that `udpipe_las.py` wrote."""
    rows = []
    for line in sorted(path.read_text().splitlines()):
        name, *_, las = line.split("\t")
        whole, test = part_of(name, "train"), first(part_of(name, "test"), TEST_WORDS)
        train = sample(whole, WORDS)
        rows.append((name, float(las), [*bits_of(train, test), *rivals_of(train, test, whole.n_words)]))
        print(f"{name:18} LAS {100 * float(las):5.2f}  " + " ".join(f"{x:.3f}" for x in rows[-1][2]), flush=True)
    return rows


def pairs() -> list[tuple[str, float, list[float]]]:
    """The same of the pairs, whose parsers learned from treebanks of several sizes."""
    rows = []
    for pair, treebank in TREEBANKS.items():
        folder = DATA / "pairs" / pair
        gold, train = read_conllu(folder / "test.gold.conllu"), part_of(treebank, "train")
        las = evaluate(gold, read_conllu(folder / "test.system.conllu"))["LAS"].f1
        part = sample(train, min(60_000, train.n_words - 1))
        rows.append((pair, las, [*bits_of(part, gold), *rivals_of(part, gold, train.n_words)]))
        print(f"{pair:18} LAS {100 * las:5.2f}  " + " ".join(f"{x:.3f}" for x in rows[-1][2]), flush=True)
    return rows


def main() -> None:
    """A line for each treebank, then the correlations."""
    parser = argparse.ArgumentParser()
    parser.add_argument("las", nargs="?", type=Path)
    parser.add_argument("--pairs", action="store_true")
    given = parser.parse_args()
    print(" " * 28 + " ".join((*MEASURES, *RIVALS)))
    rows = pairs() if given.pairs else equal_amounts(given.las)
    parts = {"all": rows} if given.pairs else {"all": rows, "chosen on": rows[::2], "reported on": rows[1::2]}
    for what, some in parts.items():
        print(f"Spearman with LAS, {what}: {len(some)} treebanks")
        for k, measure in enumerate((*MEASURES, *RIVALS)):
            rho, p = spearman([row[2][k] for row in some], [row[1] for row in some])
            print(f"  {measure:16} {rho:+.3f}  p = {p:.2g}")


if __name__ == "__main__":
    main()
