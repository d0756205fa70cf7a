"""Features of words, as hashes: each is a sum of parts, such as the last three letters of the form and the tag."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import FUNCTIONAL, universal
from treegauge.models.choice.words import form_shape, hash_of

LEMMA, XPOS, FEATS, SUBTYPE = "lemma", "xpos", "feats", "subtype"

_ENDS = ("e1 u", "e2 u", "e3 u", "e4 u", "e5 u")
_STARTS = ("s1 u", "s2 u", "s3 u")
_AROUND = ("bu u", "au u", "bu u au", "bw u", "aw u", "bw w", "aw w", "bbw u", "aaw u")
# What is looked at to choose a value; parts are explained in PARTS.
TEMPLATES: dict[str, tuple[str, ...]] = {
    LEMMA: (
        *("u", "w u", "W u", "w u f", *_ENDS, "e2 f u", "e3 f u", "e4 f u", *_STARTS, "e3 s2 u", "c u", "c f u"),
        *("c u first", "w x", "bw w", "aw w", "c u bu", "c u au", "c r u"),
    ),
    XPOS: (
        *("u", "w u", *_ENDS, *_STARTS, "c u", "c u first", *_AROUND, "f u", "w f u", "r u", "r hu u", "w r", "bx u"),
        *("ax u", "K u", "hl r"),
    ),
    FEATS: (
        *("u", "w u", *_ENDS, *_STARTS, "c u", "c u first", *_AROUND, "x u", "w x", "l u", "r u", "r hu u", "w r"),
        *("hf r u", "bf u", "af u", "K u", "w hR", "hl r", "e3 x"),
    ),
    SUBTYPE: (
        *("1", "u", "hu", "u hu D", "l", "hl", "l hu", "hl u", "w", "hw", "f u", "hf hu", "f hf", "x", "hx", "x hx"),
        *("K", "hK", "hK u", "ml", "ml u", "ml hl", "el", "eu", "el u", "hR", "hR u", "D u hu", "k u", "e3", "c u"),
        *("bw", "aw", "el hu"),
    ),
}
PARTS = {
    "1": "always",
    "w": "form",
    "W": "form with its capitals",
    "e1": "last letter",
    **{f"e{k}": f"last {k} letters" for k in (2, 3, 4, 5)},
    "s1": "first letter",
    **{f"s{k}": f"first {k} letters" for k in (2, 3)},
    "c": "shape of the form",
    "first": "place at the start of the sentence",
    "u": "tag",
    "x": "XPOS",
    "f": "features",
    "l": "lemma",
    "r": "relation",
    "R": "relation with subtype",
    "K": "function words below",
    "k": "all relations below",
    "ml": "lemma of case or mark",
    "el": "lemma of the first word below",
    "eu": "tag of the first word below",
    "D": "direction and distance",
    **{f"b{k}": f"{name} before" for k, name in (("w", "form"), ("u", "tag"), ("x", "XPOS"), ("f", "features"))},
    **{f"a{k}": f"{name} after" for k, name in (("w", "form"), ("u", "tag"), ("x", "XPOS"), ("f", "features"))},
    "bbw": "second form before",
    "aaw": "second form after",
    **{f"h{k}": f"{name} of the head" for k, name in (("w", "form"), ("u", "tag"), ("x", "XPOS"), ("f", "features"))},
    "hl": "lemma of the head",
    "hR": "relation of the head",
    "hK": "function words below the head",
}
_BEFORE, _AFTER, _ROOT, _NONE = 1, 2, 3, 4
_MARKING = ("case", "mark")


class LabelHashes:
    """Hashes of the labels of corpora; labels of a stream, which grow from piece to piece, are hashed once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[str, ...], np.ndarray]] = {}

    def __call__(self, corpus: Corpus, name: str, column: str, number: Callable[[str], int] = hash_of) -> np.ndarray:
        """The number of the label of each word in a column; `name` is that of the function."""
        labels = corpus.labels[column]
        before, known = self._known.get(name, ((), np.empty(0, dtype=np.uint64)))
        if labels[: len(before)] != before:  # another stream
            known = known[:0]
        more = np.array([number(label) for label in labels[len(known) :]], dtype=np.uint64)
        known = np.concatenate([known, more])
        self._known[name] = labels, known
        return known[corpus.codes[column]] if len(known) else np.empty(0, dtype=np.uint64)


class WordParts:
    """The parts of features of all words of a corpus, each made when it is first asked for."""

    def __init__(self, corpus: Corpus, hashes: LabelHashes) -> None:
        corpus.check_lengths()
        self.corpus, self._hashes = corpus, hashes
        self._made: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> np.ndarray:
        of, corpus = self._hashes, self.corpus
        if name in _OF_LABELS:
            column, number = _OF_LABELS[name]
            return of(corpus, name, column, number)
        if name in _OF_TREE:
            return _OF_TREE[name](self)
        if name[0] == "h":
            head = corpus.head_row
            return np.where(head >= 0, self[name[1:]][head], np.uint64(_ROOT)) if len(head) else self[name[1:]]
        steps = -len(name.rstrip("wuxf")) if name[0] == "b" else len(name.rstrip("wuxf"))
        return self._beside(self[name[-1]], steps)

    def _beside(self, values: np.ndarray, steps: int) -> np.ndarray:
        """The values of the words so many steps later in the sentence."""
        corpus = self.corpus
        at = corpus.position + steps
        inside = (at >= 1) & (at <= corpus.sentence_length)
        moved = np.roll(values, -steps)
        return np.where(inside, moved, np.uint64(_AFTER if steps > 0 else _BEFORE))

    @cached_property
    def functions(self) -> np.ndarray:
        """The full relation of each function word, as a hash; 0 for other words."""
        labels = self.corpus.labels["deprel"]
        is_function = np.array([universal(label) in (*FUNCTIONAL, "expl") for label in labels] or [False])
        return np.where(is_function[self.corpus.codes["deprel"]], self["R"], np.uint64(0))

    def sums_below(self, values: np.ndarray) -> np.ndarray:
        """For each word the sum of the values of its dependents."""
        sums, head = np.zeros(len(values), dtype=np.uint64), self.corpus.head_row
        below = head >= 0
        np.add.at(sums, head[below], values[below])
        return sums


def _first_below(parts: WordParts) -> np.ndarray:
    """The row of the first word of each word's subtree."""
    head = parts.corpus.head_row
    first = np.arange(len(head))
    below = np.flatnonzero(head >= 0)
    while len(below):
        before = first[head[below]]
        np.minimum.at(first, head[below], first[below])
        changed = first[head[below]] < before
        moved = np.zeros(len(head), dtype=bool)
        moved[head[below[changed]]] = True
        below = np.flatnonzero(moved & (head >= 0))
    return first


def _marker(parts: WordParts) -> np.ndarray:
    """The lemma of the first case or mark below each word."""
    corpus, head = parts.corpus, parts.corpus.head_row
    marks = np.array([universal(label) in _MARKING for label in corpus.labels["deprel"]] or [False])
    rows = np.flatnonzero(marks[corpus.codes["deprel"]] & (head >= 0))[::-1]
    lemma = np.full(len(head), _NONE, dtype=np.uint64)
    lemma[head[rows]] = parts["l"][rows]
    return lemma


def _distance(parts: WordParts) -> np.ndarray:
    corpus = parts.corpus
    length = np.where(corpus.head_row < 0, 0, corpus.head_row - np.arange(corpus.n_words))
    return (np.clip(length, -4, 4) + 10).astype(np.uint64)


_OF_LABELS: dict[str, tuple[str, Callable[[str], int]]] = {
    "w": ("form", lambda label: hash_of(label.lower())),
    "W": ("form", hash_of),
    "c": ("form", form_shape),
    **{f"e{k}": ("form", lambda label, k=k: hash_of(label.lower()[-k:])) for k in range(1, 6)},  # type: ignore[misc]
    **{f"s{k}": ("form", lambda label, k=k: hash_of(label.lower()[:k])) for k in range(1, 4)},  # type: ignore[misc]
    "u": ("upos", hash_of),
    "x": ("xpos", hash_of),
    "f": ("feats", hash_of),
    "l": ("lemma", hash_of),
    "r": ("deprel", lambda label: hash_of(universal(label))),
    "R": ("deprel", hash_of),
}
_OF_TREE: dict[str, Callable[[WordParts], np.ndarray]] = {
    "1": lambda parts: np.full(parts.corpus.n_words, _NONE, dtype=np.uint64),
    "first": lambda parts: np.where(parts.corpus.position == 1, _BEFORE, _NONE).astype(np.uint64),
    "K": lambda parts: parts.sums_below(parts.functions),
    "k": lambda parts: parts.sums_below(parts["R"]),
    "hK": lambda parts: _of_heads(parts) - parts.functions,
    "ml": _marker,
    "el": lambda parts: parts["l"][_first_below(parts)],
    "eu": lambda parts: parts["u"][_first_below(parts)],
    "D": _distance,
}


def _of_heads(parts: WordParts) -> np.ndarray:
    head = parts.corpus.head_row
    return np.where(head >= 0, parts["K"][head], parts.functions + np.uint64(_ROOT))


def _odd(text: str) -> np.uint64:
    """An odd number of 64 bits for a text."""
    return np.uint64((hash_of(text) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF) | 1)


def word_features(parts: WordParts, templates: tuple[str, ...]) -> np.ndarray:
    """A row for each word with the hash of each feature: Σ part · odd number of the part and its template."""
    made = np.zeros((parts.corpus.n_words, len(templates)), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for k, template in enumerate(templates):
            total = np.full(parts.corpus.n_words, _odd(template), dtype=np.uint64)
            for name in template.split():
                total += (parts[name] + np.uint64(17)) * _odd(f"{template}/{name}")
            made[:, k] = total
    return made
