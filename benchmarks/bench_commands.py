"""Whole commands from the shell, start and writing included, beside the same step in a process that has started.

    python benchmarks/bench_commands.py [--words 1] [--repeats 5] [--rivals-repeats 1]

Repeats a pair of the evaluation data (English EWT: a reference, gold and a parser's output) to about so many million
words, each time with other sent_ids. Commands and rivals take turns, so that a machine that varies is the same to
all; the best wall time of each counts, beside the least CPU time. The model that is scored with is built first.
Run it where treegauge was installed by `pip install .`: an editable installation may start more slowly.
"""

import argparse
import lzma
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
TREEGAUGE = (str(Path(sys.executable).with_name("treegauge")),)
WHOLE = "import sys; path = sys.argv[1]\n"
READ = "import pyconll\nprint(sum(len(s) for s in pyconll.iter_from_file(path)))"
LOAD = "import pyconll\nprint(sum(len(s) for s in pyconll.load_from_file(path)))"
UDTOOLS = """
from udtools.udeval import evaluate, load_conllu_file
kind = {"multiple_roots_okay": True}
print(evaluate(load_conllu_file(sys.argv[1], kind), load_conllu_file(sys.argv[2], kind))["LAS"].f1)
"""
# What is imported before the clock starts, and what is timed; `path`, `gold` and `system` are given.
IN_PROCESS = {
    "model build --counts-only": (
        "from treegauge.models.building import build_model\nfrom treegauge.models.model import model_bytes",
        "model_bytes(build_model(path, choice=False))",
    ),
    "model build": (
        "from treegauge.models.building import build_model\nfrom treegauge.models.model import model_bytes\n"
        "import treegauge.models.choice.learning",
        "model_bytes(build_model(path))",
    ),
    "read and score (LISCA)": (
        "from treegauge import scorer, stream_conllu\nby = scorer('lisca', 'model.tgm')",
        "for part in stream_conllu(path, columns=('upos', 'deprel')): by.scores(part)",
    ),
    "load a model with weights": ("from treegauge import load_model", "load_model('weights.tgm')"),
    "eval": ("from treegauge import evaluate", "evaluate(gold, system)"),
}
TIMER = """
import sys, time
path, gold, system = sys.argv[1:4]
exec(sys.argv[4])
start = time.perf_counter()
exec(sys.argv[5])
print(time.perf_counter() - start)
"""


@dataclass
class Best:
    """The least seconds of wall and of processors."""

    wall: float = float("inf")
    cpu: float = float("inf")

    def run(self, command: tuple[str, ...], folder: str) -> str:
        """Run a command once more; its output."""
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
            start = time.perf_counter()
            process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=messages)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            messages.seek(0)
            if status:
                raise SystemExit(messages.read().decode())
            self.wall, self.cpu = min(self.wall, wall), min(self.cpu, usage.ru_utime + usage.ru_stime)
            return output.read().decode()


def repeated(source: Path, path: Path, words: float) -> int:
    """Write a treebank so often that there are about so many words, with other sent_ids; how many there are."""
    text = source.read_bytes()
    text = lzma.decompress(text) if source.suffix == ".xz" else text
    once = sum(line.split(b"\t", 1)[0].isdigit() for line in text.split(b"\n"))
    times = max(1, round(words / once))
    with path.open("wb") as file:
        for k in range(times):
            file.write(text.replace(b"# sent_id = ", b"# sent_id = %d-" % k))
    return times * once


def commands() -> dict[str, tuple[str, ...]]:
    """What is run from the shell."""
    build = (*TREEGAUGE, "model", "build", "reference.conllu")
    rank = (*TREEGAUGE, "rank", "reference.conllu", "-m", "model.tgm", "-f", "tsv", "-o", "ranked.tsv")
    return {
        "treegauge model build --counts-only": (*build, "--counts-only", "-o", "m.tgm"),
        "treegauge model build": (*build, "-o", "w.tgm"),
        "treegauge rank --format tsv": rank,
        "treegauge eval": (*TREEGAUGE, "eval", "gold.conllu", "system.conllu"),
        "pyconll, one by one": (sys.executable, "-c", WHOLE + READ, "reference.conllu"),
        "pyconll, all at once": (sys.executable, "-c", WHOLE + LOAD, "reference.conllu"),
        "udtools eval": (sys.executable, "-c", WHOLE + UDTOOLS, "gold.conllu", "system.conllu"),
    }


def main() -> None:
    """Make the files, run everything in turns, print a table and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=float, default=1.0, help="millions")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rivals-repeats", type=int, default=1)
    options = parser.parse_args()
    pair = DATA / "pairs" / "en_ewt_udpipe"
    inside = {name: (sys.executable, "-c", TIMER, *FILES, *job) for name, job in IN_PROCESS.items()}
    best = {name: Best() for name in (*commands(), *inside)}
    timed = dict.fromkeys(inside, float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        sources = (DATA / "ud/en_ewt/train.conllu.xz", pair / "test.gold.conllu", pair / "test.system.conllu")
        files = (Path(folder, name) for name in FILES)
        words, gold_words, _ = (repeated(*two, options.words * 1e6) for two in zip(sources, files, strict=True))
        for name, more in (("model.tgm", ("--counts-only",)), ("weights.tgm", ())):
            Best().run((*TREEGAUGE, "model", "build", "reference.conllu", "-o", name, *more), folder)
        for k in range(options.repeats):
            for name, command in commands().items():
                if name.startswith("treegauge") or k < options.rivals_repeats:
                    best[name].run(command, folder)
            for name, command in inside.items():
                timed[name] = min(timed[name], float(best[name].run(command, folder).split()[-1]))
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    print(f"{words:,} words, eval {gold_words:,}; {platform.machine()}, {os.cpu_count()} cores,", end=" ")
    print(f"Python {platform.python_version()}, commit {commit}, load {os.getloadavg()[0]:.1f}\n")
    print(f"{'whole command':32} {'seconds':>8} {'CPU':>8} {'words/s':>12}")
    for name in commands():
        n = gold_words if "eval" in name else words
        print(f"{name:32} {best[name].wall:8.2f} {best[name].cpu:8.2f} {n / best[name].wall:12,.0f}")
    print(f"\n{'in a process that has started':32} {'seconds':>8}")
    for name, seconds in timed.items():
        print(f"{name:32} {seconds:8.2f}")
    print()
    counting = "model build --counts-only"
    rivals = {"pyconll, one by one": counting, "pyconll, all at once": counting, "udtools eval": "eval"}
    for theirs, ours in rivals.items():
        one, other = best[f"treegauge {ours}"], best[theirs]
        print(f"{ours}: {other.wall / one.wall:.1f} times as fast as {theirs} (CPU time: {other.cpu / one.cpu:.1f})")


FILES = ("reference.conllu", "gold.conllu", "system.conllu")

if __name__ == "__main__":
    main()
