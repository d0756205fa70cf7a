"""What other parses of a text cost: whole commands on one core, start and writing included.

    python benchmarks/bench_parses.py [--words 400000] [--repeats 3]

Three parses of English of the CoNLL 2018 shared task, whose tokens differ, each repeated to about so many words.
Commands take turns, the best time of each counts; each is given as a ratio to `rank`, and in words per second.
"""

import argparse
import os
import tempfile
from pathlib import Path

from bench_commands import DATA, TREEGAUGE, Best, repeated

PARSES = {"a.conllu": "Stanford-18", "b.conllu": "HIT-SCIR-18", "c.conllu": "Uppsala-18"}
RANK = (*TREEGAUGE, "rank", "a.conllu", "--model", "en", "-f", "tsv", "-o", "ranked.tsv")
COMMANDS = {
    "rank": RANK,
    "rank --with b": (*RANK, "--with", "b.conllu"),
    "rank --with b --with c": (*RANK, "--with", "b.conllu", "--with", "c.conllu"),
    "combine a b c": (*TREEGAUGE, "combine", *PARSES, "--model", "en", "-o", "best.conllu"),
    "combine a": (*TREEGAUGE, "combine", "a.conllu", "--model", "en", "-o", "repaired.conllu"),
}


def main() -> None:
    """A line for each command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=float, default=400_000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    best = {name: Best() for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        sources = {name: DATA / "conll2018" / "en_ewt" / f"{system}.conllu.xz" for name, system in PARSES.items()}
        words = [repeated(source, Path(folder, name), given.words) for name, source in sources.items()]
        for _ in range(given.repeats):
            for name, command in COMMANDS.items():
                best[name].run(command, folder)
    print(f"{words[0]:,} words, one core, load {os.getloadavg()[0]:.1f}")
    for name, one in best.items():
        ratio = one.wall / best["rank"].wall
        print(f"{name:24} {one.wall:6.2f} s  {ratio:5.2f} times rank  {words[0] / one.wall:10,.0f} words per second")


if __name__ == "__main__":
    main()
