"""Words as numbers that mean the same in every corpus: hashes of tags, lemmas, features, relations and endings."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal

COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "deprel")  # what a corpus must have been read with
AGREEING = ("Case", "Number", "Gender", "Person")  # features that are looked at one by one


def hash_of(text: str) -> int:
    """A number above 15 for a string: CRC-32 of its UTF-8."""
    return zlib.crc32(text.encode()) + 16


def morphology(feats: str) -> int:
    """The values of AGREEING, 16 bits each, the first of them lowest; 0 where there is none."""
    values = dict(feature.partition("=")[::2] for feature in feats.split("|"))
    found = (zlib.crc32(values[name].encode()) % 0xFFFF + 1 if name in values else 0 for name in AGREEING)
    return sum(value << 16 * k for k, value in enumerate(found))


# In the order in which the kernel knows them.
NAMES = np.array(
    [hash_of(name) for name in ("PUNCT", "VERB", "punct", "case", "mark", "cop", "cc")],
    dtype=np.uint64,
)
# Numbers of a column's labels, in the order of the kernel's rows: column, and what makes a number of a label. The last
# row, the form, is only looked at where there is no lemma.
_ROWS: tuple[tuple[str, Callable[[str], int]], ...] = (
    ("upos", hash_of),
    ("lemma", hash_of),
    ("feats", hash_of),
    ("xpos", hash_of),
    ("deprel", lambda label: hash_of(universal(label))),
    ("feats", morphology),
    ("form", lambda label: hash_of(label.lower()[-3:])),
    ("form", lambda label: hash_of(label.lower()[-2:])),
    ("form", lambda label: hash_of(label.lower())),
)


class WordHashes:
    """Hashes the words of corpora; labels of a stream, which grow from piece to piece, are hashed once."""

    def __init__(self) -> None:
        self._labels: list[tuple[str, ...]] = [()] * len(_ROWS)
        self._hashes = [np.empty(0, dtype=np.uint64) for _ in _ROWS]

    def words(self, corpus: Corpus) -> np.ndarray:
        """Rows for tag, lemma (the form in lower case where there is none), FEATS, XPOS, universal relation, features
        that may agree, and the last three and the last two letters of the form."""
        rows = np.empty((len(_ROWS), corpus.n_words), dtype=np.uint64)
        for k, (column, number) in enumerate(_ROWS):
            rows[k] = self._row(corpus, k, column, number)
        rows[1] = np.where(rows[1] == hash_of("_"), rows[-1], rows[1])
        return rows[:-1]

    def _row(self, corpus: Corpus, k: int, column: str, number: Callable[[str], int]) -> np.ndarray:
        labels, before, known = corpus.labels[column], self._labels[k], self._hashes[k]
        if labels[: len(before)] != before:  # another stream
            known = known[:0]
        more = [number(label) for label in labels[len(known) :]]
        known = np.concatenate([known, np.array(more, dtype=np.uint64)])
        self._labels[k], self._hashes[k] = labels, known
        codes = corpus.codes[column]
        return known[codes] if len(known) else codes.astype(np.uint64)
