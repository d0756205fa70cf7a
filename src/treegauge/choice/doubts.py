"""Words whose tags are in doubt: how probable arcs would be if another tag were the right one.

A parser that tagged a word wrongly has mostly attached it as such a word, too, so the arc looks right by its tags. For
every word whose given tag is in doubt, its arc and those of its dependents are looked at once more with the likeliest
other tag in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treegauge.choice.tags import TagChoices
from treegauge.corpus.conllu import Corpus

if TYPE_CHECKING:
    from treegauge.choice.probabilities import ArcChoices

TRUST = 4.0  # the given tag counts so many times its odds against another one …
LEAST = 0.4  # … and is right with this probability at the least
SURE = 0.95  # a tag that is right with this probability is not doubted


def right_tag(tags: TagChoices) -> np.ndarray:
    """The probability, for use with arcs, that the given tag of each word is the right one and not the likeliest other.

        q = max(TRUST · p(tag) / (TRUST · p(tag) + p(other)), LEAST), or 1 from SURE on

    A tagger and human annotators have seen more than the forms; this is why the given tag counts for more.
    """
    odds = np.minimum(tags.log_other - tags.log_prob, 700.0)
    right = np.maximum(1 / (1 + np.exp(odds) / TRUST), LEAST)
    return np.where((right >= SURE) | (tags.other < 0), 1.0, right)


@dataclass(frozen=True)
class Doubted:
    """The words whose tags are in doubt, and the arcs that begin or end there, which are looked at again."""

    word: np.ndarray  # rows in the corpus, in order
    sentence: np.ndarray  # by word: where its sentence starts and ends
    begin: np.ndarray  # by word: where its arcs begin in the following
    of: np.ndarray  # by arc: its doubted word
    row: np.ndarray  # by arc: of its dependent, in order of these for each doubted word


def doubted(corpus: Corpus, right: np.ndarray) -> Doubted:
    """The words whose tag is right with a probability below 1."""
    word = np.flatnonzero(right < 1)
    index = np.full(corpus.n_words, -1)
    index[word] = np.arange(len(word))
    below = np.flatnonzero(corpus.head > 0)
    below = below[index[corpus.head_row[below]] >= 0]
    of = np.concatenate([index[word], index[corpus.head_row[below]]])
    row = np.concatenate([word, below])
    order = np.lexsort((row, of))
    sentence = corpus.sentence[word]
    ends = np.stack([corpus.start[sentence], corpus.start[sentence + 1]], axis=1)
    return Doubted(word, ends, np.searchsorted(of[order], np.arange(len(word))), of[order], row[order])


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

    def add(self, row: np.ndarray, share: np.ndarray, again: ArcChoices) -> None:
        """What is found again of the words in these rows, each once, with other tags, and the probability of these."""
        log_share = np.log(share)
        log_head = log_share + again.log_head
        self.log_head[row] = np.logaddexp(self.log_head[row], log_head)
        self.log_arc[row] = np.logaddexp(self.log_arc[row], log_head + again.log_relation)
        self.heads.add(row, again.other_head, log_share + again.log_other_head)
        self.relations.add(row, again.other_relation, log_head + again.log_other_relation)

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
