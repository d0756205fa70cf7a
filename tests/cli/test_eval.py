"""`treegauge eval` as a user runs it."""

import gzip
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from treegauge import __version__
from treegauge.cli import cli, main

DOCS = Path(__file__).parents[2] / "docs" / "eval.md"


@pytest.fixture(autouse=True)
def in_data(data, monkeypatch):
    """Commands run beside the hand-made treebanks."""
    monkeypatch.chdir(data)


def run(*args):
    """Exit code, standard output, standard error; as the console script does it."""
    import contextlib
    import io
    import sys

    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(["eval", *args])
        except SystemExit as stop:
            code = stop.code or 0
    assert sys.stdout is not out
    return code, out.buffer.getvalue().decode(), err.getvalue()


def test_one_system_gets_every_metric_and_the_signature():
    code, out, err = run("eval_gold.conllu", "eval_system.conllu")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[3:16]] == (
        [
            *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
            *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
        ]
    )
    assert re.search(r"^LAS +77\.27 +77\.27 +77\.27 +77\.27$", out, re.M)
    assert re.search(r"^eval\|subtypes:no\|v\d", out, re.M)


def test_json_has_a_row_per_metric_at_full_precision_with_counts():
    code, out, _ = run("eval_gold.conllu", "eval_raw.conllu", "--format", "json")
    content = json.loads(out)
    assert code == 0
    assert content["name"] == "scores"
    assert content["signature"].startswith("eval|")
    rows = {row["metric"]: row for row in content["rows"]}
    assert rows["LAS"] == {
        "metric": "LAS",
        "precision": 16 / 21,
        "recall": 16 / 22,
        "f1": 2 * 16 / (22 + 21),
        "aligned_accuracy": 16 / 20,
        "n_correct": 16,
        "n_gold": 22,
        "n_system": 21,
        "n_aligned": 20,
    }
    assert rows["Tokens"]["aligned_accuracy"] is None
    _, out, _ = run("eval_gold.conllu", "eval_raw.conllu", "--format", "tsv")
    header, *lines = [line.split("\t") for line in out.splitlines()[1:]]
    assert dict(zip(header, lines[9], strict=True)) == {name: str(value) for name, value in rows["LAS"].items()}
    assert "n_gold" not in run("eval_gold.conllu", "eval_raw.conllu")[1]


def test_folders_are_evaluated_as_one(tmp_path):
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        text = Path(f"eval_{side}.conllu").read_text()
        for name in "ab":
            (tmp_path / side / f"{name}.conllu").write_text(text)
    code, out, _ = run(str(tmp_path / "gold"), str(tmp_path / "system"))
    assert code == 0
    assert re.search(r"^LAS +77\.27 +77\.27 +77\.27 +77\.27$", out, re.M)
    assert out.startswith(f"system against {tmp_path / 'gold'}\n")
    (tmp_path / "none").mkdir()
    code, _, err = run(str(tmp_path / "none"), str(tmp_path / "system"))
    assert code == 2
    assert "no .conllu file in this directory" in err


def test_several_systems_stand_in_one_table_and_are_tested():
    code, out, _ = run("eval_gold.conllu", "eval_system.conllu", "eval_raw.conllu", "--significance", "--samples", "50")
    assert code == 0
    assert re.search(r"^metric +eval_system +eval_raw$", out, re.M)
    assert re.search(r"^LAS +77\.27 +74\.42$", out, re.M)
    assert "samples:50|seed:1" in out
    code, out, _ = run(
        "eval_gold.conllu",
        "eval_system.conllu",
        "eval_raw.conllu",
        "--significance",
        "--samples",
        "50",
        "--format",
        "json",
    )
    content = json.loads(out)
    rows = {(row["system"], row["metric"]): row for row in content["rows"]}
    assert rows["eval_raw", "LAS"]["n_correct"] == 16
    (tests,) = content["more"]
    assert tests["name"] == "significance"
    assert tests["rows"][1]["metric"] == "LAS"


def test_every_format_has_the_number_and_the_signature():
    shown = {
        "text": "77.27",
        "markdown": "77.27",
        "latex": "77.27",
        "tsv": str(17 / 22),
        "json": str(17 / 22),
    }
    for form, number in shown.items():
        code, out, _ = run("eval_gold.conllu", "eval_system.conllu", "--format", form)
        assert code == 0
        assert number in out
        assert re.search(r"eval(\||\\textbar\{\})subtypes:no", out)


def test_breakdowns_confusions_and_words():
    code, out, _ = run(
        "eval_gold.conllu",
        "eval_system.conllu",
        "--by",
        "relation",
        "--by",
        "group",
        "--by",
        "relation,length",
    )
    assert code == 0
    assert re.search(r"^nsubj +4 +4 +75\.00 +75\.00 +75\.00", out, re.M)
    assert re.search(r"^FUN\+PUNCT +69\.23", out, re.M)
    assert re.search(r"^relation +length +support", out, re.M)
    code, out, _ = run("eval_gold.conllu", "eval_system.conllu", "--confusion", "--show", "obj,nsubj")
    assert re.search(r"^obj +nsubj +1", out, re.M)
    assert "╭───▼ obj" in out
    assert "▲────╯ nsubj" in out
    code, out, _ = run(
        "eval_gold.conllu", "eval_system.conllu", "--confusion", "--show", "obj,nsubj", "--format", "json"
    )
    content = json.loads(out)
    assert [table["name"] for table in (content, *content["more"])] == ["scores", "confusion", "show"]
    assert content["more"][1]["rows"][0]["form"] == "her"
    assert "╭───▼ obj" in content["more"][1]["rows"][0]["drawing"]


def test_breakdowns_of_several_systems_stand_side_by_side():
    code, out, _ = run("eval_gold.conllu", "eval_system.conllu", "eval_raw.conllu", "--by", "relation")
    assert code == 0
    assert re.search(r"^relation +support +eval_system +eval_raw$", out, re.M)
    assert re.search(r"^nsubj +4 +75\.00 +100\.00$", out, re.M)
    assert re.search(r"^parataxis +0 +– +0\.00$", out, re.M)  # only the second system has one
    code, out, _ = run(
        "eval_gold.conllu", "eval_system.conllu", "eval_raw.conllu", "--by", "relation", "--format", "tsv"
    )
    assert out.count("\nnsubj\t4\t") == 2


def test_many_treebanks_with_averages():
    code, out, _ = run("--table", "eval_pairs.tsv", "--format", "json", "--exclude", "nsubj")
    rows = json.loads(out)["rows"]
    assert code == 0
    assert [(row["treebank"], row["family"]) for row in rows] == [
        ("Tagged", "Garden"),
        ("Raw", "Garden"),
        ("Gold", "Itself"),
        ("Average", "Garden"),
        ("Average", ""),
    ]
    assert rows[0]["LAS"] == 17 / 22
    assert rows[3]["LAS"] == (17 / 22 + 32 / 43) / 2
    assert rows[0]["MWE"] is None  # no such arc, so no score
    assert rows[0]["-MWE"] == 0
    # without nsubj 14 arcs of 18 are right in the first
    assert rows[0]["-nsubj"] == 14 / 18 - 17 / 22
    code, out, _ = run("--pair", "eval_gold.conllu", "eval_system.conllu")
    assert code == 0
    assert "CLAS, and the change of LAS" in out


def test_a_gate_fails_with_exit_1_and_says_why():
    assert run("eval_gold.conllu", "eval_system.conllu", "--min-las", "77")[0] == 0
    code, out, err = run("eval_gold.conllu", "eval_system.conllu", "--min-las", "85")
    assert code == 1
    assert "77.27" in out
    assert err == "treegauge: eval_system: LAS 77.27 is below 85\n"
    assert run("--table", "eval_pairs.tsv", "--min-las", "99")[0] == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["eval_gold.conllu"], "expected GOLD and at least one SYSTEM"),
        (["eval_gold.conllu", "nowhere.conllu"], "nowhere.conllu"),
        (["eval_gold.conllu", "eval_system.conllu", "--by", "lenght"], "expected relation, deprel, group, upos"),
        (["eval_gold.conllu", "eval_system.conllu", "--show", "nsubj,"], "expected a relation, or gold's"),
        (["eval_gold.conllu", "eval_system.conllu", "--min-las", "1"], "1 may be 1 % or 100 %"),
        (["eval_gold.conllu", "eval_system.conllu", "--min-clas", "101"], "'101'; expected per cent"),
        (["eval_gold.conllu", "eval_system.conllu", "--name", "a", "--name", "b"], "2 --name for 1 systems"),
        (["eval_gold.conllu", "eval_system.conllu", "-f", "html"], "is for --task"),
        (["eval_gold.conllu", "eval_system.conllu", "--show", "nsubj,nope"], "'nope'; expected one of"),
        (
            ["eval_gold.conllu", "eval_system.conllu", "--exclude", "FUNN"],
            "expected a relation or one of the groups",
        ),
        (["eval_gold.conllu", "eval_system.conllu", "--exclude", ","], "expected a name"),
        (["eval_gold.conllu", "eval_system.conllu", "-o", "nowhere/out"], "nowhere/out: cannot be written"),
        (["eval_gold.conllu", "eval_system.conllu", "--by", "length", "--class-ends", "a"], "expected whole numbers"),
        (["eval_gold.conllu", "eval_system.conllu", "--significance"], "at least two SYSTEMs"),
        (["eval_gold.conllu", "--table", "eval_pairs.tsv"], "without GOLD SYSTEM"),
        (["--table", "eval_gold.conllu"], "no column 'name'"),
        (["eval_gold.conllu", "eval_groups.txt"], "eval_groups.txt:2"),
        (["eval_gold.conllu", "eval_system.conllu", "--format", "xml"], "xml"),
    ],
)
def test_wrong_input_is_told_with_exit_2(args, message):
    code, out, err = run(*args)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_compressed_files_standard_input_and_an_output_file(tmp_path, monkeypatch):
    packed = tmp_path / "system.conllu.gz"
    packed.write_bytes(gzip.compress(Path("eval_system.conllu").read_bytes()))
    code, out, _ = run("eval_gold.conllu", str(packed), "-o", str(tmp_path / "out.txt"))
    assert (code, out) == (0, "")
    assert "77.27" in (tmp_path / "out.txt").read_text()


def test_help_names_every_option_and_the_docs_do_too():
    text = CliRunner().invoke(cli, ["eval", "--help-all"]).output
    options = set(re.findall(r"--[a-z-]+", text)) - {"--help", "--help-all"}
    assert {"--by", "--table", "--min-las"} <= options
    docs = DOCS.read_text() + DOCS.with_name("task.md").read_text()
    assert [option for option in sorted(options) if f"`{option}" not in docs] == []


def examples():
    """Commands of the docs pages and what they say these print."""
    pages = [DOCS.with_name(f"{name}.md").read_text() for name in ("eval", "eval-tables", "eval-compare")]
    for block in re.findall(r"```console\n(.*?)```", "\n".join(pages), re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield pytest.param(command, output, id=command)


@pytest.mark.parametrize(("command", "output"), list(examples()))
def test_examples_of_the_docs_print_what_they_say(command, output):
    program, name, *args = command.split()
    assert (program, name) == ("treegauge", "eval")
    printed = run(*args)[1]
    if any(option in args for option in ("--by", "--confusion", "--show", "--versus", "--significance")):
        printed = printed.partition("\n\n")[2]  # the page shows what comes after the scores
    assert printed == re.sub(r"\|v[0-9][^\s|]*", f"|v{__version__}", output)


def test_the_python_example_of_the_docs_runs():
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.S)
    exec(code, {})
