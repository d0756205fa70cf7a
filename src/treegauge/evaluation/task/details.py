"""What is behind a cell of a task: its breakdown by relation, and sentences where the best system is right instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.corpus.pool import Pool
from treegauge.errors import TreegaugeError
from treegauge.evaluation.attachment.breakdown import breakdown
from treegauge.evaluation.attachment.evaluation import Evaluation, evaluate, read_side
from treegauge.evaluation.attachment.metrics import ARC
from treegauge.evaluation.task.task import TaskScores


@dataclass(frozen=True, slots=True)
class CellDetails:
    """The relations and sentences behind the score of a system on a treebank."""

    relations: list[tuple[str, int, int, int]]  # relation, arcs of gold, of the system, right arcs
    sentences: list[dict[str, Any]]  # name, forms, and the words where only one of the two systems is right


@dataclass(frozen=True, slots=True)
class DetailsJob:
    """A treebank: its number, gold, the files of systems without problems, and which of them is the best."""

    number: int
    gold: str
    systems: dict[int, str]
    best: int
    top: int
    subtypes: bool
    on_error: str


def task_details(scores: TaskScores, top: int, pool: Pool | None = None) -> dict[tuple[int, int], CellDetails]:
    """The details of every cell, by the numbers of system and treebank. top: the most sentences of each cell."""
    jobs = []
    cells = scores.matrix()
    for t, treebank in enumerate(scores.treebanks):
        present = {k: scores.files.systems[name][treebank] for k, name in enumerate(scores.systems) if cells[k, t] >= 0}
        if present:
            best = max(present, key=lambda k: float(cells[k, t]))
            settings = scores.settings.subtypes, scores.settings.on_error
            jobs.append(DetailsJob(t, scores.files.gold[treebank], present, best, top, *settings))
    details: dict[tuple[int, int], CellDetails] = {}
    for t, of_systems in (pool or Pool()).results(_treebank_details, jobs):
        details |= {(k, t): cell for k, cell in of_systems.items()}
    return details


def _treebank_details(job: DetailsJob) -> tuple[int, dict[int, CellDetails]]:
    gold = read_side(job.gold, enhanced=False, on_error=job.on_error)
    best = _evaluation(job, job.best, gold)
    details = {}
    for k in job.systems:
        evaluation = best if k == job.best else _evaluation(job, k, gold)
        if evaluation is not None and best is not None:
            by_relation = breakdown(evaluation, "relation").scores()
            relations = [(name, score.gold, score.system, score.correct) for (name,), score in by_relation.items()]
            sentences = [] if k == job.best else list(_different_sentences(evaluation, best, job.top))
            details[k] = CellDetails(relations, sentences)
    return job.number, details


def _evaluation(job: DetailsJob, k: int, gold: Any) -> Evaluation | None:
    """The evaluation of a system; None if its file has changed since it was scored, and cannot be read any more."""
    try:
        system = read_side(job.systems[k], enhanced=False, on_error=job.on_error)
        return evaluate(gold, system, subtypes=job.subtypes, enhanced=False)
    except TreegaugeError:
        return None


def _different_sentences(system: Evaluation, best: Evaluation, top: int) -> Iterator[dict[str, Any]]:
    """The sentences of gold with most words that the best system has right and this one has not."""
    gold = system.gold
    right, best_right = (evaluation.words.right & ARC == ARC for evaluation in (system, best))
    lost = np.bincount(gold.sentence[best_right & ~right], minlength=gold.n_sentences)
    order = np.argsort(-lost, kind="stable")[:top]
    for s in order[lost[order] > 0].tolist():
        low, high = gold.start[[s, s + 1]].tolist()
        words = [w for w in range(low, high) if right[w] != best_right[w]]
        yield {
            "name": gold.sent_id(s) or str(gold.number[s]),
            "forms": gold.forms(s),
            "words": [[w - low, _arc_text(gold, w), _arc_of(best, w), _arc_of(system, w)] for w in words],
        }


def _arc_text(corpus: Any, w: int) -> str:
    """An arc in words: its relation and its head."""
    head = int(corpus.head_row[w])
    return f"{corpus.value('deprel', w)} of {corpus.value('form', head) if head >= 0 else 'ROOT'}"


def _arc_of(evaluation: Evaluation, w: int) -> str:
    """The arc that a system gives a word of gold, in words."""
    partner = int(evaluation.comparison.partner[w])
    return _arc_text(evaluation.system, partner) if partner >= 0 else "no such word"
