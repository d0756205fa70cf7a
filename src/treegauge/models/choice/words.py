"""Words as numbers that mean the same in every corpus: hashes of tags, lemmas, features, relations and endings."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal

# What is looked at, as bits: tags, what stands between, lemmas, morphology (FEATS, XPOS, endings), the tree.
TAGS, BETWEEN, LEMMAS, MORPHOLOGY, TREE = 1, 2, 4, 8, 16
ALL = 31

OF_HEAD = ("th", "tbh", "tah", "tth", "lh", "lbh", "lah", "fh", "xh", "eh", "sh", "rh", "uh")
OF_WORD = ("td", "tbd", "tad", "ld", "lbd", "lad", "fd", "gd", "xd", "ed", "sd", "ebd", "ead", "md", "cd")
OF_PAIR = ("", "R", "D", "R counts", "R agree", "R sr")

# Templates of the words alone come first, templates of the tree last.
HEAD = (
    (TAGS, ("th td D", "th td tbh tbd R", "th td tad tbd D", "th td tah tth R")),
    (BETWEEN, ("th td R counts",)),
    (LEMMAS, ("lh td R", "th ld R", "lh ld R", "th td lbd R", "th td lad R", "th td lbh R", "th td lah R")),
    (MORPHOLOGY, ("th td fh fd R", "th td fh D", "th td fd D", "th td xh xd R", "th xd D", "th td R agree")),
    (MORPHOLOGY, ("th ed R", "th td eh R", "th td eh ed R", "th td sh sd R")),
    (TREE | LEMMAS, ("lh td md R", "th ld rh R")),
    (TREE, ("th td rh D", "th td rh uh R", "th td cd R", "th td R sr")),
)
RELATION = (
    (TAGS, ("th td D", "th td tbd R", "th td tad R", "th td tbh R", "th td tah R")),
    (LEMMAS, ("ld", "th ld R", "lh td R", "lh ld R", "td lbd", "td lad")),
    (MORPHOLOGY, ("td gd", "th td gd R", "th td fd R", "th td fd fh R", "td xd", "th td xd R", "th td xd xh R")),
    (MORPHOLOGY, ("td ed R", "td sd R", "th td ed R", "th td ed eh R", "td ebd", "td ead")),
    (MORPHOLOGY | LEMMAS, ("lh td fd R",)),
    (TREE, ("th td cd R", "th td rh R")),
    (TREE | LEMMAS, ("lh cd R", "th td md R", "lh td md R", "ld md R")),
)
Templates = tuple[tuple[int, tuple[str, ...]], ...]


@cache
def used(templates: Templates, groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The templates that look at nothing but `groups`: which parts of head, word and pair each has, and how many
    come before those of the tree.

    Parts of head and word are rows of indices into OF_HEAD and OF_WORD, -1 where there are no more. The arrays are
    made once, and nobody changes them.
    """
    chosen = [(bits, name) for bits, names in templates if not bits & ~groups for name in names]
    heads, words = np.full((2, len(chosen), 4), -1, dtype=np.int32)
    pairs = np.zeros(len(chosen), dtype=np.int32)
    for k, (_, name) in enumerate(chosen):
        parts = name.split()
        for rows, known in ((heads, OF_HEAD), (words, OF_WORD)):
            here = [known.index(part) for part in parts if part in known]
            rows[k, : len(here)] = here
        pairs[k] = OF_PAIR.index(" ".join(part for part in parts if part not in OF_HEAD + OF_WORD))
    return heads, words, pairs, sum(not bits & TREE for bits, _ in chosen)


COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "deprel")  # what a corpus must have been read with
AGREEING = ("Case", "Number", "Gender", "Person")  # features that are looked at one by one


def hash_of(text: str) -> int:
    """A number above 15 for a string: CRC-32 of its UTF-8."""
    return zlib.crc32(text.encode()) + 16


def morphology(feats: str) -> int:
    """The values of AGREEING, 16 bits each, the first of them lowest; 0 where there is none."""
    values = dict(feature.partition("=")[::2] for feature in feats.split("|"))
    codes = (zlib.crc32(values[name].encode()) % 0xFFFF + 1 if name in values else 0 for name in AGREEING)
    return sum(value << 16 * k for k, value in enumerate(codes))


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
    """Hashes the words of corpora; labels of a stream, which grow from piece to piece, are hashed once.

    Learners and scorers of parts of one corpus share a WordHashes, so that its labels are not hashed again for each.
    """

    def __init__(self) -> None:
        self.forms = FormParts()
        self._labels: list[tuple[str, ...]] = [()] * len(_ROWS)
        self._hashes = [np.empty(0, dtype=np.uint64) for _ in _ROWS]

    def words(self, corpus: Corpus) -> np.ndarray:
        """Rows for tag, lemma (the form in lower case where there is none), FEATS, XPOS, universal relation, features
        that may agree, and the last three and the last two letters of the form."""
        corpus.check_lengths()
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


SUFFIXES, PREFIXES = 5, 3  # the longest ones, in letters
PARTS = 1 + SUFFIXES + PREFIXES + 1  # the form in lower case, its ends, its starts, its shape
OUTSIDE = 2  # rows before those of forms: what stands before a sentence, and what after
_LONG = 3  # letters; the shape does not tell longer forms apart


class FormParts:
    """The parts of the forms of corpora; labels of a stream, which grow from piece to piece, are taken apart once."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._labels: tuple[str, ...] = ()
        self._parts = np.repeat(np.arange(1, OUTSIDE + 1, dtype=np.uint64)[:, None], PARTS, axis=1)

    def __call__(self, corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
        """The parts, a row for each form label after the `OUTSIDE` ones, and the row of each word."""
        labels = corpus.labels["form"]
        if labels[: len(self._labels)] != self._labels:  # another stream
            self._forget()
        more = [form_parts(label) for label in labels[len(self._labels) :]]
        if more:
            self._parts = np.concatenate([self._parts, np.array(more, dtype=np.uint64)])
        self._labels = labels
        return self._parts, corpus.codes["form"].astype(np.int32) + np.int32(OUTSIDE)


def form_parts(form: str) -> list[int]:
    """Hashes of the form in lower case, of its last 1 … 5 and first 1 … 3 letters (all, if fewer), and its shape."""
    low = form.lower()
    ends = [hash_of(low[-k:]) for k in range(1, SUFFIXES + 1)]
    return [hash_of(low), *ends, *(hash_of(low[:k]) for k in range(1, PREFIXES + 1)), form_shape(form)]


def form_shape(form: str) -> int:
    """A number above 15: capital first, capitals later, digits, letters, other signs or not, and the length up to 3."""
    kinds = (
        form[:1].isupper(),
        form[1:] != form[1:].lower(),
        any(map(str.isdigit, form)),
        any(map(str.isalpha, form)),
        not form.isalnum(),
    )
    return 16 + sum(1 << k for k, so in enumerate(kinds) if so) + (min(len(form), _LONG) << len(kinds))
