"""Drawings: the arrow is on the dependent, the corner on the head, whatever the script."""

from pathlib import Path

from rich.cells import cell_len

from treegauge.corpus.conllu import read_conllu
from treegauge.reports.arc_text import GAP, NEAR, draw, draw_arc, lay_out


def test_an_arc_joins_the_middles_of_its_words(data: Path) -> None:
    corpus = read_conllu(data / "plain.conllu")
    assert draw_arc(corpus, 8) == ("          ╭──── obj ────▼", "Old Anna saw the small dog .")
    arc, words = draw_arc(corpus, 3)  # Old –amod→ Anna
    assert (arc, words) == (" ▼───╮ amod", "Old Anna saw the small dog .")


def test_a_root_arc_is_an_arrow_from_nowhere(data: Path) -> None:
    assert draw_arc(read_conllu(data / "one_word.conllu"), 0) == ("▼ root", "Go")


def test_wide_characters_take_two_columns(data: Path) -> None:
    corpus = read_conllu(data / "scripts.conllu")
    arc, words = draw_arc(corpus, 4)  # 。 –punct→ 叫
    assert words == "狗 叫 。"
    assert cell_len(arc[: arc.index("╭")]) == cell_len("狗 ")
    assert cell_len(arc[: arc.index("▼")]) == cell_len("狗 叫 ")


def test_words_far_from_both_ends_make_place() -> None:
    forms = [f"w{k}" for k in range(60)]
    line = lay_out(forms, (2, 50), 100)
    shown = [k for k in range(60) if abs(k - 2) <= NEAR or abs(k - 50) <= NEAR]
    assert sorted(line.column) == shown
    assert line.text.split(" ") == [
        *(f"w{k}" for k in shown if k < 20), GAP, *(f"w{k}" for k in shown if k > 20), GAP
    ]  # fmt: skip
    arc = draw(line, 50, 2, "obj")
    assert (arc.index("╭"), arc.index("▼")) == (line.column[2], line.column[50])
    assert line.text[line.column[50]] == "5"  # the middle of w50


def test_styles_do_not_move_the_arc(data: Path) -> None:
    corpus = read_conllu(data / "plain.conllu")
    plain_arc, plain_words = draw_arc(corpus, 8)
    arc, words = draw_arc(corpus, 8, style=lambda text, role: f"<{role}:{text}>")
    assert arc == plain_arc.replace(plain_arc.strip(), f"<arc:{plain_arc.strip()}>")
    assert words == plain_words.replace("dog", "<dependent:dog>").replace("saw", "<head:saw>")
