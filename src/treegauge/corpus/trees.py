"""Whether heads make trees: asked of a corpus whose reader did not, before anything climbs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treegauge.errors import CorpusError

if TYPE_CHECKING:
    from treegauge.corpus.conllu import Corpus


def check_trees(corpus: Corpus) -> None:
    """Raise CorpusError, with file, line and sentence, at the first word without a head or below itself."""
    head, row = corpus.head, np.arange(corpus.n_words)
    outside = (head < 0) | (head > corpus.sentence_length)
    if outside.any():
        raise CorpusError(_message(corpus, outside, "expected a word of the sentence, or 0 for the root"))
    above = np.where(head > 0, corpus.start[corpus.sentence] + head - 1, row)
    for _ in range(int(corpus.sentence_length.max(initial=1)).bit_length()):
        above = above[above]  # one arc up, then two, four, eight …
    below_itself = head[above] != 0
    if below_itself.any():
        raise CorpusError(_message(corpus, below_itself, "expected a tree, but these arcs go round in a circle"))


def _message(corpus: Corpus, wrong: np.ndarray, expected: str) -> str:
    row = int(np.argmax(wrong))
    s, head = int(corpus.sentence[row]), int(corpus.head[row])
    word = f"word {corpus.position[row]} has {f'head {head}' if head >= 0 else 'no head'}"
    return f"{corpus.where(s)}: {corpus.place(s)}: {word}; {expected}"
