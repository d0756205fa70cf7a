"""Writing: a file is old or new, never half."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from treegauge.corpus.files import write_whole
from treegauge.errors import OutputError

WRITER = """
import sys, time
from treegauge.corpus.files import write_whole
with write_whole(sys.argv[1]) as stream:
    stream.write(b"half of the new")
    stream.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


def test_the_file_appears_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with write_whole(str(path)) as stream:
        stream.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_device_is_written_to_and_stays_a_device() -> None:
    with write_whole("/dev/null") as stream:
        stream.write(b"gone")
    assert not Path("/dev/null").is_file()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    with write_whole(str(tmp_path / "link")) as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_folder_is_no_place_to_write(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="not written"), write_whole(str(tmp_path)):
        pass


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with write_whole(str(path)) as stream:
            stream.write(b"half")
            raise RuntimeError("on the way")

    with pytest.raises(RuntimeError, match="on the way"):
        interrupted()
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_kill_in_the_middle_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"writing\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.05)
    assert path.read_bytes() == b"old"
