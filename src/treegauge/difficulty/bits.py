"""Measures how hard a dependency treebank is, in bits: the length of a code for its trees, given their words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.families import family
from treegauge.corpus.treebanks import treebank_name
from treegauge.errors import CorpusError, OptionError
from treegauge.models.choice.learning import HashedText
from treegauge.models.choice.prequential import Follower, hashed_text
from treegauge.models.choice.tags import TagChoice, TagChoices, TagTrainer
from treegauge.scorers.by_itself import FOLDS, TagsByItself
from treegauge.statistics import PowerLaw, fit_power_law
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.version import signature


def predicted_tags(corpus: Corpus, other: Corpus | None) -> tuple[list[str], list[str] | None]:
    """The likeliest tags of a corpus, learned from its other folds, and of another corpus, learned from the first."""
    own = _likeliest(corpus, TagsByItself(lambda: [corpus], min(FOLDS, corpus.n_sentences)).tag_choices(corpus))
    if other is None:
        return own, None
    trainer = TagTrainer()
    trainer.add(corpus)
    weights = trainer.weights()
    assert weights is not None  # `own` was learned from the same corpus
    return own, _likeliest(other, TagChoice(weights, trainer.words).choices(other))


def _likeliest(corpus: Corpus, choices: TagChoices) -> list[str]:
    rather = (choices.rather(row) for row in range(corpus.n_words))
    return [corpus.value("upos", row) if tag is None else tag[0] for row, tag in enumerate(rather)]


TAGS = ("gold", "predicted")
PASSES = 3  # how often the learner reads a text before other sentences are judged
Z95 = 1.96
FIRST_WINDOW = 500  # words; the curve before that says more about the order of sentences than about the treebank
_GROWTH = math.sqrt(2)


@dataclass(frozen=True, slots=True)
class BitsSettings:
    """The settings that the numbers depend on, besides the trees."""

    tags: str = "gold"
    lexical: bool = True
    folds: int = 0  # 0: each sentence is predicted before it is learned
    words: int | None = None  # how many words each sample has; None: all
    samples: int = 1  # random orders, or random samples of so many words
    seed: int = 0

    def __post_init__(self) -> None:
        if self.tags not in TAGS:
            raise OptionError(f"tags {self.tags!r}; expected one of {', '.join(TAGS)}")
        if self.folds < 0 or self.folds == 1:
            raise OptionError(f"folds {self.folds}; expected 2 or more, or 0 for none")
        if self.samples < 1 or (self.words is not None and self.words < 1):
            raise OptionError(f"samples {self.samples}, words {self.words}; expected 1 or more")

    def signature(self, protocol: str) -> str:
        """Settings and version, to stand beside every number."""
        size = "all" if self.words is None else str(self.words)
        parts = ["bits", protocol, f"tags:{self.tags}", f"words:{'seen' if self.lexical else 'hidden'}", f"size:{size}"]
        return signature(*parts, f"samples:{self.samples}", f"seed:{self.seed}")


@dataclass(frozen=True, eq=False, repr=False)
class DependencyBits(Tabular):
    """The bits of every arc that was measured. With several samples an arc may come several times."""

    name: str
    corpus: Corpus = field(compare=False)
    row: np.ndarray  # the row in the corpus of each arc that was measured, sentence by sentence
    head: np.ndarray  # −log2 p of the head
    relation: np.ndarray  # −log2 p of the relation, given the head
    seen: np.ndarray  # how many words were learned before
    sample: np.ndarray  # the sample that the arc is from
    signature: str

    @property
    def bits(self) -> np.ndarray:
        """−log2 p of each arc."""
        total: np.ndarray = self.head + self.relation
        return total

    @property
    def is_prequential(self) -> bool:
        """Whether each sentence was predicted before it was learned."""
        return "|prequential|" in self.signature

    @property
    def per_arc(self) -> float:
        """The mean bits of an arc."""
        return float(self.bits.mean())

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval of the mean over sentences; with several samples, the mean of theirs."""
        half_widths = [
            mean_interval(self.bits[self.sample == k], self.corpus.sentence[self.row[self.sample == k]])
            for k in np.unique(self.sample)
        ]
        return float(np.mean(half_widths))

    @property
    def spread(self) -> float:
        """The standard deviation of the mean over samples; NaN if there is only one sample."""
        means = [float(self.bits[self.sample == k].mean()) for k in np.unique(self.sample)]
        return float(np.std(means, ddof=1)) if len(means) > 1 else math.nan

    def curve(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The windows of the learning curve, each √2 times the last: mean words seen, bits per arc, number of arcs."""
        last = float(self.seen.max()) if len(self.seen) else 0.0
        steps = math.ceil(math.log(max(last, 1) / FIRST_WINDOW, _GROWTH)) if last > FIRST_WINDOW else 0
        edges = FIRST_WINDOW * _GROWTH ** np.arange(steps + 1)
        at = np.searchsorted(edges, self.seen, side="right") - 1
        inside = (at >= 0) & (at < steps)
        arcs = np.bincount(at[inside], minlength=steps)
        full = arcs > 0
        mean = np.bincount(at[inside], weights=self.bits[inside], minlength=steps)[full] / arcs[full]
        middle = np.bincount(at[inside], weights=self.seen[inside], minlength=steps)[full] / arcs[full]
        return middle, mean, arcs[full]

    def power_law(self) -> PowerLaw:
        """The power law of the learning curve; NaN unless sentences were predicted before they were learned."""
        return fit_power_law(*self.curve()) if self.is_prequential else PowerLaw(math.nan, math.nan, math.nan)

    def table(self) -> Table:
        """The row of this treebank."""
        return bits_table([self])

    def __repr__(self) -> str:
        return f"DependencyBits({self.name!r}, {self.per_arc:.3f} ± {self.half_width:.3f} bits per arc)"


def mean_interval(bits: np.ndarray, sentence: np.ndarray) -> float:
    """Half the width of the 95 % interval of Σ bits / Σ words, sentences drawn at random; NaN below two sentences.

    1.96 · √(n/(n − 1) · Σ_s (b_s − B·w_s)²) / Σ w_s,   B = Σ b_s / Σ w_s
    """
    _, at = np.unique(sentence, return_inverse=True)
    words, total = np.bincount(at), np.bincount(at, weights=bits)
    n = len(words)
    if n < 2:
        return math.nan
    off = total - total.sum() / words.sum() * words
    return Z95 * math.sqrt(n / (n - 1) * float((off**2).sum())) / float(words.sum())


def signatures(treebanks: Sequence[DependencyBits]) -> str:
    """The different settings of several treebanks."""
    return ", ".join(sorted({treebank.signature for treebank in treebanks}))


def bits_table(treebanks: Sequence[DependencyBits]) -> Table:
    """A row for each treebank: bits per arc, and the power law's value at the end of the curve and in the limit."""
    rows = []
    for treebank in treebanks:
        law, n = treebank.power_law(), float(treebank.seen.max()) if len(treebank.seen) else 0.0
        sentences = len(np.unique(treebank.corpus.sentence[treebank.row]))
        sizes = family(treebank.name), sentences, len(np.unique(treebank.row))
        figures = (
            treebank.per_arc,
            treebank.half_width,
            float(treebank.head.mean()),
            float(treebank.relation.mean()),
            treebank.spread,
        )
        rows.append((treebank.name, *sizes, *figures, law.at(n), law.limit, law.words_to_halve(n)))
    columns = "treebank text, family text, sentences count, words count, bits_per_arc number, interval interval"
    more = ", head number, relation number, spread number, at_end number, limit number, words_to_halve count"
    return Table(
        "Bits per arc, with 95 % intervals",
        column_kinds(columns + more),
        tuple(rows),
        signatures(treebanks),
        "bits",
        frozenset() if any(treebank.spread == treebank.spread for treebank in treebanks) else frozenset({"spread"}),
        {"bits_per_arc": "bits", "interval": "95 %", "at_end": "at the end", "words_to_halve": "words to halve"},
    )


def dependency_bits(
    treebank: CorpusSource,
    test: CorpusSource | None = None,
    settings: BitsSettings | None = None,
    *,
    name: str | None = None,
    progress: Callable[[int], None] = lambda words: None,
) -> DependencyBits:
    """The conditional cross-entropy of a treebank's trees given their words, in bits per arc.

    A learner goes through the treebank once, in a random order, and predicts each sentence before it learns from it:
    its bits are the length of a code for the trees. With folds, each sentence is predicted by what is learned from the
    other folds. With a test corpus, the sentences of that corpus are predicted by what is learned from the treebank.
    """
    settings = settings or BitsSettings()
    if test is not None and settings.folds:
        raise OptionError("folds and a test corpus; expected one of them")
    corpus = _read(treebank)
    other = None if test is None else _read(test)
    relations: dict[str, int] = {}
    own_tags, other_tags = predicted_tags(corpus, other) if settings.tags == "predicted" else (None, None)
    text = hashed_text(corpus, relations, lexical=settings.lexical, tags=own_tags)
    tested = None if other is None else hashed_text(other, relations, lexical=settings.lexical, tags=other_tags)
    parts: list[tuple[np.ndarray, ...]] = []
    for sample, order in enumerate(_orders(corpus, settings)):
        if tested is not None:
            follower = _learner(text, order, len(relations), settings)
            everything = np.arange(len(tested.start) - 1)
            parts.append(_judge(follower, tested, everything, learn=False, sample=sample))
        elif settings.folds:
            parts += _in_folds(text, order, len(relations), settings, sample)
        else:
            follower = Follower(len(relations), settings.lexical)
            parts.append(_judge(follower, text, order, learn=True, sample=sample))
        progress(corpus.n_words)
    row, head, relation, seen, samples = (np.concatenate(column) for column in zip(*parts, strict=True))
    protocol = "train-test" if tested is not None else f"folds:{settings.folds}" if settings.folds else "prequential"
    measured = corpus if other is None else other
    in_bits = -1 / math.log(2)
    arcs = row, in_bits * head, in_bits * relation, seen, samples
    return DependencyBits(name or treebank_name(measured.path), measured, *arcs, settings.signature(protocol))


def _read(source: CorpusSource) -> Corpus:
    corpus = as_corpus(source)
    if not corpus.n_words:
        raise CorpusError(f"{corpus.path}: no sentences; expected at least one")
    return corpus


def _orders(corpus: Corpus, settings: BitsSettings) -> list[np.ndarray]:
    """The sentences of each sample, in a random order."""
    rng, orders = np.random.default_rng(settings.seed), []
    if settings.words is not None and settings.words > corpus.n_words:
        raise OptionError(f"{corpus.path}: {corpus.n_words:,} words; expected {settings.words:,} or more for a sample")
    for _ in range(settings.samples):
        order = rng.permutation(corpus.n_sentences)
        if settings.words is not None:
            order = order[: int(np.searchsorted(np.cumsum(np.diff(corpus.start)[order]), settings.words)) + 1]
        orders.append(order)
    return orders


def _judge(follower: Follower, text: HashedText, order: np.ndarray, *, learn: bool, sample: int) -> tuple[Any, ...]:
    """Columns for the arcs of these sentences: row, log p of head and of relation, words seen before, sample."""
    part, rows = text.reordered(order)
    logs = follower.follow(part, learn=learn)
    seen = np.repeat(part.start[:-1] if learn else np.zeros(len(order), dtype=np.int64), np.diff(part.start))
    return rows, *logs, seen, np.full(len(rows), sample)


def _learner(text: HashedText, order: np.ndarray, relations: int, settings: BitsSettings) -> Follower:
    """A learner that has learned from these sentences, PASSES times."""
    follower = Follower(relations, settings.lexical)
    part, _ = text.reordered(order)
    for _ in range(PASSES):
        follower.follow(part)
    return follower


def _in_folds(
    text: HashedText, order: np.ndarray, relations: int, settings: BitsSettings, sample: int
) -> list[tuple[Any, ...]]:
    """The columns of `_judge` for each fold, by what is learned from the other folds."""
    if len(order) < settings.folds:
        raise OptionError(f"folds {settings.folds}; expected 2..{len(order)}, the number of sentences")
    parts = []
    for fold in range(settings.folds):
        mine = np.arange(len(order)) % settings.folds == fold
        follower = _learner(text, order[~mine], relations, settings)
        parts.append(_judge(follower, text, np.sort(order[mine]), learn=False, sample=sample))
    return parts
