"""`treegauge challenge` as a user meets it."""

import json
from pathlib import Path

import pytest

from tests.cli.test_commands import run

DATA = Path(__file__).parents[1] / "data"
GOLD, SYSTEM = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"


def test_a_set_its_manifest_and_the_set_again(tmp_path: Path) -> None:
    first, again = tmp_path / "hard.conllu", tmp_path / "again.conllu"
    args = ("--relation", "nsubj", "--from-bins", "4-10", "--where", "length>2")
    result = run("challenge", GOLD, "-m", "en", *args, "-n", 2, "--seed", 5, "-o", first)
    assert "chosen arcs" in result.stderr
    manifest = tmp_path / "hard.conllu.manifest.json"
    content = json.loads(manifest.read_text())
    assert content["settings"]["conditions"] == ["length>2"]
    assert content["settings"]["seed"] == 5
    run("challenge", GOLD, "--from-manifest", manifest, "-o", again)
    assert again.read_bytes() == first.read_bytes()
    parsed = run("challenge", SYSTEM, "--from-manifest", manifest, "--other-annotation").stdout
    assert parsed.count("# sent_id") == content["set"]["sentences"]
    assert "Challenge" not in parsed


def test_easy_sentences_to_standard_output() -> None:
    result = run("challenge", GOLD, "-m", "en", "--unit", "sentence", "--easy", "--bins", 3)
    assert result.stdout.count("# sent_id") == 1
    assert "chose 1 of 1 sentence, " in result.stderr


def test_fewer_than_asked_for_is_said() -> None:
    result = run("challenge", GOLD, "-m", "en", "--from-bins", "1-10", "-n", 99)
    assert "fewer than 99: there are no more" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((GOLD, "-m", "xx"), "no bundled model 'xx'"),
        ((GOLD, "-m", "en", "--from-bins", "9-12"), "expected a range within 1-10"),
        ((GOLD, "-m", "en", "--where", "length>>3"), "condition 'length>>3'"),
        ((GOLD, "-m", "en", "--where", "length>300"), "no sentence of"),
        ((GOLD, "-m", "en", "--relation", "vocative"), "no arc has relation vocative"),
        ((GOLD, "-m", "en", "--misc", "a=b"), "expected a name for MISC"),
        ((GOLD, "--from-manifest", GOLD), "difficulty_gold.conllu:"),
        ((GOLD, "-m", "en", "--other-annotation"), "goes with --from-manifest"),
        ((DATA / "no_trees.conllu", "-m", "en"), "no_trees.conllu"),
    ],
)
def test_wrong_input_is_said(args: tuple[object, ...], message: str) -> None:
    assert message in run("challenge", *args, expect=2).stderr
