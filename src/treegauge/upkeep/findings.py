"""Suspicious words of a treebank, in the order in which to look at them: arcs, tags, other columns, contradictions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.scorers.other_columns import ColumnScorer
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.upkeep.codes import ARCS, CODE_OF, HEAD, KINDS, RELATION, TAG
from treegauge.upkeep.contradictions import Contradiction
from treegauge.upkeep.patterns import Pattern, doubt_patterns, patterns_table
from treegauge.upkeep.treebank_scorer import TreebankScorer

BELOW = 0.01  # the probability below which an arc, a tag or another value is a finding
PER_SENTENCE = 3  # so many findings of each sentence come first; further ones come after those of all sentences
# The score of a contradiction among those of other findings, where 0 is certain and -12 next to impossible.
CONTRADICTION = -6.0

_COLUMNS = column_kinds(
    "rank count, code text, file text, line count, sent_id text, sentence count, id count, form text, what text, "
    "head count, deprel text, upos text, value text, probability p, other_head count, other_deprel text, "
    "other_upos text, other_value text, other_probability p, message text, invalid text"
)


@dataclass(frozen=True, eq=False)
class Findings(Tabular):
    """Row k of each array is the k-th finding; `findings[:10]` and `findings[mask]` are findings, too."""

    corpus: Corpus
    scorer: TreebankScorer
    row: np.ndarray  # the word in the corpus
    code: np.ndarray  # the kind of the finding: see upkeep/codes.py
    score: np.ndarray  # smaller ones come first
    probability: np.ndarray  # the probability of what is in doubt; NaN for a contradiction
    other_head: np.ndarray  # the head of the likeliest other arc; -1 if there is none
    other_deprel: np.ndarray
    other_upos: np.ndarray  # the likelier tag; empty if there is none
    value: np.ndarray  # of other columns: what is in doubt, such as the lemma, or one feature
    other_value: np.ndarray  # of other columns: what is likelier; empty if there is none
    other_probability: np.ndarray
    message: np.ndarray  # of contradictions
    patterns: tuple[Pattern, ...] = ()
    invalid: Mapping[tuple[str, int], Sequence[str]] = field(default_factory=dict)  # file and line -> messages
    columns: tuple[ColumnScorer, ...] = ()

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, wanted: slice | np.ndarray) -> Findings:
        arrays = [each.name for each in fields(self) if isinstance(getattr(self, each.name), np.ndarray)]
        return replace(self, **{name: getattr(self, name)[wanted] for name in arrays})

    def __repr__(self) -> str:
        return f"Findings({len(self)} in {self.corpus.path!r}, {len(self.patterns)} patterns, {self.signature})"

    @property
    def signature(self) -> str:
        """The settings behind the findings."""
        return " + ".join([self.scorer.signature, *(column.signature for column in self.columns)])

    @property
    def is_arc(self) -> np.ndarray:
        """Whether each finding is about the arc."""
        return np.isin(self.code.astype(str), ARCS)

    def what(self, k: int) -> str:
        """What a finding is about: arc, tag, lemma …"""
        return KINDS[self.code[k]].what

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

    def counts(self) -> dict[str, int]:
        """How many findings there are of each column."""
        found: dict[str, int] = {}
        for k in range(len(self)):
            found[self.what(k)] = found.get(self.what(k), 0) + 1
        return found

    def records(self) -> list[dict[str, Any]]:
        """Each finding as a dictionary: column of the table -> value."""
        return self.table().records()

    def table(self) -> Table:
        """The findings as a table."""
        corpus, rows = self.corpus, []
        for k, row in enumerate(self.row.tolist()):
            s, other_head = int(corpus.sentence[row]), int(self.other_head[k])
            place = k + 1, self.code[k], self.file(k), int(self.line[k]), corpus.sent_id(s).replace("\t", " ")
            word = int(corpus.number[s]), int(corpus.position[row]), corpus.value("form", row), self.what(k)
            own = int(corpus.head[row]), corpus.value("deprel", row), corpus.value("upos", row), self.value[k] or None
            labels = self.other_deprel[k] or None, self.other_upos[k] or None, self.other_value[k] or None
            other = other_head if other_head >= 0 else None, *labels, _known(self.other_probability[k])
            said = self.message[k] or None, "; ".join(self.invalid_at(k)) or None
            rows.append((*place, *word, *own, _known(self.probability[k]), *other, *said))
        return Table(f"{corpus.path}: findings", _COLUMNS, tuple(rows), self.signature, "findings")

    def tables(self) -> list[Table]:
        """The findings, and the patterns."""
        return [self.table(), patterns_table(self.corpus, self.patterns, self.signature)]


def _known(probability: float) -> float | None:
    return None if np.isnan(probability) else float(probability)


@dataclass(frozen=True, slots=True)
class _Finding:
    """A finding before it has its place."""

    row: int
    code: str
    score: float
    probability: float = np.nan
    other_head: int = -1
    other_deprel: str = ""
    other_upos: str = ""
    value: str = ""
    other_value: str = ""
    other_probability: float = np.nan
    message: str = ""


def find(
    corpus: Corpus,
    scorer: TreebankScorer,
    *,
    below: float = BELOW,
    silent: Callable[[str], np.ndarray] | None = None,
    patterns: int = 50,
    columns: Sequence[ColumnScorer] = (),
    wanted: Collection[str] = frozenset(KINDS),
    contradictions: Iterable[Contradiction] = (),
) -> Findings:
    """The findings of a treebank, the most suspicious first, and the first patterns.

    A finding is an arc that the scorer finds suspicious, a tag or a value of another column whose probability is below
    `below`, where another one is likelier; or a contradiction. A word has one finding of its arc and tag; if it is
    about the arc, it names the likelier tag, too. The first PER_SENTENCE findings of each sentence come before all
    further ones, so that one odd sentence does not fill the list. silent: the words that are left out, by the code of
    the finding. wanted: the codes that are looked for.
    """
    heard = _Heard(corpus.n_words, silent)
    found = [*_arcs_and_tags(corpus, scorer, below, heard, wanted)]
    for column in columns:
        found += _of_column(corpus, column, below, heard)
    found += [
        _Finding(one.row, one.code, CONTRADICTION * one.weight, message=one.message)
        for one in contradictions
        if heard(one.code)[one.row]
    ]
    found.sort(key=lambda one: (one.score, one.row, one.code))
    turn = _turn(corpus.sentence[np.array([one.row for one in found], dtype=np.int64)]) // PER_SENTENCE
    found = [found[k] for k in np.argsort(turn, kind="stable").tolist()]
    arrays: dict[str, Any] = {}
    for each in fields(_Finding):
        kind = {"int": np.int64, "float": np.float64}.get(str(each.type), object)
        arrays[each.name] = np.array([getattr(one, each.name) for one in found], dtype=kind)
    about_arcs = not set(ARCS).isdisjoint(wanted)
    of_patterns = doubt_patterns(corpus, scorer, patterns, heard(HEAD)) if about_arcs else []
    return Findings(corpus, scorer, **arrays, patterns=tuple(of_patterns), columns=tuple(columns))


class _Heard:
    """Which words are listened to, for each kind of finding."""

    def __init__(self, n: int, silent: Callable[[str], np.ndarray] | None) -> None:
        self.n, self.silent = n, silent
        self.known: dict[str, np.ndarray] = {}

    def __call__(self, code: str) -> np.ndarray:
        if code not in self.known:
            self.known[code] = np.ones(self.n, dtype=bool) if self.silent is None else ~self.silent(code)
        return self.known[code]


def _arcs_and_tags(
    corpus: Corpus, scorer: TreebankScorer, below: float, heard: _Heard, wanted: Collection[str]
) -> Iterable[_Finding]:
    log_prob, score, tags = scorer.log_prob(corpus), scorer.scores(corpus), scorer.tag_choices(corpus)
    improbable = np.flatnonzero((heard(HEAD) | heard(RELATION)) & scorer.suspicious(corpus, below))
    other = scorer.alternatives(corpus, improbable)
    arcs = improbable[other.log_prob > other.own_log_prob]
    other = other.some(other.log_prob > other.own_log_prob)
    is_tag = np.zeros(corpus.n_words, dtype=bool)
    if tags is not None:
        is_tag = heard(TAG) & (tags.other >= 0) & (tags.log_other > tags.log_prob)
    about_arc = np.zeros(corpus.n_words, dtype=bool)
    for k, row in enumerate(arcs.tolist()):
        code = RELATION if other.head[k] == corpus.head[row] else HEAD
        if code not in wanted or not heard(code)[row]:
            continue
        about_arc[row] = True
        upos = tags.tags[tags.other[row]] if tags is not None and is_tag[row] else ""
        p, other_p = float(np.exp(log_prob[row])), float(np.exp(other.log_prob[k]))
        arc = int(other.head[k]), str(other.relation[k]), upos
        yield _Finding(row, code, float(score[row]), p, *arc, other_probability=other_p)
    if tags is None or TAG not in wanted:
        return
    for row in np.flatnonzero(is_tag & ~about_arc & (np.exp(tags.log_prob) < below)).tolist():
        p, other_p = float(np.exp(tags.log_prob[row])), float(np.exp(tags.log_other[row]))
        upos = tags.tags[tags.other[row]]
        yield _Finding(row, TAG, float(tags.log_prob[row]), p, other_upos=upos, other_probability=other_p)


def _of_column(corpus: Corpus, column: ColumnScorer, below: float, heard: _Heard) -> Iterable[_Finding]:
    choices, code = column.column_choices(corpus), CODE_OF[column.column]
    score = column.scores(corpus)
    doubtful = heard(code) & choices.likelier & (np.exp(choices.log_worst) < below)
    for row in np.flatnonzero(doubtful).tolist():
        p, other_p = float(np.exp(choices.log_worst[row])), float(np.exp(choices.log_other[row]))
        given, rather = choices.given(corpus, row), choices.rather(corpus, row)
        yield _Finding(row, code, float(score[row]), p, value=given, other_value=rather, other_probability=other_p)


def _turn(sentence: np.ndarray) -> np.ndarray:
    """For each item, how many items of the same sentence come before it."""
    order = np.argsort(sentence, kind="stable")
    first = np.r_[True, np.diff(sentence[order]) != 0] if len(order) else np.zeros(0, dtype=bool)
    begin = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order)) - begin
    return turn
