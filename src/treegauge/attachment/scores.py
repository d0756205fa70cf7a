"""What is right about each word, counts per gold sentence, and every score of the CoNLL 2018 shared task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.alignment.align import Alignment
from treegauge.attachment import scores_kernel
from treegauge.attachment.relations import CONTENT, FUNCTIONAL
from treegauge.attachment.scores_kernel import COLUMNS, HEAD, LABEL
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.joined import Joiner
from treegauge.corpus.relations import universal
from treegauge.corpus.tokens import no_arcs

# metric -> the columns of its gold total, system total, correct, and aligned total where it has one
METRICS: dict[str, tuple[str, str, str, str | None]] = {
    "Tokens": ("gold_tokens", "system_tokens", "tokens", None),
    "Sentences": ("gold_sentences", "system_sentences", "sentences", None),
    "Words": ("gold_words", "system_words", "aligned_words", None),
    "UPOS": ("gold_words", "system_words", "upos", "aligned_words"),
    "XPOS": ("gold_words", "system_words", "xpos", "aligned_words"),
    "UFeats": ("gold_words", "system_words", "feats", "aligned_words"),
    "AllTags": ("gold_words", "system_words", "all_tags", "aligned_words"),
    "Lemmas": ("gold_words", "system_words", "lemmas", "aligned_words"),
    "UAS": ("gold_words", "system_words", "heads", "aligned_words"),
    "LAS": ("gold_words", "system_words", "arcs", "aligned_words"),
    "CLAS": ("gold_content", "system_content", "content_arcs", "aligned_content"),
    "MLAS": ("gold_content", "system_content", "content_morphology", "aligned_content"),
    "BLEX": ("gold_content", "system_content", "content_lemmas", "aligned_content"),
    "ELAS": ("gold_enhanced", "system_enhanced", "enhanced", None),
    "EULAS": ("gold_enhanced", "system_enhanced", "enhanced_universal", None),
}
ENHANCED = ("ELAS", "EULAS")

ARC = HEAD | LABEL

# UFeats and AllTags look at these features only
_FEATURES = """
    Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood Number NumType Person Polarity Polite Poss
    PronType Reflex Tense VerbForm Voice
"""
UNIVERSAL_FEATURES = frozenset(_FEATURES.split())


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall, F1 and, of what is counted on aligned words, accuracy on those: fractions.

        P = correct / system,  R = correct / gold,  F1 = 2 · correct / (system + gold)

    A denominator of 0 makes 0, as in the CoNLL 2018 script.
    """

    gold: int
    system: int
    correct: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        """Share of the system's that is right."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Share of gold's that the system has."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.correct / (self.system + self.gold) if self.system + self.gold else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """Share of the aligned words that is right; None for what is not counted on them."""
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0


@dataclass(frozen=True, slots=True)
class Words:
    """Gold and system words with relations of one code table, and what is right about each gold word."""

    right: np.ndarray  # of each gold word: bits ALIGNED … KIDS
    gold_relation: np.ndarray  # codes, subtypes cut unless asked for
    relation: np.ndarray
    relations: tuple[str, ...]


def compare_words(gold: Corpus, system: Corpus, alignment: Alignment, *, subtypes: bool = False) -> Words:
    """What each gold word shares with its system word.

    Features: universal ones only, in any order. Lemma: `_` in gold is right whatever the system has. Head:
    the words are aligned, or both root. Relation: up to the first colon, or with `subtypes` the whole of it.
    """
    return Comparer(subtypes)(gold, system, alignment)


class Comparer:
    """See `compare_words`; of one pair of pieces after the other."""

    def __init__(self, subtypes: bool = False) -> None:
        self._joiners = (
            Joiner("upos"),
            Joiner("xpos"),
            Joiner("feats", universal_features),
            Joiner("lemma"),
            Joiner("deprel", str if subtypes else universal),
        )

    def __call__(self, gold: Corpus, system: Corpus, alignment: Alignment) -> Words:
        """What each gold word of a piece shares with its system word."""
        upos, xpos, feats, lemma, relation = (join(gold, system) for join in self._joiners)
        right = np.zeros(gold.n_words, np.uint8)
        scores_kernel.right_bits(
            alignment.to_gold,
            gold.head_row,
            system.head_row,
            upos.gold,
            upos.system,
            xpos.gold,
            xpos.system,
            feats.gold,
            feats.system,
            lemma.gold,
            lemma.system,
            lemma.labels.index("_") if "_" in lemma.labels else -1,
            relation.gold,
            relation.system,
            relation_kinds(relation.labels),
            np.zeros((gold.n_words, 2), np.int32),
            np.zeros(system.n_words, np.int32),
            right,
        )
        return Words(right, relation.gold, relation.system, relation.labels)


def count(gold: Corpus, system: Corpus, alignment: Alignment, words: Words, *, enhanced: bool = True) -> np.ndarray:
    """Every count of COLUMNS, a row per gold sentence; the sums of rows are those of the file.

    Enhanced arcs are counted, if asked for, where a side has any (see `without_one_sided`).
    """
    counts = np.zeros((gold.n_sentences, len(COLUMNS)), np.int32)
    kinds = relation_kinds(words.relations)
    edge = gold.tokens.sentence_edge
    scores_kernel.count_spans(gold.tokens.edge, system.tokens.edge, edge, COLUMNS.index("gold_tokens"), counts)
    scores_kernel.count_spans(edge, system.tokens.sentence_edge, edge, COLUMNS.index("gold_sentences"), counts)
    scores_kernel.count_words(
        words.right, words.gold_relation, gold.start, words.relation, alignment.unit, kinds, counts
    )
    if enhanced and (gold.enhanced or system.enhanced):
        arrays = (alignment.to_gold, alignment.unit, *_arcs(gold), *_arcs(system), counts)
        scores_kernel.count_enhanced(*arrays)
    return counts


def _arcs(side: Corpus) -> tuple[np.ndarray, ...]:
    """The enhanced arcs of a side as the kernel takes them."""
    arcs = side.enhanced or no_arcs(side.n_words)
    return side.sentence.astype(np.int32), side.start, arcs.start, arcs.head, arcs.path_start, arcs.paths


def without_one_sided(counts: np.ndarray) -> np.ndarray:
    """The same counts without those of enhanced arcs, if one side has none at all."""
    columns = [COLUMNS.index(name) for name in ("gold_enhanced", "system_enhanced", "enhanced", "enhanced_universal")]
    if not counts[:, columns[:2]].any(axis=0).all():
        counts[:, columns] = 0
    return counts


def scores(counts: np.ndarray) -> dict[str, Score]:
    """Every metric over the sum of rows; ELAS and EULAS only where both sides have enhanced arcs."""
    total = dict(zip(COLUMNS, counts.sum(axis=0, dtype=np.int64).tolist(), strict=True))
    found = {
        name: Score(total[gold], total[system], total[correct], None if aligned is None else total[aligned])
        for name, (gold, system, correct, aligned) in METRICS.items()
    }
    if not (total["gold_enhanced"] and total["system_enhanced"]):
        for name in ENHANCED:
            del found[name]
    return found


def relation_kinds(relations: tuple[str, ...]) -> np.ndarray:
    """Of each relation: 1 content, 2 functional, 0 neither (punct, and what UD does not know)."""
    kinds = [1 if universal(r) in CONTENT else 2 if universal(r) in FUNCTIONAL else 0 for r in relations]
    return np.array(kinds, np.uint8)


def universal_features(feats: str) -> str:
    """The universal ones among the features, sorted."""
    return "|".join(sorted(f for f in feats.split("|") if f.split("=", 1)[0] in UNIVERSAL_FEATURES))
