"""Tables in their five forms, and tables of many treebanks."""

import json

import pytest

from tests.evaluation.eval_cases import ours
from tests.evaluation.test_eval_breakdown import GOLD, SYSTEM
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.breakdown import breakdown, leave_out
from treegauge.evaluation.attachment.confusion import confusion
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
    with pytest.raises(OptionError, match="'xml'; expected one of text"):
        write_tables([TABLE], "xml")


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
