"""treegauge eval against udtools: the same pair, repeated up to two million words, each in its own process.

python benchmarks/bench_eval.py [--pair en_ewt_udpipe] [--words 2000000] [--runs 3]

Scores must be equal to the last digit; then seconds (from start to exit, Python's own start included), words
per second and peak memory. The pair comes from the evaluation data (TREEGAUGE_DATA).
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
DATA = Path(os.environ.get("TREEGAUGE_DATA", HERE.parent.parent / "shared" / "data"))
FIELDS = ("precision", "recall", "f1", "aligned_accuracy")

UDTOOLS = """
import json, sys
from udtools.udeval import evaluate, load_conllu_file
kind = {"multiple_roots_okay": True}
scores = evaluate(load_conllu_file(sys.argv[1], kind), load_conllu_file(sys.argv[2], kind))
fields = ("precision", "recall", "f1", "aligned_accuracy")
print(json.dumps({name: {f: getattr(score, f) for f in fields} for name, score in scores.items()}))
"""


def timed(command):
    """Seconds, peak megabytes and output of a process."""
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{command[0]} failed: {process.returncode}")
        out.seek(0)
        return seconds, usage.ru_maxrss / 1024, json.load(out)


def repeat(source: Path, target: Path, words: int) -> int:
    """Write the file again and again until it has so many words; how many it has."""
    text = source.read_bytes()
    once = sum(line.split(b"\t", 1)[0].isdigit() for line in text.split(b"\n"))
    times = -(-words // once)
    with target.open("wb") as stream:
        for _ in range(times):
            stream.write(text)
    return times * once


def main() -> None:
    """Make the files, run both, compare, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pair", default="en_ewt_udpipe")
    parser.add_argument("--words", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    folder = DATA / "pairs" / options.pair
    with tempfile.TemporaryDirectory() as temporary:
        gold, system = Path(temporary, "gold.conllu"), Path(temporary, "system.conllu")
        words = repeat(folder / "test.gold.conllu", gold, options.words)
        times = words // repeat(folder / "test.gold.conllu", Path(os.devnull), 1)
        text = (folder / "test.system.conllu").read_bytes()
        with system.open("wb") as stream:
            for _ in range(times):
                stream.write(text)
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True)
        print(
            f"{options.pair} × {times} = {words:,} words; {platform.machine()}, {os.cpu_count()} cores,",
            end=" ",
        )
        print(f"Python {platform.python_version()}, commit {commit.stdout.strip()}")
        paths = [str(gold), str(system)]
        mine = [sys.executable, "-m", "treegauge", "eval", *paths, "--format", "json"]
        runs = [timed(mine) for _ in range(options.runs)]
        theirs, their_memory, expected = timed([sys.executable, "-c", UDTOOLS, *paths])
        runs += [timed(mine) for _ in range(options.runs)]
    for _, _, output in runs:
        found = {row["metric"]: row for row in output["rows"]}
        for name, scores in expected.items():
            if name in found:
                assert {f: found[name][f] for f in FIELDS} == scores, name
            else:
                assert name in ("ELAS", "EULAS"), name
    seconds = sorted(run[0] for run in runs)
    memory = max(run[1] for run in runs)
    print("scores equal to the last digit")
    print(f"udtools   {theirs:8.2f} s  {words / theirs:12,.0f} words/s  {their_memory:8.0f} MB")
    median = seconds[len(seconds) // 2]
    for label, value in (("best", seconds[0]), ("median", median), ("worst", seconds[-1])):
        speed = f"{value:8.2f} s  {words / value:12,.0f} words/s"
        print(f"treegauge {speed}  {memory:8.0f} MB  {label} of {len(seconds)}")
    print(f"times faster {theirs / median:.1f}, memory 1/{their_memory / memory:.1f}")


if __name__ == "__main__":
    main()
