"""Files are written whole, with the mode they had, under names of any length, and nothing of killed runs stays."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from treegauge.corpus.files import write_whole
from treegauge.corpus.temporary_files import temporary_folder
from treegauge.errors import CorpusError, OutputError

HOLD = """
import sys, time
from contextlib import ExitStack
from treegauge.corpus.files import write_whole
from treegauge.corpus.temporary_files import temporary_folder
with write_whole(sys.argv[1]) as stream, temporary_folder(sys.argv[2], ".treegauge-rank") as folder:
    stream.write(b"half")
    stream.flush()
    open(folder + "/run0.key", "w").close()
    print("ready", flush=True)
    time.sleep(60)
"""


def write(path: Path, content: bytes = b"all") -> None:
    with write_whole(path) as stream:
        stream.write(content)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(mode)
    with write_whole(path) as stream:
        (temporary,) = tmp_path.glob(".x*")
        assert temporary.stat().st_mode & 0o777 == 0o600
        stream.write(b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", mode)


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_mode_that_new_files_have(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        write(tmp_path / "x")
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.parametrize("name", ["a" * 245, "a" * 255, "ä" * 127, "日" * 85], ids=len)
def test_names_are_as_long_as_the_system_allows(name: str, tmp_path: Path) -> None:
    write(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_next_run_removes_leftovers_of_killed_ones_and_not_of_those_alive(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "x"), str(tmp_path)]
    runs: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(2):  # one after the other, so that their names are known
            runs.append(subprocess.Popen(command, stdout=subprocess.PIPE))
            assert runs[-1].stdout is not None
            assert runs[-1].stdout.readline() == b"ready\n"
        names = {".x.0.part", ".x.1.part", ".treegauge-rank-0", ".treegauge-rank-1"}
        assert {path.name for path in tmp_path.iterdir()} == names
        write(tmp_path / "x")
        with temporary_folder(str(tmp_path), ".treegauge-rank") as mine:
            assert mine == str(tmp_path / ".treegauge-rank-2")
        assert {path.name for path in tmp_path.iterdir()} == {"x", *names}
    finally:
        for run in runs:
            run.kill()
            run.communicate()
    assert {path.name for path in tmp_path.iterdir()} == {"x", *names}
    write(tmp_path / "x", b"again")
    with temporary_folder(str(tmp_path), ".treegauge-rank") as mine:
        assert [path.name for path in Path(mine).iterdir()] == []
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_folder_that_another_run_removes_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_file, removed = os.open, []

    def remove_first(path: str, flags: int) -> int:
        if not removed:
            removed.append(path)
            os.rmdir(path)
        return open_file(path, flags)

    monkeypatch.setattr(os, "open", remove_first)
    with temporary_folder(str(tmp_path), ".treegauge-rank") as mine:
        assert removed == [mine]
        assert Path(mine).is_dir()


def test_other_files_that_look_like_leftovers_stay(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"mine")
    (tmp_path / ".x.0.part").symlink_to("target")
    (tmp_path / ".x.backup.part").write_bytes(b"mine")
    write(tmp_path / "x")
    assert (tmp_path / "target").read_bytes() == b"mine"
    assert {path.name for path in tmp_path.iterdir()} == {"x", "target", ".x.0.part", ".x.backup.part"}


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="nowhere/x: cannot be written: No such file or directory"):
        write(tmp_path / "nowhere" / "x")
    with pytest.raises(OutputError, match="/dev/full: not written: No space left on device"):
        write(Path("/dev/full"))


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "x", b"old")

    def fail() -> None:
        with write_whole(tmp_path / "x") as stream:
            stream.write(b"half")
            raise CorpusError("no")

    with pytest.raises(CorpusError, match="no"):
        fail()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x", b"old")]
