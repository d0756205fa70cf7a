"""The pictures of the documentation that show the program itself, made by it.

    python tools/screenshots.py [--folder docs]        # report.png, displacy.svg

Chromium draws the pages (`chromium`, or the program that CHROMIUM names).
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import treegauge as tg

SIZE = "1400,800"
WORDS = ["The", "mayor", "promised", "to", "repair", "the", "roof", "."]
TREE = {
    "lemmas": ["the", "mayor", "promise", "to", "repair", "the", "roof", "."],
    "pos": ["DET", "NOUN", "VERB", "PART", "VERB", "DET", "NOUN", "PUNCT"],
    "heads": [1, 2, 2, 4, 2, 6, 2, 2],
    "deps": ["det", "nsubj", "ROOT", "mark", "xcomp", "det", "obj", "punct"],
}


def photograph(page: Path, picture: Path) -> None:
    """Let Chromium draw a page."""
    program = os.environ.get("CHROMIUM", "chromium")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE}"]
    options += ["--virtual-time-budget=4000", f"--screenshot={picture.resolve()}", page.resolve().as_uri()]
    subprocess.run([program, *options], check=True, stderr=subprocess.DEVNULL)
    print(picture)


def main() -> None:
    """Make every picture."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path(__file__).parents[1] / "docs")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        page = Path(work) / "page.html"
        command = [sys.executable, "-m", "treegauge", "demo", "-o", str(page)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        photograph(page, folder / "report.png")
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.blank("en")
    judge = nlp.add_pipe("treegauge", config={"model": "en"})
    svg = tg.displacy(judge(Doc(nlp.vocab, words=WORDS, **TREE)), {"distance": 110})
    (folder / "displacy.svg").write_text(svg)
    print(folder / "displacy.svg")


if __name__ == "__main__":
    main()
