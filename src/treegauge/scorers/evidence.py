"""What is known of an arc, or of a tag, without gold, as a row of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.models.choice.probabilities import ArcChoices
from treegauge.models.choice.tags import TagChoices
from treegauge.scorers.log_odds import log_odds
from treegauge.scorers.opinions import ABSENT, BOTH, HEAD

# Log odds are cut at ±10, a margin of log probabilities at ±8, LISCA at −150: larger values tell nothing more.
NUMBERS = (
    "choice",  # log odds of head and relation
    "choice of head",
    "choice of relation",
    "choice as tagged",  # log odds of head and relation if no tag is doubted
    "margin",  # log p of the arc minus log p of the likeliest other arc
    "lisca",  # log score / 10
    "length",  # log(1 + length); 0 for a root arc
    "above",  # log odds of the arc of the head
    "below",  # lowest log odds of the arcs of the dependents
    "beside",  # lowest log odds of the other arcs of the head
    "before",  # log odds of the arc of the word before
    "after",
    "tag",  # log odds of the tag
    "tag of head",
    "sentence",  # mean log p of the arcs of the sentence, each at least −5
    "words",  # log of the number of words in the sentence
    "head after",
)
NET_NUMBERS = (
    "net",  # log odds of the arc by choice and the net together
    "net with tags",  # log odds by the net that sees the tags
    "net without tags",
    "net above",  # log odds of the arc of the head by choice and the net together
)
LABELS = ("deprel", "upos", "head upos")
TAG_NUMBERS = (
    "tag",  # log odds
    "margin of tag",  # log p of the tag minus log p of the likeliest other tag
    "tags of sentence",  # mean log p of the tags of the sentence, each at least −5
    "choice",  # of the word's arc
    "choice of relation",
)
TAG_LABELS = ("upos", "other upos")
AGREEMENT = "agreement"  # log odds that another parse has the arc, from how many have it
SURE = 6.0  # log odds where there is nothing to doubt: above a root arc, below a leaf, tags taken as they are


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of evidence: numbers, labels, and the label that is crossed with some numbers."""

    numbers: tuple[str, ...]
    labels: tuple[str, ...]
    crossed: tuple[str, tuple[str, ...]]
    parses: int = 0  # other parses that say something of the arcs

    def has(self, name: str) -> bool:
        """Whether there is a column of this name: `length`, `upos=NOUN`, or `deprel=obj × choice`."""
        label, times, factor = name.partition(" × ")
        kind, is_label, _ = label.partition("=")
        return (kind in self.labels if is_label else label in self.numbers) and (factor in self.numbers or not times)


TAGS = Kinds(TAG_NUMBERS, TAG_LABELS, ("upos", ("tag",)))


def arc_kinds(parses: int = 0, net: bool = False) -> Kinds:
    """The kinds of evidence for arcs; each other parse adds whether it has the arc, and whether it has the head.

    net: the model has a net, which adds numbers of its own.
    """
    numbers = (*NUMBERS, *NET_NUMBERS) if net else NUMBERS
    crossed = ("choice", "net") if net else ("choice",)
    if not parses:
        return Kinds(numbers, LABELS, ("deprel", crossed))
    opinions = [f"{what} in parse {k}" for k in range(1, parses + 1) for what in ("arc", "head")]
    return Kinds((*numbers, AGREEMENT, *opinions), LABELS, ("deprel", (*crossed, AGREEMENT)), parses)


ARCS = arc_kinds()


@dataclass(frozen=True)
class ArcEvidence:
    """What is known of arcs, or of the tags of words: a row of numbers for each, and its labels as strings."""

    numbers: np.ndarray
    labels: dict[str, np.ndarray]
    kinds: Kinds = ARCS

    @staticmethod
    def room(n: int, kinds: Kinds) -> ArcEvidence:
        """Room for the evidence for n arcs, to be filled with `put`."""
        labels = {kind: np.empty(n, dtype=object) for kind in kinds.labels}
        return ArcEvidence(np.empty((n, len(kinds.numbers))), labels, kinds)

    def put(self, rows: slice, part: ArcEvidence) -> None:
        """Fill in the evidence for the arcs of these rows."""
        self.numbers[rows] = part.numbers
        for kind, values in part.labels.items():
            self.labels[kind][rows] = values

    def only(self, kept: np.ndarray) -> ArcEvidence:
        """The evidence for the arcs that a mask selects."""
        if kept.all():
            return self
        labels = {kind: values[kept] for kind, values in self.labels.items()}
        return ArcEvidence(self.numbers[kept], labels, self.kinds)

    @cached_property
    def _codes(self) -> dict[str, tuple[np.ndarray, dict[str, int]]]:
        """The labels as codes, which are compared much faster, and the code of each label."""
        codes = {}
        for kind, values in self.labels.items():
            known = {value: k for k, value in enumerate(dict.fromkeys(values.tolist()))}
            codes[kind] = np.fromiter(map(known.__getitem__, values.tolist()), np.int32, len(values)), known
        return codes

    def columns(self, names: Sequence[str], rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """The columns of these names, `length`, `upos=NOUN`, or `deprel=obj × choice`, of all arcs or of some rows."""
        numbers = self.numbers[rows]
        codes = {kind: (codes[rows], known) for kind, (codes, known) in self._codes.items()}
        columns = np.empty((len(names), len(numbers))).T  # a column at a time is written faster so
        for k, name in enumerate(names):
            label, _, factor = name.partition(" × ")
            kind, is_label, value = label.partition("=")
            if is_label:
                of_rows, known = codes[kind]
                columns[:, k] = of_rows == known.get(value, -1)
            else:
                columns[:, k] = numbers[:, self.kinds.numbers.index(label)]
            if factor:
                columns[:, k] *= numbers[:, self.kinds.numbers.index(factor)]
        return columns


@dataclass(frozen=True)
class Evidence:
    """The arcs of one or more systems with what is known of them, and whether gold has them."""

    arcs: ArcEvidence
    right: np.ndarray
    sentence: np.ndarray

    @staticmethod
    def joined(parts: Sequence[Evidence]) -> Evidence:
        """The arcs of several systems together; their sentences get different numbers."""
        if len(parts) == 1:
            return parts[0]
        before = np.cumsum([0, *(1 + int(part.sentence.max(initial=-1)) for part in parts)])
        kinds = parts[0].arcs.labels
        return Evidence(
            ArcEvidence(
                np.concatenate([part.arcs.numbers for part in parts]),
                {kind: np.concatenate([part.arcs.labels[kind] for part in parts]) for kind in kinds},
                parts[0].arcs.kinds,
            ),
            np.concatenate([part.right for part in parts]),
            np.concatenate([part.sentence + first for part, first in zip(parts, before, strict=False)]),
        )

    def only(self, kept: np.ndarray) -> Evidence:
        """The arcs that a mask selects."""
        return Evidence(self.arcs.only(kept), self.right[kept], self.sentence[kept])


def arc_evidence(corpus: Corpus, choices: ArcChoices, other_log_prob: np.ndarray, lisca: np.ndarray) -> ArcEvidence:
    """The evidence for every arc: choices with log p of the likeliest other arcs, and log scores of LISCA."""
    if not corpus.n_words:
        return ArcEvidence(np.zeros((0, len(NUMBERS))), arc_labels(corpus))
    log_prob = choices.log_prob
    odds = bounded_odds(log_prob)
    below_root = corpus.head > 0
    head_row = np.maximum(corpus.head_row, 0)
    below, beside = lowest_around(odds, head_row, below_root)
    before, after = neighbours(odds, corpus.sentence)
    tag = np.full(corpus.n_words, SURE) if choices.tags is None else bounded_odds(choices.tags.log_prob)
    sentence = np.bincount(corpus.sentence, np.maximum(log_prob, -5.0)) / np.diff(corpus.start)
    numbers: tuple[Callable[[], np.ndarray], ...] = (  # one is made at a time, so that all are not there twice
        lambda: odds,
        lambda: bounded_odds(choices.log_head),
        lambda: bounded_odds(choices.log_relation),
        lambda: odds if choices.as_tagged is None else bounded_odds(choices.as_tagged),
        lambda: np.clip(log_prob - other_log_prob, -8.0, 8.0),
        lambda: np.maximum(lisca, -150.0) / 10,
        lambda: np.log1p(corpus.arc_length),
        lambda: np.where(below_root, odds[head_row], SURE),
        lambda: below,
        lambda: beside,
        lambda: before,
        lambda: after,
        lambda: tag,
        lambda: np.where(below_root, tag[head_row], SURE),
        lambda: sentence[corpus.sentence],
        lambda: np.log(corpus.sentence_length),
        lambda: (corpus.head > corpus.position).astype(float),
    )
    table = np.empty((corpus.n_words, len(numbers)))
    for k, make in enumerate(numbers):
        table[:, k] = make()
    return ArcEvidence(table, arc_labels(corpus))


def with_net_evidence(arcs: ArcEvidence, corpus: Corpus, odds: np.ndarray, views: np.ndarray) -> ArcEvidence:
    """The evidence for arcs with that of the net: log odds by choice and the net together, and by its two views."""
    above = np.where(corpus.head > 0, odds[np.maximum(corpus.head_row, 0)], SURE) if corpus.n_words else odds
    numbers = np.column_stack([arcs.numbers, odds, *views, above])
    return ArcEvidence(numbers, arcs.labels, arc_kinds(net=True))


def with_opinion_evidence(arcs: ArcEvidence, says: np.ndarray) -> ArcEvidence:
    """The evidence for arcs with what other parses say of them, a row of `Opinions.says` for each.

    Where a parse does not have the word, it counts as the mean of the parses that have it; where no parse has the word,
    as the mean over all words.
    """
    known, arc, head = says != ABSENT, says == BOTH, says >= HEAD
    columns = []
    for has in (arc, head):
        usual = (has & known).sum() / max(known.sum(), 1)
        share = np.where(known.any(axis=0), (has & known).sum(axis=0) / np.maximum(known.sum(axis=0), 1), usual)
        columns.append(np.where(known, has, share))
    for_it = columns[0].sum(axis=0)
    agreement = np.log((for_it + 0.5) / (len(says) - for_it + 0.5))
    opinions = np.stack(columns, axis=1).reshape(-1, says.shape[1])  # arc and head of the first, of the second, …
    kinds = arc_kinds(len(says), net=NET_NUMBERS[0] in arcs.kinds.numbers)
    return ArcEvidence(np.column_stack([arcs.numbers, agreement, opinions.T]), arcs.labels, kinds)


def bounded_odds(log_prob: np.ndarray) -> np.ndarray:
    """log p − log(1 − p), cut at ±10."""
    return np.clip(log_odds(np.minimum(log_prob, -1e-6)), -10.0, 10.0)


def lowest_around(odds: np.ndarray, head_row: np.ndarray, below_root: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For every word the lowest log odds of its dependents' arcs, and of the arcs of its head's other dependents."""
    rows = np.flatnonzero(below_root)
    lowest, next_lowest = np.full((2, len(odds)), SURE)
    np.minimum.at(lowest, head_row[rows], odds[rows])
    who = np.full(len(odds), -1)
    least = rows[odds[rows] == lowest[head_row[rows]]]
    who[head_row[least]] = least
    others = rows[who[head_row[rows]] != rows]
    np.minimum.at(next_lowest, head_row[others], odds[others])
    of_others = np.where(who[head_row] == np.arange(len(odds)), next_lowest[head_row], lowest[head_row])
    return lowest, np.where(below_root, of_others, SURE)


def neighbours(odds: np.ndarray, sentence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The log odds of the arcs of the words before and after, in the same sentence."""
    before, after = np.full((2, len(odds)), SURE)
    inside = np.flatnonzero(sentence[1:] == sentence[:-1])
    before[inside + 1], after[inside] = odds[inside], odds[inside + 1]
    return before, after


def tag_evidence(corpus: Corpus, choices: ArcChoices, tags: TagChoices) -> ArcEvidence:
    """The evidence for the tag of every word."""
    tag = np.array(corpus.labels["upos"] or [""], dtype=object)[corpus.codes["upos"]]
    labels = dict(zip(TAG_LABELS, (tag, np.array([*tags.tags, ""], dtype=object)[tags.other]), strict=True))
    if not corpus.n_words:
        return ArcEvidence(np.zeros((0, len(TAG_NUMBERS))), labels, TAGS)
    sentence = np.bincount(corpus.sentence, np.maximum(tags.log_prob, -5.0)) / np.diff(corpus.start)
    numbers = [
        bounded_odds(tags.log_prob),
        np.clip(tags.log_prob - tags.log_other, -8.0, 8.0),
        sentence[corpus.sentence],
        bounded_odds(choices.log_prob),
        bounded_odds(choices.log_relation),
    ]
    return ArcEvidence(np.stack(numbers, axis=1), labels, TAGS)


def arc_labels(corpus: Corpus) -> dict[str, np.ndarray]:
    """The universal relation, the tag and the head's tag of every arc, as strings."""
    relation = np.array([universal(label) for label in corpus.labels["deprel"]] or [""], dtype=object)
    tag = np.array(corpus.labels["upos"] or [""], dtype=object)[corpus.codes["upos"]]
    head_tag = np.where(corpus.head > 0, tag[np.maximum(corpus.head_row, 0)], "ROOT") if corpus.n_words else tag
    return dict(zip(LABELS, (relation[corpus.codes["deprel"]], tag, head_tag), strict=True))
