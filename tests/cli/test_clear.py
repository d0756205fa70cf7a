"""The command line says what it does not do, and shows the same in every format."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from treegauge.cli import cli
from treegauge.errors import TreegaugeError

DATA = Path(__file__).parents[1] / "data"
DEMO = Path(__file__).parents[2] / "src" / "treegauge" / "demo" / "demo.conllu"
GOLD, SYSTEM = DATA / "difficulty_gold.conllu", DATA / "difficulty_system.conllu"


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args], catch_exceptions=False)


RANK = ("rank", DEMO, "-m", "en")
MARKS = "--format conllu, but not with --unit sentence"


@pytest.mark.parametrize(
    ("args", "option", "where"),
    [
        ((*RANK, "--preset", "2013"), "--preset", "--self or --folds"),
        ((*RANK, "--pos", "upos"), "--pos", "--self or --folds"),
        ((*RANK, "--mark", 5), "--mark", MARKS),
        ((*RANK, "--misc", "a,b,c"), "--misc", MARKS),
        ((*RANK, "-f", "conllu", "--top", 5), "--top", "formats but conllu"),
        ((*RANK, "-f", "conllu", "--order", "reliable"), "--order", "formats but conllu"),
        ((*RANK, "-f", "conllu", "--explain"), "--explain", "formats but conllu"),
        ((*RANK, "--bins-of-all"), "--bins-of-all", "--relation"),
        ((*RANK, "--seed", 3), "--seed", "--scorer random"),
        ((*RANK, "--scorer", "choice", "--smoothing", "none"), "--smoothing", "the scorer lisca"),
        ((*RANK, "--scorer", "length", "--features", "length"), "--features", "the scorer lisca"),
        ((*RANK, "--unit", "tag", "--range", 3), "--range", "the scorer lisca"),
        (("report", DEMO, "-m", "en", "--scorer", "choice", "--range", 1, "-o", "x"), "--range", "the scorer lisca"),
        (("eval", GOLD, SYSTEM, "--samples", 9), "--samples", "--significance"),
        (("eval", GOLD, SYSTEM, "--class-ends", "1,2"), "--class-ends", "--by"),
        (("eval", GOLD, SYSTEM, "--top", 3), "--top", "--show, --confusion and --versus"),
        (("judge", GOLD, SYSTEM, "-m", "en", "--preset", "2013"), "--preset", "--pairs"),
        (("difficulty", "bins", GOLD, SYSTEM, "-m", "en", "--most", 3), "--most", "--by"),
        (("difficulty", "bins", GOLD, "-m", "en", "--bins-of-all"), "--bins-of-all", "--relation"),
        (("challenge", GOLD, "-m", "en", "--pick", "extreme"), "--pick", "--sentences or --balance"),
        (("calibrate", GOLD, SYSTEM, "-m", "en", "-o", "x", "--test-model", "de"), "--test-model", "--test"),
        (("ecc", DATA / "toy_ambiguous.mrg", "--pos", "upos"), "--pos", "--text"),
        (("ecc", DATA / "toy_ambiguous.mrg", "--seed", 2), "--seed", "--growing and --learning-curve"),
        (("chaos", "parse", DEMO, "-f", "json", "--width", 60), "--width", "--format text"),
        (("chaos", "eval", GOLD, "--system", SYSTEM, "--best"), "--best", "not --system"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else str(value),
)
def test_an_option_that_would_change_nothing_is_refused(args: tuple[object, ...], option: str, where: str) -> None:
    with pytest.raises(TreegaugeError, match=re.escape(f"{option} would change nothing here: it is for ")) as error:
        run(*args)
    assert where in str(error.value)


def test_the_same_options_are_taken_where_they_apply() -> None:
    for more in (
        ("-m", "en", "-f", "conllu", "--mark", 5, "--misc", "a,b,c"),
        ("--self", "--preset", "2013", "--pos", "xpos", "--subtypes"),
        ("-m", "en", "--relation", "nsubj", "--bins-of-all"),
        ("-m", "en", "--unit", "sentence", "-f", "conllu", "--top", 1),
        ("-m", "en", "--scorer", "random", "--seed", 3),
    ):
        assert run("rank", DEMO, *more).exit_code == 0


def test_suggestions_and_probabilities_are_in_every_format() -> None:
    (first,) = json.loads(run(*RANK, "--suggest", "--top", 1, "-f", "json").stdout)["rows"]
    names, values = (line.split("\t") for line in run(*RANK, "--suggest", "--top", 1, "-f", "tsv").stdout.splitlines())
    row = dict(zip(names, values, strict=True))
    assert row["rank"] == "1"
    other = str(first["other_head"]), first["other_deprel"], str(first["other_probability"])
    assert (row["other_head"], row["other_deprel"], row["other_probability"]) == other
    assert row["probability"] == str(first["probability"])
    text = run(*RANK, "--suggest", "--top", 1).stdout
    assert re.search(rf"- rather {other[1]} of '\S+' \(word {other[0]}\): probability 0\.", text)
    assert text.count("- rather") == 1
    trees = run(*RANK, "--suggest", "-f", "conllu", "--mark", 1).stdout
    (line,) = [line for line in trees.splitlines() if "Mark=suspicious" in line]
    misc = dict(part.split("=") for part in line.split("\t")[9].split("|"))
    assert (misc["RatherHead"], misc["RatherDeprel"]) == other[:2]
    assert misc["RatherProbability"] == f"{first['other_probability']:.4g}"
    assert misc["Probability"] == f"{first['probability']:.4g}"
    assert "Probability" not in run(*RANK, "--scorer", "lisca", "-f", "conllu").stdout


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "xterm")])
def test_a_terminal_without_colours_gets_none(variable: str, value: str) -> None:
    main, other = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    command = [sys.executable, "-m", "treegauge", *map(str, RANK), "--top", "1"]
    subprocess.run(command, stdout=other, stderr=subprocess.PIPE, env=environment | {variable: value}, check=True)
    os.close(other)
    shown = os.read(main, 10_000)
    os.close(main)
    assert (b"\x1b[" in shown) == (value == "xterm")


def test_a_wrong_code_of_a_model_is_met_with_a_near_one() -> None:
    with pytest.raises(TreegaugeError, match=r"is it en \(English\)\? `treegauge model list` shows the codes"):
        run("rank", DEMO, "-m", "englisch")
