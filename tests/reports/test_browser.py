"""The page in a real browser: Debian's Chromium, driven by Playwright; skipped where either is missing."""

import json
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treegauge
from tests.reports.test_page import NASTY, corpus_of
from tests.trees import sentence_text
from treegauge import build_model, read_conllu, score, scorer
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.tree_svg import Arc, layout, near, shortened
from treegauge.evaluation.attachment.breakdown import breakdown
from treegauge.explanations import chance as plain_chance
from treegauge.ranking.verdicts import read_verdicts, verdict_codes
from treegauge.reports.page import OtherRanking, Page
from treegauge.reports.task_page import task_page

pytestmark = pytest.mark.browser
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
FLAGS += "--disable-component-update --disable-sync"
DEMO = Path(treegauge.__file__).parent / "demo" / "demo.conllu"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    api = pytest.importorskip(
        "playwright.sync_api", reason="no Playwright (pip install '.[test-all]'): no browser tests"
    )
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium (apt-get install chromium): no browser tests")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS.split())
        yield browser
        browser.close()


class Tab:
    """A page that is open, with what it asked for and complained about."""

    def __init__(
        self,
        chromium: Any,
        path: Path,
        width: int = 1280,
        height: int = 800,
        context: Any = None,
        colours: str = "light",
    ) -> None:
        size = {"width": width, "height": height}
        self.context = context or chromium.new_context(viewport=size, color_scheme=colours)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog {dialog.message}"))
        self.address = path.as_uri()
        self.page.goto(self.address)

    def press(self, keys: str) -> None:
        for key in keys.split():
            self.page.keyboard.press(key)

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def count(self) -> str:
        self.page.wait_for_timeout(150)  # filters wait for the end of typing
        return self.text("#count")

    def check(self) -> None:
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith("blob:")] == [self.address]


def written(path: Path, page: Page) -> Path:
    path.write_text(page.html(), encoding="utf-8")
    return path


def page_of(corpus: Any, **options: Any) -> Page:
    return Page("demo.conllu", score(corpus, scorer("lisca", "en")), **options)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("page") / "demo.html", page_of(read_conllu(DEMO)))


def heading(row: int) -> str:
    """What stands over an arc of the demo."""
    corpus = read_conllu(DEMO)
    head = corpus.value("form", row + int(corpus.head[row]) - int(corpus.position[row]))
    return f"{corpus.value('deprel', row)}: {corpus.value('form', row)} ← {head}"


def test_open_filter_step_judge_export_and_import(chromium: Any, demo: Path, tmp_path: Path) -> None:
    tab = Tab(chromium, demo)
    page = tab.page
    assert tab.count() == "142 of 142 arcs"
    first, second = score(read_conllu(DEMO), scorer("lisca", "en")).rank(top=2).explain()
    assert tab.text("#arc-content h2") == heading(first.row)
    assert page.locator("#arc-content svg path[stroke='var(--suspect)']").count() == 1
    tab.press("j")
    assert tab.text("#arc-content h2") == heading(second.row)
    assert second.reasons[0].text in tab.text(".reasons")
    assert " under " in tab.text("#arc-content")
    tab.press("k a")  # accept the first, which goes on to the second
    assert tab.text("#arc-content h2") == heading(second.row)
    tab.press("e u")
    assert tab.text("#verdict-counts") == "1 accepted, 1 error, 1 unsure"
    tab.press("k k k a")  # again: taken back
    assert tab.text("#verdict-counts") == "0 accepted, 1 error, 1 unsure"
    tab.press("a k n")
    page.keyboard.type("why  not ✓")
    tab.press("Escape")
    assert tab.text("#verdict-counts") == "1 accepted, 1 error, 1 unsure"

    tab.press("/")
    page.keyboard.type("school before")
    assert tab.count() == "13 of 142 arcs"
    tab.press("Escape")
    page.select_option("[name=relation]", "det")
    assert tab.count() == "3 of 142 arcs"
    page.click("text=Show all")
    page.select_option("[name=bin]", "10")
    assert tab.count() == "14 of 142 arcs"
    page.fill("[name=least]", "5")
    longer = int(tab.count().split()[0])
    assert 0 < longer < 14
    page.click("text=Show all")
    page.fill("[name=sent_id]", "demo-04")
    assert tab.count() == "11 of 142 arcs"
    page.click("text=Show all")
    page.select_option("[name=verdict]", "error")
    assert tab.count() == "1 of 142 arcs"
    page.select_option("[name=verdict]", "")

    with page.expect_download() as download:
        page.click("#export")
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "demo.verdicts.tsv"
    corpus = read_conllu(DEMO)
    verdicts = read_verdicts(str(file))
    assert {v.verdict for v in verdicts} == {"accept", "error", "unsure"}
    assert [v.note for v in verdicts if v.note] == ["why not ✓"]
    assert int((verdict_codes(corpus, verdicts) > 0).sum()) == 3
    tab.check()

    fresh = Tab(chromium, demo)
    assert fresh.text("#verdict-counts") == "0 accepted, 0 errors, 0 unsure"
    fresh.page.set_input_files("#import", file)
    fresh.page.wait_for_selector("#message:has-text('verdicts read')")
    assert fresh.text("#verdict-counts") == "1 accepted, 1 error, 1 unsure"
    with fresh.page.expect_download() as download:
        fresh.page.click("#export")
    again = tmp_path / "again.tsv"
    download.value.save_as(again)
    assert again.read_text() == file.read_text()
    fresh.check()

    reopened = Tab(chromium, demo, context=fresh.context)
    assert reopened.text("#verdict-counts") == "1 accepted, 1 error, 1 unsure"
    elsewhere = tmp_path / "elsewhere.tsv"
    elsewhere.write_text("sent_id\tid\thead\tdeprel\tverdict\ndemo-01\t1\t99\tdet\terror\nx\t1\t2\tdet\terror\n")
    reopened.page.set_input_files("#import", elsewhere)
    reopened.page.wait_for_selector("#message:has-text('2 verdicts read')")
    assert reopened.text("#verdict-counts") == "1 accepted, 1 error, 1 unsure, 2 about arcs that are not here"
    bad = tmp_path / "bad.tsv"
    bad.write_text("sent_id\tid\thead\tdeprel\tverdict\ndemo-01\t1\t2\tdet\tperhaps\n")
    reopened.page.set_input_files("#import", bad)
    reopened.page.wait_for_selector("#message:has-text('nothing was read')")
    assert "line 2: verdict “perhaps”" in reopened.text("#message")
    assert reopened.text("#verdict-counts").startswith("1 accepted, 1 error, 1 unsure, 2 ")
    reopened.check()


def test_markup_in_a_corpus_is_shown_and_never_run(chromium: Any, tmp_path: Path) -> None:
    text = sentence_text([2, 0], ["NOUN", "VERB"], [NASTY, "obj"], [NASTY, "x"], NASTY)
    corpus = corpus_of(text, tmp_path)
    page = Page(NASTY, score(corpus, scorer("lisca", "en")))
    tab = Tab(chromium, written(tmp_path / "nasty.html", page))
    for _ in range(2):
        assert NASTY in tab.page.text_content("#arc-content .sentence")
        assert tab.page.locator("#arc-content script, #arc-content img").count() == 0
        tab.press("j")
    assert tab.page.title() != "run"
    tab.check()


def test_suspicious_tags_lead_to_their_arcs(chromium: Any, tmp_path: Path) -> None:
    words = [["hot", "tea", "cools", NASTY if k == 3 else "."] for k in range(20)]
    tags = ["ADJ", "NOUN", "VERB", "PUNCT"]
    text = "".join(sentence_text([2, 3, 0, 3], tags, ["amod", "nsubj", "root", "punct"], forms) for forms in words)
    model = build_model(corpus_of(text, tmp_path))
    corpus = corpus_of(text.replace("tea\tNOUN", "tea\tX", 1).replace("cools\tVERB", "cools\tADP", 1), tmp_path)
    tab = Tab(chromium, written(tmp_path / "tags.html", Page("tags", score(corpus, scorer("choice", model)))), 390, 844)
    tab.page.click("#tab-tags")
    assert tab.page.locator("#tag-table tbody tr").count() == 2
    assert "hot tea cools" in tab.text("#tag-table")
    assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    tab.page.click("#tag-table th:has-text('tag') button")
    assert tab.text("#tag-table tbody tr >> nth=0").split()[:2] == ["cools", "ADP"]
    tab.page.click("#tag-table tbody button:has-text('tea')")
    assert tab.text("#arc-content h2") == "nsubj: tea ← cools"
    assert "tagged X (probability " in tab.text("#arc-content")
    assert ", rather NOUN (" in tab.text("#arc-content")
    tab.check()


def test_bins_and_relations_lead_to_their_arcs(chromium: Any, data: Path, tmp_path: Path) -> None:
    gold, system = (read_conllu(data / f"difficulty_{side}.conllu") for side in ("gold", "system"))
    other = OtherRanking("the other", score(gold, scorer("lisca", "en")))
    tab = Tab(chromium, written(tmp_path / "pair.html", page_of(system, gold=gold, other=other)))
    page = tab.page
    assert tab.count() == "17 of 17 arcs, 82.35 % right, 100.00 % in the other"
    page.select_option("[name=gold]", "wrong")
    assert tab.count() == "3 of 17 arcs, 0.00 % right, 100.00 % in the other"
    assert page.locator("#arc-content svg path[stroke='var(--gold)']").count() == 1  # gold's arc
    assert "gold:" in tab.text("#arc-content")
    page.select_option("[name=gold]", "")
    for who, arcs in (("here", 0), ("there", 3), ("both", 14), ("neither", 0)):  # the other parse is gold itself
        page.select_option("[name=versus]", who)
        assert tab.count().startswith(f"{arcs} of 17 arcs")
    page.select_option("[name=versus]", "there")
    page.select_option("[name=order]", "moved")
    tab.count()
    moves = page.evaluate("rows.map(row => Math.abs(moved(row)))")
    assert moves == sorted(moves, reverse=True)
    page.click("#tab-relations")
    page.click("text=rank by F")
    shown = page.locator("#relation-table tbody th").all_inner_texts()
    page.click("text=rank by F")
    assert page.locator("#relation-table tbody th").all_inner_texts() != shown
    page.click("#relation-table tbody th button >> text=nsubj")
    assert page.is_visible("#list")
    assert set(page.evaluate("rows.map(row => universal(relation(row)))")) == {"nsubj"}
    page.click("#tab-bins")
    page.click("#bin-table tbody th button >> nth=0")
    assert set(page.evaluate("rows.map(bin)")) == {1}
    tab.check()


CLIPPED = """() => [...document.querySelectorAll("body *")].filter(node => {
  if (!node.checkVisibility() || node.closest("svg, .tree, input[type=file]")) return false;
  const hides = getComputedStyle(node).overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1;
  return hides || node.getBoundingClientRect().right > window.innerWidth + 1;
}).map(node => node.tagName + " " + node.textContent.slice(0, 30))"""


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with everything: gold, tags in doubt, long sentence ids, and ranks beyond a million."""
    folder = tmp_path_factory.mktemp("full")
    text = DEMO.read_text().replace("demo-", "newsgroup-groups.google.com_herpesnation_c74170a0fcfdc880_ENG_20051125-")
    gold = corpus_of(text, folder)
    wrong = text.replace("\tNOUN\t", "\tADP\t", 6).replace("\tobj\t", "\tcompound:prt\t").replace("\tdet\t", "\tobl\t")
    page = Page("full", score(corpus_of(wrong, folder), scorer("choice", "en")), gold=gold)
    file = written(folder / "full.html", page)
    ranked = f'"n_ranked":{gold.n_words}'
    assert ranked in file.read_text()
    file.write_text(file.read_text().replace(ranked, '"n_ranked":1234567'))
    return file


TABS = ("arcs", "tags", "bins", "relations", "about")


@pytest.mark.parametrize("width", [1200, 900, 390])
def test_nothing_is_clipped_nor_wider_than_the_window(chromium: Any, full: Path, width: int) -> None:
    tab = Tab(chromium, full, width, 844)
    large = """() => { document.querySelector("#list .row .number").textContent = count(D.n_ranked); }"""
    tab.page.evaluate(large)
    assert tab.text("#list .row .number >> nth=0") == "1,234,567"
    for name in TABS:
        tab.page.click(f"#tab-{name}")
        assert tab.page.evaluate(CLIPPED) == [], name
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    edges = """() => [...document.querySelectorAll("#list .number")].map(node => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return node.getBoundingClientRect().left - range.getBoundingClientRect().left;
    })"""
    tab.page.click("#tab-arcs")
    tab.page.evaluate(large)
    assert max(tab.page.evaluate(edges)) <= 0  # no number reaches beyond its column
    tab.check()


def test_arrows_and_j_and_k_go_through_the_list(chromium: Any, demo: Path) -> None:
    tab = Tab(chromium, demo)
    for focus in ("document.activeElement.blur()", "focusList()"):
        tab.page.evaluate(focus)
        for keys, place in (("ArrowDown", 1), ("j", 2), ("ArrowDown", 3), ("ArrowUp", 2), ("k k", 0)):
            tab.press(keys)
            assert tab.page.evaluate("current") == place
    tab.press("/ ArrowDown")  # while one types, keys are the field's
    assert tab.page.evaluate("current") == 0
    tab.check()


def test_a_slash_searches_in_every_tab(chromium: Any, full: Path) -> None:
    tab = Tab(chromium, full)
    page = tab.page
    wanted = {"tags": ("zzz", "#tag-table tbody tr", 0), "relations": ("nsubj", "#relation-table tbody tr", 1)}
    wanted |= {"bins": ("zzz", "#bin-table tbody tr", 0), "about": ("checksum", "#about dt:visible", 1)}
    for name in TABS:
        page.click(f"#tab-{name}")
        tab.press("/")
        assert page.evaluate("document.activeElement.name") == "search"
        assert page.evaluate("document.activeElement.closest('[role=tabpanel]').id") == name
        if name in wanted:
            text, what, left = wanted[name]
            before = page.locator(what).count()
            page.keyboard.type(text)
            assert page.locator(what).count() == left < before
            told = "1 found" if left else "nothing has this text"
            assert tab.text(f"#{name} form.search [role=status]") == told
            page.fill(f"#{name} [name=search]", "")
            assert page.locator(what).count() == before
        tab.press("Escape")
    tab.check()


def test_numbers_are_plain_and_one_is_singular(chromium: Any, tmp_path: Path) -> None:
    corpus = corpus_of(sentence_text([0], ["NOUN"], ["root"], ["<tea>"]), tmp_path)
    page = Page("one", score(corpus, scorer("choice", "en")), gold=corpus)
    tab = Tab(chromium, written(tmp_path / "one.html", page))
    assert tab.text("header p") == "1 sentence, 1 arc, 100.00 % right"
    assert tab.count() == "1 of 1 arc, 100.00 % right"
    (tmp_path / "v.tsv").write_text("sent_id\tid\thead\tdeprel\tverdict\ns\t1\t0\troot\terror\n")
    tab.page.set_input_files("#import", tmp_path / "v.tsv")
    tab.page.wait_for_selector("#message:has-text('1 verdict read')")
    shown = {p: tab.page.evaluate("chance", p) for p in (6e-7, 0, 0.00012, 0.049, 0.5, 0.99)}
    assert list(shown.values()) == ["below 0.0001", "below 0.0001", "0.00012", "0.049", "0.50", "0.99"]
    assert all(text == plain_chance(p) for p, text in shown.items() if p)
    assert tab.page.evaluate("[-0.001, -8288.259, 3].map(decimal)") == ["0.00", "−8,288.26", "3.00"]
    tab.check()


def test_of_fifty_thousand_arcs_those_in_sight_are_drawn(chromium: Any, tmp_path: Path) -> None:
    text = DEMO.read_text() * 360
    corpus = corpus_of(text, tmp_path)
    assert corpus.n_words > 50_000
    tab = Tab(chromium, written(tmp_path / "large.html", page_of(corpus, reasons=10)))
    page = tab.page
    assert page.locator("#list .row").count() < 80
    for job in (
        "filters.elements.search.value = 'school'; refresh();",
        "for (let k = 0; k < 20; k++) select(current + 97);",
    ):
        page.evaluate(f"() => {{ {job} }}")
        assert 0 < page.locator("#list .row").count() < 80
    assert page.evaluate("current") == 20 * 97
    page.evaluate("filters.reset()")
    page.wait_for_timeout(50)
    page.focus("#list")
    tab.press("End")
    assert page.evaluate("current") == corpus.n_words - 1
    assert page.is_visible(f"#row-{corpus.n_words - 1}")
    tab.check()


def test_the_script_draws_as_the_library_does(chromium: Any, demo: Path) -> None:
    tab = Tab(chromium, demo)
    words = [("Vedi", "VERB"), ("lo", "PRON"), ("e", "CCONJ"), ("a" * 40, "X"), ("中文", "NOUN"), (".", "PUNCT")]
    words = [(shortened(form), tag) for form, tag in words]
    arcs = [
        Arc(1, 0, "obj"),
        Arc(0, -1, "root"),
        Arc(2, 4, "cc"),
        Arc(4, 0, "conj", "suspect"),
        Arc(3, 5, "nsubj:pass"),
    ]
    arcs.append(Arc(5, 2, "punct"))  # crosses another
    below = [Arc(4, 1, "obl", "gold"), Arc(4, -1, "root", "other")]
    tokens = [(0, 1, "Vedilo")]
    many = [Arc(k, 0, "dep") for k in range(1, 60)]
    cases = [(words, arcs, below, tokens), ([("w", "X")] * 60, many, [], []), ([], [], [], [])]
    rng = np.random.default_rng(0)
    for n in range(2, 20):
        heads = [(k, int(h)) for k, h in enumerate(rng.integers(-1, n, n)) if h != k]
        labels = [f"{'l' * int(rng.integers(1, 9))}" for _ in heads]
        drawn = [Arc(k, h, label) for (k, h), label in zip(heads, labels, strict=True)]
        cases.append(([("w" * (k % 5 + 1), "X") for k in range(n)], drawn, [], []))
    for rtl in (False, True):
        for case in cases:
            drawing = layout(*case, [1, 4], rtl, lambda text, size: len(text) * size)
            shown = [case[0], *[[_plain(arc) for arc in side] for side in case[1:3]], case[3]]
            found = tab.page.evaluate(
                f"(c) => layout(...c, [1, 4], {json.dumps(rtl)}, (text, size) => Array.from(text).length * size)", shown
            )
            assert found["shapes"] == drawing.shapes
            assert (found["width"], found["height"]) == (drawing.width, drawing.height)
    for form in ("a" * 28, "a" * 29, "😀" * 40):
        assert tab.page.evaluate("(form) => shortened(form)", form) == shortened(form)
    assert tab.page.evaluate("near(12, [2, 9], 1)") == near(12, [2, 9], 1)


def _plain(arc: Arc) -> dict[str, Any]:
    return {"dependent": arc.dependent, "head": arc.head, "label": arc.label, "kind": arc.kind}


def test_paper_has_the_first_arcs_with_their_trees(chromium: Any, demo: Path) -> None:
    tab = Tab(chromium, demo)
    tab.page.emulate_media(media="print", color_scheme="dark")
    assert tab.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    tab.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.page.locator("#paper article").count() == 40
    assert tab.page.is_visible("#paper article svg >> nth=0")
    assert tab.page.is_visible("#relation-table table")
    assert not tab.page.is_visible("#list")
    tab.check()


CONTRAST = """() => {
  const channel = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const rgb = text => text.match(/[0-9.]+/g).map(Number);
  const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const ground = node => {
    for (; node; node = node.parentElement) {
      const colour = rgb(getComputedStyle(node).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *")) {
    const text = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    if (!text || !node.checkVisibility() || ["SCRIPT", "STYLE"].includes(node.tagName)) continue;
    const style = getComputedStyle(node), colour = rgb(node.namespaceURI.endsWith("svg") ? style.fill : style.color);
    const [low, high] = [luminance(colour), luminance(ground(node))].sort((a, b) => a - b);
    if ((high + 0.05) / (low + 0.05) < 4.5) poor.push(node.tagName + " " + node.textContent.slice(0, 30));
  }
  return poor;
}"""


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_every_text_has_enough_contrast(chromium: Any, full: Path, colours: str) -> None:
    tab = Tab(chromium, full, colours=colours)
    ground = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (colours == "light")
    tab.press("a e u k k")
    for name in TABS:
        tab.page.click(f"#tab-{name}")
        assert tab.page.evaluate(CONTRAST) == []
    tab.page.evaluate("document.querySelector('h1').style.color = '#777'")
    assert len(tab.page.evaluate(CONTRAST)) == 1  # the measure finds what is too faint


def test_words_of_any_script_stand_apart(chromium: Any, tmp_path: Path) -> None:
    sentences = {
        "rtl": ["הכלב", "נבח", "בלילה", "ארוכה-מאוד", "."],
        "cjk": ["狗", "在", "夜里", "大声地叫了起来", "。"],
        "combining": ["e\u0301te\u0301", "o\u0323\u0302", "क्षत्रिय", "நாய்கள்", "x"],
        "long": ["a" * 200, "b" * 27, "c", "W" * 28, "d"],
        "many": [f"word{k}" * (k % 3 + 1) for k in range(200)],
    }
    text = ""
    for name, words in sentences.items():
        heads = [0, *(1 if k % 7 == 0 else k for k in range(1, len(words)))]
        text += sentence_text(heads, ["NOUN"] * len(words), ["compound:prt"] * len(words), words, name)
    corpus = corpus_of(text, tmp_path)
    for width in (1280, 390):
        tab = Tab(chromium, written(tmp_path / "scripts.html", page_of(corpus)), width)
        boxes = """(all) => [...Array(D.sent_id.length).keys()].map(s => {
          const drawn = tree(START[s + 1] - 1, 300, all).picture;
          byId("arc-content").replaceChildren(drawn);
          const words = [...drawn.querySelectorAll("text[font-size='15']")].map(word => {
            const {x, width} = word.getBBox();
            return [x, x + width, word.textContent];
          });
          return {width: drawn.width.baseVal.value, words};
        })"""
        for name, drawing in zip(sentences, tab.page.evaluate(boxes, True), strict=True):
            words = drawing["words"]
            assert len(words) == len(sentences[name])
            placed = sorted(words)
            assert all(left[1] <= right[0] for left, right in pairwise(placed)), name
            assert placed[0][0] >= 0
            assert placed[-1][1] <= drawing["width"]
            assert [word[2] for word in (placed[::-1] if name == "rtl" else placed)] == [word[2] for word in words]
        folded = dict(zip(sentences, tab.page.evaluate(boxes, False), strict=True))
        assert len(folded["many"]["words"]) < 12
        tab.check()


def test_whatever_the_browser_has_stored_the_page_opens(chromium: Any, demo: Path) -> None:
    tab = Tab(chromium, demo)
    store = tab.page.evaluate("STORE")
    key = tab.page.evaluate("keyOf(D.order[0])")
    odd = ["{", "null", "7", '"x"', "[1]", '{"a": 1}', json.dumps({key: None}), json.dumps({key: ["nonsense", "", ""]})]
    odd += [json.dumps({key: ["__proto__", "", ""]}), json.dumps({key: ["error", 1, ""]}), '{"__proto__": {"a": 1}}']
    for stored in odd:
        tab.page.evaluate("([store, text]) => localStorage.setItem(store, text)", [store, stored])
        opened = Tab(chromium, demo, context=tab.context)
        assert opened.text("#verdict-counts") == "0 accepted, 0 errors, 0 unsure", stored
        opened.check()
    form = tab.page.evaluate("form(D.order[0])")
    text = json.dumps({key: ["error", "n", form], "b": 1})
    tab.page.evaluate("([s, t]) => localStorage.setItem(s, t)", [store, text])
    opened = Tab(chromium, demo, context=tab.context)
    assert opened.text("#verdict-counts") == "0 accepted, 1 error, 0 unsure"
    opened.check()


def exported(tab: Tab, button: str, path: Path) -> str:
    """The file that a button exports."""
    with tab.page.expect_download() as download:
        tab.page.click(button)
    download.value.save_as(path)
    return path.read_text(encoding="utf-8")


def test_two_texts_with_one_title_keep_their_verdicts_apart(chromium: Any, demo: Path, tmp_path: Path) -> None:
    tab = Tab(chromium, demo)
    tab.press("a e t")
    assert tab.text("#verdict-counts") == "1 accepted, 1 error, 0 unsure"
    fixed = tab.text("#fix-counts")
    (tmp_path / "other.conllu").write_text(DEMO.read_text().replace("\tThe\t", "\tTheir\t"))
    other = Tab(
        chromium, written(tmp_path / "o.html", page_of(read_conllu(tmp_path / "other.conllu"))), context=tab.context
    )
    assert other.text("#verdict-counts") == (
        "0 accepted, 0 errors, 0 unsure "
        "(of another text with this title, this browser keeps 2 verdicts, which do not fit here)"
    )
    assert other.text("#fix-counts").startswith("0 corrections")
    other.page.click("#tab-arcs")
    assert exported(other, "#export", tmp_path / "v.tsv").count("\n") == 1
    reparsed = DEMO.read_text().replace("\tnsubj\t", "\tobj\t")  # the same text under another annotation
    (tmp_path / "new.conllu").write_text(reparsed)
    new = Tab(
        chromium, written(tmp_path / "n.html", page_of(read_conllu(tmp_path / "new.conllu"))), context=tab.context
    )
    assert "another text" not in new.text("#verdict-counts")
    again = Tab(chromium, demo, context=tab.context)
    assert again.text("#verdict-counts") == "1 accepted, 1 error, 0 unsure"
    assert again.text("#fix-counts") == fixed
    for each in (tab, other, new, again):
        each.check()


def test_a_verdict_about_another_word_is_not_shown(chromium: Any, demo: Path, tmp_path: Path) -> None:
    tab = Tab(chromium, demo)
    sent_id, number, id_, head, deprel = tab.page.evaluate("keyOf(D.order[0])").split("\t")
    row = [sent_id, number, id_, "another", head, deprel, "error"]
    header = "sent_id\tsentence\tid\tform\thead\tdeprel\tverdict\n"
    tab.page.evaluate("text => { readVerdicts(text); refresh(); }", header + "\t".join(row) + "\n")
    assert tab.text("#verdict-counts") == "0 accepted, 0 errors, 0 unsure, 1 about arcs that are not here"
    assert tab.page.evaluate("verdictOf(D.order[0])") == ""
    assert "\tanother\t" in exported(tab, "#export", tmp_path / "v.tsv")  # nothing is lost
    tab.check()


@pytest.mark.parametrize("verdict", ["__proto__", "constructor", "toString", "hasOwnProperty"])
def test_names_of_the_language_are_no_verdicts(chromium: Any, demo: Path, verdict: str, tmp_path: Path) -> None:
    tab = Tab(chromium, demo)
    text = f"sent_id\tid\thead\tdeprel\tverdict\ns\t1\t0\troot\t{verdict}\n"
    told = tab.page.evaluate("text => { try { return readVerdicts(text); } catch (e) { return e.message; } }", text)
    assert told == f"line 2: verdict “{verdict}”; expected accept, error, unsure"
    tab.check()


def task_files(folder: Path) -> Path:
    """A small task: two systems on two treebanks."""
    gold = DEMO.read_text()
    texts = {"gold": gold, "good": gold, "bad": gold.replace("\tnsubj\t", "\tobj\t").replace("\tdet\t", "\tdep\t")}
    for treebank in ("en_one", "it_two"):
        (folder / treebank).mkdir()
        for name, text in texts.items():
            if (treebank, name) != ("it_two", "bad"):
                (folder / treebank / f"{name}.conllu").write_text(text)
    return folder


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_page_of_a_task(chromium: Any, tmp_path: Path, width: int, colours: str) -> None:
    path = tmp_path / "task.html"
    path.write_text(task_page(treegauge.evaluate_task(task_files(tmp_path)), 2), encoding="utf-8")
    tab = Tab(chromium, path, width=width, colours=colours)
    page = tab.page
    assert page.locator("#ranking tbody tr").count() == 2
    assert page.locator("#ranking tbody tr.separate").count() == 1
    names = "#matrix tbody th"
    assert page.locator(names).all_inner_texts() == ["good", "bad"]
    page.get_by_role("button", name="en_one", exact=True).click()
    page.get_by_role("button", name="en_one ▾", exact=True).click()
    assert page.locator(names).all_inner_texts() == ["bad", "good"]
    page.select_option("select[name=group]", "Germanic")
    assert page.locator("#matrix thead th").count() == 3
    page.select_option("select[name=group]", "")
    page.get_by_role("button", name="bad, en_one").focus()
    tab.press("Enter")
    assert tab.text("#cell h2") == "bad on en_one"
    assert "nsubj" in tab.text("#cell table")
    assert page.locator("#cell h3").count() == 2
    page.get_by_role("button", name="bad, it_two: no score").click()
    assert "not handed in" in tab.text("#cell")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    tab.check()


def sentences_of(*texts: str) -> Any:
    """A corpus of sentences, each of words `form head relation`, separated by commas."""
    parts = [[word.split() for word in text.split(",")] for text in texts]
    columns = [
        ([int(w[1]) for w in words], ["X"] * len(words), [w[2] for w in words], [w[0] for w in words])
        for words in parts
    ]
    return parse_conllu("".join(sentence_text(*of_sentence) for of_sentence in columns))


@pytest.fixture(scope="module")
def parsers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Page]:
    """A page of two parsers, on a text in which gold has two words where the first parser has one."""
    last = "hot 2 amod,tea 3 nsubj,cools 0 root,fast 3 advmod,. 3 punct"
    gold = sentences_of("I 2 nsubj,can 0 root,not 2 advmod,go 2 xcomp", *[last] * 40)
    one = sentences_of(
        "I 3 nsubj,cannot 3 aux,go 0 root", *[last.replace("fast 3 advmod", "fast 2 amod:x")] * 7, *[last] * 33
    )
    other = last.replace("hot 2 amod", "hot 3 advcl").replace("fast 3 advmod", "fast 5 dep")
    two = sentences_of("I 2 nsubj,can 0 root,not 2 advmod,go 2 xcomp", *[last] * 3, *[other] * 37)
    by = scorer("lisca", "en")
    page = Page("one.conllu.xz", score(one, by), gold=gold, other=OtherRanking("two", score(two, by)))
    return written(tmp_path_factory.mktemp("parsers") / "parsers.html", page), page


def test_two_parsers_have_one_accuracy_and_are_filtered_by_who_is_right(
    chromium: Any, parsers: tuple[Path, Page]
) -> None:
    # words of the first parser that gold has: I and go (wrong here, right there); five in each of 40 sentences.
    # `fast` is wrong here in 7, there in 37, in both in 4; `hot` is wrong there in 37
    tab = Tab(chromium, parsers[0])
    right = f"{100 * 193 / 202:.2f} % right"
    assert tab.text("header p") == f"41 sentences, 203 arcs, {right}"
    assert tab.count() == f"203 of 203 arcs, {right}, {100 * (202 - 74) / 202:.2f} % in two"
    names = {"here": "only one right", "there": "only two right", "neither": "both wrong", "both": "both right"}
    options = tab.page.locator("[name=versus] option").all_inner_texts()
    assert options == ["any", *names.values()]
    for who, n in (("here", 70), ("there", 5), ("neither", 4), ("both", 123)):
        tab.page.select_option("[name=versus]", label=names[who])
        assert tab.count().startswith(f"{n} of 203 arcs, {100 if who in ('here', 'both') else 0:.2f} % right")
    tab.check()


def test_scores_of_two_parsers_stand_side_by_side(chromium: Any, parsers: tuple[Path, Page]) -> None:
    file, made = parsers
    first, second = treegauge.evaluate(made.gold, made.corpus, made.other.scored.corpus)
    tab = Tab(chromium, file)
    tab.page.click("#tab-parsers")
    rows = [row.split() for row in tab.page.locator("#parsers .scores tbody tr").all_inner_texts()]
    for row, metric in zip(rows, ("LAS", "UAS", "CLAS"), strict=True):
        f1 = 100 * first[metric].f1, 100 * second[metric].f1
        assert row == [metric, *(f"{value:.2f}" for value in f1), f"{f1[0] - f1[1]:+.2f}"]
    f = [breakdown(one, "relation").scores() for one in (first, second)]
    shown = {
        row.split("\t")[0]: row.split("\t")[1:] for row in tab.page.locator("#parser-table tbody tr").all_inner_texts()
    }
    assert set(shown) == {key[0] for key in (*f[0], *f[1])}
    for name, (in_gold, one, two, difference, *who) in shown.items():
        scores = [of_parser.get((name,)) for of_parser in f]
        assert [one, two] == ["–" if s is None else f"{100 * s.f1:.2f} %" for s in scores]
        assert (difference == "–") == (None in scores)
        assert sum(map(int, who)) <= int(in_gold)
    assert shown["advmod"] == ["41", *shown["advmod"][1:3], shown["advmod"][3], "33", "4", "4"]
    tab.page.click("#parser-table tbody button:has-text('advmod')")
    assert tab.count().startswith("40 of 203 arcs")  # the first parser does not have `not`
    tab.page.select_option("[name=versus]", "neither")
    assert tab.count().startswith("4 of 203 arcs")
    tab.check()


def test_both_trees_are_drawn_over_each_other(chromium: Any, parsers: tuple[Path, Page]) -> None:
    tab = Tab(chromium, parsers[0])
    dashed = {name: f"#arc-content svg path[stroke='var(--{name})'][stroke-dasharray]" for name in ("other", "gold")}
    tab.page.fill("[name=sent_id]", "5")  # `fast` is wrong in both, `hot` only there
    tab.page.select_option("[name=order]", "corpus")
    assert tab.count().startswith("5 of 203 arcs")
    for place, gold in ((0, 0), (1, 0), (3, 1)):
        tab.page.evaluate(f"select({place})")
        assert tab.page.locator(dashed["other"]).count() == 2  # both arcs that differ, whichever word is chosen
        assert tab.page.locator(dashed["gold"]).count() == gold
        labels = tab.page.locator("#arc-content svg text[font-size='11']").all_text_contents()
        assert {"✓amod", "✗advcl", "✗amod:x", "✗dep", "nsubj", "punct"} <= set(labels)
    assert "Above: one. Below, dotted: two, where it differs." in tab.text("#arc-content .legend")
    tab.page.fill("[name=sent_id]", "2")
    tab.page.select_option("[name=versus]", "both")
    tab.count()
    assert tab.page.locator("#arc-content .legend").count() == 1
    tab.check()


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_page_of_two_parsers_can_be_read(
    chromium: Any, parsers: tuple[Path, Page], width: int, colours: str
) -> None:
    tab = Tab(chromium, parsers[0], width, 844, colours=colours)
    for name in ("arcs", "parsers", "relations"):
        tab.page.click(f"#tab-{name}")
        assert tab.page.evaluate(CLIPPED) == []
        assert tab.page.evaluate(CONTRAST) == []
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    tab.check()
