"""A whole shared task: the scores of all systems on all treebanks, and the ranking of the systems.

    macro average of a system = (1 / number of treebanks) · Σ F1 on each treebank

A file that is missing or cannot be read counts 0, as in the CoNLL shared tasks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from treegauge.corpus.families import family
from treegauge.corpus.pool import Pool
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.enhancements import enhancement_levels
from treegauge.evaluation.attachment.metrics import METRICS, scores
from treegauge.evaluation.attachment.treebank_table import Row, mean, paper_tables
from treegauge.evaluation.task.scoring import MISSING, TaskSettings, TreebankJob, TreebankResult, score_treebank
from treegauge.evaluation.task.submissions import Submissions, find_submissions
from treegauge.statistics import LEVEL, bootstrap_p, holm, percentile_interval, shared_ranks
from treegauge.tables import Table, Tabular
from treegauge.version import signature

ALPHA = 0.05  # two neighbours differ if p, corrected, is below


def evaluate_task(
    gold: str | os.PathLike[str] | Submissions,
    systems: str | os.PathLike[str] | None = None,
    *,
    settings: TaskSettings | None = None,
    group_of: dict[str, str] | None = None,
    only_present: bool = False,
    pool: Pool | None = None,
    progress: Callable[[int], None] = lambda treebanks: None,
) -> TaskScores:
    """The scores of all systems on all treebanks of a shared task; folders as for `find_submissions`.

    group_of: the group of each treebank, by default the family of its language. only_present: average over the
    treebanks that a system handed in, instead of counting 0 for the others. pool: the workers, by default this process.
    progress is told of each treebank.
    """
    settings = settings or TaskSettings()
    for metric in settings.metrics:
        if metric not in METRICS:
            raise OptionError(f"metric {metric!r}; expected one of {', '.join(METRICS)}")
    files = gold if isinstance(gold, Submissions) else find_submissions(gold, systems)
    names, treebanks = tuple(files.systems), tuple(sorted(files.gold))
    jobs = [
        TreebankJob(number, name, files.gold[name], tuple(files.systems[system].get(name) for system in names))
        for number, name in enumerate(treebanks)
    ]
    jobs.sort(key=lambda job: -os.path.getsize(job.gold))  # the longest first, so that workers end together
    results: list[TreebankResult] = []
    for result in (pool or Pool()).results(score_treebank, jobs, settings):
        results.append(result)
        progress(1)
    results.sort(key=lambda result: result.number)
    if group_of is None:
        group_of = {name: family(name) for name in treebanks}
    return TaskScores(names, treebanks, tuple(results), settings, group_of, only_present, files)


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """A system with its macro average, and how surely it is better than the next one."""

    system: str
    rank: int
    average: float
    low: float
    high: float
    n_treebanks: int  # that it handed in, and that could be read
    p_next: float | None = None  # that it does not differ from the next system, corrected
    cluster: int = 1  # systems with the same number do not differ from their neighbours

    @property
    def is_separate(self) -> bool:
        """Whether it differs significantly from the next system."""
        return self.p_next is not None and self.p_next < ALPHA


@dataclass(frozen=True, repr=False)
class TaskScores(Tabular):
    """The scores of a task."""

    systems: tuple[str, ...]
    treebanks: tuple[str, ...]
    results: tuple[TreebankResult, ...]  # one for each treebank
    settings: TaskSettings
    group_of: dict[str, str]
    only_present: bool
    files: Submissions

    @property
    def metric(self) -> str:
        """The metric that systems are ranked by."""
        return self.settings.metrics[0]

    @property
    def signature(self) -> str:
        """The settings behind the numbers."""
        settings = self.settings
        missing = "missing:left-out" if self.only_present else "missing:0"
        levels = enhancement_levels(settings.enhanced)
        enhancements = [f"enhancements:{levels}"] if levels else []
        names = f"subtypes:{'yes' if settings.subtypes else 'no'}", *enhancements, missing
        return signature("eval", "task", *names, f"samples:{settings.samples}", f"seed:{settings.seed}", "holm")

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that some pair has: those of enhanced arcs only if both sides of a pair have such arcs."""
        found = {metric for of_treebank in self._scores for cell in of_treebank for metric in cell}
        return tuple(metric for metric in METRICS if metric in found)

    @cached_property
    def _scores(self) -> list[list[dict[str, float]]]:
        """[treebank][system]: F1 by metric; empty where there is a problem."""
        return [
            [
                {} if problem else {name: score.f1 for name, score in scores(totals[None, :]).items()}
                for totals, problem in zip(result.totals, result.problems, strict=True)
            ]
            for result in self.results
        ]

    def score(self, system: str, treebank: str, metric: str | None = None) -> float | None:
        """F1 of a system on a treebank; None if its file is missing or cannot be read."""
        of_treebank = self._scores[self.treebanks.index(treebank)]
        return of_treebank[self.systems.index(system)].get(metric or self.metric)

    def problem(self, system: str, treebank: str) -> str:
        """Why a system counts 0 on a treebank; empty if it does not."""
        return self.results[self.treebanks.index(treebank)].problems[self.systems.index(system)]

    def matrix(self, metric: str | None = None) -> np.ndarray:
        """F1, [system, treebank]; NaN where a file is missing or cannot be read."""
        name = metric or self.metric
        return np.array([[cell.get(name, np.nan) for cell in of_treebank] for of_treebank in self._scores]).T

    def averages(self, metric: str | None = None, treebanks: Sequence[str] | None = None) -> np.ndarray:
        """The macro average of each system over all treebanks, or over some."""
        chosen = [self.treebanks.index(name) for name in self.treebanks if treebanks is None or name in treebanks]
        cells = self.matrix(metric)[:, chosen]
        if not self.only_present:
            return np.nan_to_num(cells).mean(axis=1)
        present = np.count_nonzero(~np.isnan(cells), axis=1)
        return np.where(present > 0, np.nansum(cells, axis=1) / np.maximum(present, 1), np.nan)

    def _drawn(self, metric: str) -> np.ndarray:
        """The macro averages of each system on sentences drawn within the treebanks: [sample, system]."""
        k = self.settings.metrics.index(metric)
        cells = np.stack([result.samples[k] for result in self.results]).astype(np.float64)  # by treebank
        if self.only_present:
            present = ~np.isnan(self.matrix(metric)).T
            return (cells.sum(axis=0) / np.maximum(present.sum(axis=0), 1)[:, None]).T
        return cells.mean(axis=0).T

    def ranking(self, metric: str | None = None) -> list[RankedSystem]:
        """The systems by their macro averages, with intervals, and tests of each against the next.

        Paired bootstrap: sentences are drawn with replacement within each treebank, the same for all systems.
        p = (1 + #{|δ* − δ| ≥ |δ|}) / (1 + samples), corrected by Holm over all neighbours.
        """
        name = metric or self.metric
        averages, drawn = self.averages(name), self._drawn(name)
        low, high = percentile_interval(drawn)
        order = sorted(range(len(self.systems)), key=lambda k: (-np.nan_to_num(averages[k], nan=-1.0), self.systems[k]))
        p_values = []
        for a, b in pairwise(order):
            p_values.append(float(bootstrap_p(drawn[:, a] - drawn[:, b], averages[a] - averages[b])))
        corrected = [*holm(p_values), None]
        ranks = shared_ranks([None if np.isnan(averages[k]) else float(averages[k]) for k in order], high_first=True)
        present = np.count_nonzero(~np.isnan(self.matrix(name)), axis=1)
        ranked, cluster = [], 1
        for place, k in enumerate(order):
            average, lowest, highest = (float(values[k]) for values in (averages, low, high))
            rank = ranks[place] or place + 1
            ranked.append(
                RankedSystem(
                    self.systems[k], rank, average, lowest, highest, int(present[k]), corrected[place], cluster
                )
            )
            cluster += ranked[-1].is_separate
        return ranked

    def table(self) -> Table:
        """The ranking."""
        return self.ranking_table()

    def ranking_table(self) -> Table:
        """A row for each system: rank, macro averages of all metrics, the interval, and the test against the next."""
        others = [metric for metric in self.metrics if metric != self.metric]
        averages = {metric: self.averages(metric) for metric in others}
        rows = []
        for ranked in self.ranking():
            k = self.systems.index(ranked.system)
            main = ranked.rank, ranked.cluster, ranked.system, ranked.average, ranked.low, ranked.high
            rows.append((*main, ranked.p_next, ranked.n_treebanks, *(float(averages[metric][k]) for metric in others)))
        shown = [metric for metric in ("UAS", "LAS", "CLAS", "MLAS", "BLEX", "UPOS") if metric in others]
        columns = (
            *(("rank", "count"), ("cluster", "count"), ("system", "text"), (self.metric, "percent")),
            *(("low", "percent"), ("high", "percent"), ("p_next", "p"), ("n_treebanks", "count")),
            *((metric, "percent") for metric in others),
        )
        over = "the treebanks that a system handed in" if self.only_present else "missing files count 0"
        title = f"{self.metric}, macro average over {len(self.treebanks)} treebanks ({over}), {LEVEL:.0%} interval"
        hidden = frozenset(metric for metric in others if metric not in shown)
        headers = {"n_treebanks": "treebanks", "p_next": "p to next"}
        best = frozenset(self.metrics)
        return Table(title, columns, tuple(rows), self.signature, "ranking", hidden, headers, best_in_column=best)

    def scores_table(self) -> Table:
        """A row for each system and treebank: F1 of every metric, and the problem where there is one."""
        rows = []
        for s, system in enumerate(self.systems):
            for t, treebank in enumerate(self.treebanks):
                cell = self._scores[t][s]
                values, problem = [cell.get(metric) for metric in self.metrics], self.results[t].problems[s] or None
                rows.append((system, treebank, self.group_of.get(treebank), *values, problem))
        columns = (
            *(("system", "text"), ("treebank", "text"), ("group", "text")),
            *((metric, "percent") for metric in self.metrics),
            ("problem", "text"),
        )
        title = f"F1 of {len(self.systems)} systems on {len(self.treebanks)} treebanks"
        return Table(title, columns, tuple(rows), self.signature, "scores")

    def matrix_table(self, metric: str | None = None) -> Table:
        """The systems, best first, by the treebanks; a missing file has no value."""
        name = metric or self.metric
        cells, averages = self.matrix(name), self.averages(name)
        rows = []
        for ranked in self.ranking():
            k = self.systems.index(ranked.system)
            rows.append((ranked.system, float(averages[k]), *(float(value) for value in cells[k])))
        columns = (("system", "text"), ("average", "percent"), *((name, "percent") for name in self.treebanks))
        title, best = f"{name} by system and treebank", frozenset(("average", *self.treebanks))
        return Table(title, columns, tuple(rows), self.signature, "matrix", best_in_column=best)

    def treebanks_table(self) -> Table:
        """For each treebank the best system, its score, and the mean and the median of all that handed in."""
        cells, rows = self.matrix(), []
        for t, treebank in enumerate(self.treebanks):
            present = cells[:, t][~np.isnan(cells[:, t])]
            best = int(np.nanargmax(cells[:, t])) if len(present) else None
            values: tuple[Any, ...] = (None, None, None, None)
            if best is not None:
                values = self.systems[best], float(cells[best, t]), float(present.mean()), float(np.median(present))
            rows.append((treebank, self.group_of.get(treebank), *values, len(present)))
        columns = (
            *(("treebank", "text"), ("group", "text"), ("best system", "text"), (self.metric, "percent")),
            *(("mean", "percent"), ("median", "percent"), ("systems", "count")),
        )
        return Table(f"The best system by {self.metric}", columns, tuple(rows), self.signature, "treebanks")

    def groups_table(self) -> Table | None:
        """The macro average of each system over each group of treebanks; None if there are no groups."""
        groups = sorted({self.group_of.get(name, "") for name in self.treebanks} - {""})
        if not groups:
            return None
        members = {group: [name for name in self.treebanks if self.group_of.get(name) == group] for group in groups}
        averages = {group: self.averages(treebanks=names) for group, names in members.items()}
        rows = []
        for ranked in self.ranking():
            k = self.systems.index(ranked.system)
            rows.append((ranked.system, ranked.average, *(float(averages[group][k]) for group in groups)))
        columns = (("system", "text"), ("all", "percent"), *((group, "percent") for group in groups))
        headers = {group: f"{group} ({len(names)})" for group, names in members.items()}
        title = f"{self.metric}, macro average over groups of treebanks (how many in brackets)"
        best = frozenset(("all", *groups))
        return Table(title, columns, tuple(rows), self.signature, "groups", headers=headers, best_in_column=best)

    def changes_table(self) -> Table | None:
        """The ranks by two metrics and how they change (Nivre and Fang 2017 ask this of LAS and CLAS).

        None if one metric is asked for only.
        """
        if len(self.settings.metrics) < 2:
            return None
        first, second = self.settings.metrics[:2]
        by_second = {ranked.system: ranked for ranked in self.ranking(second)}
        rows = []
        for ranked in self.ranking():
            other = by_second[ranked.system]
            change = ranked.rank - other.rank
            rows.append((ranked.system, ranked.average, ranked.rank, other.average, other.rank, change))
        columns = (
            *(("system", "text"), (first, "percent"), (f"rank_{first}", "count"), (second, "percent")),
            *((f"rank_{second}", "count"), ("ranks_gained", "count")),
        )
        headers = {f"rank_{name}": "rank" for name in (first, second)} | {"ranks_gained": "ranks gained"}
        title = f"Ranks by {first} and by {second}"
        best = frozenset((first, second))
        return Table(title, columns, tuple(rows), self.signature, "changes", headers=headers, best_in_column=best)

    def problems_table(self) -> Table | None:
        """Files that are missing or cannot be read, and why; None if there are none."""
        rows = [
            (system, treebank, self.problem(system, treebank))
            for system in self.systems
            for treebank in self.treebanks
            if self.problem(system, treebank)
        ]
        if not rows:
            return None
        columns = (("system", "text"), ("treebank", "text"), ("problem", "text"))
        effect = "left out of the averages" if self.only_present else "counted as 0"
        return Table(f"Files that are {effect}", columns, tuple(rows), self.signature, "problems")

    def left_out(self) -> list[str]:
        """A line for each file from which, or from whose gold, malformed sentences were left out."""
        return [
            f"{system} on {treebank}: {text}"
            for treebank, result in zip(self.treebanks, self.results, strict=True)
            for system, text in zip(self.systems, result.left_out, strict=True)
            if text
        ]

    def unreadable(self) -> int:
        """How many files were handed in and cannot be read or compared."""
        return sum(problem not in ("", MISSING) for result in self.results for problem in result.problems)

    def paper_tables(self, system: str | None = None) -> list[Table]:
        """Tables 2 and 3 of Nivre and Fang (2017) for a system; for None, of the mean over all systems."""
        if system is not None and system not in self.systems:
            raise OptionError(f"system {system!r}; expected one of {', '.join(self.systems)}")
        chosen = range(len(self.systems)) if system is None else [self.systems.index(system)]
        rows = []
        for treebank, result in zip(self.treebanks, self.results, strict=True):
            present = [row for k in chosen if (row := result.rows[k]) is not None]
            if present:
                names = list(present[0].values)
                values = {name: mean(row.values[name] for row in present) for name in names}
                rows.append(Row(treebank, self.group_of.get(treebank, ""), values))
        if not rows:
            raise OptionError(f"{system or 'all systems'}: no file could be scored")
        tables = paper_tables(rows, self.signature)
        whose = system or f"the mean of {len(self.systems)} systems"
        return [Table(f"{whose}: {t.title}", t.columns, t.rows, t.signature, t.name) for t in tables]

    def tables(self) -> list[Table]:
        """All tables; the first has a row for each system and treebank."""
        more = self.groups_table(), self.treebanks_table(), self.changes_table(), self.problems_table()
        return [self.scores_table(), self.ranking_table(), *(table for table in more if table is not None)]
