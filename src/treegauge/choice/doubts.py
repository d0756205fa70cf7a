"""Words whose tags are in doubt: how probable arcs would be if another tag were the right one.

A parser that tagged a word wrongly has mostly attached it as such a word, too, so the arc looks right by its tags. For
every word whose given tag is in doubt, its sentence is looked at once more with the likeliest other tag in its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treegauge.choice.tags import TagChoices
from treegauge.choice.words import hash_of
from treegauge.corpus.conllu import Corpus

if TYPE_CHECKING:
    from treegauge.choice.probabilities import ArcChoices

TRUST = 4.0  # the given tag counts so many times its odds against another one …
LEAST = 0.4  # … and is right with this probability at the least
SURE = 0.95  # a tag that is right with this probability is not doubted
_WORDS_AT_A_TIME = 1 << 18


def right_tag(tags: TagChoices) -> np.ndarray:
    """The probability, for use with arcs, that the given tag of each word is the right one and not the likeliest other.

        q = max(TRUST · p(tag) / (TRUST · p(tag) + p(other)), LEAST), or 1 from SURE on

    A tagger and human annotators have seen more than the forms; this is why the given tag counts for more.
    """
    odds = np.minimum(tags.log_other - tags.log_prob, 700.0)
    right = np.maximum(1 / (1 + np.exp(odds) / TRUST), LEAST)
    return np.where((right >= SURE) | (tags.other < 0), 1.0, right)


@dataclass(frozen=True)
class Variants:
    """Copies of sentences, each with another tag of one of its words."""

    words: np.ndarray  # hashes, as those of the corpus
    row: np.ndarray  # of each word in the corpus
    start: np.ndarray
    doubted: np.ndarray  # by word: row in the corpus of the word of its sentence that has another tag
    wanted: np.ndarray  # whether the arc of the word begins or ends there


def variants(corpus: Corpus, words: np.ndarray, tags: TagChoices, rows: np.ndarray) -> Iterator[Variants]:
    """The sentences of the words in these rows with their likeliest other tags, a bounded number of words at a time."""
    if not len(rows):
        return
    hashes = np.array([hash_of(tag) for tag in tags.tags], dtype=np.uint64)
    sentence = corpus.sentence[rows]
    length = np.diff(corpus.start)[sentence]
    part = np.cumsum(length) // _WORDS_AT_A_TIME
    for low, high in zip(*_runs(part), strict=True):
        here, n = rows[low:high], length[low:high]
        start = np.concatenate([[0], np.cumsum(n)])
        row = np.repeat(corpus.start[sentence[low:high]] - start[:-1], n) + np.arange(start[-1])
        doubted = np.repeat(here, n)
        copy = np.ascontiguousarray(words[:, row])
        own = row == doubted
        copy[0, own] = hashes[tags.other[here]]
        yield Variants(copy, row, start, doubted, own | (corpus.head_row[row] == doubted))


def _runs(part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where runs of equal numbers begin and end."""
    change = np.flatnonzero(np.diff(part)) + 1
    return np.concatenate([[0], change]), np.concatenate([change, [len(part)]])


class Mixture:
    """The mean of what is found with different tags, weighted by how probable these are.

    Rivals are the likeliest of those that any of the tags has; their probabilities leave out the tags with which
    another rival is likeliest.
    """

    def __init__(self, found: ArcChoices, share: np.ndarray) -> None:
        """What is found with the given tags, and the probability of these, for every word."""
        share = np.log(share)
        self.log_head, self.log_arc = share + found.log_head, share + found.log_prob
        self.heads = _Rivals(found.other_head.copy(), share + found.log_other_head)
        self.relations = _Rivals(found.other_relation.copy(), share + found.log_head + found.log_other_relation)

    def add(self, row: np.ndarray, which: np.ndarray, share: np.ndarray, again: ArcChoices) -> None:
        """What is found again of some words, those in these rows, with other tags, and the probability of these."""
        row = row[which]
        log_share = np.log(share[row])
        log_head = log_share + again.log_head[which]
        self.log_head[row] = np.logaddexp(self.log_head[row], log_head)
        self.log_arc[row] = np.logaddexp(self.log_arc[row], log_head + again.log_relation[which])
        self.heads.add(row, again.other_head[which], log_share + again.log_other_head[which])
        self.relations.add(row, again.other_relation[which], log_head + again.log_other_relation[which])

    def found(self, plain: ArcChoices) -> ArcChoices:
        """All of it, in the place of what was found with the given tags."""
        return replace(
            plain,
            log_head=self.log_head,
            log_relation=self.log_arc - self.log_head,
            other_head=self.heads.rival,
            log_other_head=self.heads.log_prob,
            other_relation=self.relations.rival,
            log_other_relation=self.relations.log_prob - self.log_head,
        )


@dataclass(frozen=True)
class _Rivals:
    """The likeliest rivals so far."""

    rival: np.ndarray
    log_prob: np.ndarray

    def add(self, row: np.ndarray, rival: np.ndarray, log_prob: np.ndarray) -> None:
        """Rivals that may be likelier, or the same once more."""
        same = self.rival[row] == rival
        self.log_prob[row[same]] = np.logaddexp(self.log_prob[row[same]], log_prob[same])
        better = ~same & (log_prob > self.log_prob[row])
        self.rival[row[better]], self.log_prob[row[better]] = rival[better], log_prob[better]
