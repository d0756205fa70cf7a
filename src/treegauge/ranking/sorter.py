"""Lines of text sorted by score: in memory or, where that is short, as sorted runs on disk, merged block by block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.errors import OutputError
from treegauge.ranking.texts_kernel import WIDEST, gather, interleave, write_numbers, write_whole_numbers

_COPIES = 2  # of a text: as it came or joined to the others, and in order
_PER_ITEM = 72  # bytes that an item takes beside its text: keys, rows and sizes, and their order while it is made
_LEAST = 1_000  # items of a run that are held at a time, at the least
_BLOCK = 1 << 16  # items that leave the memory at a time


@dataclass(frozen=True, slots=True)
class Texts:
    """Many short texts, such as the lines of a table, in one array of bytes: text k is data[start[k]:start[k + 1]]."""

    data: np.ndarray  # bytes
    start: np.ndarray  # one more than there are texts

    @staticmethod
    def of(texts: Sequence[bytes]) -> Texts:
        """The texts of a list."""
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        return Texts(np.frombuffer(b"".join(texts), dtype=np.uint8), starts_of(sizes))

    @staticmethod
    def joined(parts: Sequence[Texts]) -> Texts:
        """All texts of several parts, one behind the other."""
        data = [part.data[part.start[0] : part.start[-1]] for part in parts]
        sizes = [np.diff(part.start) for part in parts]
        if not parts:
            return Texts.of([])
        return parts[0] if len(parts) == 1 else Texts(np.concatenate(data), starts_of(np.concatenate(sizes)))

    @staticmethod
    def moved(parts: list[Texts]) -> Texts:
        """The same as `joined`, but the list is emptied: what has been copied leaves the memory, part by part."""
        start = starts_of(np.concatenate([np.diff(part.start) for part in parts]))
        data, at = np.empty(int(start[-1]), dtype=np.uint8), 0
        while parts:
            part = parts.pop(0)
            size = int(part.start[-1] - part.start[0])
            data[at : at + size] = part.data[part.start[0] : part.start[-1]]
            at += size
        return Texts(data, start)

    @staticmethod
    def numbers(values: np.ndarray) -> Texts:
        """The text of each number; one that is not whole is written as Python writes it."""
        whole = np.issubdtype(values.dtype, np.integer)
        values = np.ascontiguousarray(values, dtype=np.int64 if whole else np.float64)
        data, start = np.empty(WIDEST * len(values), dtype=np.uint8), np.empty(len(values) + 1, dtype=np.int64)
        used = (write_whole_numbers if whole else write_numbers)(values, data, start)
        return Texts(data[:used], start)

    @staticmethod
    def rows(columns: Sequence[Texts], between: str = "\t", end: str = "") -> Texts:
        """Text k of every column joined to one text; `between` and `end` are single characters, or empty."""
        n = len(columns[0])
        data = [column.data[column.start[0] : column.start[-1]] for column in columns]
        before = starts_of(np.array([len(part) for part in data]))
        start = np.stack([column.start - column.start[0] + at for column, at in zip(columns, before, strict=False)])
        out = np.empty(int(before[-1]) + n * len(columns), dtype=np.uint8)
        out_start = np.empty(n + 1, dtype=np.int64)
        interleave(np.concatenate(data), start, ord(between or "\0"), ord(end or "\0"), out, out_start)
        return Texts(out[: out_start[-1]], out_start)

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, k: int) -> bytes:
        return self.data[self.start[k] : self.start[k + 1]].tobytes()

    def part(self, low: int, high: int) -> Texts:
        """Texts low to high; the bytes are not copied."""
        return Texts(self.data, self.start[low : high + 1])

    def where(self, wanted: np.ndarray) -> Texts:
        """The texts that the mask selects, and empty ones in the place of the others."""
        with_empty = Texts(self.data, np.append(self.start, self.start[-1]))
        return with_empty.take(np.where(wanted, np.arange(len(self)), len(self)))

    def take(self, order: np.ndarray) -> Texts:
        """These texts, in this order."""
        return Texts.spans(self.data, self.start[order], self.start[1:][order])

    @staticmethod
    def spans(data: np.ndarray, low: np.ndarray, high: np.ndarray) -> Texts:
        """The texts data[low[k]:high[k]], copied."""
        start = starts_of(high - low)
        out = np.empty(int(start[-1]), dtype=np.uint8)
        gather(data, np.ascontiguousarray(low), start, out)
        return Texts(out, start)


def starts_of(sizes: np.ndarray) -> np.ndarray:
    """Where each of the texts of these sizes begins if they follow one another, and where the last one ends."""
    start = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=start[1:])
    return start


@dataclass(frozen=True, slots=True)
class SortedBlock:
    """Items that follow one another in the order."""

    key: np.ndarray
    row: np.ndarray
    texts: Texts  # as many as there are items, or none

    def __len__(self) -> int:
        return len(self.key)

    def part(self, low: int, high: int) -> SortedBlock:
        """Items low to high."""
        texts = self.texts.part(low, high) if len(self.texts) else self.texts
        return SortedBlock(self.key[low:high], self.row[low:high], texts)

    def take(self, order: np.ndarray) -> SortedBlock:
        """These items, in this order."""
        texts = self.texts.take(order) if len(self.texts) else self.texts
        return SortedBlock(self.key[order], self.row[order], texts)


class Sorter:
    """Sorts items by descending score, equal scores by row; or exactly the other way round.

    Items come in the order of their rows; either all of them have a text or none has. Without a folder all items stay
    in memory, or with `top` only the first so many of the order. With a folder, as many items as `memory` bytes hold
    are sorted and, if more come, written to the folder as a run. The rows of a run all lie before those of the next
    run, so equal scores are ordered by run. The folder is asked for when the first run is written.
    """

    def __init__(
        self,
        backwards: bool,
        folder: Callable[[], str] | None = None,
        memory: int = 0,
        *,
        top: int | None = None,
    ) -> None:
        self.folder, self._memory, self._backwards, self._top = folder, memory, backwards, top
        self._held: list[SortedBlock] = []
        self._held_bytes = 0
        self._runs: list[_Run] = []
        self.n = 0

    def add(self, score: np.ndarray, row: np.ndarray, texts: Texts | None = None) -> None:
        """Take in items whose rows ascend and lie behind all before."""
        texts = texts or Texts.of([])
        self._held.append(SortedBlock(score if self._backwards else -score, row, texts))
        self.n += len(row)
        self._held_bytes += _PER_ITEM * len(row) + _COPIES * len(texts.data)
        if self.folder is None and self._top is not None:
            self._held = [_first(self._held, self._backwards, self._top)]
        if self.folder is not None and self._held_bytes > self._memory:
            self._spill(self.folder())

    def _sorted(self) -> Iterator[SortedBlock]:
        """The items in memory, in order, many at a time; they leave the memory of the sorter."""
        held, self._held, self._held_bytes = self._held, [], 0
        block = _moved(held)
        order = _order(block.key, self._backwards)
        for low in range(0, max(len(block), 1), _BLOCK):
            yield block.take(order[low : low + _BLOCK])

    def _spill(self, folder: str) -> None:
        run = _Run(os.path.join(folder, f"run{len(self._runs)}"))
        for block in self._sorted():
            run.write(block)
        self._runs.append(run)

    def blocks(self) -> Iterator[SortedBlock]:
        """All items in order."""
        if not self._runs or self.folder is None:
            yield from self._sorted()
            return
        if self._held:
            self._spill(self.folder())
        runs = self._runs[::-1] if self._backwards else self._runs
        per_item = _PER_ITEM + _COPIES * max(run.bytes_per_text for run in runs)
        room = max(self._memory // (2 * per_item * len(runs)), _LEAST)  # a block goes out as another comes in
        fronts = [_NOTHING] * len(runs)
        while True:
            for k, run in enumerate(runs):
                if not len(fronts[k]):
                    fronts[k] = run.read(room)
            # `bound` has the least of the last keys: no item on disk comes before an item up to that key
            open_runs = [k for k, run in enumerate(runs) if run.left]
            if not open_runs:
                yield _in_order(fronts)
                return
            bound = min(open_runs, key=lambda k: (fronts[k].key[-1], k))
            cuts = [
                int(np.searchsorted(front.key, fronts[bound].key[-1], "right" if k <= bound else "left"))
                for k, front in enumerate(fronts)
            ]
            yield _in_order([front.part(0, cut) for front, cut in zip(fronts, cuts, strict=True)])
            fronts = [front.part(cut, len(front)) for front, cut in zip(fronts, cuts, strict=True)]


_NOTHING = SortedBlock(np.empty(0), np.empty(0, dtype=np.int64), Texts.of([]))


def _joined(blocks: Sequence[SortedBlock]) -> SortedBlock:
    """The items of some blocks, in the order in which they come."""
    if len(blocks) == 1:
        return blocks[0]
    blocks = blocks or [_NOTHING]
    texts = Texts.joined([block.texts for block in blocks if len(block.texts)])
    return SortedBlock(
        np.concatenate([block.key for block in blocks]), np.concatenate([block.row for block in blocks]), texts
    )


def _moved(blocks: list[SortedBlock]) -> SortedBlock:
    """The same as `_joined`, but the list is emptied: the texts leave the memory as they are copied."""
    if len(blocks) < 2:
        return _joined(blocks)
    key, row = (np.concatenate([getattr(block, name) for block in blocks]) for name in ("key", "row"))
    texts = [block.texts for block in blocks if len(block.texts)]
    blocks.clear()
    return SortedBlock(key, row, Texts.moved(texts) if texts else Texts.of([]))


def _order(key: np.ndarray, backwards: bool) -> np.ndarray:
    """The places of the keys by ascending key; equal keys stay in their order, or in the reverse of it."""
    return len(key) - 1 - np.argsort(key[::-1], kind="stable") if backwards else np.argsort(key, kind="stable")


def _in_order(blocks: Sequence[SortedBlock]) -> SortedBlock:
    """The items of some blocks by ascending key; equal keys in the order in which they come."""
    block = _joined(blocks)
    return block.take(_order(block.key, backwards=False))


def _first(blocks: Sequence[SortedBlock], backwards: bool, top: int) -> SortedBlock:
    """The items of some blocks that are among the first `top` by ascending key, in the order in which they come."""
    block = _joined(blocks)
    return block.take(np.sort(_order(block.key, backwards)[:top])) if len(block) > top else block


def append_array(array: np.ndarray, path: str) -> None:
    """Add an array to a file; unlike `tofile`, this notices a disk that becomes full at the very end."""
    try:
        with open(path, "ab") as stream:
            stream.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    except OSError as error:
        place = f"{os.path.dirname(path)}: cannot sort on disk: {error.strerror or error}"
        raise OutputError(f"{place}; give another folder by -o or TMPDIR, or more --memory") from error


class _Run:
    """Sorted items in files: keys, rows, sizes of texts, texts."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._done = self._text_done = 0
        self._has_texts = False
        self.left = 0
        self.bytes_per_text = 0

    def write(self, block: SortedBlock) -> None:
        """Add a block to those on disk."""
        self.left += len(block)
        append_array(block.key, self._path + ".key")
        append_array(block.row, self._path + ".row")
        if len(block.texts):
            self._has_texts = True
            append_array(np.diff(block.texts.start).astype(np.int32), self._path + ".size")
            append_array(block.texts.data, self._path + ".text")
            self.bytes_per_text = max(self.bytes_per_text, len(block.texts.data) // len(block))

    def read(self, n: int) -> SortedBlock:
        """The next n items, or those that are left."""
        n = min(n, self.left)
        key = np.fromfile(self._path + ".key", np.float64, n, offset=8 * self._done)
        row = np.fromfile(self._path + ".row", np.int64, n, offset=8 * self._done)
        texts = Texts.of([])
        if self._has_texts:
            start = starts_of(np.fromfile(self._path + ".size", np.int32, n, offset=4 * self._done))
            data = np.fromfile(self._path + ".text", np.uint8, int(start[-1]), offset=self._text_done)
            texts = Texts(data, start)
            self._text_done += len(data)
        self._done += n
        self.left -= n
        return SortedBlock(key, row, texts)
