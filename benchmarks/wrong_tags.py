"""How well wrong tags of the parsers of the CoNLL 2018 shared task are found, by p(tag) and calibrated.

    python benchmarks/wrong_tags.py [--systems HIT-SCIR-18] [--treebanks el_gdt hu_szeged]

As parsers_2018.py: the reference is the training text of the same release, measured are the sentences that have gold's
words. ROC-AUC of "UPOS is right"; the calibration is of the other four of five folds. Evidence was chosen on the first
four treebanks; the others report.
"""

import numpy as np
from parsers_2018 import CHOSEN_ON, DATA, asked, same_sentences

from treegauge import build_model, read_conllu
from treegauge.corpus.compare.comparison import Comparison
from treegauge.evaluation.judging.calibrate import held_out, reliability
from treegauge.evaluation.judging.measures import roc_auc
from treegauge.scorers.evidence import Evidence
from treegauge.scorers.registry import ScorerFactory


def main() -> None:
    """A line for each treebank and system, then the means."""
    given = asked()
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for treebank in given.treebanks:
        factory = ScorerFactory(build_model(DATA / treebank / "train.conllu.xz"))
        gold = read_conllu(DATA / treebank / "gold.conllu.xz")
        for name in given.systems:
            alike, theirs = same_sentences(gold, read_conllu(DATA / treebank / f"{name}.conllu.xz"))
            right, evidence = Comparison(theirs, alike).same("upos"), factory.evidence.of_tags(theirs)
            assert evidence is not None
            found = reliability(held_out(Evidence(evidence, right, theirs.sentence)), right)
            values = roc_auc(factory.tags.scores(theirs), right), found.roc_auc, found.calibration_error
            rows.setdefault((name, "chosen on" if treebank in CHOSEN_ON else "reported"), []).append(values)
            print(
                row(f"{treebank} {name}, {theirs.n_words} words, {100 * right.mean():.1f} % right", values), flush=True
            )
    for (name, group), found_there in rows.items():
        print(row(f"mean {name}, {group}", tuple(np.mean(found_there, axis=0))))


def row(name: str, found: tuple[float, ...]) -> str:
    """A line: the name, then ROC-AUC of p(tag), calibrated, and the calibration error."""
    return f"{name:60} p(tag) {found[0]:.4f}  calibrated {found[1]:.4f}  calibration error {found[2]:.4f}"


if __name__ == "__main__":
    main()
