"""Many short texts, such as the lines of a table, held as one array of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.ranking.texts_kernel import WIDEST, gather, interleave, write_numbers, write_whole_numbers


@dataclass(frozen=True, slots=True)
class Texts:
    """Text k is data[start[k]:start[k + 1]]."""

    data: np.ndarray  # bytes
    start: np.ndarray  # one more than there are texts

    @staticmethod
    def of(texts: Sequence[bytes]) -> Texts:
        """Texts from a list of them."""
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        return Texts(np.frombuffer(b"".join(texts), dtype=np.uint8), starts_of(sizes))

    @staticmethod
    def joined(parts: Sequence[Texts]) -> Texts:
        """All texts of some, one behind the other."""
        data = [part.data[part.start[0] : part.start[-1]] for part in parts]
        sizes = [np.diff(part.start) for part in parts]
        if not parts:
            return Texts.of([])
        return parts[0] if len(parts) == 1 else Texts(np.concatenate(data), starts_of(np.concatenate(sizes)))

    @staticmethod
    def numbers(values: np.ndarray) -> Texts:
        """Numbers, whole ones by their digits, others as Python writes them."""
        whole = np.issubdtype(values.dtype, np.integer)
        values = np.ascontiguousarray(values, dtype=np.int64 if whole else np.float64)
        data, start = np.empty(WIDEST * len(values), dtype=np.uint8), np.empty(len(values) + 1, dtype=np.int64)
        used = (write_whole_numbers if whole else write_numbers)(values, data, start)
        return Texts(data[:used], start)

    @staticmethod
    def rows(columns: Sequence[Texts], between: str = "\t", end: str = "") -> Texts:
        """The k-th texts of all columns in one text, a character between them and one at the end, or none."""
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
        """Texts low to high, over the same bytes."""
        return Texts(self.data, self.start[low : high + 1])

    def where(self, kept: np.ndarray) -> Texts:
        """The texts that are kept, and empty ones for the others."""
        with_empty = Texts(self.data, np.append(self.start, self.start[-1]))
        return with_empty.take(np.where(kept, np.arange(len(self)), len(self)))

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
    """Where texts of these sizes begin, one behind the other, and where the last ends."""
    start = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=start[1:])
    return start
