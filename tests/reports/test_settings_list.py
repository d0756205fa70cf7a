"""Signatures as lists."""

import pytest

from treegauge.reports.html_file import settings_list


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        (
            "lisca:2020|ref:en@24b27116|r:1|smoothing:0.03,2|subtypes:no|v0.1.0",
            "Method=lisca 2020; Reference=en, checksum 24b27116; Range of sentence lengths=± 1 word; "
            "Smoothing=0.03, 2; Subtypes of relations=no; treegauge=0.1.0",
        ),
        (
            "choice|ref:self@137a699a|tags:doubted|v0.1.0|folds:5",
            "Method=choice; Reference=the corpus itself, checksum 137a699a; Given tags=doubted; "
            "treegauge=0.1.0; Folds=5",
        ),
        ("ecc|max-length:40|very odd|x:", "Method=ecc; Max length=40; With=very odd; X="),
        ("", "Method="),
    ],
)
def test_every_part_has_a_name_and_a_value(signature: str, expected: str) -> None:
    assert "; ".join(f"{name}={value}" for name, value in settings_list(signature)) == expected
