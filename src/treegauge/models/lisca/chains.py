"""ArcPOS: how well the tags of d, h and the head of h go together (2013 §2.2, 2020 §2.1.2).

    ArcPOS = F(d,h,t)/F(d,·,t) · F(d,h,t)/F(·,h,t) · F2/F(d,h,t) · F2/F(h,hh,th) · F2/F(d,·,t)(·,hh,th)

over tags, in sentences of any length; F2 counts the two consecutive arcs (d,h,t)(h,hh,th). The artificial root has the
tag ROOT, and above it stands one arc (ROOT, NONE, NONE) for each root word. The fourth factor divides by a count of
arcs, not of their dependents, so it may exceed 1: that is the papers' formula.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import relation_codes
from treegauge.models.lisca import counts_kernel
from treegauge.models.lisca.features import LEMMA, NONE, RELATION, TAG, arc_traits
from treegauge.models.lisca.reference import (
    CHAINS,
    D_AT,
    H_AT,
    HH_AT,
    NO_RELATION,
    NO_TAG,
    RELATION_BITS,
    ROOT_TAG,
    T_AT,
    TAG_BITS,
    Counts,
    Reference,
    chain_keys,
    chain_parts,
)


@dataclass(frozen=True, slots=True)
class CodedArcs:
    """The arcs of a corpus in the codes of a model; a label the model does not have is one more than its last."""

    traits: np.ndarray
    trait_names: tuple[str, ...]
    labels: dict[str, np.ndarray]  # characteristic -> code
    chains: np.ndarray

    @staticmethod
    def of(corpus: Corpus, reference: Reference) -> CodedArcs:
        """Look up a corpus's labels in a model."""
        settings, preset = reference.settings, reference.preset
        relations: dict[str, int] = {name: k for k, name in enumerate(reference.relations)}
        of_deprel = relation_codes(corpus.labels["deprel"], settings.subtypes, relations)
        of_deprel = np.minimum(of_deprel, len(reference.relations)).astype(np.int32)
        relation = of_deprel[corpus.codes["deprel"]] if corpus.n_words else corpus.codes["deprel"]
        tag = recode(corpus, settings.pos, reference.tags)
        labels = {NONE: np.zeros(corpus.n_words, dtype=np.int32), TAG: tag, RELATION: relation}
        if LEMMA in preset.characteristics:
            labels[LEMMA] = recode(corpus, "lemma", reference.lemmas)
        chains = np.empty(corpus.n_words, dtype=np.int64)
        counts_kernel.chain_keys(corpus.start, corpus.scorable_head, tag, relation, chains)
        return CodedArcs(arc_traits(corpus, preset), preset.traits, labels, chains)

    def trait(self, name: str) -> np.ndarray:
        """The values of a trait."""
        return np.asarray(self.traits[:, self.trait_names.index(name)])


def recode(corpus: Corpus, column: str, labels: tuple[str, ...]) -> np.ndarray:
    """Codes of a column in another label table, one more than its last where a label is not there."""
    place = {label: k for k, label in enumerate(labels)}
    codes = np.array([place.get(label, len(labels)) for label in corpus.labels[column]], dtype=np.int32)
    return codes[corpus.codes[column]] if corpus.n_words else corpus.codes[column]


ARCPOS_FACTORS = ("arcpos|d", "arcpos|h", "arcpos|above", "arcpos|per_head", "arcpos|between")

_TAG, _RELATION = (1 << TAG_BITS) - 1, (1 << RELATION_BITS) - 1
_D, _H, _T = _TAG << D_AT, _TAG << H_AT, _RELATION << T_AT
_ABOVE = _TAG << HH_AT | _RELATION
# the parts of a chain's key by which the counts below are summed
_OF_ARC, _OF_D, _OF_H, _OF_ENDS = _D | _H | _T, _D | _T, _H | _T, _D | _T | _ABOVE
_ROOT_ARC = ROOT_TAG << D_AT | NO_TAG << H_AT | NO_RELATION << T_AT


class ChainCounts:
    """The counts that ArcPOS takes its five ratios from, all sums of the model's chains."""

    def __init__(self, reference: Reference) -> None:
        chains = reference.tables[CHAINS]
        self.keys = chains.keys
        self.chain = chains
        self.of_d = _summed(chains, _OF_D)
        self.of_h = _summed(chains, _OF_H)
        self.of_ends = _summed(chains, _OF_ENDS)
        roots = int(chains.counts[chains.keys & _H == ROOT_TAG << H_AT].sum())
        arcs = _summed(chains, _OF_ARC)
        self.of_arc = Counts.of(np.append(arcs.keys, _ROOT_ARC), np.append(arcs.counts, roots))
        self.index = counts_kernel.Counter()  # chain -> its place, from 1
        self.index.add_counts(chains.keys, np.arange(1, len(chains.keys) + 1))

    def factors(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """F and N of the five factors, a row each, for these chains."""
        pair = self.chain.find(keys)
        arc = self.of_arc.find(keys & _OF_ARC)
        F = np.stack([arc, arc, pair, pair, pair])
        N = np.stack(
            [
                self.of_d.find(keys & _OF_D),
                self.of_h.find(keys & _OF_H),
                arc,
                self.of_arc.find(arc_above(keys)),
                self.of_ends.find(keys & _OF_ENDS),
            ]
        )
        return F, N

    def own_factors(self, corpus: Corpus, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each chain's own sentence contributes to `factors`."""

        def times(wanted: np.ndarray, among: np.ndarray) -> np.ndarray:
            """How often each wanted key is among those of the same sentence."""
            codes = np.unique(np.concatenate([wanted, among]), return_inverse=True)[1]
            size = int(codes.max(initial=0)) + 1
            here = corpus.sentence * size + codes[: len(wanted)]
            counts = Counts.of(corpus.sentence * size + codes[len(wanted) :], np.ones(len(among), np.int64))
            return counts.find(here)

        arc, above = keys & _OF_ARC, arc_above(keys)
        pair, own_arc = times(keys, keys), times(arc, arc)
        is_root = corpus.head == 0
        roots = np.add.reduceat(is_root, corpus.start[:-1]) if corpus.n_sentences else is_root
        per_head = np.where(above == _ROOT_ARC, roots[corpus.sentence], times(above, arc))
        F = np.stack([own_arc, own_arc, pair, pair, pair])
        N = np.stack(
            [
                times(keys & _OF_D, keys & _OF_D),
                times(keys & _OF_H, keys & _OF_H),
                own_arc,
                per_head,
                times(keys & _OF_ENDS, keys & _OF_ENDS),
            ]
        )
        return F, N


def arc_above(keys: np.ndarray) -> np.ndarray:
    """The key of the arc (h, hh, th) above each chain's arc."""
    _, h, _, hh, th = chain_parts(keys)
    return chain_keys(h, hh, th, np.zeros_like(h), np.zeros_like(h))


def _summed(chains: Counts, part: int) -> Counts:
    return Counts.of(chains.keys & part, chains.counts)
