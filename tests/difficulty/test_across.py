"""Relation types across languages, by hand."""

import pytest

from treegauge.difficulty.across import relation_bits, types_across
from treegauge.difficulty.bits import dependency_bits
from treegauge.difficulty.types import Types, TypeScore
from treegauge.errors import OptionError


def language(name: str, scores: dict[str, float], rare: str = "") -> Types:
    found = [TypeScore(r, 3 if r == rare else 50, 50, f, 1.0, -5.0, -5.0) for r, f in scores.items()]
    return Types(name, tuple(found), "signature")


A = language("A", {"det": 0.9, "nsubj": 0.8, "obl": 0.7, "conj": 0.3})
B = language("B", {"det": 0.4, "nsubj": 0.9, "obl": 0.8, "conj": 0.5, "list": 0.1}, rare="list")


def test_where_types_are_hard() -> None:
    found = types_across([A, B])
    assert found.places[0] == {"det": 0, "nsubj": pytest.approx(1 / 3), "obl": pytest.approx(2 / 3), "conj": 1}
    # of B's four types that are not rare, det is the hardest, conj the second
    assert found.places[1] == {"det": 1, "nsubj": 0, "obl": pytest.approx(1 / 3), "conj": pytest.approx(2 / 3)}
    assert {name: found.hard(name) for name in found.relations} == {
        "conj": "everywhere",
        "det": "only B",
        "obl": "only A",
        "nsubj": "nowhere",
        "list": "",
    }
    assert found.relations[0] == "conj"
    assert found.relations[-1] == "list"


def test_equal_types_share_a_place() -> None:
    same = language("same", {"det": 0.5, "obl": 0.5, "conj": 0.5})
    assert set(types_across([same, A]).places[0].values()) == {0.5}


def test_the_table_has_ranks_scores_and_bits(data) -> None:
    bits = dependency_bits(data / "difficulty_gold.conllu", name="A")
    rows = {row["relation"]: row for row in types_across([A, B], [bits]).table().records()}
    assert (rows["det"]["A rank"], rows["det"]["B rank"], rows["det"]["B f_score"]) == (1, 4, 0.4)
    assert rows["det"]["A bits"] == pytest.approx(relation_bits(bits)["det"])
    assert rows["det"]["B bits"] is None
    assert rows["list"]["A f_score"] is None
    mine = bits.bits[[bits.corpus.value("deprel", row) == "det" for row in bits.row]]
    assert relation_bits(bits)["det"] == pytest.approx(mine.mean())


def test_one_language_is_no_comparison() -> None:
    with pytest.raises(OptionError, match="two or more"):
        types_across([A])
