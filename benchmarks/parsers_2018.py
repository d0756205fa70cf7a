"""How well wrong arcs of real parsers are found: the submissions to the CoNLL 2018 shared task, tags predicted.

    python benchmarks/parsers_2018.py                                    # LISCA and choice, two systems
    python benchmarks/parsers_2018.py --systems Stanford-18 --treebanks en_ewt
    python benchmarks/parsers_2018.py --nets net_models                  # choice and the net, too (docs/net.md)

The reference is the training text of the same release. Measured are the sentences of a system that have gold's words:
ROC-AUC of "head and universal relation are right", and the share of all errors among the worst 20 %. Models are chosen
on the first four treebanks; the others report.
"""

import argparse
import os
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
from net_models import model_with_net

from treegauge.corpus.compare.comparison import right_arcs
from treegauge.corpus.conllu import read_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.evaluation.judging.measures import errors_in_worst, roc_auc
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.words import COLUMNS
from treegauge.models.lisca.counts import build_reference
from treegauge.models.lisca.score import Lisca
from treegauge.scorers.by_net import both_of

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "conll2018"
CHOSEN_ON = ("el_gdt", "hu_szeged", "ko_gsd", "ug_udt")
REPORTED = ("en_ewt", "tr_imst", "got_proiel", "sv_lines")
SYSTEMS = ("conll18-baseline", "HIT-SCIR-18")


def same_sentences(gold: Corpus, system: Corpus) -> tuple[Corpus, Corpus]:
    """The sentences that have the same words on both sides, in step."""
    ours, theirs = (["\t".join(corpus.forms(s)) for s in range(corpus.n_sentences)] for corpus in (gold, system))
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    sides = ([block[side] + k for block in blocks for k in range(block.size)] for side in (0, 1))
    of_gold, of_system = sides
    return gold.select(of_gold), system.select(of_system)


def measured(scores: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """ROC-AUC, and the percentage of all errors among the worst 20 %."""
    return roc_auc(scores, right), 100 * errors_in_worst(scores, right, 0.2)


def asked() -> argparse.Namespace:
    """The systems and treebanks asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--systems", nargs="+", default=SYSTEMS)
    parser.add_argument("--treebanks", nargs="+", default=CHOSEN_ON + REPORTED)
    parser.add_argument("--nets", type=Path, help="a folder of models with nets; missing ones are learned")
    return parser.parse_args()


def main() -> None:
    """A line for each treebank and system, then the means."""
    given = asked()
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for treebank in given.treebanks:
        train = str(DATA / treebank / "train.conllu.xz")
        both = None if given.nets is None else both_of(model_with_net(treebank, given.nets))
        lisca = Lisca(build_reference([train]))
        choice = Choice(learn_choice(stream_conllu(train, columns=COLUMNS)))
        gold = read_conllu(DATA / treebank / "gold.conllu.xz", columns=COLUMNS)
        for name in given.systems:
            system = read_conllu(DATA / treebank / f"{name}.conllu.xz", columns=COLUMNS)
            alike, theirs = same_sentences(gold, system)
            right = right_arcs(alike, theirs)
            scores = [lisca.scores(theirs), choice.choices(theirs).log_prob]
            scores += [] if both is None else [both.choices(theirs).odds.log_prob]
            found = tuple(value for score in scores for value in measured(score, right))
            rows.setdefault((name, "chosen on" if treebank in CHOSEN_ON else "reported"), []).append(found)
            print(
                row(f"{treebank} {name}, {theirs.n_words} words, {100 * right.mean():.1f} % right", found), flush=True
            )
    for name in given.systems:
        for group in ("chosen on", "reported"):
            if (name, group) in rows:
                print(row(f"mean {name}, {group}", tuple(np.mean(rows[name, group], axis=0))))
        every = [one for (system, _), found in rows.items() if system == name for one in found]
        print(row(f"mean {name}", tuple(np.mean(every, axis=0))))


def row(name: str, found: tuple[float, ...]) -> str:
    """A line: the name, then LISCA and choice, and choice with the net if that was asked for."""
    both = f"  net {found[4]:.4f} {found[5]:4.1f}" if len(found) > 4 else ""
    return f"{name:60} LISCA {found[0]:.4f} {found[1]:4.1f}  choice {found[2]:.4f} {found[3]:4.1f}{both}"


if __name__ == "__main__":
    main()
