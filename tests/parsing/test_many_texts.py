"""Parsing many files: several processes, killed at any moment, and going on; the files are the same."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from treegauge.cli import cli
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.pool import Pool, WorkerLostError, open_pool
from treegauge.errors import OptionError, OutputError
from treegauge.parsing import many_texts
from treegauge.parsing.journal import open_journal
from treegauge.parsing.parser import ParserSpec

SETTINGS = {"treegauge": "parse 1", "parser": "some"}


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    lines = [f"The cat sees dog {k} . A dog sleeps ." for k in range(600)]
    lines[77] = "\udcff"  # a byte that is not UTF-8
    path.write_bytes("\n".join(lines).encode(errors="surrogateescape"))
    return path


def arguments(text: Path, model: Path, output: Path, workers: int) -> list[str]:
    options = ["-o", str(output), "--input", "tokens", "--shard-size", "0.001"]
    return ["parse", str(text), "--parser", f"udpipe:{model}", *options, "--workers", str(workers)]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def whole(text: Path, tiny_udpipe: Path, tmp_path: Path) -> dict[str, bytes]:
    """What an undisturbed run writes."""
    result = CliRunner().invoke(cli, arguments(text, tiny_udpipe, tmp_path / "whole", 1), catch_exceptions=False)
    assert result.exit_code == 0
    assert f"left out: {text}:78: 'utf-8' codec" in result.stderr
    assert "left out: 1 passage; all are in" in result.stderr
    found = contents(tmp_path / "whole")
    assert len(found) == 23
    return found


def start(args: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "treegauge", *args], stderr=subprocess.PIPE, text=True)


def shards_in(folder: Path) -> int:
    return len(list(folder.glob("*.conllu")))


def wait_for_shards(folder: Path, n: int, process: subprocess.Popen[str]) -> None:
    while shards_in(folder) < n and process.poll() is None:
        time.sleep(0.005)


def test_every_sentence_is_there_with_its_place(whole: dict[str, bytes], tmp_path: Path) -> None:
    corpus = read_conllu(*sorted((tmp_path / "whole").glob("*.conllu")))
    assert corpus.n_sentences == 599
    assert corpus.sent_ids[:2] == ["text-1-1", "text-2-1"]
    assert corpus.sent_ids[-1] == "text-600-1"
    assert corpus.n_words == 599 * 10
    journal = [json.loads(line) for line in whole["parse.jsonl"].splitlines()]
    assert sum(shard["words"] for shard in journal[1:]) == 599 * 10
    assert [failure["line"] for shard in journal[1:] for failure in shard["failed"]] == [78]


def test_killed_again_and_again_it_ends_with_the_same_files(
    whole: dict[str, bytes], text: Path, tiny_udpipe: Path, tmp_path: Path
) -> None:
    args = arguments(text, tiny_udpipe, tmp_path / "killed", 2)
    for n in (1, 6, 13):
        process = start(args)
        wait_for_shards(tmp_path / "killed", n, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert shards_in(tmp_path / "killed") < 22, "killed too late to test anything"
        for name, content in contents(tmp_path / "killed").items():  # what has a final name is whole
            if name.endswith(".conllu") and not name.startswith("."):
                assert content == whole[name]
    (tmp_path / "killed" / ".text-00009.conllu.x.part").write_bytes(b"half")  # as a kill while writing leaves it
    with open(tmp_path / "killed" / "parse.jsonl", "ab") as stream:
        stream.write(b'{"shard": "text-0')
    process = start(args)
    _, messages = process.communicate()
    assert process.returncode == 0, messages
    assert "of them there before" in messages
    assert contents(tmp_path / "killed") == whole


def test_ctrl_c_says_what_is_kept_and_how_to_go_on(
    whole: dict[str, bytes], text: Path, tiny_udpipe: Path, tmp_path: Path
) -> None:
    args = arguments(text, tiny_udpipe, tmp_path / "stopped", 2)
    process = start(args)
    wait_for_shards(tmp_path / "stopped", 2, process)
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate(timeout=20)
    assert process.returncode == 130
    last = messages.splitlines()[-1]
    assert last.startswith("treegauge: interrupted; ")
    assert last.endswith("the same command goes on from there")
    assert "Traceback" not in messages
    assert start(args).wait() == 0
    assert contents(tmp_path / "stopped") == whole


def test_a_changed_text_or_a_lost_shard_is_parsed_again(
    whole: dict[str, bytes], text: Path, tiny_udpipe: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "whole"
    (folder / "text-00003.conllu").unlink()
    (folder / "text-00004.conllu").write_bytes(b"cut short")
    result = CliRunner().invoke(cli, arguments(text, tiny_udpipe, folder, 1))
    assert "22 shards, 20 of them there before" in result.stderr
    assert contents(folder) == whole
    text.write_bytes(text.read_bytes().replace(b"dog 7 .", b"cat 7 ."))
    result = CliRunner().invoke(cli, arguments(text, tiny_udpipe, folder, 1))
    assert "22 shards, 21 of them there before" in result.stderr


def test_other_settings_are_refused(whole: dict[str, bytes], text: Path, tiny_udpipe: Path, tmp_path: Path) -> None:
    args = arguments(text, tiny_udpipe, tmp_path / "whole", 1)
    args[args.index("tokens")] = "sentence"
    result = CliRunner().invoke(cli, args)
    assert "passage was 'tokens', and is now 'sentence'; give the same options" in str(result.exception)


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with (
        open_journal(str(tmp_path / "x"), SETTINGS),
        pytest.raises(OutputError, match="another treegauge is writing there now"),
        open_journal(str(tmp_path / "x"), SETTINGS),
    ):
        pass


def test_a_full_disk_keeps_what_is_finished(
    text: Path, tiny_udpipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, left = many_texts.write_whole, 3

    def filling(path: str) -> object:
        nonlocal left
        left -= 1
        if left < 0:
            raise OutputError(f"{path}: not written: No space left on device; nothing under that name has changed")
        return original(path)

    monkeypatch.setattr(many_texts, "write_whole", filling)
    spec = ParserSpec.of(f"udpipe:{tiny_udpipe}", "tokens")
    with pytest.raises(OutputError, match=r"No space left on device.*; 3 finished shards are kept in .*; the same"):
        many_texts.parse_files([str(text)], spec, "x", str(tmp_path / "full"), Pool(), shard_bytes=1000)
    assert shards_in(tmp_path / "full") == 3


def _end(job: int) -> int:
    if job == 3:
        os._exit(1)
    return job


def _raise(job: int) -> int:
    raise OptionError(f"job {job}")


def test_a_worker_that_vanishes_and_one_that_raises_are_told_apart() -> None:
    with pytest.raises(WorkerLostError, match="a worker process ended of itself or was killed"), open_pool(2) as pool:
        list(pool.results(_end, range(9)))
    with pytest.raises(OptionError, match="job"), open_pool(2) as pool:
        list(pool.results(_raise, range(9)))
