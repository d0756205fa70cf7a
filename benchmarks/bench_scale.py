"""Building a model and ranking on disk: time against words, and the slope; bytes a word of other commands.

    python benchmarks/bench_scale.py [--words 5 10 20 40] [--repeats 3] [--memory 500] [--only build] [FILE]
    python benchmarks/bench_scale.py --bytes --words 0.1 0.4 [--only check]

Repeats a treebank (by default the training set of English EWT in the evaluation data) to so many million words and
runs the commands as a user does, start-up included, the best of so many repeats. Peak memory is that of the
largest process. Checks that one process and two build the same model. The load of the machine
before each job is printed beside it: where other programs run, CPU seconds tell more than seconds.

With --bytes a pair (gold and a parser's output of English EWT) is repeated to the first and the last number of words,
and each command that holds a whole corpus runs on both: how much more peak memory the larger one takes, for each word.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from bench_arcs import DATA, repeated

TREEGAUGE = (sys.executable, "-m", "treegauge")


def jobs(memory: int) -> dict[str, list[str]]:
    """The commands, but for the corpus."""
    build = ["model", "build", "--counts-only", "-o", "/dev/null"]
    return {
        "build, 1 thread": [*build, "--threads", "1"],
        "build, 2 threads": [*build, "--threads", "2"],
        "build, 2 processes": [*build, "--workers", "2"],
        f"rank, --memory {memory}": ["rank", "-m", "en", "-f", "tsv", "--memory", str(memory), "-o", "ranked.tsv"],
    }


def run(command: list[str], path: str, folder: str) -> tuple[float, float, float, str]:
    """Seconds, seconds of processors, peak memory (MB) and messages of one run."""
    with tempfile.TemporaryFile() as messages:
        start = time.perf_counter()
        process = subprocess.Popen([*TREEGAUGE, *command, path], cwd=folder, stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        messages.seek(0)
        text = messages.read().decode()
    if status:
        raise SystemExit(text)
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


PAIR = {
    "rank -f tsv": ["rank", "SYSTEM", "-m", "en", "-f", "tsv", "-o", "out"],
    "rank --explain --suggest": ["rank", "SYSTEM", "-m", "en", "--explain", "--suggest", "-f", "tsv", "-o", "out"],
    "report": ["report", "SYSTEM", "-m", "en", "-o", "out.html"],
    "challenge": ["challenge", "GOLD", "-m", "en", "-o", "out.conllu"],
    "typology": ["typology", "GOLD", "-o", "out"],
    "eval --significance": ["eval", "GOLD", "SYSTEM", "GOLD", "--significance", "-o", "out"],
    "calibrate": ["calibrate", "GOLD", "SYSTEM", "-m", "en", "-o", "out.tgc"],
    "judge": ["judge", "GOLD", "SYSTEM", "-m", "en", "-o", "out"],
    "bits": ["bits", "GOLD", "-o", "out"],
    "diff": ["diff", "GOLD", "SYSTEM", "-f", "tsv", "-o", "out"],
    "check": ["check", "GOLD", "-f", "tsv", "-o", "out"],
}


def pair_of(words: float, folder: str) -> dict[str, tuple[str, int]]:
    """Gold and system repeated to about so many words, each time with other sent_ids: the file, and its words."""
    made = {}
    for side in ("gold", "system"):
        text = (DATA / f"pairs/en_ewt_udpipe/test.{side}.conllu").read_text(encoding="utf-8")
        n = len(re.findall(r"^\d+\t", text, re.M))
        times = max(round(words / n), 1)
        path = os.path.join(folder, f"{side}{times}.conllu")
        with open(path, "w", encoding="utf-8") as stream:
            for k in range(times):
                stream.write(re.sub(r"^# sent_id = ", f"# sent_id = {k}-", text, flags=re.M))
        made[side.upper()] = path, n * times
    return made


def bytes_a_word(sizes: list[float], only: str) -> None:
    """Run each command on the smallest and the largest size; print seconds, memory, and the slope."""
    print(f"{'command':26} {'words':>9} {'seconds':>8} {'CPU':>8} {'MB':>6} {'bytes/word':>11}")
    with tempfile.TemporaryDirectory() as folder:
        pairs = [pair_of(1e6 * millions, folder) for millions in (min(sizes), max(sizes))]
        for name, command in PAIR.items():
            if not name.startswith(only):
                continue
            before = (0.0, 0)
            for pair in pairs:
                *options, last = [pair[part][0] if part in pair else part for part in command]
                seconds, cpu, memory, _ = run(options, last, folder)
                words = pair["GOLD"][1]
                slope = f"{(memory - before[0]) * 2**20 / (words - before[1]):11,.0f}" if before[1] else ""
                print(f"{name:26} {words:9,} {seconds:8.2f} {cpu:8.2f} {memory:6.0f} {slope}", flush=True)
                before = memory, words


def main() -> None:
    """Run every job on every size, and fit lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", type=Path, default=DATA / "ud/en_ewt/train.conllu.xz")
    parser.add_argument("--words", nargs="+", type=float, default=[5, 10, 20, 40], help="millions")
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many; ranking runs once")
    parser.add_argument("--memory", type=int, default=500, help="MB for ranking")
    parser.add_argument("--only", default="", help="only jobs whose names start so")
    parser.add_argument("--bytes", action="store_true", help="bytes a word of commands that hold a whole corpus")
    options = parser.parse_args()
    if options.bytes:
        bytes_a_word(options.words, options.only)
        return
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    print(f"{options.source.name}, {platform.machine()}, Python {platform.python_version()}, commit {commit}\n")
    print(f"{'job':22} {'Mwords':>7} {'seconds':>8} {'CPU':>8} {'words/s':>12} {'MB':>6} {'load':>5}")
    times: dict[str, list[tuple[float, float]]] = {}
    words = []
    with tempfile.TemporaryDirectory() as folder:
        for millions in options.words:
            path = repeated(options.source, millions, folder)
            hashes = set()
            words.append(0.0)
            for name, command in jobs(options.memory).items():
                if not name.startswith(options.only):
                    continue
                load = os.getloadavg()[0]
                repeats = 1 if name.startswith("rank") else options.repeats
                runs = [run(command, path, folder) for _ in range(repeats)]
                seconds, _, memory, text = min(runs)
                cpu = min(one[1] for one in runs)
                if name.startswith("build"):
                    words[-1] = int(re.search(r"([\d,]+) words", text).group(1).replace(",", "")) / 1e6  # type: ignore
                    hashes.add(re.search(r"hash (\w+)", text).group(1))  # type: ignore[union-attr]
                times.setdefault(name, []).append((seconds, cpu))
                speed = f"{words[-1] * 1e6 / seconds:12,.0f}"
                print(
                    f"{name:22} {words[-1]:7.2f} {seconds:8.2f} {cpu:8.2f} {speed} {memory:6.0f} {load:5.2f}",
                    flush=True,
                )
            if len(hashes) != 1:
                raise SystemExit("one process and several build different models")
            os.unlink(path)
    print()
    for name, measured in times.items():
        for what, seconds in zip(("seconds", "CPU seconds"), zip(*measured, strict=True), strict=True):
            more = words[-1] / words[0]
            line = f"{name}: {seconds[-1] / seconds[0]:.2f} times the {what} for {more:.2f} times the words"
            if len(words) > 1:
                slope, start = np.polyfit(words, seconds, 1)
                line += f"; {start:.2f} + {slope:.3f} per million words"
            print(line)
    for name in ("build, 2 threads", "build, 2 processes"):
        ratios = [one / two for (one, _), (two, _) in zip(times["build, 1 thread"], times[name], strict=True)]
        print(f"{name}: {', '.join(f'{ratio:.2f}' for ratio in ratios)} times as fast as one thread")


if __name__ == "__main__":
    main()
