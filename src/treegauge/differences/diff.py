"""Two versions of a treebank compared: sentences, arcs and tags, relation pairs, patterns, plausibility."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge import __version__
from treegauge.corpus.conllu import Corpus, CorpusSource, as_corpus, no_sentences
from treegauge.corpus.revisions import read_revision
from treegauge.differences.changes import ARC, TAG, Versions, compare_versions, sentence_counts
from treegauge.differences.matching import ALONE, RETOKENISED, REWRITTEN, SAME
from treegauge.differences.patterns import PROPERTIES, ChangePattern, find_patterns
from treegauge.differences.plausibility import Plausibility, plausibility
from treegauge.errors import OptionError
from treegauge.tables import Table, Tabular, column_kinds

if TYPE_CHECKING:
    from treegauge.models.model import Model

CHANGES = "file text, line count, sent_id text, id count, form text, what text, old text, new text, before p, after p"
STEPS = 5  # read both, compare, learn, judge; three without a judge
_STATES = {RETOKENISED: "retokenised", REWRITTEN: "rewritten", SAME: "changed"}


@dataclass(frozen=True, slots=True)
class Change:
    """One arc or tag that was changed; rows are those of the word in either version."""

    what: str  # ARC or TAG
    row: int
    old_row: int
    before: float  # probability; NaN if it is not known
    after: float

    @property
    def is_worse(self) -> bool:
        """Whether what stands there now is less plausible than what stood there."""
        return self.after < self.before


@dataclass(frozen=True)
class TreebankDiff(Tabular):
    """What was changed between two versions of a treebank; its table has a row for each changed arc or tag."""

    versions: Versions
    plausibility: Plausibility | None = None

    def __repr__(self) -> str:
        arcs, tags = len(self.versions.arcs), len(self.versions.tags)
        return f"TreebankDiff({self.versions.old.path!r}, {self.versions.new.path!r}, {arcs:,} arcs, {tags:,} tags)"

    @property
    def signature(self) -> str:
        """Settings and version behind the numbers."""
        return f"diff|{self.plausibility.signature}" if self.plausibility else f"diff|v{__version__}"

    @property
    def title(self) -> str:
        """Which versions."""
        return f"{self.versions.new.path} against {self.versions.old.path}"

    @cached_property
    def changes(self) -> list[Change]:
        """Every changed arc and tag: those that made it worse first, the worst first of all; else as in the corpus."""
        found = self.versions
        sides = ((ARC, found.arcs, found.old_arcs), (TAG, found.tags, found.old_tags))
        known = (self.plausibility.arcs, self.plausibility.tags) if self.plausibility else (None, None)
        changes = []
        for (what, rows, old_rows), log_prob in zip(sides, known, strict=True):
            both = np.exp(np.full((len(rows), 2), np.nan) if log_prob is None else log_prob)
            columns = rows.tolist(), old_rows.tolist(), both[:, 0].tolist(), both[:, 1].tolist()
            changes += [Change(what, *values) for values in zip(*columns, strict=True)]
        return sorted(changes, key=lambda change: (_lost(change), change.row, change.what))

    @cached_property
    def worse(self) -> int:
        """How many changes made it worse."""
        return sum(change.is_worse for change in self.changes)

    @cached_property
    def patterns(self) -> list[ChangePattern]:
        """What changed arcs share, the largest pattern first."""
        return find_patterns(self.versions)

    def value(self, change: Change, new: bool) -> str:
        """What stands there, or stood: a tag, or head and relation, as `3:nsubj`."""
        side, row = (self.versions.new, change.row) if new else (self.versions.old, change.old_row)
        return side.value("upos", row) if change.what == TAG else f"{side.head[row]}:{side.value('deprel', row)}"

    def table(self) -> Table:
        """Every change: place and form in NEW, what stood there and what does, and both probabilities."""
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
        """How many sentences, arcs and tags were changed."""
        found = self.versions
        alone = int(np.count_nonzero(found.matching.word < 0))
        rows: list[tuple[str, int]] = [
            ("sentences of OLD", found.old.n_sentences),
            ("sentences of NEW", found.new.n_sentences),
            *((f"sentences {what}", n) for what, n in sentence_counts(found).items()),
            ("words of OLD that NEW has not", found.old.n_words - found.new.n_words + alone),
            ("words of NEW that OLD has not", alone),
            ("arcs changed", len(found.arcs)),
            ("arcs with another head", int(np.count_nonzero(found.head_moved))),
            ("tags changed (UPOS)", len(found.tags)),
            *((f"{column.upper()} changed", n) for column, n in found.counts.items()),
        ]
        if self.plausibility:
            better = sum(change.after > change.before for change in self.changes)
            rows += [("changes that made it worse", self.worse), ("changes that made it better", better)]
        columns = (("what", "text"), ("count", "count"))
        return Table(f"{self.title}: summary", columns, tuple(rows), self.signature, "summary")

    def relation_pairs(self) -> Table:
        """Changed arcs by old and new relation, and whether the head is another word, the most frequent first."""
        found = self.versions
        old, new = (
            [side.value("deprel", row) for row in rows.tolist()]
            for side, rows in ((found.old, found.old_arcs), (found.new, found.arcs))
        )
        heads = ["other" if moved else "same" for moved in found.head_moved.tolist()]
        counts = Counter(zip(old, new, heads, strict=True)).most_common()
        columns = column_kinds("old text, new text, head text, arcs count")
        rows = tuple((*pair, n) for pair, n in counts)
        return Table("Arcs changed, by relation", columns, rows, self.signature, "relation_pairs")

    def tag_pairs(self) -> Table:
        """Changed tags by old and new tag, the most frequent first."""
        found = self.versions
        old = [found.old.value("upos", row) for row in found.old_tags.tolist()]
        new = [found.new.value("upos", row) for row in found.tags.tolist()]
        rows = tuple((*pair, n) for pair, n in Counter(zip(old, new, strict=True)).most_common())
        columns = column_kinds("old text, new text, words count")
        return Table("Tags changed", columns, rows, self.signature, "tag_pairs")

    def pattern_table(self) -> Table:
        """The patterns: how many arcs, what they share (empty where they differ), and where the first one is."""
        new = self.versions.new
        rows = []
        for pattern in self.patterns:
            first = int(self.versions.arcs[pattern.arcs[0]])
            where = f"{new.files[new.file[new.sentence[first]]]}:{new.line_number(first)}"
            shared = dict(pattern.shared)
            shared["moved"] = "other" if shared["moved"] == "yes" else "same"
            rows.append((len(pattern.arcs), *(shared.get(name) for name in PROPERTIES), where))
        names = ["head" if name == "moved" else name for name in PROPERTIES]
        columns = (("arcs", "count"), *((name, "text") for name in names), ("first", "text"))
        return Table("Patterns of changed arcs", columns, tuple(rows), self.signature, "patterns")

    def sentences(self) -> Table:
        """Sentences that were added, removed, cut or written otherwise, or changed, with their places."""
        found, matching = self.versions, self.versions.matching
        rows: list[tuple[Any, ...]] = []
        for s in np.flatnonzero(matching.old_state == ALONE).tolist():
            rows.append(("removed", found.old.where(s), found.old.sent_id(s), None, None))
        for t in np.flatnonzero(found.touched | (matching.new_state != SAME)).tolist():
            here = found.new.where(t), found.new.sent_id(t)
            if matching.new_state[t] == ALONE:
                rows.append(("added", None, None, *here))
            else:
                s = int(matching.sentence[t])
                rows.append((_STATES[int(matching.new_state[t])], found.old.where(s), found.old.sent_id(s), *here))
        columns = column_kinds("what text, old_place text, old_sent_id text, place text, sent_id text")
        return Table("Sentences", columns, tuple(rows), self.signature, "sentences")


def _lost(change: Change) -> float:
    """By how much a change made it worse, below 0; 0 if it did not: such changes stay in the order of the corpus."""
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
    """What was changed between two versions of a treebank: files, folders, globs, `REV:path` in git, or corpora.

    model (a file, or the code of a bundled one), or by_itself, which learns from NEW: also how plausible each changed
    arc and tag was, and is, by the scorer choice. progress is told each of STEPS. Raises CorpusError where there are no
    sentences.
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
    from treegauge.scorers.registry import scorer

    made = scorer("choice", by_itself=versions.new) if by_itself else scorer("choice", model)
    progress(1)
    found = plausibility(versions, made, whole=by_itself)
    progress(1)
    return TreebankDiff(versions, found)


def read_version(source: CorpusSource, on_error: str = "stop") -> Corpus:
    """A version of a treebank, not empty."""
    if not isinstance(source, str | os.PathLike):
        return as_corpus(source, on_error=on_error)
    corpus = read_revision(source, on_error=on_error)
    if not corpus.n_words:
        raise no_sentences([source], len(corpus.defects))
    return corpus
