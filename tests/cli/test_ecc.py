import json
from pathlib import Path

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
    assert lines[1].split()[:6] == ["treebank", "sample", "trees", "used", "cov.", "HD"]
    assert [line.split()[1] for line in lines[3:7]] == ["train", "train", "test", "test"]
    assert "4.75  2.75  2.00       –" in lines[3]
    assert lines[-1].startswith("ecc|max-length:40|functions:cut|empty:cut|v")


def test_json_has_the_figures_of_each_sample(toy):
    out = json.loads(run(toy, "--test", toy, "--format", "json").stdout)
    train, test = out["rows"]
    assert (train.pop("sample"), test.pop("sample")) == ("train", "test")
    assert train == test
    assert train["ecc"] == pytest.approx(2)
    assert train["lp"] == pytest.approx(2 / 3)
    assert train["ecc_ci"] is None  # one tree
    assert out["signature"].startswith("ecc|")
    assert (out["name"], [more["name"] for more in out["more"]]) == ("samples", ["sizes"])
    assert out["more"][0]["rows"][0]["rules"] == train["rules"] == 4


def test_several_files_can_be_one_treebank(data, toy):
    out = json.loads(run(toy, data / "toy_unambiguous.mrg", "--together", "--format", "json").stdout)
    assert [row["trees"] for row in out["rows"]] == [3]


def test_json_is_one_object_with_a_row_per_treebank(data, toy, tmp_path):
    assert run(toy, data / "toy_unambiguous.mrg", "-f", "json", "-o", tmp_path / "ecc.json").stdout == ""
    rows = json.loads((tmp_path / "ecc.json").read_text())["rows"]
    assert [(row["treebank"], row["sample"]) for row in rows] == [
        (toy.name, "train"),
        ("toy_unambiguous.mrg", "train"),
    ]


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
    assert any(line.startswith(begins) for line in result.stdout.splitlines()[:4])
    assert "max-length:40" in result.stdout


def test_leaving_one_out_shows_no_cross_entropies(tmp_path, data):
    both = tmp_path / "twice.mrg"
    both.write_text((data / "toy_ambiguous.mrg").read_text() * 2)
    line = run(both, "--leave-one-out").stdout.splitlines()[4]
    assert "leave-one-out" in line
    assert "–     –  2.00  ± 0.00" in line


def test_transform_cluster_and_punctuation_reach_the_signature(toy):
    options = (
        "--transform",
        "parent",
        "--merge-labels",
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
    rows = json.loads(run(many, "--growing", 2, "--format", "json").stdout)["rows"]
    assert [row["treebank"].split()[-1] for row in rows] == ["W1", "W2"]


def test_per_sentence_rows_say_where_the_sentence_stands(toy):
    out = json.loads(run(toy, "--per-sentence", "--format", "json").stdout)
    (row,) = out["rows"]
    assert out["name"] == "sentences"
    assert row["name"] == f"{toy}:1"
    assert (row["tags"], row["parses"], row["covered"]) == (3, 4, True)
    assert (row["delta"], row["tree_entropy"]) == (pytest.approx(2), pytest.approx(2))
    for form in ("text", "tsv", "markdown", "latex"):
        assert run(toy, "--per-sentence", "--format", form).exit_code == 0


def test_tagged_text_is_measured_without_trees(tmp_path, toy):
    text = tmp_path / "text.conllu"
    text.write_text(CONLLU)
    result = run(toy, "--text", text, "--format", "json")
    (out,) = json.loads(result.stdout)["rows"]
    assert (out["sentences"], out["covered"]) == (2, 1)
    assert out["tree_entropy"] == pytest.approx(1)
    assert "1 of 2 tags in xpos are not the treebank's: b" in result.stderr
    rows = json.loads(run(toy, "--text", text, "--per-sentence", "--format", "json").stdout)["rows"]
    assert [(row["name"], row["parses"]) for row in rows] == [("one", 2), (f"{text}: 2", 0)]


def test_learning_curve_ends_at_the_ecc(toy):
    out = json.loads(run(toy, "--learning-curve", "--format", "json").stdout)
    (row,) = out["rows"]
    assert (out["name"], row["trees"]) == ("learning_curve", 1)
    assert [row[f"shuffle {k}"] for k in (1, 2, 3)] == [pytest.approx(2)] * 3
    assert "trees  shuffle 1" in run(toy, "--learning-curve").stdout


def test_people_see_some_points_of_a_learning_curve_and_programs_all(tmp_path, toy):
    many = tmp_path / "many.mrg"
    many.write_text(toy.read_text() * 50)
    assert len(run(many, "--learning-curve", "-f", "tsv").stdout.splitlines()) == 2 + 50
    assert len(run(many, "--learning-curve").stdout.splitlines()) == 3 + 20 + 1


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_pictures_are_drawn_from_this_and_earlier_runs(tmp_path, toy, ending):
    earlier = tmp_path / "earlier.json"
    run(toy, "--format", "json", "-o", earlier)
    path = tmp_path / f"p.{ending}"
    assert "ECC and EMR of all experiments" in run("--runs", earlier, "--figure", path).stdout
    assert path.stat().st_size > 1000
    path.unlink()
    assert "shuffle 1" in run(toy, "--learning-curve", "--figure", path).stdout
    assert path.stat().st_size > 1000


def test_a_picture_has_the_samples_of_all_runs_and_their_settings(tmp_path, toy):
    earlier, path = tmp_path / "earlier.json", tmp_path / "p.svg"
    run(toy, "--transform", "parent", "--format", "json", "-o", earlier)
    assert run(toy, "--test", toy, "--runs", earlier, "--figure", path).exit_code == 0
    drawn = path.read_text()
    assert all(f"{toy.name} {name}" in drawn for name in ("train", "test", "parent train"))
    assert drawn.count("ecc|max-length:40") == 2


def test_bad_brackets_stop_with_one_line_or_are_left_out(data, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["ecc", str(data / "bad_brackets.mrg")])
    assert stop.value.code == 2
    assert "bad_brackets.mrg:2: tree 2: an empty node" in capsys.readouterr().err
    result = run(data / "bad_brackets.mrg", "--on-error", "skip")
    assert result.exit_code == 0
    assert "left out: 7 malformed trees" in result.stderr
    assert len(result.stderr.splitlines()) == 8


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("T", "--leave-one-out", "--test", "T"),
        ("T", "T", "--test", "T", "--test", "T", "--test", "T"),
        ("T", "--test", "T", "--test", "T", "--per-sentence"),
        ("T", "--growing", "2", "--leave-one-out"),
        ("T", "--per-sentence", "--figure", "x.png"),
        ("T", "--text", "x", "--figure", "x.png"),
        ("T", "--runs", "x", "--learning-curve"),
        ("T", "--growing", "0"),
        ("T", "--growing", "2,x"),
        ("T", "T", "--text", "x"),
        ("T", "T", "--together", "--test", "T", "--test", "T", "--growing", "2"),
        ("T", "--figure", "x.png", "--no-parse"),
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
        (("T", "--figure", "x.gif"), ".svg, .png, .pdf"),
        (("T", "--figure", "nowhere/x.png"), "nowhere/x.png: no such folder nowhere"),
        (("--runs", "T", "--figure", "x.png"), "expected a result in JSON"),
        (("T", "--merge-labels", "nothing"), "ptb-pos, ptb-nt, ptb-all"),
    ],
)
def test_bad_input_names_what_was_expected(toy, options, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["ecc", *(str(toy) if option == "T" else option for option in options)])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_the_choices_are_the_librarys():
    from treegauge.cli import ecc
    from treegauge.constituency.bracket_scores import PARSEVAL_OPTIONS
    from treegauge.constituency.brackets import STYLES
    from treegauge.constituency.cleaning import PUNCTUATION_TAGS, TRANSFORMS
    from treegauge.reports.table_text import FORMATS

    choices = {parameter.name: getattr(parameter.type, "choices", None) for parameter in ecc.ecc.params}
    assert tuple(choices["style"]) == tuple(STYLES)
    assert tuple(choices["format_name"]) == FORMATS
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


def test_trees_that_repeat_are_said(tmp_path: Path) -> None:
    for name in ("one.mrg", "two.mrg"):
        (tmp_path / name).write_text("(S (N n) (V v))\n")
    result = run(str(tmp_path), "--no-parse")
    assert "1 of 2 trees is repeated (1 of two.mrg are in one.mrg); give each tree once" in result.stderr


def test_names_lengths_pairs_and_best_trees(tmp_path, toy):
    best = tmp_path / "best.mrg"
    options = ["--name", "Toy", "--by-length", "--transform", "parent", "--paired", "--trees", best, "-f", "json"]
    first = json.loads(run(toy, *options).stdout)
    tables = {table["name"]: table["rows"] for table in [first, *first["more"]]}
    assert {row["treebank"] for rows in tables.values() for row in rows} == {"Toy"}
    (sample,) = tables["samples"]
    (lengths,) = tables["lengths"]
    assert lengths["tags"] == "1-9"
    assert lengths["ecc_per_tag"] == pytest.approx(sample["ecc_per_tag"]) == pytest.approx(sample["ecc"] / 3)
    (pair,) = tables["paired"]
    assert (pair["ecc"], pair["difference"]) == (2.0, pytest.approx(sample["ecc"] - 2))
    assert "^" not in best.read_text()
    for transform, wrong in (("parent", 0), ("none", 2)):
        run(toy, "--transform", transform, "--trees", best)
        shown = CliRunner().invoke(cli, ["parseval", str(toy), str(best), "--show", "3", "-f", "json"]).stdout
        (table,) = (table for table in json.loads(shown)["more"] if table["name"] == "differences")
        assert sorted(row["only_in"] for row in table["rows"]) == ["gold", "system"][:wrong]


def test_new_options_that_do_not_go_together_are_refused(toy):
    assert "expected --transform" in run(toy, "--paired").output
    assert "expected one for each" in run(toy, "--name", "a", "--name", "b").output
    assert "expected them without" in run(toy, "--by-length", "--leave-one-out").output
