"""The file of corrections: what is written is read, and anything else is refused in one line."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.altered import altered_bytes, altered_json
from tests.upkeep.corrections_file import corrections_json
from treegauge.errors import TreegaugeError
from treegauge.upkeep.corrections import Correction, CorrectionError, read_corrections

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LABEL = st.none() | st.sampled_from(("nsubj", "obl:für", "_", "名"))
BROKEN = (
    "",
    "|",
    "a|b",
    "2:obj|3:a",
    ":",
    ":pass",
    "nsubj:",
    "a::b",
    "a\tb",
    "a b",
    "a\u00a0b",
    "a\u3000b",
    "\x1b",
    "\x7f",
)
ONE = {"sent_id": "s", "sentence": 1, "id": 2, "form": "x", "head": 1, "deprel": "obj", "upos": "NOUN", "new_head": 3}


@given(
    st.lists(
        st.builds(
            Correction,
            TEXT,
            st.integers(1, 99),
            st.integers(1, 99),
            TEXT,
            st.integers(0, 99),
            TEXT,
            TEXT,
            st.integers(0, 99),
            LABEL,
            LABEL,
            TEXT,
        )
    )
)
def test_what_is_written_is_read(corrections: list[Correction]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.json"
        path.write_text(corrections_json(corrections, "t"), encoding="utf-8")
        assert read_corrections(path) == corrections


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(CorrectionError) as error:
        read_corrections(path)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": 0}, "corrections 1: id 0; expected a whole number from 1"),
        ({"id": "2"}, "corrections 1: id '2'; expected a whole number"),
        ({"id": True}, "id True"),
        ({"id": 10**30}, "id 1000"),
        ({"head": -1}, "head -1"),
        ({"head": 1.0}, "head 1.0"),
        ({"new_head": [1]}, "new_head a list or object of 1"),
        ({"new_deprel": "nsubj\n3\tx"}, "new_deprel 'nsubj\\n3\\tx'; expected a relation such as nsubj or nsubj:pass"),
        *(({"new_deprel": label}, f"new_deprel {label!r}; expected a relation") for label in BROKEN),
        *(({"new_upos": label}, f"new_upos {label!r}; expected a tag") for label in BROKEN if ":" not in label),
        ({"new_deprel": "a b"}, "new_deprel 'a b'"),
        ({"new_upos": ""}, "new_upos ''"),
        ({"new_upos": "A\u2028B"}, "new_upos"),
        ({"form": None}, "form None; expected a text"),
        ({"form": "\ud800"}, "form '\\ud800'"),
        ({"new_head": None}, "corrections 1: nothing changes"),
        ({"sent_id": "", "sentence": 0}, "sentence 0"),
        ({"more": 1}, "'more' is not known"),
        ({"__proto__": 1}, "'__proto__' is not known"),
    ],
)
def test_a_field_that_is_not_as_it_should_be_is_named(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    assert said in refused(path, json.dumps({"corrections": [ONE | change]}).encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"null",
        b'{"corrections": {}}',
        b'{"corrections": [1]}',
        b'{"corrections": [], "corrections": []}',
        b'{"corrections": [{"id": 1, "id": 2}]}',
        b'{"corrections": [{"id": NaN}]}',
        b'{"corrections": [{"id": 1e999}]}',
        b'{"corrections": [{"id": ' + b"9" * 5000 + b"}]}",
        b"[" * 100_000,
        b'{"corrections": ["\xff"]}',
        b'{"title": 1, "corrections": []}',
        b'{"corrections": []} x',
    ],
)
def test_what_is_no_file_of_corrections_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    assert refused(path, content).startswith(f"{path}: ")


def test_a_file_written_by_hand_may_leave_out_what_stays(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text('\ufeff{"corrections": [' + json.dumps({k: v for k, v in ONE.items() if k != "sentence"}) + "]}")
    assert read_corrections(path) == [Correction("s", 0, 2, "x", 1, "obj", "NOUN", 3)]


def test_an_altered_file_is_refused_or_read(tmp_path: Path) -> None:
    random, path = Random(22), tmp_path / "x"
    whole = {"title": "t", "treegauge": "0", "corrections": [ONE, ONE | {"new_upos": "VERB", "note": "why"}]}
    found = 0
    for _ in range(500):
        for content in (json.dumps(altered_json(whole, random)).encode(), altered_bytes(corrections_text(), random)):
            path.write_bytes(content)
            try:
                read_corrections(path)
            except TreegaugeError:
                found += 1
    assert found > 300


def corrections_text() -> bytes:
    return corrections_json([Correction("s", 1, 2, "x", 1, "obj", "NOUN", 3, "obl", "VERB", "why")]).encode()
