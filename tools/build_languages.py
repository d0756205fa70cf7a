"""Builds the profiles by which the language of a text is told, from the treebanks of the evaluation data.

    python tools/build_languages.py [UD]

`bundled_treebanks.tsv`, beside this file, says which treebanks of each language are used: those whose licence is CC BY,
CC BY-SA or public domain, train and dev; test only where there are fewer than 5,000 words of these. A profile holds how
often hashed pieces of words occur, and no words.
"""

import csv
import os
import sys
from collections import Counter
from pathlib import Path

import treegauge as tg
from treegauge.models.language import form_counts, profile, write_profiles

OUT = Path(__file__).parents[1] / "src" / "treegauge" / "models" / "bundled" / "languages.zst"
TABLE = Path(__file__).parent / "bundled_treebanks.tsv"


def main() -> None:
    """Read every treebank, and write the profiles."""
    data = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    ud = Path(sys.argv[1]) if len(sys.argv) > 1 else data / "ud"
    forms: dict[str, Counter[str]] = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for code, _, _, _, _, files in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            for name in files.split():
                path = next(path for path in (ud / name, ud / f"{name}.xz") if path.exists())
                corpus = tg.read_conllu(path, columns=("form",), on_error="skip")
                forms.setdefault(code, Counter()).update(form_counts([corpus]))
    OUT.write_bytes(write_profiles({code: profile(counts) for code, counts in forms.items()}))


if __name__ == "__main__":
    main()
