"""CHAOS parsing a file against `conllu` merely reading it, in one run.

    python benchmarks/bench_chaos.py FILE.conllu... [--rules it] [--repeat 5]

Both start from the file; CHAOS reads it, parses every sentence and makes the word graph. Times are wall clock, one
thread, the best of some runs, the two by turns. The numbers of sentences and words read are compared first.
"""

import argparse
import platform
import resource
import subprocess
import time
from importlib.metadata import version

import conllu

from treegauge.constituency.chaos.chunker import COLUMNS
from treegauge.constituency.chaos.parse import word_edges
from treegauge.constituency.chaos.parser import Chaos
from treegauge.corpus.conllu import read_conllu


def read_with_conllu(path):
    """Sentences and words, read by conllu."""
    with open(path, encoding="utf-8") as file:
        sentences = conllu.parse(file.read())
    return len(sentences), sum(isinstance(token["id"], int) for sentence in sentences for token in sentence)


def parse_with_chaos(path, chaos, graph):
    """Sentences and words, read and parsed."""
    corpus = read_conllu(path, columns=COLUMNS, trees=False)
    sentences = words = 0
    for parse in chaos.parse_corpus(corpus):
        sentences += 1
        words += len(parse.words)
        if graph:
            word_edges(parse, chaos.rules)
    return sentences, words


def main():
    """Check, time, compare."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("files", nargs="+")
    options.add_argument("--rules", default="it")
    options.add_argument("--repeat", type=int, default=5)
    given = options.parse_args()
    chaos = Chaos(given.rules)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    print(f"{platform.machine()}, Python {platform.python_version()}, commit {commit.stdout.strip()}")
    for path in given.files:
        work = {
            f"conllu {version('conllu')} reads": lambda p=path: read_with_conllu(p),
            "chaos reads and parses": lambda p=path: parse_with_chaos(p, chaos, graph=False),
            "chaos, with word graph": lambda p=path: parse_with_chaos(p, chaos, graph=True),
        }
        sizes = {run() for run in work.values()}
        assert len(sizes) == 1, f"they read different numbers of sentences or words: {sizes}"
        ((sentences, words),) = sizes
        print(f"{path}: {sentences:,} sentences, {words:,} words")
        best = dict.fromkeys(work, float("inf"))
        for _ in range(given.repeat):
            for name, run in work.items():
                begin = time.perf_counter()
                run()
                best[name] = min(best[name], time.perf_counter() - begin)
        first = next(iter(best.values()))
        for name, seconds in best.items():
            print(f"  {name:24} {words / seconds:9,.0f} words/s, {first / seconds:.2f} times conllu's speed")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
