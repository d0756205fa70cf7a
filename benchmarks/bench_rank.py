"""How long `treegauge rank` takes, as whole commands, and its writer of TSV against lines joined in Python.

    python benchmarks/bench_rank.py [--times 11]

The parser's output of `en_ewt_udpipe` in the evaluation data, so many times over. The two writers give the same bytes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import treegauge as tg
from treegauge.ranking.output_formats import TsvTable
from treegauge.ranking.ranking import Ranking
from treegauge.ranking.stream import ListingBlock, Tally

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
PAIR = DATA / "pairs" / "en_ewt_udpipe"


def best(call: Callable[[], object], repeats: int = 5) -> float:
    """The least of several times, in seconds."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def joined(ranking: Ranking) -> bytes:
    """The table by Python's own means."""
    columns = ranking.columns()
    lines = ["\t".join(columns), *("\t".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    return ("\n".join(lines) + "\n").encode()


def written(ranking: Ranking) -> bytes:
    """The table by the kernel."""
    table, scored = TsvTable(), ranking.scored
    texts = table.texts(scored, ranking.row)
    block = ListingBlock(ranking.row, ranking.rank, ranking.bin, len(ranking), texts)
    return table.header(scored.scorer, Tally()) + table.joined(block)


def main() -> None:
    """Time the writers, then the commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=11)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as folder:
        target, model = os.path.join(folder, "target.conllu"), os.path.join(folder, "m.tgm")
        Path(target).write_bytes((PAIR / "test.system.conllu").read_bytes() * times)
        ranking = tg.score(target, tg.scorer("lisca", "en")).rank("reliable")
        if written(ranking) != joined(ranking):
            raise SystemExit("the writers disagree")
        kernel, python = best(lambda: written(ranking)), best(lambda: joined(ranking), 2)
        arcs = len(ranking)
        print(f"{arcs:,} arcs as TSV: {kernel:.3f} s, in Python {python:.3f} s: {python / kernel:.1f} times as fast")
        tg.build_model(PAIR / "dev.gold.conllu").save(model)
        for name, options in {
            "text": ["--model", "en"],
            "tsv": ["--model", "en", "-f", "tsv"],
            "conllu": ["--model", "en", "-f", "conllu"],
            "choice, explained, suggested": ["--model", model, "--scorer", "choice", "--explain", "--suggest"],
        }.items():
            command = [sys.executable, "-m", "treegauge", "rank", target, *options, "-o", os.path.join(folder, "out")]
            seconds = best(lambda command=command: subprocess.run(command, check=True, capture_output=True))  # type: ignore[misc]
            print(f"rank, {name:30} {seconds:6.2f} s, {arcs / seconds:,.0f} arcs a second")


if __name__ == "__main__":
    main()
