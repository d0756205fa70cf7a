"""LAS of UDPipe on many treebanks, trained on equally many words of each: what `bits_and_las.py` compares bits with.

    python benchmarks/udpipe_las.py --words 12000 --output las.tsv      # all treebanks that are large enough
    python benchmarks/udpipe_las.py --output las.tsv el_gdt tr_imst     # these

Trains the parser alone, on gold tags and features, by ufal.udpipe: a random 12,000 words of the training text, and
LAS on the first 10,000 or so of the test text, also with gold tags. One to two minutes a treebank on one core. A
treebank that the output has already is not trained again.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
from ufal import udpipe

from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.corpus.corpus import Corpus

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
WORDS, TEST_WORDS = 12_000, 10_000
REPEATED = {"tr_tourism", "de_mix"}  # the test sentences recur in train; trees of several schemes
# All vectors of words start at random: no other text is read. Swaps allow non-projective trees.
PARSER = (
    "embedding_form=50;embedding_upostag=20;embedding_feats=20;embedding_deprel=20;iterations=10;"
    "transition_system=swap;transition_oracle=static_lazy;structured_interval=0;run=1"
)


def treebanks(words: int) -> list[str]:
    """Treebanks whose training text has so many words, and whose test text is of a size to be judged by."""
    found = []
    for folder in sorted((DATA / "ud").iterdir()):
        if folder.name in REPEATED or not all(list(folder.glob(f"{side}.conllu*")) for side in ("train", "test")):
            continue
        if part_of(folder.name, "train").n_words >= words and part_of(folder.name, "test").n_words >= 0.8 * TEST_WORDS:
            found.append(folder.name)
    return found


def part_of(name: str, side: str) -> Corpus:
    """The train or test text of a treebank."""
    return read_conllu(next((DATA / "ud" / name).glob(f"{side}.conllu*")))


def sample(corpus: Corpus, words: int, seed: int = 0) -> Corpus:
    """Random sentences of so many words together, in the order of the corpus."""
    order = np.random.default_rng(seed).permutation(corpus.n_sentences)
    enough = np.searchsorted(np.cumsum(np.diff(corpus.start)[order]), words) + 1
    return corpus.select(np.sort(order[:enough]))


def first(corpus: Corpus, words: int) -> Corpus:
    """The first sentences, of so many words together."""
    return corpus.part(0, min(corpus.n_sentences, int(np.searchsorted(corpus.start, words))))


def texts(corpus: Corpus) -> str:
    """A corpus as CoNLL-U."""
    return "".join(corpus.sentence_text(s).decode().rstrip("\n") + "\n\n" for s in range(corpus.n_sentences))


def read(text: str) -> udpipe.Sentences:
    """CoNLL-U as UDPipe holds it."""
    reader, error, found = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError(), udpipe.Sentences()
    reader.setText(text)
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise ValueError(error.message)
    return found


def las(train: Corpus, test: Corpus, scratch: Path) -> tuple[float, float]:
    """UAS and LAS (universal relations) of a parser trained on one corpus and tested on the other."""
    error = udpipe.ProcessingError()
    kind, none = "morphodita_parsito", "none"
    model = udpipe.Trainer.train(kind, read(texts(train)), udpipe.Sentences(), none, none, PARSER, error)
    if error.occurred():
        raise ValueError(error.message)
    scratch.write_bytes(model)
    loaded, writer, parsed = udpipe.Model.load(str(scratch)), udpipe.OutputFormat.newConlluOutputFormat(), []
    for sentence in read(texts(test)):
        loaded.parse(sentence, udpipe.Pipeline.DEFAULT)
        parsed.append(writer.writeSentence(sentence))
    system = parse_conllu("".join(parsed))
    head = system.head == test.head
    relation = [
        np.array([label.partition(":")[0] for label in one.labels["deprel"]])[one.codes["deprel"]]
        for one in (test, system)
    ]
    return float(head.mean()), float((head & (relation[0] == relation[1])).mean())


def main() -> None:
    """A line for each treebank, written as soon as it is known."""
    parser = argparse.ArgumentParser()
    parser.add_argument("treebanks", nargs="*")
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args()
    known = {line.split("\t")[0] for line in given.output.read_text().splitlines()} if given.output.exists() else set()
    for name in given.treebanks or treebanks(given.words):
        if name in known:
            continue
        began = time.perf_counter()
        train, test = sample(part_of(name, "train"), given.words), first(part_of(name, "test"), TEST_WORDS)
        uas, found = las(train, test, given.output.with_suffix(".udpipe"))
        line = f"{name}\t{train.n_words}\t{test.n_words}\t{uas:.4f}\t{found:.4f}"
        with given.output.open("a") as stream:
            stream.write(line + "\n")
        print(f"{line}\t{time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
