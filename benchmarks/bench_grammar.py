"""Inside and Viterbi with the grammar of a whole treebank, against NLTK's ViterbiParser.

    python benchmarks/bench_grammar.py FOLDER_OF_WSJ [--nltk-length 15] [--lengths 15 40]

Results are checked before they are timed: Viterbi's best probability against NLTK's, and the sum over trees
against the best tree. Times are wall clock, one thread, the mean over the first sentences of a length, of the
best of three runs each; NLTK runs once, its time limit switched off.
"""

import argparse
import inspect
import math
import platform
import resource
import subprocess
import time

import numpy as np

from treegauge.constituency.brackets import read_brackets
from treegauge.constituency.cleaning import Cleaning
from treegauge.constituency.grammar import TAG, TreebankGrammar, derivations
from treegauge.constituency.measures import EccSettings, measure
from treegauge.constituency.parsing import ChartParser


def milliseconds(work, items, repeat=3):
    """Mean over the items of the best of some repetitions."""
    work(items[0])
    best = []
    for item in items:
        times = []
        for _ in range(repeat):
            begin = time.perf_counter()
            work(item)
            times.append(time.perf_counter() - begin)
        best.append(min(times))
    return 1000 * float(np.mean(best))


def nltk_viterbi(grammar, tags):
    """NLTK's seconds for one sentence, and its best log2 probability."""
    import nltk

    rules = [
        nltk.ProbabilisticProduction(
            nltk.Nonterminal(rule[0]),
            [symbol[1:] if symbol.startswith(TAG) else nltk.Nonterminal(symbol) for symbol in rule[1:]],
            prob=float(grammar.prob[code]),
        )
        for rule, code in grammar.rule_code.items()
    ]
    limited = "max_time" in inspect.signature(nltk.ViterbiParser.__init__).parameters
    parser = nltk.ViterbiParser(nltk.PCFG(nltk.Nonterminal("TOP"), rules), **({"max_time": None} if limited else {}))
    begin = time.perf_counter()
    (tree,) = parser.parse(list(tags))
    return time.perf_counter() - begin, math.log2(tree.prob())


def main():
    """Read, check, time."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("treebank")
    options.add_argument("--input", default="penn")
    options.add_argument("--lengths", type=int, nargs="*", default=[15, 40])
    options.add_argument("--nltk-length", type=int, default=15, help="0 to leave NLTK out")
    options.add_argument("--sentences", type=int, default=12)
    options.add_argument("--no-sample", action="store_true", help="leave the whole sample out")
    given = options.parse_args()

    begin = time.perf_counter()
    cleaning = Cleaning(style=given.input)
    trees = derivations(read_brackets(given.treebank, style=given.input, on_error="skip").trees, cleaning)
    grammar = TreebankGrammar.from_derivations(trees, cleaning)
    parser = ChartParser(grammar)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    print(f"{platform.machine()}, Python {platform.python_version()}, commit {commit.stdout.strip()}")
    print(f"{grammar}, {len(trees)} trees, read in {time.perf_counter() - begin:.1f} s")

    for n in given.lengths:
        sentences = [grammar.tag_codes(tree.tags) for tree in trees if len(tree) == n][: given.sentences]
        for codes in sentences:
            total, best = parser.inside(codes).log2, parser.viterbi(codes).log_prob
            assert best <= total + 1e-9, "the best tree cannot be more probable than all of them"
        for work in (parser.inside, parser.viterbi, parser.expectation):
            print(f"{n:3} tags  {work.__name__:12} {milliseconds(work, sentences):9.2f} ms")

    if given.nltk_length:
        import nltk

        tree = next(tree for tree in trees if len(tree) == given.nltk_length)
        codes = grammar.tag_codes(tree.tags)
        ours = milliseconds(parser.viterbi, [codes])
        seconds, log_prob = nltk_viterbi(grammar, tree.tags)
        assert abs(log_prob - parser.viterbi(codes).log_prob) < 1e-9, "NLTK finds another best probability"
        ratio = 1000 * seconds / ours
        print(f"{len(codes):3} tags  viterbi {ours:.2f} ms, NLTK {nltk.__version__} {1000 * seconds:,.0f} ms")
        print(f"          {ratio:,.0f} times as fast")

    short = [] if given.no_sample else [tree for tree in trees if len(tree) < 40]
    words = sum(map(len, short))
    for workers in (1, None) if short else ():
        begin = time.perf_counter()
        measure(parser, short, EccSettings(cleaning, workers=workers))
        seconds = time.perf_counter() - begin
        print(
            f"inside and Viterbi of {len(short)} trees under 40, {workers or 'all'} thread(s): "
            f"{seconds:.1f} s, {words / seconds:,.0f} words/s"
        )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
