"""Word order: by hand, by counting again, and against what is known of twenty languages."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from tests.difficulty.word_order_facts import FACTS, OTHERS
from tests.scoring import Given
from tests.trees import corpora, sentence_text
from treegauge.corpus.conllu import parse_conllu
from treegauge.difficulty.typology.likeness import distances, language_tree
from treegauge.difficulty.typology.typology import TypologySettings, markedness, typology
from treegauge.difficulty.typology.word_order import CLAUSES, WordOrder, clause_orders, word_order
from treegauge.errors import CorpusError, OptionError


def sentence(head: list[int], relations: list[str], tags: list[str] | None = None):
    words = [f"w{k}" for k in range(len(head))]
    return sentence_text(head, tags or ["NOUN"] * len(head), relations, words)


SVO = sentence([2, 0, 2], ["nsubj", "root", "obj"], ["NOUN", "VERB", "NOUN"])
VSO = sentence([0, 1, 1], ["root", "nsubj", "obj"], ["VERB", "NOUN", "NOUN"])
OSV = sentence([3, 3, 0], ["obj", "nsubj", "root"], ["NOUN", "NOUN", "VERB"])


def test_measures_by_hand() -> None:
    """Three subjects: before the verb, nearest to it, twice; behind it, nearest, once."""
    order = word_order(parse_conllu(SVO + VSO + OSV), least=1)
    assert order.cells == (("nsubj",), ("obj",))
    after, length, direction, place = order.measures()
    assert after.tolist() == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    assert length.tolist() == [1, pytest.approx((1 + 2 + 2) / 3)]
    assert direction[0] == pytest.approx(-(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3)))
    assert place[0] == pytest.approx(direction[0])
    assert place[1] == pytest.approx(math.log2(3))  # nearest behind, second behind, second before


def test_clauses_by_hand() -> None:
    counts = clause_orders(parse_conllu(SVO + VSO + OSV + SVO)).sum(axis=0)
    assert dict(zip(CLAUSES, counts.tolist(), strict=True)) == {
        "SVO": 2, "SOV": 0, "VSO": 1, "VOS": 0, "OVS": 0, "OSV": 1
    }  # fmt: skip


@given(corpora(2, 6))
def test_cells_by_counting_again(text: str) -> None:
    corpus = parse_conllu(text)
    kept = [
        w for w in range(corpus.n_words) if corpus.head[w] > 0 and not corpus.value("deprel", w).startswith("punct")
    ]
    if not kept:
        with pytest.raises(CorpusError, match="no arc"):
            word_order(corpus, least=1)
        return
    for by in ("relation", "tags"):
        order = word_order(corpus, by=by, least=1)
        after, length, _, place = order.measures()
        cells: dict[tuple, list] = {}
        for w in kept:
            head = int(corpus.head_row[w])
            key = (corpus.value("deprel", w).partition(":")[0], corpus.value("upos", w), corpus.value("upos", head))
            sisters = [v for v in kept if corpus.head_row[v] == head and (v < head) == (w < head)]
            near = sum(abs(v - head) < abs(w - head) for v in sisters)
            cells.setdefault(key[:1] if by == "relation" else key, []).append(
                (w < head, abs(w - head), (w < head, min(near, 2)))
            )
        assert set(cells) == set(order.cells)
        for c, cell in enumerate(order.cells):
            arcs = cells[cell]
            assert after[c] == pytest.approx(np.mean([a for a, _, _ in arcs]))
            assert length[c] == pytest.approx(np.mean([n for _, n, _ in arcs]))
            shares = np.array([sum(p == q for _, _, q in arcs) for p in {q for _, _, q in arcs}]) / len(arcs)
            assert place[c] == pytest.approx(-(shares * np.log2(shares)).sum())


def test_a_sample_is_the_corpus_with_sentences_said_several_times() -> None:
    texts = [SVO, VSO, OSV]
    order = word_order(parse_conllu("".join(texts)), least=1)
    drawn = order.resampled_sums(np.array([[2.0, 0.0, 1.0]]))[0]
    again = word_order(parse_conllu(SVO + SVO + OSV), least=1)
    assert np.array_equal(drawn, again.sums)
    low, high = order.intervals(samples=300)
    assert (low[0] <= order.measures()[0]).all()
    assert (high[0] >= order.measures()[0]).all()


def test_distances_by_hand() -> None:
    shares = np.array([[1.0, 0.5, np.nan], [0.0, 0.5, 1.0]])
    weights = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    # common cells: the first, 1 apart, and the second, 0 apart, of equal weight
    assert distances(shares, weights)[0, 1] == pytest.approx(0.5)
    assert np.isnan(distances(np.array([[1.0, np.nan], [np.nan, 1.0]]), np.ones((2, 2)))[0, 1])


def test_the_tree_joins_like_languages_with_support() -> None:
    pytest.importorskip("scipy")
    one, two, other = (parse_conllu(text * 8) for text in (SVO, SVO + SVO + SVO + OSV, VSO))
    orders = [word_order(c, by="tags", least=1, name=n) for c, n in ((one, "a"), (two, "b"), (other, "c"))]
    tree = language_tree(orders, samples=20)
    assert tree.clusters == [frozenset("ab"), frozenset("abc")]
    assert tree.support.tolist() == [1, 1]
    with pytest.raises(OptionError, match="three or more"):
        language_tree(orders[:2])


def test_markedness_counts_directions_in_bins() -> None:
    order = word_order(parse_conllu(SVO * 3 + VSO), least=1)
    scores = np.where(order.corpus.position == 1, 0.0, -1.0)  # subjects before the verb are plausible
    found = markedness(order, Given(scores), bins=2)
    cell = order.cells.index(("nsubj",))
    assert found.counts[cell].tolist() == [[2, 1], [0, 1]]
    assert found.mean_bin[cell].tolist() == [pytest.approx(4 / 3), 2]
    assert found.head_after[cell].tolist() == [1, 0.5]


def test_tables_side_by_side() -> None:
    settings = TypologySettings(least=1, samples=10)
    found = typology(parse_conllu(SVO * 2), parse_conllu(VSO), settings=settings, names=["xx_a", "ga_b"])
    assert found.side_by_side().records()[0] == {"cell": "nsubj", "xx_a": 1, "ga_b": 0}
    assert found.arranged("family").names == ["ga_b", "xx_a"]
    assert found.distances_table().records()[0]["ga_b"] == pytest.approx(0.5)
    (word,) = found.examples(("nsubj",), head_after=False, top=5).records()
    assert (word["treebank"], word["form"], word["head_form"]) == ("ga_b", "w1", "w0")
    with pytest.raises(OptionError, match="different names"):
        typology(parse_conllu(SVO), parse_conllu(SVO), settings=settings, names=["a", "a"])


@cache
def order_of(path: Path) -> WordOrder:
    """Each language is read once for all facts."""
    return word_order(path, by="tags")


@pytest.mark.data
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact[0].replace(" ", "-"))
def test_known_facts_of_twenty_languages(fact: tuple[str, ...], evaluation_data: Path) -> None:
    _, chapter, relation, tag, head_tag, *sides = fact
    for languages, head_after in zip(sides, (True, False), strict=True):
        for language in languages.split():
            path = evaluation_data / "ud" / "pud" / f"{language}_pud.conllu.xz"
            order = order_of(path)
            share = order.measures()[0][order.cells.index((relation, tag, head_tag))]
            assert (share > 0.5) == head_after, f"{language}: {share:.2f}; WALS {chapter}"


@pytest.mark.data
@pytest.mark.parametrize("fact", OTHERS, ids=lambda fact: fact[0])
def test_known_facts_of_other_languages(fact: tuple, evaluation_data: Path) -> None:
    name, chapter, *cell, head_after = fact
    order = word_order(evaluation_data / "ud" / name / "test.conllu.xz", by="tags")
    share = order.measures()[0][order.cells.index(tuple(cell))]
    assert (share > 0.5) == head_after, f"{name}: {share:.2f}; WALS {chapter}"
