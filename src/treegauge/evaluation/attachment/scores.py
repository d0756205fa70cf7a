"""What is right about each word of a parse, and how many words are right in each gold sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.compare.comparison import Comparison, LabelJoiner
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import CONTENT, FUNCTIONAL, universal
from treegauge.corpus.tokens import no_arcs
from treegauge.evaluation.attachment import scores_kernel
from treegauge.evaluation.attachment.enhancements import enhancement_levels, without_levels
from treegauge.evaluation.attachment.metrics import COLUMNS, CONTENT_ONLY, NEEDED, column

# UFeats and AllTags compare these features only
_FEATURES = """
    Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood Number NumType Person Polarity Polite Poss
    PronType Reflex Tense VerbForm Voice
"""
UNIVERSAL_FEATURES = frozenset(_FEATURES.split())
IS_CONTENT, IS_FUNCTIONAL = 1, 2  # kinds of relations; punct and relations that UD does not know are 0


@dataclass(frozen=True, slots=True)
class Words:
    """What is right about each gold word, and the relations of both sides as codes into one table."""

    right: np.ndarray  # for each gold word the bits ALIGNED … KIDS
    gold_relation: np.ndarray  # relations have subtypes only if asked
    relation: np.ndarray
    relations: tuple[str, ...]


class WordComparer:
    """Compares each gold word with its system word, in one pair of pieces after the other.

    Only universal features count, in any order. If gold's lemma is `_`, any lemma is right. Heads are the same if they
    are aligned, or both are the root. Relations are compared up to the first colon or, with `subtypes`, as a whole.
    """

    def __init__(self, subtypes: bool = False) -> None:
        plain: Callable[[str], str] = str
        changes = {"upos": plain, "xpos": plain, "feats": universal_features, "lemma": plain}
        changes["deprel"] = plain if subtypes else universal
        self._joiners = [LabelJoiner(name, change) for name, change in changes.items()]

    def __call__(self, comparison: Comparison) -> Words:
        """What is right about each gold word of a piece."""
        gold, system = comparison.other, comparison.corpus
        *columns, lemma, relation = (join(gold, system) for join in self._joiners)
        gold_labels = np.stack([pair.first for pair in (*columns, lemma, relation)])
        labels = np.stack([pair.second for pair in (*columns, lemma, relation)])
        right = np.zeros(gold.n_words, np.uint8)
        no_lemma = lemma.labels.index("_") if "_" in lemma.labels else -1
        heads, kinds = (gold.head_row, attached_row(system)), relation_kinds(relation.labels)
        scores_kernel.right_bits(comparison.row, *heads, gold_labels, labels, no_lemma, kinds, right)
        return Words(right, relation.first, relation.second, relation.labels)


def attached_row(corpus: Corpus) -> np.ndarray:
    """The row of each word's head, -1 for the root. A word that has no head has its own row, which is never right."""
    if corpus.is_checked or not (corpus.head < 0).any():
        return corpus.head_row
    row = corpus.start[corpus.sentence] + np.where(corpus.head < 0, corpus.position, corpus.head) - 1
    return np.where(corpus.head == 0, -1, row).astype(np.int32)


def count(comparison: Comparison, words: Words, *, enhanced: bool | str = True) -> np.ndarray:
    """All counts of COLUMNS, with one row for each gold sentence; the sum of the rows is the count of the file.

    Enhanced arcs are counted, if asked, as soon as one side has some (see `without_one_sided`). If
    `enhanced` is a text, they are those that the rules of its levels leave (see `enhancement_levels`).
    """
    gold, system, n = comparison.other, comparison.corpus, comparison.other.n_sentences
    counts = np.zeros((n, len(COLUMNS)), np.int32)
    content = (relation_kinds(words.relations) == IS_CONTENT).astype(np.uint8)
    gold_content, system_content = content[words.gold_relation], content[words.relation]
    unit = comparison.other_sentence
    scores_kernel.count_words(words.right, gold_content, gold.start, NEEDED, CONTENT_ONLY, counts)
    counts[:, column("gold_words")] = np.diff(gold.start)
    counts[:, column("system_words")] = np.bincount(unit, minlength=n)
    counts[:, column("gold_content")] = np.bincount(gold.sentence, gold_content, n)
    counts[:, column("system_content")] = np.bincount(unit, system_content, n)
    _count_spans(comparison, counts)
    if enhanced and (gold.enhanced or system.enhanced):
        levels = enhancement_levels(enhanced)
        arrays = (
            comparison.row,
            unit,
            *_arcs(gold, levels),
            *_arcs(system, levels),
            counts[:, column("gold_enhanced") :],
        )
        scores_kernel.count_enhanced(*arrays)
    return counts


def _count_spans(comparison: Comparison, counts: np.ndarray) -> None:
    """Count tokens and sentences. Gold's sentences whose text the system does not have count on gold's side only."""
    shared, system = comparison.shared_other.tokens, comparison.corpus.tokens
    spans = np.zeros((len(shared.sentence_edge) - 1, 6), np.int32)
    scores_kernel.count_spans(shared.edge, system.edge, shared.sentence_edge, spans[:, :3])
    scores_kernel.count_spans(shared.sentence_edge, system.sentence_edge, shared.sentence_edge, spans[:, 3:])
    first = column("gold_tokens")
    counts[:, first] = np.diff(comparison.other.tokens.start)
    counts[:, first + 3] = 1
    counts[slice(None) if comparison.shared is None else comparison.shared, first : first + 6] = spans


def _arcs(side: Corpus, levels: str) -> tuple[np.ndarray, ...]:
    """The enhanced arcs of a side as arrays for the kernel."""
    arcs = without_levels(side, levels) or no_arcs(side.n_words)
    return side.sentence.astype(np.int32), side.start, arcs.start, arcs.head, arcs.path_start, arcs.paths


def without_one_sided(counts: np.ndarray) -> np.ndarray:
    """The same counts; those of enhanced arcs become 0 if one side has no enhanced arcs at all."""
    first = column("gold_enhanced")
    if not counts[:, first : first + 2].any(axis=0).all():
        counts[:, first:] = 0
    return counts


def relation_kinds(relations: tuple[str, ...]) -> np.ndarray:
    """The kind of each relation: IS_CONTENT, IS_FUNCTIONAL, or 0."""
    kinds = dict.fromkeys(CONTENT, IS_CONTENT) | dict.fromkeys(FUNCTIONAL, IS_FUNCTIONAL)
    return np.array([kinds.get(universal(relation), 0) for relation in relations], np.uint8)


def universal_features(feats: str) -> str:
    """The universal features among these features, sorted."""
    return "|".join(sorted(f for f in feats.split("|") if f.split("=", 1)[0] in UNIVERSAL_FEATURES))
