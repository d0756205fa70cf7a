"""Forms as numbers that mean the same in every corpus: hashes of a form, its ends, its start and its shape."""

from __future__ import annotations

import numpy as np

from treegauge.choice.words import hash_of
from treegauge.corpus.conllu import Corpus

SUFFIXES, PREFIXES = 5, 3  # longest
PARTS = 1 + SUFFIXES + PREFIXES + 1  # the form in lower case, its ends, its starts, its shape
OUTSIDE = 2  # rows before those of forms: what stands before a sentence, and what after
_LONG = 3  # letters; the shape does not tell longer forms apart


class FormParts:
    """The parts of the forms of corpora; those of a stream, whose labels grow from piece to piece, are found once."""

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
