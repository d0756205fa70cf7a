"""What the reader of a sentence sees and its words do not say: multiword tokens, and where no space follows."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.conllu import Corpus

_TOKEN = re.compile(rb"\n(\d+)-(\d+)\t([^\t]*)")  # in a text with a line end before it
_NO_SPACE = re.compile(rb"SpaceAfter=No(?=[|\r\n]|$)")


@dataclass(frozen=True, slots=True)
class MultiwordToken:
    """Words first … last (positions, from 1) of a sentence written as one form."""

    sentence: int
    first: int
    last: int
    form: str


def multiword_tokens(corpus: Corpus) -> list[MultiwordToken]:
    """The multiword tokens of a corpus, in its order; those of sentences left out for a defect are not there."""
    found = []
    for match in _TOKEN.finditer(b"\n" + corpus.text.tobytes()):
        s = _sentence_at(corpus, match.start())
        if s is not None:
            found.append(MultiwordToken(s, int(match[1]), int(match[2]), match[3].decode()))
    return found


def sentence_tokens(corpus: Corpus, s: int) -> list[MultiwordToken]:
    """The multiword tokens of one sentence."""
    matches = _TOKEN.finditer(b"\n" + corpus.sentence_text(s))
    return [MultiwordToken(s, int(match[1]), int(match[2]), match[3].decode()) for match in matches]


def without_space_after(corpus: Corpus) -> np.ndarray:
    """Whether no space follows each word (SpaceAfter=No in MISC); that of a multiword token is its last word's."""
    tight = np.zeros(corpus.n_words, dtype=bool)
    text = corpus.text.tobytes()
    at = np.array([match.start() for match in _NO_SPACE.finditer(text)], dtype=np.int64)
    line_ends = np.append(-1, np.flatnonzero(corpus.text == ord("\n")))
    begin = line_ends[np.searchsorted(line_ends, at) - 1] + 1
    row = np.searchsorted(corpus.line, begin, side="right") - 1  # the last word that begins there or before
    of_word = (row >= 0) & (corpus.line[row] == begin) if corpus.n_words else np.zeros(len(at), dtype=bool)
    tight[row[of_word]] = True
    for place in begin[~of_word].tolist():
        token, s = _TOKEN.match(b"\n" + text[place : text.find(b"\n", place)]), _sentence_at(corpus, place)
        if token and s is not None:
            tight[int(corpus.start[s]) + int(token[2]) - 1] = True
    return tight


def _sentence_at(corpus: Corpus, place: int) -> int | None:
    """The sentence whose lines hold a place in the text."""
    s = int(np.searchsorted(corpus.begin, place, side="right")) - 1
    if s < 0 or place > corpus.line[corpus.start[s + 1] - 1]:
        return None
    return s
