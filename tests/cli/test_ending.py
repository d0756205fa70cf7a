"""However a command ends: one line, the right exit code, nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import click
import pytest

from treegauge.cli import GateError, cli, main
from treegauge.errors import OptionError
from treegauge.interruption import TerminationSignal

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "src" / "treegauge" / "demo" / "demo.conllu"
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
    assert "cannot sort on disk: File too large; give another folder" in done.stderr.split("\n")[-2]
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


IN_A_CALLBACK = """
import signal, sys, time, weakref
class Thing:
    pass
def interrupt(reference):
    signal.raise_signal(signal.{name})
def run():
    thing = Thing()
    reference = weakref.ref(thing, interrupt)
    del thing  # Python ignores exceptions of the callback, as of those that end an import
    time.sleep(20)
    print("went on")
import treegauge.cli
treegauge.cli.cli.main = lambda **options: run()
from treegauge.__main__ import main
main()
"""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_that_comes_in_a_callback_is_not_lost(name: str, code: int) -> None:
    as_on_a_terminal = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    program = [sys.executable, "-c", IN_A_CALLBACK.format(name=name)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, preexec_fn=as_on_a_terminal)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "treegauge: interrupted\n")


def test_other_errors_in_callbacks_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    program = IN_A_CALLBACK.format(name="SIGINT").replace("signal.raise_signal(signal.SIGINT)", "1 / 0")
    done = subprocess.run([sys.executable, "-c", program.replace("sleep(20)", "sleep(0)")], capture_output=True)
    assert done.returncode == 0
    assert b"ZeroDivisionError" in done.stderr


CLOSED = [("rank", str(DEMO), "-m", "en"), ("rank", str(DEMO), "-m", "en", "-f", "tsv"), ("model", "list"), ("check",)]
CLOSED += [("rank", "--help"), ("--version",), ("demo",), ("eval", str(DEMO), str(DEMO)), ("bits", str(DEMO)), ()]


@pytest.mark.parametrize("command", CLOSED, ids=str)
def test_a_closed_standard_output_is_one_line(command: tuple[str, ...]) -> None:
    line = " ".join([*TREEGAUGE, *command, *([str(DEMO)] if command == ("check",) else [])])
    done = subprocess.run(["bash", "-c", f"{line} >&-"], capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert done.stderr.endswith("Bad file descriptor\n")
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_closed_streams_do_not_matter_where_they_are_not_used(tmp_path: Path) -> None:
    line = " ".join([*TREEGAUGE, "rank", str(DEMO), "-m", "en", "-o", "x"])
    for streams in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = subprocess.run(["bash", "-c", f"{line} {streams}"], capture_output=True, cwd=tmp_path)
        assert done.returncode == 0
        assert (tmp_path / "x").read_text().startswith("rank 1 of ")
        (tmp_path / "x").unlink()


def test_a_closed_standard_input_is_one_line() -> None:
    done = subprocess.run(["bash", "-c", " ".join([*TREEGAUGE, "rank - -m en <&-"])], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "treegauge: -: [Errno 9] Bad file descriptor\n")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (GateError("too bad"), 1),
        (click.UsageError("no such option"), 2),
        (click.ClickException("no such thing"), 2),
        (OptionError("expected another"), 2),
        (FileNotFoundError(2, "No such file", "x"), 2),
        (SystemExit(1), 2),  # of another package
        (SystemExit(0), 0),
        (BrokenPipeError(), 0),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (TerminationSignal(), 143),
        (ZeroDivisionError("division by zero"), 3),
        (UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"), 3),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_only_a_gate_ends_with_1(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**options: object) -> None:
        raise error

    monkeypatch.setattr(cli, "main", fail)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    with pytest.raises(SystemExit) as ended:
        main(["rank"])
    assert ended.value.code == code
    assert ("Traceback" in capsys.readouterr().err) == (code == 3)


def test_no_command_decides_its_exit_code() -> None:
    for path in (ROOT / "src" / "treegauge" / "cli").glob("*.py"):
        if path.name != "__init__.py":
            assert "exit(" not in path.read_text(), f"{path.name}: expected GateError"


# {b} and {c} have names that are not UTF-8, {t} has brackets, {o} is to be written
ODD_NAMES = """
rank {b} -m en
rank {b} -m en -f tsv
rank {b} -m en -f json
rank {b} -m en -f conllu -o {o}
rank {b} --self --memory 100 -f tsv -o {o} --split 50
report {b} -m en --gold {c} --compare {c} -o {o}
combine {b} {c} -m en -o {o}
eval {b} {c}
eval {b} {c} -f tsv
eval {b} {c} -f json
eval {b} {c} -f latex -o {o}
eval {b} {c} {b} --versus --significance --samples 5
judge {b} {c} -m en --samples 0 -f json --beside -o {o} --figure-top {o}.png
agreement {b} {c}
agreement {b} {c} -f json
check {b}
check {b} -f tsv
check {b} -f json
check {b} -f sarif
check {b} -f github
check {b} -f html
check {b} --new-since {c}
diff {b} {c}
diff {b} {c} -f json
diff {b} {c} -f html
stability {b} -f json
bits {b} {c}
bits {b} {c} -f tsv
bits {b} {c} -f json --figure {o}.png
typology {b} {c} --least 1 -f json
difficulty types {b} {c} -m en
difficulty bins {b} {c} -m en -f json
challenge {b} -m en -o {o}
model build {b} -o {o}
ecc {t}
ecc {t} -f json
surprisal {t}
parseval {t} {t}
flatten {t} -o {o}
chaos parse {b}
chaos eval {b}
"""


@pytest.mark.parametrize("command", ODD_NAMES.strip().split("\n"))
def test_names_of_files_need_not_be_utf_8(command: str, tmp_path: Path) -> None:
    names = {key: os.fsencode(tmp_path) + b"/" + key.encode() + b"\xff.conllu" for key in "bcto"}
    for key in "bct":
        with open(names[key], "wb") as stream:
            stream.write(DEMO.read_bytes() if key != "t" else b"(S (N dogs) (V bark))\n(S (N cats) (V sleep))\n")
    args = os.fsencode(command)
    for key, name in names.items():
        args = args.replace(b"{%s}" % key.encode(), name)
    done = subprocess.run([*TREEGAUGE, *args.split()], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert b"\xff" not in done.stderr
    if " -f tsv" not in command:  # it has the names as they are
        done.stdout.decode()
    if " -f json" in command and done.stdout:
        json.loads(done.stdout)
