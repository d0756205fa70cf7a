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
        heads, kinds = (gold.head_row, system.head_row), relation_kinds(relation.labels)
        scores_kernel.right_bits(comparison.row, *heads, gold_labels, labels, no_lemma, kinds, right)
        return Words(right, relation.first, relation.second, relation.labels)


def count(comparison: Comparison, words: Words, *, enhanced: bool = True) -> np.ndarray:
    """All counts of COLUMNS, with one row for each gold sentence; the sum of the rows is the count of the file.

    Enhanced arcs are counted, if asked, as soon as one side has some (see `without_one_sided`).
    """
    gold, system, n = comparison.other, comparison.corpus, comparison.other.n_sentences
    counts = np.zeros((n, len(COLUMNS)), np.int32)
    content = (relation_kinds(words.relations) == IS_CONTENT).astype(np.uint8)
    gold_content, system_content = content[words.gold_relation], content[words.relation]
    edge, unit = gold.tokens.sentence_edge, comparison.other_sentence
    scores_kernel.count_words(words.right, gold_content, gold.start, NEEDED, CONTENT_ONLY, counts)
    counts[:, column("gold_words")] = np.diff(gold.start)
    counts[:, column("system_words")] = np.bincount(unit, minlength=n)
    counts[:, column("gold_content")] = np.bincount(gold.sentence, gold_content, n)
    counts[:, column("system_content")] = np.bincount(unit, system_content, n)
    scores_kernel.count_spans(gold.tokens.edge, system.tokens.edge, edge, counts[:, column("gold_tokens") :])
    scores_kernel.count_spans(edge, system.tokens.sentence_edge, edge, counts[:, column("gold_sentences") :])
    if enhanced and (gold.enhanced or system.enhanced):
        arrays = comparison.row, unit, *_arcs(gold), *_arcs(system), counts[:, column("gold_enhanced") :]
        scores_kernel.count_enhanced(*arrays)
    return counts


def _arcs(side: Corpus) -> tuple[np.ndarray, ...]:
    """The enhanced arcs of a side as arrays for the kernel."""
    arcs = side.enhanced or no_arcs(side.n_words)
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
