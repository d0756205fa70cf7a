"""Making a page against ranking the same corpus, and how fast the page answers in a browser.

    python benchmarks/bench_page.py [--sentences 10000] [--model en] [FILE]

Takes the first sentences of a treebank (by default the training set of English EWT in the evaluation data), checks that
the page lists the arcs as `rank` does, then times whole commands, the best of `--repeats`, each in a process of its
own. Where Chromium and Playwright are, it opens the page and times loading, a search, a filter and a key.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
JOBS = {
    "search": "filters.elements.search.value = 'the'; refresh();",
    "search again": "filters.elements.search.value = 'then'; refresh();",
    "filter by relation": "filters.reset(); filters.elements.relation.value = 'nsubj'; refresh();",
    "sort by length": "filters.reset(); filters.elements.order.value = 'longest'; refresh();",
    "key j": "select(current + 1);",
    "verdict": "judge('error');",
}


def seconds(repeats: int, *args: object) -> float:
    """The best time of a command."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", "treegauge", *map(str, args)], check=True, capture_output=True)
        best = min(best, time.perf_counter() - begin)
    return best


def first_sentences(source: Path, n: int, path: Path) -> None:
    """The first n sentences of a treebank as a plain file."""
    from treegauge import read_conllu

    corpus = read_conllu(source)
    end = corpus.begin[n] if n < corpus.n_sentences else len(corpus.text)
    path.write_bytes(corpus.text[:end].tobytes())


def check(target: Path, page: Path, model: str) -> int:
    """How many arcs the page lists, which are those of `rank` in the same order."""
    found = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)[1])  # type: ignore
    command = [sys.executable, "-m", "treegauge", "rank", target, "-m", model, "-f", "tsv", "--order", "suspicious"]
    lines = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout.splitlines()[1:]
    starts = found["start"]
    for row, line in zip(found["order"], lines, strict=True):
        _, _, sentence, word, form, *_ = line.split("\t")
        if row != starts[int(sentence) - 1] + int(word) - 1 or found["labels"]["form"][found["form"][row]] != form:
            raise SystemExit(f"the page and rank disagree: {line}")
    return len(lines)


def in_browser(page: Path) -> None:
    """Load the page and time what it does."""
    path = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        print("no Chromium or no Playwright: the page was not opened")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        begin = time.perf_counter()
        tab.goto(page.as_uri())
        print(f"{'load and draw':34} {1000 * (time.perf_counter() - begin):8.0f} ms")
        for name, job in JOBS.items():
            timed = f"() => {{ const begin = performance.now(); {job} return performance.now() - begin; }}"
            print(f"{name:34} {tab.evaluate(timed):8.1f} ms")
        browser.close()


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", type=Path, default=DATA / "ud/en_ewt/train.conllu.xz")
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--model", default="en")
    parser.add_argument("--repeats", type=int, default=5, help="the best of so many")
    options = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    print(f"{options.source.name}, {platform.machine()}, Python {platform.python_version()}, commit {commit}\n")
    with tempfile.TemporaryDirectory() as folder:
        target, page = Path(folder) / "target.conllu", Path(folder) / "page.html"
        first_sentences(options.source, options.sentences, target)
        made = seconds(options.repeats, "report", target, "-m", options.model, "-o", page)
        arcs = check(target, page, options.model)
        print(f"{options.sentences:,} sentences, {arcs:,} arcs, page {page.stat().st_size / 1e6:.1f} MB\n")
        print(f"{'report':34} {made:8.2f} s")
        for form in ("text", "tsv", "json"):
            ranked = seconds(options.repeats, "rank", target, "-m", options.model, "-f", form)
            print(f"{f'rank --format {form}':34} {ranked:8.2f} s; report takes {made / ranked:.1f} times as long")
        in_browser(page)


if __name__ == "__main__":
    main()
