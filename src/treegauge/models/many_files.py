"""Models from many files by many workers: each counts parts of the files, and learns weights from a share of them.

Counts add up exactly. Weights are averaged: after a first round every worker goes on from the mean, over its share once
more, and the mean of that is the result (iterative parameter mixing: McDonald, Hall and Mann 2010). It is near to what
one machine learns in one pass, not equal to it: docs/scale.md says how near.
"""

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import BinaryIO, cast

from treegauge.corpus.columns import ReadingNotes
from treegauge.corpus.conllu import Place, Reader
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import COMPRESSED, is_remote, open_bytes, sentence_blocks
from treegauge.corpus.pool import Pool, SumTask
from treegauge.corpus.reading_log import FileRead, ReadingLog, begin_file, note
from treegauge.errors import OptionError
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.weights import ChoiceWeights, merge_weights
from treegauge.models.choice.words import COLUMNS
from treegauge.models.lisca.counts import build_reference
from treegauge.models.lisca.reference import CountSettings, Reference, Source, counted_columns, merge_references

PART_BYTES = 128 << 20  # some two million words
_LOOK = 1 << 16


@dataclass(frozen=True, slots=True)
class FilePart:
    """The sentences of a file that start in low ≤ byte < high; high=None for all the rest."""

    path: str
    low: int = 0
    high: int | None = None

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """The bytes of those sentences."""
        with open_bytes(path) as stream:
            if self.low == 0 and self.high is None:
                yield stream
                return
            low = _sentence_start(stream, self.low)
            high = os.fstat(stream.fileno()).st_size if self.high is None else _sentence_start(stream, self.high)
            stream.seek(low)
            yield cast(BinaryIO, _BoundedStream(stream, high - low))


class _BoundedStream(io.RawIOBase):
    """A stream that ends after so many bytes."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream, self._left = stream, size

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer, up to the bound."""
        got: int = self._stream.readinto(memoryview(buffer)[: self._left])  # type: ignore[attr-defined]
        self._left -= got
        return got


def _sentence_start(stream: BinaryIO, place: int) -> int:
    """The first byte at or behind a place that follows a blank line, or the end of the file."""
    if place == 0:
        return 0
    before = max(place - 3, 0)
    stream.seek(before)
    text, first = b"", max(place - before - 2, 0)
    while block := stream.read(_LOOK):
        text += block
        blank_lines = [at for at in (text.find(b"\n\n", first), text.find(b"\n\r\n")) if at >= 0]
        ends = [at + (2 if text[at + 1 : at + 2] == b"\n" else 3) for at in blank_lines]
        if ends:
            return before + min(ends)
        before, text, first = before + len(text) - 2, text[-2:], 0
    return before + len(text)


def parts_of(paths: Sequence[str], size: int = PART_BYTES) -> Iterator[FilePart]:
    """The files, long ones that are plain and on disk in parts of about `size` bytes."""
    for path in paths:
        if is_remote(path) or path.endswith(COMPRESSED) or not os.path.isfile(path):
            yield FilePart(path)
            continue
        last = max(os.path.getsize(path) - 1, 0) // size
        for k in range(last + 1):
            yield FilePart(path, k * size, (k + 1) * size if k < last else None)


@dataclass(frozen=True, slots=True)
class Report:
    """What was in a part, without its counts."""

    path: str
    sentences: int
    words: int
    notes: ReadingNotes


Counted = tuple[Reference, Report | None]  # counts and report of a part; a sum of counts has no report


def count_part(settings: CountSettings, part: FilePart) -> Counted:
    """The counts of one part."""
    with ReadingLog() as log:
        model = build_reference([part.path], settings, on_error="skip", opened=part.open)
    notes = log.total.notes
    if notes and part.low:
        notes = _before(part, settings).notes(notes)
    return replace(model, sources=()), Report(part.path, model.sentences, model.words, notes)


def _before(part: FilePart, settings: CountSettings) -> Place:
    """The lines and sentences before a part; they are counted only to tell where a defect is."""
    reader, place = Reader(counted_columns(settings), "skip"), Place(part.path)
    with FilePart(part.path, 0, part.low).open(part.path) as stream:
        for block in sentence_blocks(stream):
            _, place = reader.read(block, place)
    return place


def add_counts(group: list[Counted]) -> Counted:
    """The counts of all parts together."""
    return merge_references([reference for reference, _ in group]), None


def build_reference_on(
    pool: Pool,
    paths: Sequence[str],
    settings: CountSettings | None = None,
    *,
    on_error: str = "stop",
    part_bytes: int = PART_BYTES,
    progress: Callable[[int], None] = lambda words: None,
) -> Reference:
    """The counts of some files, by the workers of a pool; the same counts as `build_reference` gives.

    Every worker opens the files itself, so they must be where all workers find them under the same name. With
    on_error="stop" the first defect that a worker reports stops it.
    """
    if "-" in paths:
        raise OptionError("standard input cannot be shared among workers; give files, or use --threads")
    settings = settings or CountSettings()
    reports: list[Report] = []

    def done(report: Report) -> None:
        report.notes.check(report.path, on_error)
        note(report.path, FileRead(report.sentences, report.words, report.notes))
        reports.append(report)
        progress(report.words)

    for path in paths:
        begin_file(path)
    work = SumTask(partial(count_part, settings), add_counts, itemgetter(1))
    total: Counted | None = pool.total(work, parts_of(paths, part_bytes), done)
    if total is None:
        return build_reference([], settings)
    size = {path: [0, 0] for path in paths}
    for report in reports:
        size[report.path][0] += report.sentences
        size[report.path][1] += report.words
    sources = [Source(os.path.basename(path), *size[path]) for path in paths]
    return replace(total[0], sources=tuple(sorted(sources)))


ROUNDS = 2
Share = tuple[FilePart, ...]


def learn_choice_on(
    pool: Pool,
    paths: Sequence[str],
    relations: Sequence[str],
    *,
    part_bytes: int = PART_BYTES,
    progress: Callable[[int], None] = lambda words: None,
) -> ChoiceWeights:
    """The weights learned from some files by the workers of a pool, each from its share; malformed sentences left out.

    relations: all relations that occur, so that every worker chooses among the same ones.
    """
    if "-" in paths:
        raise OptionError("standard input cannot be shared among workers; give files, or use --threads")
    mean: ChoiceWeights | None = None
    shares = shares_of(list(parts_of(paths, part_bytes)), pool.workers)
    for _ in range(ROUNDS if len(shares) > 1 else 1):
        learned: dict[int, ChoiceWeights] = {}
        for k, weights in pool.results(learn_share, enumerate(shares), tuple(relations), mean):
            learned[k] = weights
            progress(weights.words)
        parts = [learned[k] for k in sorted(learned)]
        mean = merge_weights(parts) if len(parts) > 1 else parts[0]
    assert mean is not None
    return mean


def shares_of(parts: Sequence[FilePart], n: int) -> list[Share]:
    """The parts in n shares of about the same number, each of neighbours; fewer if there are fewer parts."""
    n = max(min(n, len(parts)), 1)
    bounds = [k * len(parts) // n for k in range(n + 1)]
    return [tuple(parts[low:high]) for low, high in pairwise(bounds)]


def learn_share(
    job: tuple[int, Share], relations: tuple[str, ...], start: ChoiceWeights | None
) -> tuple[int, ChoiceWeights]:
    """The number of a share, and what is learned from it, going on from `start`."""
    number, share = job
    return number, learn_choice(_pieces(share), relations=relations, start=start)


def _pieces(share: Share) -> Iterator[Corpus]:
    reader = Reader(COLUMNS, "skip")
    for part in share:
        with part.open(part.path) as stream:
            for block in sentence_blocks(stream):
                yield reader.read(block, Place(part.path))[0]
