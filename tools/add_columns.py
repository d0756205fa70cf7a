"""Adds what is known of the other columns (lemma, XPOS, features, subtype) to the bundled models; the rest stays.

    python tools/add_columns.py [--only CODE …] [--models FOLDER] --out FOLDER [UD]

Each column is learned from the treebanks of the model (`bundled_treebanks.tsv`), with at most as many weights as MOST
says. It is left out where, learned from four fifths of the sentences, the value of a word is the likeliest one in less
than LEAST of the others. FOLDER gets the models, and `columns.tsv`: code, column, bytes, and that share.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from build_models import BUNDLED, DATA, Treebank, in_turn, treebanks

from treegauge.corpus.corpus import Corpus
from treegauge.models.columns.choices import ColumnJudge
from treegauge.models.columns.inventory import present
from treegauge.models.columns.learning import learn_column
from treegauge.models.columns.weights import ColumnWeights
from treegauge.models.model import columns_section, model_bytes, read_model

# weights of each column: what is tried first, and what is tried if too few values are the likeliest ones then
MOST = {"lemma": (8000,), "xpos": (8000,), "feats": (16000, 32000), "subtype": (4000,)}
FEW_WORDS = 40_000  # models of fewer words get fewer weights, down to a quarter
ENOUGH, LEAST = 0.95, 0.85
_LEVEL = 19  # of Zstandard


def first_values(corpus: Corpus, column: str, most: int) -> float:
    """How often the value of a word is the likeliest one, by what is learned from four fifths of the sentences."""
    held = np.arange(corpus.n_sentences) % 5 == 4
    rest, tried = corpus.select(~held), corpus.select(held)
    if not tried.n_words:
        return 0.0
    learned = learn_column(lambda: [rest], column, most)
    choices = ColumnJudge(column, learned.classes, learned.supports).choices(tried, [learned.weight])
    return float(1 - choices.likelier.mean())


def columns_of(corpus: Corpus) -> list[tuple[ColumnWeights, int, float]]:
    """The columns that are worth their room, the bytes of each, and how often a value is the likeliest one."""
    found = []
    size = min(max(corpus.n_words / FEW_WORDS, 0.25), 1.0)
    for column in present([corpus]):
        for most in MOST[column]:
            share = first_values(corpus, column, round(most * size))
            if share >= ENOUGH:
                break
        if share >= LEAST:
            learned = learn_column(lambda: [corpus], column, round(most * size))
            found.append((learned, len(columns_section([learned], _LEVEL)[1]), share))
    return found


def add(ud: Path, models: Path, out: Path, group: list[Treebank]) -> str:
    """Write the model of a language with its columns; the lines of the table."""
    code = group[0].code
    model = read_model(str(models / f"{code}.tgm"))
    found = columns_of(in_turn(ud, group))
    (out / f"{code}.tgm").write_bytes(model_bytes(replace(model, columns=tuple(one for one, *_ in found)), _LEVEL))
    return "".join(f"{code}\t{one.column}\t{size}\t{share:.4f}\n" for one, size, share in found)


def main() -> None:
    """Add columns to every model."""
    options = argparse.ArgumentParser()
    options.add_argument("ud", nargs="?", type=Path, default=DATA / "ud")
    options.add_argument("--only", nargs="+", metavar="CODE")
    options.add_argument("--models", type=Path, default=BUNDLED)
    options.add_argument("--out", type=Path, required=True)
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with (given.out / "columns.tsv").open("a", encoding="utf-8") as table:
        for group in treebanks():
            if given.only is None or group[0].code in given.only:
                lines = add(given.ud, given.models, given.out, group)
                table.write(lines)
                table.flush()
                print(lines, end="", flush=True)


if __name__ == "__main__":
    main()
