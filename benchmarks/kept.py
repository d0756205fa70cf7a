"""How much of a parse can be kept at a wanted accuracy, alone and with a second opinion; and is the promise kept?

    python benchmarks/second_parser.py --output parses en_ewt_udpipe it_mix …   # a second parser for each pair
    python benchmarks/kept.py --parses parses en_ewt_udpipe it_mix …

The model is learned from the gold training text of each pair, the calibration from dev, or where there is no parse of
dev (*) from the first half of test, and then the second half is measured. Given are LAS, the share of the arcs of test
that can be kept at 96 % UAS and at 96 % LAS by the order of the probabilities, and what `rank --accuracy 0.96` keeps
with the LAS that it then has, with its 95 % interval over resampled sentences (! where that is below 96); then the same
two shares of the trees that `combine` makes of both parses with that calibration, ordered by their probabilities.
"""

import argparse
from pathlib import Path

import numpy as np
from two_references import DATA, TREEBANKS

import treegauge as tg
from treegauge.corpus.compare.comparison import right_arcs
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.evaluation.judging.calibrate import calibrate
from treegauge.evaluation.judging.risk import RiskCurve
from treegauge.models.building import build_model
from treegauge.scorers.other_parses import other_parses

WANTED = 0.96


def sides(folder: Path, parses: Path | None) -> tuple[dict[str, Corpus], dict[str, Corpus], str]:
    """Gold, system and the other parse of dev and of test; or of the two halves of test, marked."""
    found = []
    for side in ("dev", "test"):
        if (folder / f"{side}.system.conllu").exists():
            of = {name: read_conllu(folder / f"{side}.{name}.conllu") for name in ("gold", "system")}
            found.append(of | ({"other": read_conllu(parses / folder.name / f"{side}.conllu")} if parses else {}))
    if len(found) == 2:
        return found[0], found[1], ""
    half = found[0]["gold"].n_sentences // 2
    first = {name: corpus.part(0, half) for name, corpus in found[0].items()}
    rest = {name: corpus.part(half, corpus.n_sentences) for name, corpus in found[0].items()}
    return first, rest, "*"


def interval(right: np.ndarray, sentence: np.ndarray, samples: int = 1000) -> tuple[float, float]:
    """95 % of the shares of right arcs in resampled sentences."""
    _, of = np.unique(sentence, return_inverse=True)
    counts = np.stack([np.bincount(of), np.bincount(of, right)])
    drawn = np.random.default_rng(0).integers(0, counts.shape[1], (samples, counts.shape[1]))
    arcs, good = counts[:, drawn].sum(axis=2)
    low, high = np.quantile(good / arcs, [0.025, 0.975])
    return float(low), float(high)


def measured(model: tg.Model, dev: dict[str, Corpus], test: dict[str, Corpus]) -> str:
    """A part of a line: what can be kept, what is kept, and how right that is."""
    others = [[side["other"]] if "other" in side else [] for side in (dev, test)]
    calibration = calibrate(dev["gold"], dev["system"], model, others=others[0]).calibration
    opinions = other_parses(test["system"], others[1], ["other"]) if others[1] else None
    scored = tg.score(test["system"], tg.scorer(model=model, calibration=calibration, others=opinions))
    right, head = right_arcs(test["gold"], test["system"]), test["gold"].head == test["system"].head
    ones = np.ones(len(right), np.int64)
    able = [100 * RiskCurve.of(scored.scores, ones, one).coverage(WANTED) for one in (head, right)]
    kept = scored.kept(WANTED)
    low, high = (100 * value for value in interval(right[kept], test["system"].sentence[kept]))
    held = "" if high >= 100 * WANTED else " !"
    share = 100 * len(kept) / len(right)
    made = tg.combine(test["system"], others[1], model, trust=calibration.trust)
    better = parse_conllu(made.conllu().decode())
    truths = test["gold"].head == better.head, right_arcs(test["gold"], better)
    best = [100 * RiskCurve.of(made.probability, ones, one).coverage(WANTED) for one in truths]
    found = (
        f"{able[0]:.1f} {able[1]:.1f}, kept {share:.1f} at {100 * right[kept].mean():.1f} ({low:.1f}–{high:.1f}){held}"
    )
    return f"{found}, combined LAS {100 * truths[1].mean():.1f}: {best[0]:.1f} {best[1]:.1f}"


def main() -> None:
    """A line for each pair, without and with the other parse."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", nargs="*", default=list(TREEBANKS))
    parser.add_argument("--parses", type=Path, required=True)
    given = parser.parse_args()
    for pair in given.pairs:
        model = build_model(str(next((DATA / "ud" / TREEBANKS[pair]).glob("train.conllu*"))))
        dev, test, mark = sides(DATA / "pairs" / pair, given.parses)
        las, other = (100 * right_arcs(test["gold"], test[name]).mean() for name in ("system", "other"))
        alone = [{name: corpus for name, corpus in side.items() if name != "other"} for side in (dev, test)]
        told = f"{measured(model, *alone)}\n{'with the other':>20}: {measured(model, dev, test)}"
        print(f"{pair + mark:16} LAS {las:.1f}, other {other:.1f}: {told}", flush=True)


if __name__ == "__main__":
    main()
