"""Every submission of CoNLL 2018 scored twice, by treegauge and by the official scorer (udtools 0.2.9): are they equal?

    python benchmarks/official_scorer.py             # all systems of all treebanks of the evaluation data
    python benchmarks/official_scorer.py --treebanks en_ewt kk_ktb --kept official.json

A pair is equal if precision, recall, F1 and aligned accuracy of every metric are the same to the last digit, or if both
refuse the file. Prints each pair that is not, then the counts. udtools takes a minute for 100,000 words: --kept names a
file that keeps its scores for the next run.
"""

import argparse
import io
import json
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from udtools.udeval import evaluate as udtools_evaluate
from udtools.udeval import load_conllu

from treegauge.corpus.files import open_bytes
from treegauge.errors import TreegaugeError
from treegauge.evaluation.attachment.evaluation import evaluate

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "conll2018"
FIELDS = ("precision", "recall", "f1", "aligned_accuracy")
TEXTS = ("gold", "train", "dev")  # files of a treebank that are not a system's


def numbers(scores) -> dict[str, list]:
    """The four numbers of each metric; those of enhanced arcs only if there are any."""
    found = {name: [getattr(score, field) for field in FIELDS] for name, score in scores.items()}
    return {name: values for name, values in found.items() if name not in ("ELAS", "EULAS") or values[2]}


def official_scores(gold: Path, system: Path) -> dict[str, list] | str:
    """What udtools says of a pair: its scores, or why it refuses."""
    try:
        sides = []
        for path in (gold, system):
            with open_bytes(str(path)) as stream:
                text = stream.read().decode()
            sides.append(load_conllu(io.StringIO(text, newline="\n"), str(path), {"multiple_roots_okay": True}))
        return numbers(udtools_evaluate(*sides))
    except Exception as error:  # udtools raises errors of many kinds for files that it cannot read
        return f"{type(error).__name__}: {error}"[:300]


def our_scores(gold: Path, system: Path) -> dict[str, list] | str:
    """What treegauge says of a pair."""
    try:
        return numbers(evaluate(gold, system).scores)
    except TreegaugeError as error:
        return str(error)[:300]


def main() -> None:
    """Score all pairs by both, and print the pairs that differ and the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--treebanks", nargs="+", default=sorted(path.name for path in DATA.iterdir() if path.is_dir()))
    parser.add_argument("--kept", type=Path, help="keep the scores of udtools in this file")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    given = parser.parse_args()
    pairs = [
        (DATA / treebank / "gold.conllu.xz", system)
        for treebank in given.treebanks
        for system in sorted((DATA / treebank).glob("*.conllu.xz"))
        if system.name.split(".")[0] not in TEXTS
    ]
    kept = json.loads(given.kept.read_text()) if given.kept and given.kept.exists() else {}
    counts: Counter[str] = Counter()
    with ProcessPoolExecutor(given.workers) as pool:
        missing = [pair for pair in pairs if str(pair[1].relative_to(DATA)) not in kept]
        for pair, result in (
            zip(missing, pool.map(official_scores, *zip(*missing, strict=True)), strict=True) if missing else ()
        ):
            kept[str(pair[1].relative_to(DATA))] = result
        if given.kept:
            given.kept.write_text(json.dumps(kept))
        for pair, ours in zip(pairs, pool.map(our_scores, *zip(*pairs, strict=True)), strict=True):
            name = str(pair[1].relative_to(DATA))
            official = kept[name]
            refused = [isinstance(side, str) for side in (ours, official)]
            verdict = {
                (False, False): "equal" if ours == official else "DIFFERENT",
                (True, True): "refused by both",
                (True, False): "refused by treegauge only",
                (False, True): "refused by udtools only",
            }[tuple(refused)]
            counts[verdict] += 1
            if verdict != "equal":
                reasons = [side for side in (ours, official) if isinstance(side, str)]
                print(f"{name}: {verdict}", *reasons, sep="\n    ", flush=True)
    print(*(f"{verdict}: {n}" for verdict, n in counts.most_common()), f"pairs: {len(pairs)}", sep="\n")


if __name__ == "__main__":
    main()
