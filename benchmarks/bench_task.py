"""How long `treegauge eval --task` takes on the submissions to CoNLL 2018, and its memory: cold, then from the cache.

    python benchmarks/bench_task.py [--folder FOLDER] [--workers 2]

FOLDER has TREEBANK/gold.conllu and TREEBANK/SYSTEM.conllu, by default `conll2018` of the evaluation data
(TREEGAUGE_DATA). Prints seconds from start to exit, pairs of files per second, and the peak of one process in MB.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from treegauge.evaluation.task.submissions import find_submissions

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "conll2018"


def main() -> None:
    """Run the command twice, and print what it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default=str(DATA))
    parser.add_argument("--workers", default=str(os.cpu_count()))
    given = parser.parse_args()
    pairs = sum(len(files) for files in find_submissions(given.folder).systems.values())
    with tempfile.TemporaryDirectory() as cache:
        for name in ("cold", "from the cache"):
            command = [sys.executable, "-m", "treegauge", "eval", "--task", given.folder, "--against", "CLAS"]
            started = time.perf_counter()
            subprocess.run([*command, "--workers", given.workers, "--cache", cache, "-o", os.devnull], check=True)
            seconds = time.perf_counter() - started
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            print(f"{name}: {pairs} pairs in {seconds:.1f} s, {pairs / seconds:.0f} per second, {peak:.0f} MB")


if __name__ == "__main__":
    main()
