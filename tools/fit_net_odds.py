"""Fits the weights of `scorers/net_odds.py`: how choice and the net count together.

    python tools/fit_net_odds.py [--models FOLDER]

The arcs of several parsers of the CoNLL 2018 shared task are right or wrong by gold; a logistic regression over the log
odds by choice and the net, and those of the neighbours, is fitted on eight treebanks, each parser of each treebank
counting the same. Models that the folder does not have are built first (needs torch; minutes each). Printed: the
weights, and what they give on the four treebanks that are reported.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from net_models import DATA, FOLDER, model_with_net
from parsers_2018 import measured, same_sentences

from treegauge.corpus.compare.comparison import Comparison, right_arcs
from treegauge.corpus.conllu import read_conllu
from treegauge.evaluation.judging.measures import roc_auc
from treegauge.scorers.by_net import both_of
from treegauge.scorers.net_odds import clipped_odds, neighbour_odds, own_odds

CHOSEN_ON = ("el_gdt", "hu_szeged", "ko_gsd", "ug_udt", "fr_spoken", "la_perseus", "sme_giella", "ru_taiga")
REPORTED = ("en_ewt", "tr_imst", "got_proiel", "sv_lines")
SYSTEMS = ("conll18-baseline", "HIT-SCIR-18", "Stanford-18", "UDPipe-Future", "TurkuNLP-18", "Uppsala-18")
_PENALTY = 1e-3


def parses(treebank: str, folder: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Of each system of a treebank: what is known of arcs, which are right, what is known of tags, which are right."""
    both = both_of(model_with_net(treebank, folder))
    gold = read_conllu(DATA / treebank / "gold.conllu.xz")
    for name in SYSTEMS:
        path = DATA / treebank / f"{name}.conllu.xz"
        if not path.exists():
            continue
        alike, theirs = same_sentences(gold, read_conllu(path, on_error="skip"))
        if not theirs.n_words:
            continue
        found = both.choices(theirs)
        own = own_odds(found.choice.log_prob, found.net.log_prob)
        assert found.choice.tags is not None
        of_tags = found.choice.tags.log_prob, found.net.log_tag, found.choice.log_prob
        tags = np.stack([clipped_odds(log_prob) for log_prob in of_tags])
        numbers = np.concatenate([own, neighbour_odds(theirs, own)])
        yield name, numbers, right_arcs(alike, theirs), tags, Comparison(theirs, alike).same("upos")


def fitted(parts: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Intercept and weights of the logistic regression in which every part counts the same (Newton's method)."""
    X = np.concatenate([np.vstack([np.ones(len(right)), numbers]) for numbers, right in parts], axis=1)
    right = np.concatenate([right for _, right in parts]).astype(float)
    share = np.concatenate([np.full(len(right), 1e4 / len(right)) for _, right in parts])
    weights = np.zeros(len(X))
    for _ in range(30):
        p = 1 / (1 + np.exp(-(weights @ X)))
        gradient = X @ (share * (right - p)) - _PENALTY * weights
        weights = weights + np.linalg.solve((X * (share * p * (1 - p))) @ X.T + _PENALTY * np.eye(len(X)), gradient)
    return weights


def shown(weights: np.ndarray) -> str:
    """Weights as they stand in net_odds.py."""
    return ", ".join(f"{weight:.3f}" for weight in weights)


def main() -> None:
    """Fit, print the weights, and what they bring."""
    options = argparse.ArgumentParser()
    options.add_argument("--models", type=Path, default=FOLDER)
    options.add_argument("--treebanks", nargs="+", default=CHOSEN_ON + REPORTED)
    given = options.parse_args()
    known = {treebank: list(parses(treebank, given.models)) for treebank in given.treebanks}
    chosen = [part for treebank in CHOSEN_ON for part in known.get(treebank, [])]
    alone = fitted([(numbers[:3], right) for _, numbers, right, _, _ in chosen])
    full = fitted([(numbers, right) for _, numbers, right, _, _ in chosen])
    tags = fitted([(tags, right) for *_, tags, right in chosen if not right.all()])
    print(f"ARC_WEIGHTS = ({shown(full)})\nALONE_WEIGHTS = ({shown(alone)})\nTAG_WEIGHTS = ({shown(tags)})")
    means: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for treebank, of_systems in known.items():
        group = "reported" if treebank in REPORTED else "chosen on"
        for name, numbers, right, of_tags, right_tags in of_systems:
            scores = (numbers[0], numbers[1] + numbers[2], alone[1:] @ numbers[:3], full[1:] @ numbers)
            values = [value for score in scores for value in measured(score, right)]
            values += [roc_auc(of_tags[0], right_tags), roc_auc(tags[1:] @ of_tags, right_tags)]
            means.setdefault((name, group), []).append(tuple(values))
            print(row(f"{treebank} {name}", values), flush=True)
    for (name, group), values_there in means.items():
        print(row(f"mean {name}, {group}, {len(values_there)}", np.mean(values_there, axis=0).tolist()))


def row(name: str, values: list[float]) -> str:
    """A line: ROC-AUC and the errors in the worst 20 %, of choice, the net, both, both and neighbours; of tags."""
    arcs = "  ".join(f"{auc:.4f} {worst:4.1f}" for auc, worst in zip(values[:8:2], values[1:8:2], strict=True))
    return f"{name:42} {arcs}   tags {values[8]:.4f} {values[9]:.4f}"


if __name__ == "__main__":
    main()
