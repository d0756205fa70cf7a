"""treegauge diff against treegauge eval on the same two files: two million words, one in a hundred changed.

python benchmarks/bench_diff.py [--treebank en_ewt] [--words 2000000] [--runs 3]

The files are a treebank of the evaluation data (TREEGAUGE_DATA) again and again, each time under sent_ids of its own.
NEW has another relation, another head or another tag at one word of a hundred, by chance. The changes found must be
those that were made; then seconds from start to exit, peak memory, and the ratio of the best runs.
"""

import argparse
import csv
import lzma
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
DATA = Path(os.environ.get("TREEGAUGE_DATA", HERE.parent.parent / "shared" / "data"))
SHARE = 0.01


def timed(command: list[str], target: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of a process that writes to a file."""
    started = time.perf_counter()
    with target.open("wb") as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def treebank(name: str) -> list[str]:
    """The sentences of a treebank."""
    texts = []
    for path in sorted((DATA / "ud" / name).iterdir()):
        content = path.read_bytes()
        text = (lzma.decompress(content) if path.suffix == ".xz" else content).decode()
        texts += text.strip("\n").split("\n\n")
    return texts


def changed(sentence: str, chance: random.Random) -> tuple[str, int, int]:
    """A sentence with some words annotated otherwise; how many arcs and how many tags are other ones."""
    lines, arcs, tags = sentence.split("\n"), 0, 0
    for k, line in enumerate(lines):
        columns = line.split("\t")
        if not columns[0].isdigit() or chance.random() >= SHARE:
            continue
        if chance.random() < 0.3:
            columns[3] = "X" if columns[3] != "X" else "INTJ"
            tags += 1
        else:
            columns[7] = "dep" if columns[7] != "dep" else "list"
            if columns[6] != "0" and chance.random() < 0.5:
                columns[6] = _safe_head(lines, columns)
            arcs += 1
        lines[k] = "\t".join(columns)
    return "\n".join(lines), arcs, tags


def _safe_head(lines: list[str], columns: list[str]) -> str:
    """The head's head, which makes a tree again; the head itself if that is the root word."""
    heads = {line.split("\t")[0]: line.split("\t")[6] for line in lines if not line.startswith("#")}
    above = heads[columns[6]]
    return columns[6] if above == "0" else above


def write_files(name: str, words: int, old: Path, new: Path) -> tuple[int, int, int]:
    """Both files; how many words they have, and how many arcs and tags were changed."""
    sentences = treebank(name)
    n = arcs = tags = 0
    chance = random.Random(0)
    with old.open("w") as ours, new.open("w") as theirs:
        copy = 0
        while n < words:
            copy += 1
            for sentence in sentences:
                text = sentence.replace("# sent_id = ", f"# sent_id = {copy}-", 1)
                other, more_arcs, more_tags = changed(text, chance)
                ours.write(text + "\n\n")
                theirs.write(other + "\n\n")
                n += sum(line.split("\t", 1)[0].isdigit() for line in text.split("\n"))
                arcs, tags = arcs + more_arcs, tags + more_tags
    return n, arcs, tags


def main() -> None:
    """Make the files, check the changes, time both commands, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--treebank", default="en_ewt")
    parser.add_argument("--words", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as temporary:
        old, new, target = (Path(temporary, name) for name in ("old.conllu", "new.conllu", "out"))
        words, arcs, tags = write_files(options.treebank, options.words, old, new)
        print(f"{options.treebank}: {words:,} words, {arcs:,} arcs and {tags:,} tags changed;", end=" ")
        print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {commit.strip()}")
        program = [sys.executable, "-m", "treegauge"]
        commands = {
            "eval": [*program, "eval", str(old), str(new)],
            "diff": [*program, "diff", str(old), str(new)],
            "diff --format tsv": [*program, "diff", str(old), str(new), "--format", "tsv"],
        }
        best: dict[str, tuple[float, float]] = {}
        for _ in range(options.runs):
            for name, command in commands.items():
                best[name] = min(best.get(name, (1e9, 0.0)), timed(command, target))
        with target.open(newline="") as stream:
            rows = list(csv.DictReader(list(stream)[1:], delimiter="\t", quoting=csv.QUOTE_NONE))
        found = [sum(row["what"] == what for row in rows) for what in ("arc", "tag")]
        assert found == [arcs, tags], f"{found} changes found"
        for name, (seconds, megabytes) in best.items():
            print(f"{name:18} {seconds:6.2f} s  {megabytes:6,.0f} MB  {seconds / best['eval'][0]:.2f} times eval")


if __name__ == "__main__":
    main()
