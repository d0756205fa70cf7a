"""Kernels run over the sentences of a corpus on several threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

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
