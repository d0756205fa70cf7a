"""However a command ends: one line, the right exit code, nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from treegauge.cli import cli, main

DEMO = Path(__file__).parents[2] / "src" / "treegauge" / "demo" / "demo.conllu"
TREEGAUGE = (sys.executable, "-m", "treegauge")


@pytest.mark.parametrize("command", [("rank", str(DEMO), "-m", "en"), ("model", "list"), ("rank", "--help")], ids=str)
def test_a_full_disk_behind_standard_output_is_one_line(command: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*TREEGAUGE, *command], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.endswith("No space left on device\n")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = " ".join([*TREEGAUGE, "rank", str(DEMO), "-m", "en", "-f", "tsv"])
    done = subprocess.run(["bash", "-o", "pipefail", "-c", f"{command} 2>/dev/null | head -1"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "command",
    [
        ("rank", "http://[::1", "-m", "en"),
        ("eval", "http://[::1", str(DEMO)),
        ("model", "build", "http://[::1/*", "-o", "x"),
    ],
    ids=str,
)
def test_a_url_that_is_none_is_named(command: tuple[str, ...], tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    done = subprocess.run([*TREEGAUGE, *command], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Invalid IPv6 URL" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_short_memory_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def allocate(**options: object) -> None:
        raise MemoryError("Unable to allocate 9. TiB")

    monkeypatch.setattr(cli, "main", allocate)
    with pytest.raises(SystemExit) as ended:
        main(["rank"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "treegauge: memory is short: Unable to allocate 9. TiB\n"


@pytest.mark.parametrize("more", [("--memory", "100"), (), ("--memory", "100", "--split", "50000")], ids=str)
@pytest.mark.parametrize("blocks", [100, 4000])
def test_a_disk_that_is_too_small_is_one_line_and_leaves_nothing(
    more: tuple[str, ...], blocks: int, tmp_path: Path
) -> None:
    (tmp_path / "large.conllu").write_bytes(DEMO.read_bytes() * 6000)
    (tmp_path / "x").write_bytes(b"old")
    command = " ".join([*TREEGAUGE, "rank", "large.conllu", "-m", "en", "-f", "tsv", "-o", "x", *more])
    limited = ["bash", "-c", f"ulimit -f {blocks}; exec {command}"]  # no file longer than so many kilobytes
    done = subprocess.run(limited, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    told = "cannot sort on disk: File too large; give another folder" if more else "not written: File too large"
    assert told in done.stderr.split("\n")[-2]
    assert "Traceback" not in done.stderr
    assert (tmp_path / "x").read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == {"large.conllu", "x"}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    "command",
    [
        ("rank", "in.fifo", "-m", "en", "-o", "x"),
        ("rank", "in.fifo", "-m", "en", "-o", "x", "--memory", "100"),
        ("model", "build", "in.fifo", "-o", "x"),
        ("eval", "in.fifo", str(DEMO), "-o", "x"),
    ],
    ids=str,
)
def test_ctrl_c_and_sigterm_clean_up_and_say_so(
    command: tuple[str, ...], number: signal.Signals, code: int, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "in.fifo")  # a corpus that never ends
    as_on_a_terminal = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a job in the background ignores it
    run = subprocess.Popen(
        [*TREEGAUGE, *command], stderr=subprocess.PIPE, text=True, cwd=tmp_path, preexec_fn=as_on_a_terminal
    )
    with open(tmp_path / "in.fifo", "wb") as corpus:  # opens when the command does
        corpus.write(DEMO.read_bytes())
        corpus.flush()
        time.sleep(0.2)
        run.send_signal(number)
        _, messages = run.communicate(timeout=20)
    assert run.returncode == code
    assert "treegauge: interrupted" in messages
    assert "Traceback" not in messages
    assert [path.name for path in tmp_path.iterdir()] == ["in.fifo"]


IMPATIENT = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from treegauge.__main__ import main
main()
"""


def test_ctrl_c_while_modules_are_imported_is_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", IMPATIENT], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "treegauge: interrupted\n")
