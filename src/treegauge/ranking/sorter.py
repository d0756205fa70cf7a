"""Arcs sorted by score in bounded memory: sorted runs on disk, merged block by block."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from treegauge.errors import OutputError

_PER_ARC = 150  # bytes that an arc takes beside its line: arrays, a bytes object, lists of them
_LEAST = 1_000  # arcs of a run that are held at a time, at the least


@dataclass(frozen=True, slots=True)
class SortedBlock:
    """Arcs that follow one another in the order."""

    key: np.ndarray
    row: np.ndarray
    lines: Sequence[bytes]  # empty where none were given

    def __len__(self) -> int:
        return len(self.key)


class ScoreSorter:
    """Sorts arcs by descending score, equal scores by row; or exactly the other way round.

    Arcs are given in the order of their rows, each with a line of text or none with any. Those that `memory` bytes hold
    are sorted and, if more come, written to `folder` as a run. A run's rows all lie before those of the next, so
    equal scores are ordered by run.
    """

    def __init__(self, folder: str, memory: int, suspicious: bool = False) -> None:
        self._folder, self._memory, self._suspicious = folder, memory, suspicious
        self._held: list[tuple[np.ndarray, np.ndarray, Sequence[bytes]]] = []
        self._held_bytes = 0
        self._runs: list[_Run] = []
        self.n = 0

    def add(self, score: np.ndarray, row: np.ndarray, lines: Sequence[bytes] = ()) -> None:
        """Take in arcs whose rows ascend and lie behind all before."""
        self._held.append((score if self._suspicious else -score, row, lines))
        self.n += len(row)
        self._held_bytes += _PER_ARC * len(row) + sum(map(len, lines))
        if self._held_bytes > self._memory:
            self._spill()

    def _sorted(self) -> SortedBlock:
        """What is held, in order; nothing is held then."""
        key = np.concatenate([key for key, _, _ in self._held]) if self._held else np.empty(0)
        row = np.concatenate([row for _, row, _ in self._held]) if self._held else np.empty(0, dtype=np.int64)
        lines = [line for _, _, some in self._held for line in some]
        self._held, self._held_bytes = [], 0
        return _in_order([SortedBlock(key, row, lines)], self._suspicious)

    def _spill(self) -> None:
        run = _Run(os.path.join(self._folder, f"run{len(self._runs)}"))
        try:
            run.write(self._sorted())
        except OSError as error:
            place = f"{self._folder}: cannot sort on disk: {error.strerror}"
            raise OutputError(f"{place}; give another folder by -o or TMPDIR, or more --memory") from error
        self._runs.append(run)

    def blocks(self) -> Iterator[SortedBlock]:
        """All arcs in order."""
        if not self._runs:
            yield self._sorted()
            return
        if self._held:
            self._spill()
        runs = self._runs[::-1] if self._suspicious else self._runs
        per_arc = _PER_ARC + max(run.bytes_per_line for run in runs)
        room = max(self._memory // (2 * per_arc * len(runs)), _LEAST)  # a block goes out as another comes in
        fronts = [SortedBlock(np.empty(0), np.empty(0, dtype=np.int64), ())] * len(runs)
        while True:
            for k, run in enumerate(runs):
                if not len(fronts[k]):
                    fronts[k] = run.read(room)
            # the least of the last keys: what is not behind it in any front comes before all that is still on disk
            open_runs = [k for k, run in enumerate(runs) if run.left]
            if not open_runs:
                yield _in_order(fronts, False)
                return
            bound = min(open_runs, key=lambda k: (fronts[k].key[-1], k))
            cuts = [
                int(np.searchsorted(front.key, fronts[bound].key[-1], "right" if k <= bound else "left"))
                for k, front in enumerate(fronts)
            ]
            yield _in_order([_slice(front, 0, cut) for front, cut in zip(fronts, cuts, strict=True)], False)
            fronts = [_slice(front, cut, len(front)) for front, cut in zip(fronts, cuts, strict=True)]


def _slice(block: SortedBlock, low: int, high: int) -> SortedBlock:
    return SortedBlock(block.key[low:high], block.row[low:high], block.lines[low:high])


def _in_order(blocks: Sequence[SortedBlock], backwards: bool) -> SortedBlock:
    """The arcs of some blocks by ascending key; equal keys as they come, or backwards."""
    key = np.concatenate([block.key for block in blocks])
    order = len(key) - 1 - np.argsort(key[::-1], kind="stable") if backwards else np.argsort(key, kind="stable")
    lines = [line for block in blocks for line in block.lines]
    row = np.concatenate([block.row for block in blocks])
    return SortedBlock(key[order], row[order], [lines[k] for k in order.tolist()] if lines else ())


class _Run:
    """Sorted arcs in files: keys, rows, lengths of lines, lines."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._done = self._text_done = 0
        self._has_lines = False
        self.left = 0
        self.bytes_per_line = 0

    def write(self, block: SortedBlock) -> None:
        """Keep a block on disk."""
        self.left = len(block)
        block.key.tofile(self._path + ".key")
        block.row.tofile(self._path + ".row")
        self._has_lines = len(block.lines) > 0
        if self._has_lines:
            lengths = np.fromiter(map(len, block.lines), dtype=np.int32, count=len(block.lines))
            lengths.tofile(self._path + ".length")
            self.bytes_per_line = int(lengths.sum()) // max(len(lengths), 1)
            with open(self._path + ".text", "wb") as stream:
                stream.writelines(block.lines)

    def read(self, n: int) -> SortedBlock:
        """The next n arcs, or those that are left."""
        n = min(n, self.left)
        key = np.fromfile(self._path + ".key", np.float64, n, offset=8 * self._done)
        row = np.fromfile(self._path + ".row", np.int64, n, offset=8 * self._done)
        lines: list[bytes] = []
        if self._has_lines:
            lengths = np.fromfile(self._path + ".length", np.int32, n, offset=4 * self._done)
            ends = np.cumsum(np.append(0, lengths)).tolist()
            with open(self._path + ".text", "rb") as stream:
                stream.seek(self._text_done)
                text = stream.read(ends[-1])
            lines = [text[low:high] for low, high in pairwise(ends)]
            self._text_done += len(text)
        self._done += n
        self.left -= n
        return SortedBlock(key, row, lines)
