"""The evaluation of a system by gold: aligned words, and counts; every table of attachment scores uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypedDict, TypeVar, Unpack, overload

import numpy as np

from treegauge.corpus.compare.align import common_sentences
from treegauge.corpus.compare.comparison import Comparison, aligned, with_gaps
from treegauge.corpus.compare.in_step import same_text
from treegauge.corpus.conllu import CorpusSource, as_corpus, stream_conllu
from treegauge.corpus.conllu_kernel import MAX_WORDS
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import file_names
from treegauge.corpus.reading_log import skipped_signature
from treegauge.corpus.relations import GROUPS, member_mask
from treegauge.corpus.tokens import without_malformed_layers, without_text
from treegauge.errors import CorpusError, OptionError
from treegauge.evaluation.attachment.enhancements import enhancement_levels
from treegauge.evaluation.attachment.metrics import ARC, METRICS, Score, scores
from treegauge.evaluation.attachment.scores import WordComparer, Words, count, without_one_sided
from treegauge.evaluation.attachment.scores_kernel import ALIGNED, HEAD
from treegauge.tables import Table, Tabular
from treegauge.version import signature
from treegauge.wording import counted


def evaluate_files(
    gold: str,
    system: str,
    *,
    subtypes: bool = False,
    groups: dict[str, tuple[str, ...]] | None = None,
    enhanced: bool | str = True,
    names: Sequence[str] = (),
    on_error: str = "stop",
    progress: Callable[[int], None] = lambda words: None,
) -> AttachmentScores | None:
    """The scores that `evaluate` gives for two files.

    None if the files cannot be read or do not have the same text; `evaluate` then raises an error with the reason.
    """
    compare, counts = WordComparer(subtypes), []
    try:
        sides = [_pieces(path, on_error, bool(enhanced), progress) for path in (gold, system)]
        for gold_piece, piece in same_text(*sides):
            comparison = aligned(piece, gold_piece)
            counts.append(count(comparison, compare(comparison), enhanced=enhanced))
    except CorpusError:
        return None
    if not counts:
        return None
    of_sentences = without_one_sided(np.concatenate(counts))
    name = names[0] if names else file_names([system])[0]
    settings = subtypes, GROUPS if groups is None else groups, enhancement_levels(enhanced)
    return AttachmentScores(gold, system, name, of_sentences, *settings, Coverage())


def _pieces(path: str, on_error: str, enhanced: bool, progress: Callable[[int], None]) -> Iterator[Corpus]:
    """The pieces of a file without their text."""
    for piece in stream_conllu(path, on_error=on_error, most_words=MAX_WORDS):
        progress(piece.n_words)
        yield without_text(piece, enhanced)


COUNTS = ("n_correct", "n_gold", "n_system", "n_aligned")
MOST_COLUMNS = 4  # systems that stand side by side in a table
_DETAILS = frozenset((*COUNTS, "n_skipped_sentences", "scored_share"))
ScoresT = TypeVar("ScoresT", bound="AttachmentScores")


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of gold was scored: sentences that were left out when gold or the system was read are not."""

    n_skipped: int = 0  # sentences left out of gold or of the system
    share: float = 1.0  # the share of gold's words in sentences that both have

    @property
    def text(self) -> str:
        """The end of a title that says it; empty if nothing was left out."""
        if not self.n_skipped:
            return ""
        return f"; {counted(self.n_skipped, 'sentence')} left out, {100 * self.share:.2f} % of gold's words scored"


@dataclass(frozen=True, repr=False)
class AttachmentScores(Tabular):
    """The scores of a system, from counts for each gold sentence."""

    gold_path: str
    system_path: str
    name: str  # of the system
    counts: np.ndarray  # a row per gold sentence, the columns of metrics.COLUMNS
    subtypes: bool
    groups: dict[str, tuple[str, ...]]
    levels: str  # of enhancements, whose rules were applied to enhanced arcs
    coverage: Coverage

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.system_path!r}, LAS {100 * self['LAS'].f1:.2f}, {self.signature})"

    def __getitem__(self, metric: str) -> Score:
        if metric not in self.scores:
            raise OptionError(f"metric {metric!r}; expected one of {', '.join(self.scores)}")
        return self.scores[metric]

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Every metric by name; ELAS and EULAS only if both sides have enhanced arcs."""
        return scores(self.counts)

    @property
    def signature(self) -> str:
        """Settings and version behind the numbers."""
        groups = "" if self.groups is GROUPS else f"groups:{'+'.join(self.groups)}"
        skipped = skipped_signature(self.coverage.n_skipped, self.coverage.share)
        levels = f"enhancements:{self.levels}" if self.levels else ""
        return signature("eval", f"subtypes:{'yes' if self.subtypes else 'no'}", groups, levels, skipped)

    def table(self, with_coverage: bool | None = None) -> Table:
        """The metrics, one in each row, and the counts behind them; for programs also what was left out, if any."""
        coverage = self.coverage
        skipped = bool(coverage.n_skipped) if with_coverage is None else with_coverage
        rows = tuple(
            (
                *(name, score.precision, score.recall, score.f1, score.aligned_accuracy),
                *(score.correct, score.gold, score.system, score.aligned),
                *((coverage.n_skipped, coverage.share) if skipped else ()),
            )
            for name, score in self.scores.items()
        )
        columns = (
            ("metric", "text"),
            *((name, "percent") for name in ("precision", "recall", "f1", "aligned_accuracy")),
            *((name, "count") for name in COUNTS),
            *((("n_skipped_sentences", "count"), ("scored_share", "percent")) if skipped else ()),
        )
        title = f"{self.name} against {self.gold_path}{self.coverage.text}"
        return Table(title, columns, rows, self.signature, "scores", _DETAILS)


@dataclass(frozen=True, repr=False)
class Evaluation(AttachmentScores):
    """The scores of a system, its words beside the words of gold, and what is right about each word."""

    comparison: Comparison  # the system, and gold as the other corpus
    words: Words
    exclusions: tuple[tuple[str, ...], ...] = ()  # further scores: UAS and LAS without these relations or groups

    @property
    def gold(self) -> Corpus:
        """The gold corpus."""
        return self.comparison.other

    @property
    def system(self) -> Corpus:
        """The corpus of the system."""
        return self.comparison.corpus

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Every metric by name; ELAS and EULAS only if both have enhanced arcs; UAS and LAS of the exclusions."""
        more = {f"{measure} {chosen.name}": score for chosen in self.selections for measure, score in chosen.scores}
        return scores(self.counts) | more

    @cached_property
    def selections(self) -> tuple[Selection, ...]:
        """The arcs that each exclusion leaves."""
        return tuple(select(self, names, without=True) for names in self.exclusions)


@dataclass(frozen=True, repr=False)
class Evaluations(Tabular, Sequence[ScoresT], Generic[ScoresT]):
    """The evaluations of several systems by the same gold."""

    systems: tuple[ScoresT, ...]

    @overload
    def __getitem__(self, k: int) -> ScoresT: ...
    @overload
    def __getitem__(self, k: slice) -> Evaluations[ScoresT]: ...
    def __getitem__(self, k: int | slice) -> ScoresT | Evaluations[ScoresT]:
        return Evaluations(self.systems[k]) if isinstance(k, slice) else self.systems[k]

    def __len__(self) -> int:
        return len(self.systems)

    def __iter__(self) -> Iterator[ScoresT]:
        return iter(self.systems)

    def table(self) -> Table:
        """F1 of the systems side by side, with more than four a row for each; one without enhanced arcs has no ELAS."""
        metrics = list(dict.fromkeys(metric for evaluation in self for metric in evaluation.scores))
        ordered = [m for m in METRICS if m in metrics] + [m for m in metrics if m not in METRICS]
        rows = []
        for metric in ordered:
            of_systems = [evaluation.scores.get(metric) for evaluation in self]
            rows.append((metric, *(None if score is None else score.f1 for score in of_systems)))
        columns: tuple[tuple[str, str], ...]
        columns = (("metric", "text"), *((name, "percent") for name in system_names(self)))
        if len(self) > MOST_COLUMNS:
            columns = (("system", "text"), *((metric, "percent") for metric in ordered))
            values = list(zip(*(row[1:] for row in rows), strict=True))
            rows = [(name, *cells) for name, cells in zip(system_names(self), values, strict=True)]
        skipped = "".join(
            f"; {name}{evaluation.coverage.text}"
            for name, evaluation in zip(system_names(self), self, strict=True)
            if evaluation.coverage.n_skipped
        )
        scored = frozenset(name for name, kind in columns if kind == "percent")
        best = (frozenset[str](), scored) if len(self) > MOST_COLUMNS else (scored, frozenset[str]())
        title = f"F1 against {self[0].gold_path}{skipped}"
        return Table(title, columns, tuple(rows), self[0].signature, "scores", frozenset(), {}, *best)

    def long_table(self) -> Table:
        """All scores, with one row for each system and metric."""
        skipped = any(evaluation.coverage.n_skipped for evaluation in self)
        single = self[0].table(skipped)
        rows = tuple(
            (name, *row)
            for name, evaluation in zip(system_names(self), self, strict=True)
            for row in evaluation.table(skipped).rows
        )
        title, columns = f"Scores against {self[0].gold_path}", (("system", "text"), *single.columns)
        return Table(title, columns, rows, single.signature, single.name, single.details)


def read_side(
    source: CorpusSource,
    *,
    enhanced: bool = True,
    partial: bool = False,
    on_error: str = "stop",
    progress: Callable[[int], None] | None = None,
) -> Corpus:
    """A corpus for `evaluate`, read in blocks: words, tokens and, if asked, enhanced arcs, but not its text.

    partial: words may have no head (HEAD `_`), and heads need not make trees.

    progress gets the number of words as they are read. Raises CorpusError with file, line, sentence, value and
    expectation. With on_error="skip", malformed sentences are left out instead, and the text stays in memory:
    `evaluate` needs it to leave these sentences out on the other side, too.
    """

    def without_its_text(piece: Corpus) -> Corpus:
        if progress is not None:
            progress(piece.n_words)
        return without_text(piece, enhanced) if on_error != "skip" else piece

    corpus = as_corpus(source, on_error=on_error, trees=not partial, most_words=MAX_WORDS, each=without_its_text)
    return corpus if on_error != "skip" else without_malformed_layers(corpus, enhanced)


class _Options(TypedDict, total=False):
    """The options of `evaluate`, for both of its types."""

    subtypes: bool
    groups: dict[str, tuple[str, ...]] | None
    exclude: Sequence[Sequence[str]]
    enhanced: bool | str
    partial: bool
    names: Sequence[str]


@overload
def evaluate(gold: CorpusSource, system: CorpusSource, **options: Unpack[_Options]) -> Evaluation: ...
@overload
def evaluate(
    gold: CorpusSource, system: CorpusSource, another: CorpusSource, /, *more: CorpusSource, **options: Unpack[_Options]
) -> Evaluations[Evaluation]: ...
def evaluate(
    gold: CorpusSource,
    system: CorpusSource,
    *more: CorpusSource,
    subtypes: bool = False,
    groups: dict[str, tuple[str, ...]] | None = None,
    exclude: Sequence[Sequence[str]] = (),
    enhanced: bool | str = True,
    partial: bool = False,
    names: Sequence[str] = (),
) -> Evaluation | Evaluations[Evaluation]:
    """The scores of one system or of several, by gold: every score of the CoNLL 2018 shared task.

    Each corpus is a path, a folder, several paths or a `Corpus`. subtypes: compare whole relations, not only their
    universal part. groups: groups of relations, by default those of Nivre and Fang (2017), Table 1. exclude: each entry
    adds UAS and LAS without these relations or groups (see `select`). enhanced: False does not read DEPS; a text such
    as "12" leaves out the types of enhancements that gold does not have (see `enhancements.LEVELS`). partial: words of
    systems may have no head (HEAD `_`), and then count as not attached. names: of the systems, by default from their
    files. A sentence that was left out of gold when it was read is left out of all; the words of one that was left out
    of a system count as wrong, as words that it does not have. Raises CorpusError if a file cannot be read, or if the
    texts are not the same.
    """
    first = read_side(gold, enhanced=bool(enhanced))
    others = [read_side(source, enhanced=bool(enhanced), partial=partial) for source in (system, *more)]
    for other in others if not partial else ():
        other.tree_head  # noqa: B018 — raises if heads do not make trees
    gold_words = first.n_words + first.notes.n_words
    for other in others if first.notes.n_sentences else ():  # what is left out of gold is left out of every system
        if not other.notes.n_sentences:
            first = replace(first.select(common_sentences(first, other)[0]), notes=first.notes)
    levels, chosen_groups, exclusions = (
        enhancement_levels(enhanced),
        GROUPS if groups is None else groups,
        tuple(map(tuple, exclude)),
    )
    systems = []
    names = names or file_names([other.path for other in others])
    if len(names) != len(others):
        raise OptionError(f"{len(names)} names for {len(others)} systems; expected one for each")
    for name, other in zip(names, others, strict=True):
        comparison = _beside_gold(other, first)
        words = WordComparer(subtypes)(comparison)
        counts = without_one_sided(count(comparison, words, enhanced=enhanced))
        scored = comparison.shared_other.n_words / gold_words if gold_words else 1.0
        coverage = Coverage(first.notes.n_sentences + other.notes.n_sentences, scored)
        settings = subtypes, chosen_groups, levels, coverage
        systems.append(Evaluation(first.path, other.path, name, counts, *settings, comparison, words, exclusions))
    return Evaluations(tuple(systems)) if more else systems[0]


def _beside_gold(system: Corpus, gold: Corpus) -> Comparison:
    """A system beside gold. Words of gold in sentences that were left out of the system have no partner."""
    if not (system.notes.n_sentences or gold.notes.n_sentences):
        return aligned(system, gold)
    of_gold, of_system = common_sentences(gold, system)
    return with_gaps(replace(system.select(of_system), notes=system.notes), gold, of_gold)


def system_names(evaluations: Sequence[AttachmentScores]) -> list[str]:
    """The names of the systems."""
    return [evaluation.name for evaluation in evaluations]


@dataclass(frozen=True, slots=True)
class Selection:
    """The scores of the arcs with some relations, and their counts for each gold sentence."""

    name: str
    uas: Score
    las: Score
    counts: np.ndarray  # a row per gold sentence: gold arcs, system arcs, right heads, right arcs

    @property
    def scores(self) -> tuple[tuple[str, Score], tuple[str, Score]]:
        """UAS and LAS by name."""
        return ("UAS", self.uas), ("LAS", self.las)


def select(evaluation: Evaluation, names: Sequence[str], *, without: bool = False) -> Selection:
    """UAS and LAS of the arcs with some relations; `without`: of all other arcs.

        P = |C(S) ∩ C(G)| / |C(S)|,  R = |C(S) ∩ C(G)| / |C(G)|

    C selects the arcs of gold, and of the system, each by its own relation (Nivre and Fang 2017, §4): without FUN and
    PUNCT, LAS is CLAS, if every relation is one of UD. names: relations, with all their subtypes, or groups. A head is
    right if C selects the arcs of both sides and they have the same head.
    """
    words = evaluation.words
    selected = member_mask(names, words.relations, evaluation.groups) != without
    gold_kept, system_kept = selected[words.gold_relation], selected[words.relation]
    partner = evaluation.comparison.partner
    has_partner = partner >= 0
    both = gold_kept & has_partner
    both[has_partner] &= system_kept[partner[has_partner]]
    heads = both & (words.right & HEAD != 0)
    arcs = both & (words.right & ARC == ARC)
    n = evaluation.gold.n_sentences
    sentence, unit = evaluation.gold.sentence, evaluation.comparison.other_sentence
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
