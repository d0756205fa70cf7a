"""Self-training: does a parser become better by text that it and two others parsed, if only trusted sentences are kept?

    python benchmarks/self_training.py --output work            # about half an hour on one core

A little gold (WORDS of EWT) trains three parsers with their taggers: two of UDPipe, one of spaCy. All parse raw,
tokenised text (Brown). A calibration with second opinions comes from dev. Then the first parser is trained again, on
the gold and on sentences of its own parse: those that hold ACCURACY by their probabilities; the same with the trees
that `combine` makes; as many words of random sentences. LAS and UAS are on the test text of EWT, tags predicted.
"""

import argparse
import lzma
import os
import re
from pathlib import Path

import numpy as np
from second_parser import parsed as parsed_by_spacy
from second_parser import trained as trained_spacy
from ufal import udpipe

import treegauge as tg
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.evaluation.judging.calibrate import calibrate
from treegauge.models.building import build_model
from treegauge.ranking.accuracy import kept_rows
from treegauge.scorers.other_parses import other_parses

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
WORDS, RAW_WORDS, ACCURACY = 40_000, 300_000, 0.95
COMMON = "embedding_form=50;embedding_upostag=20;embedding_feats=20;embedding_deprel=20;iterations=6;"
PARSERS = (
    COMMON + "transition_system=swap;transition_oracle=static_lazy;structured_interval=0;run=1",
    COMMON + "transition_system=projective;transition_oracle=dynamic;structured_interval=8;run=2",
)


def sentences(text: str, kind: str = "conllu") -> udpipe.Sentences:
    """Text as UDPipe holds it."""
    reader, error, found = udpipe.InputFormat.newInputFormat(kind), udpipe.ProcessingError(), udpipe.Sentences()
    reader.setText(text)
    while reader.nextSentence(sentence := udpipe.Sentence(), error):
        found.append(sentence)
    assert not error.occurred(), error.message
    return found


def trained(text: str, parser: str, scratch: Path) -> udpipe.Model:
    """A tagger and parser of UDPipe trained on CoNLL-U."""
    error = udpipe.ProcessingError()
    kind, tagger = "morphodita_parsito", "iterations=10;models=1"
    model = udpipe.Trainer.train(kind, sentences(text), udpipe.Sentences(), "none", tagger, parser, error)
    assert not error.occurred(), error.message
    scratch.write_bytes(model)
    return udpipe.Model.load(str(scratch))


def parsed(model: udpipe.Model, words: Corpus) -> Corpus:
    """The words of a corpus, tagged and parsed."""
    writer, found = udpipe.OutputFormat.newConlluOutputFormat(), []
    for sentence in sentences("".join(" ".join(words.forms(s)) + "\n" for s in range(words.n_sentences)), "horizontal"):
        model.tag(sentence, udpipe.Pipeline.DEFAULT)
        model.parse(sentence, udpipe.Pipeline.DEFAULT)
        found.append(writer.writeSentence(sentence))
    return parse_conllu("".join(found))


def first(corpus: Corpus, words: int) -> Corpus:
    """The first sentences, of so many words together."""
    return corpus.part(0, min(corpus.n_sentences, int(np.searchsorted(corpus.start, words))))


def plain(corpus: Corpus) -> Corpus:
    """The sentences without a space in a form, on which all parsers have the same words."""
    able = [s for s in range(corpus.n_sentences) if not any(re.search(r"\s", form) for form in corpus.forms(s))]
    return corpus.select(np.array(able))


def raw() -> Corpus:
    """Raw text as a corpus: words only."""
    lines, words = [], 0
    with lzma.open(DATA / "raw" / "en" / "brown.tok.txt.xz", "rt") as stream:
        for line in stream:
            forms = line.split()
            if 3 <= len(forms) <= 40:
                words += len(forms)
                heads = range(len(forms))
                lines += [
                    f"{k + 1}\t{form}" + "\t_" * 4 + f"\t{k}\tdep\t_\t_\n" for k, form in zip(heads, forms, strict=True)
                ]
                lines.append("\n")
            if words >= RAW_WORDS:
                break
    return parse_conllu("".join(lines))


def parses(texts: dict[str, Corpus], gold: Corpus, folder: Path) -> list[list[Corpus]]:
    """The parses of each text by three parsers trained on gold, kept in files."""
    paths = [[folder / f"{name}.{k}.conllu" for k in range(3)] for name in texts]
    if not all(path.exists() for row in paths for path in row):
        models = [trained(text_of(gold), one, folder / f"{k}.udpipe") for k, one in enumerate(PARSERS)]
        nlp = trained_spacy(gold)
        for words, row in zip(texts.values(), paths, strict=True):
            for model, path in zip(models, row, strict=False):
                path.write_text(text_of(parsed(model, words)))
            row[2].write_text("".join(parsed_by_spacy(nlp, words)))
    return [[read_conllu(path) for path in row] for row in paths]


def text_of(corpus: Corpus, rows: np.ndarray | None = None) -> str:
    """Sentences of a corpus as CoNLL-U, without multiword tokens, which the parsers do not make."""
    wanted = range(corpus.n_sentences) if rows is None else rows.tolist()
    text = "".join(corpus.sentence_text(s).decode().rstrip("\n") + "\n\n" for s in wanted)
    return re.sub(r"(?m)^\d+[-.]\d+\t.*\n", "", text)


def scores(gold: Corpus, system: Corpus) -> str:
    """UAS and LAS."""
    found = tg.evaluate(gold, system)
    return f"UAS {100 * found['UAS'].f1:.2f}, LAS {100 * found['LAS'].f1:.2f}"


def main() -> None:
    """A line for each step."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, required=True)
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    train, dev, test = (
        plain(read_conllu(next((DATA / "ud/en_ewt").glob(f"{side}.conllu*")))) for side in ("train", "dev", "test")
    )
    gold = first(train, WORDS)
    text = raw()
    of_dev, of_test, of_raw = parses({"dev": dev, "test": test, "raw": text}, gold, folder)
    for name, one in zip(("first", "second", "spaCy"), of_test, strict=True):
        print(f"{name}, {gold.n_words:,} words of gold: {scores(test, one)}", flush=True)
    model = build_model(gold)
    calibration = calibrate(dev, of_dev[0], model, others=of_dev[1:]).calibration

    def combined(given: list[Corpus]) -> Corpus:
        made = tg.combine(given[0], given[1:], model, trust=calibration.trust)
        return parse_conllu(made.conllu().decode())

    print(f"combined: {scores(test, combined(of_test))}")
    opinions = other_parses(of_raw[0], of_raw[1:], ["second", "spaCy"])
    scored = tg.score(of_raw[0], tg.scorer(model=model, calibration=calibration, others=opinions))
    kept = np.sort(kept_rows(scored.sentence_probabilities, ACCURACY, np.diff(text.start)))
    words = int(np.diff(of_raw[0].start)[kept].sum())
    print(f"kept: {len(kept):,} of {text.n_sentences:,} sentences, {words:,} of {text.n_words:,} words", flush=True)
    best = combined(of_raw)
    order = np.random.default_rng(0).permutation(text.n_sentences)
    chance = np.sort(order[: int(np.searchsorted(np.cumsum(np.diff(text.start)[order]), words)) + 1])
    more = {
        "trusted sentences": text_of(of_raw[0], kept),
        "trusted sentences, combined trees": text_of(best, kept),
        "random sentences": text_of(of_raw[0], chance),
    }
    for name, silver in more.items():
        again = trained(text_of(gold) + silver, PARSERS[0], folder / "again.udpipe")
        print(f"first, gold and {name}: {scores(test, parsed(again, test))}", flush=True)


if __name__ == "__main__":
    main()
