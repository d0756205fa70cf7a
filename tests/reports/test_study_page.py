"""The index of a study: what it shows, and that nothing in a file becomes markup."""

import base64
import json
import re
from pathlib import Path

import pytest

from tests.reports.test_page import NASTY, Parts
from treegauge.reports.study_page import MOST_ROWS, StudyPart, _cell, study_html

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def page(folder: Path, **files: str) -> str:
    """The index of one part whose files are these, `_` for the dot."""
    paths = []
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        path.write_text(content)
        paths.append(str(path))
    args = ("difficulty", "bins", "a.conllu", "--model", "en", "--every", "-o", "x.tsv")
    return study_html("Study", [StudyPart("bins of it", args, tuple(paths))], str(folder))


def test_tables_figures_settings_and_files_are_there(tmp_path: Path) -> None:
    table = "# One · lisca:2020|r:2|v0.1.0\nname\tlas\tp\nx\t0.77361234\t6e-07\n"
    second = {"title": "Two", "signature": "eval|v0.1.0", "rows": [{"k": 3, "v": None}], "more": [{"rows": [{"z": 1}]}]}
    shown = page(tmp_path, a_tsv=table + "\n" + table.replace("One", "Other"), b_json=json.dumps(second), c_svg=SVG)
    assert "1 step, 4 tables, 1 figure" in shown
    assert re.findall(r"<h3>(.*?)</h3>", shown) == ["One", "Other", "Two", ""]
    assert "<td>0.7736</td><td>below 0.0001</td>" in shown
    assert "<td>3</td><td>–</td>" in shown
    for name, value in (("Command", "difficulty bins"), ("Input", "a.conllu"), ("Model", "en"), ("Every", "yes")):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in shown
    assert "<dt>Range of sentence lengths</dt><dd>± 2 words</dd>" in shown
    assert '<a href="./a.tsv">a.tsv</a>' in shown
    assert base64.b64encode(SVG.encode()).decode() in shown
    assert "prefers-color-scheme: dark" in shown
    assert "treegauge difficulty bins a.conllu --model en --every -o x.tsv" in shown


def test_nothing_in_a_study_becomes_markup(tmp_path: Path) -> None:
    nasty = NASTY.replace("\t", " ")
    table = f"# {nasty} · {nasty}|{nasty}:{nasty}\n{nasty}\n{nasty}\n"
    (tmp_path / "a&b'\"<i>#%?.tsv").write_text(table)
    (tmp_path / "t.txt").write_text(nasty)
    (tmp_path / "j.json").write_text(json.dumps({"title": nasty, "rows": [{nasty: nasty}]}))
    part = StudyPart(nasty, (nasty, f"--x{nasty}"), tuple(map(str, sorted(tmp_path.iterdir()))))
    parts = Parts(study_html(nasty, [part], str(tmp_path)))
    names = {tag for tag, _ in parts.elements}
    assert not names & {"script", "img", "i", "iframe", "object"}
    links = [attributes["href"] for tag, attributes in parts.elements if tag == "a"]
    assert all(str(link).startswith(("./", "#part-")) for link in links)
    assert "./a%26b%27%22%3Ci%3E%23%25%3F.tsv" in links
    assert not any(name.startswith("on") for _, attributes in parts.elements for name in attributes)


@pytest.mark.parametrize(
    "text", ["", "no table", "# only · heading", "#\n", '{"rows": 3}', '{"rows": [3]}', "[" * 9999]
)
def test_other_files_are_linked_only(tmp_path: Path, text: str) -> None:
    shown = page(tmp_path, a_tsv=text, b_json=text, c_pdf=text, d_tgm=text)
    assert "<table" not in shown
    assert all(f'href="./{name}"' in shown for name in ("a.tsv", "b.json", "c.pdf", "d.tgm"))


def test_long_tables_are_cut_and_say_so(tmp_path: Path) -> None:
    shown = page(tmp_path, a_tsv="# T · s\nk\n" + "1\n" * (MOST_ROWS + 1))
    assert shown.count("<td>1</td>") == MOST_ROWS
    assert "1 more row in" in shown


def test_cells_are_plain_numbers() -> None:
    values = {"196000.5": "196,000.5000", "1.96e+05": "196,000.0000", "-6e-7": "0.0000", "-3": "−3", "-0.5": "−0.5000"}
    assert {value: _cell(value)[0] for value in values} == values
    assert _cell("nan") == ("nan", False)
