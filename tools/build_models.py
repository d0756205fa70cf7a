"""Builds the bundled models from the treebanks of the evaluation data whose licence allows it.

    python tools/build_models.py [--only CODE …] [UD]

`bundled_treebanks.tsv`, beside this file, says what each model is built from: every treebank of a language whose
licence is CC BY, CC BY-SA or public domain, train and dev; test only where there are fewer than 5,000 words of these.
Left out are `ess_sli` (half of its relations are dep), `ja_gsdluw` and `lzh_kyoto_r216` (the sentences of another, cut
or split otherwise). No words are kept: counts of delexicalised events, weights of hashed features, and hashed pieces of
words.

Run again on the same treebanks it writes the same bytes.
"""

import argparse
import csv
import json
import os
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np

import treegauge as tg
from treegauge.arcs.reference import Source
from treegauge.choice.weights import smaller
from treegauge.corpus.conllu import Corpus
from treegauge.models.language import form_counts, profile, write_profiles
from treegauge.models.model import Model

OUT = Path(__file__).parents[1] / "src" / "treegauge" / "models" / "bundled"
TABLE = Path(__file__).parent / "bundled_treebanks.tsv"
DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
_FOLDS = 5
_MOST_FOLDED = 60_000  # words of a language on which its model is tried in folds
_LARGEST = 1_200_000  # bytes of a model
# weights nearer to 0 than the first of these are dropped, or than the next, until the file is small enough
_LEAST = (0.15, 0.18, 0.22, 0.26)

ATTRIBUTION = """# Where the bundled models come from

Each `.tgm` file in this folder holds counts of delexicalised events (tags, relations, positions) and weights of hashed
features, and `languages.zst` how often hashed pieces of words occur, in Universal Dependencies treebanks; no words, no
sentences. They are made by `tools/build_models.py`. The treebanks are the work of their authors, listed with their
licences at https://universaldependencies.org; the models are shared under the licence of the treebanks they were built
from. Test sets are left out, except where a language has next to nothing else.

| model | language | treebank and version | parts | licence |
|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Treebank:
    """A line of the table."""

    code: str
    language: str
    name: str
    version: str
    licence: str
    files: str

    @property
    def parts(self) -> tuple[str, ...]:
        """train, dev, test: those that are used."""
        return tuple("test" if file.endswith("_pud.conllu") else Path(file).stem for file in self.files.split())


def treebanks() -> list[list[Treebank]]:
    """The treebanks of each language."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = [Treebank(*row) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return [list(group) for _, group in groupby(sorted(rows, key=lambda row: row.code), key=lambda row: row.code)]


def find(ud: Path, file: str) -> str:
    """A file, plain or compressed."""
    found = [path for path in (ud / file, ud / f"{file}.xz") if path.exists()]
    if not found:
        raise SystemExit(f"{ud / file}: no such file, nor .xz")
    return str(found[0])


def first_choices(corpus: Corpus) -> float:
    """How often a treebank's own arc is the one that the model of the other folds finds most probable."""
    corpus = corpus.select(corpus.start[1:] <= _MOST_FOLDED)
    scored = tg.score(corpus, tg.scorer("choice", by_itself=corpus, folds=_FOLDS))
    rows = np.arange(corpus.n_words)
    return float((scored.scores >= scored.alternatives(rows).log_prob).mean())


def build(ud: Path, group: list[Treebank]) -> tuple[dict[str, object], np.ndarray]:
    """Write the model of a language; its entry in the index, and the profile of its words."""
    first = group[0]
    corpus = tg.read_conllu(*(find(ud, file) for one in group for file in one.files.split()), on_error="skip")
    model = tg.build_model(corpus)
    counted = replace(model.reference, sources=(Source(first.code, model.sentences, model.words),))
    path = OUT / f"{first.code}.tgm"
    assert model.weights is not None
    for least in _LEAST:
        Model(counted, smaller(model.weights, least)).save(path)
        if path.stat().st_size <= _LARGEST:
            break
    entry = {
        "code": first.code,
        "language": first.language,
        "words": model.words,
        "sentences": model.sentences,
        "hash": model.hash,
        "first_choice": round(first_choices(corpus), 3),
        "treebanks": [f"{one.name} {one.version}" for one in group],
        "has_test": any("test" in one.parts for one in group),
        "licence": ", ".join(sorted({one.licence for one in group})),
    }
    print(first.code, model.words, entry["first_choice"], path.stat().st_size, least, flush=True)
    return entry, profile(form_counts([corpus]))


def main() -> None:
    """Build every model, the index, the profiles of languages and the attribution."""
    options = argparse.ArgumentParser()
    options.add_argument("ud", nargs="?", type=Path, default=DATA / "ud")
    options.add_argument("--only", nargs="+", metavar="CODE")
    given = options.parse_args()
    groups = treebanks()
    built = [build(given.ud, group) for group in groups if not given.only or group[0].code in given.only]
    if given.only:
        return
    entries = [entry for entry, _ in built]
    (OUT / "index.json").write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    profiles = {str(entry["code"]): words for entry, words in built}
    (OUT / "languages.zst").write_bytes(write_profiles(profiles))
    lines = [
        f"| `{one.code}` | {one.language} | {one.name} {one.version} | {', '.join(one.parts)} | {one.licence} |\n"
        for group in groups
        for one in group
    ]
    attribution = OUT / "ATTRIBUTION.md"
    _, _, other_files = attribution.read_text(encoding="utf-8").rpartition("|\n")  # what stands behind the table
    attribution.write_text(ATTRIBUTION + "".join(lines) + other_files, encoding="utf-8")


if __name__ == "__main__":
    main()
