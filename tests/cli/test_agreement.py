"""`treegauge agreement` on the command line."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.tables import named_tables
from treegauge.cli import cli
from treegauge.errors import TreegaugeError


def run(*args: object) -> str:
    result = CliRunner().invoke(cli, ["agreement", *map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_text_has_tables_and_drawn_words(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "picture.svg"
    sides = data / "difficulty_gold.conllu", data / "difficulty_system.conllu"
    text = run(*sides, "--samples", 20, "--top", 3, "--figure", picture, "--model", "en")
    assert "Fleiss" in text
    assert "whose arc the model finds more plausible" in text
    assert "╭" in text
    assert "same relation and head" in picture.read_text()


def test_json_has_every_table(data: Path) -> None:
    sides = data / "difficulty_gold.conllu", data / "difficulty_system.conllu", data / "difficulty_gold.conllu"
    names = [part for name in "ABC" for part in ("--name", name)]
    tables = named_tables(run(*sides, *names, "--samples", 5, "--format", "json"))
    assert list(tables) == ["agreement", "pairs", "relations", "confusions", "sentences", "words"]
    pairs = {(row["first"], row["second"]): row["LAS"] for row in tables["pairs"]["rows"]}
    assert pairs["A", "C"] == 1
    assert pairs["A", "B"] == pairs["B", "C"] < 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["plain.conllu"], "two or more"),
        (["plain.conllu", "one_word.conllu"], "one_word.conllu"),
        (["plain.conllu", "plain.conllu", "--name", "A"], "expected 2 different"),
        (["plain.conllu", "plain.conllu", "--figure", "x.gif"], "should end in"),
    ],
)
def test_what_is_wrong_is_said(args: list[str], said: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data)
    result = CliRunner().invoke(cli, ["agreement", *args])
    assert result.exit_code != 0
    assert said in f"{result.output} {result.exception}"


def test_one_file_is_split_by_the_users_that_it_names(data: Path) -> None:
    text = run(data / "two_users.conllu", "-f", "json", "--samples", 10)
    assert "anna" in text
    assert "ben" in text
    assert "three" not in text, "only one of them annotated it"


def test_a_file_with_users_must_name_all_of_them(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text((data / "two_users.conllu").read_text().replace("# user_id = ben\n# text = Dogs", "# text = Dogs"))
    with pytest.raises(TreegaugeError, match=r"sentence 3 \(two\) has no # user_id; expected one as others have"):
        run(path)
    path.write_text((data / "two_users.conllu").read_text().replace("user_id = ben", "user_id = anna"))
    with pytest.raises(TreegaugeError, match="is there twice for user anna"):
        run(path)
