"""A ranking by many workers: each scores and sorts parts of the text, then each writes a range of the order.

1. Every part is surveyed: its sentences are numbered from where those before it end.
2. Every part is scored, and its arcs are sorted and written, with their texts, to a folder that all workers see.
3. Bisection over the sorted scores finds where each output file begins in each part: exactly, ties included.
4. Every output file is merged from its slices of the parts.

The result is, byte for byte, what one machine writes. If a worker vanishes, another one does its job again: a job
writes under a name of its own, or a whole file at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from treegauge.corpus.conllu import Place, Reader
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import STDIN, is_remote, sentence_blocks, write_whole
from treegauge.corpus.pool import Pool
from treegauge.corpus.reading_log import FileRead, begin_file, note
from treegauge.corpus.temporary_files import temporary_folder
from treegauge.errors import OptionError
from treegauge.models.many_files import FilePart, parts_of
from treegauge.ranking.job import RankJob, RankRequest
from treegauge.ranking.output_formats import RowFormat
from treegauge.ranking.scored import CORPUS, SUSPICIOUS, Listing, bin_of
from treegauge.ranking.sorter import Texts, append_array
from treegauge.ranking.stream import ListingBlock, StreamRanking, Tally
from treegauge.ranking.verdicts import Verdict
from treegauge.scorers.scorer import Scorer

_PART = 64 << 20  # bytes of text: a million words, whose arcs take some 300 MB as texts
_MOST_PARTS = 4096  # of plain files: beyond, parts are longer, and a worker sorts them on disk
_ROOM = 500_000_000  # bytes in which a worker sorts
_RANGE = 2_000_000  # arcs of a range where no --split says how many
_CHUNK = 200_000  # arcs that are merged at a time: some 50 MB
_SIGN = np.uint64(1 << 63)


class _Survey(NamedTuple):
    """What a part holds, counted without scoring."""

    number: int  # which part it is
    lines: int
    sentences: int
    read: FileRead


class _Task(NamedTuple):
    """A part to be scored, and how many sentences stand before it."""

    number: int
    part: FilePart
    before: int


class _SortedPart(NamedTuple):
    """A part's arcs in order, in files: keys, where their texts start, texts."""

    number: int
    stem: str
    n: int
    tally: Tally

    def keys(self) -> np.ndarray:
        return np.memmap(self.stem + ".key", np.float64, "r", shape=self.n) if self.n else np.empty(0)

    def texts(self, low: int, high: int) -> Texts:
        start = np.fromfile(self.stem + ".start", np.int64, high - low + 1, offset=8 * low)
        data = np.fromfile(self.stem + ".text", np.uint8, int(start[-1] - start[0]), offset=int(start[0]))
        return Texts(data, start - start[0])


class _Range(NamedTuple):
    """Places low to high of the order, the slice of each part that lies there, and the file they are written to."""

    low: int
    high: int
    slices: tuple[tuple[int, int], ...]
    path: str


@dataclass(frozen=True, slots=True)
class _Scoring:
    """What a worker needs to score a part."""

    request: RankRequest
    row_format: RowFormat
    scorer: Scorer
    verdicts: Sequence[Verdict] | None
    folder: str


def _check_request(request: RankRequest) -> RowFormat:
    """The format of a request; OptionError if workers cannot do it together."""
    if STDIN in request.paths or request.output == STDIN or is_remote(request.output):
        raise OptionError("--cluster reads files and writes -o FILE, in folders that all workers see")
    if not isinstance(request.output_format, RowFormat) or request.listing.order == CORPUS:
        raise OptionError("--cluster writes arcs in the order of their scores: not --format conllu, not --order corpus")
    if request.listing.bins_of_all or request.memory:
        raise OptionError("--cluster excludes --bins-of-all and --memory")
    return request.output_format


@contextmanager
def rank_on(
    pool: Pool,
    request: RankRequest,
    scorer: Scorer,
    *,
    verdicts: Sequence[Verdict] | None = None,
    progress: Callable[[int], None] = lambda words: None,
    part_bytes: int | None = None,
) -> Iterator[RankJob]:
    """Score and sort what is requested on the workers of a pool; the job can be written until the context ends.

    All workers must find the files, and the folder of the output, under the same names. progress is told the number of
    words as they are scored.
    """
    row_format = _check_request(request)
    row_format.check(scorer)
    request = replace(request, output=os.path.abspath(request.output), paths=tuple(map(_everywhere, request.paths)))
    parts = list(parts_of(request.paths, part_bytes or _part_size(request.paths)))
    before = _before(parts, sorted(pool.results(_surveyed, enumerate(parts))), request.on_error)
    with temporary_folder(os.path.dirname(request.output), ".treegauge-rank") as folder:
        shared = _Scoring(request, row_format, scorer, verdicts, folder)
        tasks = [_Task(k, part, n) for k, (part, n) in enumerate(zip(parts, before, strict=True))]
        sorted_parts: list[_SortedPart] = []
        for part in pool.results(_sorted_part, tasks, shared):
            sorted_parts.append(part)
            progress(part.tally.words)
        job = _ClusterJob(pool, shared, sorted(sorted_parts))
        request.check_tally(job.ranking.tally)
        yield job


def _everywhere(path: str) -> str:
    return path if is_remote(path) else os.path.abspath(path)


def _part_size(paths: Sequence[str]) -> int:
    """The bytes of a part such that there are not too many."""
    return max(_PART, sum(os.path.getsize(path) for path in paths if os.path.isfile(path)) // _MOST_PARTS)


def _surveyed(job: tuple[int, FilePart]) -> _Survey:
    number, part = job
    reader, place = Reader((), "skip"), Place(part.path)
    read = FileRead()
    with part.open(part.path) as stream:
        for block in sentence_blocks(stream):
            corpus, place = reader.read(block, place)
            read += FileRead(corpus.n_sentences, corpus.n_words, corpus.notes)
    return _Survey(number, place.lines, place.sentences, read)


def _before(parts: Sequence[FilePart], surveys: Sequence[_Survey], on_error: str) -> list[int]:
    """How many sentences stand before each part; defects are raised or told, with their lines in the files."""
    place = Place("")
    for part, survey in zip(parts, surveys, strict=True):
        if part.path != place.path or not part.low:
            place = Place(part.path)
            begin_file(part.path)
        notes = place.notes(survey.read.notes)
        notes.check(part.path, on_error)
        note(part.path, replace(survey.read, notes=notes))
        place += Place(part.path, survey.lines, survey.sentences)
    return list(accumulate((survey.sentences for survey in surveys), initial=0))[:-1]


def _pieces(task: _Task, columns: Sequence[str]) -> Iterator[Corpus]:
    """A part in pieces, sentences numbered through all files."""
    reader, place = Reader(columns, "skip"), Place(task.part.path)
    with task.part.open(task.part.path) as stream:
        for block in sentence_blocks(stream):
            piece, place = reader.read(block, place)
            yield replace(piece, number=piece.number + task.before)


def _sorted_part(task: _Task, scoring: _Scoring) -> _SortedPart:
    """Score a part, and leave its arcs in order in the folder."""
    from uuid import uuid4

    pieces, listing = _pieces(task, scoring.scorer.columns), scoring.request.listing
    ranking = StreamRanking(pieces, scoring.scorer, listing, unit=scoring.request.unit, verdicts=scoring.verdicts)
    stem = os.path.join(scoring.folder, f"{task.number}-{uuid4().hex}")
    with temporary_folder(scoring.folder, f"runs-{os.getpid()}") as folder:
        ranking.run(scoring.row_format.texts, folder=lambda: folder, room=lambda: _ROOM)
        append_array(np.zeros(1, dtype=np.int64), stem + ".start")
        bytes_before = 0
        for block in ranking.sorter.blocks():
            append_array(block.key, stem + ".key")
            append_array(block.texts.start[1:] - block.texts.start[0] + bytes_before, stem + ".start")
            append_array(block.texts.data[block.texts.start[0] : block.texts.start[-1]], stem + ".text")
            bytes_before += int(block.texts.start[-1] - block.texts.start[0])
    return _SortedPart(task.number, stem, ranking.sorter.n, ranking.tally)


class _ClusterJob(RankJob):
    """A ranking whose arcs lie sorted in parts."""

    def __init__(self, pool: Pool, scoring: _Scoring, parts: Sequence[_SortedPart]) -> None:
        request = scoring.request
        ranking = StreamRanking([], scoring.scorer, request.listing, unit=request.unit, verdicts=scoring.verdicts)
        ranking.tally = _total(part.tally for part in parts)
        super().__init__(request, ranking)
        self._pool, self._folder, self._row_format = pool, scoring.folder, scoring.row_format
        # in the suspicious order, arcs of equal scores come from the last to the first
        self._parts = tuple(parts[::-1] if request.listing.order == SUSPICIOUS else parts)
        self._n = sum(part.n for part in parts)

    def write(self) -> None:
        """The listing in its format; with --split every file is written by a worker."""
        request, rows = self.request, self._row_format
        header = rows.header(self.ranking.scorer, self.ranking.tally)
        ranges = self._ranges()
        ends = (header, rows.footer) if request.split else (b"", b"")
        for _ in self._pool.results(_write_range, ranges, rows, request.listing, self._parts, self._n, ends):
            pass
        if request.split:
            return
        with write_whole(request.output) as stream:
            stream.write(header)
            for k, part in enumerate(ranges):
                stream.write(rows.between if k and part.high > part.low else b"")
                with open(part.path, "rb") as piece:
                    while block := piece.read(1 << 20):
                        stream.write(block)
            stream.write(rows.footer)

    def _ranges(self) -> list[_Range]:
        """The ranges of the order: one for each output file or, without --split, of a size that a worker can hold."""
        request = self.request
        listed = self._n if request.listing.top is None else min(self._n, request.listing.top)
        size = request.split or _RANGE
        bounds = [*range(0, max(listed, 1), size), listed]
        cuts = cut_places([part.keys() for part in self._parts], np.array(bounds))
        stem, ending = os.path.splitext(request.output) if request.split else (self._folder + "/range", "")
        slices = [tuple(zip(low.tolist(), high.tolist(), strict=True)) for low, high in pairwise(cuts)]
        names = (f"{stem}-{k + 1:05d}{ending}" for k in range(len(slices)))
        return [_Range(*ends, some, name) for ends, some, name in zip(pairwise(bounds), slices, names, strict=True)]


def _total(tallies: Iterable[Tally]) -> Tally:
    """The sum of the tallies of all parts."""
    total = Tally()
    for tally in tallies:
        for name in ("words", "items", "unranked", "accepted"):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
        total.relations |= tally.relations
        if tally.fit is not None:
            total.fit = tally.fit if total.fit is None else total.fit + tally.fit
    return total


def cut_places(keys: Sequence[np.ndarray], places: np.ndarray) -> np.ndarray:
    """For each place of the merged order, how many items of each sorted array come before it.

    Equal keys come in the order of the arrays. The key at a place is found by halving the range of all doubles 64
    times, for all places at once. So nothing is merged, and only a few pages of each array are read.
    """
    low, high = np.zeros(len(places), dtype=np.uint64), np.full(len(places), ~np.uint64(0))
    while (low < high).any():
        middle = low + (high - low) // np.uint64(2)
        up_to = sum((np.searchsorted(key, _double(middle), "right") for key in keys), np.zeros(len(places), int))
        enough = up_to > places
        low, high = np.where(enough, low, middle + np.uint64(1)), np.where(enough, middle, high)
        low = np.minimum(low, high)
    bound = _double(low)
    before = np.array([np.searchsorted(key, bound, "left") for key in keys]).reshape(len(keys), len(places))
    equal = np.array([np.searchsorted(key, bound, "right") for key in keys]).reshape(before.shape) - before
    left = places - before.sum(axis=0)
    for k in range(len(keys)):
        taken = np.clip(left, 0, equal[k])
        before[k] += taken
        left = left - taken
    return before.T


def _double(bits: np.ndarray) -> np.ndarray:
    """The double at each place in the order of all doubles; NaN, at both ends of that order, becomes −∞ or ∞."""
    negative = bits < _SIGN
    value = np.where(negative, ~bits, bits ^ _SIGN).view(np.float64)
    return np.where(np.isnan(value), np.where(negative, -np.inf, np.inf), value)


def _write_range(
    part_of_order: _Range,
    rows: RowFormat,
    listing: Listing,
    parts: tuple[_SortedPart, ...],
    n: int,
    ends: tuple[bytes, bytes],
) -> None:
    """Merge a range from its slices, some arcs at a time, and write it between a header and a footer."""
    slices = [(part, *cut) for part, cut in zip(parts, part_of_order.slices, strict=True) if cut[1] > cut[0]]
    keys = [part.keys()[low:high] for part, low, high in slices]
    size = part_of_order.high - part_of_order.low
    bounds = np.append(np.arange(0, size, _CHUNK), size)
    cuts = cut_places(keys, bounds)
    between = b""
    with write_whole(part_of_order.path) as stream:
        stream.write(ends[0])
        for (low, high), before, behind in zip(pairwise(bounds.tolist()), cuts, cuts[1:], strict=False):
            key = np.concatenate([key[a:b] for key, a, b in zip(keys, before, behind, strict=True)])
            some = zip(slices, before.tolist(), behind.tolist(), strict=True)
            texts = Texts.joined([part.texts(first + a, first + b) for (part, first, _), a, b in some])
            place = part_of_order.low + np.arange(low, high)
            place = n - 1 - place if listing.order == SUSPICIOUS else place
            texts = texts.take(np.argsort(key, kind="stable"))
            block = ListingBlock(place, n - place, bin_of(place, n, listing.bins), n, texts)
            stream.write(between + rows.joined(block))
            between = rows.between
        stream.write(ends[1])
