"""The arcs to be judged, in the codes of the model that judges them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.arcs import counts_kernel
from treegauge.arcs.features import LEMMA, NONE, RELATION, TAG, arc_traits
from treegauge.arcs.reference import Reference
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import relation_codes


@dataclass(frozen=True, slots=True)
class CodedArcs:
    """The arcs of a corpus in the codes of a model; a label the model has not is one more than its last."""

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
        counts_kernel.chain_keys(corpus.start, corpus.tree_head, tag, relation, chains)
        return CodedArcs(arc_traits(corpus, preset), preset.traits, labels, chains)

    def trait(self, name: str) -> np.ndarray:
        """The values of a trait."""
        return np.asarray(self.traits[:, self.trait_names.index(name)])


def recode(corpus: Corpus, column: str, labels: tuple[str, ...]) -> np.ndarray:
    """Codes of a column in another label table, one more than its last where a label is not there."""
    place = {label: k for k, label in enumerate(labels)}
    codes = np.array([place.get(label, len(labels)) for label in corpus.labels[column]], dtype=np.int32)
    return codes[corpus.codes[column]] if corpus.n_words else corpus.codes[column]
