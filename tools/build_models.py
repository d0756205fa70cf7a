"""Builds the bundled models from the treebanks of the evaluation data whose licence allows it.

    python tools/build_models.py [--jobs N] [--only CODE …] [--out FOLDER] [UD]

`bundled_treebanks.tsv`, beside this file, says what each model is built from: every treebank of a language whose
licence is CC BY, CC BY-SA or public domain, train and dev; test only where there are fewer than 5,000 words of these.
Left out are `ess_sli` (half of its relations are dep), `ja_gsdluw` and `lzh_kyoto_r216` (the sentences of another, cut
or split otherwise), and `ko_ksl` (annotated so differently that it spoils the model: docs/models.md). No words are
kept: counts of delexicalised events, weights of hashed features, and hashed pieces of words.

Nets are added afterwards, by build_nets.py. Run again on the same treebanks it writes the same bytes. With --only it
writes nothing but these models.
"""

import argparse
import csv
import json
import os
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np

import treegauge as tg
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import open_bytes, zstd
from treegauge.models.bundled_models import PLACES, UNIT, form_counts, piece_counts
from treegauge.models.choice.tags import in_steps
from treegauge.models.choice.weights import SMALLEST, ChoiceWeights
from treegauge.models.lisca.reference import Source
from treegauge.models.model import Model, model_bytes

BUNDLED = Path(__file__).parents[1] / "src" / "treegauge" / "models" / "bundled"
TABLE = Path(__file__).parent / "bundled_treebanks.tsv"
DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
_FOLDS = 5
_ENOUGH = 12_000  # words to try a model on: where there are five times as many, they are the only fold that is tried
_LARGEST, _LARGEST_OF_ALL = 1_200_000, 40_000_000  # bytes
_SMALLEST = range(4, 10)  # of weights of heads, in 1/32: the first with which a file fits
_LEVEL = 19  # of Zstandard: a tenth less than that of other models, and slow

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


def in_turn(ud: Path, group: list[Treebank]) -> Corpus:
    """All treebanks of a language, sentences of each in turn: what is learned last counts most."""
    found: list[tuple[float, bytes]] = []
    for one in group:
        sentences: list[bytes] = []
        for file in one.files.split():
            with open_bytes(find(ud, file)) as stream:
                sentences += stream.read().strip().split(b"\n\n")
        found += [((k + 0.5) / len(sentences), sentence) for k, sentence in enumerate(sentences)]
    text = b"".join(sentence + b"\n\n" for _, sentence in sorted(found, key=lambda one: one[0]))
    return tg.parse_conllu(text, on_error="skip")


def first_choices(corpus: Corpus) -> float:
    """How often a treebank's own arc is the one that the model of the other folds finds most probable."""
    n_folds = max(_FOLDS, corpus.n_words // _ENOUGH)
    fold = np.arange(corpus.n_sentences) * n_folds // corpus.n_sentences  # texts whole: some are in two treebanks
    firsts = words = 0
    for tried in range(_FOLDS if n_folds == _FOLDS else 1):
        held = corpus.select(fold == tried)
        scored = tg.score(held, tg.scorer("choice", model=tg.build_model(corpus.select(fold != tried))))
        firsts += int((scored.scores >= scored.alternatives(np.arange(held.n_words)).log_prob).sum())
        words += held.n_words
    return firsts / words


def coarser(weights: ChoiceWeights, smallest: int) -> ChoiceWeights:
    """The same weights in larger steps, those of heads below `smallest`/UNIT dropped: half the file, almost as good.

    Larger steps cost less than dropping more weights does: docs/models.md has the figures.
    """
    head, relation = in_steps(weights.head, smallest, 4), in_steps(weights.relation, SMALLEST, 8)
    tags = weights.tags and replace(weights.tags, tag=in_steps(weights.tags.tag, 6, 8))
    return replace(weights, head=head, relation=relation, tags=tags)


def small_file(model: Model) -> bytes:
    """A model as the content of a file that is small enough."""
    assert model.weights is not None
    for smallest in _SMALLEST:
        content = model_bytes(replace(model, weights=coarser(model.weights, smallest)), _LEVEL)
        if len(content) <= _LARGEST:
            return content
    raise SystemExit(f"{model.signature}: {len(content)} bytes; expected at most {_LARGEST}")


def build(ud: Path, out: Path, group: list[Treebank]) -> tuple[dict[str, object], np.ndarray]:
    """Write the model of a language; its entry in the index, and the profile of its words."""
    first = group[0]
    corpus = in_turn(ud, group)
    model = tg.build_model(corpus)
    counted = replace(model.reference, sources=(Source(first.code, model.sentences, model.words),))
    content = small_file(Model(counted, model.weights))
    (out / f"{first.code}.tgm").write_bytes(content)
    entry = {
        "code": first.code,
        "language": first.language,
        "words": model.words,
        "sentences": model.sentences,
        "hash": counted.hash,
        "first_choice": round(first_choices(corpus), 3),
        "treebanks": [f"{one.name} {one.version}" for one in group],
        "has_test": any("test" in one.parts for one in group),
        "licence": ", ".join(sorted({one.licence for one in group})),
    }
    print(first.code, model.words, entry["first_choice"], len(content), flush=True)
    return entry, profile(form_counts([corpus]))


def profile(forms: Mapping[str, int]) -> np.ndarray:
    """How much each piece of a word costs in a language, in 1/UNIT of a bit, from the words of its treebanks."""
    counts = piece_counts(forms)
    bits = -np.log2((counts + 0.5) / (counts.sum() + 0.5 * PLACES))
    return np.minimum(np.rint(bits * UNIT), 255).astype(np.uint8)


def write_profiles(profiles: Mapping[str, np.ndarray]) -> bytes:
    """Profiles by language code as the content of a file."""
    names = ",".join(sorted(profiles)).encode()
    table: bytes = zstd().compress(b"".join(profiles[code].tobytes() for code in sorted(profiles)), 19)
    return names + b"\n" + table


def write_about(out: Path, groups: list[list[Treebank]], built: list[tuple[dict[str, object], np.ndarray]]) -> None:
    """Write the index, the profiles of languages and the attribution; models of other languages go."""
    entries = [entry for entry, _ in built]
    profiles = {str(entry["code"]): words for entry, words in built}
    for path in out.glob("*.tgm"):
        if path.stem not in profiles:
            path.unlink()
    (out / "index.json").write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "languages.zst").write_bytes(write_profiles(profiles))
    lines = [
        f"| `{one.code}` | {one.language} | {one.name} {one.version} | {', '.join(one.parts)} | {one.licence} |\n"
        for group in groups
        for one in group
    ]
    attribution = (BUNDLED / "ATTRIBUTION.md").read_text(encoding="utf-8")
    _, _, other_files = attribution.rpartition("|\n")  # what stands behind the table
    (out / "ATTRIBUTION.md").write_text(ATTRIBUTION + "".join(lines) + other_files, encoding="utf-8")


def main() -> None:
    """Build every model, the index, the profiles of languages and the attribution."""
    options = argparse.ArgumentParser()
    options.add_argument("ud", nargs="?", type=Path, default=DATA / "ud")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--only", nargs="+", metavar="CODE")
    options.add_argument("--out", type=Path, default=BUNDLED)
    given = options.parse_args()
    given.out.mkdir(exist_ok=True)
    groups = [group for group in treebanks() if not given.only or group[0].code in given.only]
    with ProcessPoolExecutor(given.jobs) as pool:
        built = list(pool.map(partial(build, given.ud, given.out), groups))
    if not given.only:
        write_about(given.out, groups, built)
    size = sum(path.stat().st_size for path in given.out.iterdir())
    print(f"{len(built)} models; {size:,} bytes in {given.out}")
    if size > _LARGEST_OF_ALL:
        raise SystemExit(f"{size:,} bytes in {given.out}; expected at most {_LARGEST_OF_ALL:,}")


if __name__ == "__main__":
    main()
