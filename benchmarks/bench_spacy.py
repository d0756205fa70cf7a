"""What the spaCy component costs beside the pipeline that it is part of.

    python benchmarks/bench_spacy.py --words 20000 --folder pipeline        # trained once, kept in the folder

The pipeline is as large as `es_core_news_sm`: one table of words for the tagger and the parser (HashEmbedCNN of width
96 and depth 4, the size of the small pipelines), trained here on Spanish gold. It is timed without and with the
component on the same documents, in turns, the best of each; one thread for both.
"""

import argparse
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import spacy
from second_parser import trained
from spacy.tokens import Doc
from two_references import DATA

from treegauge.corpus.conllu import read_conllu

ROUNDS = 7


def documents(nlp: spacy.Language, most: int, length: int) -> list[Doc]:
    """Documents of so many sentences from the development data."""
    corpus = read_conllu(DATA / "ud" / "es_mix" / "dev.conllu.xz")
    last = int((corpus.start <= most).sum()) - 1
    groups = [range(s, min(s + length, last)) for s in range(0, last, length)]
    found = []
    for group in groups:
        words, starts = [], []
        for s in group:
            forms = corpus.forms(s)
            words += forms
            starts += [True] + [False] * (len(forms) - 1)
        found.append(Doc(nlp.vocab, words=words, sent_starts=starts))  # the parser was not trained to find sentences
    return found


def seconds(nlp: spacy.Language, words: int, length: int, off: list[str]) -> float:
    """The time for all documents."""
    docs = documents(nlp, words, length)
    with nlp.select_pipes(disable=off):
        begin = time.perf_counter()
        for _ in nlp.pipe(docs, batch_size=256):
            pass
        return time.perf_counter() - begin


def main() -> None:
    """Train or load the pipeline; time it without and with the component."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--train", type=int, default=20_000, help="words to train on")
    parser.add_argument("--folder", type=Path, required=True)
    given = parser.parse_args()
    if not given.folder.exists():
        train = read_conllu(DATA / "ud" / "es_mix" / "train.conllu.xz")
        nlp = trained(train.part(0, int((train.start <= given.train).sum()) - 1), shared=True)
        nlp.to_disk(given.folder)
    nlp = spacy.load(given.folder)
    nlp.add_pipe("treegauge", config={"model": "es"})
    nlp(documents(nlp, 100, 3)[0])
    for length, what in ((1, "sentence"), (20, "text of 20 sentences")):
        rounds = [
            [seconds(nlp, given.words, length, off) for off in (["treegauge"], [])] for _ in range(ROUNDS)
        ]  # in turns
        without, with_it = map(min, zip(*rounds, strict=True))
        print(f"a document is a {what}: {given.words / without:,.0f} words per second without treegauge, ", end="")
        print(f"{given.words / with_it:,.0f} with it: {100 * (with_it / without - 1):.1f} % more time")
    one, pairs = documents(nlp, 2_000, 1), []
    for doc in one:  # one call for each document, as a server has it
        begin = time.perf_counter()
        with nlp.select_pipes(disable=["treegauge"]):
            nlp(doc)
        middle = time.perf_counter()
        nlp.get_pipe("treegauge")(doc)
        pairs.append((middle - begin, time.perf_counter() - middle))
    plain, ours = (sorted(times)[len(pairs) // 2] for times in zip(*pairs, strict=True))
    print(f"nlp(text), one sentence: {1000 * plain:.1f} ms, treegauge {1000 * ours:.1f} ms: {100 * ours / plain:.1f} %")


if __name__ == "__main__":
    main()
