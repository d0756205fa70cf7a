"""The comparison of two systems: whether their scores differ, and the words of gold where only one is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from treegauge.errors import OptionError, check_type
from treegauge.evaluation.attachment.evaluation import Evaluation, system_names
from treegauge.evaluation.attachment.metrics import ARC, METRICS, halves
from treegauge.statistics import LEVEL, SAMPLES, SEED, Difference, Differences, holm, paired_tests
from treegauge.tables import Table, Tabular, column_kinds


@dataclass(frozen=True, repr=False)
class Versus(Tabular):
    """Two systems and the same gold. A word that a system does not have counts as wrong."""

    first: Evaluation
    second: Evaluation

    @cached_property
    def names(self) -> tuple[str, str]:
        """The names of the systems."""
        first, second = system_names([self.first, self.second])
        return first, second

    @cached_property
    def right(self) -> np.ndarray:
        """[system, word of gold]: whether the arc of the first, and of the second system is right."""
        return np.stack([evaluation.words.right & ARC == ARC for evaluation in (self.first, self.second)])

    @property
    def rows(self) -> np.ndarray:
        """The words of gold where only one system is right."""
        return np.flatnonzero(self.right[0] != self.right[1])

    def table(self) -> Table:
        """For each relation of gold: where both, only one or none is right; most differences first, the sum last."""
        words = self.first.words
        n = len(words.relations)
        kind = words.gold_relation * 4 + 2 * self.right[0] + self.right[1]
        counts = np.bincount(kind, minlength=4 * n).reshape(n, 4)
        order = sorted(range(n), key=lambda k: (-int(counts[k, 1] + counts[k, 2]), words.relations[k]))
        parts = {words.relations[k]: counts[k] for k in order if counts[k].any()} | {"all": counts.sum(axis=0)}
        rows = []
        for name, part in parts.items():
            neither, only_second, only_first, both = part.tolist()
            rows.append((name, int(part.sum()), both, only_first, only_second, neither, only_first - only_second))
        columns = column_kinds(
            "gold_relation text, words count, both count, only_first count, only_second count, neither count, "
            "difference count"
        )
        title = f"{self.title}: whose arcs are right"
        return Table(title, columns, tuple(rows), self.first.signature, "versus")

    @property
    def title(self) -> str:
        """The names of both systems and of gold."""
        return f"{self.names[0]} (first) and {self.names[1]} (second) against {self.first.gold.path}"

    def words_table(self, rows: np.ndarray) -> Table:
        """Some words of gold with their arcs in gold and in both systems, and which system is right.

        Relation and head are None if a system does not have the word.
        """
        gold, relations = self.first.gold, self.first.words.relations
        cells = []
        for row in rows.tolist():
            s = int(gold.sentence[row])
            place = int(gold.number[s]), gold.sent_id(s), row - int(gold.start[s]) + 1, gold.value("form", row)
            arc = relations[self.first.words.gold_relation[row]], int(gold.head[row])
            right = self.names[0 if self.right[0, row] else 1]
            cells.append((*place, right, *arc, *_arc(self.first, row), *_arc(self.second, row)))
        columns = column_kinds(
            "sentence count, sent_id text, word count, form text, right text, gold_relation text, gold_head count, "
            "first_relation text, first_head count, second_relation text, second_head count"
        )
        title = f"{self.title}: {len(cells):,} of {len(self.rows):,} words where only one is right"
        return Table(title, columns, tuple(cells), self.first.signature, "versus_words")

    def chosen(self, most: int) -> np.ndarray:
        """At most so many words where only one system is right, of many relations and of both systems.

        A kind is a relation and a system. First comes one word of each kind, the most frequent kind first; then a
        second word of each kind, and so on.
        """
        size: Counter[tuple[int, bool]] = Counter()
        words = []
        for row in self.rows.tolist():
            kind = int(self.first.words.gold_relation[row]), bool(self.right[0, row])
            words.append((size[kind], kind, row))
            size[kind] += 1
        words.sort(key=lambda entry: (entry[0], -size[entry[1]], entry[2]))
        return np.array([row for _, _, row in words[:most]], np.int64)


def _arc(evaluation: Evaluation, row: int) -> tuple[str | None, int | None]:
    """The relation and the head that a system gives a word of gold; None if it does not have the word."""
    partner = int(evaluation.comparison.partner[row])
    if partner < 0:
        return None, None
    return evaluation.words.relations[evaluation.words.relation[partner]], int(evaluation.system.head[partner])


COMPARED = ("UAS", "LAS", "CLAS", "MLAS", "BLEX")


def compare(
    first: Evaluation,
    second: Evaluation,
    metrics: Sequence[str] | None = None,
    *,
    samples: int = SAMPLES,
    seed: int = SEED,
    progress: Callable[[int], None] | None = None,
) -> Differences:
    """The differences between two systems on the same gold, with the tests of `paired_tests`.

    Both tests draw whole gold sentences. The same seed gives the same numbers; all metrics share the samples. metrics:
    by default COMPARED, and LAS of the exclusions. progress is called after each sample of either test.
    """
    for system in (first, second):
        check_type("an evaluation", system, Evaluation, "what `evaluate` returns")
    if not np.array_equal(first.gold.start, second.gold.start):
        raise OptionError(f"{first.gold.path} and {second.gold.path}; expected two systems on the same gold")
    if metrics is None:
        metrics = [*COMPARED, *(f"LAS {chosen.name}" for chosen in first.selections)]
    for metric in metrics:
        _ = first[metric], second[metric]  # raises an error if one system does not have it
    a = np.stack([_halves(first, metric) for metric in metrics], axis=1)
    b = np.stack([_halves(second, metric) for metric in metrics], axis=1)
    tests = paired_tests(a, b, samples, seed, progress)
    differences = []
    for metric, test in zip(metrics, tests, strict=True):
        f1, second_f1 = first[metric].f1, second[metric].f1
        differences.append(Difference(metric, f1, second_f1, f1 - second_f1, *test))
    title = f"{first.name} minus {second.name}: F1, {LEVEL:.0%} interval, p-values"
    body, _, version = first.signature.rpartition("|")
    return Differences(tuple(differences), title, f"{body}|samples:{samples}|seed:{seed}|{version}")


Pairs = Sequence[tuple[Evaluation, Evaluation]]


def pairs_to_test(evaluations: Sequence[Evaluation], baseline: str | None = None) -> Pairs:
    """All pairs of systems; or the system of the name `baseline` and each other one."""
    if baseline is None:
        return list(combinations(evaluations, 2))
    names = system_names(evaluations)
    if baseline not in names:
        raise OptionError(f"baseline {baseline!r}; expected one of {', '.join(names)}")
    first = evaluations[names.index(baseline)]
    return [(first, other) for other in evaluations if other is not first]


def compare_pairs(pairs: Pairs, **options: Any) -> list[Table]:
    """The tests of `compare` for each pair; with several pairs one table, with p also corrected by Holm per metric."""
    results = [compare(first, second, **options) for first, second in pairs]
    if len(results) == 1:
        return [results[0].table()]
    rows = []
    for metric in range(len(results[0])):
        of_metric = [result[metric] for result in results]
        corrected = holm([difference.p_bootstrap for difference in of_metric])
        for (first, second), difference, p in zip(pairs, of_metric, corrected, strict=True):
            metric_name, *values = astuple(difference)
            rows.append((metric_name, first.name, second.name, *values, p))
    columns = column_kinds(
        "metric text, first_system text, second_system text, first percent, second percent, difference change, "
        "low change, high change, p_bootstrap p, p_randomisation p, p_holm p"
    )
    title = f"First minus second, against {pairs[0][0].gold_path}: F1, {LEVEL:.0%} interval, p-values"
    holms = f"{title}; p_holm: p_bootstrap, corrected for {len(pairs)} pairs"
    return [Table(holms, columns, tuple(rows), results[0].signature, "significance")]


def _halves(evaluation: Evaluation, metric: str) -> np.ndarray:
    """For each sentence, the two halves of the fraction F1: 2 · correct, and gold + system."""
    if metric in METRICS:
        return halves(evaluation.counts, metric)
    measure, _, name = metric.partition(" ")
    counts = next(selection.counts for selection in evaluation.selections if selection.name == name).astype(np.float64)
    return np.stack([2 * counts[:, 3 if measure == "LAS" else 2], counts[:, 0] + counts[:, 1]], axis=1)
