"""Where work runs: on threads, in this process, in several, or on the workers of a Dask cluster."""

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
_ANSWER = "10s"  # in which a scheduler must answer
_WIDTH = 8  # results that are added up at a time


class WorkerLostError(TreegaugeError):
    """A process or machine that vanished with its work."""


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
    """A sum taken in groups of eight, groups of groups, and so on: few results are held, and none is added often."""

    def __init__(self, add: Callable[[list[Any]], Any]) -> None:
        self._add = add
        self._levels: list[list[Any]] = []

    def put(self, result: Any, level: int = 0) -> None:
        """Take a result in."""
        if level == len(self._levels):
            self._levels.append([])
        self._levels[level].append(result)
        if len(self._levels[level]) == _WIDTH:
            group, self._levels[level] = self._levels[level], []
            self.put(self._add(group), level + 1)

    def total(self) -> Any:
        """The sum of all that was put in; None of nothing."""
        rest = [result for level in self._levels for result in level]
        return None if not rest else self._add(rest) if len(rest) > 1 else rest[0]


class Summing(NamedTuple):
    """Work whose results are added up."""

    function: Callable[[Any], Any]  # gives the result of a job
    add: Callable[[list[Any]], Any]  # gives the sum of some results, however they are bracketed
    note: Callable[[Any], Any]  # gives what is told of a result


class Pool:
    """Runs functions on jobs: here one after the other, in this process."""

    @property
    def workers(self) -> int:
        """How many jobs run at a time."""
        return 1

    def results(self, function: Callable[..., Result], jobs: Iterable[Any], *shared: Any) -> Iterator[Result]:
        """function(job, *shared) of each job, as they come; few more jobs are taken than there are workers.

        shared: what all jobs need, a model say; it travels to a worker once.
        """
        return (function(job, *shared) for job in jobs)

    def total(self, work: Summing, jobs: Iterable[Any], done: Callable[[Any], None]) -> Any:
        """All results added up; `done` is told the note of each. None of no jobs."""
        sums = GroupedSum(work.add)
        for result in self.results(work.function, jobs):
            done(work.note(result))
            sums.put(result)
        return sums.total()


class Processes(Pool):
    """Several processes of this machine; sums are taken in this one."""

    def __init__(self, executor: ProcessPoolExecutor, workers: int) -> None:
        self._executor, self._workers, self._most = executor, workers, 2 * workers

    @property
    def workers(self) -> int:
        """How many processes there are."""
        return self._workers

    def results(self, function: Callable[..., Result], jobs: Iterable[Any], *shared: Any) -> Iterator[Result]:
        """The result of each job, as they come; what is shared travels with every job."""
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
    """Processes that end when this one does, however it ends."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    spawn = get_context("spawn")  # a fork would copy threads' locks, such as those of a progress bar
    theirs, ours = spawn.Pipe(duplex=False)
    executor = ProcessPoolExecutor(workers, spawn, _end_with, (theirs,))
    try:
        yield Processes(executor, workers)
        executor.shutdown()
    finally:
        ours.close()
        theirs.close()
        executor.shutdown(cancel_futures=True)  # waits for its thread, which may else fail while Python ends


def _end_with(parent: Connection) -> None:
    """In a worker: leave Ctrl-C to the parent, and end when its side of the pipe closes."""
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
    """The workers of a Dask cluster; a job whose worker vanishes is done again by another, sums are taken there."""

    def __init__(self, client: distributed.Client) -> None:
        self._client = client

    @property
    def workers(self) -> int:
        """How many jobs the cluster runs at a time, as it is now."""
        return max(sum(self._client.nthreads().values()), 1)

    def results(self, function: Callable[..., Result], jobs: Iterable[Any], *shared: Any) -> Iterator[Result]:
        """The result of each job, as they come."""
        scattered = [self._client.scatter(value, broadcast=True, hash=False) for value in shared]
        submit = self._client.submit
        for future in self._finished(submit(function, job, *scattered, pure=False) for job in jobs):
            yield self._got(future)

    def _finished(self, futures: Iterable[distributed.Future]) -> Iterator[distributed.Future]:
        """Futures as they finish; more are taken in as there is room, which workers may join to widen."""
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

    def _got(self, future: distributed.Future) -> Any:
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise WorkerLostError(f"several workers of the cluster ended at the same job: {error}") from error

    def total(self, work: Summing, jobs: Iterable[Any], done: Callable[[Any], None]) -> Any:
        """All results added up, on the workers; only notes and the total travel here."""
        submit = self._client.submit
        sums = GroupedSum(lambda group: submit(work.add, group, pure=False))
        held: dict[str, distributed.Future] = {}

        def notes() -> Iterator[distributed.Future]:
            for job in jobs:
                result = submit(work.function, job, pure=False)
                noted = submit(work.note, result, pure=False)
                held[noted.key] = result
                yield noted

        for noted in self._finished(notes()):
            done(self._got(noted))
            sums.put(held.pop(noted.key))
        total = sums.total()
        return None if total is None else self._got(total)


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


_FEW = 2000  # words: starting threads takes longer


def run_over(start: np.ndarray, run: Callable[..., None], threads: int | None = None) -> None:
    """Let run(start, first, last) run over the sentences that start there, a part of them on each thread."""
    threads = threads or min(os.cpu_count() or 1, 8)
    n = int(start[-1])
    threads = 1 if n < _FEW else threads
    ends = np.searchsorted(start, np.linspace(0, n, threads + 1)).tolist() if n else [0, 0]
    ends[-1] = len(start) - 1

    def part(first: int, last: int) -> None:
        with np.errstate(over="ignore"):  # interpreted, hashes overflow loudly
            run(start, first, last)

    if threads == 1:
        part(0, ends[-1])
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(part, ends[:-1], ends[1:]))
