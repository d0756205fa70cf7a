"""`treegauge typology` on the command line."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.tables import named_tables
from treegauge.cli import cli

DEMO = Path(__file__).parents[2] / "src" / "treegauge" / "demo" / "demo.conllu"


@pytest.fixture(scope="module")
def languages(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """One treebank under three names."""
    folder = tmp_path_factory.mktemp("languages")
    paths = []
    for name in ("en_toy", "it_toy", "ga_toy"):
        (folder / f"{name}.conllu").write_bytes(DEMO.read_bytes())
        paths.append(str(folder / f"{name}.conllu"))
    return paths


def run(*args: object, code: int = 0) -> str:
    result = CliRunner().invoke(cli, ["typology", *map(str, args)])
    assert result.exit_code == code or (code and result.exception), result.output
    return result.stdout if not code else f"{result.output} {result.exception}"


def test_every_table_and_picture(languages: list[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    pictures = [tmp_path / f"{name}.svg" for name in ("order", "tree", "marked")]
    options = ["--figure", pictures[0], "--figure-tree", pictures[1], "--figure-marked", pictures[2]]
    text = run(*languages, "--least", 2, "--samples", 10, "--sort", "likeness", *options, "--format", "json")
    tables = named_tables(text)
    assert list(tables) == ["order", "side_by_side", "clauses", "marked", "distances", "tree"]
    assert {row["distance"] for row in tables["tree"]["rows"]} == {0.0}
    assert all("<svg" in path.read_text() for path in pictures)
    assert "head follows" in pictures[0].read_text()


def test_text_of_many_is_short_and_of_one_is_whole(languages: list[str]) -> None:
    many = run(*languages, "--least", 2, "--samples", 5, "--bins", 0)
    assert "H(direction)" not in many
    assert "Clusters of languages" in many
    one = run(languages[0], "--least", 2, "--samples", 5, "--reference", "bundled")
    assert "H(direction)" in one
    assert "lisca:2020|ref:en@" in one


def test_the_sentences_behind_a_cell(languages: list[str]) -> None:
    shown = run(languages[0], "--least", 1, "--by", "tags", "--show", "det,DET,NOUN:head-after", "--top", 1)
    assert "det DET NOUN, head-after" in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--show", "amod"], "expected RELATION:head-before"),
        (["--bins", "0", "--reference", "bundled"], "would change nothing"),
        (["--figure-tree", "x.svg"], "three treebanks"),
        (["--least", "100000"], "no cell has 100,000 arcs"),
    ],
)
def test_what_is_wrong_is_said(options: list[str], said: str, languages: list[str]) -> None:
    assert said in run(languages[0], *options, code=2)
