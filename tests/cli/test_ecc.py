import json

import pytest
from click.testing import CliRunner

from treegauge.cli import cli, main


def run(*args):
    return CliRunner().invoke(cli, ["ecc", *map(str, args)])


@pytest.fixture
def toy(data):
    return data / "toy_ambiguous.mrg"


WORDS = "1 a a X a _ _ _ _ _\n2 a a X a _ _ _ _ _\n\n1 b b Y b _ _ _ _ _\n\n"
CONLLU = "# sent_id = one\n" + WORDS.replace(" ", "\t")


def test_a_row_per_treebank_and_sample_with_the_signature(data, toy):
    result = run(toy, data / "toy_unambiguous.mrg", "--test", toy)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split()[:6] == ["treebank", "sample", "trees", "L<40", "cov.", "HD"]
    assert [line.split()[1] for line in lines[2:6]] == ["train", "train", "test", "test"]
    assert "4.75  2.75         2.00" in lines[2]
    assert lines[-1].startswith("ecc|max-length:40|functions:cut|empty:cut|v")


def test_json_has_the_figures_of_each_sample(toy):
    out = json.loads(run(toy, "--test", toy, "--format", "json").stdout)
    assert out["train"] == out["test"]
    assert out["train"]["ecc"] == pytest.approx(2)
    assert out["train"]["ecc_ci"] is None  # one tree
    assert out["signature"].startswith("ecc|")


def test_several_files_can_be_one_treebank(data, toy):
    out = json.loads(run(toy, data / "toy_unambiguous.mrg", "--together", "--format", "json").stdout)
    assert out["train"]["trees"] == 3


def test_json_has_a_line_per_treebank(data, toy):
    lines = run(toy, data / "toy_unambiguous.mrg", "--format", "json").stdout.splitlines()
    assert [json.loads(line)["test"] for line in lines] == [None, None]


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("tsv", "treebank\tsample\ttrees"),
        ("markdown", "| treebank | sample |"),
        ("latex", r"\begin{tabular}{ll"),
    ],
)
def test_other_formats(toy, form, begins):
    result = run(toy, "--format", form)
    assert result.exit_code == 0
    assert result.stdout.startswith(begins)
    assert "ecc|max-length:40" in result.stdout


def test_leaving_one_out_shows_no_cross_entropies(tmp_path, data):
    both = tmp_path / "twice.mrg"
    both.write_text((data / "toy_ambiguous.mrg").read_text() * 2)
    line = run(both, "--leave-one-out").stdout.splitlines()[3]
    assert "leave-one-out" in line
    assert "–     –  2.00 ± 0.00" in line


def test_transform_cluster_and_punctuation_reach_the_signature(toy):
    options = (
        "--transform",
        "parent",
        "--cluster",
        "ptb-all",
        "--punctuation-tags",
        "wsj",
        "--keep-functions",
    )
    out = json.loads(run(toy, *options, "--max-length", 10, "--format", "json").stdout)
    assert (
        "max-length:10|functions:kept|empty:cut|cluster:ptb-all|transform:parent|punctuation-tags:wsj"
        in (out["signature"])
    )


def test_growing_samples_have_their_names(tmp_path, toy):
    many = tmp_path / "many.mrg"
    many.write_text(toy.read_text() * 4)
    names = [
        json.loads(line)["treebank"].split()[-1]
        for line in run(many, "--growing", 2, "--format", "json").stdout.splitlines()
    ]
    assert names == ["W1", "W2"]


def test_per_sentence_rows_say_where_the_sentence_stands(toy):
    row = json.loads(run(toy, "--per-sentence", "--format", "json").stdout)
    assert row["name"] == f"{toy}:1"
    assert (row["tags"], row["parses"], row["covered"]) == (3, 4, True)
    assert (row["delta"], row["tree_entropy"]) == (pytest.approx(2), pytest.approx(2))
    for form in ("text", "tsv", "markdown", "latex"):
        assert run(toy, "--per-sentence", "--format", form).exit_code == 0


def test_tagged_text_is_measured_without_trees(tmp_path, toy):
    text = tmp_path / "text.conllu"
    text.write_text(CONLLU)
    result = run(toy, "--text", text, "--format", "json")
    out = json.loads(result.stdout)
    assert (out["sentences"], out["covered"]) == (2, 1)
    assert out["tree_entropy"] == pytest.approx(1)
    assert "1 of 2 tags in xpos are not the treebank's: b" in result.stderr
    rows = [
        json.loads(line) for line in run(toy, "--text", text, "--per-sentence", "--format", "json").stdout.splitlines()
    ]
    assert [(row["name"], row["parses"]) for row in rows] == [("one", 2), (f"{text}: 2", 0)]


def test_learning_curve_ends_at_the_ecc(toy):
    out = json.loads(run(toy, "--learning-curve", "--format", "json").stdout)
    assert out["learning_curve"] == [[pytest.approx(2)]] * 3
    assert run(toy, "--learning-curve").stdout.startswith("trees  shuffle 1")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_pictures_are_drawn_from_this_and_earlier_runs(tmp_path, toy, ending):
    earlier = tmp_path / "runs.jsonl"
    earlier.write_text(run(toy, "--format", "json").stdout)
    path = tmp_path / f"p.{ending}"
    assert run("--runs", earlier, "--plot", "ecc-emr", "--plot-file", path).exit_code == 0
    assert path.stat().st_size > 1000
    path.unlink()
    assert run(toy, "--learning-curve", "--plot", "learning-curve", "--plot-file", path).exit_code == 0
    assert path.stat().st_size > 1000


def test_bad_brackets_stop_with_one_line_or_are_left_out(data, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["ecc", str(data / "bad_brackets.mrg")])
    assert stop.value.code == 2
    assert "bad_brackets.mrg:2: tree 2: an empty node" in capsys.readouterr().err
    result = run(data / "bad_brackets.mrg", "--on-error", "skip")
    assert result.exit_code == 0
    assert "7 malformed trees left out" in result.stderr
    assert len(result.stderr.splitlines()) == 8


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("T", "--leave-one-out", "--test", "T"),
        ("T", "--test", "T", "--test", "T"),
        ("T", "--growing", "2", "--leave-one-out"),
        ("T", "--plot", "learning-curve"),
        ("T", "--plot-file", "x.png"),
        ("T", "--runs", "x"),
        ("T", "T", "--text", "x"),
        ("T", "T", "--together", "--test", "T", "--test", "T"),
        ("T", "--plot", "ecc-emr", "--no-parse"),
        ("T", "--input", "negra"),
    ],
)
def test_options_that_do_not_go_together_are_usage_errors(toy, options):
    result = run(*(toy if option == "T" else option for option in options))
    assert result.exit_code == 2
    assert "Error" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("nowhere.mrg",), "nowhere.mrg: no such file"),
        (("T", "--plot", "ecc-emr", "--plot-file", "x.gif"), ".png, .svg, .pdf"),
        (("T", "--cluster", "nothing"), "ptb-pos, ptb-nt, ptb-all"),
    ],
)
def test_bad_input_names_what_was_expected(toy, options, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["ecc", *(str(toy) if option == "T" else option for option in options)])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_the_choices_are_the_librarys():
    from treegauge.cli import ecc
    from treegauge.grammar.bracket_scores import PARSEVAL_OPTIONS
    from treegauge.grammar.brackets import STYLES
    from treegauge.grammar.cleaning import PUNCTUATION_TAGS, TRANSFORMS
    from treegauge.grammar.tables import FORMATS

    assert tuple(STYLES) == ecc.STYLES
    assert ecc.FORMATS == FORMATS
    choices = {parameter.name: getattr(parameter.type, "choices", None) for parameter in ecc.ecc.params}
    assert tuple(choices["transform"]) == TRANSFORMS
    assert tuple(choices["punctuation_tags"]) == PUNCTUATION_TAGS
    assert tuple(choices["parseval"]) == tuple(PARSEVAL_OPTIONS)


def test_help_needs_no_heavy_import():
    import subprocess
    import sys

    code = (
        "import sys\nfrom treegauge.cli import cli\nfrom click.testing import CliRunner\n"
        "assert CliRunner().invoke(cli, ['ecc', '--help']).exit_code == 0\n"
        "assert not {'numpy', 'matplotlib', 'nltk', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
