"""Numbers as people read them."""

import pytest

from treegauge.wording import chance, corpus_size, counted, plain


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.000571, "0.00057"),
        (0.29, "0.29"),
        (1, "1.0"),
        (3.14, "3.1"),
        (15.6, "16"),
        (39_312, "39,000"),
        (996, "1,000"),
    ],
)
def test_two_digits_and_no_exponent(value: float, said: str) -> None:
    assert plain(value) == said


def test_a_probability_next_to_nothing() -> None:
    assert chance(0.0001) == "0.00010"
    assert chance(0.00009) == chance(0.0) == "below 0.0001"


@pytest.mark.parametrize(("n", "said"), [(0, "0 words"), (1, "1 word"), (2, "2 words"), (12_345, "12,345 words")])
def test_one_word_is_no_words(n: int, said: str) -> None:
    assert counted(n, "word") == said
    assert corpus_size(n, 1) == f"{said} in 1 sentence"
