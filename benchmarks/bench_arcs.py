"""Building models and scoring arcs, against other programs merely reading the same file.

    python benchmarks/bench_arcs.py [--words 2 10 40] [--rivals-words 2] [FILE]

Repeats a treebank (by default the training set of English EWT in the evaluation data) to so many million words, checks
that what is timed is right, and prints for each job words per second and peak memory. Every job runs in a
process of its own, on one core unless it says so; rivals read the smallest file, in the same run.
"""

import argparse
import json
import lzma
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))

# Each job: what is imported and made ready, not timed; then what is, with `path` given and the words left in `words`.
BUILD = """
from treegauge.models.lisca.counts import build_reference
from treegauge.models.lisca.reference import CountSettings as Settings
"""
JOBS = {
    "treegauge build, 1 thread": (BUILD, "words = build_reference([path]).words"),
    "treegauge build, 2 threads": (BUILD, "words = build_reference([path], threads=2).words"),
    "treegauge build 2013 with forms": (BUILD, "words = build_reference([path], Settings('2013', forms=True)).words"),
    "treegauge read and score": (
        "from treegauge import scorer, stream_conllu; lisca = scorer('lisca', 'en')",
        """
words = 0
for part in stream_conllu(path, columns=("upos", "deprel")):
    lisca.scores(part)
    words += part.n_words
""",
    ),
}
RIVALS = {
    "pyconll": ("import pyconll", "words = sum(len(s) for s in pyconll.iter_from_file(path))"),
    "conllu": ("import conllu", "words = sum(len(s) for s in conllu.parse_incr(open(path, encoding='utf-8')))"),
    "udapi": (
        "from udapi.core.document import Document",
        "words = sum(len(tree.descendants) for bundle in Document(path).bundles for tree in bundle)",
    ),
    "udtools": ("from udtools import udeval", "words = len(udeval.load_conllu_file(path).words)"),
}

RUN = """
import json, resource, sys, time
path = sys.argv[1]
exec(sys.argv[2])
start = time.perf_counter()
exec(sys.argv[3])
seconds = time.perf_counter() - start
print(json.dumps([words, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def run(job: tuple[str, str], path: str) -> tuple[int, float, float]:
    """Words, seconds and peak memory (MB) of a job in a process of its own."""
    result = subprocess.run([sys.executable, "-c", RUN, path, *job], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(result.stderr)
    words, seconds, memory = json.loads(result.stdout.splitlines()[-1])
    return words, seconds, memory


def repeated(source: Path, millions: float, folder: str) -> str:
    """A file of about so many million words: the source, over and over."""
    opener = lzma.open if source.suffix == ".xz" else open
    with opener(source, "rb") as file:
        text = file.read()
    words = sum(line[:1].isdigit() and line.split(b"\t", 1)[0].isdigit() for line in text.split(b"\n"))
    path = os.path.join(folder, f"{millions:g}.conllu")
    with open(path, "wb") as file:
        for _ in range(max(1, round(millions * 1e6 / words))):
            file.write(text)
    return path


def check(path: str) -> None:
    """Two threads build what one builds."""
    one, two = run((BUILD, "words = [build_reference([path], threads=n).hash for n in (1, 2)]"), path)[0]  # type: ignore
    if one != two:
        raise SystemExit("one thread and two build different models")


def main() -> None:
    """Run every job and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", type=Path, default=DATA / "ud/en_ewt/train.conllu.xz")
    parser.add_argument("--words", nargs="+", type=float, default=[2, 10, 40], help="millions")
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many")
    options = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    print(f"{options.source.name}, {platform.machine()}, Python {platform.python_version()}, commit {commit}\n")
    print(f"{'job':34} {'Mwords':>7} {'seconds':>8} {'words/s':>12} {'MB':>6}")
    speed: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for millions in options.words:
            path = repeated(options.source, millions, folder)
            first = millions == options.words[0]
            if first:
                check(path)
            jobs = {**JOBS, **RIVALS} if first else JOBS
            for name, job in jobs.items():
                repeats = options.repeats if name in JOBS and millions <= 10 else 1
                words, seconds, memory = min((run(job, path) for _ in range(repeats)), key=lambda r: r[1])
                if first:
                    speed[name] = words / seconds
                row = f"{name:34} {words / 1e6:7.2f} {seconds:8.2f} {words / seconds:12,.0f} {memory:6.0f}"
                print(row, flush=True)
            os.unlink(path)
    build, score = speed["treegauge build, 1 thread"], speed["treegauge read and score"]
    print()
    for name in RIVALS:
        ratios = build / speed[name], score / speed[name]
        print(f"building is {ratios[0]:.1f} times as fast as {name} reading, reading and scoring {ratios[1]:.1f} times")
    print(f"scoring is {score / build:.2f} times as fast as building")
    print(f"two threads build {speed['treegauge build, 2 threads'] / build:.2f} times as fast as one")


if __name__ == "__main__":
    main()
