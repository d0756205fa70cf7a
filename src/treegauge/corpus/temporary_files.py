"""Temporary files and folders, and what a run that was killed left behind of them: the next run removes it.

Whoever makes one holds a lock on it until it is gone: one that nobody holds is a leftover. Where there are no such
locks (Windows), nothing is taken for a leftover.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

try:
    import fcntl
except ModuleNotFoundError:
    fcntl = None  # type: ignore[assignment]

_LONGEST_NAME = 255  # bytes
_LOOKED_AT = 8  # names at which leftovers are looked for


@contextmanager
def temporary_file(path: str, mode: int) -> Iterator[tuple[str, int]]:
    """A new file beside `path`, `.NAME.0.part` say, and its descriptor, which the caller closes."""
    folder, name = os.path.split(path)
    ending = ".{}.part"
    short = os.fsdecode(os.fsencode(name)[: _LONGEST_NAME - len(ending) - 4])
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    made, handle = _claimed(os.path.join(folder, f".{short}{ending}"), lambda made: os.open(made, flags, mode))
    lock = os.dup(handle) if fcntl else None
    try:
        yield made, handle
    finally:
        if lock is not None:
            os.close(lock)


@contextmanager
def temporary_folder(home: str, name: str) -> Iterator[str]:
    """A new folder in `home`, `NAME-0` say, that is gone at the end."""
    from shutil import rmtree

    def make(path: str) -> int:
        os.mkdir(path, 0o700)
        return os.open(path, os.O_RDONLY) if fcntl else -1

    made, handle = _claimed(os.path.join(home, name + "-{}"), make)
    try:
        yield made
    finally:
        rmtree(made, ignore_errors=True)
        if handle >= 0:
            os.close(handle)


def _claimed(pattern: str, make: Callable[[str], int]) -> tuple[str, int]:
    """The first path of a pattern that can be made, and its descriptor, locked; leftovers are removed."""
    before, after = pattern.rsplit("{}", 1)
    for k in range(_LOOKED_AT):
        _remove_left_over(f"{before}{k}{after}")
    for k in count():
        path = f"{before}{k}{after}"
        try:
            handle = make(path)
        except FileExistsError:
            continue
        if handle < 0 or fcntl is None or (_locked(handle) and _is(path, handle)):
            return path, handle
        os.close(handle)  # another run took it for a leftover at that moment
    raise AssertionError


def _remove_left_over(path: str) -> None:
    if fcntl is None or not os.path.lexists(path):
        return
    from shutil import rmtree

    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        if os.fstat(handle).st_uid == os.geteuid() and _locked(handle) and _is(path, handle):
            if os.path.isdir(path):
                rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)
    except OSError:
        pass
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    """Whether the lock could be had."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _is(path: str, handle: int) -> bool:
    """Whether a path is still what was opened."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(handle))
    except OSError:
        return False
