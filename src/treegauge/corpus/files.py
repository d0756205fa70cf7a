"""Bytes in and out: any path, compressed or not, in blocks of whole sentences; files written whole or not at all."""

import os
import stat
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from io import FileIO
from typing import IO, Any, BinaryIO

from treegauge.errors import CorpusError, OptionError, OutputError

STDIN = "-"
BLOCK = 2 << 20  # bytes read at a time
PAD = 40  # newlines that must follow a text to be scanned: the scanner looks ahead
# ending -> the module that opens it
_MODULES = {
    ".gz": "gzip",
    ".bz2": "bz2",
    ".xz": "lzma",
    ".zst": "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",
}
COMPRESSED = tuple(_MODULES)


def is_remote(path: str) -> bool:
    """Whether a path is a URL (s3://, gs://, https:// …), opened by fsspec."""
    return "://" in path


def _file_system(url: str) -> Any:
    """What fsspec has for a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError as error:
        raise CorpusError(f"{url}: URLs need fsspec: pip install 'treegauge[remote]'") from error
    try:
        return url_to_fs(url)
    except (ImportError, ValueError) as error:  # a protocol that is unknown, or whose package is missing
        raise CorpusError(f"{url}: {error}") from error


def _expand_url(url: str, suffix: str) -> list[str]:
    """The URLs that one with a glob, or of a folder, stands for."""
    files, path = _file_system(url)
    try:
        if any(c in path for c in "*?["):
            found = sorted(files.glob(path))
        elif url.startswith("http") or files.isfile(path):  # a web server has no folders
            return [url]
        else:
            endings = (suffix, *(suffix + ending for ending in COMPRESSED))
            found = sorted(file for file in files.find(path) if file.endswith(endings))
    except OSError as error:
        raise CorpusError(f"{url}: {error}") from error
    if not found:
        raise CorpusError(f"{url}: no {suffix} file there")
    return [files.unstrip_protocol(file) for file in found]


def expand_paths(paths: Iterable[str | os.PathLike[str]], suffix: str = ".conllu") -> list[str]:
    """The files that paths, directories and globs stand for, in a fixed order.

    A directory stands for the files below it that end in `suffix`, compressed or not; a glob that matches
    nothing, or a directory without such files, is an error.
    """
    files: list[str] = []
    for path in [os.fspath(path) for path in paths]:
        if is_remote(path):
            files += _expand_url(path, suffix)
        elif path == STDIN or os.path.isfile(path):
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


_MEND = "make this file again, or leave it out"


@contextmanager
def open_bytes(path: str) -> Iterator[BinaryIO]:
    """The uncompressed bytes of a file or URL (.gz .bz2 .xz .zst by its ending), `-` for standard input."""
    try:
        with _open(path) as stream:
            yield stream
    except EOFError as error:
        raise CorpusError(f"{path}: cut off: {error}; {_MEND}") from error
    except OSError as error:
        raise CorpusError(f"{path}: {error}") from error
    except Exception as error:
        if type(error).__name__ in ("LZMAError", "ZstdError") or type(error).__module__ == "zlib":
            raise CorpusError(f"{path}: damaged: {error}; {_MEND}") from error
        if type(error).__module__.startswith(("aiohttp.", "botocore.", "gcsfs.")):  # what storages raise
            raise CorpusError(f"{path}: {error}") from error
        raise


@contextmanager
def _open(path: str) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        raw: Any = path
        if path == STDIN:
            raw = stack.enter_context(open(sys.stdin.fileno(), "rb", closefd=False))
        elif is_remote(path):
            files, inside = _file_system(path)
            raw = stack.enter_context(files.open(inside, "rb"))
        module = _MODULES.get(os.path.splitext(path)[1])
        if module:
            yield stack.enter_context(import_module(module).open(raw, "rb"))
        else:
            yield raw if raw is not path else stack.enter_context(open(path, "rb", buffering=0))


def read_text(path: str) -> str:
    """The text of a small file in UTF-8, such as a table of settings; OptionError where it cannot be read."""
    try:
        with open(path, encoding="utf-8-sig") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def read_toml(path: str) -> dict[str, Any]:
    """The content of a TOML file."""
    import tomllib

    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"{path}: {error}") from error


def bundled_or_file(name: str, folder: str, suffix: str, what: str) -> str:
    """The path of the file of a name that is in the folder of bundled ones, or anywhere; OptionError lists those."""
    for path in (os.path.join(folder, name + suffix), name):
        if os.path.isfile(path):
            return path
    there = ", ".join(sorted(file.removesuffix(suffix) for file in os.listdir(folder) if file.endswith(suffix)))
    raise OptionError(f"{name}: no {what} of that name; there are {there}")


def sentence_blocks(
    stream: BinaryIO, size: int = BLOCK, spare: deque[bytearray] | None = None
) -> Iterator[tuple[bytearray, int]]:
    """The stream in pieces that end behind a blank line, each with its length; behind it, room and newlines to scan it.

    A sentence longer than `size` makes its block longer; the last block ends where the stream does. Whoever has done
    with a block may put it into `spare`, to be filled again: new memory is slower than used. A small file has a small
    block.
    """
    size = min(size, _file_size(stream, size) + 1)
    rest = b""
    while True:
        wanted = max(size, 2 * len(rest)) + PAD
        buffer = spare.popleft() if spare else bytearray(wanted)
        if len(buffer) < wanted:
            buffer = bytearray(wanted)
        room = len(buffer) - PAD
        filled = len(rest)
        buffer[:filled] = rest
        while filled < room:
            got = stream.readinto(memoryview(buffer)[filled:room])  # type: ignore[attr-defined]
            if not got:
                if filled:
                    buffer[filled : filled + PAD] = b"\n" * PAD
                    yield buffer, filled
                return
            filled += got
        cut = buffer.rfind(b"\n\n", 0, filled) + 2
        cut = max(cut, buffer.rfind(b"\n\r\n", cut - 2, filled) + 3)
        if cut < 3:
            rest = bytes(buffer[:filled])
            continue
        rest = bytes(memoryview(buffer)[cut:filled])
        buffer[cut : cut + PAD] = b"\n" * PAD
        yield buffer, cut


def _file_size(stream: BinaryIO, unknown: int) -> int:
    """The bytes of a plain file, and some for one that does not know its size; `unknown` of another stream."""
    if not isinstance(stream, FileIO):
        return unknown
    found = os.fstat(stream.fileno())
    return max(found.st_size, 1 << 12) if stat.S_ISREG(found.st_mode) else unknown


@contextmanager
def write_whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream whose bytes become the file at the end, or nothing does; `-` is standard output.

    They are written to a temporary file beside it, which is then renamed: whatever happens, the name holds
    either the old content or all of the new. A link stays a link; a pipe or a device is written to as it is.
    """
    path = os.fspath(path)
    if path == STDIN:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if is_remote(path):
        with _write_url(path) as stream:
            yield stream
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


@contextmanager
def _write_url(url: str) -> Iterator[IO[bytes]]:
    """Written to a temporary file here, which is then sent under another name, and renamed there."""
    import tempfile

    files, path = _file_system(url)
    with tempfile.NamedTemporaryFile() as stream:
        yield stream
        stream.flush()
        try:
            files.put_file(stream.name, path + ".part")
            files.mv(path + ".part", path)
        except Exception as error:  # every kind of storage has its own
            raise OutputError(f"{url}: not written: {error}; nothing under that name has changed") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
