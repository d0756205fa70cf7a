"""Tables in their five forms, and tables of many treebanks."""

import json
import re
from dataclasses import replace

import pytest

from tests.evaluation.eval_cases import ours
from tests.evaluation.test_eval_breakdown import GOLD, SYSTEM
from treegauge.corpus.conllu import parse_conllu
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.breakdown import breakdown, leave_out, systems_breakdown
from treegauge.evaluation.attachment.confusion import confusion
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.evaluation.attachment.treebank_table import Pair, mean, read_pairs, row_of, treebanks_table
from treegauge.reports.table_text import write_json, write_tables
from treegauge.tables import Table

TABLE = Table(
    "a_b",
    (("name", "text"), ("n", "count"), ("las", "percent"), ("change", "change"), ("p", "p")),
    (("x|y_1", 1234, 0.5, -0.01, 0.00019), ("한", 1, None, 0.25, 1.0)),
    "eval|v0",
)


def test_text_lines_up_wide_characters():
    assert write_tables([TABLE], "text").splitlines() == [
        "a_b",
        "name       n    las  change       p",
        "───────────────────────────────────",
        "x|y_1  1,234  50.00   -1.00  0.0002",
        "한         1      –  +25.00  1.0000",
        "eval|v0",
    ]


def test_tsv_and_json_have_the_numbers_as_they_are():
    assert write_tables([TABLE], "tsv").splitlines()[1:] == [
        "name\tn\tlas\tchange\tp",
        "x|y_1\t1234\t0.5\t-0.01\t0.00019",
        "한\t1\t\t0.25\t1.0",
    ]
    assert json.loads(write_json(TABLE.to_dict()))["rows"][1] == {
        "name": "한",
        "n": 1,
        "las": None,
        "change": 0.25,
        "p": 1,
    }


def test_markdown_and_latex_escape_what_they_must():
    assert "| x\\|y_1 | 1,234 | 50.00 | -1.00 | 0.0002 |" in write_tables([TABLE], "markdown")
    latex = write_tables([TABLE], "latex")
    assert r"x\textbar{}y\_1 & 1,234 & 50.00 & -1.00 & 0.0002 \\" in latex
    assert r"\begin{tabular}{lrrrr}" in latex
    assert latex.startswith("% eval|v0\n")  # the signature, in a comment
    assert "\\caption{a\\_b}\n\\label{tab:a-b}\n\\end{table}\n" in latex
    assert r"\textbf" not in latex
    with pytest.raises(OptionError, match="'xml'; expected one of text"):
        write_tables([TABLE], "xml")


def test_labels_in_latex_are_different_and_the_signature_stays_in_its_comment():
    named = replace(TABLE, name="by_relation", signature="eval\nx|v0")
    latex = write_tables([named, TABLE, named, replace(TABLE, title="?")], "latex")
    assert re.findall(r"\\label\{(.*)\}", latex) == ["tab:by-relation", "tab:a-b", "tab:by-relation-2", "tab:table"]
    assert latex.splitlines()[0] == "% eval␊x|v0"


def bold(table: Table) -> dict[tuple[str, str], str]:
    """The bold cells of a table in LaTeX: first cell of the row and header -> what it has."""
    lines = [text.removesuffix(r" \\").split(" & ") for text in write_tables([table], "latex").splitlines()]
    header, *rows = [cells for cells in lines if len(cells) > 1]
    cells = {(row[0], name): cell for row in rows for name, cell in zip(header, row, strict=True)}
    return {place: cell[8:-1] for place, cell in cells.items() if cell.startswith(r"\textbf{")}


def test_the_best_system_of_each_metric_is_bold_in_latex():
    sides = [parse_conllu(text) for text in (GOLD, GOLD, SYSTEM)]
    two, six = evaluate(*sides, names=["s", "w"]), evaluate(*sides[:2], *[sides[2]] * 5, names=[*"abcdef"])
    as_columns, as_rows = bold(two.table()), bold(six.table())
    for metric in two[0].scores:
        shown = [f"{100 * scores[metric].f1:.2f}" for scores in two]
        differ = shown[0] != shown[1]
        assert as_columns.get((metric, "s")) == (shown[0] if differ else None)  # the first is never worse
        assert as_rows.get(("a", metric)) == (shown[0] if differ else None)
        assert (metric, "w") not in as_columns
        assert ("b", metric) not in as_rows
    assert ("LAS", "s") in as_columns
    of_relations = bold(systems_breakdown(two, "relation"))
    assert {name for _, name in of_relations} <= {"s", "w"}
    assert ("nsubj", "s") in of_relations
    assert ("nsubj", "w") not in of_relations


def test_one_value_alone_is_not_the_best_and_equal_ones_are_both():
    three = Table("t", (("s", "text"), ("m", "percent")), (("x", 0.5), ("y", 0.50001), ("z", 0.4)), "s")
    assert bold(replace(three, best_in_column=frozenset("m"))) == {("x", "m"): "50.00", ("y", "m"): "50.00"}
    table = Table("t", (("m", "text"), ("a", "percent"), ("b", "percent")), (("x", 0.5, None), ("y", 0.1, 0.2)), "s")
    assert bold(replace(table, best_in_row=frozenset("ab"))) == {("y", "b"): "20.00"}
    assert bold(replace(table, best_in_column=frozenset("ab"))) == {("x", "a"): "50.00"}
    assert bold(replace(table, best_in_column=frozenset("ab"), details=frozenset("a"))) == {}


def test_every_result_becomes_data_frames_a_dict_and_html():
    result = ours(GOLD, SYSTEM)
    for thing in (result, breakdown(result, "relation"), confusion(result), leave_out(result)):
        assert len(thing.to_polars()) == len(thing.to_pandas()) > 0
        assert json.dumps(thing.to_dict())
    assert "<table>" in result._repr_html_()
    assert "<td>LAS</td>" in result._repr_html_()


def test_averages_are_over_the_treebanks_that_have_a_value():
    assert mean([1.0, None, 2.0]) == 1.5
    assert mean([None]) is None
    rows = [row_of(Pair(name, "g", "s"), ours(GOLD, SYSTEM)) for name in ("one", "two")]
    table = treebanks_table(rows, "signature").to_polars()
    assert table["treebank"].to_list() == ["one", "two", "Average"]
    assert table["LAS"].to_list() == [0.5, 0.5, 0.5]
    assert table["MWE"].to_list() == [None, None, None]
    assert table["CORE"].to_list()[0] == 2 * 1 / (2 + 2)


def test_pairs_are_read_relative_to_their_table(tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("# mine\nsystem\tname\tgold\n\ns.conllu\tA\t/abs/g.conllu\n")
    assert read_pairs(file) == [Pair("A", "/abs/g.conllu", str(tmp_path / "s.conllu"))]
    for text, message in [
        ("name\tgold\n", "pairs.tsv:1: no column 'system'"),
        ("name\tgold\tsystem\na\tb\n", "pairs.tsv:2: 2 columns in 'a\\\\tb'; expected 3"),
        ("name\tgold\tsystem\n", "no pair"),
    ]:
        file.write_text(text)
        with pytest.raises(OptionError, match=message):
            read_pairs(file)
