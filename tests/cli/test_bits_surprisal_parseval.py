"""`treegauge bits`, `surprisal` and `parseval` from the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from treegauge.cli import cli

DATA = Path(__file__).parents[1] / "data"
TREEBANK, TREES = str(DATA / "difficulty_gold.conllu"), str(DATA / "toy_unambiguous.mrg")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def test_bits_of_several_treebanks_in_one_table(tmp_path: Path) -> None:
    result = run("bits", TREEBANK, str(DATA / "plain.conllu"), "--format", "json", "--figure", str(tmp_path / "x.svg"))
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [row["treebank"] for row in rows] == ["difficulty_gold", "plain"]
    assert "bits per arc" in (tmp_path / "x.svg").read_text()


@pytest.mark.parametrize("more", [("--by", "relation"), ("--learning-curve",)])
def test_pictures_of_bits(more: tuple[str, ...], tmp_path: Path) -> None:
    result = run("bits", TREEBANK, *more, "--samples", "3", "--figure", str(tmp_path / "x.png"))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "x.png").read_bytes()[1:4] == b"PNG"


def test_bits_of_each_sentence_join_by_sent_id() -> None:
    result = run("bits", TREEBANK, "--test", str(DATA / "plain.conllu"), "--per-sentence", "--format", "tsv")
    lines = result.stdout.splitlines()
    assert lines[1].split("\t")[:2] == ["treebank", "sent_id"]
    assert [line.split("\t")[1] for line in lines[2:]] == ["plain-1", "plain-2"]


@pytest.mark.parametrize(
    "options",
    [
        ("--test", TREEBANK, "--folds", "2"),
        ("--test", TREEBANK, "--test", TREEBANK),
        ("--learning-curve", "--per-sentence"),
        ("--learning-curve", "--folds", "2"),
        ("--by", "length", "--figure", "x.png"),
        ("--words", "1000000"),
        ("--folds", "1"),
    ],
)
def test_options_of_bits_that_do_not_go_together(options: tuple[str, ...]) -> None:
    from treegauge.errors import OptionError

    result = run("bits", TREEBANK, *options)
    assert result.exit_code == 2 or isinstance(result.exception, OptionError)


def test_surprisal_in_every_format(tmp_path: Path) -> None:
    for form in ("text", "tsv", "json", "markdown"):
        assert "surprisal" in run("surprisal", TREES, "--format", form).stdout
    assert run("surprisal", TREES, "--summary", "--figure", str(tmp_path / "x.svg")).exit_code == 0
    assert (tmp_path / "x.svg").exists()


def test_surprisal_goes_into_misc(tmp_path: Path) -> None:
    text = tmp_path / "text.conllu"
    text.write_text("# sent_id = s\n1\ta\ta\tX\ta\t_\t0\troot\t_\t_\n\n")
    (tmp_path / "trees.mrg").write_text("(S (a a))\n(S (a a) (b b))\n")
    result = run("surprisal", str(tmp_path / "trees.mrg"), "--text", str(text), "--format", "conllu")
    assert (
        "Surprisal=0.0000|EntropyReduction=0.0000" in result.stdout or "EntropyReduction=0.0000|Surpr" in result.stdout
    )
    assert run("surprisal", TREES, "--format", "conllu").exit_code == 2


def test_parseval_of_two_systems() -> None:
    result = run("parseval", TREES, TREES, TREES, "--by-label", "--significance", "--samples", "20", "--format", "json")
    found = json.loads(result.stdout)
    assert [row["f1"] for row in found["rows"]] == [1.0, 1.0]
    assert [table["name"] for table in found["more"]] == ["labels", "labels", "significance"]
    assert run("parseval", TREES, TREES, "--significance").exit_code == 2
