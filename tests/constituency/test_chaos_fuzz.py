"""Random sentences with random missing columns: every layer and every written form goes through.

    python -m tests.constituency.test_chaos_fuzz 60000

runs as many sentences as are asked for; the test runs some hundreds.
"""

import json
import sys

import numpy as np
import pytest

from treegauge.constituency.chaos.chunker import UPOS as TAGS
from treegauge.constituency.chaos.notation import to_conllu, to_prolog, to_record
from treegauge.constituency.chaos.parser import Chaos
from treegauge.constituency.chaos.rules import find_rules
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError

UPOS = [*sorted(TAGS), "_", "ODD"]
FORMS = [
    "di",
    "a",
    "che",
    "e",
    ",",
    "fare",
    "dire",
    "anche",
    "non",
    "to",
    "of",
    "casa",
    "'s",
    "-",
    "fatto",
    "sta",
    "cui",
]
FORMS += ["si", "il", "three", "$", "Que", "de", "se", "i", "中", "ß"]
FEATS = ["_", "VerbForm=Fin", "VerbForm=Inf", "VerbForm=Ger", "VerbForm=Part", "VerbForm=Odd", "Mood=Ind", "Tense=Past"]
FEATS += ["PronType=Rel", "Clitic=Yes", "PronType=Neg", "Case=Nom", "Gender=Masc|Number=Sing", "Odd"]
XPOS = ["_", "V", "PR", "PC", "BN", "VBG", "VBN", "RP", "E", "WP"]
COLUMNS = {2: FORMS, 3: UPOS, 4: XPOS, 5: FEATS}
NAMES = ("it", "it-1998", "en", "es", "pt")


def random_text(random: np.random.Generator, sentences: int) -> str:
    """Sentences of up to 30 words; each of LEMMA, UPOS, XPOS and FEATS may be blank throughout, or here and there."""
    missing = {column: random.choice([0, 0, 0.3, 1]) for column in COLUMNS}
    lines = []
    for _ in range(sentences):
        n = int(random.integers(1, 31))
        root = int(random.integers(1, n + 1))
        for w in range(1, n + 1):
            row = [str(w), str(random.choice(FORMS)), *["_"] * 8]
            for column, values in COLUMNS.items():
                if random.random() >= missing[column]:
                    row[column] = str(random.choice(values))
            row[6], row[7] = ("0", "root") if w == root else (str(root), "dep")
            lines.append("\t".join(row))
        lines.append("")
    return "\n".join(lines) + "\n"


def check(corpus: Corpus, chaos: Chaos) -> None:
    """Parse, write in every form, score; each word is in one chunk, each sentence has one main clause."""
    parses = list(chaos.parse_corpus(corpus))
    for s, parse in enumerate(parses):
        forms = corpus.forms(s)
        assert sum(chunk.last + 1 - chunk.first for chunk in parse.chunks) == len(forms)
        record = to_record(parse, forms)
        assert sum(link["kind"] == "MainClause" for link in record["verbal"]) == 1
        json.dumps(record)
        assert to_prolog(parse, forms, "x")
    again = parse_conllu(to_conllu(corpus, parses, chaos.rules), trees=False)
    assert again.n_words == corpus.n_words
    (counts,) = chaos.evaluate(corpus).parts
    assert counts.right.sum() <= counts.gold.sum()
    chaos.missing()


def run(sentences: int, seed: int = 0, batch: int = 40) -> int:
    """How many sentences were parsed; batches without any UPOS are refused, and are counted as well."""
    random = np.random.default_rng(seed)
    refused = done = 0
    while done < sentences:
        corpus = parse_conllu(random_text(random, batch).encode())
        rules = find_rules(str(random.choice(NAMES))).changed(
            [None, 0, 3][int(random.integers(3))], random.random() < 0.5
        )
        if all(corpus.value("upos", w) == "_" for w in range(corpus.n_words)):
            with pytest.raises(CorpusError, match="no word has a UPOS tag"):
                check(corpus, Chaos(rules))
            refused += batch
        else:
            check(corpus, Chaos(rules))
        done += batch
    assert refused < done
    return done


def test_random_sentences_with_missing_columns_do_not_stop_the_parser() -> None:
    assert run(800) == 800


if __name__ == "__main__":
    sys.stdout.write(f"{run(int(sys.argv[1]), seed=1)} sentences\n")
