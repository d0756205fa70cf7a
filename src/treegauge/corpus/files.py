"""Bytes in and out: any path, compressed or not, in blocks of whole sentences; files written whole or not at all."""

import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO, cast

from treegauge.errors import CorpusError, OutputError

STDIN = "-"
BLOCK = 2 << 20  # bytes read at a time
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def expand_paths(paths: Iterable[str | os.PathLike[str]], suffix: str = ".conllu") -> list[str]:
    """The files that paths, directories and globs stand for, in a fixed order.

    A directory stands for the files below it that end in `suffix`, compressed or not; a glob that matches
    nothing, or a directory without such files, is an error.
    """
    files: list[str] = []
    for path in [os.fspath(path) for path in paths]:
        if path == STDIN or os.path.isfile(path):
            files.append(path)
        elif os.path.isdir(path):
            endings = (suffix, *(suffix + ending for ending in COMPRESSED))
            below = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
            found = sorted(file for file in below if file.endswith(endings))
            if not found:
                raise CorpusError(f"{path}: no {suffix} file in this directory")
            files += found
        elif any(c in path for c in "*?["):
            import glob

            found = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
            if not found:
                raise CorpusError(f"{path}: no file matches")
            files += found
        elif os.path.exists(path):
            files.append(path)  # a pipe or a device
        else:
            raise CorpusError(f"{path}: no such file or directory")
    return files


@contextmanager
def open_bytes(path: str) -> Iterator[BinaryIO]:
    """The uncompressed bytes of a file (.gz .bz2 .xz .zst by its ending), `-` for standard input."""
    try:
        with _open(path) as stream:
            yield stream
    except (OSError, EOFError) as error:
        raise CorpusError(f"{path}: {error}") from error
    except Exception as error:
        if type(error).__name__ in ("LZMAError", "ZstdError") or type(error).__module__ == "zlib":
            raise CorpusError(f"{path}: damaged: {error}") from error
        raise


def _open(path: str) -> BinaryIO:
    if path == STDIN:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    ending = os.path.splitext(path)[1]
    if ending == ".gz":
        import gzip

        return cast(BinaryIO, gzip.open(path, "rb"))
    if ending == ".bz2":
        import bz2

        return cast(BinaryIO, bz2.open(path, "rb"))
    if ending == ".xz":
        import lzma

        return cast(BinaryIO, lzma.open(path, "rb"))
    if ending == ".zst":
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        return cast(BinaryIO, zstd.open(path, "rb"))
    return open(path, "rb", buffering=0)


def sentence_blocks(
    stream: BinaryIO, size: int = BLOCK, pad: int = 0, spare: deque[bytearray] | None = None
) -> Iterator[tuple[bytearray, int]]:
    """The stream in pieces that end behind a blank line, each with its length and `pad` newlines behind it.

    A sentence longer than `size` makes its block longer; the last block ends where the stream does. Whoever has done
    with a block may put it into `spare`, to be filled again: new memory is slower than used.
    """
    rest = b""
    while True:
        wanted = max(size, 2 * len(rest)) + pad
        buffer = spare.popleft() if spare else bytearray(wanted)
        if len(buffer) < wanted:
            buffer = bytearray(wanted)
        room = len(buffer) - pad
        filled = len(rest)
        buffer[:filled] = rest
        while filled < room:
            got = stream.readinto(memoryview(buffer)[filled:room])  # type: ignore[attr-defined]
            if not got:
                if filled:
                    buffer[filled : filled + pad] = b"\n" * pad
                    yield buffer, filled
                return
            filled += got
        cut = buffer.rfind(b"\n\n", 0, filled) + 2
        cut = max(cut, buffer.rfind(b"\n\r\n", cut - 2, filled) + 3)
        if cut < 3:
            rest = bytes(buffer[:filled])
            continue
        rest = bytes(memoryview(buffer)[cut:filled])
        buffer[cut : cut + pad] = b"\n" * pad
        yield buffer, cut


@contextmanager
def write_whole(path: str) -> Iterator[IO[bytes]]:
    """A stream whose bytes become the file at the end, or nothing does; `-` is standard output.

    They are written to a temporary file beside it, which is then renamed: whatever happens, the name holds
    either the old content or all of the new. A link stays a link; a pipe or a device is written to as it is.
    """
    if path == STDIN:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        try:
            with open(path, "wb") as stream:
                yield stream
        except OSError as error:
            raise OutputError(f"{path}: not written: {error.strerror}") from error
        return
    import tempfile

    folder, name = os.path.split(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".part", dir=folder)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        with open(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError):
            raise OutputError(f"{path}: not written: {error.strerror}; nothing under that name has changed") from error
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
