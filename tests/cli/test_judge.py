"""`treegauge judge` as a user meets it."""

import json
import os
import shutil
import stat
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.cli.test_commands import run
from tests.tables import named_tables
from treegauge.cli import cli

DATA = Path(__file__).parents[1] / "data"
GOLD, SYSTEM = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    for name in ("aa", "bb"):
        folder = tmp_path / "pairs" / name
        folder.mkdir(parents=True)
        shutil.copy(GOLD, folder / "test.gold.conllu")
        shutil.copy(SYSTEM, folder / "test.system.conllu")
        shutil.copy(SYSTEM, folder / "reference.parsed.conllu")
    (tmp_path / "pairs" / "cc").mkdir()
    shutil.copy(GOLD, tmp_path / "pairs" / "cc" / "test.gold.conllu")
    return tmp_path / "pairs"


def test_text_has_every_table_and_its_settings() -> None:
    result = run("judge", GOLD, SYSTEM, "-m", "en", "--step", 5, "--samples", 20)
    for title in (
        "share of all errors",
        "areas",
        "LAS of the top k arcs, with root arcs",
        "LAS of groups of 5, without",
    ):
        assert title in result.stdout
    assert "lisca:2020|ref:en@" in result.stdout
    assert "20 resampled corpora, seed 0" in result.stdout
    assert "without ltr and lptr" in result.stderr
    assert result.stdout == run("judge", GOLD, SYSTEM, "-m", "en", "--step", 5, "--samples", 20).stdout


def test_json_of_one_pair() -> None:
    found = named_tables(run("judge", GOLD, SYSTEM, "-m", "en", "-f", "json", "--samples", 0, "--bins", 10).stdout)
    by_scorer = {(row["scorer"], row["root_arcs"]): row for row in found["errors"]["rows"]}
    assert by_scorer["lisca", "yes"]["n_arcs"] == 17
    assert ("length", "yes") not in by_scorer
    assert by_scorer["length", "no"]["n_errors"] == 3
    assert len(found["groups_with_root_arcs"]["rows"]) == 10


def test_pairs_give_folder_scorer_and_numbers(pairs: Path) -> None:
    result = run("judge", "--pairs", pairs, "--format", "json")
    rows = {(row["pair"], row["scorer"]): row for row in json.loads(result.stdout)["rows"]}
    assert list(dict.fromkeys(pair for pair, _ in rows)) == ["aa", "bb", "mean"]
    scorers = ["lisca", "choice", "as-tagged", "length", "ptr", "ltr", "lptr", "random"]
    assert [scorer for pair, scorer in rows if pair == "aa"] == scorers
    lisca = rows["aa", "lisca"]
    assert {"roc_auc", "average_precision", "errors_in_worst_10", "errors_in_worst_30"} <= set(lisca)
    assert (lisca["n_arcs"], lisca["n_errors"], lisca["root_arcs"]) == (17, 3, "yes")
    assert rows["aa", "length"]["root_arcs"] == "no"
    assert rows["mean", "lisca"]["roc_auc"] == pytest.approx(lisca["roc_auc"])
    assert "cc: left out, it has no test.system.conllu and no reference.parsed.conllu" in result.stderr
    without = json.loads(run("judge", "--pairs", pairs, "--format", "json", "--without-root").stdout)["rows"][0]
    assert (without["scorer"], without["n_arcs"], without["root_arcs"]) == ("lisca", 14, "no")


def test_pairs_as_a_table_say_which_arcs_count(pairs: Path) -> None:
    text = run("judge", "--pairs", pairs, "--scorers", "lisca,length").stdout
    assert "with root arcs (by length: always without)" in text
    assert len(run("judge", "--pairs", pairs, "-f", "tsv", "--scorers", "lisca").stdout.splitlines()) == 2 + 3


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_figures_by_their_ending(tmp_path: Path, ending: str) -> None:
    start = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending]
    args = ("judge", GOLD, SYSTEM, "-m", "en", "--step", 5, "--samples", 0)
    top, groups = tmp_path / f"top.{ending}", tmp_path / f"groups.{ending}"
    run(*args, "--figure-top", top, "--figure-groups", groups)
    first = top.read_bytes(), groups.read_bytes()
    assert all(content.startswith(start) for content in first)
    run(*args, "--figure-top", top, "--figure-groups", groups)
    assert (top.read_bytes(), groups.read_bytes()) == first


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((GOLD,), "expected GOLD and SYSTEM"),
        ((GOLD, SYSTEM, "-m", "xx"), "no bundled model 'xx'"),
        ((GOLD, SYSTEM, "-m", "en", "--scorers", "lisca,ltr"), "--forms"),
        ((GOLD, SYSTEM, "-m", "en", "--scorers", "best"), "expected one of lisca"),
        ((GOLD, DATA / "plain.conllu", "-m", "en"), "they part after 8 characters"),
        ((GOLD, SYSTEM, "-m", "en", "--figure-top", "x.gif"), "should end in .svg, .png, .pdf"),
        (("--pairs", DATA), "no folder in it holds"),
        (("--pairs", DATA, GOLD, SYSTEM), "--pairs: without GOLD SYSTEM"),
    ],
)
def test_wrong_input_is_said(args: tuple[object, ...], message: str) -> None:
    assert message in run("judge", *args, expect=2).stderr


def test_many_groups_are_drawn_as_lines(tmp_path: Path) -> None:
    figure = tmp_path / "groups.svg"
    run("judge", GOLD, SYSTEM, "-m", "en", "--step", 1, "--samples", 0, "--figure-groups", figure)
    assert "group (1 arcs each), the most reliable first" in figure.read_text()


def test_an_empty_corpus_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").touch()
    assert "no sentences" in run("judge", tmp_path / "empty.conllu", SYSTEM, "-m", "en", expect=2).stderr


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    """A device would be replaced by a file if one were renamed over it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    run("judge", GOLD, SYSTEM, "-m", "en", "--samples", 0, "-f", "tsv", "-o", pipe)
    reader.join(20)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert got
    assert b"LAS of the top k arcs" in got[0]


def test_readings_of_lptr_stand_beside_each_other(data: Path, tmp_path: Path) -> None:
    model = tmp_path / "forms.tgm"
    built = CliRunner().invoke(
        cli, ["model", "build", str(data / "difficulty_gold.conllu"), "--forms", "-o", str(model)]
    )
    assert built.exit_code == 0
    sides = [str(data / f"difficulty_{side}.conllu") for side in ("gold", "system")]
    args = ["judge", *sides, "--model", str(model), "--samples", "0", "--format", "json", "--scorers", "ptr,lptr"]
    result = CliRunner().invoke(cli, [*args, "--lptr", "sum", "--lptr", "printed"])
    assert result.exit_code == 0
    errors = named_tables(result.stdout)["errors"]["rows"]
    assert list(dict.fromkeys(row["scorer"] for row in errors)) == ["ptr", "lptr-sum", "lptr"]
    for row in errors:
        for share in (10, 20, 30):
            assert row[f"n_errors_in_worst_{share}"] == pytest.approx(row[f"errors_in_worst_{share}"] * row["n_errors"])
    refused = CliRunner().invoke(cli, ["judge", *sides, "--model", str(model), "--scorers", "ptr", "--lptr", "sum"])
    assert refused.exit_code == 2
    assert "expected lptr among --scorers" in refused.stderr
