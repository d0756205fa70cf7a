"""A ranking by many workers: each scores and sorts parts of the text, then each writes a range of the order.

1. Every part is surveyed: its sentences are numbered from where those before it end.
2. Every part is scored, and its arcs are kept in order, with their texts, in a folder that all workers see.
3. Where each output file begins in each part is found by bisection over the sorted scores: exactly, ties included.
4. Every output file is merged from its slices of the parts.

What comes out is, byte for byte, what one machine writes. A job whose worker vanishes is done again by another: it
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

from treegauge.corpus.conllu import Corpus, Defect, Place, Reader
from treegauge.corpus.files import STDIN, is_remote, sentence_blocks, write_whole
from treegauge.corpus.leftovers import temporary_folder
from treegauge.errors import MalformedError, OptionError
from treegauge.ranking.listing import CORPUS, SUSPICIOUS, bin_of
from treegauge.ranking.sorter import append_array
from treegauge.ranking.stream import SENTENCE, Found, Listed, StreamRanking
from treegauge.ranking.texts import Texts
from treegauge.ranking.verdicts import Verdict
from treegauge.reports.rank_job import CONLLU, Accepted, RankJob, RankOrder
from treegauge.reports.rankings import check_shown, row_format
from treegauge.scale.counting import FilePart, parts_of
from treegauge.scale.pool import Pool
from treegauge.scorers.scorer import Scorer

_PART = 64 << 20  # bytes of text: a million words, whose arcs take some 300 MB as texts
_MOST_PARTS = 4096  # of plain files: beyond, parts are longer, and a worker sorts them on disk
_ROOM = 500_000_000  # bytes in which a worker sorts
_RANGE = 2_000_000  # arcs of a range where no --split says how many
_CHUNK = 200_000  # arcs that are merged at a time: some 50 MB
_SIGN = np.uint64(1 << 63)


class _Survey(NamedTuple):
    """What is in a part, found without scoring."""

    number: int  # of the part
    lines: int
    sentences: int
    defects: tuple[Defect, ...]


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
    found: Found
    accepted: int

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

    order: RankOrder
    scorer: Scorer
    verdicts: tuple[Verdict, ...] | None
    folder: str


def check_cluster_order(order: RankOrder) -> None:
    """Refuse what workers cannot do together."""
    if STDIN in order.paths or order.output == STDIN or is_remote(order.output):
        raise OptionError("--cluster reads files and writes -o FILE, in folders that all workers see")
    if (order.form == CONLLU and order.unit != SENTENCE) or order.listing.order == CORPUS:
        raise OptionError("--cluster writes arcs in the order of their scores: not --format conllu, not --order corpus")
    if order.listing.bins_of_all or order.memory:
        raise OptionError("--cluster excludes --bins-of-all and --memory")


@contextmanager
def rank_on(
    pool: Pool,
    order: RankOrder,
    scorer: Scorer,
    *,
    verdicts: Iterable[Verdict] | None = None,
    skipped: Callable[[Defect], None] = lambda defect: None,
    progress: Callable[[int], None] = lambda words: None,
    part_bytes: int | None = None,
) -> Iterator[RankJob]:
    """Score and sort what is ordered on the workers of a pool; it can be written until the context ends.

    Files, and the folder of the output, must be where all workers find them under the same name. progress is told words
    as they are scored.
    """
    check_cluster_order(order)
    check_shown(scorer, order.shown)
    order = replace(order, output=os.path.abspath(order.output), paths=tuple(map(_everywhere, order.paths)))
    parts = list(parts_of(order.paths, part_bytes or _part_size(order.paths)))
    before = _before(parts, sorted(pool.results(_surveyed, enumerate(parts))), order.on_error, skipped)
    with temporary_folder(os.path.dirname(order.output), ".treegauge-rank") as folder:
        shared = _Scoring(order, scorer, None if verdicts is None else tuple(verdicts), folder)
        tasks = [_Task(k, part, n) for k, (part, n) in enumerate(zip(parts, before, strict=True))]
        found: list[_SortedPart] = []
        for one in pool.results(_sorted_part, tasks, shared):
            found.append(one)
            progress(one.found.words)
        job = _ClusterJob(pool, order, scorer, sorted(found), folder)
        order.check_found(job.ranking.found)
        yield job


def _everywhere(path: str) -> str:
    return path if is_remote(path) else os.path.abspath(path)


def _part_size(paths: Sequence[str]) -> int:
    """The bytes of a part such that there are not too many."""
    return max(_PART, sum(os.path.getsize(path) for path in paths if os.path.isfile(path)) // _MOST_PARTS)


def _surveyed(job: tuple[int, FilePart]) -> _Survey:
    number, part = job
    reader, place = Reader((), "skip"), Place(part.path)
    defects: list[Defect] = []
    with part.open(part.path) as stream:
        for block in sentence_blocks(stream):
            corpus, place = reader.read(block, place)
            defects += corpus.defects
    return _Survey(number, place.lines, place.sentences, tuple(defects))


def _before(
    parts: Sequence[FilePart], surveys: Sequence[_Survey], on_error: str, skipped: Callable[[Defect], None]
) -> list[int]:
    """How many sentences stand before each part; defects are raised or told, with their lines in the files."""
    place = Place("")
    for part, survey in zip(parts, surveys, strict=True):
        place = place if part.path == place.path and part.low else Place(part.path)
        for defect in map(place.of, survey.defects):
            if on_error == "stop":
                raise MalformedError(str(defect))
            skipped(defect)
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

    order, accepted = scoring.order, Accepted(scoring.verdicts)
    ranking = StreamRanking(_pieces(task, scoring.scorer.columns), scoring.scorer, order.listing, unit=order.unit)
    stem = os.path.join(scoring.folder, f"{task.number}-{uuid4().hex}")
    rows = row_format(order.form, order.unit, order.shown)
    with temporary_folder(scoring.folder, f"runs-{os.getpid()}") as folder:
        ranking.run(rows.texts, folder=folder, room=lambda: _ROOM, prepare=accepted)
        append_array(np.zeros(1, dtype=np.int64), stem + ".start")
        bytes_before = 0
        for block in ranking.sorter.blocks():
            append_array(block.key, stem + ".key")
            append_array(block.texts.start[1:] - block.texts.start[0] + bytes_before, stem + ".start")
            append_array(block.texts.data[block.texts.start[0] : block.texts.start[-1]], stem + ".text")
            bytes_before += int(block.texts.start[-1] - block.texts.start[0])
    return _SortedPart(task.number, stem, ranking.sorter.n, ranking.found, accepted.n)


class _ClusterJob(RankJob):
    """A ranking whose arcs lie sorted in parts."""

    def __init__(self, pool: Pool, order: RankOrder, scorer: Scorer, parts: Sequence[_SortedPart], folder: str) -> None:
        ranking = StreamRanking([], scorer, order.listing, unit=order.unit)
        ranking.found = _total(part.found for part in parts)
        rows = row_format(order.form, order.unit, order.shown)
        super().__init__(order, ranking, rows, sum(part.accepted for part in parts))
        self._pool, self._folder = pool, folder
        # of equal scores the later come first in the suspicious order
        self._parts = tuple(parts[::-1] if order.listing.order == SUSPICIOUS else parts)
        self._n = sum(part.n for part in parts)

    def write(self) -> None:
        """The listing in its format; with --split every file is written by a worker."""
        order, header = self.order, self.rows.header(self.ranking.scorer, self.ranking.found)
        ranges = self._ranges()
        head, foot = (header, self.rows.footer) if order.split else (b"", b"")
        work = order, self._parts, self._n, (head, foot)
        for _ in self._pool.results(_write_range, ranges, *work):
            pass
        if order.split:
            return
        with write_whole(order.output) as stream:
            stream.write(header)
            for k, one in enumerate(ranges):
                stream.write(self.rows.between if k and one.high > one.low else b"")
                with open(one.path, "rb") as piece:
                    while block := piece.read(1 << 20):
                        stream.write(block)
            stream.write(self.rows.footer)

    def _ranges(self) -> list[_Range]:
        """The ranges of the order, one for each output file or, without --split, of a size that a worker can hold."""
        listed = self._n if self.order.listing.top is None else min(self._n, self.order.listing.top)
        size = self.order.split or _RANGE
        bounds = [*range(0, max(listed, 1), size), listed]
        cuts = cut_places([part.keys() for part in self._parts], np.array(bounds))
        stem, ending = os.path.splitext(self.order.output) if self.order.split else (self._folder + "/range", "")
        slices = [tuple(zip(one.tolist(), other.tolist(), strict=True)) for one, other in pairwise(cuts)]
        names = (f"{stem}-{k + 1:05d}{ending}" for k in range(len(slices)))
        return [_Range(*ends, some, name) for ends, some, name in zip(pairwise(bounds), slices, names, strict=True)]


def _total(found: Iterable[Found]) -> Found:
    """What was met in all parts."""
    total = Found()
    for one in found:
        total.words += one.words
        total.items += one.items
        total.unranked += one.unranked
        total.relations |= one.relations
        if one.fit is not None:
            total.fit = one.fit if total.fit is None else total.fit + one.fit
    return total


def cut_places(keys: Sequence[np.ndarray], places: np.ndarray) -> np.ndarray:
    """For each place of the merged order, how many items of each sorted array come before it.

    Equal keys come in the order of the arrays. The key at a place is found by halving the range of all doubles 64
    times, for all places at once: nothing is merged, and of each array a few pages are looked at.
    """
    low, high = np.zeros(len(places), dtype=np.uint64), np.full(len(places), ~np.uint64(0))
    while (low < high).any():
        middle = low + (high - low) // np.uint64(2)
        up_to = sum((np.searchsorted(one, _double(middle), "right") for one in keys), np.zeros(len(places), int))
        enough = up_to > places
        low, high = np.where(enough, low, middle + np.uint64(1)), np.where(enough, middle, high)
        low = np.minimum(low, high)
    key = _double(low)
    before = np.array([np.searchsorted(one, key, "left") for one in keys]).reshape(len(keys), len(places))
    equal = np.array([np.searchsorted(one, key, "right") for one in keys]).reshape(before.shape) - before
    left = places - before.sum(axis=0)
    for k in range(len(keys)):
        taken = np.clip(left, 0, equal[k])
        before[k] += taken
        left = left - taken
    return before.T


def _double(bits: np.ndarray) -> np.ndarray:
    """The double of each place in the order of all doubles (those that are not a number left out at both ends)."""
    negative = bits < _SIGN
    value = np.where(negative, ~bits, bits ^ _SIGN).view(np.float64)
    return np.where(np.isnan(value), np.where(negative, -np.inf, np.inf), value)


def _write_range(
    part_of_order: _Range, order: RankOrder, parts: tuple[_SortedPart, ...], n: int, ends: tuple[bytes, bytes]
) -> None:
    """Merge a range from its slices, some arcs at a time, and write it."""
    slices = [(part, *cut) for part, cut in zip(parts, part_of_order.slices, strict=True) if cut[1] > cut[0]]
    keys = [part.keys()[low:high] for part, low, high in slices]
    size = part_of_order.high - part_of_order.low
    bounds = np.append(np.arange(0, size, _CHUNK), size)
    cuts = cut_places(keys, bounds)
    rows, between = row_format(order.form, order.unit, order.shown), b""
    with write_whole(part_of_order.path) as stream:
        stream.write(ends[0])
        for (low, high), before, behind in zip(pairwise(bounds.tolist()), cuts, cuts[1:], strict=False):
            key = np.concatenate([key[a:b] for key, a, b in zip(keys, before, behind, strict=True)])
            some = zip(slices, before.tolist(), behind.tolist(), strict=True)
            texts = Texts.joined([part.texts(first + a, first + b) for (part, first, _), a, b in some])
            place = part_of_order.low + np.arange(low, high)
            place = n - 1 - place if order.listing.order == SUSPICIOUS else place
            listed = Listed(
                place, n - place, bin_of(place, n, order.listing.bins), n, texts.take(np.argsort(key, kind="stable"))
            )
            lines = rows.lines(listed)
            if rows.between:
                stream.write(between + rows.between.join(lines[k] for k in range(len(lines))))
                between = rows.between
            else:
                stream.write(lines.data[lines.start[0] : lines.start[-1]].tobytes())
        stream.write(ends[1])
