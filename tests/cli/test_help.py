"""Help says what to do: every option in verb and object, every command with an example that runs."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from treegauge.cli import COMMANDS, cli
from treegauge.cli.arguments import Command

DATA = Path(__file__).parents[1] / "data"
VERBS = """
accept add ask average begin build change check choose combine compare compute copy count cut do download draw end
estimate explore find give ignore judge keep learn leave list look make mark measure merge name open parse print put
rank read refuse run say score see seed set show smooth sort stop tag take test trust turn use work write
"""
# the files that examples are about -> what the tests have of the kind
FILES = {
    "parsed.conllu": DATA / "difficulty_system.conllu",
    "system.conllu": DATA / "difficulty_system.conllu",
    "first.conllu": DATA / "difficulty_gold.conllu",
    "second.conllu": DATA / "difficulty_system.conllu",
    "third.conllu": DATA / "difficulty_system.conllu",
    "other.conllu": DATA / "difficulty_gold.conllu",
    "gold.conllu": DATA / "difficulty_gold.conllu",
    "old.conllu": DATA / "difficulty_gold.conllu",
    "new.conllu": DATA / "difficulty_system.conllu",
    "treebank.conllu": DATA.parents[1] / "src" / "treegauge" / "demo" / "demo.conllu",
    "corrections.json": DATA / "corrections.json",  # of treebank.conllu
    "from-arborator.conllu": DATA / "two_users.conllu",
    "tagged.conllu": DATA / "plain.conllu",
    "trees.mrg": DATA / "toy_ambiguous.mrg",
    "test.mrg": DATA / "toy_ambiguous.mrg",
    "gold.mrg": DATA / "toy_ambiguous.mrg",
    "parsed.mrg": DATA / "toy_ambiguous.mrg",
    "one.mrg": DATA / "toy_ambiguous.mrg",
    "other.mrg": DATA / "toy_ambiguous.mrg",
}
# need a network, a parser's model or files of their own; last until Ctrl-C
ELSEWHERE = ("fetch", "parse", "study", "completion", "accept", "work")


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


ALL = dict(commands(cli))
OPTIONS = [
    (name, param) for name, command in ALL.items() for param in command.params if isinstance(param, click.Option)
]
EXAMPLES = [
    (name, line.strip())
    for name, command in ALL.items()
    for line in (command.help or "").splitlines()
    if line.strip().startswith("treegauge ")
]


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=lambda value: value if isinstance(value, str) else value.name)
def test_an_option_says_what_it_does(name: str, option: click.Option) -> None:
    text = option.help or ""
    assert len(text) >= 15, f"{name} {option.opts[-1]}: {text!r}"
    first = re.sub(r"^[a-z, ]+( with [^:]+)?: ", "", text).split()[0].lower()
    assert first in VERBS.split(), f"{name} {option.opts[-1]}: {text!r} does not begin with a verb"
    assert text.endswith((".", "]", "…")), f"{name} {option.opts[-1]}: {text!r}"


@pytest.mark.parametrize("name", ALL)
def test_a_command_begins_with_a_verb_and_has_an_example(name: str) -> None:
    command = ALL[name]
    assert (command.help or "").split()[0].strip(",").lower() in VERBS.split(), name
    if not isinstance(command, click.Group):
        assert any(known == name for known, _ in EXAMPLES), f"{name} has no example"


def test_the_overview_says_what_its_commands_do() -> None:
    for name, line in COMMANDS.items():
        assert line.split()[0].strip(",").lower() in VERBS.split(), (name, line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    for name, source in FILES.items():
        shutil.copy(source, folder / name)
    return folder


@pytest.mark.parametrize(
    "line",
    [
        line
        for name, line in EXAMPLES
        if name.split()[0] not in ELSEWHERE and "--from-spacy" not in line and " --raw " not in line
    ],
    ids=lambda line: line,
)
def test_the_examples_of_help_run(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    if " --net" in line:
        pytest.importorskip("torch", reason="the extra `net` is not installed")
    if "merge" in line:
        for name in ("mine.tgm", "yours.tgm"):
            assert CliRunner().invoke(cli, ["model", "build", "parsed.conllu", "-o", name]).exit_code == 0
    result = CliRunner().invoke(cli, shlex.split(line)[1:], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert result.stdout or " -o " in line


@pytest.mark.parametrize("name", ["", *ALL])
def test_help_fits_a_screen_and_help_all_says_more(name: str) -> None:
    short = CliRunner().invoke(cli, [*name.split(), "--help"]).stdout
    assert short.count("\n") <= 40, f"{name}: {short.count(chr(10))} lines"
    if name and isinstance(ALL[name], Command):
        full = CliRunner().invoke(cli, [*name.split(), "--help-all"])
        assert full.exit_code == 0
        assert CliRunner().invoke(cli, [*name.split(), "--help"]).stdout == short  # nothing of it stays
        assert all(
            option.opts[0] in full.stdout
            for option in ALL[name].params
            if isinstance(option, click.Option) and not option.hidden
        )


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("evaluate gold.conllu system.conllu", "eval"),
        ("score parsed.conllu", "rank"),
        ("compare a b", "diff OLD NEW"),
        ("search x y", "find"),
        ("query x y", "find"),
        ("validate t", "check --validate"),
        ("fix t", "apply"),
        ("chekc t", "check"),
        ("rank t --lang en", "--model"),
        ("rank t --reference en", "--model"),
        ("rank t --out x", "--output"),
        ("eval g s --threads 2", "--workers"),
        ("judge g s --modle en", "--model"),
    ],
)
def test_a_wrong_guess_is_answered_with_the_right_one(line: str, meant: str) -> None:
    result = CliRunner().invoke(cli, line.split())
    assert result.exit_code == 2
    assert meant in result.stderr, result.stderr
