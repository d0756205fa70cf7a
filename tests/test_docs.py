"""The examples in the README and the docs run, from the project's folder, and say what they say."""

import doctest
import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import treegauge as tg
from treegauge.cli import cli

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in page.read_text()], ids=lambda page: page.stem)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if ">>> import spacy" in page.read_text():
        pytest.importorskip("spacy", reason="spaCy is not installed: pip install '.[test-all]'")
    for folder in ("tests", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


RECIPES = ("complexity", "dangerous-relations", "word-order-trends")


def commands(text: str) -> list[list[str]]:
    """The commands in the shell blocks of a page, as arguments."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return [shlex.split(line, comments=True)[1:] for block in blocks for line in block.splitlines() if line]


@pytest.mark.parametrize("name", RECIPES)
def test_the_commands_of_a_recipe_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    demo = (Path(tg.__file__).parent / "demo" / "demo.conllu").read_bytes()
    for given in ("gold", "parsed", "treebank"):
        (tmp_path / f"{given}.conllu").write_bytes(demo)
    monkeypatch.chdir(tmp_path)
    for arguments in commands((ROOT / "docs" / f"{name}.md").read_text()):
        done = CliRunner().invoke(cli, arguments)
        assert done.exit_code == 0, f"{arguments}: {done.output}"
        if "-o" in arguments:
            assert (tmp_path / arguments[arguments.index("-o") + 1]).stat().st_size


def test_the_page_of_papers_names_commands_and_options_that_exist() -> None:
    text = (ROOT / "docs" / "papers.md").read_text()
    context = click.Context(cli)
    named = re.findall(rf"`((?:{'|'.join(cli.list_commands(context))})\b[^`]*)`", text)
    assert len(named) > 25
    for line in named:
        command: click.Command = cli
        for word in line.split():
            below = command.get_command(context, word) if isinstance(command, click.Group) else None
            command = below or command
            known = {name for parameter in command.params for name in parameter.opts}
            assert not word.startswith("--") or word in known, f"{line}: {word}"


def test_the_page_of_papers_has_what_comes_out_of_made_up_data() -> None:
    for name, bits in (("toy_unambiguous", 0.0), ("toy_ambiguous", 2.0)):
        assert tg.ecc(ROOT / "tests" / "data" / f"{name}.mrg").to_dict()["rows"][0]["ecc"] == bits


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=lambda page: page.stem)
def test_lines_of_prose_are_not_long(page: Path) -> None:
    in_code = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        in_code ^= line.startswith("```")
        free = in_code or line.startswith(("|", ">>>", "<")) or " " not in line.strip()
        assert free or len(line) <= 120, f"{page.name}:{number}: {len(line)} characters"
