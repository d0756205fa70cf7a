"""Score all systems on one treebank of a task; the counts of each pair of files are kept in a folder."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import write_whole
from treegauge.errors import CorpusError, OutputError, TreegaugeError
from treegauge.evaluation.attachment.evaluation import evaluate, read_side
from treegauge.evaluation.attachment.metrics import COLUMNS, halves
from treegauge.evaluation.attachment.treebank_table import Pair, Row, row_of
from treegauge.statistics import drawn_sentences, f1_of_halves
from treegauge.version import __version__

MISSING = "not handed in"


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """What is compared, and how."""

    metrics: tuple[str, ...] = ("LAS",)  # the metrics that get intervals; systems are ranked by the first
    subtypes: bool = False
    enhanced: bool | str = True  # as in `evaluate`
    on_error: str = "stop"
    paper: bool = False  # whether the columns of Tables 2 and 3 of Nivre and Fang (2017) are computed
    samples: int = 2000
    seed: int = 1
    cache: str | None = None  # the folder where counts are kept


@dataclass(frozen=True, slots=True)
class TreebankJob:
    """A treebank of a task: its number, its gold, and the files of the systems, None for one that is missing."""

    number: int
    name: str
    gold: str
    systems: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class TreebankResult:
    """The scores of all systems on a treebank."""

    number: int
    totals: np.ndarray  # [system, column of COLUMNS]; zeros where there is a problem
    problems: tuple[str, ...]  # for each system, why it counts 0; empty if it does not
    samples: np.ndarray  # [metric, system, sample]: F1 on sentences drawn with replacement
    rows: tuple[Row | None, ...] = ()  # for each system, the columns of the paper's tables, if asked
    left_out: tuple[str, ...] = ()  # for each system, how much was left out of its file or of gold; empty for nothing


@dataclass(slots=True)
class _Gold:
    """Gold of a treebank, read when it is first needed."""

    path: str
    enhanced: bool
    on_error: str
    _corpus: Corpus | None = field(default=None)

    def corpus(self) -> Corpus:
        """The corpus."""
        if self._corpus is None:
            self._corpus = read_side(self.path, enhanced=self.enhanced, on_error=self.on_error)
        return self._corpus


def score_treebank(job: TreebankJob, settings: TaskSettings) -> TreebankResult:
    """Score all systems on a treebank. A file that is missing or cannot be read has a problem, and stops nothing.

    Raises CorpusError if gold cannot be read.
    """
    gold = _Gold(job.gold, bool(settings.enhanced), settings.on_error)
    gold_hash = _file_hash(job.gold)
    pairs = [_score_pair(gold, path, job.name, settings, gold_hash) for path in job.systems]
    counts = [pair.counts for pair in pairs]
    totals = np.zeros((len(job.systems), len(COLUMNS)), np.int64)
    for k, of_system in enumerate(counts):
        if of_system is not None:
            totals[k] = of_system.sum(axis=0, dtype=np.int64)
    samples = _resampled(counts, settings, np.random.default_rng([settings.seed, job.number]))
    problems, rows = tuple(pair.problem for pair in pairs), tuple(pair.row for pair in pairs)
    return TreebankResult(job.number, totals, problems, samples, rows, tuple(pair.left_out for pair in pairs))


@dataclass(frozen=True, slots=True)
class _Pair:
    """What is known of a system's file: its counts for each gold sentence and its row, or why it cannot be scored."""

    counts: np.ndarray | None = None
    row: Row | None = None
    problem: str = ""
    left_out: str = ""


def _score_pair(gold: _Gold, path: str | None, treebank: str, settings: TaskSettings, gold_hash: str) -> _Pair:
    """Score a system's file, or take what was kept of it."""
    if path is None:
        return _Pair(problem=MISSING)
    options = settings.subtypes, settings.enhanced, settings.on_error, settings.paper, COLUMNS, __version__
    try:
        key = hashlib.sha256(repr((gold_hash, _file_hash(path), options)).encode()).hexdigest()
    except CorpusError as error:
        return _Pair(problem=str(error))
    stored = settings.cache and os.path.join(settings.cache, key[:2], f"{key}.npz")
    if stored and (kept := _load(stored, treebank)) is not None:
        return kept
    corpus = gold.corpus()  # an error in gold is not the system's
    try:
        system = read_side(path, enhanced=bool(settings.enhanced), on_error=settings.on_error)
        evaluation = evaluate(corpus, system, subtypes=settings.subtypes, enhanced=settings.enhanced)
        row = row_of(Pair(treebank, "", ""), evaluation) if settings.paper else None
    except TreegaugeError as error:
        return _Pair(problem=" ".join(str(error).split()))
    pair = _Pair(evaluation.counts, row, left_out=evaluation.coverage.text.removeprefix("; "))
    if stored:
        with suppress(OSError, OutputError):  # what cannot be kept is scored again the next time
            _store(stored, pair)
    return pair


def _file_hash(path: str) -> str:
    """The SHA-256 of a file's bytes, as they are stored."""
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error


def _store(path: str, pair: _Pair) -> None:
    """Keep the counts and the row of a pair in a file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    arrays: dict[str, Any] = {"counts": pair.counts, "left_out": np.array(pair.left_out)}
    if pair.row is not None:
        arrays["names"] = np.array(list(pair.row.values))
        arrays["values"] = np.array([np.nan if value is None else value for value in pair.row.values.values()])
    with write_whole(path) as stream:
        np.savez_compressed(stream, **arrays)


def _load(path: str, treebank: str) -> _Pair | None:
    """What a file keeps of a pair; None if there is no such file, or if it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            row = None
            if "names" in arrays.files:
                values = [None if np.isnan(value) else value for value in arrays["values"].tolist()]
                row = Row(treebank, "", dict(zip(arrays["names"].tolist(), values, strict=True)))
            return _Pair(arrays["counts"], row, left_out=str(arrays["left_out"]))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError):
        return None


def _resampled(counts: Sequence[np.ndarray | None], settings: TaskSettings, rng: np.random.Generator) -> np.ndarray:
    """F1 on sentences drawn with replacement, the same ones for all systems: [metric, system, sample]."""
    result = np.zeros((len(settings.metrics), len(counts), settings.samples), np.float32)
    known = [k for k, of_system in enumerate(counts) if of_system is not None]
    if not known:
        return result
    of_system = [[halves(counts[k], metric) for metric in settings.metrics] for k in known]  # type: ignore[arg-type]
    table = np.array(of_system).transpose(2, 0, 1, 3)  # by sentence, system, metric, half
    n = len(table)
    flat = table.reshape(n, -1)
    done = 0
    for weights in drawn_sentences(n, settings.samples, rng):
        sums = (weights @ flat).reshape(len(weights), len(known), len(settings.metrics), 2)
        result[:, known, done : done + len(weights)] = f1_of_halves(sums).transpose(2, 1, 0)
        done += len(weights)
    return result
