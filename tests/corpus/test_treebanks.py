"""Folders and globs: one corpus where one is wanted, one treebank for each where treebanks are compared."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from treegauge.cli import cli
from treegauge.corpus.reading_log import ReadingLog
from treegauge.corpus.treebanks import corpus_files, find_treebanks

DEMO = Path(__file__).parents[2] / "src/treegauge/demo/demo.conllu"
NAMES = ("it_x-ud-train.conllu", "it_x-ud-test.conllu", "en_y-ud-test.conllu", "de_z/dev.conllu", "de_z/test.conllu")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / "all" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / name).write_bytes(DEMO.read_bytes())
    return tmp_path / "all"


def test_files_of_a_treebank_are_together(folder: Path) -> None:
    assert {treebank.name: len(treebank.files) for treebank in find_treebanks([folder])} == {
        "de_z": 2,
        "en_y": 1,
        "it_x": 2,
    }
    assert [treebank.name for treebank in find_treebanks([folder / "*.conllu"])] == ["en_y", "it_x"]
    named = [folder / NAMES[0], folder / NAMES[1]]
    assert [treebank.files for treebank in find_treebanks(named)] == [(str(path),) for path in named]


def test_one_corpus_says_how_many_files_it_has(folder: Path) -> None:
    told: list[str] = []
    with ReadingLog(told.append):
        assert len(corpus_files([folder])) == 5
        assert len(corpus_files([folder, folder / NAMES[0]])) == 6
    assert told == [f"{folder}: 5 files, read as one corpus"]


@pytest.mark.parametrize("command", ["typology --bins 0 --samples 2 --least 1", "bits"])
@pytest.mark.parametrize("given", ["", "/*.conllu"])
def test_treebanks_are_compared_one_by_one(command: str, given: str, folder: Path) -> None:
    name, *options = command.split()
    result = CliRunner().invoke(cli, [name, f"{folder}{given}", *options])
    assert result.exception is None, result.exception
    expected = ["en_y", "it_x"] if given else ["de_z", "en_y", "it_x"]
    assert f"treegauge: {len(expected)} treebanks: " in result.stderr
    assert all(name in result.stdout for name in expected)
    assert "*" not in result.stdout


@pytest.mark.parametrize(
    "command", ["eval {0} {0}", "rank {0} -m en", "model build {0} -o {1}", "check {0}", "agreement {0} {0}"]
)
def test_one_corpus_is_said_in_the_first_line(command: str, folder: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, command.format(folder, tmp_path / "x.tgm").split())
    assert result.exception is None, result.exception
    assert result.stderr.splitlines()[0] == f"treegauge: {folder}: 5 files, read as one corpus"
    assert result.stderr.count("read as one corpus") == 1
