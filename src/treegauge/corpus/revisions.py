"""Read a treebank from files, or from a revision of a git repository, without a checkout."""

from __future__ import annotations

import os
import posixpath
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any, BinaryIO

from treegauge.corpus.columns import COLUMNS
from treegauge.corpus.conllu import Reader, join_pieces, read_conllu, stream_opened
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import COMPRESSED, STDIN, is_remote
from treegauge.errors import CorpusError

SUFFIX = ".conllu"
ENDINGS = (SUFFIX, *(SUFFIX + ending for ending in COMPRESSED))
# with these settings, paths are names and not patterns, and git's messages are in English
_SETTINGS = {"GIT_LITERAL_PATHSPECS": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def read_revision(source: str | os.PathLike[str], **options: Any) -> Corpus:
    """The corpus of a file, folder or glob, or of `REV:path` in the git repository around the current folder.

    REV is any name of a commit for git: a tag, a branch, a hash, HEAD~3. path is a file or a folder, from the top of
    the repository, or from the current folder if it begins with `./` or `../`. Files are then named `REV:path/name`.
    Options are those of `read_conllu`. If a file has this name, with its colon, the file is read.
    """
    source = os.fspath(source)
    if not is_revision(source):
        _check_not_alone(source)
        return read_conllu(source, **options)
    columns: Sequence[str] = options.pop("columns", tuple(COLUMNS))
    pieces = stream_opened(Reader(columns, **options), _revision_files(source))
    return replace(join_pieces(pieces, columns), path=source)


def _check_not_alone(source: str) -> None:
    """Raise CorpusError if a source is no file but the name of a commit, with a hint at what was meant."""
    if os.path.lexists(source) or source == STDIN or is_remote(source) or any(c in source for c in "*?[/"):
        return
    try:
        _git(source, ["rev-parse", "--verify", "--quiet", "--end-of-options", source + "^{commit}"], "")
    except CorpusError:
        return
    raise CorpusError(f"{source}: no such file, but a revision of this git repository; expected {source}:./ or a file")


def is_revision(source: str) -> bool:
    """Whether a source is `REV:path`, and not the name of a file, a glob that matches one, or a URL."""
    if ":" not in source or source == STDIN or is_remote(source) or os.path.lexists(source):
        return False
    if any(c in source for c in "*?["):
        import glob

        return not glob.glob(source, recursive=True)
    return True


def _revision_files(source: str) -> Iterator[tuple[str, BinaryIO]]:
    """The names of the files that `REV:path` stands for, in a fixed order, and their bytes as they are stored."""
    revision, _, path = source.partition(":")
    top = _git(source, ["rev-parse", "--show-prefix"], "no such file, and no git repository here")
    wanted = ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"]
    commit = _git(source, wanted, f"no revision {revision!r} in this git repository").decode().strip()
    path = _from_the_top(path, os.fsdecode(top).rstrip("\n"))
    if path.startswith("../") or path == "..":
        raise CorpusError(f"{source}: outside of the git repository")
    listed = _git(source, ["ls-tree", "-r", "-z", "--full-tree", commit, "--", *([path] if path else [])], "not listed")
    rows = [row.partition("\t") for row in os.fsdecode(listed).split("\0") if row]
    if not rows:
        raise CorpusError(f"{source}: no such file or directory in revision {revision!r}")
    # a row has mode, kind, hash and name of a file; links and submodules have other modes
    plain = {name: about.split()[2] for about, _, name in rows if about.startswith("100")}
    names = sorted(name for name in plain if name == path or name.endswith(ENDINGS))
    if not names:
        raise CorpusError(f"{source}: no {SUFFIX} file there in revision {revision!r}")
    blobs = _blobs(source, [plain[name] for name in names])
    return ((f"{revision}:{name}", BytesIO(blob)) for name, blob in zip(names, blobs, strict=True))


def _from_the_top(path: str, here: str) -> str:
    """The same path from the top of the repository; empty for the top itself. here: the current folder."""
    relative = path in (".", "..") or path.startswith(("./", "../"))
    path = posixpath.normpath(posixpath.join(here if relative else "", path or "."))
    return "" if path == "." else path


def _blobs(source: str, hashes: list[str]) -> Iterator[bytes]:
    """The content of each object of the repository, from one process of git."""
    with _started(source, ["cat-file", "--batch"]) as process:
        assert process.stdin
        assert process.stdout
        for name in hashes:
            process.stdin.write(f"{name}\n".encode())
            process.stdin.flush()
            size = process.stdout.readline().split()[-1:]
            if not size or not size[0].isdigit():
                raise CorpusError(f"{source}: git has lost object {name}")
            yield process.stdout.read(int(size[0]))
            process.stdout.read(1)  # a newline
        process.stdin.close()


def _git(source: str, arguments: list[str], otherwise: str) -> bytes:
    """The output of git; if git fails, CorpusError with the message `otherwise`, and with git's own message."""
    with _started(source, arguments) as process:
        output, complaint = process.communicate()
    if process.returncode:
        message = complaint.decode(errors="replace").strip().partition("\n")[0].removeprefix("fatal: ")
        raise CorpusError(f"{source}: {otherwise}{f' (git: {message})' if message else ''}")
    return output


def _started(source: str, arguments: list[str]) -> subprocess.Popen[bytes]:
    """A running process of git, started without a shell."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            ["git", *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **_SETTINGS}
        )
    except (OSError, ValueError) as error:  # git is not installed, or an argument has a zero byte
        why = getattr(error, "strerror", None) or error
        raise CorpusError(f"{source}: no such file, and git cannot be run: {why}") from error
