"""Temporary files and folders; those that a killed run left behind are removed by the next run.

A run holds a lock on its temporary files until it removes them: a file without a lock is a leftover. On systems without
such locks (Windows), leftovers are not removed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

try:
    import fcntl
except ModuleNotFoundError:
    fcntl = None  # type: ignore[assignment]

_LONGEST_NAME = 255  # bytes
_LOOKED_AT = 8  # leftovers are searched under so many names


@contextmanager
def temporary_file(path: str, mode: int) -> Iterator[tuple[str, int]]:
    """A new file beside `path`, such as `.NAME.0.part`, and its descriptor, which the caller closes."""
    folder, name = os.path.split(path)
    ending = ".{}.part"
    short = os.fsdecode(os.fsencode(name)[: _LONGEST_NAME - len(ending) - 4])
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    new_path, handle = _claimed(os.path.join(folder, f".{short}{ending}"), lambda new: os.open(new, flags, mode))
    lock = os.dup(handle) if fcntl else None
    try:
        yield new_path, handle
    finally:
        if lock is not None:
            os.close(lock)


@contextmanager
def temporary_folder(home: str, name: str) -> Iterator[str]:
    """A new folder in `home`, such as `NAME-0`, which is removed at the end."""
    from shutil import rmtree

    def make(path: str) -> int | None:
        os.mkdir(path, 0o700)
        try:
            return os.open(path, os.O_RDONLY) if fcntl else -1
        except FileNotFoundError:
            return None

    folder, handle = _claimed(os.path.join(home, name + "-{}"), make)
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)
        if handle >= 0:
            os.close(handle)


def _claimed(pattern: str, make: Callable[[str], int | None]) -> tuple[str, int]:
    """The first path of a pattern that can be made, and its descriptor, locked; leftovers are removed.

    Between making a path and locking it, another run may remove it as a leftover. `make` returns None if it sees that;
    then the same path is made again.
    """
    before, after = pattern.rsplit("{}", 1)
    for k in range(_LOOKED_AT):
        _remove_left_over(f"{before}{k}{after}")
    k = 0
    while True:
        path = f"{before}{k}{after}"
        try:
            handle = make(path)
        except FileExistsError:
            k += 1
            continue
        if handle is None:
            continue
        if handle < 0 or fcntl is None or (_locked(handle) and _is(path, handle)):
            return path, handle
        os.close(handle)


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
    """Try to lock a file; False if another run has the lock."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _is(path: str, handle: int) -> bool:
    """Whether a path is still the file that was opened."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(handle))
    except OSError:
        return False
