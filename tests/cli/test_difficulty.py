"""`treegauge difficulty` as a user meets it."""

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import run
from tests.tables import named_tables

DATA = Path(__file__).parents[1] / "data"
GOLD, SYSTEM = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"
ONE = (GOLD, SYSTEM, "-m", "en")


def test_types_have_measures_ranks_and_correlations() -> None:
    result = run("difficulty", "types", *ONE, "--name", "toy", "-f", "json")
    types, rho, p, *intervals = named_tables(result.stdout).values()
    assert [table["name"] for table in intervals] == ["rank_intervals", "rho_intervals"]
    assert {row["relation"] for row in types["rows"]} == {"advmod", "case", "det", "nmod", "nsubj", "punct"}
    assert types["title"].startswith("toy:")
    assert types["signature"].startswith("types|mean:product|lisca:2020|ref:en@")
    assert rho["rows"][0]["f_score"] == pytest.approx(1.0)
    assert p["rows"][3]["lisca_parsed"] is not None
    logs = json.loads(run("difficulty", "types", *ONE, "--mean-log", "-f", "json").stdout)
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
        (("-", "-", "--name", "x"), "expected GOLD, SYSTEM, or both"),
        (("--language", "a", GOLD, SYSTEM, "en", "--language", "a", GOLD, SYSTEM, "en"), "expected each name once"),
        ((*ONE, "--figure", "types.bmp"), "should end in"),
        ((GOLD, DATA / "plain.conllu", "-m", "en"), "plain.conllu"),
        ((DATA / "absent.conllu", SYSTEM, "-m", "en"), "no such file"),
        ((*ONE, "--types", ","), "expected relations with commas"),
        (("--languages", DATA / "absent.toml"), "No such file"),
    ],
)
def test_wrong_input_to_types_is_said(args: tuple[object, ...], message: str) -> None:
    assert message in run("difficulty", "types", *args, expect=2).stderr


def test_bins_have_accuracy_and_its_trend(tmp_path: Path) -> None:
    figure = tmp_path / "bins.pdf"
    bins, trend = named_tables(run("difficulty", "bins", *ONE, "-f", "json", "--figure", figure).stdout).values()
    assert len(bins["rows"]) == 30
    assert sum(row["n_arcs"] for row in bins["rows"] if row["ranking"] == "lisca_parsed") == 17
    assert [row["ranking"] for row in trend["rows"]] == ["lisca_parsed", "lisca_gold", "length"]
    assert bins["signature"].startswith("bins:10|lisca:2020|ref:en@")
    assert figure.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("by", ["length", "direction", "signed_length", "children", "upos", "depth"])
def test_distributions_over_bins(tmp_path: Path, by: str) -> None:
    figure = tmp_path / "by.svg"
    result = run("difficulty", "bins", *ONE, "--by", by, "-f", "tsv", "--figure", figure, "--bins", 4)
    header = result.stdout.splitlines()[1].split("\t")
    assert header == [by, "bin_1", "bin_2", "bin_3", "bin_4", "TOT"]
    assert "arcs of the bin (%)" in figure.read_text()


def test_one_side_shows_what_it_can() -> None:
    gold = run("difficulty", "bins", GOLD, "-m", "en", "--relation", "advmod", "-f", "tsv")
    assert {line.split("\t")[0] for line in gold.stdout.splitlines()[2:]} == {"lisca_gold", "length"}
    parsed = run("difficulty", "bins", "-", SYSTEM, "-m", "en", "--by", "length").stdout
    assert "share of the arcs of each bin" in parsed
    assert "lisca_parsed|" in parsed
    two = ("--language", "a", GOLD, "-", "en", "--language", "b", "-", SYSTEM, "en")
    assert run("difficulty", "bins", *two, "--by", "children").stdout.count("share of the arcs") == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("-m", "en"), "expected GOLD, SYSTEM, or both"),
        ((), "or --language"),
        ((*ONE, "--relation", "vocative"), "no arc has relation vocative"),
        ((*ONE, "--by", "colour"), "expected one of length"),
        (("-", SYSTEM, "-m", "en", "--by", "length", "--ranking", "gold"), "what is given allows parsed"),
        ((GOLD, "-m", "en", "--figure", "x.svg"), "accuracy needs gold and a system's output"),
        ((GOLD, DATA / "plain.conllu", "-m", "en"), "they part after 8 characters"),
    ],
)
def test_wrong_input_to_bins_is_said(args: tuple[object, ...], message: str, tmp_path: Path) -> None:
    assert message in run("difficulty", "bins", *args, expect=2).stderr


def test_languages_are_joined_into_one_table_and_picture(tmp_path: Path) -> None:
    figure = tmp_path / "across.svg"
    args = ("--language", "a", GOLD, SYSTEM, "en", "--language", "b", SYSTEM, GOLD, "en", "--bits")
    result = run("difficulty", "types", *args, "--figure-across", figure, "-f", "tsv")
    joined = result.stdout[result.stdout.index("# Relation types across languages") :].splitlines()
    assert "a bits" in joined[1].split("\t")
    assert "hardest third" in figure.read_text()
    assert "several languages" in run("difficulty", "types", *ONE, "--bits", expect=2).stderr


def test_tables_of_several_languages_name_theirs_and_one_file_beside_has_all_of_a_kind(tmp_path: Path) -> None:
    languages = [part for name in ("A", "B") for part in ("--language", name, GOLD, SYSTEM, "en")]
    output = tmp_path / "types.txt"
    done = run("difficulty", "types", *languages, "--samples", "5", "--beside", "-o", output)
    written = sorted(path.name for path in tmp_path.iterdir())
    assert all(name in done.stderr for name in written)
    assert [name for name in written if "types.csv" in name] == ["types.1-types.csv"]
    lines = [line.split(",") for line in (tmp_path / "types.1-types.csv").read_text().splitlines()]
    assert lines[0][:2] == ["language", "relation"]
    assert [line[0] for line in lines[1:]] == ["A"] * (len(lines) // 2) + ["B"] * (len(lines) // 2)
    assert "language" not in output.read_text().splitlines()[1].split()
