"""A second parser for the evaluation pairs: a small spaCy pipeline trained on the gold training text of each.

    python benchmarks/second_parser.py --output parses it_mix en_ewt_udpipe        # parses/it_mix/dev.conllu …

It parses the words of dev and test, which it takes as they are; tags are its own. `kept.py` asks it as a second
opinion. About a minute for 20,000 words on one core.
"""

import argparse
import os
import random
from collections.abc import Iterator
from pathlib import Path

import spacy
from spacy.tokens import Doc
from spacy.training import Example
from two_references import DATA, TREEBANKS

from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus

EPOCHS, BATCH_WORDS, MOST_WORDS = 12, 1500, 60_000


def sentences(corpus: Corpus) -> Iterator[dict[str, list[str] | list[int]]]:
    """Words, tags, heads (from 0, a root is its own) and universal relations of each sentence."""
    columns = {name: [corpus.labels[name][code] for code in corpus.codes[name]] for name in ("form", "upos", "deprel")}
    for s in range(corpus.n_sentences):
        low, high = corpus.start[[s, s + 1]].tolist()
        heads = [k if h == 0 else h - 1 for k, h in enumerate(corpus.head[low:high].tolist())]
        deps = ["ROOT" if rel == "root" else rel.partition(":")[0] for rel in columns["deprel"][low:high]]
        yield {"words": columns["form"][low:high], "pos": columns["upos"][low:high], "heads": heads, "deps": deps}


LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "*"}


def trained(train: Corpus, seed: int = 0, *, shared: bool = False) -> spacy.Language:
    """A pipeline of tagger and parser trained on a corpus; shared: with one table of words for both, as spaCy's own."""
    random.seed(seed)
    nlp = spacy.blank("xx")
    words = {}
    if shared:
        nlp.add_pipe("tok2vec")
        words = {"model": {"tok2vec": LISTENER}}
    tagger = {"model": {"@architectures": "spacy.Tagger.v2", **words["model"]}} if shared else {}
    nlp.add_pipe("morphologizer", config=tagger)
    nlp.add_pipe("parser", config={"learn_tokens": False, **words})
    examples = [
        Example(
            Doc(nlp.vocab, words=one["words"]),
            Doc(nlp.vocab, words=one["words"], pos=one["pos"], heads=one["heads"], deps=one["deps"]),
        )
        for one in sentences(train)
    ]
    optimizer = nlp.initialize(lambda: examples[:2000])
    for epoch in range(EPOCHS):
        random.shuffle(examples)
        losses: dict[str, float] = {}
        batch, words = [], 0
        for example in examples:
            batch.append(example)
            words += len(example.reference)
            if words >= BATCH_WORDS:
                nlp.update(batch, sgd=optimizer, drop=0.1, losses=losses)
                batch, words = [], 0
        print(f"  epoch {epoch + 1}: {losses}", flush=True)
    return nlp


def parsed(nlp: spacy.Language, corpus: Corpus) -> Iterator[str]:
    """The sentences of a corpus, parsed, in CoNLL-U."""
    docs = (
        Doc(nlp.vocab, words=one["words"], sent_starts=[True] + [False] * (len(one["words"]) - 1))
        for one in sentences(corpus)
    )
    for doc in nlp.pipe(docs, batch_size=64):
        for k, token in enumerate(doc, 1):
            head, dep = (0, "root") if token.head is token or token.dep_ == "ROOT" else (token.head.i + 1, token.dep_)
            yield f"{k}\t{token.text}\t_\t{token.pos_ or '_'}\t_\t_\t{head}\t{dep or 'dep'}\t_\t_\n"
        yield "\n"


def main() -> None:
    """Files of each pair asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", nargs="+", choices=list(TREEBANKS))
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for pair in given.pairs:
        print(pair, flush=True)
        train = read_conllu(next((DATA / "ud" / TREEBANKS[pair]).glob("train.conllu*")))
        last = int((train.start <= MOST_WORDS).sum()) - 1
        nlp = trained(train.part(0, last))
        (given.output / pair).mkdir(parents=True, exist_ok=True)
        for side in ("dev", "test"):
            gold = DATA / "pairs" / pair / f"{side}.gold.conllu"
            if gold.exists():
                text = "".join(parsed(nlp, read_conllu(gold)))
                (given.output / pair / f"{side}.conllu").write_text(text)


if __name__ == "__main__":
    main()
