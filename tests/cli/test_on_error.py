"""A malformed sentence or tree: the error says how to go on without it, and every reading command can."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from treegauge.cli import COMMANDS, cli
from treegauge.errors import TreegaugeError

HINT = "(--on-error skip goes on without it)"
DEMO = (Path(__file__).parents[2] / "src/treegauge/demo/demo.conllu").read_text()
BAD = "# sent_id = bad\n1\tBad\tbad\tX\t_\t_\t9\troot\t_\t_\n\n"
BAD_TAGS = "1\tBad\tbad\n\n"  # what is wrong even without a tree
TREES = "(S (N dogs) (V bark))\n(S (N cats) (V sleep))\n"

# command -> its arguments; {bad} is CoNLL-U with a malformed sentence, {all} has no other, {good} is the rest of it
READING = {
    "rank": "rank {bad} -m en",
    "rank self": "rank {bad} --self",
    "report": "report {bad} -m en -o {out}",
    "report gold": "report {good} -m en -o {out} --gold {bad}",
    "report compare": "report {good} -m en -o {out} --compare {bad}",
    "eval gold": "eval {bad} {good}",
    "eval system": "eval {good} {bad}",
    "eval several": "eval {good} {good} {bad} --significance --samples 5",
    "eval pair": "eval --pair {good} {bad}",
    "judge gold": "judge {bad} {good} -m en --samples 0",
    "judge system": "judge {good} {bad} -m en --samples 0",
    "judge pairs": "judge --pairs {pairs}",
    "calibrate": "calibrate {bad} {good} -m en -o {out}",
    "calibrate and": "calibrate {good} {good} -m en -o {out} --and {good} {bad} en",
    "difficulty types": "difficulty types {good} {bad} -m en",
    "difficulty bins": "difficulty bins {bad} {good} -m en",
    "challenge": "challenge {bad} -m en",
    "model build": "model build {bad} -o {out}",
    "model build gold": "model build {good} --gold {bad} -o {out}",
    "ecc": "ecc {trees} --no-parse",
    "ecc text": "ecc {good_trees} --text {tags}",
    "flatten": "flatten {trees}",
    "chaos parse": "chaos parse {tags}",
    "chaos eval": "chaos eval {bad}",
    "chaos eval system": "chaos eval {good} --system {tags}",
    "chaos lexicon build": "chaos lexicon build {bad}",
    "check": "check {bad}",
    "check reference": "check {good} --with-reference {bad}",
    "check old": "check {good} --new-since {bad}",
    "diff": "diff {bad} {good}",
    "apply": "apply {corrections} {bad} -o {out}",
}
TREES_ONLY = ("ecc", "flatten", "check reference")  # the last: a reference is read as a model, without its columns
ALONE = {name: args for name, args in READING.items() if args.count("{bad}") == 1 and "{good}" not in args}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    first, rest = DEMO.split("\n\n", 1)
    texts = {
        "good.conllu": DEMO,
        "bad.conllu": f"{first}\n\n{BAD}{rest}",
        "all.conllu": BAD,
        "tags.conllu": f"{first}\n\n{BAD_TAGS}{rest}",
        "trees.mrg": "(S (N dogs (V bark))\n" + TREES,
        "good_trees.mrg": TREES,
        "corrections.json": '{"corrections": []}',
        "pairs/x/test.gold.conllu": DEMO,
        "pairs/x/test.system.conllu": f"{first}\n\n{BAD}{rest}",
        "pairs/x/reference.parsed.conllu": DEMO,
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {name.split(".")[0]: str(tmp_path / name) for name in texts if "/" not in name}
    return found | {"out": str(tmp_path / "out"), "pairs": str(tmp_path / "pairs")}


def run(args: str, files: dict[str, str], *more: str) -> Result:
    return CliRunner().invoke(cli, [*args.format(**files).split(), *more])


@pytest.mark.parametrize("args", READING.values(), ids=READING)
def test_the_error_says_how_to_go_on(args: str, files: dict[str, str]) -> None:
    result = run(args, files)
    assert isinstance(result.exception, TreegaugeError), result.output
    assert str(result.exception).endswith(HINT)
    assert "\n" not in str(result.exception)


@pytest.mark.parametrize("args", READING.values(), ids=READING)
def test_a_bad_sentence_does_not_cost_the_good_ones(args: str, files: dict[str, str]) -> None:
    result = run(args, files, "--on-error", "skip")
    if args.startswith("calibrate"):  # the demo is too small to learn from, and its arcs are all right
        assert "left out" in result.stderr
        assert "malformed" not in str(result.exception)
        return
    assert result.exception is None, result.exception
    if args.startswith("apply"):  # writes the sentence again, as it is
        assert "left as it is: " in result.stderr
        return
    assert "left out" in result.stderr
    assert "1 malformed" in result.stderr


@pytest.mark.parametrize("args", ALONE.values(), ids=ALONE)
def test_nothing_left_is_an_error_without_the_hint(args: str, files: dict[str, str]) -> None:
    result = run(args, files | {"bad": files["all"]}, "--on-error", "skip")
    assert isinstance(result.exception, TreegaugeError), result.output
    assert ("0 sentences" if "--self" in args else "no sentences") in str(result.exception)
    assert HINT not in str(result.exception)


def test_the_good_sentences_give_the_same_scores(files: dict[str, str]) -> None:
    plain = run("eval {good} {good} -f tsv", files).stdout.splitlines()[2:]
    skipped = run("eval {bad} {good} -f tsv --on-error skip", files).stdout.splitlines()[2:]
    assert [line.split("\t")[:-2] for line in skipped] == [line.split("\t") for line in plain]


def test_words_of_a_sentence_that_a_system_lacks_are_missed(files: dict[str, str], tmp_path: Path) -> None:
    first, second, rest = DEMO.split("\n\n", 2)
    (tmp_path / "lacking.conllu").write_text("\n\n".join((first, BAD_TAGS.strip(), rest)))
    (tmp_path / "short.conllu").write_text("\n\n".join((first, rest)))
    short = {"short": str(tmp_path / "short.conllu"), "lacking": str(tmp_path / "lacking.conllu")}
    expected = json.loads(run("chaos eval {short} --system {short} -f json", short).stdout)
    found = json.loads(run("chaos eval {good} --system {lacking} -f json --on-error skip", files | short).stdout)
    assert "|skipped:1," in found["signature"]
    words = sum(line.split("\t")[3] != "PUNCT" for line in second.splitlines() if line[0].isdigit())
    whole, last = expected["rows"][-1], found["rows"][-1]
    assert last["gold edges"] == whole["gold edges"] + words
    assert last["lacking recall"] == pytest.approx(whole["gold edges"] / last["gold edges"])
    assert last["lacking precision"] == whole["short precision"] == 1


def test_a_gate_fails_if_much_was_left_out(files: dict[str, str]) -> None:
    for gate in (
        "eval {bad} {good} --min-las 1%",
        "check {bad} --fail-on 999",
        "diff {good} {bad} --self --fail-on 999",
    ):
        closed = run(gate + " --on-error skip --allow-skipped 0", files)
        assert closed.exit_code == 1, closed.output
        assert "% of the words were left out" in closed.stderr
        assert run(gate + " --on-error skip --allow-skipped 50%", files).exit_code == 0


@pytest.mark.parametrize("args", [args for name, args in READING.items() if name not in TREES_ONLY], ids=str)
def test_empty_columns_are_said_once_and_refused_if_strict(args: str, files: dict[str, str], tmp_path: Path) -> None:
    empty = DEMO.replace("\t_\n", "\t\n")
    (tmp_path / "empty.conllu").write_text(empty)
    (tmp_path / "pairs/x/test.system.conllu").write_text(empty)
    found = files | {"bad": str(tmp_path / "empty.conllu"), "tags": str(tmp_path / "empty.conllu")}
    said = run(args, found)
    n = empty.count("\t\n")
    assert f"{n} empty MISC read as _" in said.stderr, said.exception
    assert said.stderr.count("read as _") == 1
    refused = run(args, found, "--strict")
    assert "is empty; expected a value or _" in str(refused.exception)


def commands(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for sub in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), sub)
            assert found is not None
            yield from commands(found, f"{name} {sub}".strip())
    else:
        yield name, command


# these read no sentences or trees of the user's, or raw text, or run other commands
OTHERS = {
    "demo",
    "study",
    "parse",
    "fetch",
    "completion",
    "model merge",
    "model info",
    "model list",
    "chaos rules check",
}


def test_every_reading_command_has_the_option() -> None:
    assert set(COMMANDS) <= {name.split()[0] for name, _ in commands(cli)}
    without = {n for n, command in commands(cli) if not any("--on-error" in p.opts for p in command.params)}
    assert without <= OTHERS
