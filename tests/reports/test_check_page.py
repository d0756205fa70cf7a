"""The page of `check` in a real browser: findings, verdicts that teach, patterns that are corrected in a stroke."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.test_check import other_columns
from tests.reports.test_browser import Tab, chromium
from tests.upkeep.made_up import WRONG, treebank
from treegauge.corpus.conllu import parse_conllu, read_conllu
from treegauge.ranking.verdicts import read_verdicts
from treegauge.reports.page import check_page
from treegauge.upkeep.check import check
from treegauge.upkeep.corrections import apply_corrections, read_corrections
from treegauge.upkeep.findings import Findings

pytestmark = pytest.mark.browser
__all__ = ["chromium"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "t.conllu"
    path.write_text(treebank())
    return path


@pytest.fixture(scope="module")
def findings(file: Path) -> Findings:
    return check(read_conllu(file), below=0.3)


@pytest.fixture(scope="module")
def page(file: Path, findings: Findings) -> Path:
    path = file.with_suffix(".html")
    check_page(findings).save(path)
    return path


def listed(tab: Tab) -> list[list[Any]]:
    return list(tab.page.evaluate("D.order.map(row => [sentId(row), position(row)])"))


def words(findings: Findings) -> list[list[Any]]:
    corpus, rows = findings.corpus, dict.fromkeys(findings.row.tolist())
    return [[corpus.sent_id(int(corpus.sentence[row])), int(corpus.position[row])] for row in rows]


def test_the_words_with_findings_are_listed_in_their_order_with_their_places(
    chromium: Any, page: Path, findings: Findings
) -> None:
    tab = Tab(chromium, page)
    assert listed(tab) == words(findings)
    assert f"t.conllu:{findings.line[0]}" in tab.text("#arc-content .facts")
    assert f"{findings.code[0]} " in tab.text("#arc-content")
    percent = round(100 / (1 + np.exp(-findings.score[0])))
    assert tab.text("#row-0 .number:nth-child(2)") == f"{percent} %"
    tab.press("ArrowRight ArrowRight ArrowRight ArrowRight ArrowRight ArrowRight ArrowRight")
    assert "−∞" not in tab.text("#arc-content")
    assert "no finding" in tab.text("#arc-content")
    tab.check()


def test_verdicts_teach_on_the_page_what_they_teach_the_next_run(
    chromium: Any, page: Path, file: Path, findings: Findings, tmp_path: Path
) -> None:
    tab = Tab(chromium, page)
    tab.press("a e a a e")
    judged = words(findings)[:5]
    assert listed(tab)[:1] == judged[:1]
    with tab.page.expect_download() as download:
        tab.page.click("#export")
    download.value.save_as(tmp_path / "v.tsv")
    verdicts = read_verdicts(str(tmp_path / "v.tsv"))
    assert {verdict.verdict for verdict in verdicts} == {"accept", "error"}
    assert "TG902" in {verdict.code for verdict in verdicts}
    after = check(read_conllu(file), below=0.3, accepted=verdicts)
    seen = tab.page.evaluate("D.order.slice(0, 5).map(row => `${sentId(row)}:${position(row)}`)")
    rest = [word for word in words(after) if f"{word[0]}:{word[1]}" not in seen]
    assert listed(tab)[5:] == rest
    odds = tab.page.evaluate("Object.fromEntries(ALL_FOUND.map(one => [one.name, one.now]))")
    for k in range(len(after)):
        s = int(after.corpus.sentence[after.row[k]])
        name = f"{after.code[k]}:{after.corpus.sent_id(s)}:{after.corpus.position[after.row[k]]}"
        assert odds[name] == pytest.approx(after.score[k], abs=2e-3)
    tab.check()


def test_a_pattern_is_corrected_in_a_stroke_shown_before_it_is_made(
    chromium: Any, page: Path, file: Path, findings: Findings, tmp_path: Path
) -> None:
    tab = Tab(chromium, page)
    tab.page.click("#tab-patterns")
    pattern = findings.patterns[0]
    assert f"{len(pattern.rows)} arcs in doubt, rather {pattern.rather}" in tab.text("#pattern-0")
    assert pattern.grew in tab.text("#pattern-0 code")
    tab.press("m")
    assert tab.text("#fix-total") == "0 corrections", "nothing is made before it was shown"
    boxes = tab.page.locator("#pattern-0 .preview input")
    assert boxes.count() == len(pattern.rows)
    assert f"{pattern.relation} of" in tab.text("#pattern-0 .preview li")
    boxes.nth(0).uncheck()
    tab.page.click(f"text=Make {len(pattern.rows) - 1} corrections")
    assert f"{len(pattern.rows) - 1} corrections made" in tab.text("#pattern-0")
    tab.page.click("#tab-corrections")
    with tab.page.expect_download() as download:
        tab.page.click("#export-fixes")
    download.value.save_as(tmp_path / "c.json")
    made = apply_corrections(read_corrections(tmp_path / "c.json"), file)
    assert (len(made.done), made.refused) == (len(pattern.rows) - 1, ())
    fixed = parse_conllu(made.content.decode())
    relations = {fixed.value("deprel", row) for row in pattern.rows[1:].tolist()}
    assert relations == {pattern.rather}
    assert fixed.value("deprel", int(pattern.rows[0])) == pattern.relation
    tab.page.click("#tab-patterns")
    tab.page.focus("#pattern-0")
    tab.press("z")
    assert tab.page.evaluate("fixes.size") == 0, "one step takes them back together"
    tab.check()


def test_the_suggestion_of_any_column_is_taken(chromium: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.conllu"
    path.write_text(other_columns())
    found = check(read_conllu(path), below=0.5)
    assert "TG301" in found.code.tolist()
    check_page(found).save(tmp_path / "p.html")
    tab = Tab(chromium, tmp_path / "p.html")
    tab.page.evaluate("showWord(ALL_FOUND.find(one => one.code === 'TG301').row)")
    assert tab.text("#take").startswith("Take lemma cowi")
    tab.press("t")
    assert json.loads(tab.page.evaluate("fixesAsJson()"))["corrections"][0]["new_lemma"] == "cowi"
    tab.press("t")
    assert tab.page.evaluate("fixes.size") == 0
    rows = tab.page.locator("#feats-table tbody tr").count()
    assert rows == int((found.code == "TG401").sum())
    tab.check()


def test_a_list_shows_whole_rows(chromium: Any, page: Path) -> None:
    tab = Tab(chromium, page)
    for key in ("h", "r", "p"):
        tab.press(key)
        for _ in range(6):
            tab.press("ArrowDown")
            cut = tab.page.evaluate(
                "(() => { const box = byId('picker-list'), top = box.scrollTop, low = top + box.clientHeight;"
                "return [...box.children].filter(item => { const at = item.offsetTop, end = at + item.offsetHeight;"
                "return at < top && end > top + 1 || at < low - 1 && end > low + 1; }).length; })()"
            )
            assert cut == 0, key
        tab.press("Escape")
    tab.page.evaluate("trial = null")
    assert tab.page.evaluate("arcText(0, 0, 'root', null)") == "the root"


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_nothing_is_wider_than_the_window(chromium: Any, page: Path, width: int, colours: str) -> None:
    tab = Tab(chromium, page, width=width, colours=colours)
    for name in ("arcs", "patterns", "corrections", "tags", "about"):
        tab.page.click(f"#tab-{name}")
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, name
    assert WRONG in tab.page.content()
