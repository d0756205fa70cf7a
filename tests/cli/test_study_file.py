"""Studies: the commands that a file stands for."""

import shutil
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from treegauge.cli import cli
from treegauge.cli.study_file import COMMANDS, ELSEWHERE, PICTURE, _known_options, read_study
from treegauge.errors import OptionError

ROOT = Path(__file__).parents[2]
GOLD = ROOT / "tests" / "data" / "difficulty_gold.conllu"
LANGUAGE = f'[languages.xx]\ngold = "{GOLD}"\nsystem = "{GOLD}"\nmodel = "en"\n'


def steps(tmp_path: Path, text: str) -> list[tuple[str, list[str]]]:
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    return [(step.name, list(step.args)) for step in read_study(str(tmp_path / "s.toml"), "out")]


def test_options_become_those_of_the_command(tmp_path: Path) -> None:
    analysis = """
    [[analysis]]
    command = "challenge"
    name = "hard ones"
    relation = ["nsubj", "obj"]
    where = ["length>5", "depth<3"]
    easy = true
    every-arc = false
    n = 3
    """
    ((name, args),) = steps(tmp_path, LANGUAGE + analysis)
    assert name == "hard ones"
    assert args == [
        *("challenge", str(GOLD), "--model", "en", "-o", "out/hard-ones.conllu"),
        *("--relation", "nsubj,obj", "--where", "length>5", "--where", "depth<3", "--easy", "-n", "3"),
    ]


def test_models_are_built_from_references_first(tmp_path: Path) -> None:
    languages = f'[languages.yy]\ngold = "{GOLD}"\nreference = "{GOLD}"\npreset = "2013"\n' + LANGUAGE
    found = steps(tmp_path, languages + '[[analysis]]\ncommand = "difficulty bins"\nfigure = "png"\n')
    assert found[0][1] == [
        *("model", "build", str(GOLD), "--preset", "2013", "--forms", "-o", "out/models/yy.tgm"),
    ]
    assert found[1][1] == [
        *("difficulty", "bins", "--language", "yy", str(GOLD), "-", "out/models/yy.tgm"),
        *("--language", "xx", str(GOLD), str(GOLD), "en", "-o", "out/difficulty-bins.tsv", "--format", "tsv"),
        *("--beside", "--figure", "out/difficulty-bins.png"),
    ]


def test_surprisal_and_parseval_take_constituency_trees(tmp_path: Path) -> None:
    for name in ("a.mrg", "b.mrg", "c.mrg"):
        (tmp_path / name).write_text("(TOP (S (N dog) (V barks)))\n")
    trees, parsed, test = (str(tmp_path / name) for name in ("a.mrg", "b.mrg", "c.mrg"))
    text = '[languages.xx]\ntrees = "a.mrg"\nparsed_trees = "b.mrg"\n'
    text += '[languages.yy]\ntrees = "a.mrg"\ntest_trees = "c.mrg"\n'
    analyses = '[[analysis]]\ncommand = "surprisal"\n[[analysis]]\ncommand = "parseval"\nlanguages = ["xx"]\n'
    beside = ["--beside", "--by-label"]
    assert steps(tmp_path, text + analyses + "by-label = true\n") == [
        ("surprisal xx", ["surprisal", trees, "-o", "out/surprisal-xx.tsv", "--format", "tsv"]),
        ("surprisal yy", ["surprisal", trees, "--text", test, "-o", "out/surprisal-yy.tsv", "--format", "tsv"]),
        ("parseval", ["parseval", trees, parsed, "-o", "out/parseval.tsv", "--format", "tsv", *beside]),
    ]
    result = CliRunner().invoke(cli, ["study", str(tmp_path / "s.toml"), "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "surprisal" in (tmp_path / "out" / "surprisal-yy.tsv").read_text()
    assert "\t1.0\t" in (tmp_path / "out" / "parseval.tsv").read_text()
    with pytest.raises(OptionError, match="parseval needs trees and parsed_trees of yy"):
        steps(tmp_path, text + '[[analysis]]\ncommand = "parseval"\n')


def test_a_step_is_known_by_its_settings_and_input(tmp_path: Path) -> None:
    copy = tmp_path / "g.conllu"
    shutil.copy(GOLD, copy)
    text = '[languages.xx]\ngold = "g.conllu"\nmodel = "en"\n[[analysis]]\ncommand = "difficulty bins"\nbins = {}\n'

    def key(bins: int) -> str:
        (tmp_path / "s.toml").write_text(text.format(bins))
        return read_study(str(tmp_path / "s.toml"), "out")[0].key()

    first = key(10)
    assert key(10) == first
    assert key(5) != first
    copy.write_bytes(copy.read_bytes() + b"\n")
    assert key(10) != first


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "examples").glob("*.toml")))
def test_the_examples_are_studies(tmp_path: Path, name: str) -> None:
    shutil.copy(ROOT / "examples" / name, tmp_path)
    (tmp_path / "data").mkdir()
    content = tomllib.loads((tmp_path / name).read_text())
    for table in content["languages"].values():
        named = [table[key] for key in ("gold", "system", "reference", "trees") if key in table]
        for file in (*named, *table.get("annotations", [])):
            (tmp_path / file).touch()
    found = read_study(str(tmp_path / name), "out")
    assert len(found) >= len(content["analysis"])
    for step in found:
        command: click.Command = cli
        args = list(step.args)
        while isinstance(command, click.Group):
            deeper = command.get_command(click.Context(command), args.pop(0))
            assert deeper is not None
            command = deeper
        command.make_context(step.name, args)  # every option is one of the command


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one"),
        ("x = 1", "'x'; expected title"),
        ("[languages]\nxx = 1", r"expected tables \[languages.NAME\]"),
        ("[languages", "s.toml"),
        (LANGUAGE, "at least one"),
        (LANGUAGE + '[[analysis]]\ncommand = "sing"', "expected one of judge, eval"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\nlanguages = ["zz"]', "'zz'; there are xx"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\nname = "a/b"', "a name for files"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\nname = ".."', "a name for files"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\nname = "a\\u0000b"', "a name for files"),
        (LANGUAGE.replace("xx", '"../../xx"'), r"\.\./xx'; expected a name for files"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\no = "../x"', "'o'; where results go is for the study to say"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\noutput = "../x"', "'output'; where results go is for the"),
        (
            LANGUAGE + '[[analysis]]\ncommand = "challenge"\nmanifest = "../x"',
            "'manifest'; where results go is for the",
        ),
        (
            LANGUAGE + '[[analysis]]\ncommand = "judge"\n"output=../x" = true',
            "'output=../x'; expected an option of judge",
        ),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\n"figure-top=../x" = true', "=../x'; expected an option of judge"),
        (LANGUAGE + '[[analysis]]\ncommand = "eval"\n"o../x" = true', "'o../x'; expected an option of eval"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\n"" = true', "''; expected an option of judge"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\n"-output" = "x"', "'-output'; expected an option of judge"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\nhelp = true', "'help'; expected an option of judge"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\nfigure = "png"', "'figure'; expected an option of judge"),
        (LANGUAGE + '[[analysis]]\ncommand = "challenge"\neasy = "x"', "easy 'x'; expected true or false"),
        (LANGUAGE + '[[analysis]]\ncommand = "challenge"\nn = true', "n True; expected a value"),
        (LANGUAGE + '[[analysis]]\ncommand = "challenge"\nwhere = [["x"]]', "expected a value, or a list of values"),
        (LANGUAGE + '[[analysis]]\ncommand = "eval"\npair = ["x"]', "expected a list of 2 values"),
        (LANGUAGE + '[[analysis]]\ncommand = "difficulty bins"\nfigure = "/../x"', "expected the ending of a file"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\nlanguages = "xx"', "expected a list of names"),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "9" * 5000, "s.toml: "),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\nformat = "xls"', "'xls'; expected one of text"),
        (LANGUAGE + '[[analysis]]\ncommand = "judge"\n' * 2, "expected each `name` once"),
        ('[languages.xx]\ngold = "no.conllu"\nmodel = "en"', r"no\.conllu: no such file"),
        (f'[languages.xx]\ngold = "{GOLD}"\nmodel = "en"\nreference = "{GOLD}"', "either model or reference"),
        ('[languages.xx]\nmodel = "en"', "gold, system, or both"),
        ('[languages.xx]\nmodel = "en"\ncolour = 1', "'colour'"),
        (
            f'[languages.xx]\ngold = "{GOLD}"\nmodel = "en"\n[[analysis]]\ncommand = "judge"',
            "needs gold and system of xx",
        ),
    ],
)
def test_wrong_studies_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        steps(tmp_path, text)


def named(*analyses: str) -> str:
    return LANGUAGE + "".join(f'[[analysis]]\ncommand = "judge"\n{more}\n' for more in analyses)


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        (named('name = "a b"', 'name = "a-b"'), "a b", "a-b"),
        (named('name = "a b"', 'name = "a-b"\nformat = "json"'), "a b", "a-b"),
        (named('name = "a"', 'name = "A"'), "a", "A"),
        (named('name = "study.state"\nformat = "json"'), "the study itself", "study.state"),
        (named('name = "index"'), "the study itself", "index"),
        (named('name = "a"\nfigure-top = "tex"', 'name = "a-top"'), "a", "a-top"),
        (LANGUAGE.replace("xx", "yy") + named('name = "a"', 'name = "a-xx"\nlanguages = ["xx"]'), "a xx", "a-xx"),
    ],
)
def test_two_steps_do_not_write_the_same_file(tmp_path: Path, text: str, one: str, other: str) -> None:
    with pytest.raises(OptionError, match="would write") as error:
        steps(tmp_path, text)
    assert repr(one) in str(error.value)
    assert repr(other) in str(error.value)


def test_every_file_that_a_command_writes_is_in_the_folder_of_the_study() -> None:
    reading = {"--text", "--pairs", "--calibration", "--with", "--verdicts", "--groups", "--from-manifest"}
    reading |= {
        "--train",
        "--treebank-groups",
        "--not-worse-than",
        "--merge-labels",
        "--runs",
        "--tags-from",
        "--model",
    }
    for name in COMMANDS:
        for param in {id(option): option for option in _known_options(name.split()).values()}.values():
            flag = max(param.opts, key=len)
            if param.metavar in ("FILE", "DIR") and flag not in reading:
                assert flag.startswith(PICTURE) or flag in ELSEWHERE, f"{name} {flag}: does it write a file?"


def test_trees_are_measured_and_results_of_earlier_analyses_joined(tmp_path: Path) -> None:
    (tmp_path / "trees").mkdir()
    shutil.copy(ROOT / "tests" / "data" / "toy_ambiguous.mrg", tmp_path / "trees")
    (tmp_path / "s.toml").write_text(
        '[languages.Toy]\ntrees = "trees"\n'
        '[[analysis]]\ncommand = "ecc"\nname = "one"\nformat = "json"\n'
        '[[analysis]]\ncommand = "ecc"\nname = "two"\ntransform = "parent"\nformat = "json"\n'
        '[[analysis]]\ncommand = "ecc"\nname = "both"\nlanguages = []\nruns = ["one", "two"]\n'
    )
    done = CliRunner().invoke(cli, ["study", str(tmp_path / "s.toml"), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    lines = (tmp_path / "out" / "both.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines if line.startswith("Toy")] == ["Toy parent train", "Toy train"]
    again = CliRunner().invoke(cli, ["study", str(tmp_path / "s.toml"), "-o", str(tmp_path / "out")])
    assert again.stderr.count("done before") == 3
    (tmp_path / "trees" / "more.mrg").write_text("(S (a a))\n")
    more = CliRunner().invoke(cli, ["study", str(tmp_path / "s.toml"), "-o", str(tmp_path / "out")])
    assert "done before" not in more.stderr
