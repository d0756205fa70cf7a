"""How probable each arc is against all others that its word could have."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.pool import run_over
from treegauge.corpus.relations import relation_codes
from treegauge.explanations import Alternatives
from treegauge.models.choice.choice_kernel import Chooser
from treegauge.models.choice.tags import TagChoice, TagChoices
from treegauge.models.choice.weights import ChoiceWeights
from treegauge.models.choice.words import ALL, NAMES, WordHashes, hash_of
from treegauge.version import signature

TRUST = 4.0  # the odds of the given tag against another one are multiplied by this …
LEAST = 0.4  # … and its probability is at least this
_AT_A_TIME = 1 << 16  # words that are looked at together
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
class DoubtfulTags:
    """The words whose tags are in doubt, and the arcs that begin or end there, which are looked at again."""

    word: np.ndarray  # rows in the corpus, in order
    sentence: np.ndarray  # by word: where its sentence starts and ends
    begin: np.ndarray  # by word: where its arcs begin in the following
    of: np.ndarray  # by arc: its doubted word
    row: np.ndarray  # by arc: of its dependent, in order of these for each doubted word


def words_in_doubt(corpus: Corpus, right: np.ndarray) -> DoubtfulTags:
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
    return DoubtfulTags(word, ends, np.searchsorted(of[order], np.arange(len(word))), of[order], row[order])


class Mixture:
    """The mean of the probabilities under different tags, weighted by how probable the tags are.

    The rival of an arc is the likeliest of its rivals under any tag; tags under which another rival is likelier add
    nothing to its probability.
    """

    def __init__(self, choices: ArcChoices, share: np.ndarray) -> None:
        """choices: under the given tags; share: the probability of the given tags of every word."""
        share = np.log(share)
        self.log_head, self.log_arc = share + choices.log_head, share + choices.log_prob
        self.heads = _Rivals(choices.other_head.copy(), share + choices.log_other_head)
        self.relations = _Rivals(choices.other_relation.copy(), share + choices.log_head + choices.log_other_relation)

    def add(self, row: np.ndarray, share: np.ndarray, again: ArcChoices) -> None:
        """Add choices under other tags for the words in these rows; share: the probability of these tags."""
        log_share = np.log(share)
        log_head = log_share + again.log_head
        self.log_head[row] = np.logaddexp(self.log_head[row], log_head)
        self.log_arc[row] = np.logaddexp(self.log_arc[row], log_head + again.log_relation)
        self.heads.add(row, again.other_head, log_share + again.log_other_head)
        self.relations.add(row, again.other_relation, log_head + again.log_other_relation)

    def found(self, plain: ArcChoices) -> ArcChoices:
        """The mixed probabilities and rivals; everything else comes from `plain`."""
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
        """Add rivals: the same rival adds to its probability, a likelier one takes its place."""
        same = self.rival[row] == rival
        self.log_prob[row[same]] = np.logaddexp(self.log_prob[row[same]], log_prob[same])
        better = ~same & (log_prob > self.log_prob[row])
        self.rival[row[better]], self.log_prob[row[better]] = rival[better], log_prob[better]


@dataclass(frozen=True)
class ArcChoices:
    """What one pass over a corpus finds of every arc: log p of its head, and of its relation given the head.

    Beside them the likeliest other head (-1 where there is none) and the likeliest other relation to the same head
    (code into `relations`, -1 where there is none), each with its log p.
    """

    log_head: np.ndarray
    log_relation: np.ndarray
    other_head: np.ndarray
    log_other_head: np.ndarray
    other_relation: np.ndarray
    log_other_relation: np.ndarray
    relations: tuple[str, ...]
    tags: TagChoices | None = None  # where the weights have tags
    as_tagged: np.ndarray | None = None  # log p of the arcs under the given tags, where these are doubted

    @property
    def log_prob(self) -> np.ndarray:
        """log p(head, relation) = log p(head) + log p(relation | head)."""
        return np.asarray(self.log_head + self.log_relation)


class Choice:
    """Gives arcs probabilities by learned weights.

        p(h, t | d, sentence) = ½ Σ_v exp s_v(d, h) / Σ_h' exp s_v(d, h')  ·  exp s(d, h, t) / Σ_t' exp s(d, h, t')

    s is a sum of weights of features. Opinion v = 0 sees the words of the sentence only, v = 1 the rest of its tree,
    too: the dependents of h and of d, and what h itself is. h' runs over the words of the sentence and the root, but
    for pairs of tags, distance and side that were arcs less than once in 400 times in the reference. A relation that
    the reference does not have gets the probability 1 / (words of the reference + 1).

    Where the weights know tags, the given ones are doubted. q(d) is the probability that the tag of d is right
    (`right_tag`); p | d is p with the likeliest other tag of d in its place:

        p' = q(d) q(h) p  +  (1 − q(d)) p | d  +  q(d) (1 − q(h)) p | h
    """

    def __init__(self, weights: ChoiceWeights, model: str = "", hashes: WordHashes | None = None) -> None:
        """hashes: shared with others that read the corpus."""
        self.weights = weights
        self.hashes = hashes or WordHashes()
        self.tags = TagChoice(weights.tags, weights.words, self.hashes.forms) if weights.tags is not None else None
        looked_at = "all" if weights.groups == ALL else str(weights.groups)
        tags = "given" if self.tags is None else "doubted"
        self.signature = signature("choice", f"ref:{model}@{weights.hash[:8]}", f"sees:{looked_at}", f"tags:{tags}")

    def chooser(self, groups: int | None = None) -> Chooser:
        """A kernel object with its own memory, for one thread; groups: look at less than was learned."""
        groups = self.weights.groups if groups is None else groups
        tables = self.weights.head, self.weights.relation, self.weights.candidate.view(np.uint8)
        return Chooser(NAMES, groups, *tables)

    def relation_codes(self, corpus: Corpus) -> np.ndarray:
        """The relation of each arc as a code of the weights, -1 for one they do not have."""
        names: dict[str, int] = {name: k for k, name in enumerate(self.weights.relations)}
        of_label = relation_codes(corpus.labels["deprel"], False, names)
        codes = of_label[corpus.codes["deprel"]] if len(of_label) else corpus.codes["deprel"]
        return np.where(codes < len(self.weights.relations), codes, -1).astype(np.int32)

    def choices(self, corpus: Corpus, threads: int | None = None) -> ArcChoices:
        """How probable the head and the relation of every arc are, and their likeliest rivals; one pass.

        Arcs of words with doubtful tags are looked at again. A large corpus is looked at in parts, because words take
        more memory while they are looked at than what is found.
        """
        parts = [self._choices(part, threads) for part in corpus.parts(_AT_A_TIME)]
        return parts[0] if len(parts) == 1 else _joined(parts)

    def _choices(self, corpus: Corpus, threads: int | None) -> ArcChoices:
        arcs = self.hashes.words(corpus), corpus.scorable_head, self.relation_codes(corpus)
        logs, rivals = self._room(corpus.n_words)

        def run(*span: Any) -> None:
            chooser: Any = self.chooser()
            chooser.judge(*arcs, *span, logs, rivals)

        run_over(corpus.start, run, threads)
        as_given = self._found(logs, rivals)
        if self.tags is None:
            return as_given
        return self._doubting(corpus, arcs, as_given, self.tags.choices(corpus, threads), threads)

    def _doubting(
        self, corpus: Corpus, arcs: tuple[np.ndarray, ...], as_given: ArcChoices, tags: TagChoices, threads: int | None
    ) -> ArcChoices:
        """The choices where the given tags are doubted."""
        right = right_tag(tags)
        of_head = np.where(corpus.head > 0, right[np.maximum(corpus.head_row, 0)], 1.0)
        again = words_in_doubt(corpus, right)
        hashes = np.array([hash_of(tag) for tag in tags.tags], dtype=np.uint64)
        tag = hashes[tags.other[again.word]]
        logs, rivals = self._room(len(again.row))

        def run(_: Any, first: int, last: int) -> None:
            chooser: Any = self.chooser()
            of = again.word, tag, again.begin, again.sentence
            chooser.judge_retagged(*arcs, *of, first, last, logs, rivals)

        run_over(np.arange(len(again.word) + 1), run, threads)
        mixture = Mixture(as_given, right * of_head)
        own = again.row == again.word[again.of]
        for which, share in ((own, 1 - right), (~own, right * (1 - of_head))):
            row = again.row[which]
            mixture.add(row, share[row], self._found(logs[:, which], rivals[:, which]))
        return mixture.found(replace(as_given, tags=tags, as_tagged=as_given.log_prob))

    def _room(self, arcs: int) -> tuple[np.ndarray, np.ndarray]:
        """Arrays for results: log p of head, relation, other head and other relation; the other head and relation."""
        logs = np.zeros((4, arcs))
        logs[1] = self.log_unknown
        return logs, np.full((2, arcs), -1, dtype=np.int32)

    @property
    def log_unknown(self) -> float:
        """log p of a relation that the weights do not have."""
        return -math.log(self.weights.words + 1)

    def _found(self, logs: np.ndarray, rivals: np.ndarray) -> ArcChoices:
        return ArcChoices(logs[0], logs[1], rivals[0], logs[2], rivals[1], logs[3], self.weights.relations)

    def alternatives(self, corpus: Corpus, rows: np.ndarray, choices: ArcChoices) -> Alternatives:
        """The likeliest other arc of the words in these rows, given what a pass over the corpus found.

        The same head with another relation, or the likeliest other head with its likeliest relation, whichever is more
        probable.
        """
        order = np.argsort(rows, kind="stable")  # words that are near each other are looked at together
        some = np.array_split(np.asarray(rows)[order], max(len(rows) // _AT_A_TIME, 1))
        parts = [self._alternatives(corpus, part, choices) for part in some]
        names = [column.name for column in fields(Alternatives)]
        in_order = Alternatives(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
        return in_order.some(np.argsort(order))

    def _alternatives(self, corpus: Corpus, rows: np.ndarray, choices: ArcChoices) -> Alternatives:
        """What `alternatives` gives, for so few words that all that is known of them fits into memory."""
        part, at = corpus.around(rows)
        words, at_head = self.hashes.words(part), np.full(part.n_words, -1, dtype=np.int32)
        at_head[at] = choices.other_head[rows]
        logs, rivals = self._room(part.n_words)

        def run(*span: Any) -> None:
            chooser: Any = self.chooser()
            chooser.likeliest_relations(words, part.scorable_head, at_head, *span, logs, rivals)

        run_over(part.start, run)
        relation, log_relation = rivals[1], logs[3]
        same = choices.log_head[rows] + choices.log_other_relation[rows]
        other = choices.log_other_head[rows] + log_relation[at]
        turn = (choices.other_relation[rows] >= 0) & (same >= other)  # the same head, another relation
        names = np.array([*self.weights.relations, ""], dtype=object)
        return Alternatives(
            np.where(turn, corpus.head[rows], choices.other_head[rows]),
            names[np.where(turn, choices.other_relation[rows], relation[at])],
            np.where(turn, same, other),
            choices.log_head[rows] + choices.log_relation[rows],
        )


def _joined(parts: list[ArcChoices]) -> ArcChoices:
    """The choices of the parts of a corpus together."""
    first = parts[0]
    arrays: dict[str, Any] = {
        column.name: np.concatenate([getattr(part, column.name) for part in parts])
        for column in fields(ArcChoices)
        if isinstance(getattr(first, column.name), np.ndarray)
    }
    of_tags = [part.tags for part in parts if part.tags is not None]
    if not of_tags:
        return replace(first, **arrays)
    log_prob, other, log_other = (
        np.concatenate([getattr(some, name) for some in of_tags]) for name in ("log_prob", "other", "log_other")
    )
    return replace(first, **arrays, tags=TagChoices(log_prob, other, log_other, first.tags.tags if first.tags else ()))
