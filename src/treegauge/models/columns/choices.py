"""How plausible the values of a column are, and which value each word would rather have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.columns.columns_kernel import UNIT
from treegauge.models.columns.features import (
    FEATS,
    LEMMA,
    PARTS,
    TEMPLATES,
    LabelHashes,
    WordParts,
    word_features,
)
from treegauge.models.columns.inventory import ABSENT, COLUMN_OF, Classes, Questions, Support, features_of, questions
from treegauge.models.columns.learning import chooser
from treegauge.models.columns.rules import lemma_by

# log p of a value that the reference does not have, beside the log p that it is a new one: a lemma that other forms
# have is what is expected where a form is misspelt. Chosen on the corrections of three treebanks.
NEW_VALUE, NEW_LEMMA, KNOWN_LEMMA = -2.3, -2.0, 2.0
MOST_LIKELY_NEW = math.log(0.5)
MOST_REASONS, LEAST_REASON = 3, 0.2  # how many features are said, and how much they are worth at least
_MIX = np.uint64(0xFF51AFD7ED558CCD)


@dataclass(frozen=True)
class ColumnChoices:
    """log p of the value of every word, and the class that it would rather have.

    FEATS are the product of their features; `log_worst` is log p of the least probable one, which `other` is about.
    Words about which there is no question have log p 0 and other −1.
    """

    column: str
    log_prob: np.ndarray
    log_worst: np.ndarray
    other: np.ndarray  # code into classes, −1: there is none
    log_other: np.ndarray
    classes: tuple[str, ...] = field(repr=False)
    changes: Mapping[int, tuple[int, ...]] = field(default_factory=dict, repr=False)  # word -> all likelier classes

    @property
    def likelier(self) -> np.ndarray:
        """Whether each word would rather have another value."""
        return (self.other >= 0) & (self.log_other > self.log_worst)

    def other_value(self, corpus: Corpus, row: int) -> str | None:
        """The likeliest other value of a word, as its column would have it; None if there is none.

        FEATS get every feature that is likelier than what is there.
        """
        if self.other[row] < 0:
            return None
        name = self.classes[self.other[row]]
        if self.column == LEMMA:
            return lemma_by(name, corpus.value("form", row))
        if self.column != FEATS:
            return name
        feats = with_feature(corpus.value("feats", row), name)
        for code in self.changes.get(row, ()):
            feats = with_feature(feats, self.classes[code])
        return feats

    def given(self, corpus: Corpus, row: int) -> str:
        """What is in doubt: the value, of FEATS the feature that is least probable."""
        value = corpus.value(COLUMN_OF[self.column], row)
        if self.column != FEATS or self.other[row] < 0:
            return value
        name = self.classes[self.other[row]].partition("=")[0]
        return f"{name}={features_of(value)[name]}" if name in features_of(value) else f"no {name}"

    def rather(self, corpus: Corpus, row: int) -> str:
        """What it would rather be: a value, or a feature; empty if there is no other."""
        if self.column != FEATS or self.other[row] < 0:
            return self.other_value(corpus, row) or ""
        name, _, value = self.classes[self.other[row]].partition("=")
        return f"no {name}" if value == ABSENT else f"{name}={value}"


def with_feature(feats: str, feature: str) -> str:
    """FEATS with one feature set, or taken away where its value is ABSENT; names are sorted without case, as in UD."""
    features = features_of(feats)
    name, _, value = feature.partition("=")
    features.pop(name, None)
    if value != ABSENT:
        features[name] = value
    return "|".join(f"{name}={features[name]}" for name in sorted(features, key=str.lower)) or "_"


class ColumnJudge:
    """Gives the values of a column probabilities by learned weights.

        p(value | word, sentence) = exp s(value) / Σ_v exp s(v)

    The sum is over the values that the reference has in the same context, and over "a new one".
    """

    def __init__(self, column: str, classes: Classes, support: Support, hashes: LabelHashes | None = None) -> None:
        """support: whether other forms have a lemma. hashes: shared with others that read the corpus."""
        self.column, self.classes, self.support = column, classes, support
        self._hashes = hashes or LabelHashes()

    def choices(self, corpus: Corpus, weights: Sequence[np.ndarray], fold: np.ndarray | None = None) -> ColumnChoices:
        """The choices of a corpus; fold: for each sentence, which of the weights judge it."""
        asked = questions(corpus, self.column, self.classes, self.support)
        features = word_features(WordParts(corpus, self._hashes), TEMPLATES[self.column])
        log_prob, log_other, other = self._answers(
            asked, features, weights, None if fold is None else fold[corpus.sentence]
        )
        log_prob = self._with_new(corpus, asked, log_prob)
        n = corpus.n_words
        total = np.bincount(asked.word, log_prob, minlength=n)
        order = np.lexsort((log_prob, asked.word))  # the least probable question of each word comes first
        first = order[np.r_[True, np.diff(asked.word[order]) != 0]] if len(order) else order
        word = asked.word[first]
        worst, best = np.zeros(n), np.full(n, -np.inf)
        rather = np.full(n, -1, dtype=np.int32)
        worst[word], best[word], rather[word] = log_prob[first], log_other[first], other[first]
        changes: dict[int, tuple[int, ...]] = {}
        for k in np.flatnonzero((other >= 0) & (log_other > log_prob)).tolist():
            changes[int(asked.word[k])] = (*changes.get(int(asked.word[k]), ()), int(other[k]))
        return ColumnChoices(self.column, total, worst, rather, best, asked.classes, changes)

    def _answers(
        self, asked: Questions, features: np.ndarray, weights: Sequence[np.ndarray], fold: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n = len(asked.word)
        log_prob, log_other, other = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int32)
        for k, weight in enumerate(weights):
            rows = np.flatnonzero(fold[asked.word] == k) if fold is not None else np.arange(n)
            part = asked.some(rows)
            found = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.int32), np.zeros(len(rows))
            with np.errstate(over="ignore"):
                chooser(part, weight, None, features.shape[1]).score(features, part.word, part.sets, part.own, *found)
            log_prob[rows], other[rows], log_other[rows] = found
        return log_prob, log_other, other

    def _with_new(self, corpus: Corpus, asked: Questions, log_prob: np.ndarray) -> np.ndarray:
        """log p where values that the reference does not have are told apart."""
        new = np.flatnonzero(asked.own == 0)
        if self.column != LEMMA:
            log_prob[new] += NEW_VALUE
            return log_prob
        for k in new.tolist():
            row = int(asked.word[k])
            form, lemma, upos = (corpus.value(name, row) for name in ("form", "lemma", "upos"))
            log_prob[k] += KNOWN_LEMMA if self.support(upos, lemma, form) else NEW_LEMMA
        log_prob[new] = np.minimum(log_prob[new], MOST_LIKELY_NEW)
        return log_prob

    def reasons(self, corpus: Corpus, row: int, weight: np.ndarray) -> list[tuple[str, float]]:
        """What speaks most for the likelier value of a word: features in words, and how much each is worth, in nats."""
        part, at = corpus.around(np.array([row]))
        asked = questions(part, self.column, self.classes, self.support)
        features = word_features(WordParts(part, self._hashes), TEMPLATES[self.column])[at[0]]
        mine = np.flatnonzero(asked.word == at[0])
        if not len(mine):
            return []
        log_prob, _, other = self._answers(asked.some(mine), np.repeat(features[None], part.n_words, 0), [weight], None)
        k = int(np.argmin(log_prob))
        if other[k] < 0:
            return []
        low = asked.start[asked.sets[mine[k]]]
        own = asked.members[low + asked.own[mine[k]]]
        gain = _weights_of(features, asked.hashes[other[k]], weight) - _weights_of(features, asked.hashes[own], weight)
        best = [j for j in np.argsort(-gain, kind="stable")[:MOST_REASONS].tolist() if gain[j] > LEAST_REASON]
        return [(in_words(TEMPLATES[self.column][j]), float(gain[j])) for j in best]


def _weights_of(features: np.ndarray, class_hash: np.uint64, weight: np.ndarray) -> np.ndarray:
    """The weight of each feature of a word with a class: the place is that of the kernel."""
    with np.errstate(over="ignore"):
        mixed = (features ^ class_hash) * _MIX
        mixed = (mixed ^ (mixed >> np.uint64(32))) * _MIX
    values = weight[(mixed >> np.uint64(65 - len(weight).bit_length())).astype(np.int64)].astype(float)
    return values / UNIT if weight.dtype == np.int8 else values


def in_words(template: str) -> str:
    """A template in words: `form, tag`."""
    return ", ".join(PARTS[part] for part in template.split())
