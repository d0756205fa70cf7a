"""Run work on threads, in this process, in several processes, or on the workers of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from treegauge.errors import OptionError, TreegaugeError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.connection import Connection

    import distributed


from concurrent.futures import ThreadPoolExecutor

import numpy as np

Result = TypeVar("Result")
_ANSWER = "10s"  # how long one waits for the answer of a scheduler
_WIDTH = 8  # how many results are added up at a time


class WorkerLostError(TreegaugeError):
    """A process or a machine ended before its work was done."""


@contextmanager
def open_pool(workers: int = 1, cluster: str | None = None) -> Iterator[Pool]:
    """A pool of so many processes, or of the workers of the Dask scheduler at an address (`tcp://…`)."""
    if cluster is not None:
        with _cluster(cluster) as pool:
            yield pool
    elif workers == 1:
        yield Pool()
    else:
        with _processes(workers) as pool:
            yield pool


class GroupedSum:
    """A sum in groups of eight, groups of groups, and so on: few results are in memory, and each is added few times."""

    def __init__(self, add: Callable[[list[Any]], Any]) -> None:
        self._add = add
        self._levels: list[list[Any]] = []

    def put(self, result: Any, level: int = 0) -> None:
        """Add a result."""
        if level == len(self._levels):
            self._levels.append([])
        self._levels[level].append(result)
        if len(self._levels[level]) == _WIDTH:
            group, self._levels[level] = self._levels[level], []
            self.put(self._add(group), level + 1)

    def total(self) -> Any:
        """The sum of all results; None if there are no results."""
        rest = [result for level in self._levels for result in level]
        return None if not rest else self._add(rest) if len(rest) > 1 else rest[0]


class SumTask(NamedTuple):
    """A task whose results are added up."""

    function: Callable[[Any], Any]  # gives the result of a job
    add: Callable[[list[Any]], Any]  # gives the sum of some results; their grouping must not matter
    note: Callable[[Any], Any]  # gives the part of a result that is reported


class Pool:
    """Runs a function on each job; this class runs them one after the other, in this process."""

    @property
    def workers(self) -> int:
        """How many jobs run at a time."""
        return 1

    def results(self, function: Callable[..., Result], jobs: Iterable[Any], *shared: Any) -> Iterator[Result]:
        """The value of function(job, *shared) for each job, in the order in which they finish.

        Only a few more jobs are started than there are workers. shared: values that all jobs need, such as a model;
        they are sent to a worker once.
        """
        return (function(job, *shared) for job in jobs)

    def total(self, work: SumTask, jobs: Iterable[Any], done: Callable[[Any], None]) -> Any:
        """The sum of all results; None if there are no jobs. `done` is called with the note of each result."""
        sums = GroupedSum(work.add)
        for result in self.results(work.function, jobs):
            done(work.note(result))
            sums.put(result)
        return sums.total()


class Processes(Pool):
    """Several processes of this machine; the main process adds up results."""

    def __init__(self, executor: ProcessPoolExecutor, workers: int) -> None:
        self._executor, self._workers, self._most = executor, workers, 2 * workers

    @property
    def workers(self) -> int:
        """How many processes there are."""
        return self._workers

    def results(self, function: Callable[..., Result], jobs: Iterable[Any], *shared: Any) -> Iterator[Result]:
        """The result of each job, in the order in which they finish; shared values are sent with every job."""
        from concurrent.futures import FIRST_COMPLETED, wait
        from concurrent.futures.process import BrokenProcessPool

        waiting = iter(jobs)
        running: set[Future[Result]] = set()
        try:
            while True:
                new = islice(waiting, self._most - len(running))
                running |= {self._executor.submit(function, job, *shared) for job in new}
                if not running:
                    return
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield future.result()
        except BrokenProcessPool as error:
            raise WorkerLostError("a worker process ended of itself or was killed (is memory short?)") from error


@contextmanager
def _processes(workers: int) -> Iterator[Processes]:
    """Processes that end when this process ends, for any reason."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    spawn = get_context("spawn")  # a fork would copy the locks of threads, such as those of a progress bar
    theirs, ours = spawn.Pipe(duplex=False)
    executor = ProcessPoolExecutor(workers, spawn, _end_with, (theirs,))
    try:
        yield Processes(executor, workers)
        executor.shutdown()
    finally:
        ours.close()
        theirs.close()
        executor.shutdown(cancel_futures=True)  # waits for its thread, which could otherwise fail while Python ends


def _end_with(parent: Connection) -> None:
    """In a worker: ignore Ctrl-C, and end when the parent closes its side of the pipe."""
    import signal
    from threading import Thread

    def watch() -> None:
        try:
            parent.recv()
        except EOFError:
            os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=watch, daemon=True).start()


class Cluster(Pool):
    """The workers of a Dask cluster, which also add up results; if a worker is lost, another one does its job."""

    def __init__(self, client: distributed.Client) -> None:
        self._client = client

    @property
    def workers(self) -> int:
        """How many jobs the cluster can run at a time now."""
        return max(sum(self._client.nthreads().values()), 1)

    def results(self, function: Callable[..., Result], jobs: Iterable[Any], *shared: Any) -> Iterator[Result]:
        """The result of each job, in the order in which they finish."""
        scattered = [self._client.scatter(value, broadcast=True, hash=False) for value in shared]
        submit = self._client.submit
        for future in self._finished(submit(function, job, *scattered, pure=False) for job in jobs):
            yield self._result(future)

    def _finished(self, futures: Iterable[distributed.Future]) -> Iterator[distributed.Future]:
        """The futures in the order in which they finish; new ones start when there are free workers."""
        from distributed import as_completed

        finished = as_completed(loop=self._client.loop)
        running = 0
        for future in futures:
            finished.add(future)
            running += 1
            if running >= 2 * self.workers:
                yield next(finished)
                running -= 1
        yield from finished

    def _result(self, future: distributed.Future) -> Any:
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise WorkerLostError(f"several workers of the cluster ended at the same job: {error}") from error

    def total(self, work: SumTask, jobs: Iterable[Any], done: Callable[[Any], None]) -> Any:
        """The sum of all results, made by the workers; only the notes and the sum are sent here."""
        submit = self._client.submit
        sums = GroupedSum(lambda group: submit(work.add, group, pure=False))
        result_of: dict[str, distributed.Future] = {}

        def notes() -> Iterator[distributed.Future]:
            for job in jobs:
                result = submit(work.function, job, pure=False)
                note = submit(work.note, result, pure=False)
                result_of[note.key] = result
                yield note

        for note in self._finished(notes()):
            done(self._result(note))
            sums.put(result_of.pop(note.key))
        total = sums.total()
        return None if total is None else self._result(total)


@contextmanager
def _cluster(address: str) -> Iterator[Cluster]:
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise OptionError("--cluster needs Dask: pip install 'treegauge[distributed]'") from error
    try:
        client = Client(address, timeout=_ANSWER, set_as_default=False)
    except (OSError, ValueError) as error:
        raise OptionError(f"--cluster {address}: no Dask scheduler answers there ({error})") from error
    with client:
        yield Cluster(client)


_FEW = 2000  # with fewer words, starting threads takes longer than the work


def run_over(start: np.ndarray, run: Callable[..., None], threads: int | None = None) -> None:
    """Call run(start, first, last) on several threads, each for some of the sentences that begin at `start`."""
    threads = threads or min(os.cpu_count() or 1, 8)
    n = int(start[-1])
    threads = 1 if n < _FEW else threads
    ends = np.searchsorted(start, np.linspace(0, n, threads + 1)).tolist() if n else [0, 0]
    ends[-1] = len(start) - 1

    def part(first: int, last: int) -> None:
        with np.errstate(over="ignore"):  # interpreted code would warn when hashes overflow
            run(start, first, last)

    if threads == 1:
        part(0, ends[-1])
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(part, ends[:-1], ends[1:]))
