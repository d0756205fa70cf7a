"""Two versions of a treebank compared: sentences, every column of words, pairs of values, patterns, plausibility."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.corpus.columns import NO_NOTES, Columns
from treegauge.corpus.compare.comparison import join_column
from treegauge.corpus.compare.versions import ALONE, RETOKENISED, REWRITTEN, SAME
from treegauge.corpus.conllu import CorpusSource, as_corpus, no_sentences
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.revisions import read_revision
from treegauge.errors import OptionError
from treegauge.ranking.units import Unit
from treegauge.scorers.scorer import Scorer
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.upkeep.changes import DEPS, OTHERS, Versions, compare_versions, deps_of, sentence_counts
from treegauge.upkeep.patterns import CHANGE_PROPERTIES, ChangePattern, change_patterns
from treegauge.version import signature

if TYPE_CHECKING:
    from treegauge.models.model import Model


CHANGES = "file text, line count, sent_id text, id count, form text, what text, old text, new text, before p, after p"
STEPS = 5  # read OLD, read NEW, compare, learn, score; only the first three without a scorer
FEATS = "feats"
_COLUMN = {Unit.TAG.value: "upos"}  # what was changed -> the column that has it
_STATES = {ALONE: "added", RETOKENISED: "retokenised", REWRITTEN: "rewritten", SAME: "changed"}


@dataclass(frozen=True, slots=True)
class Change:
    """An arc, a tag or another value that was changed, with the rows of the word in both versions."""

    what: str  # Unit.ARC, Unit.TAG, or the name of another column
    row: int
    old_row: int
    before: float  # probability; NaN if it is not known
    after: float

    @property
    def is_worse(self) -> bool:
        """Whether the new value is less plausible than the old one."""
        return self.after < self.before


@dataclass(frozen=True)
class TreebankDiff(Tabular):
    """The changes between two versions of a treebank; its table has a row for each changed value."""

    versions: Versions
    plausibility: Plausibility | None = None

    def __repr__(self) -> str:
        arcs, tags = len(self.versions.arcs), len(self.versions.tags)
        return f"TreebankDiff({self.versions.old.path!r}, {self.versions.new.path!r}, {arcs:,} arcs, {tags:,} tags)"

    @property
    def signature(self) -> str:
        """Settings and version behind the numbers."""
        return f"diff|{self.plausibility.signature}" if self.plausibility else signature("diff")

    @property
    def title(self) -> str:
        """The names of both versions."""
        return f"{self.versions.new.path} against {self.versions.old.path}"

    @cached_property
    def changes(self) -> list[Change]:
        """Every changed value: first those that made the treebank worse, the worst first; then in text order."""
        versions = self.versions
        sides = ((Unit.ARC.value, versions.arcs, versions.old_arcs), (Unit.TAG.value, versions.tags, versions.old_tags))
        known = (self.plausibility.arcs, self.plausibility.tags) if self.plausibility else (None, None)
        changes = []
        for (what, rows, old_rows), log_prob in zip(sides, known, strict=True):
            both = np.exp(np.full((len(rows), 2), np.nan) if log_prob is None else log_prob)
            columns = rows.tolist(), old_rows.tolist(), both[:, 0].tolist(), both[:, 1].tolist()
            changes += [Change(what, *values) for values in zip(*columns, strict=True)]
        for name, rows in versions.others.items():
            pairs = zip(rows.tolist(), versions.old_rows(rows).tolist(), strict=True)
            changes += [Change(name, row, old_row, np.nan, np.nan) for row, old_row in pairs]
        return sorted(changes, key=lambda change: (_lost(change), change.row, change.what))

    @cached_property
    def worse(self) -> int:
        """How many changes made the treebank worse."""
        return sum(change.is_worse for change in self.changes)

    @cached_property
    def patterns(self) -> list[ChangePattern]:
        """The patterns of the changed arcs, the largest first."""
        return change_patterns(self.versions)

    def value(self, change: Change, new: bool) -> str:
        """The new or the old value of a change: of an arc, head and relation as `3:nsubj`."""
        side, row = (self.versions.new, change.row) if new else (self.versions.old, change.old_row)
        if change.what == Unit.ARC:
            return f"{side.head[row]}:{side.value('deprel', row)}"
        return deps_of(side, row) if change.what == DEPS else side.value(_COLUMN.get(change.what, change.what), row)

    def table(self) -> Table:
        """Every change: place and form in NEW, the old and the new value, and both probabilities."""
        new = self.versions.new
        rows = []
        for change in self.changes:
            s = int(new.sentence[change.row])
            place = (new.files[new.file[s]], new.line_number(change.row), new.sent_id(s))
            word = int(new.position[change.row]), new.value("form", change.row)
            values = self.value(change, new=False), self.value(change, new=True)
            rows.append((*place, *word, change.what, *values, change.before, change.after))
        title = f"Changes: {self.title}"
        return Table(title, column_kinds(CHANGES), tuple(rows), self.signature, "changes")

    def summary(self) -> Table:
        """How many sentences, arcs, tags and other values were changed."""
        versions = self.versions
        alone = versions.matching.words.unmatched.corpus
        rows: list[tuple[str, int]] = [
            ("sentences of OLD", versions.old.n_sentences),
            ("sentences of NEW", versions.new.n_sentences),
            *((f"sentences {what}", n) for what, n in sentence_counts(versions).items()),
            ("words of OLD that are not in NEW", versions.old.n_words - versions.new.n_words + alone),
            ("words of NEW that are not in OLD", alone),
            ("arcs changed", len(versions.arcs)),
            ("arcs with another head", int(np.count_nonzero(versions.head_moved))),
            ("tags changed (UPOS)", len(versions.tags)),
            *((f"{column.upper()} changed", n) for column, n in versions.counts.items()),
        ]
        if self.plausibility:
            better = sum(change.after > change.before for change in self.changes)
            rows += [("changes that made it worse", self.worse), ("changes that made it better", better)]
        columns = (("what", "text"), ("count", "count"))
        return Table(f"{self.title}: summary", columns, tuple(rows), self.signature, "summary")

    def relation_pairs(self) -> Table:
        """Changed arcs by old and new relation, and whether the head is another word, the most frequent first."""
        versions = self.versions
        old = [versions.old.value("deprel", row) for row in versions.old_arcs.tolist()]
        new = [versions.new.value("deprel", row) for row in versions.arcs.tolist()]
        heads = ["other" if moved else "same" for moved in versions.head_moved.tolist()]
        rows = tuple((*pair, n) for pair, n in Counter(zip(old, new, heads, strict=True)).most_common())
        columns = column_kinds("old text, new text, head text, arcs count")
        return Table("Arcs changed, by relation", columns, rows, self.signature, "relation_pairs")

    def tag_pairs(self) -> Table:
        """Changed tags by old and new tag, the most frequent first."""
        versions = self.versions
        old = [versions.old.value("upos", row) for row in versions.old_tags.tolist()]
        new = [versions.new.value("upos", row) for row in versions.tags.tolist()]
        rows = tuple((*pair, n) for pair, n in Counter(zip(old, new, strict=True)).most_common())
        columns = column_kinds("old text, new text, words count")
        return Table("Tags changed", columns, rows, self.signature, "tag_pairs")

    def value_pairs(self) -> Table:
        """Changes of other columns by old and new value, the most frequent first; of FEATS, what differs in them."""
        pairs: Counter[tuple[str, str, str]] = Counter()
        for change in self.changes:
            if change.what in OTHERS:
                old, new = self.value(change, new=False), self.value(change, new=True)
                pairs[change.what, *(_difference(old, new) if change.what == FEATS else (old, new))] += 1
        rows = tuple((*pair, n) for pair, n in pairs.most_common())
        columns = column_kinds("column text, old text, new text, words count")
        return Table("Other columns changed", columns, rows, self.signature, "value_pairs")

    def pattern_table(self) -> Table:
        """The patterns: how many arcs each has, what they share (empty where they differ), where the first arc is."""
        new = self.versions.new
        rows = []
        for pattern in self.patterns:
            first = int(self.versions.arcs[pattern.arcs[0]])
            where = f"{new.files[new.file[new.sentence[first]]]}:{new.line_number(first)}"
            shared = dict(pattern.shared)
            shared["moved"] = "other" if shared["moved"] == "yes" else "same"
            rows.append((len(pattern.arcs), *(shared.get(name) for name in CHANGE_PROPERTIES), where))
        names = ["head" if name == "moved" else name for name in CHANGE_PROPERTIES]
        columns = (("arcs", "count"), *((name, "text") for name in names), ("first", "text"))
        return Table("Patterns of changed arcs", columns, tuple(rows), self.signature, "patterns")

    def sentences(self) -> Table:
        """The sentences that were added, removed, retokenised, rewritten or changed, with their places."""
        versions, matching = self.versions, self.versions.matching
        rows: list[tuple[Any, ...]] = []
        for s in np.flatnonzero(matching.old_state == ALONE).tolist():
            rows.append(("removed", versions.old.where(s), versions.old.sent_id(s), None, None))
        for t in np.flatnonzero(versions.touched | (matching.new_state != SAME)).tolist():
            state, s = int(matching.new_state[t]), int(matching.sentence[t])
            before = (None, None) if state == ALONE else (versions.old.where(s), versions.old.sent_id(s))
            rows.append((_STATES[state], *before, versions.new.where(t), versions.new.sent_id(t)))
        columns = column_kinds("what text, old_place text, old_sent_id text, place text, sent_id text")
        return Table("Sentences", columns, tuple(rows), self.signature, "sentences")


def _difference(old: str, new: str) -> tuple[str, str]:
    """The features that only one of two FEATS has; `_` where there are none."""
    sides = [{} if feats == "_" else dict.fromkeys(feats.split("|")) for feats in (old, new)]
    only = ["|".join(feature for feature in sides[k] if feature not in sides[1 - k]) or "_" for k in (0, 1)]
    return only[0], only[1]


def _lost(change: Change) -> float:
    """The loss of probability, below 0; 0 if a change made nothing worse: such changes stay in text order."""
    return change.after - change.before if change.is_worse else 0.0


def diff(
    old: CorpusSource,
    new: CorpusSource,
    model: Model | str | os.PathLike[str] | None = None,
    *,
    by_itself: bool = False,
    on_error: str = "stop",
    progress: Callable[[int], None] = lambda steps: None,
) -> TreebankDiff:
    """The changes between two versions of a treebank: files, folders, globs, `REV:path` in git, or corpora.

    With a model (a file, or the code of a bundled one), or with by_itself, which learns from NEW, the scorer choice
    says how plausible each changed arc and tag was, and is. progress is called after each of STEPS. Raises CorpusError
    if there are no sentences.
    """
    if model is not None and by_itself:
        raise OptionError("a model and the corpus itself (--model and --self) exclude each other")
    sides = []
    for source in (old, new):
        sides.append(read_version(source, on_error))
        progress(1)
    versions = compare_versions(*sides)
    progress(1)
    if model is None and not by_itself:
        return TreebankDiff(versions)
    from treegauge.scorers.registry import probability_scorer, scorer

    by_model = None if model is None or by_itself else probability_scorer(model)
    choice = by_model or scorer("choice", by_itself=versions.new)
    progress(1)
    plausible = plausibility(versions, choice, whole=by_itself)
    progress(1)
    return TreebankDiff(versions, plausible)


def read_version(source: CorpusSource, on_error: str = "stop") -> Corpus:
    """A version of a treebank; raises CorpusError if it has no sentences."""
    if not isinstance(source, str | os.PathLike):
        return as_corpus(source, on_error=on_error)
    corpus = read_revision(source, on_error=on_error)
    if not corpus.n_words:
        raise no_sentences([source], corpus.notes.n_sentences)
    return corpus


@dataclass(frozen=True, slots=True)
class Plausibility:
    """log p of each changed arc and tag, before and after; NaN for retokenised words, or if it is not known."""

    arcs: np.ndarray  # two columns
    tags: np.ndarray
    signature: str


def old_over_new(versions: Versions) -> Corpus:
    """The new corpus with the old annotation in every sentence that has the same words."""
    old, new, matching = versions.old, versions.new, versions.matching
    rows = np.flatnonzero((matching.new_state == SAME)[new.sentence])
    of_old = versions.old_rows(rows)
    head, codes, labels = new.head.copy(), {}, {}
    head[rows] = old.head[of_old]
    for column in new.codes:
        joined = join_column(old, new, column)
        codes[column] = joined.second.copy()
        codes[column][rows] = joined.first[of_old]
        labels[column] = joined.labels
    checked = (head, new.start) if old.is_checked and new.is_checked else None
    return replace(new, head=head, codes=Columns(codes), labels=Columns(labels), checked=checked, notes=NO_NOTES)


def plausibility(versions: Versions, scorer: Scorer, *, whole: bool) -> Plausibility:
    """log p of the old and of the new arcs and tags, by one scorer.

    whole: score all sentences, not only those with changes; a scorer that judges a corpus by itself needs them all.
    """
    arcs, tags = np.full((len(versions.arcs), 2), np.nan), np.full((len(versions.tags), 2), np.nan)
    sentences = np.unique(versions.new.sentence[np.concatenate([versions.arcs, versions.tags])])
    if len(sentences):
        for k, side in enumerate((old_over_new(versions), versions.new)):
            part = side if whole else side.select(sentences)
            arcs[:, k] = scorer.scores(part)[_places(side, sentences, versions.arcs, whole)]
            choices = scorer.tag_choices(part) if scorer.tag_choices else None
            if choices is not None:
                tags[:, k] = choices.log_prob[_places(side, sentences, versions.tags, whole)]
        same = versions.matching.new_state == SAME
        arcs[~same[versions.new.sentence[versions.arcs]], 0] = np.nan
        tags[~same[versions.new.sentence[versions.tags]], 0] = np.nan
    return Plausibility(arcs, tags, scorer.signature)


def _places(side: Corpus, sentences: np.ndarray, rows: np.ndarray, whole: bool) -> np.ndarray:
    """Where rows of a corpus are among the words of these sentences; if `whole`, the rows themselves."""
    if whole:
        return rows
    length = np.diff(side.start)[sentences]
    place = np.searchsorted(sentences, side.sentence[rows])
    return (np.cumsum(length) - length)[place] + rows - side.start[side.sentence[rows]]
