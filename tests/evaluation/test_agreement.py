"""Agreement of annotators: published toys, scikit-learn and NLTK as oracles, tree distances by their definition."""

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score

from tests.scoring import Given
from tests.trees import heads, interpreted, sentence_text
from treegauge.corpus.conllu import parse_conllu
from treegauge.errors import CorpusError, OptionError
from treegauge.evaluation.agreement import tree_alpha
from treegauge.evaluation.agreement.agreement import agreement, cohen_kappa, fleiss_kappa, nominal_alpha, relation_kappa
from treegauge.evaluation.agreement.annotators import read_annotators
from treegauge.evaluation.agreement.disagreements import (
    agreement_tables,
    confusions_table,
    plausible_table,
    sentences_table,
    words_table,
)
from treegauge.evaluation.agreement.tree_alpha import ordered_trees, tree_disagreement, tree_distances

LABELS = "abcde"


def pair_counts(*raters: str) -> np.ndarray:
    """[pair, label, label] of labels given word by word."""
    labels = sorted(set("".join(raters)))
    found = []
    for one, other in combinations(raters, 2):
        counts = np.zeros((len(labels), len(labels)))
        for a, b in zip(one, other, strict=True):
            counts[labels.index(a), labels.index(b)] += 1
        found.append(counts)
    return np.stack(found)


def task(*raters: str) -> AnnotationTask:
    return AnnotationTask([(str(r), str(k), label) for r, row in enumerate(raters) for k, label in enumerate(row)])


def test_cohens_kappa_of_a_textbook_table() -> None:
    # p_o = 35/50, p_e = .5 · .6 + .5 · .4 = .5
    assert cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]])) == pytest.approx(0.4)


def test_krippendorffs_published_examples() -> None:
    """Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), examples A and B."""
    assert nominal_alpha(pair_counts("0100000010", "1110010000"), 2) == pytest.approx(0.095, abs=0.0005)
    assert nominal_alpha(pair_counts("aabbdcccedda", "babbbccceddd"), 2) == pytest.approx(0.692, abs=0.0005)


def test_fleiss_worked_example() -> None:
    """Ten subjects, fourteen raters, five categories: κ = 0.210 (the example after Fleiss 1971)."""
    table = """
    0 0 0 0 14, 0 2 6 4 2, 0 0 3 5 6, 0 3 9 2 0, 2 2 8 1 1, 7 7 0 0 0, 3 2 6 3 0, 2 5 3 2 2, 6 5 2 1 0, 0 2 2 3 7
    """
    subjects = ["".join(LABELS[k] * int(n) for k, n in enumerate(row.split())) for row in table.split(",")]
    raters = ["".join(subject[r] for subject in subjects) for r in range(14)]
    assert fleiss_kappa(pair_counts(*raters)) == pytest.approx(0.210, abs=0.0005)


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=2, max_size=30))
def test_kappas_and_alpha_are_those_of_other_packages(words: list[tuple[str, str, str]]) -> None:
    """scikit-learn 1.4 and later, NLTK 3.9."""
    one, other, third = map("".join, zip(*words, strict=True))
    if len({*one, *other}) > 1:
        assert cohen_kappa(pair_counts(one, other)[0]) == pytest.approx(cohen_kappa_score(list(one), list(other)))
        assert nominal_alpha(pair_counts(one, other), 2) == pytest.approx(task(one, other).alpha())
        assert fleiss_kappa(pair_counts(one, other)) == pytest.approx(task(one, other).pi())  # Scott's π is of two
    if len({*one, *other, *third}) > 1:
        assert nominal_alpha(pair_counts(one, other, third), 3) == pytest.approx(task(one, other, third).alpha())
        assert fleiss_kappa(pair_counts(one, other, third)) == pytest.approx(task(one, other, third).pi())


def test_kappa_of_one_relation_against_all_others() -> None:
    one, other = "aabbcacb", "abbbcaac"
    counts = pair_counts(one, other)[0]
    for k, label in enumerate("abc"):
        binary = [[str(x == label) for x in row] for row in (one, other)]
        assert relation_kappa(counts)[k] == pytest.approx(cohen_kappa_score(*binary))


def test_chance_alone_gives_no_kappa() -> None:
    assert np.isnan(cohen_kappa(np.array([[7.0, 0.0], [0.0, 0.0]])))


def nested(head: list[int], labels: list[int], node: int = 0) -> tuple:
    """A tree as (label, children)."""
    children = tuple(nested(head, labels, d) for d, h in enumerate(head, 1) if h == node)
    return (labels[node - 1] if node else -1, children)


@cache
def forest_distance(one: tuple, other: tuple) -> int:
    """By the definition: the rightmost root of either forest is deleted, inserted, or the two are matched."""
    if not one and not other:
        return 0
    if not one:
        return forest_distance(one, other[:-1] + other[-1][1]) + 1
    if not other:
        return forest_distance(one[:-1] + one[-1][1], other) + 1
    matched = forest_distance(one[:-1], other[:-1]) + forest_distance(one[-1][1], other[-1][1])
    return min(
        forest_distance(one[:-1] + one[-1][1], other) + 1,
        forest_distance(one, other[:-1] + other[-1][1]) + 1,
        matched + (one[-1][0] != other[-1][0]),
    )


@st.composite
def labelled_trees(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    head = draw(heads(6))
    return head, [draw(st.integers(0, 2)) for _ in head]


@given(labelled_trees(), labelled_trees())
def test_tree_distance_is_the_shortest_way_from_one_to_the_other(one, other) -> None:
    trees = ordered_trees([np.array(h) for h, _ in (one, other)], [np.array(t) for _, t in (one, other)])
    expected = forest_distance((nested(*one),), (nested(*other),))
    both = np.array([0, 1]), np.array([1, 0])
    assert tree_distances(trees, *both).tolist() == [expected, expected]
    compiled, tree_alpha.kernel = tree_alpha.kernel, interpreted("evaluation.agreement.tree_distance_kernel")
    try:
        assert tree_distances(trees, *both).tolist() == [expected, expected]
    finally:
        tree_alpha.kernel = compiled


def test_the_example_of_zhang_and_shasha() -> None:
    """f(d(a c(b)) e) and f(c(d(a b)) e) are 2 apart (1989, Figure 4)."""
    f, d, a, c, b, e = range(6)
    one, other = [0, 1, 2, 2, 4, 1], [0, 1, 2, 3, 3, 1]
    labels = [np.array([f, d, a, c, b, e]), np.array([f, c, d, a, b, e])]
    trees = ordered_trees([np.array(one), np.array(other)], labels)
    assert tree_distances(trees, np.array([0]), np.array([1])).tolist() == [2]


def corpus_of(trees: list[tuple[list[int], list[str]]]):
    """A corpus of bare trees; words are named by their places."""
    texts = []
    for s, (head, relations) in enumerate(trees):
        words = [f"w{k}" for k in range(len(head))]
        texts.append(sentence_text(head, ["NOUN"] * len(head), relations, words, f"s{s}"))
    return parse_conllu("".join(texts))


@st.composite
def annotations(draw: st.DrawFn):
    """Two or three annotations of one text."""
    found: list[list] = [[] for _ in range(draw(st.integers(2, 3)))]
    for _ in range(draw(st.integers(2, 4))):
        size = draw(st.integers(1, 5))
        for side in found:
            order = draw(st.permutations(range(1, size + 1)))
            above = [draw(st.integers(0, k)) for k in range(size)]
            head = [0] * size
            for k, word in enumerate(order):
                head[word - 1] = order[above[k] - 1] if above[k] else 0
            side.append((head, [draw(st.sampled_from(("obj", "nsubj", "amod"))) for _ in head]))
    return [corpus_of(side) for side in found]


@given(annotations())
def test_tree_alpha_is_nltks_with_squared_distances(corpora) -> None:
    found = read_annotators(corpora, [str(k) for k in range(len(corpora))])
    trees = tree_disagreement(found)
    items = []
    for a, corpus in enumerate(corpora):
        for s in range(corpus.n_sentences):
            rows = slice(*corpus.start[s : s + 2])
            tree = nested(corpus.head[rows].tolist(), found.relation[a, rows].tolist())
            items.append((str(a), str(s), frozenset([tree])))

    def squared(one: frozenset, other: frozenset) -> float:
        return float(forest_distance(tuple(one), tuple(other)) ** 2)

    if len({label for _, _, label in items}) == 1:
        return
    assert trees.is_exact
    expected = AnnotationTask(items, distance=squared).alpha()
    assert trees.alpha(np.ones(corpora[0].n_sentences)) == pytest.approx(expected)


@given(annotations(), st.integers(0, 5))
def test_weights_of_sentences_are_sentences_said_several_times(corpora, seed: int) -> None:
    n = corpora[0].n_sentences
    weight = np.random.default_rng(seed).integers(0, 3, n)
    chosen = np.repeat(np.arange(n), weight)
    if len(chosen) < 2:
        return
    found = read_annotators(corpora, list("abc")[: len(corpora)])
    again = [parse_conllu(b"".join(c.sentence_text(s) + b"\n\n" for s in chosen)) for c in corpora]
    whole = read_annotators(again, list("abc")[: len(corpora)])
    expected = tree_disagreement(whole).alpha(np.ones(len(chosen)))
    assert tree_disagreement(found).alpha(weight.astype(float)) == pytest.approx(expected, nan_ok=True)
    drawn = agreement(*corpora, names=found.names, samples=1).counted(weight.astype(float))
    repeated = agreement(*again, names=found.names, samples=1).counted()
    ours, theirs = drawn.measures(len(corpora)), repeated.measures(len(corpora))
    assert ours == pytest.approx(theirs, nan_ok=True)


def test_a_sample_of_pairs_comes_near_to_all_of_them() -> None:
    rng = np.random.default_rng(3)
    sides: list[list] = [[], []]
    for _ in range(60):
        size = int(rng.integers(3, 12))
        for side in sides:
            head = [0, *(int(rng.integers(1, k)) for k in range(2, size + 1))]
            side.append((head, list(rng.choice(["obj", "nsubj"], size))))
    found = read_annotators([corpus_of(side) for side in sides], "ab")
    weight = np.ones(60)
    exact, sampled = tree_disagreement(found), tree_disagreement(found, pairs=4000, seed=1)
    assert (exact.is_exact, sampled.is_exact) == (True, False)
    assert sampled.alpha(weight) == pytest.approx(exact.alpha(weight), abs=0.03)


A = corpus_of([([2, 0, 2], ["nsubj", "root", "obj"]), ([0, 1], ["root", "amod"])])
B = corpus_of([([2, 0, 2], ["obj", "root", "obj"]), ([2, 0], ["amod", "root"])])


def test_tables_by_hand() -> None:
    """Five words: heads agree on three, relations on two, tags on all."""
    found = agreement(A, B, names="AB", samples=50)
    values = {row["measure"]: row["value"] for row in found.table().records()}
    assert (values["UAS"], values["LAS"], values["relation"], values["UPOS"]) == (3 / 5, 2 / 5, 2 / 5, 1)
    assert values["UPOS κ"] is None  # one tag only: chance is certain
    rows = {row["relation"]: row for row in found.relations_table().records()}
    assert rows["obj"]["same"] == 2 * 1 / (1 + 2)
    assert rows["amod"]["arc"] == 0
    assert [(r["relation"], r["other"], r["words"]) for r in confusions_table(found).records()] == [
        ("amod", "root", 2),
        ("nsubj", "obj", 1),
    ]
    sentences = sentences_table(found).records()
    assert [(r["sent_id"], r["arcs"]) for r in sentences] == [("s1", 2), ("s0", 1)]
    # relabelled: nsubj; in the second one, root and amod stay below each other, their order is no matter of nodes
    assert [r["tree_distance"] for r in sentences] == [0, 1]
    assert [(r["A"], r["B"]) for r in words_table(found).records()] == [
        ("2:nsubj", "2:obj"),
        ("0:root", "2:amod"),
        ("1:amod", "0:root"),
    ]


def test_a_model_says_whose_arc_is_more_plausible() -> None:
    class OfSide(Given):
        def scores(self, corpus):
            return np.array([-3.0, 0, 0, -1, -1]) if corpus is A else np.array([-1.0, 0, 0, -1, -2])

    found = agreement(A, B, by=OfSide(np.empty(0)), names="AB", samples=20)
    (row,) = plausible_table(found).records()
    assert (row["words"], row["first_likelier"], row["second_likelier"], row["share"]) == (3, 1, 1, 0.5)
    assert [r["likelier"] for r in words_table(found).records()] == ["B", "A", "A = B"]
    assert [table.name for table in agreement_tables(found)] == [
        "agreement",
        "relations",
        "confusions",
        "plausible",
        "sentences",
        "words",
    ]


def test_intervals_hold_the_values_and_are_the_same_again() -> None:
    first, second = (agreement(A, B, A, names="ABC", samples=100).table().records() for _ in range(2))
    assert first == second
    for row in first:
        if row["value"] is not None:
            assert row["low"] <= row["value"] + 1e-9
            assert row["high"] >= row["value"] - 1e-9


def test_other_words_are_aligned_and_trees_with_them_left_out(data: Path) -> None:
    found = agreement(data / "eval_gold.conllu", data / "eval_raw.conllu", samples=5)
    assert found.annotators.left_out == 2  # 22 words, 20 of them aligned
    assert found.annotators.n_words == 20
    values = {row["measure"]: row["value"] for row in found.table().records()}
    assert values["UAS"] == pytest.approx(16 / 20)
    assert len(found.trees.sentence) < 3


def test_wrong_input() -> None:
    with pytest.raises(OptionError, match="two or more"):
        agreement(A)
    with pytest.raises(OptionError, match="different ones"):
        agreement(A, B, names=["x", "x"])
    with pytest.raises(CorpusError):
        agreement(A, parse_conllu(sentence_text([0], ["NOUN"], ["root"], ["x"])))
