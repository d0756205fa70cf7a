"""LISCA: how plausible each arc is, given a reference model.

The score of an arc is the product of the weights of its features; sums of natural logarithms here.

    Weight = Π_{c∈C} F(V(f), Range(L,r), c) / |Range(L,r), c|           (2013 §2.2, 2020 §2.1.2)

is, over the characteristics C, the share of the reference arcs with this arc's value of the feature f, among those
in sentences of L−r … L+r words that share the characteristic c with it. ArcPOS is in chains.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treegauge import __version__
from treegauge.arcs.chains import ARCPOS_FACTORS, ChainCounts
from treegauge.arcs.coded_arcs import Arcs
from treegauge.arcs.features import ARCPOS, LEMMA, RELATION, TAG
from treegauge.arcs.length_tables import TableShape, Weights
from treegauge.arcs.lisca_kernel import add_weights
from treegauge.arcs.ranges import Range
from treegauge.arcs.reference import LABEL_AT, Model
from treegauge.corpus.conllu import Corpus
from treegauge.errors import ModelError, OptionError


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


class Lisca:
    """Scores arcs by a model; what it looks up in the model it keeps for the next corpus."""

    def __init__(self, model: Model, options: LiscaOptions | None = None) -> None:
        options = options or LiscaOptions()
        preset = model.preset
        _check_known("feature", options.features, preset.feature_names)
        _check_known("characteristic", options.characteristics, preset.characteristics)
        if options.range < 0:
            raise OptionError(f"range {options.range}; expected 0 or more")
        if model.words == 0:
            raise ModelError("the model was built from no words: nothing can be scored by it")
        self.model = model
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
        self._weights: dict[int, Weights] = {}
        self._single: dict[tuple[int, str, int, int, int], float] = {}

    @property
    def signature(self) -> str:
        """The settings behind a score."""
        o, s = self.options, self.options.smoothing
        parts = [
            f"lisca:{self.model.settings.preset}",
            f"ref:{self.model.signature}",
            f"r:{o.range}",
            f"smoothing:{'none' if s is None else f'{s.alpha:g},{s.k:g}'}",
            f"pos:{self.model.settings.pos}",
            f"subtypes:{'yes' if self.model.settings.subtypes else 'no'}",
            *([f"features:{','.join(o.features)}"] if o.features is not None else []),
            *([f"characteristics:{','.join(o.characteristics)}"] if o.characteristics is not None else []),
            f"v{__version__}",
        ]
        return "|".join(parts)

    def unsmoothed(self) -> Lisca:
        """The same without smoothing; what was looked up serves both, but for ranges that were widened."""
        other = Lisca(self.model, replace(self.options, smoothing=None))
        other._ranges = {key: known for key, known in self._ranges.items() if known.r == self.options.range}
        other.__dict__["chains"] = self.chains
        return other

    @cached_property
    def chains(self) -> ChainCounts:
        """What ArcPOS looks up."""
        return ChainCounts(self.model)

    def range(self, length: int, minus: int = 0) -> Range:
        """The reference arcs in sentences of about that length; see Range."""
        if (length, minus) not in self._ranges:
            widen = self.options.smoothing is not None
            self._ranges[length, minus] = Range(self.model, length, self.options.range, minus, widen)
        return self._ranges[length, minus]

    def scores(self, corpus: Corpus, *, leave_out: bool = False) -> np.ndarray:
        """The logarithm of the score of every arc.

        leave_out: the model was built from this very corpus, and each sentence is judged by the counts of all
        the others, exactly, its own being subtracted.
        """
        if leave_out or LEMMA in self.model.preset.characteristics:  # no tables by lemma: there are too many
            ratios = self.factors(corpus, leave_out=leave_out).log_ratios(self.options.smoothing)
            return np.asarray(ratios.sum(axis=0))
        arcs = self._arcs(corpus)
        lengths = np.diff(corpus.start)
        by_length = np.argsort(lengths, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(lengths[by_length])) + 1, len(lengths))
        score = self._arcpos(arcs) if self.with_arcpos else np.zeros(corpus.n_words)
        outside = np.zeros(corpus.n_words, dtype=np.uint8)
        low = 0
        for high in ends[ends > 0].tolist():
            sentences = by_length[low:high]
            weights = self._weights_for(int(lengths[sentences[0]]))
            add_weights(
                sentences,
                corpus.start,
                arcs.traits,
                arcs.labels[TAG],
                arcs.labels[RELATION],
                weights.by_tag,
                weights.by_relation,
                weights.shape.first_bits,
                weights.shape.second_bits,
                weights.shape.offset,
                score,
                outside,
            )
            low = high
        for row in np.flatnonzero(outside).tolist():
            length = int(lengths[corpus.sentence[row]])
            tag, relation = int(arcs.labels[TAG][row]), int(arcs.labels[RELATION][row])
            for g, trait in enumerate(arcs.trait_names):
                if outside[row] >> g & 1:
                    score[row] += self._weight(length, trait, int(arcs.traits[row, g]), tag, relation)
        return score

    def _weight(self, length: int, trait: str, value: int, tag: int, relation: int) -> float:
        """What one value of a trait adds to the score, looked up for itself and remembered."""
        key = length, trait, value, tag, relation
        if key not in self._single:
            here, total = self.range(length), 0.0
            for feature in (f for f in self.features if f.trait == trait):
                of_feature = np.asarray(feature.values(np.array([value])))
                for c in self.characteristics:
                    label = np.array([{TAG: tag, RELATION: relation}.get(c, 0)])
                    F, N = here.lookup(feature, c, label, of_feature), here.total(c, label)
                    total += float(log_ratio(F, N, self.options.smoothing)[0])
            self._single[key] = total
        return self._single[key]

    def factors(self, corpus: Corpus, rows: np.ndarray | None = None, *, leave_out: bool = False) -> Factors:
        """The factors of the score of every arc, or of those in some rows."""
        rows = np.arange(corpus.n_words) if rows is None else np.asarray(rows)
        return self._factors(corpus, self._arcs(corpus), rows, leave_out=leave_out)

    def _arcs(self, corpus: Corpus) -> Arcs:
        return Arcs.of(corpus, self.model)

    def _arcpos(self, arcs: Arcs) -> np.ndarray:
        """The logarithm of ArcPOS: remembered for chains the model has, worked out for the others."""
        place = np.empty(len(arcs.chains), dtype=np.int64)
        self.chains.index.get_keys(arcs.chains, place)
        known = self._known_arcpos[place]
        new = np.flatnonzero(place == 0)
        if len(new):
            keys, inverse = np.unique(arcs.chains[new], return_inverse=True)
            F, N = self.chains.factors(keys)
            known[new] = log_ratio(F, N, self.options.smoothing).sum(axis=0)[inverse]
        return known

    @cached_property
    def _known_arcpos(self) -> np.ndarray:
        F, N = self.chains.factors(self.chains.keys)
        return np.append(0.0, log_ratio(F, N, self.options.smoothing).sum(axis=0))

    def _weights_for(self, length: int) -> Weights:
        """The tables for sentences of one length: by tag (with what holds for all arcs) and by relation.

        They have a row more than there are labels, for labels the model has not.
        """
        if length in self._weights:
            return self._weights[length]
        shape = TableShape.of(self.model.preset.traits, length)
        tables = {c: np.zeros((len(self.model.labels_of(c)) + 1, shape.width)) for c in (TAG, RELATION)}
        here = self.range(length)
        for g, trait in enumerate(self.model.preset.traits):
            span, values = shape.values(g)
            for feature in (f for f in self.features if f.trait == trait):
                value = feature.values(values)
                for c in self.characteristics:
                    F, N = here.dense(feature, c, int(value.max()) + 1)
                    table = tables[RELATION if c == RELATION else TAG]
                    table[:, span] += log_ratio(F, N[:, None], self.options.smoothing)[:, value]
        self._weights[length] = Weights(shape, tables[TAG], tables[RELATION])
        return self._weights[length]

    def _factors(self, corpus: Corpus, arcs: Arcs, rows: np.ndarray, *, leave_out: bool) -> Factors:
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

    def _own(self, corpus: Corpus, arcs: Arcs) -> tuple[np.ndarray, np.ndarray]:
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
