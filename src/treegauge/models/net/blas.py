"""Holds the BLAS that comes with NumPy at one thread."""

from __future__ import annotations

import ctypes
import glob
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

import numpy as np

_NAMES = ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads")
_lock = Lock()
_users = 0
_before = 0


@cache
def _threads() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """How many threads OpenBLAS uses, and what sets it; None where NumPy brings no OpenBLAS."""
    folder = os.path.dirname(np.__file__)
    for path in glob.glob(os.path.join(folder + ".libs", "*openblas*")) + glob.glob(
        os.path.join(folder, ".dylibs", "*openblas*")
    ):
        try:
            library = ctypes.CDLL(path)  # NumPy has loaded it: this is the same one
        except OSError:
            continue
        for name in _NAMES:
            get, put = (getattr(library, name.format(verb), None) for verb in ("get", "set"))
            if get is not None and put is not None:
                return get, put
    return None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within, products of matrices use one thread, whoever makes them; afterwards as many as before."""
    global _users, _before
    library = _threads()
    if library is None:
        yield
        return
    get, put = library
    with _lock:
        _users += 1
        if _users == 1:
            _before = int(get())
            put(1)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                put(_before)
