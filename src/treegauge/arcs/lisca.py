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
from treegauge.arcs import counts_kernel
from treegauge.arcs.chains import ARCPOS_FACTORS, ChainCounts
from treegauge.arcs.features import ARCPOS, LEMMA, NONE, PART_BITS, RELATION, TAG, Feature, arc_traits
from treegauge.arcs.lisca_kernel import add_weights
from treegauge.arcs.model import LABEL_AT, LENGTH_AT, TRAIT_AT, VALUE, Counts, Model, trait_tables
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import relation_codes
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
        if leave_out or LEMMA in self.characteristics:
            ratios = self.factors(corpus, leave_out=leave_out).log_ratios(self.options.smoothing)
            return np.asarray(ratios.sum(axis=0))
        arcs = self._arcs(corpus)
        lengths = np.diff(corpus.start)
        by_length = np.argsort(lengths, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(lengths[by_length])) + 1, len(lengths))
        score = self._arcpos(arcs) if self.with_arcpos else np.zeros(corpus.n_words)
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
            )
            low = high
        outside = np.flatnonzero(np.isnan(score))
        if len(outside):
            factors = self._factors(corpus, arcs, outside, leave_out=False)
            score[outside] = factors.log_ratios(self.options.smoothing).sum(axis=0)
        return score

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


@dataclass(frozen=True, slots=True)
class TableShape:
    """Where the values of each trait lie in a row of a table of weights.

    The table has room for the values that nearly all arcs have; those of the others are looked up one by one.
    """

    first_bits: np.ndarray  # of each trait's first number
    second_bits: np.ndarray
    offset: np.ndarray
    width: int

    @staticmethod
    def of(traits: tuple[str, ...], length: int) -> TableShape:
        """The shape for sentences of one length: an arc can be as long as they are."""
        room = {"depth": (0, 6), "leaves": (3, 4), "siblings": (4, 4), "children": (4, 4)}
        room["span"] = (2, max(6, length.bit_length()))
        bits = np.array([room[trait] for trait in traits], dtype=np.int32)
        sizes = 1 << bits.sum(axis=1)
        offset = (np.cumsum(sizes) - sizes).astype(np.int32)
        return TableShape(bits[:, 0].copy(), bits[:, 1].copy(), offset, int(sizes.sum()))

    def values(self, trait: int) -> tuple[slice, np.ndarray]:
        """The columns of a trait, and the value that each of them is for."""
        bits = int(self.second_bits[trait])
        places = np.arange(1 << int(self.first_bits[trait]) + bits)
        offset = int(self.offset[trait])
        return slice(offset, offset + len(places)), places >> bits << PART_BITS | places & (1 << bits) - 1


@dataclass(frozen=True, slots=True)
class Weights:
    """The logarithms that `add_weights` adds up, for sentences of one length."""

    shape: TableShape
    by_tag: np.ndarray
    by_relation: np.ndarray


@dataclass(frozen=True, slots=True)
class Arcs:
    """The arcs of a corpus in the codes of a model; a label the model has not is one more than its last."""

    traits: np.ndarray
    trait_names: tuple[str, ...]
    labels: dict[str, np.ndarray]  # characteristic -> code
    chains: np.ndarray

    @staticmethod
    def of(corpus: Corpus, model: Model) -> Arcs:
        """Look up a corpus's labels in a model."""
        settings, preset = model.settings, model.preset
        missing = [c for c in (settings.pos, "deprel") if c not in corpus.codes]
        if missing:
            raise OptionError(f"{corpus.path}: column {missing[0]} was not read; this model needs it")
        relations: dict[str, int] = {name: k for k, name in enumerate(model.relations)}
        of_deprel = relation_codes(corpus.labels["deprel"], settings.subtypes, relations)
        of_deprel = np.minimum(of_deprel, len(model.relations)).astype(np.int32)
        relation = of_deprel[corpus.codes["deprel"]] if corpus.n_words else corpus.codes["deprel"]
        tag = recode(corpus, settings.pos, model.tags)
        labels = {NONE: np.zeros(corpus.n_words, dtype=np.int32), TAG: tag, RELATION: relation}
        if LEMMA in preset.characteristics:
            labels[LEMMA] = recode(corpus, "lemma", model.lemmas)
        chains = np.empty(corpus.n_words, dtype=np.int64)
        counts_kernel.chain_keys(corpus.start, corpus.head, tag, relation, chains)
        return Arcs(arc_traits(corpus, preset), preset.traits, labels, chains)

    def trait(self, name: str) -> np.ndarray:
        """The values of a trait."""
        return np.asarray(self.traits[:, self.trait_names.index(name)])


def recode(corpus: Corpus, column: str, labels: tuple[str, ...]) -> np.ndarray:
    """Codes of a column in another label table, one more than its last where a label is not there."""
    place = {label: k for k, label in enumerate(labels)}
    codes = np.array([place.get(label, len(labels)) for label in corpus.labels[column]], dtype=np.int32)
    return codes[corpus.codes[column]] if corpus.n_words else corpus.codes[column]


class Range:
    """The reference arcs in sentences of L−r … L+r words, counted by feature value and characteristic.

    minus: so many of them are not to count (those of the one sentence that is judged). Where the range holds no
    other arc, a smoothed score widens r until it does.
    """

    def __init__(self, model: Model, length: int, r: int, minus: int, widen: bool) -> None:
        self.model = model
        self.length = length
        self.r = r
        self.traits = model.preset.traits
        self.first = trait_tables(model.preset)[0]
        one = model.tables[self.first]
        first_trait = int(np.searchsorted(one.keys, 1 << TRAIT_AT))
        arcs = one.counts[:first_trait]
        lengths = one.keys[:first_trait] >> LENGTH_AT
        before = np.append(0, np.cumsum(arcs))
        most = int(lengths[-1]) if len(lengths) else 0
        while widen and self.r <= most + length:
            low, high = np.searchsorted(lengths, [length - self.r, length + self.r + 1])
            if before[high] - before[low] > minus:
                break
            self.r += 1
        self._tables: dict[tuple[str, str], Counts] = {}
        self._dense: dict[tuple[str, str], np.ndarray] = {}
        self._totals: dict[str, np.ndarray] = {}

    def counts(self, feature: Feature, characteristic: str) -> Counts:
        """How often each label << 24 | value of a feature occurs in the range."""
        known = self._tables.get((feature.name, characteristic))
        if known is not None:
            return known
        keys, counts = self._slice(characteristic, self.traits.index(feature.trait))
        label = np.zeros_like(keys) if characteristic == NONE else keys >> LABEL_AT << LABEL_AT
        table = Counts.of(label | feature.values(keys & VALUE), counts)
        self._tables[feature.name, characteristic] = table
        return table

    def _slice(self, characteristic: str, trait: int) -> tuple[np.ndarray, np.ndarray]:
        """The events of one trait in the range, label << 24 | value, and their counts."""
        table = self.model.tables[self.first if characteristic == NONE else characteristic]
        base = trait << TRAIT_AT
        low = base + (max(self.length - self.r, 0) << LENGTH_AT)
        high = base + (self.length + self.r + 1 << LENGTH_AT)
        span = slice(*np.searchsorted(table.keys, [low, high]))
        return table.keys[span] & (1 << LENGTH_AT) - 1, table.counts[span]

    def totals(self, characteristic: str) -> np.ndarray:
        """How many arcs in the range have each label; 0 for the label the model has not."""
        if characteristic not in self._totals:
            keys, counts = self._slice(characteristic, 0)
            label = np.zeros_like(keys) if characteristic == NONE else keys >> LABEL_AT
            size = len(self.model.labels_of(characteristic)) + (characteristic != NONE)
            self._totals[characteristic] = np.bincount(label, counts, size).astype(np.int64)
        return self._totals[characteristic]

    def total(self, characteristic: str, label: np.ndarray) -> np.ndarray:
        """|Range(L,r), c| for each of these labels."""
        return np.asarray(self.totals(characteristic)[label])

    def lookup(self, feature: Feature, characteristic: str, label: np.ndarray, value: np.ndarray) -> np.ndarray:
        """F(V(f), Range(L,r), c) for each of these labels and values."""
        return self.counts(feature, characteristic).find(label.astype(np.int64) << LABEL_AT | value)

    def dense(self, feature: Feature, characteristic: str, values: int) -> tuple[np.ndarray, np.ndarray]:
        """F of every label and every value below `values`, and N of every label, in the order of `totals`."""
        N = self.totals(characteristic)
        if characteristic == NONE:
            return self.dense(feature, self.first, values)[0].sum(axis=0, keepdims=True), N
        known = self._dense.get((feature.name, characteristic))
        if known is None:
            keys, counts = self._slice(characteristic, self.traits.index(feature.trait))
            value = feature.values(keys & VALUE)
            inside = value < values
            place = (keys >> LABEL_AT) * values + value
            known = np.bincount(place[inside], counts[inside], len(N) * values).reshape(len(N), values)
            self._dense[feature.name, characteristic] = known
        return known, N


def _check_known(what: str, chosen: tuple[str, ...] | None, known: tuple[str, ...]) -> None:
    for name in chosen or ():
        if name not in known:
            raise OptionError(f"{what} {name!r}; this model has {', '.join(known)}")
