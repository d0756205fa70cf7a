"""Words as numbers that mean the same in every corpus: hashes of their tags, lemmas, features and relations."""

from __future__ import annotations

import zlib

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal

COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "deprel")  # what a corpus must have been read with


def hash_of(text: str) -> int:
    """A number above 15 for a string: CRC-32 of its UTF-8."""
    return zlib.crc32(text.encode()) + 16


# In the order in which the kernel knows them.
NAMES = np.array(
    [hash_of(name) for name in ("PUNCT", "VERB", "CCONJ", "SCONJ", "punct", "case", "mark", "cop", "cc")],
    dtype=np.uint64,
)


class WordHashes:
    """Hashes the words of corpora; labels of a stream, which grow from piece to piece, are hashed once."""

    def __init__(self) -> None:
        self._labels: dict[str, tuple[str, ...]] = dict.fromkeys(COLUMNS, ())
        self._hashes = {column: np.empty(0, dtype=np.uint64) for column in COLUMNS}

    def words(self, corpus: Corpus) -> np.ndarray:
        """Rows for tag, lemma (the form in lower case where there is none), FEATS, XPOS and universal relation."""
        form, lemma, upos, xpos, feats, deprel = (self._column(corpus, column) for column in COLUMNS)
        lemma = np.where(lemma == hash_of("_"), form, lemma)
        return np.ascontiguousarray(np.stack([upos, lemma, feats, xpos, deprel]))

    def _column(self, corpus: Corpus, column: str) -> np.ndarray:
        labels, before, known = corpus.labels[column], self._labels[column], self._hashes[column]
        if labels[: len(before)] != before:  # another stream
            known = known[:0]
        change = {"form": str.lower, "deprel": universal}.get(column, str)
        more = [hash_of(change(label)) for label in labels[len(known) :]]
        known = np.concatenate([known, np.array(more, dtype=np.uint64)])
        self._labels[column], self._hashes[column] = labels, known
        codes = corpus.codes[column]
        return known[codes] if len(known) else codes.astype(np.uint64)
