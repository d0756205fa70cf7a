"""Suspicious words of a treebank, in the order in which to look at them: arcs, tags, other columns, contradictions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.scorers.other_columns import ColumnScorer
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.upkeep.change_evidence import TreebankEvidence
from treegauge.upkeep.change_odds import arc_odds, contradiction_odds, crowded, odds_by_score
from treegauge.upkeep.codes import ARCS, CODE_OF, HEAD, KINDS, RELATION, TAG
from treegauge.upkeep.contradictions import Contradiction
from treegauge.upkeep.finding_filter import FindingFilter
from treegauge.upkeep.patterns import Pattern, doubt_patterns, patterns_table
from treegauge.upkeep.teaching import NO_VERDICT, taught
from treegauge.upkeep.treebank_scorer import TreebankScorer

BELOW = 0.01  # the probability below which an arc, a tag or another value is a finding
PER_SENTENCE = 3  # so many findings of each sentence come first; further ones come after those of all sentences
PATTERNS = 50  # how many patterns are looked for

_COLUMNS = column_kinds(
    "rank count, code text, file text, line count, sent_id text, sentence count, id count, form text, what text, "
    "head count, deprel text, upos text, value text, probability p, other_head count, other_deprel text, "
    "other_upos text, other_value text, other_probability p, change_probability p, message text"
)


@dataclass(frozen=True, eq=False)
class Findings(Tabular):
    """Row k of each array is the k-th finding; `findings[:10]` and `findings[mask]` are findings, too."""

    corpus: Corpus
    scorer: TreebankScorer
    row: np.ndarray  # the word in the corpus
    code: np.ndarray  # the kind of the finding: see upkeep/codes.py
    score: np.ndarray  # the log odds that a maintainer would change it; larger ones come first
    probability: np.ndarray  # the probability of what is in doubt; NaN for a contradiction
    other_head: np.ndarray  # the head of the likeliest other arc; -1 if there is none
    other_deprel: np.ndarray
    other_upos: np.ndarray  # the likelier tag; empty if there is none
    value: np.ndarray  # of other columns: what is in doubt, such as the lemma, or one feature
    other_value: np.ndarray  # of other columns: what is likelier; empty if there is none
    other_probability: np.ndarray
    message: np.ndarray  # of contradictions
    shared: np.ndarray  # of each finding, the names of what it shares with others: see upkeep/teaching.py
    patterns: tuple[Pattern, ...] = ()
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
            said = 1 / (1 + float(np.exp(-self.score[k]))), self.message[k] or None
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
    shared: tuple[str, ...] = ()


Silence = Callable[[str], tuple[np.ndarray, np.ndarray]]


def find(
    corpus: Corpus,
    scorer: TreebankScorer,
    *,
    below: float = BELOW,
    silence: Silence | None = None,
    columns: Sequence[ColumnScorer] = (),
    wanted: FindingFilter | None = None,
    contradictions: Iterable[Contradiction] = (),
) -> Findings:
    """The findings of a treebank, the likeliest to be changed first, and the first patterns.

    A finding is an arc that the scorer finds suspicious, a tag or a value of another column whose probability is below
    `below`, where another one is likelier; or a contradiction. A word has one finding of its arc and tag; if it is
    about the arc, it names the likelier tag, too. The first PER_SENTENCE findings of each sentence come before all
    further ones, so that one odd sentence does not fill the list. silence: for a code, which words are left out, and
    the verdicts on the words, which move the findings that are like them. wanted: what is looked for.
    """
    wanted = wanted or FindingFilter()
    evidence = TreebankEvidence(corpus, scorer.log_prob(corpus), scorer.tag_choices(corpus))
    found = [*_arcs(corpus, scorer, below, evidence, wanted.codes)]
    if TAG in wanted.codes:
        about_arc = np.array([one.row for one in found], dtype=np.int64)
        found += _tags(corpus, evidence, below, about_arc)
    for column in columns:
        found += _of_column(corpus, column, below)
    found += [_contradiction(corpus, one) for one in contradictions]
    table = _Table(found, silence)
    odds = taught(table.array("score"), [one.shared for one in found], table.verdict)
    rather = np.array([one.other_deprel for one in found], dtype=object)
    kept = np.flatnonzero(~table.silent & wanted.has(corpus, table.array("row"), rather))
    order = kept[np.lexsort((table.array("code")[kept].astype(str), table.array("row")[kept], -odds[kept]))]
    order = order[np.argsort(_turn(corpus.sentence[table.array("row")[order]]) // PER_SENTENCE, kind="stable")]
    arrays = {each.name: table.array(each.name)[order] for each in fields(_Finding)} | {"score": odds[order]}
    about_arcs = not set(ARCS).isdisjoint(wanted.codes)
    heard = np.ones(corpus.n_words, dtype=bool) if silence is None else ~silence(HEAD)[0]
    heard &= wanted.has(corpus, np.arange(corpus.n_words), np.full(corpus.n_words, ""))
    of_patterns = doubt_patterns(corpus, scorer, PATTERNS, heard) if about_arcs else []
    return Findings(corpus, scorer, **arrays, patterns=tuple(of_patterns), columns=tuple(columns))


class _Table:
    """Findings as arrays, with which of them are left out, and the verdicts on them."""

    def __init__(self, found: Sequence[_Finding], silence: Silence | None) -> None:
        self.found = found
        known = {} if silence is None else {code: silence(code) for code in {one.code for one in found}}
        about = [known[one.code] for one in found] if known else []
        self.silent = np.array([silent[one.row] for one, (silent, _) in zip(found, about, strict=False)], dtype=bool)
        verdicts = [verdict[one.row] for one, (_, verdict) in zip(found, about, strict=False)]
        self.verdict = np.array(verdicts, dtype=np.int64)
        if silence is None:
            self.silent = np.zeros(len(found), dtype=bool)
            self.verdict = np.full(len(found), NO_VERDICT)

    def array(self, name: str) -> np.ndarray:
        """One value of all findings."""
        kind = {"int": np.int64, "float": np.float64}.get(str(next(e.type for e in fields(_Finding) if e.name == name)))
        values = np.empty(len(self.found), dtype=kind or object)
        values[:] = [getattr(one, name) for one in self.found]
        return values


def _arcs(
    corpus: Corpus, scorer: TreebankScorer, below: float, evidence: TreebankEvidence, codes: Collection[str]
) -> Iterable[_Finding]:
    improbable = np.flatnonzero(scorer.suspicious(corpus, below))
    other = scorer.alternatives(corpus, improbable)
    likelier = other.log_prob > other.own_log_prob
    rows, other = improbable[likelier], other.some(likelier)
    if set(ARCS).isdisjoint(codes) or not len(rows):
        return
    odds = scorer.by_others(corpus, rows, arc_odds(evidence.of_arcs(rows, other)))
    log_prob, tagged = scorer.log_prob(corpus), evidence.tag_in_doubt(rows)
    for k, row in enumerate(rows.tolist()):
        code = RELATION if other.head[k] == corpus.head[row] else HEAD
        if code in codes:
            upos = evidence.likelier_tag(row) if tagged[k] else ""
            p, other_p = float(np.exp(log_prob[row])), float(np.exp(other.log_prob[k]))
            relation = str(other.relation[k])
            shared = _shared(corpus, row, code, f"{corpus.value('deprel', row)} {relation}")
            arc = int(other.head[k]), relation, upos
            yield _Finding(row, code, float(odds[k]), p, *arc, other_probability=other_p, shared=shared)


def _tags(corpus: Corpus, evidence: TreebankEvidence, below: float, about_arc: np.ndarray) -> Iterable[_Finding]:
    """The tags in doubt, of words whose arcs are not."""
    tags = evidence.tags
    if tags is None:
        return
    doubtful = evidence.tag_in_doubt(np.arange(corpus.n_words)) & (np.exp(tags.log_prob) < below)
    doubtful[about_arc] = False
    for row in np.flatnonzero(doubtful).tolist():
        p, other_p = float(np.exp(tags.log_prob[row])), float(np.exp(tags.log_other[row]))
        odds, upos = odds_by_score(TAG, float(tags.log_prob[row])), evidence.likelier_tag(row)
        shared = _shared(corpus, row, TAG, f"{corpus.value('upos', row)} {upos}")
        yield _Finding(row, TAG, odds, p, other_upos=upos, other_probability=other_p, shared=shared)


def _of_column(corpus: Corpus, column: ColumnScorer, below: float) -> Iterable[_Finding]:
    choices, code = column.column_choices(corpus), CODE_OF[column.column]
    score = column.scores(corpus)
    doubtful = choices.likelier & (np.exp(choices.log_worst) < below)
    too_many = crowded(int(doubtful.sum()), corpus.n_words)
    for row in np.flatnonzero(doubtful).tolist():
        p, other_p = float(np.exp(choices.log_worst[row])), float(np.exp(choices.log_other[row]))
        given, rather = choices.given(corpus, row), choices.rather(corpus, row)
        shared, odds = (
            _shared(corpus, row, code, f"{given} {rather}"),
            odds_by_score(code, float(score[row])) - too_many,
        )
        values = _Finding(row, code, odds, p, value=given, other_value=rather, shared=shared)
        yield replace(values, other_probability=other_p, shared=_shared(corpus, row, code, f"{given} {rather}"))


def _contradiction(corpus: Corpus, one: Contradiction) -> _Finding:
    odds, shared = contradiction_odds(one.code), _shared(corpus, one.row, one.code, corpus.value("deprel", one.row))
    return _Finding(one.row, one.code, odds, message=one.message, shared=shared)


def _shared(corpus: Corpus, row: int, code: str, change: str) -> tuple[str, ...]:
    """What a finding shares with others: its code, what would change, its lemma, tags and relation, its head."""
    head = int(corpus.head_row[row])
    lemma, upos, relation = (corpus.value(name, row) for name in ("lemma", "upos", "deprel"))
    above = ("ROOT", "ROOT") if head < 0 else (corpus.value("lemma", head), corpus.value("upos", head))
    return (
        f"c {code}",
        f"p {code} {change}",
        f"l {code} {lemma} {upos}",
        f"t {code} {upos} {relation} {above[1]}",
        f"h {code} {above[0]} {relation}",
    )


def _turn(sentence: np.ndarray) -> np.ndarray:
    """For each item, how many items of the same sentence come before it."""
    order = np.argsort(sentence, kind="stable")
    first = np.r_[True, np.diff(sentence[order]) != 0] if len(order) else np.zeros(0, dtype=bool)
    begin = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order)) - begin
    return turn
