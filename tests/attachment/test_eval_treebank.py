"""Reading for evaluation: blocks, lines, spaces, enhanced arcs."""

from dataclasses import fields
from functools import partial

import numpy as np
import pytest
from eval_cases import line, sentence
from eval_strategies import CHARS, treebank
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.attachment import treebank as module
from treegauge.attachment.align import ZS
from treegauge.attachment.treebank import Enhanced, read_treebank
from treegauge.corpus.conllu import stream_conllu


def same(a, b):
    """Whether two treebanks or their parts are equal in every field but the labels' order."""
    for field in fields(a):
        x, y = getattr(a, field.name), getattr(b, field.name)
        if isinstance(x, np.ndarray):
            assert np.array_equal(x, y), field.name
            assert x.dtype == y.dtype, field.name
        elif isinstance(x, Enhanced):
            same(x, y)
        elif field.name == "codes":
            assert all(np.array_equal(x[column], y[column]) for column in x)
        else:
            assert x == y, field.name


def test_blocks_of_any_size_give_the_same_treebank(tmp_path):
    path = tmp_path / "text.conllu"

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.text(st.sampled_from(CHARS), min_size=1, max_size=8).flatmap(treebank), min_size=1, max_size=5))
    def check(texts):
        path.write_text("".join(texts))
        whole = read_treebank(path)
        for size in (1, 100, 333):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(module, "stream_conllu", partial(stream_conllu, block=size))
                same(read_treebank(path), whole)

    check()


def test_tokens_words_lines_and_ids(tmp_path):
    path = tmp_path / "text.conllu"
    path.write_text(
        "\n# a comment\n# sent_id = one\n"
        + "\n".join(
            [
                line("1-2", "du"),
                line(1, "de", 0, "root"),
                line(2, "le", 1, "det"),
                line("2.1", "x"),
                line(3, "a b", 1, "obj"),
            ]
        )
        + "\n\n\n"
        + sentence(("c", 0, "root"))
    )
    found = read_treebank(path)
    assert found.token_forms(0, 9) == ["du", "ab", "c"]
    assert found.token_line.tolist() == [4, 8, 11]
    assert found.multiword.tolist() == [1, 0, 0]
    assert found.token.tolist() == [0, 0, 1, 2]
    assert found.token_start.tolist() == [0, 2, 3]
    assert found.head_row.tolist() == [-1, 0, 0, -1]
    assert [found.place(s) for s in range(2)] == ["sentence 1 (one)", "sentence 2"]
    assert found.enhanced is None


def test_every_space_of_unicode_is_left_out_and_nothing_else(tmp_path):
    import unicodedata

    spaces = {chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) == "Zs"}
    assert set(map(chr, ZS)) == spaces
    near = {chr(ord(c) + d) for c in spaces for d in (-1, 1)} - spaces
    others = [c for c in sorted(near | set("éß한€😀")) if unicodedata.category(c)[0] != "C" and c not in "\t\n\r"]
    path = tmp_path / "text.conllu"
    path.write_text(sentence(("a" + "".join(sorted(spaces)) + "".join(others) + "b", 0, "root")))
    assert read_treebank(path).chars.tobytes().decode() == "a" + "".join(others) + "b"


def test_enhanced_arcs_are_read_as_written(tmp_path):
    path = tmp_path / "text.conllu"
    path.write_text(
        sentence(
            ("a", 0, "root", {"deps": "0:root|2:conj:en>obl:voor"}),
            ("b", 1, "obj", {"deps": "1.1:x|1:obj"}),
            ("c", 1, "obj"),
        )
    )
    found = read_treebank(path).enhanced
    assert found.start.tolist() == [0, 2, 3, 3]
    assert found.head.tolist() == [0, 2, 1]
    paths = found.paths.tobytes().decode()
    assert [paths[a:b] for a, b in zip(found.path_start, found.path_start[1:], strict=False)] == [
        "root",
        "conj:en>obl:voor",
        "obj",
    ]
