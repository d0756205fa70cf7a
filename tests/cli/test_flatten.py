"""`treegauge flatten` as a user meets it."""

from pathlib import Path

from click.testing import CliRunner, Result

from treegauge.cli import cli
from treegauge.corpus.conllu import read_conllu


def run(*args: object, expect: int = 0) -> Result:
    result = CliRunner().invoke(cli, ["flatten", *map(str, args)])
    assert result.exit_code == expect, result.output
    return result


def test_own_heads_give_own_graphs(tmp_path: Path) -> None:
    trees, heads, output = tmp_path / "t.mrg", tmp_path / "h.txt", tmp_path / "o.conllu"
    trees.write_text("(S (NP (Art una) (N volpe)) (VP (V corre)))\n")
    heads.write_text("S -> NP *VP*\nNP -> *Art* N\n")
    run(trees, "--heads", heads, "-o", output)
    assert read_conllu(output, one_root=True).head.tolist() == [3, 1, 0]
    heads.write_text("S right VP\nNP right N\n")
    run(trees, "--heads", heads, "-o", output)
    assert read_conllu(output).head.tolist() == [2, 3, 0]


def test_traces_go_and_functions_are_cut_unless_kept(data: Path, tmp_path: Path) -> None:
    cut, kept = tmp_path / "cut.conllu", tmp_path / "kept.conllu"
    run(data / "traces_and_functions.mrg", "-o", cut)
    run(data / "traces_and_functions.mrg", "--keep-functions", "--keep-empty", "-o", kept)
    assert "-NONE-" not in cut.read_text()
    assert "-NONE-" in kept.read_text()
    assert read_conllu(cut, one_root=True).n_words < read_conllu(kept).n_words


def test_bad_brackets_are_named_or_left_out(data: Path) -> None:
    assert "bad_brackets.mrg:" in str(run(data / "bad_brackets.mrg", expect=1).exception)
    result = run(data / "bad_brackets.mrg", "--on-error", "skip")
    assert "left out: " in result.output


def test_a_rule_without_head_is_named_with_its_place(tmp_path: Path) -> None:
    trees, heads = tmp_path / "t.mrg", tmp_path / "h.txt"
    trees.write_text("(S (A a) (B b))\n")
    heads.write_text("NP left\n")
    error = run(trees, "--heads", heads, expect=1).exception
    assert f"{trees}:1: tree 1: S -> A B: no head" in str(error)
