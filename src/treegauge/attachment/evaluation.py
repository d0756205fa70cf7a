"""A system against gold: aligned, compared, counted; what every table and test of attachment starts from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from treegauge import __version__
from treegauge.alignment.align import Alignment, align
from treegauge.alignment.both_sides import on_both_sides
from treegauge.attachment.relations import GROUPS, member_mask
from treegauge.attachment.scores import ARC, METRICS, Score, Words, compare_words, count, scores, without_one_sided
from treegauge.attachment.scores_kernel import ALIGNED, HEAD
from treegauge.corpus.conllu import Corpus, CorpusSource, as_corpus
from treegauge.corpus.file_names import file_names
from treegauge.corpus.tokens import without_malformed_layers, without_text
from treegauge.errors import OptionError
from treegauge.tables import Table, Tabular


@dataclass(frozen=True)
class Evaluation(Tabular):
    """Gold and system, which words are the same, what is right about them, and counts per gold sentence."""

    gold: Corpus
    system: Corpus
    alignment: Alignment
    words: Words
    counts: np.ndarray  # a row per gold sentence, the columns of scores.COLUMNS
    subtypes: bool
    groups: dict[str, tuple[str, ...]]
    exclusions: tuple[tuple[str, ...], ...] = ()  # further scores: UAS and LAS without these relations or groups

    def __repr__(self) -> str:
        return f"Evaluation({self.system.path!r}, LAS {100 * self['LAS'].f1:.2f}, {self.signature})"

    def __getitem__(self, metric: str) -> Score:
        if metric not in self.scores:
            raise OptionError(f"metric {metric!r}; expected one of {', '.join(self.scores)}")
        return self.scores[metric]

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Every metric by name, ELAS and EULAS where both have enhanced arcs, those of the exclusions."""
        found = scores(self.counts)
        for chosen in self.selections:
            found |= {f"UAS {chosen.name}": chosen.uas, f"LAS {chosen.name}": chosen.las}
        return found

    @cached_property
    def selections(self) -> tuple[Selection, ...]:
        """The arcs that each exclusion leaves."""
        return tuple(select(self, names, without=True) for names in self.exclusions)

    @property
    def signature(self) -> str:
        """Settings and version behind the numbers."""
        parts = ["eval", f"subtypes:{'yes' if self.subtypes else 'no'}"]
        if self.groups is not GROUPS:
            parts.append(f"groups:{'+'.join(self.groups)}")
        return "|".join([*parts, f"v{__version__}"])

    @cached_property
    def partner(self) -> np.ndarray:
        """Of each gold word: its row in the system, -1 for none."""
        rows = np.flatnonzero(self.alignment.to_gold >= 0)
        partner = np.full(self.gold.n_words, -1, np.int32)
        partner[self.alignment.to_gold[rows]] = rows
        return partner

    def table(self) -> Table:
        """The metrics, one to a row, and the counts behind them."""
        rows = tuple(
            (
                *(name, score.precision, score.recall, score.f1, score.aligned_accuracy),
                *(score.correct, score.gold, score.system, score.aligned),
            )
            for name, score in self.scores.items()
        )
        columns = (
            ("metric", "text"),
            *((name, "percent") for name in ("precision", "recall", "f1", "aligned_accuracy")),
            *((name, "count") for name in COUNTS),
        )
        title = f"{self.system.path} against {self.gold.path}"
        return Table(title, columns, rows, self.signature, "scores", frozenset(COUNTS))


COUNTS = ("n_correct", "n_gold", "n_system", "n_aligned")


@dataclass(frozen=True, repr=False)
class Evaluations(Tabular, Sequence[Evaluation]):
    """Several systems against the same gold."""

    each: tuple[Evaluation, ...]

    @overload
    def __getitem__(self, k: int) -> Evaluation: ...
    @overload
    def __getitem__(self, k: slice) -> Evaluations: ...
    def __getitem__(self, k: int | slice) -> Evaluation | Evaluations:
        return Evaluations(self.each[k]) if isinstance(k, slice) else self.each[k]

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[Evaluation]:
        return iter(self.each)

    def table(self) -> Table:
        """F1 of the systems side by side; a system without enhanced arcs has no ELAS."""
        metrics = list(dict.fromkeys(metric for evaluation in self for metric in evaluation.scores))
        ordered = [m for m in METRICS if m in metrics] + [m for m in metrics if m not in METRICS]
        rows = []
        for metric in ordered:
            found = [evaluation.scores.get(metric) for evaluation in self]
            rows.append((metric, *(None if score is None else score.f1 for score in found)))
        columns = (("metric", "text"), *((name, "percent") for name in system_names(self)))
        return Table(f"F1 against {self[0].gold.path}", columns, tuple(rows), self[0].signature, "scores")

    def long_table(self) -> Table:
        """Every score, a row for each system and metric."""
        single = self[0].table()
        rows = tuple(
            (name, *row)
            for name, evaluation in zip(system_names(self), self, strict=True)
            for row in evaluation.table().rows
        )
        title, columns = f"Scores against {self[0].gold.path}", (("system", "text"), *single.columns)
        return Table(title, columns, rows, single.signature, single.name, single.details)


def read_side(
    source: CorpusSource,
    *,
    enhanced: bool = True,
    on_error: str = "stop",
    progress: Callable[[int], None] | None = None,
) -> Corpus:
    """A corpus as evaluation needs it, read in blocks: words, tokens and, if asked, enhanced arcs; its text is let go.

    progress is told words as they are read. Raises CorpusError with file, line, sentence, value and expectation; or
    with on_error="skip" leaves malformed sentences out, and keeps the text, by which `evaluate` leaves them out on the
    other side, too.
    """

    def each(piece: Corpus) -> Corpus:
        if progress is not None:
            progress(piece.n_words)
        return without_text(piece, enhanced) if on_error == "stop" else piece

    corpus = as_corpus(source, on_error=on_error, each=each)
    return corpus if on_error == "stop" else without_malformed_layers(corpus, enhanced)


@overload
def evaluate(
    gold: CorpusSource,
    system: CorpusSource,
    *,
    subtypes: bool = False,
    groups: dict[str, tuple[str, ...]] | None = None,
    exclude: Sequence[Sequence[str]] = (),
    enhanced: bool = True,
) -> Evaluation: ...
@overload
def evaluate(
    gold: CorpusSource,
    system: CorpusSource,
    another: CorpusSource,
    /,
    *more: CorpusSource,
    subtypes: bool = False,
    groups: dict[str, tuple[str, ...]] | None = None,
    exclude: Sequence[Sequence[str]] = (),
    enhanced: bool = True,
) -> Evaluations: ...
def evaluate(
    gold: CorpusSource,
    system: CorpusSource,
    *more: CorpusSource,
    subtypes: bool = False,
    groups: dict[str, tuple[str, ...]] | None = None,
    exclude: Sequence[Sequence[str]] = (),
    enhanced: bool = True,
) -> Evaluation | Evaluations:
    """How right a system is: every score of the CoNLL 2018 shared task, and what breakdowns need; or several systems.

    Each is a path, a folder, several paths or a corpus. subtypes: compare whole relations, not only their universal
    part. groups: those of Nivre and Fang (2017), Table 1, unless given. exclude: each entry adds UAS and LAS without
    these relations or groups (see `select`). enhanced=False does not look at DEPS. A sentence that was left out of a
    corpus when it was read is left out everywhere. Raises CorpusError where a file cannot be read or two do not hold
    the same text.
    """
    sides = [read_side(source, enhanced=enhanced) for source in (gold, system, *more)]
    first, *others = on_both_sides(*sides) if any(side.defects for side in sides) else sides
    found = []
    for other in others:
        alignment = align(first, other)
        words = compare_words(first, other, alignment, subtypes=subtypes)
        counts = without_one_sided(count(first, other, alignment, words, enhanced=enhanced))
        wanted = (GROUPS if groups is None else groups, tuple(map(tuple, exclude)))
        found.append(Evaluation(first, other, alignment, words, counts, subtypes, *wanted))
    return Evaluations(tuple(found)) if more else found[0]


def system_names(evaluations: Sequence[Evaluation]) -> list[str]:
    """The names of the systems' files."""
    return file_names([evaluation.system.path for evaluation in evaluations], endings=True)


def below(evaluations: Sequence[Evaluation], min_las: float) -> list[str]:
    """What to say about each system whose LAS (F1) is below so many per cent."""
    return [
        f"{evaluation.system.path}: LAS {100 * evaluation['LAS'].f1:.2f} is below {min_las:g}"
        for evaluation in evaluations
        if 100 * evaluation["LAS"].f1 < min_las
    ]


@dataclass(frozen=True, slots=True)
class Selection:
    """Scores over the arcs of some relations, and their counts per gold sentence."""

    name: str
    uas: Score
    las: Score
    counts: np.ndarray  # a row per gold sentence: gold arcs, system arcs, right heads, right arcs


def select(evaluation: Evaluation, names: Sequence[str], *, without: bool = False) -> Selection:
    """UAS and LAS of the arcs of some relations, or with `without` of all others.

        P = |C(S) ∩ C(G)| / |C(S)|,  R = |C(S) ∩ C(G)| / |C(G)|

    C keeps the arcs of gold and of the system each by its own relation (Nivre and Fang 2017, §4): leaving out
    FUN and PUNCT gives CLAS, if every relation is one of UD's. names: relations, which mean their subtypes
    too, or groups. A head is right if both sides' arcs are kept and have it.
    """
    words = evaluation.words
    kept = member_mask(names, words.relations, evaluation.groups) != without
    gold_kept, system_kept = kept[words.gold_relation], kept[words.relation]
    has_partner = evaluation.partner >= 0
    both = gold_kept & has_partner
    both[has_partner] &= system_kept[evaluation.partner[has_partner]]
    heads = both & (words.right & HEAD != 0)
    arcs = both & (words.right & ARC == ARC)
    n = evaluation.gold.n_sentences
    sentence, unit = evaluation.gold.sentence, evaluation.alignment.unit
    counts = np.stack(
        [
            np.bincount(sentence[gold_kept], minlength=n),
            np.bincount(unit[system_kept], minlength=n),
            np.bincount(sentence[heads], minlength=n),
            np.bincount(sentence[arcs], minlength=n),
        ],
        axis=1,
    )
    gold_total, system_total, right_heads, right_arcs = counts.sum(axis=0).tolist()
    aligned = int(np.count_nonzero(gold_kept & (words.right & ALIGNED != 0)))
    name = ("without " if without else "of ") + "+".join(names)
    return Selection(
        name,
        Score(gold_total, system_total, right_heads, aligned),
        Score(gold_total, system_total, right_arcs, aligned),
        counts,
    )
