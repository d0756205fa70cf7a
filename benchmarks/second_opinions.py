"""How much other parses of a text help to find wrong arcs: the submissions to the CoNLL 2018 shared task.

    python benchmarks/second_opinions.py                       # two systems, 1, 2, 4 and 6 other parses
    python benchmarks/second_opinions.py --same-sentences      # only sentences that have gold's words
    python benchmarks/second_opinions.py --each                # every other parse as the only one

The model is learned from the training text of the same release. The other parses are taken in the order of OTHERS,
fixed before anything was measured. An arc is right if its head and its universal relation are gold's; words are
aligned as in `judge`, and those without a partner in gold are not measured. Agreement alone is the share of the other
parses that have the arc. Given are ROC-AUC and the percentage of all errors among the worst 20 %. Settings were chosen
on the first four treebanks; the others report.
"""

import argparse
import io
import lzma
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
from parsers_2018 import CHOSEN_ON, DATA, REPORTED, SYSTEMS, measured, same_sentences

from treegauge.corpus.compare.comparison import side_by_side
from treegauge.corpus.conllu import parse_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.words import COLUMNS
from treegauge.scorers.by_model import ChoiceScorer
from treegauge.scorers.opinions import ABSENT, BOTH
from treegauge.scorers.other_parses import other_parses
from treegauge.scorers.second_opinions import AgreementScorer, OpinionScorer

OTHERS = ("UDPipe-Future", "Uppsala-18", "ICS-PAS", "Stanford-18", "TurkuNLP-18", "LATTICE-18")
SIZES = (1, 2, 4, 6)
KINDS = ("choice", "agreement", "combined")
Found = dict[tuple[str, str, str], list[tuple[float, ...]]]  # by system, treebanks and other parses


def read(path: Path) -> Corpus:
    """A submission; columns that it leaves empty, as one system does with FEATS, get the sign for no value."""
    with io.TextIOWrapper(lzma.open(path), encoding="utf-8", newline="") as file:
        return parse_conllu(re.sub(r"\t(?=[\t\n])", "\t_", file.read()), columns=COLUMNS)


def figures(
    scorer: ChoiceScorer, system: Corpus, others: list[Corpus], right: np.ndarray, kept: np.ndarray
) -> tuple[float, ...]:
    """The two measures of choice, of agreement and of both together."""
    parses = other_parses(system, others, [str(k) for k in range(len(others))])
    opinions = parses(system)
    there = (opinions.says != ABSENT).sum(axis=0)
    agreement = (opinions.says == BOTH).sum(axis=0) / np.maximum(there, 1)
    scores = scorer.scores(system), agreement, OpinionScorer(scorer, AgreementScorer(parses)).scores(system)
    return tuple(value for one in scores for value in measured(one[kept], right[kept]))


def kept_words(gold: Corpus, system: Corpus, same: bool) -> tuple[np.ndarray, np.ndarray]:
    """Of each word of the system: whether its arc is right, and whether it is measured."""
    over = side_by_side(system, gold)
    kept = over.present
    if same:
        kept &= np.isin(system.number, same_sentences(gold, system)[1].number)[system.sentence]
    return over.right, kept


def asked() -> argparse.Namespace:
    """The systems and treebanks asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--systems", nargs="+", default=SYSTEMS)
    parser.add_argument("--treebanks", nargs="+", default=CHOSEN_ON + REPORTED)
    parser.add_argument("--same-sentences", action="store_true")
    parser.add_argument("--each", action="store_true")
    return parser.parse_args()


def main() -> None:
    """A line for each treebank, system and number of other parses, then the means."""
    given, rows = asked(), Found()
    chosen = {name: (name,) for name in OTHERS} if given.each else {f"{n} others": OTHERS[:n] for n in SIZES}
    for treebank in given.treebanks:
        folder = DATA / treebank
        scorer = ChoiceScorer(Choice(learn_choice(stream_conllu(str(folder / "train.conllu.xz"), columns=COLUMNS))))
        gold = read(folder / "gold.conllu.xz")
        parses = {name: read(folder / f"{name}.conllu.xz") for name in {*given.systems, *OTHERS}}
        for system in given.systems:
            right, kept = kept_words(gold, parses[system], given.same_sentences)
            for name, others in chosen.items():
                found = figures(scorer, parses[system], [parses[other] for other in others], right, kept)
                group = "chosen on" if treebank in CHOSEN_ON else "reported"
                rows.setdefault((system, group, name), []).append(found)
                print(row(f"{treebank} {system}, {name}", found), flush=True)
    every = defaultdict(list)
    for (system, group, name), found_in in rows.items():
        print(row(f"mean {system}, {group}, {name}", tuple(np.mean(found_in, axis=0))))
        every[system, name] += found_in
    for (system, name), found_in in every.items():
        print(row(f"mean {system}, all, {name}", tuple(np.mean(found_in, axis=0))))


def row(name: str, found: tuple[float, ...]) -> str:
    """A line: the name, then each kind of score."""
    told = (f"{kind} {found[2 * k]:.4f} {found[2 * k + 1]:4.1f}" for k, kind in enumerate(KINDS))
    return f"{name:52} {'  '.join(told)}"


if __name__ == "__main__":
    main()
