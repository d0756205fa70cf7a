"""What is known of a finding that tells whether a maintainer would change it: numbers, and labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.explanations import Alternatives
from treegauge.models.choice.tags import TagChoices

LARGEST_ODDS = 12.0
LEAST_LOG_PROB = -8.0  # of the other arcs of a sentence, so that one of them does not count for all
# where the effect of a number bends: odds of the own arc below it, odds of the other arc above it, log length above it
_LOW, _SURE, _LONG = -7.0, 2.0, 3.2
_ONCE = ("nsubj", "csubj", "obj", "iobj", "ccomp", "xcomp", "cop", "expl")  # mostly one for each head


@dataclass(frozen=True)
class ChangeEvidence:
    """What is known of n things: name -> n numbers, and name -> n labels."""

    numbers: Mapping[str, np.ndarray]
    labels: Mapping[str, np.ndarray]

    def weighted(self, weights: Mapping[str, float]) -> np.ndarray:
        """Σ w x over the numbers, and the weights of the labels, which are named `name=label`."""
        some = next(iter(self.numbers.values()))
        total = np.full(len(some), weights[""])
        for name, values in self.numbers.items():
            total = total + weights.get(name, 0.0) * values
        for name, values in self.labels.items():
            kinds, place = np.unique(values.astype(str), return_inverse=True)
            total = total + np.array([weights.get(f"{name}={kind}", 0.0) for kind in kinds])[place]
        return np.asarray(total)


def log_odds(log_prob: np.ndarray) -> np.ndarray:
    """log p − log(1 − p), between −LARGEST_ODDS and LARGEST_ODDS."""
    log_prob = np.minimum(log_prob, -1e-6)
    return np.clip(log_prob - np.log(-np.expm1(log_prob)), -LARGEST_ODDS, LARGEST_ODDS)


class TreebankEvidence:
    """What is known of every word of a treebank, whatever is in doubt about it."""

    def __init__(self, corpus: Corpus, log_prob: np.ndarray, tags: TagChoices | None) -> None:
        self.corpus, self.tags = corpus, tags
        self.arc_odds = log_odds(log_prob)
        self.relations = corpus.relations()
        self.lemma = corpus.codes["lemma" if len(corpus.labels["lemma"]) > 1 else "form"].astype(np.int64)
        self.upos = corpus.codes["upos"].astype(np.int64)
        self.tag_odds = np.full(corpus.n_words, LARGEST_ODDS) if tags is None else log_odds(tags.log_prob)
        doubt, n = np.maximum(log_prob, LEAST_LOG_PROB), np.diff(corpus.start)
        total = np.bincount(corpus.sentence, doubt, minlength=corpus.n_sentences)
        self.sentence_doubt = (total[corpus.sentence] - doubt) / np.maximum(n[corpus.sentence] - 1, 1)
        head = corpus.head_row
        self.lowest_child = np.full(corpus.n_words + 1, LARGEST_ODDS)
        np.minimum.at(self.lowest_child, head, self.arc_odds)  # the last place is for the root

    def of_words(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Numbers about some words and their sentences."""
        corpus, head = self.corpus, self.corpus.head_row[rows]
        return {
            "arc": self.arc_odds[rows],
            "tag": self.tag_odds[rows],
            "tag in doubt": self.tag_in_doubt(rows).astype(float),
            "sentence": self.sentence_doubt[rows],
            "length": np.log(corpus.sentence_length[rows]),
            "long": np.maximum(np.log(corpus.sentence_length[rows]) - _LONG, 0.0),
            "head": np.where(head >= 0, self.arc_odds[head], LARGEST_ODDS),
            "below": self.lowest_child[rows],
            "frequency": np.log(_times(self.lemma, self.upos)[rows]),
            "first": (corpus.position[rows] == 1).astype(float),
        }

    def tag_in_doubt(self, rows: np.ndarray) -> np.ndarray:
        """Whether another tag is likelier for each of some words."""
        if self.tags is None:
            return np.zeros(len(rows), dtype=bool)
        return np.asarray((self.tags.other[rows] >= 0) & (self.tags.log_other[rows] > self.tags.log_prob[rows]))

    def likelier_tag(self, row: int) -> str:
        """The tag that a word whose tag is in doubt would rather have."""
        assert self.tags is not None
        return self.tags.tags[self.tags.other[row]]

    def of_arcs(self, rows: np.ndarray, other: Alternatives) -> ChangeEvidence:
        """What is known of the arcs of some words, beside their likeliest other arcs."""
        corpus = self.corpus
        codes = {name: code for code, name in enumerate(self.relations.names)}
        own = self.relations.codes.astype(np.int64)
        kinds, other_code = other.coded_relations()
        rather = np.array([codes.get(name.partition(":")[0], -1) for name in kinds] or [-1], dtype=np.int64)[other_code]
        first = corpus.start[corpus.sentence[rows]]
        other_row = np.where(other.head > 0, first + other.head - 1, -1)
        numbers = self.of_words(rows) | {
            "own": log_odds(other.own_log_prob),
            "own low": np.minimum(log_odds(other.own_log_prob), _LOW),
            "other": log_odds(other.log_prob),
            "other sure": np.maximum(log_odds(other.log_prob) - _SURE, 0.0),
            "own length": np.log1p(corpus.arc_length[rows]),
            "other length": np.where(other.head > 0, np.log1p(np.abs(other_row - rows)), 0.0),
            "same head": (other.head == corpus.head[rows]).astype(float),
            "same relation": (rather == own[rows]).astype(float),
            "circle": self._stands_below(rows, other_row).astype(float),
        }
        for name, columns, at in (
            ("lemma", (self.lemma, self.upos), rows),
            ("tags", (self.upos, _of_head(self.upos, corpus.head_row)), None),
            ("head lemma", (_of_head(self.lemma, corpus.head_row),), None),
        ):
            there = [column[rows] for column in columns]
            if at is None:
                there[-1] = _of_head(self.lemma if name == "head lemma" else self.upos, other_row)
            numbers[name] = _log_share(columns, own, [column[rows] for column in columns], own[rows])
            numbers[f"other {name}"] = _log_share(columns, own, there, rather)
        numbers |= self._doubles(rows, own, other_row, rather)
        names = np.array([*self.relations.names, "?"], dtype=object)
        labels = {"own": names[own[rows]], "other": names[rather], "upos": self._tags(rows)}
        return ChangeEvidence(numbers, labels)

    def _tags(self, rows: np.ndarray) -> np.ndarray:
        return np.array(self.corpus.labels["upos"], dtype=object)[self.upos[rows]]

    def _stands_below(self, rows: np.ndarray, other_row: np.ndarray) -> np.ndarray:
        """Whether the other head stands below the word itself, so that the other arc alone would make a circle."""
        above, found = other_row.copy(), np.zeros(len(rows), dtype=bool)
        while (above >= 0).any():
            found |= above == rows
            above = np.where(above >= 0, self.corpus.head_row[above], -1)
        return found

    def _doubles(
        self, rows: np.ndarray, own: np.ndarray, other_row: np.ndarray, rather: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Whether the head, and the other head, have another dependent with a relation that is mostly there once."""
        once = np.isin(np.array([*self.relations.names, "?"]), _ONCE)
        size, head = len(once), self.corpus.head_row.astype(np.int64)
        keys, counts = np.unique((head + 1) * size + own, return_counts=True)

        def times(at: np.ndarray, relation: np.ndarray) -> np.ndarray:
            wanted = (at + 1) * size + relation
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            return np.where((keys[place] == wanted) & once[relation] & (at >= 0), counts[place], 0)

        itself = (other_row == head[rows]) & (rather == own[rows])
        return {
            "double": (times(head[rows], own[rows]) > 1).astype(float),
            "other double": (times(other_row, rather) - itself > 0).astype(float),
        }


def _of_head(values: np.ndarray, head: np.ndarray) -> np.ndarray:
    """The values of heads; the root has −1."""
    return np.where(head >= 0, values[head], -1)


def _times(*columns: np.ndarray) -> np.ndarray:
    """How often the values of each row occur together."""
    _, place, counts = np.unique(np.stack(columns), axis=1, return_inverse=True, return_counts=True)
    return np.asarray(counts[place.ravel()])


def _log_share(
    columns: tuple[np.ndarray, ...], relation: np.ndarray, at: list[np.ndarray], wanted: np.ndarray
) -> np.ndarray:
    """log (n(values, relation) + ½) / (n(values) + 1), of the values `at` and the relation `wanted`, over all words."""
    key, sizes = np.zeros(len(relation), dtype=np.int64), [int(column.max(initial=0)) + 2 for column in columns]
    place = np.zeros(len(wanted), dtype=np.int64)
    for column, value, size in zip(columns, at, sizes, strict=True):
        key, place = key * size + column + 1, place * size + value + 1
    most = int(relation.max(initial=0)) + 2
    return np.log(_count(key * most + relation + 1, place * most + wanted + 1) + 0.5) - np.log(_count(key, place) + 1)


def _count(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """How often each wanted key occurs among the keys."""
    known, counts = np.unique(keys, return_counts=True)
    if not len(known):
        return np.zeros(len(wanted))
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[place] == wanted, counts[place], 0)
