"""`treegauge difficulty` as a user meets it."""

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import run

DATA = Path(__file__).parents[1] / "data"
GOLD, SYSTEM = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"
ONE = ("-g", GOLD, "-s", SYSTEM, "-m", "en")


def test_types_have_measures_ranks_and_correlations() -> None:
    result = run("difficulty", "types", *ONE, "--name", "toy", "-f", "json")
    types, rho, p = json.loads(result.stdout)
    assert {row["relation"] for row in types["rows"]} == {"advmod", "case", "det", "nmod", "nsubj", "punct"}
    assert types["title"].startswith("toy:")
    assert types["signature"].startswith("types|mean:product|lisca:2020|ref:en@")
    assert rho["rows"][0]["f_score"] == pytest.approx(1.0)
    assert p["rows"][3]["lisca_parsed"] is not None
    logs = json.loads(run("difficulty", "types", *ONE, "--mean-log", "-f", "json").stdout)[0]
    assert "mean:log" in logs["signature"]
    assert [row["lisca_gold"] for row in logs["rows"]] != [row["lisca_gold"] for row in types["rows"]]


def test_languages_side_by_side(tmp_path: Path) -> None:
    figure = tmp_path / "types.svg"
    file = tmp_path / "more.toml"
    file.write_text(f'[third]\ngold = "{GOLD}"\nsystem = "{GOLD}"\nmodel = "en"\n')
    args = ("--language", "a", GOLD, SYSTEM, "en", "--language", "b", SYSTEM, GOLD, "en", "--languages", file)
    result = run("difficulty", "types", *args, "--figure", figure)
    for name in ("a", "b", "third"):
        assert f"{name}: relation types by difficulty" in result.stdout
    assert "<svg" in figure.read_text()
    before = figure.read_bytes()
    run("difficulty", "types", *args, "--figure", figure)
    assert figure.read_bytes() == before


def test_the_types_of_the_paper_may_be_missing() -> None:
    result = run("difficulty", "types", *ONE, "--types", "2020", "-f", "tsv")
    lines = result.stdout.splitlines()
    assert len(lines[2 : lines.index("")]) == 24
    assert "no arc of" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "no language"),
        (("-g", GOLD, "-m", "en"), "expected --gold, --system and --model together"),
        (("--language", "a", GOLD, SYSTEM, "en", "--language", "a", GOLD, SYSTEM, "en"), "expected each name once"),
        ((*ONE, "--figure", "types.bmp"), "should end in"),
        (("-g", GOLD, "-s", DATA / "plain.conllu", "-m", "en"), "plain.conllu"),
        (("-g", DATA / "absent.conllu", "-s", SYSTEM, "-m", "en"), "no such file"),
        ((*ONE, "--types", ","), "expected relations with commas"),
        (("--languages", DATA / "absent.toml"), "No such file"),
    ],
)
def test_wrong_input_to_types_is_said(args: tuple[object, ...], message: str) -> None:
    assert message in run("difficulty", "types", *args, expect=2).stderr
