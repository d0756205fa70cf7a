"""A log of what was read: for each file how much, what was left out, and which columns were empty.

    with ReadingLog() as log:
        …  # whatever reads corpora here is in the log
    log.total.notes.n_sentences  # how many sentences were left out of all files

A file that is read twice is in it once, as it was read last. If logs are nested, only the innermost is written to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from treegauge.corpus.columns import NO_NOTES, ReadingNotes
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.corpus.corpus import Corpus

MOST_LISTED = 20  # how many sentences that were left out are listed one by one
_open_logs: list[ReadingLog] = []
_lock = Lock()


@dataclass(frozen=True, slots=True)
class FileRead:
    """What was read of a file."""

    n_sentences: int = 0
    n_words: int = 0
    notes: ReadingNotes = NO_NOTES

    def __add__(self, more: FileRead) -> FileRead:
        return FileRead(self.n_sentences + more.n_sentences, self.n_words + more.n_words, self.notes + more.notes)


class ReadingLog:
    """The files that were read inside its `with` block."""

    def __init__(self, tell: Callable[[str], None] = lambda line: None) -> None:
        """tell: a function that is told at once that several files are read as one corpus."""
        self.files: dict[str, FileRead] = {}
        self.joined: dict[str, int] = {}  # a folder or glob -> how many files it stands for
        self.tell = tell

    def __enter__(self) -> ReadingLog:
        _open_logs.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _open_logs.remove(self)

    @property
    def total(self) -> FileRead:
        """What was read of all files."""
        return sum(self.files.values(), FileRead())

    @property
    def share(self) -> float:
        """The share of all words whose sentences were not left out."""
        total = self.total
        everything = total.n_words + total.notes.n_words
        return total.n_words / everything if everything else 1.0

    def signature(self) -> str:
        """What a signature says about sentences that were left out; empty if there are none."""
        return skipped_signature(self.total.notes.n_sentences, self.share)

    def lines(self) -> Iterator[str]:
        """What to tell the user: for each file, which columns were empty; then what was left out."""
        for path, file in self.files.items():
            empty = file.notes.empty
            if empty:
                counts = ", ".join(f"{column.count:,} empty {name}" for name, column in empty.items())
                first = min(column.line for column in empty.values())
                yield f"{path}:{first}: {counts} read as _, the first in this line (--strict refuses them)"
        total = self.total
        defects = (defect for file in self.files.values() for defect in file.notes.defects)
        yield from (f"left out: {defect}" for defect in islice(defects, MOST_LISTED))
        if total.notes.n_sentences:
            words = counted(total.notes.n_words, "word")
            everything = total.n_words + total.notes.n_words
            share = f"{words} of {everything:,}, {100 * (1 - self.share):.2f} %"
            listed = f"; the first {MOST_LISTED} are listed" if total.notes.n_sentences > MOST_LISTED else ""
            yield f"left out: {counted(total.notes.n_sentences, 'malformed sentence')} ({share}{listed})"


def skipped_signature(n_sentences: int, share: float) -> str:
    """The part of a signature that says how many sentences were left out, and which share of the words stayed."""
    return f"skipped:{n_sentences},{100 * share:.2f}%scored" if n_sentences else ""


def begin_file(path: str) -> None:
    """Note that a file is read from its beginning."""
    with _lock:
        for log in _open_logs[-1:]:
            log.files[path] = FileRead()


def note_joined(path: str, n: int) -> None:
    """Note that a folder or a glob stands for several files, which are read as one corpus."""
    for log in _open_logs[-1:]:
        if log.joined.setdefault(path, 0) != n:
            log.joined[path] = n
            log.tell(f"{path}: {n:,} files, read as one corpus")


def note_piece(path: str, piece: Corpus) -> None:
    """Note a piece of a file that was read."""
    note(path, FileRead(piece.n_sentences, piece.n_words, piece.notes))


def note(path: str, part: FileRead) -> None:
    """Note what was read of a part of a file."""
    with _lock:
        for log in _open_logs[-1:]:
            log.files[path] = log.files.get(path, FileRead()) + part
