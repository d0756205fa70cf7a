"""Treebanks by name, from a server of our own."""

import contextlib
import hashlib
import os
import re
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from treegauge.cli import cli
from treegauge.errors import TreegaugeError
from treegauge.parsing import download

pytest.importorskip("pooch")
DATA = Path(__file__).parents[1] / "data"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a server that has dev and test of a treebank, and no train."""
    folder = tmp_path / "served" / "UD_English-EWT" / download.RELEASE
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


RAW = f"/UniversalDependencies/UD_English-EWT/r{download.RELEASE}/en_ewt-ud-"  # the paths of the real sites
WEB = f"/UniversalDependencies/UD_English-EWT/raw/r{download.RELEASE}/en_ewt-ud-"


@pytest.mark.parametrize(("reached", "prefix"), [(0, RAW), (1, WEB)])
def test_the_real_patterns_ask_for_these_paths(
    reached: int, prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    content = (DATA / "plain.conllu").read_bytes()

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            found = self.path in (f"{prefix}dev.conllu", f"{prefix}test.conllu")
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(content if found else b"")

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    hosts = ["http://127.0.0.1:9"] * reached + [f"http://127.0.0.1:{server.server_port}"]
    real = download.url_patterns()
    assert [re.match(r"https://[a-z.]+(?=/)", one) is not None for one in real] == [True, True]
    here = tuple(re.sub(r"https://[a-z.]+", host, one) for one, host in zip(real, hosts, strict=False))
    monkeypatch.setattr(download, "url_patterns", lambda: here)
    monkeypatch.delenv("TREEGAUGE_UD_URL", raising=False)
    result = fetch("ud:en_ewt", "-o", tmp_path / "here")
    server.shutdown()
    thread.join()
    server.server_close()
    assert result.exit_code == 0, result.exception
    assert asked == [f"{prefix}{part}.conllu" for part in ("train", "dev", "test")]
    assert (tmp_path / "here" / "en_ewt-ud-test.conllu").read_bytes() == content


@pytest.mark.parametrize("inside", ["", "UD_English-EWT", f"ud-treebanks-v{download.RELEASE}/UD_English-EWT"])
def test_a_copy_made_by_hand_is_used_without_network(
    inside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEGAUGE_UD_URL", "http://127.0.0.1:9/{repository}/{release}/{file}")
    monkeypatch.setenv("TREEGAUGE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "copy" / inside
    folder.mkdir(parents=True)
    (folder / "en_ewt-ud-dev.conllu").write_bytes((DATA / "plain.conllu").read_bytes())
    result = fetch("ud:en_ewt", "--from", tmp_path / "copy")
    (path,) = map(Path, result.stdout.split())
    assert path.read_bytes() == (DATA / "plain.conllu").read_bytes()
    assert fetch("ud:en_ewt").stdout == result.stdout  # it is in the cache now, with its checksum
    path.write_bytes(b"damaged")
    assert fetch("ud:en_ewt", "--from", tmp_path / "copy").stdout == result.stdout
    (folder / "en_ewt-ud-dev.conllu").write_bytes(b"another")
    path.unlink()
    assert "its SHA-256 is " in str(fetch("ud:en_ewt", "--from", tmp_path / "copy").exception)
    assert "has no de_gsd-ud-*.conllu file" in str(fetch("ud:de_gsd", "--from", tmp_path / "copy").exception)
    assert "no such folder" in str(fetch("ud:en_ewt", "--from", tmp_path / "absent").exception)


def test_checksums_that_are_given_must_fit(served: Path, tmp_path: Path) -> None:
    digest = hashlib.sha256((served / "en_ewt-ud-dev.conllu").read_bytes()).hexdigest()
    sums = tmp_path / "sums"
    sums.write_text(f"{'0' * 64}  en_ewt-ud-dev.conllu\n")
    assert f"expected {'0' * 64}" in str(fetch("ud:en_ewt", "--checksums", sums).exception)
    sums.write_text(f"{digest}  en_ewt-ud-dev.conllu\n")
    assert len(fetch("ud:en_ewt", "--checksums", sums).stdout.split()) == 2
    sums.write_text(f"{'0' * 64}  en_ewt-ud-dev.conllu\n")
    assert "expected " + digest in str(fetch("ud:en_ewt", "--checksums", sums).exception)
    assert "no such file" in str(fetch("ud:en_ewt", "--checksums", tmp_path / "none").exception)


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
        (["ud:es_gsd"], f"release {download.RELEASE} of UD_Spanish-GSD has no es_gsd-ud-*.conllu file"),
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


def test_the_release_is_written_in_one_place() -> None:
    assert tuple(map(int, download.RELEASE.split("."))) >= (2, 17)
    package = Path(download.__file__).parents[1]
    homes = [path for path in package.rglob("*.py") if f'"{download.RELEASE}"' in path.read_text()]
    assert homes == [Path(download.__file__)]
    assert f"[default: {download.RELEASE}]" in CliRunner().invoke(cli, ["fetch", "--help"]).stdout


LOGIN = b"<!DOCTYPE html>\n<html><body>Please log in</body></html>\n"


@pytest.mark.parametrize("content", [LOGIN, b"", b"\n\n", b"\x1f\x8b\x08 no gzip", b"1\tonly\tthree\n\n"], ids=str)
@pytest.mark.parametrize("by_hand", [False, True])
def test_what_is_no_treebank_is_not_kept(served: Path, tmp_path: Path, content: bytes, by_hand: bool) -> None:
    for path in served.iterdir():
        path.write_bytes(content)
    result = fetch("ud:en_ewt", "-o", tmp_path / "here", *(["--from", served] if by_hand else []))
    assert isinstance(result.exception, TreegaugeError)
    assert "Nothing was kept" in str(result.exception)
    assert "en_ewt-ud-dev.conllu" in str(result.exception)
    assert not (tmp_path / "here").exists() or list((tmp_path / "here").iterdir()) == []


def test_files_can_be_read_by_others(served: Path, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        paths = map(Path, fetch("ud:en_ewt", "-o", tmp_path / "here").stdout.split())
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (*paths, tmp_path / "here" / "SHA256SUMS")} == {0o644}


def test_a_file_that_is_too_large_is_not_kept(served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "LARGEST", 100)
    assert "more than 100 bytes" in str(fetch("ud:en_ewt", "-o", tmp_path / "here").exception)
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(("longest", "silence", "said"), [(1, 30, "not complete after 1 seconds"), (30, 1, "reached")])
def test_a_server_that_is_too_slow_is_not_waited_for(
    longest: int, silence: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                while not over.wait(0.1 if silence > 1 else 20):  # a byte now and then, or none at all
                    self.wfile.write(b"#")
                    self.wfile.flush()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setattr(download, "LONGEST", longest)
    monkeypatch.setattr(download, "SILENCE", silence)
    monkeypatch.setenv("TREEGAUGE_UD_URL", f"http://127.0.0.1:{server.server_port}/{{file}}")
    begin = time.monotonic()
    result = fetch("ud:en_ewt", "-o", tmp_path / "here")
    taken = time.monotonic() - begin
    over.set()
    server.shutdown()
    thread.join()
    server.server_close()
    assert said in str(result.exception)
    assert taken < 10
    assert not (tmp_path / "here").exists()
