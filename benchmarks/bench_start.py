"""How long treegauge takes to start, as a multiple of `python -c 'import click'`; run it where treegauge is installed.

    python benchmarks/bench_start.py [--repeats 15]

Commands take turns; the best wall time of each counts. An installation by `pip install .` has its modules compiled to
bytecode; an editable one may not, and then starts more slowly.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

DEMO = Path(__file__).parents[1] / "src" / "treegauge" / "demo" / "demo.conllu"
TREEGAUGE = (sys.executable, "-m", "treegauge")
COMMANDS = {
    "import click": (sys.executable, "-c", "import click"),
    "import numpy": (sys.executable, "-c", "import numpy"),
    "treegauge --version": (*TREEGAUGE, "--version"),
    "treegauge --help": (*TREEGAUGE, "--help"),
    "treegauge rank, text": (*TREEGAUGE, "rank", str(DEMO), "--model", "en"),
    "treegauge rank, tsv": (*TREEGAUGE, "rank", str(DEMO), "--model", "en", "--format", "tsv"),
}


def seconds(command: tuple[str, ...]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Time every command and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(repeats):
        for name, command in COMMANDS.items():
            best[name] = min(best[name], seconds(command))
    for name, value in best.items():
        print(f"{name:22} {1000 * value:6.0f} ms {value / best['import click']:6.2f}")


if __name__ == "__main__":
    main()
