"""Which words of a treebank are annotated as they were before."""

from __future__ import annotations

import numpy as np

from treegauge.corpus.conllu import Corpus

_COLUMNS = ("form", "deprel", "upos")
_MOST = 100  # sentences of the same words that are looked at


def unchanged_since(corpus: Corpus, old: Corpus) -> np.ndarray:
    """Whether each word had the same head, relation and tag in the same sentence of `old`.

    The same sentence has the same words, and the same sent_id if that is there, too. A sentence without one, or with
    another one, is found by its words; of several, it is the one that is annotated most alike.
    """
    now, then = _shared_codes(corpus, old)
    by_id = {name: s for s, name in enumerate(old.sent_ids) if name}
    by_words: dict[bytes, list[int]] = {}
    for s in range(old.n_sentences):
        by_words.setdefault(_words(old, then, s), []).append(s)
    same = np.zeros(corpus.n_words, dtype=bool)
    for s, name in enumerate(corpus.sent_ids):
        words = _words(corpus, now, s)
        candidates = by_words.get(words, [])[:_MOST]
        if name in by_id and _words(old, then, by_id[name]) == words:
            candidates = [by_id[name]]
        here = slice(*corpus.start[s : s + 2].tolist())
        for t in candidates:
            before = slice(*old.start[t : t + 2].tolist())
            alike = corpus.head[here] == old.head[before]
            for column in _COLUMNS[1:]:
                alike &= now[column][here] == then[column][before]
            if alike.sum() > same[here].sum():
                same[here] = alike
    return same


def _shared_codes(one: Corpus, other: Corpus) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The columns of both as codes that mean the same."""
    found: tuple[dict[str, np.ndarray], dict[str, np.ndarray]] = {}, {}
    for column in _COLUMNS:
        known: dict[str, int] = {}
        for side, codes in zip((one, other), found, strict=True):
            of_label = np.array([known.setdefault(name, len(known)) for name in side.labels[column]], dtype=np.int64)
            codes[column] = of_label[side.codes[column]] if len(of_label) else side.codes[column].astype(np.int64)
    return found


def _words(corpus: Corpus, codes: dict[str, np.ndarray], s: int) -> bytes:
    """The words of a sentence, as something that can be looked up."""
    return codes["form"][corpus.start[s] : corpus.start[s + 1]].tobytes()
