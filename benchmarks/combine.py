"""How much better parses become: several combined, one repaired; LAS by `eval`, on the words of the first parse.

    python benchmarks/combine.py                                # CoNLL 2018 and the pairs
    python benchmarks/combine.py --treebanks en_ewt --pairs     # one treebank, no pairs

Choice is learned from the gold training text of each treebank. Of CoNLL 2018, in LAS against the best single parse
among those combined: all eight systems, the first of which is HIT-SCIR-18; three middling ones, UDPipe-Future first;
two systems repaired by the model alone, with the cautious default and with the trust that is learned from gold, each
half of the sentences from the other half. Of the pairs, one parse is repaired; trust is learned from dev, or where
there is no parse of dev (*) from the other half. Settings are chosen on the first four treebanks and the first five
pairs; the others report.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from parsers_2018 import CHOSEN_ON, DATA, REPORTED, SYSTEMS
from second_opinions import OTHERS, read
from two_references import TREEBANKS

from treegauge.corpus.compare.comparison import side_by_side
from treegauge.corpus.conllu import parse_conllu, read_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.words import COLUMNS
from treegauge.parsing.combine import CombinedParse, Combiner
from treegauge.scorers.other_parses import other_parses
from treegauge.scorers.trust import Trust, learn_trust, right_columns

PAIRS = DATA.parent / "pairs"
FIRST_PAIRS = tuple(TREEBANKS)[:5]
MIDDLING = ("UDPipe-Future", "Uppsala-18", "ICS-PAS")
ALL = ("HIT-SCIR-18", *OTHERS, "conll18-baseline")
Rows = dict[str, dict[str, float]]  # treebank or pair -> what was done -> LAS gained


def las(gold: Corpus, parse: Corpus | CombinedParse) -> float:
    """LAS of a parse, or of what was made of it, in per cent."""
    corpus = parse if isinstance(parse, Corpus) else parse_conllu(parse.conllu().decode(), columns=COLUMNS)
    return 100 * evaluate(gold, corpus, enhanced=False)["LAS"].f1


def combined(choice: Choice | None, parses: list[Corpus], trust: Trust | None = None) -> CombinedParse:
    """The best trees of the words of the first parse."""
    names = [str(k) for k in range(1, len(parses))]
    others = other_parses(parses[0], parses[1:], names) if names else None
    return Combiner(choice, others, trust)(parses[0])


def by_halves(choice: Choice, gold: Corpus, parses: list[Corpus]) -> float:
    """LAS gained where each half of the sentences has the trust that is learned from the other half."""
    names = [str(k) for k in range(1, len(parses))]
    combiner = Combiner(choice, other_parses(parses[0], parses[1:], names) if names else None)
    arcs, over = combiner.candidates(parses[0]), side_by_side(parses[0], gold)
    right = right_columns(arcs, over)
    kept = over.present
    even, gained = parses[0].sentence % 2 == 0, 0
    for learned, tested in ((even, ~even), (~even, even)):
        trust = learn_trust(arcs, combiner.weight, right, learned & kept)
        made = combined(choice, parses, trust)
        same = made.head == over.overlay.head
        names_of_gold = np.array([*over.overlay.labels["deprel"], ""], dtype=object)[over.overlay.codes["deprel"]]
        after = same & (universal(made.deprel) == universal(names_of_gold)) & kept
        gained += int(after[tested].sum()) - int(right[tested, 0].sum())
    return 200 * gained / (gold.n_words + parses[0].n_words)


def universal(labels: np.ndarray) -> np.ndarray:
    """Relations without their subtypes."""
    return np.array([label.partition(":")[0] for label in labels.tolist()], dtype=object)


def of_treebank(folder: Path) -> dict[str, float]:
    """What is gained on a treebank of CoNLL 2018."""
    choice = Choice(learn_choice(stream_conllu(str(folder / "train.conllu.xz"), columns=COLUMNS)))
    gold = read(folder / "gold.conllu.xz")
    parses = {name: read(folder / f"{name}.conllu.xz") for name in ALL}
    before = {name: las(gold, parse) for name, parse in parses.items()}
    found = {}
    for title, names in (("all eight", ALL), ("three middling", MIDDLING)):
        given, best = [parses[name] for name in names], max(before[name] for name in names)
        found[f"{title}, no model"] = las(gold, combined(None, given)) - best
        begin = time.perf_counter()
        found[title] = las(gold, combined(choice, given)) - best
        print(f"  {title}: {given[0].n_words / (time.perf_counter() - begin):,.0f} words a second, eval included")
        found[f"{title}, learned"] = before[names[0]] + by_halves(choice, gold, given) - best
    for name in SYSTEMS:
        found[f"{name} repaired"] = las(gold, combined(choice, [parses[name]])) - before[name]
        found[f"{name} repaired, learned"] = by_halves(choice, gold, [parses[name]])
    return found


def of_pair(folder: Path, treebank: str) -> dict[str, float]:
    """What is gained on a pair."""
    train = next((DATA.parent / "ud" / treebank).glob("train.conllu*"))
    choice = Choice(learn_choice(stream_conllu(str(train), columns=COLUMNS)))
    gold, system = (read_conllu(folder / f"test.{side}.conllu", columns=COLUMNS) for side in ("gold", "system"))
    found = {"repaired": las(gold, combined(choice, [system])) - las(gold, system)}
    if not (folder / "dev.system.conllu").exists():
        return found | {"repaired, learned": by_halves(choice, gold, [system])}
    dev = [read_conllu(folder / f"dev.{side}.conllu", columns=COLUMNS) for side in ("gold", "system")]
    trust = Combiner(choice).learned_trust(side_by_side(*reversed(dev)))
    return found | {"repaired, learned": las(gold, combined(choice, [system], trust)) - las(gold, system)}


def means(title: str, rows: Rows, chosen_on: tuple[str, ...]) -> None:
    """The means of what was chosen on, of what reports, and of all; and the lowest."""
    by_way = defaultdict(dict)
    for name, row in rows.items():
        for way, gained in row.items():
            by_way[way][name] = gained
    for way, of in by_way.items():
        groups = {
            "chosen on": [gained for name, gained in of.items() if name in chosen_on],
            "reported": [gained for name, gained in of.items() if name not in chosen_on],
            "all": list(of.values()),
        }
        told = "  ".join(f"{group} {np.mean(values):+.2f}" for group, values in groups.items() if values)
        print(f"{title}, {way:36} {told}  lowest {min(of.values()):+.2f} ({min(of, key=of.__getitem__)})")


def main() -> None:
    """A line for each treebank and pair, then the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--treebanks", nargs="*", default=CHOSEN_ON + REPORTED)
    parser.add_argument("--pairs", nargs="*", default=list(TREEBANKS))
    given = parser.parse_args()
    treebanks, pairs = Rows(), Rows()
    for names, rows in ((given.treebanks, treebanks), (given.pairs, pairs)):
        for name in names:
            rows[name] = of_treebank(DATA / name) if rows is treebanks else of_pair(PAIRS / name, TREEBANKS[name])
            print(f"{name}: " + "  ".join(f"{way} {gained:+.2f}" for way, gained in rows[name].items()), flush=True)
    means("CoNLL 2018", treebanks, CHOSEN_ON)
    means("pairs", pairs, FIRST_PAIRS)


if __name__ == "__main__":
    main()
