"""Nets of the folds of a corpus, each learned from the other folds: on several processes, kept in the user's cache.

A net is kept under a hash of all that it is learned from, so that a run that was stopped goes on where it was, and a
second run on the same text learns nothing. Where the text has changed a little, learning goes on from the net of the
same fold of the text before, in a quarter of the passes; but never from a net that has seen sentences of the fold that
is to be judged.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from treegauge.corpus.files import write_whole
from treegauge.corpus.pool import open_pool
from treegauge.errors import ModelError
from treegauge.models.model import net_bytes, parse_net
from treegauge.models.net.training import NetOptions, NetTask, learn_task
from treegauge.models.net.weights import NetWeights

VERSION = b"1"  # another one if nets are learned otherwise


def cache_folder() -> str:
    """The folder where nets are kept: `nets` in TREEGAUGE_CACHE, or in the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(os.environ.get("TREEGAUGE_CACHE") or os.path.join(base, "treegauge"), "nets")


@dataclass(frozen=True)
class FoldTask:
    """What the net of a fold is learned from, and the sentences that it is to judge, as hashes of their words."""

    task: NetTask
    learned: np.ndarray
    judged: np.ndarray
    lineage: str  # the same for the same fold of an older or newer version of a text


def sentence_hashes(task: NetTask) -> np.ndarray:
    """A number for each sentence, the same for the same words."""
    text = task.text
    mixed = np.array([1000003], dtype=np.uint64) ** np.arange(text.pieces.shape[1], dtype=np.uint64)
    with np.errstate(over="ignore"):
        word = (text.pieces.astype(np.uint64) * mixed).sum(axis=1)
        place = np.arange(text.n_words) - np.repeat(text.start[:-1], np.diff(text.start))
        word = (word + np.uint64(7)) * (place.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1))
        total = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(word)])
    return total[text.start[1:]] - total[text.start[:-1]]


def task_key(task: NetTask) -> str:
    """A hash of all that a net is learned from."""
    known = (asdict(task.sizes), task.options.seed, task.options.most, task.options.passes, task.encoder)
    digest = hashlib.sha256(VERSION + repr((known, task.relations, task.tags)).encode())
    text = task.text
    for array in (text.pieces, text.tag, text.features, text.head, text.relation, text.start):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def nets_of_folds(
    tasks: Sequence[FoldTask],
    *,
    workers: int | None = None,
    folder: str | None = None,
    progress: Callable[[int], None] = lambda words: None,
) -> list[NetWeights]:
    """The net of each fold; workers: processes, by default as many as there are cores this process may use.

    progress gets the number of words of each fold that is done.
    """
    folder = cache_folder() if folder is None else folder
    nets: dict[int, NetWeights] = {}
    jobs = []
    for k, fold in enumerate(tasks):
        known = _kept(os.path.join(folder, f"{task_key(fold.task)}.net"))
        if known is not None:
            nets[k] = known
            progress(fold.task.text.n_words)
        else:
            jobs.append((k, _going_on(fold, folder)))
    if jobs:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        with open_pool(min(workers or cores, len(jobs))) as pool:
            for k, content in pool.results(_learn, jobs):
                nets[k] = parse_net(content, "the net of a fold")
                _keep(folder, tasks[k], content)
                progress(tasks[k].task.text.n_words)
    return [nets[k] for k in range(len(tasks))]


def _learn(job: tuple[int, NetTask]) -> tuple[int, bytes]:
    """In a process: the number of a fold, and its net as the content of a file."""
    k, task = job
    return k, net_bytes(learn_task(task))


def _kept(path: str) -> NetWeights | None:
    """The net in a file of the cache; None if there is none, or if it is damaged."""
    try:
        with open(path, "rb") as stream:
            return parse_net(stream.read(), path)
    except (OSError, ModelError):
        return None


def _lineage_file(folder: str, fold: FoldTask) -> str:
    name = hashlib.sha256(fold.lineage.encode("utf-8", "surrogateescape")).hexdigest()
    return os.path.join(folder, f"{name}.last")


def _keep(folder: str, fold: FoldTask, content: bytes) -> None:
    """Keep a net, and for its lineage which net came last and which sentences it has seen."""
    os.makedirs(folder, exist_ok=True)
    key = task_key(fold.task)
    for path, parts in (
        (os.path.join(folder, f"{key}.net"), (content,)),
        (_lineage_file(folder, fold), (key.encode(), b"\n", fold.learned.astype("<u8").tobytes())),
    ):
        with write_whole(path) as stream:
            for part in parts:
                stream.write(part)


def _going_on(fold: FoldTask, folder: str) -> NetTask:
    """The task, from the last net of the lineage on if that has not seen what is to be judged now."""
    try:
        with open(_lineage_file(folder, fold), "rb") as stream:
            key, _, hashes = stream.read().partition(b"\n")
    except OSError:
        return fold.task
    if len(key) != 64 or len(hashes) % 8 or not key.isalnum():
        return fold.task
    seen = np.setdiff1d(np.frombuffer(hashes, dtype="<u8"), fold.learned)
    before = _kept(os.path.join(folder, f"{key.decode()}.net"))
    if before is None or before.sizes != fold.task.sizes or np.isin(fold.judged, seen).any():
        return fold.task
    options: NetOptions = replace(fold.task.options, start=before)
    return replace(fold.task, options=options)
