"""Widths of texts, against the letters of a wide font."""

import os

import pytest

from treegauge.corpus.tree_svg import text_width

ALPHABETS = {
    "ASCII": range(0x20, 0x7F),
    "Latin": [*range(0xC0, 0x180)],
    "Greek": [*range(0x391, 0x3CA)],
    "Cyrillic": range(0x410, 0x460),
    "Arabic": range(0x621, 0x64B),
}


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("weight", ["", "-Bold"])
def test_a_text_is_no_wider_than_it_is_said_to_be(alphabet: str, weight: str) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    from matplotlib.ft2font import FT2Font

    font = FT2Font(os.path.join(matplotlib.get_data_path(), "fonts", "ttf", f"DejaVuSans{weight}.ttf"))
    size = 100
    font.set_size(size, 72)
    known = font.get_charmap()
    letters = [code for code in ALPHABETS[alphabet] if code in known]
    assert len(letters) > 30
    for code in letters:
        width = font.load_char(code).linearHoriAdvance / 65536
        assert text_width(chr(code), size) >= width, chr(code)


def test_capitals_are_wide_and_marks_take_no_room() -> None:
    assert text_width("WWW", 10) > 1.5 * text_width("www", 10) * 0.7 > text_width("iii", 10)
    assert text_width("e\u0301", 10) == text_width("é", 10) == text_width("e", 10)
    assert text_width("क\u094dष", 10) == text_width("कष", 10)
    assert text_width("中文", 10) >= 20
    assert text_width("", 10) == 0
