"""Treebanks by name, from a server of our own."""

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from treegauge.cli import cli
from treegauge.errors import TreegaugeError

pytest.importorskip("pooch")
DATA = Path(__file__).parents[1] / "data"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a server that has dev and test of a treebank, and no train."""
    folder = tmp_path / "served" / "UD_English-EWT" / "2.15"
    folder.mkdir(parents=True)
    (folder / "en_ewt-ud-dev.conllu").write_bytes((DATA / "plain.conllu").read_bytes())
    (folder / "en_ewt-ud-test.conllu").write_bytes((DATA / "one_word.conllu").read_bytes())
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "served")))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    pattern = f"http://127.0.0.1:{server.server_port}/{{repository}}/{{release}}/{{file}}"
    monkeypatch.setenv("TREEGAUGE_UD_URL", pattern)
    monkeypatch.setenv("TREEGAUGE_CACHE", str(tmp_path / "cache"))
    yield folder
    server.shutdown()
    thread.join()
    server.server_close()


def fetch(*args: object) -> Result:
    return CliRunner().invoke(cli, ["fetch", *map(str, args)])


def test_a_treebank_is_fetched_once_and_checked_after(served: Path) -> None:
    first = fetch("ud:en_ewt")
    assert first.exit_code == 0, first.exception
    paths = [Path(line) for line in first.stdout.splitlines()]
    assert [path.name for path in paths] == ["en_ewt-ud-dev.conllu", "en_ewt-ud-test.conllu"]
    assert [path.read_bytes() for path in paths] == [(served / path.name).read_bytes() for path in paths]
    sums = (paths[0].parent / "SHA256SUMS").read_text().splitlines()
    assert sums[0] == f"{hashlib.sha256(paths[0].read_bytes()).hexdigest()}  en_ewt-ud-dev.conllu"
    again = fetch("ud:en_ewt")
    assert (again.stdout, again.stderr) == (first.stdout, "")


def test_no_network_is_needed_for_what_is_there(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fetch("ud:en_ewt")
    monkeypatch.setenv("TREEGAUGE_UD_URL", "http://127.0.0.1:9/{repository}/{release}/{file}")
    assert fetch("ud:en_ewt").stdout == first.stdout
    offline = fetch("ud:de_gsd")
    assert "cannot be reached" in str(offline.exception)
    assert "or set TREEGAUGE_UD_URL to a mirror" in str(offline.exception)


def test_a_damaged_copy_is_fetched_again_and_another_file_refused(served: Path) -> None:
    path = Path(fetch("ud:en_ewt").stdout.splitlines()[0])
    path.write_bytes(b"damaged")
    assert "fetching http://" in fetch("ud:en_ewt").stderr
    assert path.read_bytes() == (served / path.name).read_bytes()
    path.unlink()
    (served / path.name).write_bytes(b"of another release")
    assert "not what it was before" in str(fetch("ud:en_ewt").exception)
    assert not path.exists()


def test_a_folder_and_a_repository_can_be_given(served: Path, tmp_path: Path) -> None:
    result = fetch("ud:en_ewt", "--repository", "UD_English-EWT", "-o", tmp_path / "here")
    assert (tmp_path / "here" / "en_ewt-ud-dev.conllu").exists(), result.exception


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["ud:en_none"], "treebank 'en_none' is not in the list; of English there are en_ewt, en_gum"),
        (["ud:xx_none"], "languages are ar, be"),
        (["en_ewt"], "expected ud:CODE"),
        (["ud:es_gsd"], "release 2.15 of UD_Spanish-GSD has no es_gsd-ud-*.conllu file"),
        (["ud:en_ewt", "ud:de_gsd", "--repository", "UD_A-B"], "one treebank at a time"),
        (["ud:../../../en_ewt"], "treebank '../../../en_ewt'; expected such as en_ewt"),
        (["ud:../x_y", "--repository", "UD_English-EWT"], "treebank '../x_y'; expected"),
        (["ud:en_ewt", "--repository", "../UD_A-B"], "repository '../UD_A-B'; expected"),
        (["ud:en_ewt", "--release", "../2.15"], "release '../2.15'; expected"),
    ],
)
def test_wrong_names_say_what_there_is(served: Path, args: list[str], message: str) -> None:
    assert message in str(fetch(*args).exception)


@pytest.mark.parametrize("line", ["x", "0" * 64 + "  ../x", "0" * 64, "\x00", "zz  en_ewt-ud-dev.conllu"])
def test_a_damaged_list_of_checksums_is_named(served: Path, line: str) -> None:
    sums = Path(fetch("ud:en_ewt").stdout.splitlines()[0]).parent / "SHA256SUMS"
    sums.write_text(sums.read_text() + line + "\n")
    assert "SHA256SUMS:3: " in str(fetch("ud:en_ewt").exception)
    sums.write_bytes(b"\xff\xfe")
    assert "SHA256SUMS: " in str(fetch("ud:en_ewt").exception)


@pytest.mark.parametrize("pattern", ["http://[::1/{file}", "http://host/{0}", "{", "http://h/{file.x}"])
def test_a_mirror_that_is_no_url_is_named(served: Path, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    monkeypatch.setenv("TREEGAUGE_UD_URL", pattern)
    result = fetch("ud:en_ewt")
    assert isinstance(result.exception, TreegaugeError)
    assert "\n" not in str(result.exception)
