"""The journal of a run of many shards: a run can be killed at any moment, and a later run continues it.

The first line of `parse.jsonl` has the settings. Then each finished shard adds a line, in the order of time. When all
are finished, the lines are sorted by shard, so that the file does not depend on the speed of the workers.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from treegauge.corpus.files import write_whole
from treegauge.errors import OptionError, OutputError
from treegauge.json_fields import Fields, json_text, parse_json

NAME = "parse.jsonl"


class Journal:
    """The finished shards of a folder; `done`: name of a shard -> its record."""

    def __init__(self, folder: str, settings: dict[str, Any], stream: IO[bytes]) -> None:
        self._folder, self._settings, self._stream = folder, settings, stream
        self.done: dict[str, dict[str, Any]] = {}

    def has(self, shard: str, digest: str) -> bool:
        """Whether a shard of this text is finished and its file still has its length."""
        record = self.done.get(shard)
        if record is None or record["input"] != digest:
            return False
        try:
            return os.path.getsize(os.path.join(self._folder, shard)) == record["bytes"]
        except OSError:
            return False

    def add(self, record: dict[str, Any]) -> None:
        """Add a shard whose file is complete."""
        try:
            self._stream.write(_line(record))
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise OutputError(f"{self._folder}/{NAME}: not written: {error.strerror}") from error
        self.done[record["shard"]] = record

    def finish(self) -> None:
        """Sort the lines by shard."""
        with write_whole(os.path.join(self._folder, NAME)) as stream:
            stream.write(_line(self._settings))
            stream.writelines(_line(self.done[shard]) for shard in sorted(self.done))


def _line(record: dict[str, Any]) -> bytes:
    return json_text(record).encode() + b"\n"


@contextmanager
def open_journal(folder: str, settings: dict[str, Any]) -> Iterator[Journal]:
    """The journal of a folder, which is made if it is missing; only one run at a time may open it.

    A folder with other settings is refused. If a run was killed, an incomplete last line and unfinished files are
    removed.
    """
    path = os.path.join(folder, NAME)
    try:
        os.makedirs(folder, exist_ok=True)
        stream = open(path, "a+b")  # noqa: SIM115
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written to: {error.strerror}") from error
    with stream:
        _lock(stream, folder)
        journal = Journal(folder, settings, stream)
        stream.seek(0)
        lines = stream.read().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            stream.truncate(sum(map(len, lines[:-1])))
            lines.pop()
        for name in os.listdir(folder):
            if name.startswith(".") and name.endswith(".part") and (".conllu." in name or NAME in name):
                os.unlink(os.path.join(folder, name))
        if lines:
            _check(_parsed(lines[0], f"{path}:1"), settings, path)
            for number, line in enumerate(lines[1:], 2):
                record = _record(Fields(_parsed(line, f"{path}:{number}"), f"{path}:{number}", OptionError))
                journal.done[record["shard"]] = record
        else:
            stream.write(_line(settings))
            stream.flush()
        yield journal


def _parsed(line: bytes, where: str) -> dict[str, Any]:
    record = parse_json(line, where, OptionError, "a line of a journal")
    if not isinstance(record, dict):
        raise OptionError(f"{where}: not a line of a journal: {line[:60]!r}")
    return record


def _record(line: Fields) -> dict[str, Any]:
    """The record of a shard, with every value checked."""
    record: dict[str, Any] = {"shard": line.text("shard"), "source": line.text("source")}
    if os.path.basename(record["shard"]) != record["shard"]:
        raise OptionError(f"{line.where}: shard {record['shard']!r}; expected the name of a file in this folder")
    record |= {"lines": list(line.wholes("lines", 2)), "input": line.text("input")}
    record |= {name: line.whole(name) for name in ("bytes", "sentences", "words")}
    record["failed"] = [
        {"path": failure.text("path"), "line": failure.whole("line"), "message": failure.text("message")}
        for failure in line.objects("failed")
    ]
    line.end()
    return record


def _check(before: dict[str, Any], now: dict[str, Any], path: str) -> None:
    for name, value in now.items():
        if before.get(name) != value:
            raise OptionError(
                f"{path}: this folder has trees of another run: {name} was {before.get(name)!r}, and is now {value!r}; "
                "give the same options, or another folder"
            )


def _lock(stream: IO[bytes], folder: str) -> None:
    try:
        import fcntl
    except ModuleNotFoundError:  # not on Windows
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise OutputError(f"{folder}: another treegauge is writing there now") from error
