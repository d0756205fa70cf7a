import json
import math

import numpy as np
import pytest

from treegauge.constituency.bracket_scores import (
    PARSEVAL_OPTIONS,
    bracket_counts,
    interval99,
    parseval_scores,
    wilson99,
)
from treegauge.constituency.brackets import parse_brackets, read_brackets
from treegauge.constituency.cleaning import Cleaning
from treegauge.constituency.grammar import TreebankGrammar, derivations
from treegauge.constituency.measures import EccSettings, SampleFigures, ecc, measure
from treegauge.constituency.parsing import ChartParser
from treegauge.constituency.samples import growing, learning_curve
from treegauge.constituency.sentences import SentenceRow, grammar_rows, sentence_rows, sentences_table
from treegauge.errors import CorpusError, OptionError
from treegauge.statistics import paired_t

OWN = """
(S (NP (DT the) (NN owl)) (VP (VBD saw) (NP (DT a) (NN mouse))) (. .))
(S (NP (PRP she)) (VP (VBD saw) (NP (NP (DT a) (NN mouse)) (PP (IN in) (NP (DT the) (NN barn))))) (. .))
(S (NP (PRP she)) (VP (VBD ate) (NP (DT the) (NN mouse)) (PP (IN in) (NP (DT the) (NN barn)))) (. .))
(S (NP (NP (DT the) (NN owl)) (PP (IN of) (NP (DT the) (NN barn)))) (VP (VBD saw) (NP (PRP her))) (. .))
(S (NP (DT the) (NN owl)) (VP (VBD slept)) (. .))
(S (NP (PRP she)) (VP (VBD saw) (NP (DT the) (NN owl)) (PP (IN in) (NP (DT the) (NN barn)))) (. .))
"""


def trees(text):
    return [tree for _, tree in parse_brackets(text)]


def test_the_papers_unambiguous_toy_has_an_ecc_of_0(data):
    result = ecc(read_brackets(data / "toy_unambiguous.mrg").trees).train
    assert result.derivational_cross_entropy == pytest.approx(3 * math.log2(3), abs=1e-12)  # (9)
    assert result.sentential_cross_entropy == pytest.approx(3 * math.log2(3), abs=1e-12)  # (10)
    assert result.ecc == 0
    assert (result.lp, result.lr, result.f1, result.emr) == (1, 1, 1, 1)


def test_the_papers_ambiguous_toy_has_an_ecc_of_2_bits(data):
    result = ecc(read_brackets(data / "toy_ambiguous.mrg").trees).train
    assert result.derivational_cross_entropy == pytest.approx(3 * math.log2(3), abs=1e-12)  # (11)
    assert result.sentential_cross_entropy == pytest.approx(3 * math.log2(3) - 2, abs=1e-12)  # (13)
    assert result.ecc == 2


def test_every_key_of_the_figures_is_there_and_json_has_no_nan(data):
    result = ecc(data / "toy_ambiguous.mrg", leave_one_out=True)
    train, test = json.loads(json.dumps(result.to_dict(), allow_nan=False))["rows"]
    assert (train["sample"], test["sample"]) == ("train", "leave-one-out")
    assert test["ecc"] is None  # each rule occurs in this tree alone
    assert test["covered_share"] == 0
    assert SampleFigures.__slots__ == tuple(train)[2:]
    assert repr(result).endswith("toy_ambiguous.mrg', ECC 2.00 bits on train, ECC nan bits on leave-one-out)")


def test_leaving_one_out_is_the_grammar_of_all_the_others():
    sample = derivations(trees(OWN))
    parser = ChartParser(TreebankGrammar.from_derivations(sample))
    measured = measure(parser, sample, leave_one_out=True)
    assert 0 < measured.covered.sum() < len(sample)
    for at, tree in enumerate(sample):
        rest = TreebankGrammar.from_derivations(sample[:at] + sample[at + 1 :])
        assert measured.covered[at] == (rest.rule_codes(tree) >= 0).all()
        if not measured.covered[at]:
            continue
        alone = measure(ChartParser(rest), [tree])
        assert measured.log_prob[at] == pytest.approx(alone.log_prob[0], abs=1e-12)
        assert measured.log_prob_yield[at] == pytest.approx(alone.log_prob_yield[0], abs=1e-12)
        assert (measured.brackets[at] == alone.brackets[0]).all()


def test_leaving_one_out_gives_no_cross_entropies_and_takes_no_test_sample():
    result = ecc(trees(OWN), leave_one_out=True)
    assert math.isnan(result.test.derivational_cross_entropy)
    assert math.isnan(result.test.sentential_cross_entropy)
    assert result.test.ecc > 0
    assert "leave-one-out" in result.signature
    with pytest.raises(OptionError):
        ecc(trees(OWN), trees(OWN), leave_one_out=True)


def test_only_covered_trees_under_the_length_limit_count():
    test = trees("(S (NP (PRP she)) (VP (VBD slept)) (. .)) (S (INTJ (UH oh)) (. .)) " + OWN)
    result = ecc(trees(OWN), test, EccSettings(max_length=7)).test
    # 3, 2, 6, 9, 8, 8, 4 and 8 tags; (INTJ …) is not covered
    assert (result.trees, result.trees_used, result.covered) == (8, 4, 3)
    assert result.covered_share == 0.75


def test_all_trees_are_used_for_training_whatever_their_length():
    assert ecc(trees(OWN), None, EccSettings(max_length=5)).train.rules == ecc(trees(OWN)).train.rules


def test_the_interval_is_2576_standard_errors():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    # s² = 5/3 with n − 1
    assert interval99(values) == pytest.approx(2.576 * math.sqrt(5 / 3) / 2)
    assert math.isnan(interval99(values[:1]))


def test_the_signature_names_the_settings():
    from treegauge import __version__

    assert EccSettings().signature == f"ecc|max-length:40|functions:cut|empty:cut|v{__version__}"
    changed = EccSettings(Cleaning(keep_empty=True, transform="parent"), 20, PARSEVAL_OPTIONS["collins"])
    assert "max-length:20|functions:cut|empty:kept|transform:parent|parseval:collins" in changed.signature


def test_several_threads_give_what_one_gives():
    one = ecc(trees(OWN), None, EccSettings(workers=1)).train
    assert ecc(trees(OWN), None, EccSettings(workers=3)).train == one


def test_growing_samples_are_nested_and_share_their_test_trees():
    own = trees(OWN)
    results = growing(own, own, parts=3, seed=1, name="own")
    assert [result.name for result in results] == ["own W1", "own W2", "own W3"]
    assert [result.train.trees for result in results] == [2, 4, 6]
    rules = [set(result.grammar.rule_code) for result in results]
    assert rules[0] <= rules[1] <= rules[2]
    covered = [result.test_measured.covered.tolist() for result in results]
    assert covered[0] == covered[1] == covered[2]
    assert results[2].train == ecc(own).train
    assert growing(own, own, parts=3, seed=1)[0].train == results[0].train
    with pytest.raises(CorpusError, match="6 trees; expected at least 7"):
        growing(own, parts=7)


def test_learning_curves_are_running_means_that_end_alike():
    delta = np.array([4.0, 0.0, 2.0, 6.0])
    curves = learning_curve(delta, seed=3)
    assert curves.shape == (3, 4)
    assert curves[:, -1] == pytest.approx([3, 3, 3])
    assert set(curves[:, 0]) <= set(delta)
    assert (learning_curve(delta, seed=3) == curves).all()


def test_results_become_tables():
    result = ecc(trees(OWN), leave_one_out=True)
    table = result.to_polars()
    assert table["sample"].to_list() == ["train", "leave-one-out"]
    assert table["ecc"][0] == result.train.ecc
    assert table["derivational_cross_entropy"][1] is None
    assert "<table" in result._repr_html_()
    sample = derivations(trees(OWN))
    rows = grammar_rows(TreebankGrammar.from_derivations(sample), sample)
    assert sentences_table(rows, "").to_polars()["tags"].to_list() == [len(tree) for tree in sample]


def test_no_trees_are_an_error():
    with pytest.raises(CorpusError, match="no trees"):
        ecc([])


def test_sentences_are_measured_one_by_one(data):
    sample = derivations(read_brackets(data / "toy_ambiguous.mrg").trees)
    grammar = TreebankGrammar.from_derivations(sample)
    (row,) = grammar_rows(grammar, sample, names=["here"])
    assert (row.sentence, row.name, row.tags, row.covered, row.parses) == (1, "here", 3, True, 4)
    assert row.delta == pytest.approx(2)
    assert row.tree_entropy == pytest.approx(2)
    assert row.log_prob == pytest.approx(-3 * math.log2(3))
    rows = grammar_rows(grammar, [["a", "a"], ["q"], [], ["a"] * 50])
    assert [(row.sentence, row.covered, row.parses) for row in rows] == [(1, True, 2), (2, False, 0)]
    assert rows[0].tree_entropy == pytest.approx(1)
    assert sentences_table(rows, "").records()[1]["tree_entropy"] is None


def test_a_treebank_is_given_by_paths_as_read_or_as_trees(data):
    path = data / "toy_ambiguous.mrg"
    figures = ecc(path).train
    for given in (str(path), [path], [str(path)], read_brackets(path), read_brackets([path]).trees):
        assert repr(ecc(given, given).train) == repr(ecc(given, given).test) == repr(figures)
        assert [row.delta for row in sentence_rows(given)] == [pytest.approx(2)]
    assert ecc([path, data / "toy_unambiguous.mrg"]).train.trees == 3
    assert ecc(path).name == str(path)


def test_endless_parses_have_no_number_and_many_keep_their_size():
    rows = [SentenceRow(1, "", 3, True, 0.0, 0.0, 0.0, parses, 0.0) for parses in (4.0, math.inf, 2.0**60)]
    table = sentences_table(rows, "")
    assert [row["parses"] for row in table.records()] == [4, None, 2.0**60]
    assert [cells[7] for cells in table.for_people()[1]] == ["4", "–", "1,152,921,504,606,846,976"]
    assert len(table.to_polars()) == 3


def brackets(text):
    return derivations(trees(text))[0]


def test_brackets_are_counted_as_a_multiset_without_top_and_tags():
    gold = brackets("(S (NP (NP (A a)) (B b)) (VP (V v)))")
    guess = brackets("(S (NP (A a) (B b)) (VP (VP (V v))))")
    # doubled VP goes in cleaning; gold: S NP NP VP, guess: S NP VP
    assert bracket_counts(gold.brackets, guess.brackets, gold.tags) == (3, 4, 3)
    twice = [("X", 0, 1), ("X", 0, 1)]
    assert bracket_counts(twice, twice[:1], ["A"]) == (1, 2, 1)
    assert bracket_counts(twice, twice, ["A"]) == (2, 2, 2)


def test_collins_options_delete_punctuation_and_join_prt_with_advp():
    gold = [("S", 0, 3), ("NP", 0, 2), ("PRT", 2, 3), ("X", 1, 2)]
    guess = [("S", 0, 3), ("NP", 0, 1), ("ADVP", 2, 3)]
    assert bracket_counts(gold, guess, ["A", ",", "B"], PARSEVAL_OPTIONS["collins"]) == (3, 3, 3)
    assert bracket_counts(gold, guess, ["A", ",", "B"]) == (1, 4, 3)


def test_precision_recall_and_exact_matches_come_from_summed_counts():
    scores = parseval_scores(np.array([[3, 4, 3], [2, 2, 2], [0, 0, 0]]))
    assert scores.lp == pytest.approx(1)
    assert scores.lr == pytest.approx(5 / 6)
    assert scores.f1 == pytest.approx(2 * 5 / 11)
    assert scores.emr == pytest.approx(2 / 3)
    # scores 0, 1, 1: s = √(1/3)
    assert scores.emr_ci == pytest.approx(2.576 * math.sqrt(1 / 3) / math.sqrt(3))
    assert math.isnan(parseval_scores(np.zeros((0, 3))).emr)


def test_parseval_of_trees_given_as_brackets():
    gold, guess = brackets("(S (NP (A a)) (B b))"), brackets("(S (A a) (VP (B b)))")
    scores = parseval_scores(np.array([bracket_counts(gold.brackets, guess.brackets, gold.tags)]))
    assert (scores.lp, scores.lr, scores.f1, scores.emr) == (0.5, 0.5, 0.5, 0)


def test_parseval_agrees_with_nltks_multisets_of_labelled_spans():
    """NLTK 3.9 and later: spans read off treepositions, another way to the same brackets."""
    pytest.importorskip("nltk")
    from treegauge.constituency.cleaning import clean
    from treegauge.constituency.trees import to_nltk

    def spans(tree):
        found, tree = [], to_nltk(clean(tree))
        order = {position: at for at, position in enumerate(tree.treepositions("leaves"))}
        for position in tree.treepositions():
            below = [at for leaf, at in order.items() if leaf[: len(position)] == position]
            if not isinstance(tree[position], str) and tree[position].height() > 2:
                found.append((tree[position].label(), min(below), max(below) + 1))
        return sorted(found)

    for tree in trees(OWN):
        assert sorted(derivations([tree])[0].brackets) == spans(tree)


@pytest.mark.data
class TestExpectedValues:
    """Computed independently; see the file for how trees are cleaned."""

    @pytest.fixture
    def runs(self, expected):
        return json.loads((expected / "ecc.json").read_text())["runs"]

    @pytest.fixture
    def const(self, evaluation_data):
        return evaluation_data / "const"

    def check(self, run, figures):
        for key, value in run.items():
            times = 100 if key in ("lp", "lr", "f1", "emr", "emr_ci") else 1  # fractions; the file has per cent
            if key not in ("train", "test"):
                assert times * getattr(figures, key) == pytest.approx(value, abs=1e-6), key

    def test_kethu(self, runs, const):
        train = read_brackets(const / "kethu" / "kethu-v2.0-925.mrg").trees
        test = read_brackets(const / "kethu" / "kethu-v2.0-105.mrg").trees
        result = ecc(train, test)
        self.check(runs[0], result.test)
        self.check(runs[1], result.train)

    def test_questionbank(self, runs, const):
        questions = read_brackets(const / "questionbank" / "4000qs.mrg", on_error="skip").trees
        self.check(runs[2], ecc(questions[:2000], questions[2000:]).test)


@pytest.mark.parametrize(("successes", "n"), [(2, 3), (0, 5), (5, 5), (480, 3597)])
def test_wilsons_interval_is_that_of_scipy_and_stays_within_bounds(successes, n):
    stats = pytest.importorskip("scipy.stats")
    low, high = wilson99(successes, n)
    expected = stats.binomtest(successes, n).proportion_ci(0.99, "wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-4)  # z is 2.576 in the paper
    assert 0 <= low <= successes / n <= high <= 1


def test_a_paired_t_test_is_that_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    for n in (2, 5, 50):
        first, second = rng.normal(size=n), rng.normal(0.3, size=n)
        assert paired_t(first - second) == pytest.approx(stats.ttest_rel(first, second).pvalue)
    assert math.isnan(paired_t(np.ones(1)))
    assert (paired_t(np.zeros(3)), paired_t(np.ones(3))) == (1.0, 0.0)
