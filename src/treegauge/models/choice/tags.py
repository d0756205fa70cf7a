"""How plausible the tag of each word is, by its form and the forms beside it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.pool import run_over
from treegauge.errors import ModelError
from treegauge.models.choice.tags_kernel import MOST_TAGS, TAG_BITS, TAG_UNIT, Tagger
from treegauge.models.choice.words import FormParts

RATE = 0.1  # learning rate; chosen on four treebanks, see docs/choice.md
MOST_PASSES = 5
_SMALLEST = 2  # smaller weights, in 1/TAG_UNIT, are dropped
_HELD = 1 << 20  # the passes after the first read at most so many words in all
_COLUMNS_AT_A_TIME = 8
_AHEAD = 2  # at most so many corpora wait to be learned from


@dataclass(frozen=True)
class TagWeights:
    """Weights of hashed features, as multiples of 1/TAG_UNIT."""

    tags: tuple[str, ...]
    tag: np.ndarray = field(repr=False)  # int8, 2^TAG_BITS × tags


def tag_shape(tags: int) -> tuple[str, tuple[int, ...]]:
    """Type and shape of the weights."""
    return "int8", (1 << TAG_BITS, tags)


def check_tags(tags: Sequence[str]) -> None:
    """ModelError unless these can be the tags of weights: sorted, each once, at least one, and not too many."""
    if not 1 <= len(tags) <= MOST_TAGS or list(tags) != sorted(set(tags)):
        raise ModelError(f"{len(tags)} tags to choose from; expected 1 to {MOST_TAGS}, sorted, each once")


def rounded_tags(weights: np.ndarray) -> np.ndarray:
    """Weights as they are kept: multiples of 1/TAG_UNIT in eight bits, those near 0 dropped."""
    return in_steps(weights * TAG_UNIT, _SMALLEST)


def merge_tag_weights(parts: Sequence[tuple[TagWeights | None, int]]) -> TagWeights | None:
    """The mean of weights, each part counting as its words; None where a part has none."""
    known = [(part, words) for part, words in parts if part is not None]
    tags = tuple(sorted(set().union(*(part.tags for part, _ in known))))
    if len(known) < len(parts) or len(tags) > MOST_TAGS:
        return None
    total = sum(words for _, words in known)
    mean = np.zeros((1 << TAG_BITS, len(tags)))
    for part, words in known:
        share = words / total if total else 0.0
        mean[:, [tags.index(name) for name in part.tags]] += share / TAG_UNIT * part.tag
    return TagWeights(tags, rounded_tags(mean))


@dataclass(frozen=True, slots=True)
class _TaggedText:
    """A text to learn from."""

    parts: np.ndarray
    form: np.ndarray
    tag: np.ndarray
    start: np.ndarray
    known: int  # how many tags are known


class TagTrainer:
    """Learns tags from corpora, such as pieces of a stream, in the order in which they come, on a thread of its own.

    A text that is short enough is held and gone through up to MOST_PASSES times; a long one once. A tag is among the
    choices from the piece on in which it first occurs, unless it is given before. More than MOST_TAGS are not learned.
    """

    def __init__(
        self, tags: Iterable[str] = (), start: TagWeights | None = None, forms: FormParts | None = None
    ) -> None:
        """tags: known from the start. start: weights to go on from. forms: shared with others that read the corpus."""
        tags = dict.fromkeys([*(start.tags if start else ()), *tags])
        self.tags: dict[str, int] = {name: k for k, name in enumerate(tags)}
        self.words = 0
        self._forms = forms or FormParts()
        self._weight, self._power = np.zeros((2, 1 << TAG_BITS, 0), dtype=np.float32)
        self._held: list[_TaggedText] = []
        self._before = 0  # words whose passes are done
        self._thread = ThreadPoolExecutor(1)
        self._learning: deque[Future[None]] = deque()
        if start is not None:
            self._make_room(len(start.tags))
            self._weight[:, : len(start.tags)] = start.tag / np.float32(TAG_UNIT)

    def add(self, corpus: Corpus) -> None:
        """Learn from a corpus read with its forms and tags; the next one may be read meanwhile."""
        codes = [self.tags.setdefault(label, len(self.tags)) for label in corpus.labels["upos"]]
        self.words += corpus.n_words
        if len(self.tags) > MOST_TAGS or not corpus.n_words:
            return
        parts, form = self._forms(corpus)
        tag = np.array(codes, dtype=np.int32)[corpus.codes["upos"]]
        text = _TaggedText(parts, form, tag, corpus.start, len(self.tags))
        self._held = [*self._held, text] if self._passes > 1 else []
        self._learn(text)

    @property
    def _passes(self) -> int:
        return min(max(_HELD // max(self.words - self._before, 1), 1), MOST_PASSES)

    def _learn(self, text: _TaggedText) -> None:
        self._learning.append(self._thread.submit(self._learn_tags, text))
        self._wait(_AHEAD)

    def _wait(self, most: int) -> None:
        while len(self._learning) > most:
            self._learning.popleft().result()

    def _learn_tags(self, text: _TaggedText) -> None:
        self._make_room(text.known)
        with np.errstate(over="ignore"):  # interpreted, NumPy would warn that hashes overflow
            tagger = Tagger(self._weight, self._power)
            tagger.train(text.parts, text.form, text.tag, text.start, text.known, RATE)

    def _make_room(self, tags: int) -> None:
        """Make room for the weights of at least this number of tags."""
        missing = tags - self._weight.shape[1]
        if missing > 0:
            more = ((0, 0), (0, -(-missing // _COLUMNS_AT_A_TIME) * _COLUMNS_AT_A_TIME))
            self._weight, self._power = np.pad(self._weight, more), np.pad(self._power, more)

    def weights(self) -> TagWeights | None:
        """What was learned, with all passes; None if there are too many tags, or no words.

        What is added later has passes of its own.
        """
        for _ in range(self._passes - 1):
            for text in self._held:
                self._learn(text)
        self._held, self._before = [], self.words
        self._wait(0)
        names = tuple(sorted(self.tags))
        if not 1 <= len(names) <= MOST_TAGS:
            return None
        self._make_room(len(names))
        return TagWeights(names, rounded_tags(self._weight[:, [self.tags[name] for name in names]]))


@dataclass(frozen=True)
class TagChoices:
    """log p of the tag of every word; its likeliest other tag (code into `tags`, -1: there is none), and its log p."""

    log_prob: np.ndarray
    other: np.ndarray
    log_other: np.ndarray
    tags: tuple[str, ...]

    def rather(self, row: int) -> tuple[str, float] | None:
        """The tag that the word in a row would rather have, and its probability; None if the given one is likelier."""
        if self.other[row] < 0 or self.log_other[row] <= self.log_prob[row]:
            return None
        return self.tags[self.other[row]], math.exp(self.log_other[row])


class TagChoice:
    """Gives tags probabilities by learned weights.

        p(tag | word, sentence) = exp s(tag) / Σ_tag' exp s(tag')

    s is a sum of weights of features of forms; no tags and no tree are looked at. A tag that the reference does not
    have gets the probability 1 / (words of the reference + 1).
    """

    def __init__(self, weights: TagWeights, words: int, forms: FormParts | None = None) -> None:
        """words: how many the reference has. forms: shared with others that read the corpus."""
        self.weights = weights
        self.log_unknown = -math.log(words + 1)
        self._forms = forms or FormParts()

    def choices(self, corpus: Corpus, threads: int | None = None) -> TagChoices:
        """How probable the tag of every word is, and its likeliest rival."""
        parts, form, tag = self._ready(corpus)
        log_prob, log_other = np.full(corpus.n_words, self.log_unknown), np.empty(corpus.n_words)
        other = np.empty(corpus.n_words, dtype=np.int32)

        def run(*span: Any) -> None:
            tagger: Any = Tagger(self.weights.tag)
            tagger.score(parts, form, tag, *span, log_prob, other, log_other)

        run_over(corpus.start, run, threads)
        return TagChoices(log_prob, other, log_other, self.weights.tags)

    def _ready(self, corpus: Corpus) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the kernel needs of a corpus: the parts of forms, the row of each word, and its tag (-1: not known)."""
        codes = {name: k for k, name in enumerate(self.weights.tags)}
        of_label = np.array([codes.get(label, -1) for label in corpus.labels["upos"]] or [0], dtype=np.int32)
        return *self._forms(corpus), of_label[corpus.codes["upos"]]


def in_steps(weights: np.ndarray, least: int, step: int = 1) -> np.ndarray:
    """Weights, counted in units, rounded to multiples of `step` that fit into eight bits; those below `least` are 0."""
    most = 127 // step * step
    kept = np.clip(np.rint(weights / step) * step, -most, most).astype(np.int8)
    kept[np.abs(np.rint(weights)) < least] = 0
    return np.ascontiguousarray(kept)
