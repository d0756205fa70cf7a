"""Texts in one array of bytes: numbers as Python writes them, rows, spans; compiled and interpreted alike."""

import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.trees import interpreted
from treegauge.ranking import sorter as module
from treegauge.ranking.sorter import Texts

WORDS = st.lists(st.binary(max_size=6), max_size=12)


def listed(texts: Texts) -> list[bytes]:
    return [texts[k] for k in range(len(texts))]


@settings(max_examples=500)
@given(st.lists(st.floats() | st.integers(0, (1 << 64) - 1).map(lambda b: struct.unpack("d", struct.pack("Q", b))[0])))
@example(
    [0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e15, 1e16, 1e-4, 1e-5, 9007199254740993.0]
)
def test_numbers_are_written_as_python_writes_them(values: list[float]) -> None:
    assert listed(Texts.numbers(np.array(values, dtype=float))) == [repr(value).encode() for value in values]


def test_powers_and_their_neighbours_are_written_as_python_writes_them() -> None:
    powers = np.concatenate([2.0 ** np.arange(-1074, 1024), 10.0 ** np.arange(-323, 309), np.arange(3000) / 7])
    values = np.concatenate([powers, np.nextafter(powers, 0), np.nextafter(powers, np.inf), -powers])
    assert listed(Texts.numbers(values)) == [repr(value).encode() for value in values.tolist()]


@given(st.lists(st.integers(-(1 << 63) + 1, (1 << 63) - 1)))
def test_whole_numbers_are_written_by_their_digits(values: list[int]) -> None:
    assert listed(Texts.numbers(np.array(values, dtype=np.int64))) == [str(value).encode() for value in values]


@given(WORDS, WORDS, st.data())
def test_rows_parts_and_spans_by_definition(one: list[bytes], two: list[bytes], data: st.DataObject) -> None:
    n = min(len(one), len(two))
    a, b = Texts.of(one).part(0, n), Texts.of(two).part(0, n)
    assert listed(Texts.rows([a, b, a], "\t", "\n")) == [
        x + b"\t" + y + b"\t" + x + b"\n" for x, y in zip(one, two, strict=False)
    ]
    assert listed(Texts.rows([a, b], "")) == [x + y for x, y in zip(one, two, strict=False)]
    order = data.draw(st.lists(st.integers(0, n - 1))) if n else []
    assert listed(a.take(np.array(order, dtype=np.int64))) == [one[k] for k in order]
    assert listed(Texts.joined([a, b])) == one[:n] + two[:n]
    kept = np.array([k % 2 == 0 for k in range(n)], dtype=bool)
    assert listed(a.where(kept)) == [text if k % 2 == 0 else b"" for k, text in enumerate(one[:n])]


@settings(max_examples=20)
@given(st.lists(st.floats()), WORDS)
def test_compiled_and_interpreted_kernels_agree(values: list[float], words: list[bytes]) -> None:
    plain = interpreted("ranking.texts_kernel")

    def made() -> list[list[bytes]]:
        numbers, texts = Texts.numbers(np.array(values, dtype=float)), Texts.of(words)
        whole = Texts.numbers(np.arange(len(words)) - 3)
        turned = texts.take(np.arange(len(words))[::-1])
        return [listed(found) for found in (numbers, whole, turned, Texts.rows([texts, whole, turned], ",", ";"))]

    compiled = made()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("gather", "interleave", "write_numbers", "write_whole_numbers"):
            patch.setattr(module, name, getattr(plain, name))
        assert made() == compiled
