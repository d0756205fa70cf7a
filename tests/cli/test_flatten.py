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


def test_labels_that_the_table_does_not_know_are_told_with_a_better_table(tmp_path: Path) -> None:
    trees = tmp_path / "t.mrg"
    trees.write_text("(S (sn (d el) (n gato)) (grup.verb (v duerme)) (sp (s en) (sn (d la) (n casa))))\n")
    told = run(trees).stderr
    assert "the head table penn has no line for" in told
    assert "sn 2 times" in told
    assert "--heads cess knows most of them" in told
    assert "no line" not in run(trees, "--heads", "cess").stderr


def test_a_page_draws_the_graphs(tmp_path: Path, data: Path) -> None:
    page = tmp_path / "page.html"
    run(data / "traces_and_functions.mrg", "-f", "html", "--top", "2", "-o", page)
    content = page.read_text()
    assert content.count("<svg") == 2
    assert "default-src 'none'" in content
    trees = tmp_path / "t.mrg"
    trees.write_text("(S (NP (N <script>x</script>)) (VP (V y)))\n")
    run(trees, "-f", "html", "-o", page)
    assert "<script>x" not in page.read_text()
