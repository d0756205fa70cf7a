"""Recall and precision by stratum, by their definitions."""

from pathlib import Path

import numpy as np
import pytest

from treegauge.constituency.chaos.parse import Edge, best_edges, word_edges
from treegauge.constituency.chaos.parser import Chaos
from treegauge.constituency.chaos.strata import score_edges, total_counts
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus


@pytest.fixture
def gold(data: Path) -> Corpus:
    return read_conllu(data / "eval_gold.conllu")


def gold_sets(corpus: Corpus) -> list[set[tuple[int, int]]]:
    return [
        {
            (int(corpus.position[w]), int(corpus.head[w]))
            for w in range(int(corpus.start[s]), int(corpus.start[s + 1]))
            if corpus.value("upos", w) != "PUNCT"
        }
        for s in range(corpus.n_sentences)
    ]


@pytest.mark.parametrize("best", [False, True])
def test_strata_are_sets_of_edges_each_in_the_next(gold: Corpus, best: bool) -> None:
    chaos = Chaos("en")
    table = chaos.evaluate(gold, best).table().records()
    correct = gold_sets(gold)
    for k, row in enumerate(table):
        found = right = 0
        for s, parse in enumerate(chaos.parse_corpus(gold)):
            edges = best_edges(parse, chaos.rules).values() if best else word_edges(parse, chaos.rules)
            words = {word for word, _ in correct[s]}
            mine = {(edge.word, edge.head) for edge in edges if edge.stratum <= k and edge.word in words}
            found += len(mine)
            right += len(mine & correct[s])
        assert (row["edges"], row["right"]) == (found, right)
        assert row["recall"] == pytest.approx(right / sum(map(len, correct)))
        assert row["precision"] == pytest.approx(right / found)
    assert [row["recall"] for row in table] == sorted(row["recall"] for row in table)


def test_half_of_gold_has_half_the_recall(gold: Corpus) -> None:
    half = [[Edge(w, h, 3, "x", 1.0) for w, h in sorted(edges)[::2]] for edges in gold_sets(gold)]
    counts = score_edges(gold, half)
    assert counts.right.sum() == counts.found.sum() == sum(len(edges[::2]) for edges in map(sorted, gold_sets(gold)))


def test_two_alternatives_are_two_edges_and_equal_ones_one(gold: Corpus) -> None:
    (word, head), *_ = sorted(gold_sets(gold)[0])
    wrong = 1 if head != 1 and word != 1 else 0
    edges = [Edge(word, head, 3, "a", 0.5), Edge(word, wrong, 3, "b", 0.5), Edge(word, head, 3, "c", 0.5)]
    counts = score_edges(gold, [edges] + [[] for _ in range(gold.n_sentences - 1)])
    assert (counts.found.sum(), counts.right.sum()) == (2, 1)


def test_a_parser_evaluates_corpora_and_files_alike(gold: Corpus, data: Path) -> None:
    chaos, path = Chaos("en"), data / "eval_gold.conllu"
    scores = chaos.evaluate(gold)
    for given in (path, str(path), [gold], [path]):
        assert chaos.evaluate(given).to_dict() == scores.to_dict()
    assert [row["stratum"] for row in scores.to_dict()["rows"]] == ["Chunk", "Verbal", "Certain", "Final"]
    assert len(chaos.evaluate([path, gold]).table().rows) == 3 * 4  # and in total
    assert chaos.evaluate(gold, best=True).signature == scores.signature.replace("best:no", "best:yes")
    assert [repr(one) for one in chaos.parse_corpus(str(path))] == [repr(one) for one in chaos.parse_corpus(gold)]


def test_totals_add_up(gold: Corpus) -> None:
    (one,) = Chaos("en").evaluate(gold).parts
    both = total_counts([one, one])
    assert both.gold.sum() == 2 * one.gold.sum()
    assert np.array_equal(both.right.sum(axis=0), 2 * one.right.sum(axis=0))
    assert all(both.relations[name] == tuple(2 * v for v in values) for name, values in one.relations.items())
    assert all(sum(values[1:]) <= values[0] for values in one.relations.values())


@pytest.mark.data
@pytest.mark.parametrize("treebank", ["it_isdt", "it_vit"])
def test_table_1_is_reached_on_the_development_sets(evaluation_data: Path, treebank: str) -> None:
    corpus = read_conllu(evaluation_data / "ud" / treebank / "dev.conllu")
    rows = Chaos("it").evaluate(corpus).table().records()
    assert rows[0]["precision"] >= 0.98
    assert rows[3]["recall"] >= 0.80
    assert rows[3]["precision"] >= 0.82
