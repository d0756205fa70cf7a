"""Trees in SVG: well-formed whatever the words are, arcs that do not meet, labels that fit."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.trees import heads
from treegauge import read_conllu
from treegauge.corpus.tree_svg import (
    GOLD,
    LABEL,
    LONGEST,
    PENS,
    ROOT,
    STEP,
    SUSPECT,
    Arc,
    is_rtl,
    layout,
    near,
    shortened,
    svg,
    text_width,
    tree_svg,
)

SVG = "{http://www.w3.org/2000/svg}"
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), min_size=1, max_size=40)


def drawn(head: list[int], words: list[str], *, rtl: bool = False, below: list[Arc] | None = None):
    arcs = [Arc(k, h - 1, "root" if h == 0 else "nsubj:pass") for k, h in enumerate(head)]
    return layout([(w, "NOUN") for w in words], arcs, below or [], [], [], rtl, text_width)


def tops(drawing) -> list[tuple[int, int, int]]:
    """Left end, right end and height of the horizontal part of each arc, from its label's place."""
    found = []
    for shape in drawing.shapes:
        if shape[0] == "arc" and "H" in shape[1]:
            start = int(shape[1][1:].split(" ")[0])
            end = int(shape[2][1:].split(" ")[0])
            found.append((min(start, end), max(start, end), int(shape[1].split("V")[1].split("q")[0])))
    return found


@given(heads(12))
def test_arcs_at_one_height_do_not_meet_and_labels_fit(head: list[int]) -> None:
    drawing = drawn(head, [f"w{k}" for k in range(len(head))])
    arcs = tops(drawing)
    assert len(arcs) == sum(h > 0 for h in head)
    for k, (low, high, y) in enumerate(arcs):
        assert high - low >= text_width("nsubj:pass", LABEL)
        assert all(other >= high or end <= low for other, end, at in arcs[k + 1 :] if at == y)
    for shape in drawing.shapes:
        if shape[0] == "text":
            assert 0 <= shape[1] <= drawing.width
            assert 0 <= shape[2] <= drawing.height


@given(heads(12))
def test_a_nested_arc_is_lower(head: list[int]) -> None:
    arcs = tops(drawn(head, ["word"] * len(head)))
    spans = {(low // 1, high): y for low, high, y in arcs}
    for (low, high), y in spans.items():
        for (inner_low, inner_high), inner in spans.items():
            if (low, high) != (inner_low, inner_high) and low <= inner_low - 10 and inner_high + 10 <= high:
                assert inner >= y + STEP  # y grows downwards


@given(heads(8))
def test_right_to_left_is_the_mirror_image(head: list[int]) -> None:
    words = [f"w{k}" * (k % 3 + 1) for k in range(len(head))]
    one, other = drawn(head, words), drawn(head, words, rtl=True)
    assert (one.width, one.height) == (other.width, other.height)
    places = [[shape[1] for shape in d.shapes if shape[0] == "text" and shape[3] == "NOUN"] for d in (one, other)]
    assert places[1] == [one.width - x for x in places[0]]


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_any_word_makes_well_formed_svg(words: list[str]) -> None:
    drawing = drawn([0] + [1] * (len(words) - 1), [shortened(word) for word in words])
    root = ElementTree.fromstring(svg(drawing, " ".join(words)))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert [text for text in texts if text not in ("NOUN", "root", "nsubj:pass")] == [
        shortened(word) for word in words if shortened(word) not in ("NOUN", "root", "nsubj:pass")
    ]
    assert all(len(shortened(word)) <= LONGEST for word in words)


def test_other_opinions_stand_below_the_words() -> None:
    drawing = drawn([2, 0], ["Dogs", "bark"], below=[Arc(0, 1, "obj", GOLD), Arc(0, ROOT, "root", GOLD)])
    base = next(shape[2] for shape in drawing.shapes if shape[:1] == ["text"] and shape[3] == "Dogs")
    gold = [shape for shape in drawing.shapes if shape[0] == "text" and shape[5] == GOLD]
    assert [shape[3] for shape in gold] == ["obj", "root"]
    assert all(shape[2] > base for shape in gold)


def test_wide_sentences_are_drawn_near_the_arc(tmp_path: Path) -> None:
    lines = [f"{k}\tword{k}\tw\tNOUN\t_\t_\t{k - 1}\t{'dep' if k > 1 else 'root'}\t_\t_" for k in range(1, 201)]
    lines[99] = lines[99].replace("\t99\tdep", "\t3\tobl")
    (tmp_path / "long.conllu").write_text("\n".join(lines) + "\n\n")
    corpus = read_conllu(tmp_path / "long.conllu")
    root = ElementTree.fromstring(tree_svg(corpus, 0, 99))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert {"word3", "word100", "obl", "…"} <= set(texts)
    assert "word50" not in texts
    assert int(root.get("width", "0")) <= 960
    assert "word50" in tree_svg(corpus, 0)
    assert PENS[SUSPECT][0] in tree_svg(corpus, 0, 99)
    assert PENS[SUSPECT][0] not in tree_svg(corpus, 0)


def test_near_leaves_one_sign_where_words_are_missing() -> None:
    assert near(12, [2, 9], 1) == [-1, 1, 2, 3, -1, 8, 9, 10, -1]
    assert near(3, [1], 4) == [0, 1, 2]


def test_scripts_and_multiword_tokens(data: Path) -> None:
    corpus = read_conllu(data / "scripts.conllu")
    assert [is_rtl([corpus.value("form", w) for w in range(*corpus.start[s : s + 2])]) for s in range(3)] == [
        True,
        False,
        False,
    ]
    assert ">Vedilo<" in tree_svg(read_conllu(data / "multiword_and_empty.conllu"), 0)


def test_notebooks_show_tables_trees_and_bars(data: Path) -> None:
    import treegauge as tg

    ranking = tg.score(data / "plain.conllu", tg.scorer("lisca", "en")).rank()
    shown = ranking._repr_html_()
    assert shown.count("<svg") == 5
    assert "log_score" in shown
    some = ranking[ranking.row % 2 == 0]
    assert len(some) == 5
    assert some[:2]._repr_html_().count("<svg") == 2
    (first,) = ranking[:1].explain()
    table = first._repr_html_()
    assert table.count("background:#ad4400") == len(first.reasons) > 0
    assert "width:92px" in table  # the most expensive
