"""The command line as a user meets it: output, messages, exit codes."""

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import treegauge
from tests.fuzz.mutations import long_sentence
from treegauge.cli import COMMANDS, cli
from treegauge.corpus.conllu import read_conllu
from treegauge.models.bundled_models import load_model
from treegauge.models.lisca.score import Lisca

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "src" / "treegauge" / "demo" / "demo.conllu"
HEADER = ["rank", "bin", "sent_id", "sentence", "id", "form", "head", "deprel", "log_score"]


def run(*args: object, expect: int = 0) -> Result:
    """The command in a process of its own, as a user runs it."""
    result = subprocess.run(
        [sys.executable, "-m", "treegauge", *map(str, args)], capture_output=True, text=True, encoding="utf-8"
    )
    assert result.returncode == expect, result.stderr
    return result  # type: ignore[return-value]


def table(text: str) -> list[dict[str, str]]:
    header, *lines = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(header, line, strict=True)) for line in lines]


def test_treegauge_alone_says_what_to_try_first() -> None:
    result = CliRunner().invoke(cli, [])
    assert result.exit_code == 0
    assert "treegauge rank parsed.conllu --model en --explain" in result.output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_every_shell(shell: str) -> None:
    result = CliRunner().invoke(cli, ["completion", shell])
    assert result.exit_code == 0
    assert f"_TREEGAUGE_COMPLETE={shell}_complete" in result.output


@pytest.mark.parametrize(
    "command", [["rank", "-m", "en"], ["rank", "--self"], ["model", "build", "-o", "x.tgm"]], ids=str
)
def test_nothing_read_is_no_success(command: list[str], tmp_path: Path) -> None:
    empty, bad = tmp_path / "empty.conllu", tmp_path / "bad.conllu"
    empty.write_text("")
    bad.write_text("1\tonly three\tcolumns\n\n")
    for given in ([str(empty)], [str(bad), "--on-error", "skip"]):
        said = run(*command, *given, expect=2).stderr
        assert "no sentences" in said or "0 sentences" in said


def every_command() -> list[tuple[str, ...]]:
    context = click.Context(cli)
    found: list[tuple[str, ...]] = []
    for name in COMMANDS:
        command = cli.get_command(context, name)
        found.append((name,))
        if isinstance(command, click.Group):
            found += [(name, sub) for sub in command.list_commands(context)]
    return found


@pytest.mark.parametrize("command", every_command(), ids=" ".join)
def test_every_command_has_help_and_is_in_the_docs(command: tuple[str, ...]) -> None:
    result = CliRunner().invoke(cli, [*command, "--help"])
    assert result.exit_code == 0
    assert len(result.output.splitlines()) > 4
    docs = "".join(path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    assert f"treegauge {' '.join(command)}" in docs


def test_the_overview_imports_nothing_heavy() -> None:
    code = "import sys, treegauge.cli; print([m for m in ('numpy', 'polars', 'rich', 'Cython') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
    assert run("--version").stdout.startswith("treegauge 0.")


def test_the_demo_shows_arcs_reasons_and_what_to_try_next() -> None:
    output = run("demo", "-o", os.devnull).stdout
    assert "5 of them wrong on purpose" in output
    assert "rather obl of 'repair' (word 5): probability 0." in output
    assert "- LISCA: CCONJ –cc→ PUNCT –punct→ VERB: never seen" in output
    assert "Settings: net|ref:en@" in output
    assert "treegauge rank my.conllu --model en --explain" in output
    assert int(output.split(" of the 5 planted errors")[0].rsplit("\n", 1)[1]) >= 3


def test_tsv_has_every_arc_with_all_its_digits() -> None:
    result = run("rank", DEMO, "--model", "en", "--scorer", "lisca", "--format", "tsv")
    assert result.stdout.splitlines()[0].split("\t") == HEADER
    rows = table(result.stdout)
    corpus = read_conllu(DEMO)
    scores = Lisca(load_model("en").reference).scores(corpus)
    assert [int(row["rank"]) for row in rows] == list(range(1, corpus.n_words + 1))
    for row in rows:
        w = int(corpus.start[int(row["sentence"]) - 1]) + int(row["id"]) - 1
        assert float(row["log_score"]) == scores[w]
        assert (row["form"], row["deprel"]) == (corpus.value("form", w), corpus.value("deprel", w))
        assert row["sent_id"] == corpus.sent_id(int(row["sentence"]) - 1)
        assert int(row["head"]) == corpus.head[w]
        assert int(row["bin"]) == (corpus.n_words - int(row["rank"])) * 10 // corpus.n_words + 1
    assert [float(row["log_score"]) for row in rows] == sorted(scores.tolist())
    assert "lisca:2020|ref:en@" in result.stderr
    assert "arcs have a factor never seen" in result.stderr


def test_orders_and_the_top() -> None:
    reliable = table(run("rank", DEMO, "-m", "en", "-f", "tsv", "--order", "reliable").stdout)
    suspicious = table(run("rank", DEMO, "-m", "en", "-f", "tsv", "--top", 7).stdout)
    assert [int(row["rank"]) for row in suspicious] == [1, 2, 3, 4, 5, 6, 7]
    in_corpus = table(run("rank", DEMO, "-m", "en", "-f", "tsv", "--order", "corpus").stdout)
    assert suspicious == reliable[::-1][:7]
    assert in_corpus == sorted(reliable, key=lambda row: (int(row["sentence"]), int(row["id"])))


def test_without_smoothing_unseen_factors_give_minus_infinity() -> None:
    rows = table(run("rank", DEMO, "-m", "en", "-f", "tsv", "--smoothing", "none").stdout)
    zeros = [row for row in rows if row["log_score"] == "-inf"]
    assert 0 < len(zeros) < 20
    assert rows[: len(zeros)] == zeros
    records = json.loads(run("rank", DEMO, "-m", "en", "-f", "json", "--smoothing", "none").stdout)
    assert sum(arc["log_score"] is None for arc in records["rows"]) == len(zeros)
    assert records["fit"]["share_unseen"] == len(zeros) / len(rows)


def test_relations_are_ranked_among_themselves_unless_asked() -> None:
    whole = {(r["sentence"], r["id"]): r for r in table(run("rank", DEMO, "-m", "en", "-f", "tsv").stdout)}
    some = table(run("rank", DEMO, "-m", "en", "-f", "tsv", "--relation", "nsubj,obj").stdout)
    assert {row["deprel"] for row in some} == {"nsubj", "nsubj:pass", "obj"}
    assert [int(row["rank"]) for row in some] == list(range(1, len(some) + 1))
    assert (some[0]["bin"], some[-1]["bin"]) == ("10", "1")
    of_all = table(run("rank", DEMO, "-m", "en", "-f", "tsv", "--relation", "nsubj,obj", "--bins-of-all").stdout)
    assert of_all == [whole[row["sentence"], row["id"]] for row in of_all]
    assert len(of_all) == len(some)


def test_json_carries_signature_fit_and_reasons() -> None:
    records = json.loads(run("rank", DEMO, "-m", "en", "--scorer", "lisca", "-f", "json", "--explain").stdout)
    assert records["signature"].startswith("lisca:2020|ref:en@")
    assert records["fit"]["unseen_tags"] == {}
    first = records["rows"][0]
    assert first["reasons"][0]["cost"] > 0
    assert "usual" in first["reasons"][0]["text"]


def test_conllu_out_is_the_file_but_for_scores_in_misc(tmp_path: Path) -> None:
    output = tmp_path / "scored.conllu"
    run(
        *("rank", DEMO, "-m", "en", "--scorer", "lisca", "-f", "conllu", "-o", output),
        *("--mark", 4, "--misc", "LiscaScore,,"),
    )
    scores = Lisca(load_model("en").reference).scores(read_conllu(DEMO))
    worst = set(np.argsort(scores)[:4].tolist())
    expected, w = [], 0
    for line in DEMO.read_text().split("\n"):
        if line[:1].isdigit():
            misc = line.split("\t")[9]
            added = f"LiscaScore={scores[w]:.4g}" + ("|Mark=suspicious" if w in worst else "")
            line = line[: -len(misc)] + (added if misc == "_" else f"{misc}|{added}")
            w += 1
        expected.append(line)
    assert output.read_text().split("\n") == expected


def test_udapi_sees_the_marks(tmp_path: Path) -> None:
    from udapi.core.document import Document

    output = tmp_path / "scored.conllu"
    run("rank", DEMO, "-m", "en", "-f", "conllu", "-o", output, "--mark", 3)
    nodes = [node for bundle in Document(str(output)).bundles for tree in bundle for node in tree.descendants]
    assert sum(node.misc["Mark"] != "" for node in nodes) == 3
    assert all(float(node.misc["LogScore"]) < 0 for node in nodes)


def test_a_treebank_is_judged_by_itself() -> None:
    as_ever = ("-f", "tsv", "--order", "corpus", "--scorer", "lisca")
    rows = table(run("rank", DEMO, "--self", *as_ever).stdout)
    folded = table(run("rank", DEMO, "--folds", 13, *as_ever).stdout)
    for one, other in zip(rows, folded, strict=True):  # 13 sentences: the same up to the order of additions
        assert math.isclose(float(one["log_score"]), float(other["log_score"]), rel_tol=1e-12)


@pytest.mark.parametrize("scorer", ["random", "length", "ptr", "ltr", "lptr"])
def test_rivals_rank_too(scorer: str, tmp_path: Path) -> None:
    model = tmp_path / "demo.tgm"
    run("model", "build", DEMO, "-o", model, "--forms")
    result = run("rank", DEMO, "-m", model, "-f", "tsv", "--scorer", scorer)
    rows = table(result.stdout)
    scores = [float(row["log_score"]) for row in rows]
    assert scores == sorted(scores)
    if scorer == "length":
        assert all(int(row["head"]) for row in rows)
        assert "not ranked, without a length: 13 arcs" in result.stderr
    else:
        assert len(rows) == 142


def test_models_are_built_shown_and_merged(tmp_path: Path, data: Path) -> None:
    one, two, merged, other = (tmp_path / name for name in ("1.tgm", "2.tgm", "m.tgm", "o.tgm"))
    assert "142 words in 13 sentences" in run("model", "build", DEMO, "-o", one).stderr
    run("model", "build", data / "plain.conllu", "-o", two)
    run("model", "merge", one, two, "-o", merged)
    run("model", "merge", two, one, "-o", other)
    assert merged.read_bytes() == other.read_bytes()
    shown = run("model", "info", merged).stdout
    assert "source     demo.conllu: 142 words in 13 sentences" in shown
    assert "source     plain.conllu: 10 words in 2 sentences" in shown
    assert "English" in run("model", "list").stdout


def test_a_model_of_parsed_text_and_gold_says_how_much_of_each(tmp_path: Path, data: Path) -> None:
    model, gold = tmp_path / "m.tgm", data / "difficulty_gold.conllu"
    said = run("model", "build", DEMO, "--gold", gold, "--gold", data / "plain.conllu", "-o", model).stderr
    assert "learned from 142 words of parsed text and 27 words of gold, of " in said
    assert f"{model}: 169 words" in said
    shown = run("model", "info", model).stdout
    assert "learned    from 142 words of parsed text and 27 words of gold, of " in shown
    assert "source     difficulty_gold.conllu" in shown
    run("model", "build", DEMO, "--gold", DEMO, "-o", model)
    assert "learned    from 142 words of gold; it has all sentences of" in run("model", "info", model).stdout


def test_standard_input_and_output(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "treegauge"]
    built = subprocess.run(
        [*command, "model", "build", "-", "--counts-only", "-o", "-"], input=DEMO.read_bytes(), capture_output=True
    )
    (tmp_path / "x.tgm").write_bytes(built.stdout)
    ranked = subprocess.run(
        [*command, "rank", "-", "-m", str(tmp_path / "x.tgm"), "-f", "tsv"],
        input=DEMO.read_bytes(),
        capture_output=True,
    )
    assert ranked.stdout.count(b"\n") == 143


def test_text_draws_the_arc_over_its_sentence() -> None:
    output = run("rank", DEMO, "-m", "en", "--top", 5).stdout
    assert "╭───────────────────── nmod ────────────────────▼" in output
    assert "    The mayor promised to repair the roof of the school before winter ." in output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["rank", "missing.conllu", "-m", "en"], "missing.conllu: no such file or directory"),
        (["rank", DEMO, "-m", "xx"], "no bundled model 'xx'"),
        (["rank", DEMO, "-m", DEMO], "not a treegauge model"),
        (["rank", DEMO, "-m", "en", "--self"], "--model and --self"),
        (["rank", DEMO, "-m", "en", "--scorer", "best"], "scorer 'best'; expected one of lisca"),
        (["rank", DEMO, "-m", "en", "--scorer", "ltr"], "this model has no word forms"),
        (["rank", DEMO, "-m", "en", "--scorer", "ptr", "--explain"], "gives no reasons"),
        (["rank", DEMO, "-m", "en", "--smoothing", "much"], "--smoothing 'much'; expected `none` or a number above 0"),
        (["rank", DEMO, "-m", "en", "--smoothing", "-1"], "--smoothing '-1'"),
        (["rank", DEMO, "-m", "en", "--relation", "subj"], "no arc has relation subj; there are"),
        (["rank", DEMO, "-m", "en", "-f", "conllu", "--misc", "a|b,c"], "--misc 'a|b,c'; expected three names"),
        (["rank", DEMO, "--folds", "99"], "folds 99; expected 2..13"),
        (["model", "build", DEMO, "-o", "/no/such/folder/x.tgm"], "/no/such/folder"),
    ],
    ids=lambda value: " ".join(map(str, value))[-40:] if isinstance(value, list) else "",
)
def test_wrong_input_is_one_line_and_exit_2(args: list[object], message: str) -> None:
    result = run(*args, expect=2)
    lines = result.stderr.strip().splitlines()
    assert message in lines[-1]
    assert lines[-1].startswith("treegauge: ")
    assert "Traceback" not in result.stderr


def test_skipping_says_what_was_left_out(data: Path) -> None:
    result = run("rank", data / "one_defect_each.conllu", "-m", "en", "-f", "tsv", "--on-error", "skip")
    assert len(table(result.stdout)) == 3
    assert "one_defect_each.conllu:5: sentence 2 (columns): 9 columns" in result.stderr
    assert "left out: 11 malformed sentences (14 words of 17, 82.35 %)" in result.stderr
    run("rank", data / "one_defect_each.conllu", "-m", "en", expect=2)


@pytest.fixture(scope="module")
def uncompiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package whose kernels are not compiled, and a corpus with a sentence longer than a byte counts."""
    folder, package = tmp_path_factory.mktemp("uncompiled"), Path(treegauge.__file__).parent
    shutil.copytree(package, folder / "treegauge", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    (folder / "long.conllu").write_bytes(DEMO.read_bytes() + long_sentence(300))
    (folder / "other.conllu").write_bytes((DEMO.read_bytes() + long_sentence(300)).replace(b":far", b":near", 300))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("rank", "long.conllu", "-m", "en", "--scorer", "lisca", "-f", "tsv"),
        ("rank", "long.conllu", "-m", "en", "--top", "5", "--explain"),
        ("rank", "long.conllu", "--folds", "3", "--scorer", "choice", "-f", "tsv"),
        ("eval", "long.conllu", "other.conllu"),
        ("judge", "long.conllu", "other.conllu", "-m", "en", "--samples", "0"),
        ("model", "build", "long.conllu", "--preset", "2013", "--forms", "--counts-only", "-o", "-"),
    ],
    ids=" ".join,
)
def test_without_compiled_kernels_it_says_so_and_gives_the_same(uncompiled: Path, command: tuple[str, ...]) -> None:
    both = []
    for path in (str(uncompiled), os.environ.get("PYTHONPATH", "")):
        where = {"cwd": uncompiled / "treegauge", "env": {**os.environ, "PYTHONPATH": path, "COLUMNS": "100"}}
        files = [f"../{one}" if one.endswith(".conllu") else one for one in command]
        both.append(subprocess.run([sys.executable, "-m", "treegauge", *files], capture_output=True, **where))
    assert both[0].stderr.count(b"its kernels were not compiled") == 1
    assert b"its kernels were not compiled" not in both[1].stderr
    assert both[1].returncode == 0, both[1].stderr
    assert both[0].stdout == both[1].stdout
    assert both[0].stdout


def test_a_closed_pipe_is_no_error() -> None:
    process = subprocess.run(
        f"{sys.executable} -m treegauge rank {DEMO} -m en --scorer lisca -f tsv | head -1",
        shell=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout.split() == HEADER
    assert "Traceback" not in process.stderr
