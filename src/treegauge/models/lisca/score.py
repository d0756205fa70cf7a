"""LISCA: how plausible each arc is, given a reference model.

The score of an arc is the product of the weights of its features; sums of natural logarithms here.

    Weight = Π_{c∈C} F(V(f), Range(L,r), c) / |Range(L,r), c|           (2013 §2.2, 2020 §2.1.2)

is, over the characteristics C, the share of the reference arcs with this arc's value of the feature f, among those
in sentences of L−r … L+r words that share the characteristic c with it. ArcPOS is in chains.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError, OptionError
from treegauge.models.lisca.chains import ARCPOS_FACTORS, ChainCounts, CodedArcs
from treegauge.models.lisca.features import ARCPOS, LEMMA, NONE, RELATION, TAG
from treegauge.models.lisca.ranges import LengthTables, Range, TableShape
from treegauge.models.lisca.reference import LABEL_AT, Reference
from treegauge.models.lisca.score_kernel import add_weights
from treegauge.version import signature


@dataclass(frozen=True, slots=True)
class Smoothing:
    """Each ratio F/N becomes (F + alpha) / (N + alpha·k): what was never seen costs much, not everything.

    The constants were chosen by measurement; see docs/lisca.md.
    """

    alpha: float = 0.03
    k: float = 2.0

    def __post_init__(self) -> None:
        if not (self.alpha > 0 and self.k >= 1 and math.isfinite(self.alpha) and math.isfinite(self.k)):
            raise OptionError(f"smoothing alpha {self.alpha}, k {self.k}; expected alpha > 0 and k >= 1")


@dataclass(frozen=True, slots=True)
class LiscaOptions:
    """What is chosen when ranking, not when counting. None for features and characteristics means all."""

    range: int = 2
    smoothing: Smoothing | None = Smoothing()
    features: tuple[str, ...] | None = None
    characteristics: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Factors:
    """The ratios whose product is the score: F[k] / N[k] is factor k of each arc."""

    names: tuple[str, ...]  # 'length|D', 'arcpos|h', …
    F: np.ndarray
    N: np.ndarray
    widened: np.ndarray  # the range used for each arc

    def log_ratios(self, smoothing: Smoothing | None) -> np.ndarray:
        """The logarithm of each factor, −inf where it is 0 and nothing is smoothed."""
        return log_ratio(self.F, self.N, smoothing)


def log_ratio(F: np.ndarray, N: np.ndarray, smoothing: Smoothing | None) -> np.ndarray:
    """ln F/N, or ln (F+α)/(N+α·k); −inf for F = 0 without smoothing, whatever N is."""
    if smoothing is not None:
        return np.log((F + smoothing.alpha) / (N + smoothing.alpha * smoothing.k))
    with np.errstate(divide="ignore"):
        return np.log(F / np.maximum(N, 1))


_AT_A_TIME = 1 << 14  # arcs whose factors are in memory together


@dataclass(frozen=True, slots=True)
class ArcScores:
    """The log score of every arc, and whether one of its factors was never seen, so that the papers' product is 0."""

    log_score: np.ndarray
    unseen: np.ndarray


class Lisca:
    """Scores arcs by a reference; counts that were looked up are kept for the next corpus."""

    def __init__(self, reference: Reference, options: LiscaOptions | None = None) -> None:
        options = options or LiscaOptions()
        preset = reference.preset
        _check_known("feature", options.features, preset.feature_names)
        _check_known("characteristic", options.characteristics, preset.characteristics)
        if options.range < 0:
            raise OptionError(f"range {options.range}; expected 0 or more")
        if reference.words == 0:
            raise ModelError("the model was built from no words: nothing can be scored by it")
        self.reference = reference
        self.options = options
        chosen = preset.feature_names if options.features is None else options.features
        self.features = tuple(feature for feature in preset.features if feature.name in chosen)
        self.with_arcpos = ARCPOS in chosen
        self.characteristics = preset.characteristics if options.characteristics is None else options.characteristics
        self.factor_names = (
            *(f"{feature.name}|{c}" for feature in self.features for c in self.characteristics),
            *(ARCPOS_FACTORS if self.with_arcpos else ()),
        )
        self._ranges: dict[tuple[int, int], Range] = {}
        self._tables: dict[int, LengthTables] = {}
        self._single: dict[tuple[int, str, int, int, int], tuple[float, bool]] = {}

    def __reduce__(self) -> tuple[type[Lisca], tuple[Reference, LiscaOptions]]:
        return Lisca, (self.reference, self.options)  # what was looked up does not go to another process

    @property
    def signature(self) -> str:
        """The settings behind a score."""
        o, s = self.options, self.options.smoothing
        parts = [
            f"lisca:{self.reference.settings.preset}",
            f"ref:{self.reference.signature}",
            f"r:{o.range}",
            f"smoothing:{'none' if s is None else f'{s.alpha:g},{s.k:g}'}",
            f"pos:{self.reference.settings.pos}",
            f"subtypes:{'yes' if self.reference.settings.subtypes else 'no'}",
            *([f"features:{','.join(o.features)}"] if o.features is not None else []),
            *([f"characteristics:{','.join(o.characteristics)}"] if o.characteristics is not None else []),
        ]
        return signature(*parts)

    @cached_property
    def chains(self) -> ChainCounts:
        """What ArcPOS looks up."""
        return ChainCounts(self.reference)

    def range(self, length: int, minus: int = 0) -> Range:
        """The reference arcs in sentences of about that length; see Range."""
        if (length, minus) not in self._ranges:
            widen = self.options.smoothing is not None
            self._ranges[length, minus] = Range(self.reference, length, self.options.range, minus, widen)
        return self._ranges[length, minus]

    def is_empty(self, length: int) -> bool:
        """Whether the reference has no arc in sentences of L−r … L+r words, so that a smoothed score widens r."""
        here = self.range(length)
        return here.r != self.options.range or int(here.totals(NONE)[0]) == 0

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The logarithm of the score of every arc."""
        return self.judged(corpus).log_score

    def judged(self, corpus: Corpus, *, leave_out: bool = False) -> ArcScores:
        """The log score of every arc, and whether it has a factor that was never seen; one pass.

        leave_out: the reference was counted from this very corpus, and each sentence is judged by the counts of all
        the others, exactly, its own being subtracted.
        """
        if leave_out or LEMMA in self.reference.preset.characteristics:  # no tables by lemma: there are too many
            return self._judged_by_factors(corpus, leave_out=leave_out)
        arcs = CodedArcs.of(corpus, self.reference)
        score, unseen = self._arcpos(arcs) if self.with_arcpos else np.zeros((2, corpus.n_words))
        unseen = unseen.astype(np.uint8)
        outside = np.zeros(corpus.n_words, dtype=np.uint8)
        for sentences, length in _by_length(corpus):
            tables = self._tables_for(length)
            add_weights(
                sentences,
                corpus.start,
                arcs.traits,
                arcs.labels[TAG],
                arcs.labels[RELATION],
                tables.by_tag,
                tables.by_relation,
                tables.shape.first_bits,
                tables.shape.second_bits,
                tables.unseen_by_tag,
                tables.unseen_by_relation,
                tables.shape.offset,
                score,
                unseen,
                outside,
            )
        for row in np.flatnonzero(outside).tolist():
            length = int(corpus.sentence_length[row])
            tag, relation = int(arcs.labels[TAG][row]), int(arcs.labels[RELATION][row])
            for g, trait in enumerate(arcs.trait_names):
                if outside[row] >> g & 1:
                    weight, never = self._weight(length, trait, int(arcs.traits[row, g]), tag, relation)
                    score[row] += weight
                    unseen[row] |= never
        return ArcScores(score, unseen.astype(bool))

    def _judged_by_factors(self, corpus: Corpus, *, leave_out: bool) -> ArcScores:
        """What `judged` gives, from the factors of every arc: half a kilobyte each, so some sentences at a time."""
        result = ArcScores(np.empty(corpus.n_words), np.empty(corpus.n_words, dtype=bool))
        done = 0
        for part in corpus.parts(_AT_A_TIME):
            rows = slice(done, done := done + part.n_words)
            factors = self.factors(part, leave_out=leave_out)
            result.log_score[rows] = factors.log_ratios(self.options.smoothing).sum(axis=0)
            result.unseen[rows] = (factors.F == 0).any(axis=0) | (factors.widened != self.options.range)
        return result

    def _weight(self, length: int, trait: str, value: int, tag: int, relation: int) -> tuple[float, bool]:
        """What one value of a trait adds to the score, and whether it was never seen; looked up once."""
        key = length, trait, value, tag, relation
        if key not in self._single:
            here, total, never = self.range(length), 0.0, self.is_empty(length)
            for feature in (f for f in self.features if f.trait == trait):
                of_feature = np.asarray(feature.values(np.array([value])))
                for c in self.characteristics:
                    label = np.array([{TAG: tag, RELATION: relation}.get(c, 0)])
                    F, N = here.lookup(feature, c, label, of_feature), here.total(c, label)
                    total += float(log_ratio(F, N, self.options.smoothing)[0])
                    never = never or int(F[0]) == 0
            self._single[key] = total, never
        return self._single[key]

    def factors(
        self,
        corpus: Corpus,
        rows: np.ndarray | None = None,
        *,
        arcs: CodedArcs | None = None,
        leave_out: bool = False,
    ) -> Factors:
        """The factors of the score of every arc, or of those in some rows."""
        rows = np.arange(corpus.n_words) if rows is None else np.asarray(rows)
        return self._factors(corpus, arcs or CodedArcs.of(corpus, self.reference), rows, leave_out=leave_out)

    def _arcpos(self, arcs: CodedArcs) -> tuple[np.ndarray, np.ndarray]:
        """The logarithm of ArcPOS, remembered for chains the reference has, worked out for the others; which these are.

        A chain that the reference does not have makes the product 0.
        """
        place = np.empty(len(arcs.chains), dtype=np.int64)
        self.chains.index.get_keys(arcs.chains, place)
        known = self._known_arcpos[place]
        new = np.flatnonzero(place == 0)
        if len(new):
            keys, inverse = np.unique(arcs.chains[new], return_inverse=True)
            F, N = self.chains.factors(keys)
            known[new] = log_ratio(F, N, self.options.smoothing).sum(axis=0)[inverse]
        return known, place == 0

    @cached_property
    def _known_arcpos(self) -> np.ndarray:
        F, N = self.chains.factors(self.chains.keys)
        return np.append(0.0, log_ratio(F, N, self.options.smoothing).sum(axis=0))

    def _tables_for(self, length: int) -> LengthTables:
        """The tables for sentences of one length: by tag (with what holds for all arcs) and by relation.

        They have a row more than there are labels, for labels the reference does not have.
        """
        if length not in self._tables:
            shape = TableShape.of(self.reference.preset.traits, length)
            by_tag, unseen_by_tag = self._table_by(TAG, shape, length)
            by_relation, unseen_by_relation = self._table_by(RELATION, shape, length)
            self._tables[length] = LengthTables(shape, by_tag, by_relation, unseen_by_tag, unseen_by_relation)
        return self._tables[length]

    def _table_by(self, by: str, shape: TableShape, length: int) -> tuple[np.ndarray, np.ndarray]:
        """What every value of every trait adds to the log score, a row for each label, and which were never seen."""
        here, labels = self.range(length), len(self.reference.labels_of(by)) + 1
        own = [c for c in self.characteristics if (c == RELATION) == (by == RELATION)]
        weights, unseen = [], []
        for trait, size in zip(self.reference.preset.traits, shape.sizes, strict=True):
            weight, never = np.zeros((labels, *size)), np.full((labels, *size), self.is_empty(length))
            for feature in (f for f in self.features if f.trait == trait):
                is_first = feature.part == "first"
                along = np.s_[:, :, None] if is_first else np.s_[:, None, :]
                for c in own:
                    F, N = here.dense(feature, c, size[0] if is_first else size[1])
                    weight += self._log_ratios(F, N)[along]
                    never |= (F == 0)[along]
            weights.append(weight.reshape(labels, -1))
            unseen.append(never.reshape(labels, -1))
        return np.concatenate(weights, axis=1), np.concatenate(unseen, axis=1).view(np.uint8)

    def _log_ratios(self, F: np.ndarray, N: np.ndarray) -> np.ndarray:
        """ln of F[label, value] / N[label], most of which are the value for F = 0 of their label."""
        logs = np.repeat(log_ratio(np.zeros(len(N)), N, self.options.smoothing)[:, None], F.shape[1], axis=1)
        some = F.nonzero()
        logs[some] = log_ratio(F[some], N[some[0]], self.options.smoothing)
        return logs

    def _factors(self, corpus: Corpus, arcs: CodedArcs, rows: np.ndarray, *, leave_out: bool) -> Factors:
        F = np.zeros((len(self.factor_names), len(rows)), dtype=np.int64)
        N = np.zeros_like(F)
        widened = np.zeros(len(rows), dtype=np.int64)
        sentence = corpus.sentence[rows]
        lengths = np.diff(corpus.start)[sentence]
        for length in np.unique(lengths).tolist():
            here = np.flatnonzero(lengths == length)
            counts = self.range(length, length if leave_out else 0)
            widened[here] = counts.r
            k = 0
            for feature in self.features:
                value = feature.values(arcs.trait(feature.trait)[rows[here]])
                for c in self.characteristics:
                    label = arcs.labels[c][rows[here]]
                    F[k, here] = counts.lookup(feature, c, label, value)
                    N[k, here] = counts.total(c, label)
                    k += 1
        k = len(self.features) * len(self.characteristics)
        if self.with_arcpos:
            F[k:], N[k:] = self.chains.factors(arcs.chains[rows])
        if leave_out:
            own_F, own_N = self._own(corpus, arcs)
            F -= own_F[:, rows]
            N -= own_N[:, rows]
        return Factors(self.factor_names, F, N, widened)

    def _own(self, corpus: Corpus, arcs: CodedArcs) -> tuple[np.ndarray, np.ndarray]:
        """How much each arc's own sentence contributes to F and N of each of its factors."""
        F = np.zeros((len(self.factor_names), corpus.n_words), dtype=np.int64)
        N = np.zeros_like(F)
        k = 0
        for feature in self.features:
            value = feature.values(arcs.trait(feature.trait))
            for c in self.characteristics:
                F[k] = _times_in_sentence(corpus, arcs.labels[c].astype(np.int64) << LABEL_AT | value)
                N[k] = _times_in_sentence(corpus, arcs.labels[c])
                k += 1
        if self.with_arcpos:
            F[k:], N[k:] = self.chains.own_factors(corpus, arcs.chains)
        return F, N


def _by_length(corpus: Corpus) -> Iterator[tuple[np.ndarray, int]]:
    """The sentences of each length, shortest first, and that length."""
    lengths = np.diff(corpus.start)
    order = np.argsort(lengths, kind="stable")
    for sentences in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        if len(sentences):
            yield sentences, int(lengths[sentences[0]])


def _times_in_sentence(corpus: Corpus, key: np.ndarray) -> np.ndarray:
    """How many words of the same sentence have the same key."""
    _, code = np.unique(key, return_inverse=True)
    pair = corpus.sentence * (int(code.max(initial=0)) + 1) + code
    _, inverse, counts = np.unique(pair, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse])


def _check_known(what: str, chosen: tuple[str, ...] | None, known: tuple[str, ...]) -> None:
    for name in chosen or ():
        if name not in known:
            raise OptionError(f"{what} {name!r}; this model has {', '.join(known)}")
