"""Suspicious arcs and tags of a treebank, in the order in which to look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.ranking.units import Unit
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.upkeep.patterns import Pattern, doubt_patterns, patterns_table
from treegauge.upkeep.treebank_scorer import TreebankScorer

BELOW = 0.01  # the probability below which an arc or a tag is a finding
PER_SENTENCE = 3  # so many findings of each sentence come first; further ones come after those of all sentences

_COLUMNS = column_kinds(
    "rank count, file text, line count, sent_id text, sentence count, id count, form text, what text, head count, "
    "deprel text, upos text, probability p, other_head count, other_deprel text, other_upos text, other_probability p, "
    "invalid text"
)


@dataclass(frozen=True, eq=False)
class Findings(Tabular):
    """Row k of each array is the k-th finding; `findings[:10]` and `findings[mask]` are findings, too."""

    corpus: Corpus
    scorer: TreebankScorer
    row: np.ndarray  # the word in the corpus
    is_tag: np.ndarray  # whether the finding is about the tag, not about the arc
    probability: np.ndarray  # the probability of the arc, or of the tag
    other_head: np.ndarray  # the head of the likeliest other arc; -1 if there is none
    other_deprel: np.ndarray
    other_upos: np.ndarray  # the likelier tag; empty if there is none
    other_probability: np.ndarray
    patterns: tuple[Pattern, ...] = ()
    invalid: Mapping[tuple[str, int], Sequence[str]] = field(default_factory=dict)  # file and line -> messages

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, wanted: slice | np.ndarray) -> Findings:
        arrays = ("row", "is_tag", "probability", "other_head", "other_deprel", "other_upos", "other_probability")
        return replace(self, **{name: getattr(self, name)[wanted] for name in arrays})

    def __repr__(self) -> str:
        return f"Findings({len(self)} in {self.corpus.path!r}, {len(self.patterns)} patterns, {self.scorer.signature})"

    @cached_property
    def line(self) -> np.ndarray:
        """The number of each finding's line in its file, from 1."""
        return np.array([self.corpus.line_number(row) for row in self.row.tolist()], dtype=np.int64)

    def file(self, k: int) -> str:
        """The file of a finding."""
        return self.corpus.files[self.corpus.file[self.corpus.sentence[self.row[k]]]]

    def invalid_at(self, k: int) -> Sequence[str]:
        """The messages of the validator about the line of a finding."""
        return self.invalid.get((self.file(k), int(self.line[k])), ())

    def records(self) -> list[dict[str, Any]]:
        """Each finding as a dictionary: column of the table -> value."""
        return self.table().records()

    def table(self) -> Table:
        """The findings as a table."""
        corpus, rows = self.corpus, []
        for k, row in enumerate(self.row.tolist()):
            s, other_head = int(corpus.sentence[row]), int(self.other_head[k])
            place = k + 1, self.file(k), int(self.line[k]), corpus.sent_id(s).replace("\t", " ")
            word = int(corpus.number[s]), int(corpus.position[row]), corpus.value("form", row)
            what = (Unit.TAG if self.is_tag[k] else Unit.ARC).value
            own = int(corpus.head[row]), corpus.value("deprel", row), corpus.value("upos", row)
            labels = str(self.other_deprel[k]) or None, str(self.other_upos[k]) or None
            other = other_head if other_head >= 0 else None, *labels, float(self.other_probability[k])
            invalid = "; ".join(self.invalid_at(k)) or None
            rows.append((*place, *word, what, *own, float(self.probability[k]), *other, invalid))
        return Table(f"{corpus.path}: findings", _COLUMNS, tuple(rows), self.scorer.signature, "findings")

    def tables(self) -> list[Table]:
        """The findings, and the patterns."""
        return [self.table(), patterns_table(self.corpus, self.patterns, self.scorer.signature)]


def find(
    corpus: Corpus,
    scorer: TreebankScorer,
    *,
    below: float = BELOW,
    silent: np.ndarray | None = None,
    patterns: int = 50,
) -> Findings:
    """The findings of a treebank, the most suspicious first, and the first patterns.

    A finding is an arc that the scorer finds suspicious, or a tag whose probability is below `below`, where another one
    is likelier. A word has one finding; if it is about the arc, it names the likelier tag, too. The first PER_SENTENCE
    findings of each sentence come before all further ones, so that one odd sentence does not fill the list. silent:
    words that are left out.
    """
    score = scorer.scores(corpus)
    tags = scorer.tag_choices(corpus)
    wanted_words = np.ones(corpus.n_words, dtype=bool) if silent is None else ~silent
    improbable = np.flatnonzero(wanted_words & scorer.suspicious(corpus, below))
    other = scorer.alternatives(corpus, improbable)
    arc = np.zeros(corpus.n_words, dtype=bool)
    arc[improbable[other.log_prob > other.own_log_prob]] = True
    other_tag_likelier = np.zeros(corpus.n_words, dtype=bool)
    tag_score = np.zeros(corpus.n_words)
    if tags is not None:
        other_tag_likelier = wanted_words & (tags.other >= 0) & (tags.log_other > tags.log_prob)
        tag_score = tags.log_prob
    tag = other_tag_likelier & ~arc & (np.exp(tag_score) < below)
    rows = np.flatnonzero(arc | tag)
    rows = rows[np.argsort(np.where(arc[rows], score[rows], tag_score[rows]), kind="stable")]
    rows = rows[np.argsort(_turn(corpus.sentence[rows]) // PER_SENTENCE, kind="stable")]
    return _described(
        corpus, scorer, rows, tag, other_tag_likelier, doubt_patterns(corpus, scorer, patterns, wanted_words)
    )


def _turn(sentence: np.ndarray) -> np.ndarray:
    """For each item, how many items of the same sentence come before it."""
    order = np.argsort(sentence, kind="stable")
    first = np.r_[True, np.diff(sentence[order]) != 0] if len(order) else np.zeros(0, dtype=bool)
    begin = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order)) - begin
    return turn


def _described(
    corpus: Corpus,
    scorer: TreebankScorer,
    rows: np.ndarray,
    tag: np.ndarray,
    other_tag_likelier: np.ndarray,
    patterns: Sequence[Pattern],
) -> Findings:
    other, tags, is_tag = scorer.alternatives(corpus, rows), scorer.tag_choices(corpus), tag[rows]
    log_prob, log_other = scorer.log_prob(corpus)[rows], other.log_prob.copy()
    head, deprel = np.where(is_tag, -1, other.head), np.where(is_tag, "", other.relation)
    upos = np.full(len(rows), "", dtype=object)
    if tags is not None:
        names = np.array(tags.tags, dtype=object)
        upos = np.where(other_tag_likelier[rows], names[np.maximum(tags.other[rows], 0)], "")
        log_prob = np.where(is_tag, tags.log_prob[rows], log_prob)
        log_other = np.where(is_tag, tags.log_other[rows], log_other)
    return Findings(
        corpus, scorer, rows, is_tag, np.exp(log_prob), head, deprel, upos, np.exp(log_other), tuple(patterns)
    )
