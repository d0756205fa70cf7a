"""Read and write files: any path, compressed or not, in blocks of whole sentences; a file is written completely."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import FileIO
from typing import IO, Any, BinaryIO

from treegauge.corpus.adapters.formats import FORMATS, as_conllu
from treegauge.corpus.temporary_files import temporary_file
from treegauge.errors import CorpusError, OptionError, OutputError, path_list


def file_names(paths: Sequence[str], *, endings: bool = False) -> list[str]:
    """Names for files: with parts of their folders if needed to make them different, else with numbers.

    endings: whether names have `.conllu` and `.xz`.
    """
    parts = [(path if endings else _without_ending(path)).split(os.sep) for path in paths]
    for n in range(1, max(map(len, parts), default=0) + 1):
        names = [os.sep.join(part[-n:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{os.sep.join(part)} ({k})" for k, part in enumerate(parts, 1)]


def _without_ending(path: str) -> str:
    for ending in (*COMPRESSED, ".conllu", *FORMATS):
        path = path.removesuffix(ending)
    return path


STDIN = "-"
BLOCK = 2 << 20  # how many bytes are read at a time
PAD = 40  # how many newlines must follow a text, because the scanner reads ahead
LONGEST_SENTENCE = 16 << 20  # bytes; a longer sentence is a defect
# ending of a file -> the module that opens it
_MODULES = {
    ".gz": "gzip",
    ".bz2": "bz2",
    ".xz": "lzma",
    ".zst": "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd",
}
COMPRESSED = tuple(_MODULES)


def zstd() -> Any:
    """The module that compresses by Zstandard."""
    return import_module(_MODULES[".zst"])


def packed(content: bytes, path: str) -> bytes:
    """The bytes for a file of this name: compressed if it has such an ending; the same content gives the same bytes."""
    ending = os.path.splitext(path)[1]
    if ending not in _MODULES:
        return content
    module = import_module(_MODULES[ending])
    return bytes(module.compress(content, mtime=0) if ending == ".gz" else module.compress(content))


def is_remote(path: str) -> bool:
    """Whether a path is a URL (s3://, gs://, https:// …), which fsspec opens."""
    return "://" in path


def _file_system(url: str) -> Any:
    """The file system of fsspec for a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError as error:
        raise CorpusError(f"{url}: URLs need fsspec: pip install 'treegauge[remote]'") from error
    from urllib.parse import urlsplit

    try:
        urlsplit(url)
        return url_to_fs(url)
    except (ImportError, ValueError) as error:  # the protocol is unknown, or its package is missing
        raise CorpusError(f"{url}: {error}") from error


def _expand_url(url: str, suffix: str) -> list[str]:
    """The URLs of the files that a URL with a glob, or of a folder, stands for."""
    files, path = _file_system(url)
    try:
        if any(c in path for c in "*?["):
            matches = sorted(files.glob(path))
        elif url.startswith("http") or files.isfile(path):  # a web server has no folders
            return [url]
        else:
            matches = sorted(file for file in files.find(path) if file.endswith(_endings(suffix)))
    except Exception as error:  # every kind of storage has its own exceptions
        raise CorpusError(f"{url}: {error}") from error
    if not matches:
        raise CorpusError(f"{url}: no {suffix} file there")
    return [files.unstrip_protocol(file) for file in matches]


def _endings(suffix: str) -> tuple[str, ...]:
    """A suffix, plain and compressed."""
    return (suffix, *(suffix + ending for ending in COMPRESSED))


def expand_paths(paths: Iterable[str | os.PathLike[str]], suffix: str = ".conllu") -> list[str]:
    """The files that paths, directories and globs stand for, in a fixed order.

    A directory stands for the files below it that end in `suffix`, compressed or not; a glob that matches
    nothing, or a directory without such files, is an error.
    """
    files: list[str] = []
    for path in map(os.fspath, path_list(paths, "a path, or several paths")):
        if is_remote(path):
            files += _expand_url(path, suffix)
        elif path == STDIN or os.path.isfile(path):
            files.append(path)
        elif os.path.isdir(path):
            below = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
            matches = sorted(file for file in below if file.endswith(_endings(suffix)))
            if not matches:
                raise CorpusError(f"{path}: no {suffix} file in this directory")
            files += matches
        elif any(c in path for c in "*?["):
            import glob

            matches = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
            if not matches:
                raise CorpusError(f"{path}: no file matches")
            files += matches
        elif os.path.exists(path):
            files.append(path)  # a pipe or a device
        else:
            raise CorpusError(f"{path}: no such file or directory")
    return files


_MEND = "make this file again, or leave it out"


@contextmanager
def open_bytes(path: str, raw: BinaryIO | None = None) -> Iterator[BinaryIO]:
    """The uncompressed bytes of a file or URL (.gz .bz2 .xz .zst by its ending), `-` for standard input.

    A corpus in another format of FORMATS becomes CoNLL-U. raw: the stored bytes, if there is no file of that name.
    """
    try:
        with _open(path, raw) as stream:
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
def _open(path: str, content: BinaryIO | None) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        raw: Any = path
        if content is not None:
            raw = content
        elif path == STDIN:
            raw = stack.enter_context(open(sys.stdin.fileno(), "rb", closefd=False))
        elif is_remote(path):
            files, inside = _file_system(path)
            try:
                raw = stack.enter_context(files.open(inside, "rb"))
            except Exception as error:  # every kind of storage has its own exceptions
                raise CorpusError(f"{path}: {error}") from error
        name, ending = os.path.splitext(path)
        module = _MODULES.get(ending)
        if raw is path:
            raw = stack.enter_context(open(path, "rb", buffering=-1 if module else 0))
            for counter in tuple(_counting):
                stack.enter_context(counter.reading(raw.raw if module else raw))
        stream = stack.enter_context(import_module(module).open(raw, "rb")) if module else raw
        to_conllu = FORMATS.get(os.path.splitext(name)[1] if module else ending)
        yield as_conllu(stream, to_conllu) if to_conllu else stream


class BytesRead:
    """Counts the bytes that are read from files on disk inside its `with` block; pipes and URLs count 0.

    This does not slow down reading: a call looks up the positions of the open files.
    """

    def __init__(self) -> None:
        self._done, self._open = 0, list[FileIO]()

    def __call__(self) -> int:
        """The bytes so far."""
        return self._done + sum(map(_position, tuple(self._open)))

    def __enter__(self) -> BytesRead:
        _counting.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _counting.remove(self)

    @contextmanager
    def reading(self, file: FileIO) -> Iterator[None]:
        """Count the bytes of a file inside this `with` block."""
        self._open.append(file)
        try:
            yield
        finally:
            self._open.remove(file)
            self._done += _position(file)


_counting: list[BytesRead] = []


def _position(file: FileIO) -> int:
    """The position in a file; 0 for a pipe, or if the file was closed."""
    try:
        return file.tell()
    except (OSError, ValueError):
        return 0


def bytes_on_disk(paths: Iterable[str | os.PathLike[str]]) -> int | None:
    """The size of all files that these paths stand for, as `expand_paths` finds them; None if it is not known."""
    try:
        files = expand_paths(paths)
    except CorpusError:  # the error is raised again when they are read
        return None
    return sum(map(os.path.getsize, files)) if files and all(map(os.path.isfile, files)) else None


def read_at_most(path: str, most: int) -> bytes:
    """The uncompressed bytes of a file or URL; CorpusError if there are more than `most`."""
    parts: list[bytes] = []
    remaining = most + 1
    with open_bytes(path) as stream:
        while remaining and (part := stream.read(min(remaining, 1 << 24))):  # a pipe may give fewer bytes
            parts.append(part)
            remaining -= len(part)
    if not remaining:
        raise CorpusError(f"{path}: more than {most} bytes; expected fewer")
    return b"".join(parts)


def read_text(path: str) -> str:
    """The text of a small file in UTF-8, such as a table of settings; OptionError if it cannot be read."""
    try:
        with open(path, encoding="utf-8-sig") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def text_lines(text: str) -> list[str]:
    """The lines of a text without \\n or \\r\\n; other separators of Unicode do not end a line."""
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def read_toml(path: str) -> dict[str, Any]:
    """The content of a TOML file."""
    import tomllib

    try:
        return tomllib.loads(read_text(path))
    except ValueError as error:
        raise OptionError(f"{path}: {error}") from error
    except RecursionError as error:
        raise OptionError(f"{path}: nested too deeply") from error


def bundled_or_file(name: str, folder: str, suffix: str, kind: str) -> str:
    """The path of a bundled file, by its name, or of any other file; OptionError lists the bundled ones."""
    for path in (os.path.join(folder, name + suffix), name):
        if os.path.isfile(path):
            return path
    bundled = ", ".join(sorted(file.removesuffix(suffix) for file in os.listdir(folder) if file.endswith(suffix)))
    raise OptionError(f"{name}: no {kind} of that name; there are {bundled}")


@dataclass(frozen=True, slots=True)
class Block:
    """Whole sentences: bytes start to end of a buffer; newlines follow them, which the scanner needs."""

    buffer: bytearray
    start: int  # 3 after a byte order mark, else 0
    end: int
    lines_lost: int = 0  # how many lines after it were dropped, because their sentence is too long


def sentence_blocks(stream: BinaryIO, size: int = BLOCK, spare: deque[bytearray] | None = None) -> Iterator[Block]:
    """The stream in blocks that end after a blank line; the last block ends at the end of the stream.

    A sentence longer than `size` makes its block longer; a sentence longer than LONGEST_SENTENCE is cut there. The
    caller may put the buffer of a used block into `spare`; it is filled again, because new memory is slower. A small
    file has a small block.
    """
    size = min(size, _file_size(stream, size) + 1)
    rest, first = b"", True
    while True:
        wanted = max(size, 2 * len(rest)) + PAD
        buffer = spare.popleft() if spare else bytearray(wanted)
        if len(buffer) < wanted:
            buffer = bytearray(wanted)
        room = len(buffer) - PAD
        filled = len(rest)
        buffer[:filled] = rest
        while filled < room:
            n_read = stream.readinto(memoryview(buffer)[filled:room])  # type: ignore[attr-defined]
            if not n_read:
                if filled:
                    yield sentence_block(buffer, filled, first)
                return
            filled += n_read
        cut = _behind_blank_line(buffer, filled)
        if cut:
            rest = bytes(memoryview(buffer)[cut:filled])
            yield sentence_block(buffer, cut, first)
            first = False
        elif filled <= LONGEST_SENTENCE + PAD:
            rest = bytes(memoryview(buffer)[:filled])
        else:
            lines, rest = _skip_sentence(stream, bytes(buffer[filled - 2 : filled]))
            yield sentence_block(buffer, filled, first, lines)
            first = False


def sentence_block(buffer: bytearray, end: int, first: bool = True, lines_lost: int = 0) -> Block:
    """The block of the first `end` bytes of a buffer; first: whether it is the first block of a file."""
    buffer[end : end + PAD] = b"\n" * PAD
    return Block(buffer, 3 if first and buffer.startswith(b"\xef\xbb\xbf") else 0, end, lines_lost)


def _behind_blank_line(text: bytearray, end: int) -> int:
    """The place after the last blank line of text[:end]; 0 if there is none."""
    unix = text.rfind(b"\n\n", 0, end)
    windows = text.rfind(b"\n\r\n", max(unix, 0), end)
    return windows + 3 if windows >= 0 else unix + 2 if unix >= 0 else 0


def _skip_sentence(stream: BinaryIO, end: bytes) -> tuple[int, bytes]:
    """Read up to the next blank line; return how many lines there were, and the bytes after the blank line.

    end: the last two bytes before; they may be half of the blank line. A line that began there is not counted again.
    """
    lines, counted = -1 if end[-1:] != b"\n" else 0, len(end)
    text = end
    while True:
        ends = [place + len(mark) for mark in (b"\n\n", b"\n\r\n") if (place := text.find(mark)) >= 0]
        first_end = min(ends, default=len(text))
        lines += text.count(b"\n", counted, first_end)
        if ends:
            return lines, text[first_end:]
        block = stream.read(BLOCK)
        if not block:
            return lines, b""
        counted = min(len(text), 2)
        text = text[-2:] + block


def _file_size(stream: BinaryIO, unknown: int) -> int:
    """The size of a plain file, at least 4096, as some files report 0; `unknown` for another stream."""
    if not isinstance(stream, FileIO):
        return unknown
    status = os.fstat(stream.fileno())
    return max(status.st_size, 1 << 12) if stat.S_ISREG(status.st_mode) else unknown


@contextmanager
def write_whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream whose bytes become a file at the end, all of them or none; `-` is standard output.

    They are written to a temporary file beside it, which is then renamed: even after an error, the file has either the
    old content or all of the new. A link stays a link; a pipe or a device is written to directly.
    """
    path = os.fspath(path)
    if path == STDIN:
        with _output_errors("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
    elif is_remote(path):
        with _write_url(path) as stream:
            yield stream
    else:
        path = os.path.abspath(os.path.realpath(path))
        special = os.path.exists(path) and not os.path.isfile(path)
        with _output_errors(path), open(path, "wb") if special else _write_beside(path) as stream:
            yield stream


@contextmanager
def _output_errors(path: str) -> Iterator[None]:
    """Turn the errors of writing into OutputError."""
    try:
        yield
    except BrokenPipeError:  # the reader ended first, as `head` does
        raise
    except OSError as error:
        raise OutputError(f"{path}: not written: {error.strerror or error}") from error


@contextmanager
def _write_beside(path: str) -> Iterator[IO[bytes]]:
    """A stream to a file beside the path, which replaces it in the end; the mode of an old file stays."""
    try:
        mode = os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        mode = None
    with ExitStack() as stack:
        try:
            temporary, handle = stack.enter_context(temporary_file(path, 0o666 if mode is None else 0o600))
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            with open(handle, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            if mode is not None:
                os.chmod(temporary, mode)
            os.replace(temporary, path)
        except BaseException as error:
            os.unlink(temporary)
            if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
                raise OutputError(
                    f"{path}: not written: {error.strerror or error}; nothing under that name has changed"
                ) from error
            raise


@contextmanager
def _write_url(url: str) -> Iterator[IO[bytes]]:
    """A stream to a local temporary file, which is then sent under another name, and renamed there."""
    import tempfile

    files, path = _file_system(url)
    with tempfile.NamedTemporaryFile() as stream:
        yield stream
        stream.flush()
        try:
            files.put_file(stream.name, path + ".part")
            files.mv(path + ".part", path)
        except Exception as error:  # every kind of storage has its own exceptions
            raise OutputError(f"{url}: not written: {error}; nothing under that name has changed") from error
