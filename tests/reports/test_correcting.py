"""Correcting on the page, in a real browser: what is chosen there is what `apply` makes, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.reports.test_browser import DEMO, Tab, chromium, written
from tests.reports.test_page import NASTY, corpus_of
from tests.trees import sentence_text
from tests.upkeep.replay import commits, correction
from tests.upkeep.test_corrections import BROKEN
from treegauge import Corpus, TreegaugeError, read_conllu, score, scorer
from treegauge.reports.page import Page
from treegauge.upkeep.corrections import Correction, apply_corrections, read_corrections

pytestmark = pytest.mark.browser
__all__ = ["chromium"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = Page("demo.conllu", score(read_conllu(DEMO), scorer("choice", "en")))
    return written(tmp_path_factory.mktemp("page") / "demo.html", page)


def show(tab: Tab, corpus: Corpus, sent_id: str, word: int) -> int:
    """Show a word of the page; its row."""
    row = int(corpus.start[corpus.sent_ids.index(sent_id)]) + word - 1
    tab.page.evaluate(f"showWord({row})")
    return row


def exported(tab: Tab, path: Path) -> Path:
    tab.page.click("#tab-corrections")
    with tab.page.expect_download() as download:
        tab.page.click("#export-fixes")
    download.value.save_as(path)
    tab.page.click("#tab-arcs")
    tab.page.focus("#list")
    return path


def arcs(corpus: Corpus, sent_id: str) -> list[tuple[int, str, str]]:
    s = corpus.sent_ids.index(sent_id)
    rows = range(*corpus.start[s : s + 2].tolist())
    return [(int(corpus.head[row]), corpus.value("deprel", row), corpus.value("upos", row)) for row in rows]


def test_what_is_chosen_by_keys_is_what_apply_makes(chromium: Any, demo: Path, tmp_path: Path) -> None:
    corpus = read_conllu(DEMO)
    tab = Tab(chromium, demo)
    show(tab, corpus, "demo-01", 6)  # river, nsubj of crosses
    taken = tab.page.evaluate("suggestion(shown)")
    tab.press("t")
    assert tab.text("#fix-counts") == "1 correction"
    assert tab.page.locator("#arc-content svg path[stroke='var(--unsure)'][stroke-dasharray]").count() == 1
    assert "✗ nsubj" in tab.page.text_content("#arc-content svg")
    tab.press("ArrowRight ArrowRight ArrowRight h 3")  # village: under bridge
    assert "3 NOUN" in tab.page.text_content("#arc-content svg")  # words have their numbers while a head is chosen
    tab.press("Enter r")
    tab.page.keyboard.type("nmod")
    tab.press("Enter p")
    tab.page.keyboard.type("prop")
    tab.press("Enter")
    show(tab, corpus, "demo-02", 6)
    tab.press("x")  # loaves and bought change places
    assert tab.text("#fix-counts") == "4 corrections"
    show(tab, corpus, "demo-03", 2)
    tab.press("p ArrowDown Enter z")
    assert tab.text("#fix-counts") == "4 corrections"
    assert tab.text("#fix-message") == "Undone: could."
    file = exported(tab, tmp_path / "c.json")
    assert json.loads(file.read_text())["title"] == "demo.conllu"
    found = apply_corrections(read_corrections(file), DEMO)
    assert (len(found.done), found.refused) == (4, ())
    (tmp_path / "fixed.conllu").write_bytes(found.content)
    fixed = read_conllu(tmp_path / "fixed.conllu")
    wanted = {name: arcs(corpus, name) for name in corpus.sent_ids}
    wanted["demo-01"][5] = (taken["head"], taken["deprel"], "NOUN")
    wanted["demo-01"][8] = (3, "nmod", "PROPN")
    wanted["demo-02"][5], wanted["demo-02"][2] = (0, "root", "NOUN"), (6, "obj", "VERB")
    assert {name: arcs(fixed, name) for name in fixed.sent_ids} == wanted
    old, new = DEMO.read_bytes().split(b"\n"), found.content.split(b"\n")
    changed = [(a.split(b"\t"), b.split(b"\t")) for a, b in zip(old, new, strict=True) if a != b]
    assert len(changed) == 4
    assert all([a[k] for k in (0, 1, 2, 4, 5, 8, 9)] == [b[k] for k in (0, 1, 2, 4, 5, 8, 9)] for a, b in changed)
    tab.check()

    reopened = Tab(chromium, demo, context=tab.context)
    assert reopened.text("#fix-counts") == "4 corrections"
    fresh = Tab(chromium, demo)
    fresh.page.set_input_files("#import-fixes", file)
    fresh.page.click("#tab-corrections")
    fresh.page.wait_for_selector("#fix-file:has-text('4 corrections read')")
    assert fresh.page.locator("#fix-list li").count() == 4
    assert exported(fresh, tmp_path / "again.json").read_text() == file.read_text()
    fresh.page.select_option("[name=verdict]", "corrected")
    assert fresh.count() == "4 of 142 arcs"
    fresh.page.click("#tab-corrections")
    fresh.page.click("#fix-list li >> nth=0 >> text=Take back")
    assert fresh.text("#fix-total") == "3 corrections"
    fresh.check()


def test_a_click_chooses_a_head_and_no_tree_is_refused(chromium: Any, demo: Path) -> None:
    corpus = read_conllu(DEMO)
    tab = Tab(chromium, demo)
    row = show(tab, corpus, "demo-01", 2)
    tab.page.click("#arc-content svg text.word:has-text('crosses')")
    assert tab.page.evaluate(f"headNow({row})") == 4
    tab.press("z h 0 Enter")
    assert tab.text("#fix-message") == "Refused: there would be 2 roots: “old”, “crosses”."
    row = show(tab, corpus, "demo-01", 4)
    tab.page.click("#arc-content svg text.word:has-text('old')")
    said = tab.text("#fix-message")
    assert said.startswith("Refused: “")
    assert said.endswith("would stand below itself: a circle.")
    tab.page.click("#arc-content svg text.word:has-text('bridge')")
    assert "Go to “bridge” and press x" in tab.text("#fix-message")
    assert tab.text("#fix-counts") == "0 corrections"
    tab.press("h Escape r Escape p Escape")
    assert tab.text("#fix-counts") == "0 corrections"
    tab.press("z z z z z z z")
    assert tab.text("#fix-message") == "Nothing to undo."
    tab.check()


def test_a_suggested_head_below_the_word_takes_its_place_when_asked_again(chromium: Any, demo: Path) -> None:
    corpus = read_conllu(DEMO)
    tab = Tab(chromium, demo)
    row = show(tab, corpus, "demo-01", 9)  # village, obl of crosses
    tab.page.evaluate("D.suggested.head[SUGGESTED.get(shown)] = 7")  # near, which hangs on it
    relation = tab.page.evaluate("suggestion(shown).deprel")
    tab.press("t")
    assert tab.text("#fix-message").endswith("a circle. t again: “near” takes the place of “village”.")
    assert tab.text("#fix-counts") == "0 corrections"
    tab.press("t")
    assert tab.page.evaluate(f"[{row}, {row - 2}].map(r => [headNow(r), relationNow(r)])") == [
        [7, relation],
        [4, "obl"],
    ]
    tab.press("z")
    assert tab.text("#fix-counts") == "0 corrections"
    tab.check()


BAD = {"sent_id": "demo-01", "sentence": 1, "id": 2, "form": "old", "head": 3, "deprel": "amod", "upos": "ADJ"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[", "nothing was read"),
        ("null", "expected corrections"),
        ('{"corrections": [1]}', "correction 1: expected an object"),
        (json.dumps({"corrections": [BAD]}), "correction 1: nothing changes"),
        (json.dumps({"corrections": [BAD | {"new_head": 1e99}]}), "new_head"),
        (json.dumps({"corrections": [BAD | {"new_deprel": "a\tb"}]}), "new_deprel"),
        (json.dumps({"corrections": [BAD | {"x": 1, "new_head": 4}]}), "x is not known"),
        (json.dumps({"corrections": [BAD | {"id": "2", "new_head": 4}]}), "id or head"),
    ],
)
def test_a_file_that_is_none_changes_nothing(
    chromium: Any, demo: Path, content: str, said: str, tmp_path: Path
) -> None:
    tab = Tab(chromium, demo)
    (tmp_path / "c.json").write_text(content)
    tab.page.click("#tab-corrections")
    tab.page.set_input_files("#import-fixes", tmp_path / "c.json")
    tab.page.wait_for_selector("#fix-file:has-text('nothing was read')")
    assert said in tab.text("#fix-file")
    assert tab.text("#fix-total") == "0 corrections"
    tab.check()


def test_corrections_that_do_not_fit_are_kept_and_exported(chromium: Any, demo: Path, tmp_path: Path) -> None:
    tab = Tab(chromium, demo)
    odd = [BAD | {"form": NASTY, "new_head": 4}, BAD | {"new_head": 0}, BAD | {"sent_id": "__proto__", "new_head": 4}]
    (tmp_path / "c.json").write_text(json.dumps({"corrections": odd}))
    tab.page.click("#tab-corrections")
    for _ in range(2):  # the second time, they are the same
        tab.page.set_input_files("#import-fixes", tmp_path / "c.json")
        tab.page.wait_for_selector("#fix-file:has-text('3 corrections read')")
    assert tab.text("#fix-total") == "0 corrections, 3 that do not fit here"
    assert NASTY in tab.page.text_content("#fix-list")
    again = json.loads(exported(tab, tmp_path / "again.json").read_text())["corrections"]
    assert sorted(again, key=json.dumps) == sorted(odd, key=json.dumps)
    for stored in ("{", "[]", '{"corrections": 5}', '{"corrections": [{}]}'):
        tab.page.evaluate("stored => localStorage.setItem(FIXES, stored)", stored)
        other = Tab(chromium, demo, context=tab.context)
        assert other.text("#fix-counts") == "0 corrections"
        other.check()
    tab.check()


def test_the_page_takes_the_labels_that_apply_takes(chromium: Any, demo: Path) -> None:
    tab = Tab(chromium, demo)
    for label in (*BROKEN, "nsubj", "nsubj:pass", "a:b:c", "_", "obl:für", "名"):
        for name in ("new_deprel", "new_upos"):
            one = {"sent_id": "s", "id": 1, "form": "x", "head": 0, "deprel": "root", "upos": "X", name: label}
            try:
                Correction("s", 0, 1, "x", 0, "root", "X", **{name: label})
                expected = ""
            except TreegaugeError:
                expected = f"{name}; expected a label"
            assert tab.page.evaluate("one => wrongWith(one)", one) == expected, label
    tab.check()


def test_markup_in_labels_is_shown_and_never_run(chromium: Any, tmp_path: Path) -> None:
    nasty = NASTY.replace(" ", "")
    text = sentence_text([2, 0, 2], [nasty, "VERB", "X"], [nasty, "obj", "obl"], [NASTY, "x", "y"], NASTY)
    page = Page(NASTY, score(corpus_of(text, tmp_path), scorer("choice", "en")))
    tab = Tab(chromium, written(tmp_path / "nasty.html", page))
    tab.page.evaluate("showWord(2)")
    tab.press("h 1 Enter p")
    tab.page.keyboard.type("script")
    tab.press("Enter r")
    tab.page.keyboard.type("script")
    tab.press("Enter")
    assert tab.page.evaluate("relationNow(2) === tagNow(2)")
    assert nasty in tab.page.text_content("#arc-content")
    tab.page.click("#tab-corrections")
    assert tab.page.locator("#fix-list script, #fix-list img, #arc-content img").count() == 0
    assert tab.page.title() != "run"
    (one,) = read_corrections(exported(tab, tmp_path / "c.json"))
    assert (one.sent_id, one.new_head, one.new_deprel, one.new_upos) == (NASTY, 1, nasty, nasty)
    tab.check()


def test_sentences_that_share_a_name_cannot_be_corrected(chromium: Any, tmp_path: Path) -> None:
    text = sentence_text([2, 0], ["X", "X"], ["dep", "dep"], ["a", "b"], "same") * 2
    tab = Tab(
        chromium, written(tmp_path / "p.html", Page("p", score(corpus_of(text, tmp_path), scorer("lisca", "en"))))
    )
    tab.page.evaluate("showWord(0)")
    tab.press("r Enter p Enter x")
    assert tab.text("#fix-message") == "Refused: several sentences have the sent_id same."
    assert not tab.page.is_visible("#take")  # this scorer suggests nothing
    tab.check()


@pytest.mark.parametrize("width", [1200, 390])
def test_nothing_is_clipped_while_correcting(chromium: Any, demo: Path, width: int) -> None:
    from tests.reports.test_browser import CLIPPED

    tab = Tab(chromium, demo, width, 844)
    show(tab, read_conllu(DEMO), "demo-01", 6)
    tab.press("t h")
    assert tab.page.evaluate(CLIPPED) == []
    tab.press("4 Enter")
    tab.page.click("#tab-corrections")
    assert tab.page.evaluate(CLIPPED) == []
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    tab.check()


def test_arcs_far_apart_in_fifty_thousand_are_corrected(chromium: Any, tmp_path: Path) -> None:
    text = "".join(DEMO.read_text().replace("sent_id = demo", f"sent_id = {k}") for k in range(360))
    page = Page("large", score(corpus_of(text, tmp_path), scorer("choice", "en")), reasons=10)
    tab = Tab(chromium, written(tmp_path / "large.html", page))
    step = (
        "select(current + 997); KEYS.t(); change([[shown, {upos: 'ZZ'}]]); KEYS.z(); change([[shown, {upos: 'ZZ'}]]);"
    )
    tab.page.evaluate(f"() => {{ for (let k = 0; k < 20; k++) {{ {step} }} }}")
    assert tab.page.evaluate("fixes.size") == 20
    tab.check()


@pytest.mark.data
@pytest.mark.slow
def test_the_page_takes_and_refuses_real_corrections_as_apply_does(
    chromium: Any, evaluation_data: Path, tmp_path: Path
) -> None:
    folder = evaluation_data / "corrections" / "en_ewt_r22"
    whole = read_conllu(folder / "treebank.conllu.xz")
    place = {name: s for s, name in enumerate(whole.sent_ids)}
    first: dict[str, list[Correction]] = {}  # of each sentence, what the first small commit to change it corrects
    for changes in commits(folder):
        met = set(first)
        for row in changes:
            name = row["sent_id"]
            one = correction(row, whole.sentence_text(place[name])) if name in place and name not in met else None
            if one:
                first.setdefault(name, []).append(one)
    text = whole.select([place[name] for name in first]).own_text()
    (tmp_path / "t.conllu").write_bytes(text.text.tobytes())
    corpus = read_conllu(tmp_path / "t.conllu")
    tab = Tab(chromium, written(tmp_path / "p.html", Page("t", score(corpus, scorer("lisca", "en")), reasons=0)))
    start = {name: int(corpus.start[s]) for s, name in enumerate(corpus.sent_ids)}
    taken = {}
    for name, wanted in first.items():
        values = (("head", "new_head"), ("deprel", "new_deprel"), ("upos", "new_upos"))
        fixes = [[start[name] + one.id - 1, {k: getattr(one, field) for k, field in values}] for one in wanted]
        if all(fits(corpus, start[name], one) for one in wanted):
            taken[name] = tab.page.evaluate("changes => change(changes)", fixes)
    found = apply_corrections(read_corrections(exported(tab, tmp_path / "c.json")), tmp_path / "t.conllu")
    assert found.refused == ()
    assert {one.sent_id for one in found.done} == {name for name, is_taken in taken.items() if is_taken}
    direct = apply_corrections([one for name in taken for one in first[name]], tmp_path / "t.conllu")
    assert {one.correction.sent_id for one in direct.refused} == {name for name in taken if not taken[name]}
    assert direct.content == found.content
    assert (len(first), len(taken), sum(taken.values()), len(found.done)) == (2905, 2641, 2629, 3505)
    tab.check()


def fits(corpus: Corpus, first: int, one: Correction) -> bool:
    """Whether the word is as the correction says."""
    row = first + one.id - 1
    if row >= corpus.n_words:
        return False
    has = tuple(corpus.value(column, row) for column in ("form", "deprel", "upos"))
    return has == (one.form, one.deprel, one.upos) and int(corpus.head[row]) == one.head


def test_the_other_columns_are_corrected_by_keys(chromium: Any, tmp_path: Path) -> None:
    text = DEMO.read_text().replace("\tNOUN\t_\t_\t", "\tNOUN\tNN\tNumber=Sing\t")
    treebank = tmp_path / "demo.conllu"
    treebank.write_text(text.replace("\tVERB\t_\t_\t", "\tVERB\tVB\tMood=Ind\t"))
    corpus = read_conllu(treebank)
    by = scorer("choice", "en")
    columns = [scorer(name, by_itself=corpus) for name in ("lemma", "xpos", "feats", "subtype")]
    path = written(tmp_path / "demo.html", Page("demo.conllu", score(corpus, by), columns=columns))  # type: ignore[arg-type]
    tab = Tab(chromium, path)
    row = show(tab, corpus, "demo-01", 6)
    feats, lemma = corpus.value("feats", row), corpus.value("lemma", row)
    tab.press("l")
    tab.page.keyboard.type("stream")
    tab.press("Enter f")
    tab.page.keyboard.type("Number=Plur")
    tab.press("Enter s")
    tab.page.keyboard.type("nsubj:outer")
    tab.press("Enter")
    assert tab.text("#fix-counts") == "1 correction"
    for name in ("lemmas", "xpos", "features", "subtypes"):
        tab.page.click(f"#tab-{name}")
        assert tab.page.locator(f"#{name} table").count() == 1
    tab.page.click("#tab-arcs")
    file = exported(tab, tmp_path / "c.json")
    (entry,) = json.loads(file.read_text())["corrections"]
    assert (entry["lemma"], entry["new_lemma"], entry["new_deprel"]) == (lemma, "stream", "nsubj:outer")
    assert entry["feats"] == feats
    assert entry["new_feats"] == "Number=Plur"
    found = apply_corrections(read_corrections(file), treebank)
    assert (len(found.done), found.refused) == (1, ())
    changed = [line for line in found.content.split(b"\n") if b"\tstream\t" in line]
    assert changed[0].split(b"\t")[5].decode() == entry["new_feats"]
    fresh = Tab(chromium, path)
    fresh.page.set_input_files("#import-fixes", file)
    fresh.page.click("#tab-corrections")
    fresh.page.wait_for_selector("#fix-file:has-text('1 correction read')")
    assert exported(fresh, tmp_path / "again.json").read_text() == file.read_text()
    fresh.check()
    tab.check()
