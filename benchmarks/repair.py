"""How much better a parse becomes by repair: LAS before, and what each way to repair it adds.

    python benchmarks/repair.py                                # the ten pairs, and two systems of CoNLL 2018
    python benchmarks/repair.py --pairs it_mix --treebanks en_ewt --systems UDPipe-Future

Choice is learned from the gold training text of each treebank. Ways: the likeliest other arc of a word wherever it has
a probability of .5 and three times that of the given one, or .9 and thirty times, no tree asked for; the best tree with
one bonus for all parsers, 1 and 2; with the cautious default; with the trust that is learned from the parser's dev.
Where there is no parse of dev (marked *), each half of the test sentences has the trust that is learned from the other
half. Universal relations count, punctuation too; of CoNLL 2018 the sentences that have gold's words. Rules and defaults
are chosen on the first five pairs and the first four treebanks; the others report.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from parsers_2018 import CHOSEN_ON, REPORTED, SYSTEMS, same_sentences
from treegauge.combining.repair import CAUTIOUS, Trust, best_arcs, learn_trust, right_columns
from two_references import DATA, TREEBANKS, stream

from treegauge.choice.learning import learn_choice
from treegauge.choice.likely_arcs import LikelyArcs, likely_arcs
from treegauge.choice.probabilities import Choice
from treegauge.choice.words import COLUMNS
from treegauge.corpus.conllu import Corpus, read_conllu

WAYS = (".5 ×3", ".9 ×30", "bonus 1", "bonus 2", "cautious", "learned")
FIRST_PAIRS = tuple(TREEBANKS)[:5]


class Parse:
    """A parse with its likely arcs, and which of them are right."""

    def __init__(self, choice: Choice, gold: Corpus, system: Corpus) -> None:
        self.choice, self.gold, self.system = choice, gold, system
        begin = time.perf_counter()
        self.arcs: LikelyArcs = likely_arcs(choice, system, threads=1)
        scored = time.perf_counter()
        best_arcs(system, self.arcs, Trust(1.0))
        self.seconds = np.array([scored - begin, time.perf_counter() - scored])
        self.right = right_columns(gold, system, choice, self.arcs)

    def gain(self, trust: Trust, rows: np.ndarray | None = None) -> float:
        """LAS after less LAS before, of all words or of those in a mask."""
        after = self.right[np.arange(len(self.right)), best_arcs(self.system, self.arcs, trust)]
        gained = after.astype(float) - self.right[:, 0]
        return float(100 * (gained if rows is None else gained[rows]).mean())

    def by_rule(self, least: float, times: float) -> float:
        """What is gained arc by arc, from suggestions that are probable enough."""
        found = self.choice.choices(self.system, 1)
        other = self.choice.alternatives(self.system, np.arange(self.system.n_words), found)
        names = {name: k for k, name in enumerate(self.choice.weights.relations)}
        relation = np.array([names.get(name, -1) for name in other.relation])
        right = (other.head == self.gold.head) & (relation == self.choice.relation_codes(self.gold))
        taken = (other.log_prob >= np.log(least)) & (other.log_prob >= found.log_prob + np.log(times))
        return float(100 * (right[taken].astype(float) - self.right[taken, 0]).sum() / len(taken))

    def learned(self, dev: "Parse | None") -> tuple[float, str]:
        """What is gained with the trust learned from dev, or from each half for the other; and the trust."""
        if dev is not None:
            trust = learn_trust(dev.system, dev.arcs, dev.right)
            return self.gain(trust), said(trust)
        even = self.system.sentence % 2 == 0
        trusts = [learn_trust(self.system, self.arcs, self.right, half) for half in (even, ~even)]
        gains = self.gain(trusts[0], ~even) * (~even).mean() + self.gain(trusts[1], even) * even.mean()
        return float(gains), " and ".join(map(said, trusts)) + " *"


def said(trust: Trust) -> str:
    """The bonus, and how probable other arcs must be."""
    return f"{trust.bonus:g}" + (f" from {trust.least:g}" if trust.least else "")


def measured(title: str, parse: Parse, dev: Parse | None) -> list[float]:
    """Print a line: LAS before, what each way adds; these numbers."""
    learned, trust = parse.learned(dev)
    trees = [parse.gain(one) for one in (Trust(1.0), Trust(2.0), CAUTIOUS)]
    row = [100 * float(parse.right[:, 0].mean()), parse.by_rule(0.5, 3), parse.by_rule(0.9, 30), *trees, learned]
    speed = "  ".join(f"{parse.system.n_words / seconds:,.0f}" for seconds in parse.seconds)
    print(line(title, row), f" trust {trust}; words per second: arcs, trees {speed}", flush=True)
    return row


def line(title: str, row: list[float]) -> str:
    """A line of a table."""
    return f"{title:30} {row[0]:5.2f}  " + " ".join(f"{value:+9.2f}" for value in row[1:])


def read(path: Path) -> Corpus:
    """A corpus with what choice looks at."""
    return read_conllu(path, columns=COLUMNS)


def pair_rows(pairs: list[str]) -> list[list[float]]:
    """A line for each pair."""
    rows = []
    for pair in pairs:
        choice = Choice(learn_choice(stream(str(next((DATA / "ud" / TREEBANKS[pair]).glob("train.conllu*"))))))
        folder = DATA / "pairs" / pair
        parses = {
            side: Parse(choice, *(read(folder / f"{side}.{of}.conllu") for of in ("gold", "system")))
            for side in ("dev", "test")
            if (folder / f"{side}.system.conllu").exists()
        }
        rows.append(measured(pair, parses["test"], parses.get("dev")))
    return rows


def system_rows(treebanks: list[str], systems: list[str]) -> dict[str, list[list[float]]]:
    """A line for each treebank and system of CoNLL 2018; lines by system."""
    rows: dict[str, list[list[float]]] = {name: [] for name in systems}
    for treebank in treebanks:
        folder = DATA / "conll2018" / treebank
        choice = Choice(learn_choice(stream(str(folder / "train.conllu.xz"))))
        gold = read(folder / "gold.conllu.xz")
        for name in systems:
            parse = Parse(choice, *same_sentences(gold, read(folder / f"{name}.conllu.xz")))
            rows[name].append(measured(f"{treebank} {name}", parse, None))
    return rows


def means(title: str, names: list[str], rows: list[list[float]], chosen_on: tuple[str, ...]) -> None:
    """The means of what was chosen on, of what reports, and of all."""
    groups = {"chosen on": [n in chosen_on for n in names], "reported": [n not in chosen_on for n in names]}
    for group, which in {**groups, "all": [True] * len(names)}.items():
        if any(which):
            print(line(f"mean {title}, {group}", np.mean(np.array(rows)[which], axis=0).tolist()))


def main() -> None:
    """A line for each parse, then the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", nargs="*", default=list(TREEBANKS))
    parser.add_argument("--treebanks", nargs="*", default=list(CHOSEN_ON + REPORTED))
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS))
    given = parser.parse_args()
    print(f"{'':30} {'LAS':5}  " + " ".join(f"{way:>9}" for way in WAYS))
    rows = pair_rows(given.pairs)
    if rows:
        means("pairs", given.pairs, rows, FIRST_PAIRS)
    for name, found in (system_rows(given.treebanks, given.systems) if given.treebanks else {}).items():
        means(name, given.treebanks, found, CHOSEN_ON)


if __name__ == "__main__":
    main()
