"""Other file formats: they become CoNLL-U line by line while they are read.

The ending of a file's name tells its format. To add a format, write a function from lines to lines of CoNLL-U, and an
entry in FORMATS. Each line must become one line, so that messages name the right place.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import BinaryIO, cast

from treegauge.corpus.columns import NAMES

_COLUMNS = [name.encode() for name in NAMES]
_GLOBAL = b"# global.columns ="
_LONGEST_LINE = 1 << 24  # bytes; a longer line is cut, so that memory stays bounded


def conllu_plus(lines: Iterable[bytes]) -> Iterator[bytes]:
    """CoNLL-U Plus: the first line names the columns (`# global.columns = ID FORM …`); a missing one is read as `_`.

    A line with too few or too many columns keeps that fault, so that the reader of CoNLL-U finds it.
    """
    columns = _COLUMNS
    for number, line in enumerate(lines):
        if number == 0 and line.startswith(_GLOBAL):
            columns = line[len(_GLOBAL) :].split()
        if line.startswith(b"#") or not line.strip():
            yield line
            continue
        cells = line.rstrip(b"\r\n").split(b"\t")
        value = dict(zip(columns, cells, strict=False))
        fault = len(cells) - len(columns)
        wanted = _COLUMNS[:fault] if fault < 0 else [*_COLUMNS, *([b""] * fault)]
        yield b"\t".join(value.get(column, b"_") for column in wanted) + b"\n"


def conll_x(lines: Iterable[bytes]) -> Iterator[bytes]:
    """CoNLL-X (2006, 2007): the first eight columns are as in CoNLL-U; PHEAD and PDEPREL, if any, are not read.

    CPOSTAG becomes UPOS, POSTAG becomes XPOS. Where the ninth column is not the number of a word, the last two columns
    are DEPS and MISC: so a file of CoNLL-U with this ending stays as it is.
    """
    for line in lines:
        cells = line.rstrip(b"\r\n").split(b"\t")
        if line.startswith(b"#") or len(cells) not in (8, 10):
            yield line
        elif len(cells) == 8 or cells[8].isdigit():
            yield b"\t".join([*cells[:8], b"_", b"_"]) + b"\n"
        else:
            yield line


_PREDICTED = {2: 3, 4: 5, 6: 7, 8: 9, 10: 11}  # columns of CoNLL-2009, and what a program predicted for them


def conll_09(lines: Iterable[bytes]) -> Iterator[bytes]:
    """CoNLL-2009: LEMMA, POS (as UPOS and as XPOS), FEAT, HEAD and DEPREL; where one is `_`, the predicted one.

    Predicates and their arguments are not read. A line of fewer columns keeps that fault.
    """
    for line in lines:
        cells = line.rstrip(b"\r\n").split(b"\t")
        if len(cells) < 12 or line.startswith(b"#"):
            yield line
            continue
        for column, predicted in _PREDICTED.items():
            cells[column] = cells[predicted] if cells[column] == b"_" else cells[column]
        wanted = [cells[k] for k in (0, 1, 2, 4, 4, 6, 8, 10)]
        yield b"\t".join([*wanted, b"_", b"_"]) + b"\n"


# ending of a file's name -> its lines as lines of CoNLL-U
FORMATS: dict[str, Callable[[Iterable[bytes]], Iterator[bytes]]] = {
    ".conllup": conllu_plus,
    ".conllx": conll_x,
    ".conll": conll_x,
    ".conll09": conll_09,
}


class _LineStream(io.RawIOBase):
    """A stream of the bytes of some lines."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines, self._rest = lines, b""

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with the next bytes, and return how many there are."""
        parts, size = [self._rest], len(self._rest)
        for line in self._lines:
            parts.append(line)
            size += len(line)
            if size >= len(buffer):
                break
        text = b"".join(parts)
        n = min(size, len(buffer))
        buffer[:n], self._rest = text[:n], text[n:]
        return n


def as_conllu(stream: BinaryIO, to_conllu: Callable[[Iterable[bytes]], Iterator[bytes]]) -> BinaryIO:
    """The bytes of a file of another format as CoNLL-U; to_conllu: its entry in FORMATS."""
    text = io.BufferedReader(stream) if isinstance(stream, io.RawIOBase) else stream
    lines = iter(partial(text.readline, _LONGEST_LINE), b"")
    return cast(BinaryIO, _LineStream(to_conllu(lines)))
