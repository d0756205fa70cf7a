"""Time of all prefix probabilities and entropies of sentences, beside the inside value of the same chart.

    python benchmarks/bench_prefixes.py                  # sentences of 40 tags under the grammar of the WSJ sample

Checked first: the surprisals of each sentence add up to its inside value.
"""

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from treegauge.constituency.cleaning import PAPER
from treegauge.constituency.measures import grammar_of
from treegauge.constituency.parsing import parser_of
from treegauge.constituency.prefixes import PrefixParser

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def milliseconds(work: Callable[[], object]) -> float:
    """Processor time of the best of three runs."""
    times = []
    for _ in range(3):
        began = time.process_time()
        work()
        times.append(1000 * (time.process_time() - began))
    return min(times)


def main() -> None:
    """Medians over the sentences of one length."""
    given = argparse.ArgumentParser()
    given.add_argument("--length", type=int, default=40)
    options = given.parse_args()
    sample, grammar = grammar_of(DATA / "const" / "wsj", PAPER)
    began = time.perf_counter()
    parser = PrefixParser(parser_of(grammar))
    print(f"{grammar}; left corners: {1000 * (time.perf_counter() - began):.0f} ms")
    codes = [grammar.tag_codes(tree.tags) for tree in sample.trees if len(tree) == options.length]
    for one in codes:
        assert math.isclose(parser.prefixes(one).surprisal.sum(), -parser.parser.inside(one).log2, rel_tol=1e-9)
    prefixes = statistics.median(milliseconds(lambda one=one: parser.prefixes(one)) for one in codes)
    inside = statistics.median(milliseconds(lambda one=one: parser.parser.inside(one)) for one in codes)
    print(f"{len(codes)} sentences of {options.length} tags: all prefixes {prefixes:.1f} ms, inside {inside:.1f} ms")


if __name__ == "__main__":
    main()
