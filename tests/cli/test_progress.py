"""Progress on a terminal: per cent and the time left wherever the size is known; nothing elsewhere."""

import bz2
import gzip
import io
import lzma
import re
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from click.testing import CliRunner

from treegauge.cli import cli
from treegauge.cli.messages import ReadingProgress, progress_of, read_corpus, stages
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.files import BytesRead, bytes_on_disk, open_bytes, zstd

DEMO = Path(__file__).parents[2] / "src/treegauge/demo/demo.conllu"
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: bytes(zstd().compress(data)),
}


class Terminal(io.StringIO):
    """What a terminal was told."""

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        """Its text without the codes that move and colour."""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.getvalue())


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return Terminal()


def test_a_known_number_of_steps_has_per_cent_and_time_left(terminal: Terminal) -> None:
    with redirect_stderr(terminal), stages("resampling", 40) as told:
        told(10)
    assert "resampling 25 % 10 steps" in terminal.shown
    assert re.search(r"\d:\d\d:\d\d left", terminal.shown)


@pytest.mark.parametrize("ending", COMPRESS)
def test_files_have_per_cent_of_their_bytes_on_disk(ending: str, tmp_path: Path, terminal: Terminal) -> None:
    paths = [str(tmp_path / f"{name}.conllu{ending}") for name in "ab"]
    for path in paths:
        Path(path).write_bytes(COMPRESS[ending](DEMO.read_bytes()))
    with redirect_stderr(terminal), progress_of("reading", paths=paths) as told:
        words = read_conllu(paths[0]).n_words
        told(words)
    assert f"reading 50 % {words} words" in terminal.shown
    assert "left" in terminal.shown


def test_reading_a_corpus_ends_at_all_of_it(terminal: Terminal) -> None:
    with redirect_stderr(terminal):
        read_corpus(str(DEMO))
    assert "reading 100 % 142 words" in terminal.shown


def test_without_a_size_there_is_neither_per_cent_nor_time_left(terminal: Terminal) -> None:
    for paths in ((), ("-",), ("missing.conllu",)):
        with redirect_stderr(terminal), ReadingProgress(paths=paths) as reading:
            reading(read_conllu(DEMO))
    assert "142 words" in terminal.shown
    assert "%" not in terminal.shown
    assert "left" not in terminal.shown


def test_what_is_read_twice_or_by_others_shows_no_wrong_share(terminal: Terminal) -> None:
    with redirect_stderr(terminal), progress_of("reading", paths=[str(DEMO)]) as told:
        read_conllu(DEMO)
        told(60)
        read_conllu(DEMO)
        told(60)
    last = terminal.shown.rindex("120 words")
    assert "%" not in terminal.shown[terminal.shown.rindex("reading", 0, last) : last]
    with redirect_stderr(terminal), progress_of("counting", paths=[str(DEMO)]) as told:
        told(70)  # other processes read
    last = terminal.shown.rindex("70 words")
    assert "%" not in terminal.shown[terminal.shown.rindex("counting", 0, last) : last]


@pytest.mark.parametrize(
    "args",
    [
        "rank {} -m en -f tsv -o {out}",
        "eval {} {}",
        "judge {} {} -m en --samples 20",
        "report {} -m en -o {out}",
        "model build {} -o {out}",
        "chaos parse {} -o {out}",
        "difficulty bins {} {} -m en",
        "challenge {} -m en",
    ],
    ids=lambda args: args.split()[0],
)
def test_commands_show_per_cent(args: str, terminal: Terminal, tmp_path: Path) -> None:
    words = [str(DEMO) if word == "{}" else word.format(out=tmp_path / "out") for word in args.split()]
    with redirect_stderr(terminal):
        cli.main(args=words, prog_name="treegauge", standalone_mode=False)
    assert " % " in terminal.shown


def test_nothing_is_shown_elsewhere() -> None:
    result = CliRunner().invoke(cli, ["eval", str(DEMO), str(DEMO)])
    assert result.stderr == ""


def test_bytes_read_are_those_of_open_and_closed_files(tmp_path: Path) -> None:
    for name, size in (("a", 5000), ("b", 9000)):
        (tmp_path / name).write_bytes(b"x" * size)
    with open_bytes(str(tmp_path / "a")) as before, BytesRead() as found:
        before.read(10)
        assert found() == 0  # it was opened before
        with open_bytes(str(tmp_path / "a")) as stream:
            stream.read(3000)
            assert found() == 3000
        with open_bytes(str(tmp_path / "b")) as stream:
            stream.read(2000)
            assert found() == 5000
    with open_bytes(str(tmp_path / "b")) as stream:
        stream.read(2000)
    assert found() == 5000
    assert bytes_on_disk([tmp_path / "a", tmp_path / "b"]) == 14000
    assert bytes_on_disk(["-"]) is None
