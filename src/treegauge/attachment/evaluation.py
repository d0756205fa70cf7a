"""A system against gold: aligned, compared, counted; what every table and test of attachment starts from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge import __version__
from treegauge.attachment.align import Alignment, align
from treegauge.attachment.relations import GROUPS, member_mask
from treegauge.attachment.scores import (
    ALIGNED,
    ARC,
    HEAD,
    METRICS,
    Score,
    Words,
    compare_words,
    count,
    scores,
)
from treegauge.attachment.treebank import Treebank, read_treebank
from treegauge.errors import OptionError
from treegauge.tables import Table

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True)
class Evaluation:
    """Gold and system, which words are the same, what is right about them, and counts per gold sentence."""

    gold: Treebank
    system: Treebank
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
        """The metrics, one to a row."""
        rows = tuple(
            (name, score.precision, score.recall, score.f1, score.aligned_accuracy)
            for name, score in self.scores.items()
        )
        columns = (
            ("metric", "text"),
            ("precision", "percent"),
            ("recall", "percent"),
            ("f1", "percent"),
            ("aligned_accuracy", "percent"),
        )
        return Table(f"{self.system.path} against {self.gold.path}", columns, rows, self.signature)

    def to_polars(self) -> polars.DataFrame:
        """The metrics as a polars table."""
        return self.table().to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """The metrics as a pandas table."""
        return self.table().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Metric names with their fractions and counts, and the signature."""
        content: dict[str, Any] = {name: score.to_dict() for name, score in self.scores.items()}
        return content | {"signature": self.signature}

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def evaluate(
    gold: Treebank | str | os.PathLike[str],
    system: Treebank | str | os.PathLike[str],
    *,
    subtypes: bool = False,
    groups: dict[str, tuple[str, ...]] | None = None,
    exclude: Sequence[Sequence[str]] = (),
    enhanced: bool = True,
) -> Evaluation:
    """How right the system is: every score of the CoNLL 2018 shared task, and what breakdowns need.

    subtypes: compare whole relations, not only their universal part. groups: those of Nivre and Fang (2017),
    Table 1, unless given. exclude: each entry adds UAS and LAS without these relations or groups (see
    `select`). enhanced=False does not look at DEPS. Raises CorpusError where a file cannot be read or the two
    do not hold the same text.
    """
    gold = gold if isinstance(gold, Treebank) else read_treebank(gold, enhanced=enhanced)
    system = system if isinstance(system, Treebank) else read_treebank(system, enhanced=enhanced)
    alignment = align(gold, system)
    words = compare_words(gold, system, alignment, subtypes=subtypes)
    counts = count(gold, system, alignment, words)
    exclusions = tuple(map(tuple, exclude))
    return Evaluation(
        gold, system, alignment, words, counts, subtypes, GROUPS if groups is None else groups, exclusions
    )


def systems_table(evaluations: Sequence[Evaluation]) -> Table:
    """F1 of several systems on the same gold, side by side; a system without enhanced arcs has no ELAS."""
    names = system_names(evaluations)
    metrics = list(dict.fromkeys(metric for evaluation in evaluations for metric in evaluation.scores))
    ordered = [m for m in METRICS if m in metrics] + [m for m in metrics if m not in METRICS]
    rows = []
    for metric in ordered:
        found = [evaluation.scores.get(metric) for evaluation in evaluations]
        rows.append((metric, *(None if score is None else score.f1 for score in found)))
    columns = (("metric", "text"), *((name, "percent") for name in names))
    title = f"F1 against {evaluations[0].gold.path}"
    return Table(title, columns, tuple(rows), evaluations[0].signature)


def long_table(evaluations: Sequence[Evaluation]) -> Table:
    """Every score of several systems, a row for each system and metric."""
    single = evaluations[0].table()
    rows = tuple(
        (name, *row)
        for name, evaluation in zip(system_names(evaluations), evaluations, strict=True)
        for row in evaluation.table().rows
    )
    title = f"Scores against {evaluations[0].gold.path}"
    return Table(title, (("system", "text"), *single.columns), rows, single.signature)


def system_names(evaluations: Sequence[Evaluation]) -> list[str]:
    """The systems' file names, with as much of their folders as tells them apart, else numbered."""
    paths = [evaluation.system.path.split(os.sep) for evaluation in evaluations]
    for n in range(1, max(map(len, paths)) + 1):
        names = [os.sep.join(path[-n:]) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [f"{os.sep.join(path)} ({k})" for k, path in enumerate(paths, 1)]


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
