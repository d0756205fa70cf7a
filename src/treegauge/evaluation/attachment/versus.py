"""The comparison of two systems: whether their scores differ, and the words of gold where only one is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treegauge.errors import OptionError
from treegauge.evaluation.attachment.evaluation import Evaluation, system_names
from treegauge.evaluation.attachment.metrics import ARC, METRICS, column
from treegauge.statistics import LEVEL, SAMPLES, SEED, Difference, Differences, paired_tests
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
    title = f"{first.system.path} minus {second.system.path}: F1, {LEVEL:.0%} interval, p-values"
    body, _, version = first.signature.rpartition("|")
    return Differences(tuple(differences), title, f"{body}|samples:{samples}|seed:{seed}|{version}")


def _halves(evaluation: Evaluation, metric: str) -> np.ndarray:
    """For each sentence, the two halves of the fraction F1: 2 · correct, and gold + system."""
    if metric in METRICS:
        of = METRICS[metric].of
        columns = [evaluation.counts[:, column(name)] for name in (f"gold_{of}", f"system_{of}", metric)]
    else:
        measure, _, name = metric.partition(" ")
        counts = next(selection.counts for selection in evaluation.selections if selection.name == name)
        columns = [counts[:, 0], counts[:, 1], counts[:, 3 if measure == "LAS" else 2]]
    gold, system, correct = (values.astype(np.float64) for values in columns)
    return np.stack([2 * correct, gold + system], axis=1)
