import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.constituency.brute_force import every_tree, weight_by_rounds
from treegauge.constituency.brackets import parse_brackets
from treegauge.constituency.cleaning import clean
from treegauge.constituency.grammar import TAG, TreebankGrammar, derivation
from treegauge.constituency.parsing import bracket_tree, inside, n_parses, parser_of, tree_entropy, viterbi
from treegauge.constituency.trees import Leaf, Tree, as_tree, to_nltk

leaves = st.sampled_from("xyz").map(lambda tag: Leaf(tag, tag))
small_trees = st.recursive(
    st.builds(Tree, st.sampled_from("ABC"), st.lists(leaves, min_size=1, max_size=3).map(tuple)),
    lambda below: st.builds(Tree, st.sampled_from("ABC"), st.lists(below | leaves, min_size=1, max_size=3).map(tuple)),
    max_leaves=5,
)
# C can go back to A, so that half of the grammars have a cycle A → … → C → A
going_round = Tree("C", (Tree("A", (Tree("B", (Tree("C", (Leaf("x", "x"),)),)),)),))
treebanks = st.lists(small_trees, min_size=1, max_size=5)
treebanks = treebanks | treebanks.map(lambda treebank: [*treebank, going_round])
sentences = st.lists(st.sampled_from("xyz"), min_size=1, max_size=4)
thorough = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


def trees(text):
    return [tree for _, tree in parse_brackets(text)]


def has_unary_cycle(grammar):
    below = {}
    for rule in grammar.rule_code:
        if len(rule) == 2 and not rule[1].startswith(TAG):
            below.setdefault(rule[0], set()).add(rule[1])

    def reaches(a, goal, seen=()):
        return any(b == goal or (b not in seen and reaches(b, goal, (*seen, b))) for b in below.get(a, ()))

    return any(reaches(label, label) for label in below)


@thorough
@given(treebanks, sentences)
def test_inside_is_the_limit_of_its_own_equation(treebank, tags):
    grammar = TreebankGrammar.from_trees(treebank)
    assert 2 ** inside(grammar, tags) == pytest.approx(weight_by_rounds(grammar, tags), rel=1e-9)


@thorough
@given(treebanks, sentences)
def test_without_cycles_inside_sums_and_viterbi_chooses_among_every_tree(treebank, tags):
    grammar = TreebankGrammar.from_trees(treebank)
    assume(not has_unary_cycle(grammar))
    every = every_tree(grammar, tags)
    assert n_parses(grammar, tags) == len(every)
    best = viterbi(grammar, tags)
    if not every:
        assert inside(grammar, tags) == -math.inf
        assert best is None
        assert math.isnan(tree_entropy(grammar, tags))
        return
    total = math.fsum(p for p, _ in every)
    assert inside(grammar, tags) == pytest.approx(math.log2(total), abs=1e-9)
    found = {brackets: p for p, brackets in every}
    assert found[best.brackets] == pytest.approx(max(found.values()), rel=1e-9)
    assert best.log_prob == pytest.approx(math.log2(max(found.values())), abs=1e-9)
    entropy = -math.fsum(p / total * math.log2(p / total) for p, _ in every)
    assert tree_entropy(grammar, tags) == pytest.approx(entropy, abs=1e-9)


@thorough
@given(treebanks, sentences)
def test_viterbi_is_the_limit_of_its_own_equation(treebank, tags):
    grammar = TreebankGrammar.from_trees(treebank)
    best = viterbi(grammar, tags)
    found = 0.0 if best is None else 2**best.log_prob
    assert found == pytest.approx(weight_by_rounds(grammar, tags, max), rel=1e-9)


@thorough
@given(treebanks)
def test_the_best_tree_of_a_treebanks_sentence_is_made_of_its_rules(treebank):
    grammar = TreebankGrammar.from_trees(treebank)
    for tree in treebank:
        own = derivation(clean(tree))
        best = viterbi(grammar, own.tags)
        rebuilt = derivation(bracket_tree(best.brackets, own.tags))
        assert rebuilt.brackets == best.brackets
        codes = grammar.rule_codes(rebuilt)
        assert (codes >= 0).all()
        assert np.log2(grammar.prob[codes]).sum() == pytest.approx(best.log_prob, abs=1e-9)
        assert best.log_prob >= np.log2(grammar.prob[grammar.rule_codes(own)]).sum() - 1e-9


# p(A → B) = p(A → x) = 1/2, p(B → A) = p(B → y) = 1/2
CYCLE = "(A (B (A (x x)))) (A (B (y y)))"


def test_a_unary_cycle_is_summed_in_closed_form():
    grammar = TreebankGrammar.from_trees(trees(CYCLE))
    # counts: A → B 2, A → x 1; B → A 1, B → y 1. x: 1/3·(1 + 1/3 + 1/9 + …) = 1/3 · 1/(1 − 1/3) = 1/2
    assert inside(grammar, ["x"]) == pytest.approx(-1, abs=1e-12)
    # y: 2/3 · 1/2 · 3/2 = 1/2
    assert inside(grammar, ["y"]) == pytest.approx(-1, abs=1e-12)


def test_the_entropy_over_a_unary_cycle_is_that_of_the_geometric_distribution():
    grammar = TreebankGrammar.from_trees(trees(CYCLE))
    # the k-th tree of x has probability 2/3·(1/3)^k given x: H = −log2(2/3) − E[k]·log2(1/3), E[k] = 1/2
    assert tree_entropy(grammar, ["x"]) == pytest.approx(math.log2(3 / 2) + math.log2(3) / 2, abs=1e-12)


def test_a_unary_cycle_makes_the_number_of_parses_endless():
    grammar = TreebankGrammar.from_trees(trees(CYCLE))
    assert n_parses(grammar, ["x"]) == math.inf
    assert n_parses(grammar, ["x", "x"]) == 0


def test_a_cycle_elsewhere_leaves_the_number_of_parses_finite():
    grammar = TreebankGrammar.from_trees(trees(CYCLE + " (S (C (z z)) (C (z z)))"))
    assert n_parses(grammar, ["z", "z"]) == 1


def test_one_tag_sequence_of_the_toy_has_as_many_trees_as_the_paper_says(data):
    from treegauge.constituency.brackets import read_brackets

    grammar = TreebankGrammar.from_trees(read_brackets(data / "toy_ambiguous.mrg").trees)
    for n in (1, 2, 3, 10):
        # p(a^n) = 2^(n−1) / 3^n  (12)
        assert inside(grammar, ["a"] * n) == pytest.approx(n - 1 - n * math.log2(3), abs=1e-10)
        assert n_parses(grammar, ["a"] * n) == 2 ** (n - 1)
        assert tree_entropy(grammar, ["a"] * n) == pytest.approx(n - 1, abs=1e-9)


@pytest.mark.parametrize("n", [100, 400, 1500])
def test_long_sentences_do_not_underflow(data, n):
    from treegauge.constituency.brackets import read_brackets

    grammar = TreebankGrammar.from_trees(read_brackets(data / "toy_ambiguous.mrg").trees)
    assert inside(grammar, ["a"] * n) == pytest.approx(n - 1 - n * math.log2(3), rel=1e-12)
    assert viterbi(grammar, ["a"] * n).log_prob == pytest.approx(-n * math.log2(3), rel=1e-12)


def test_improbable_long_sentences_do_not_underflow_either():
    # the tag b is a thousand times rarer than a: 10 bits instead of almost none
    grammar = TreebankGrammar.from_counts(
        {("TOP", "S"): 1, ("S", TAG + "a", "S"): 1023, ("S", TAG + "b", "S"): 1, ("S", TAG + "c"): 1024}
    )
    bits = inside(grammar, ["b"] * 100 + ["c"])
    assert bits == pytest.approx(-11 * 100 - 1, rel=1e-12)


def test_equal_trees_are_chosen_by_the_first_rule_and_the_leftmost_split():
    grammar = TreebankGrammar.from_trees(trees("(S (a a) (S (S (a a)) (a a)))"))
    # S → a S comes before S → S a: tags stand before nonterminals
    assert (
        bracket_tree(viterbi(grammar, ["a"] * 3).brackets, ["a"] * 3) == trees("(TOP (S (a a) (S (a a) (S (a a)))))")[0]
    )
    grammar = TreebankGrammar.from_trees(trees("(S (S (S (a a)) (S (a a))) (S (a a)))"))
    # one rule S → S S: the split furthest left
    assert viterbi(grammar, ["a"] * 3).brackets == (
        ("TOP", 0, 3), ("S", 0, 3), ("S", 0, 1), ("S", 1, 3), ("S", 1, 2), ("S", 2, 3),
    )  # fmt: skip


def test_an_unknown_tag_or_no_tag_has_no_tree():
    grammar = TreebankGrammar.from_trees(trees("(S (a a) (b b))"))
    for tags in (["a", "q"], [], ["a"], ["a", "b", "a"]):
        assert inside(grammar, tags) == -math.inf
        assert viterbi(grammar, tags) is None
        assert n_parses(grammar, tags) == 0


def test_a_grammar_without_unary_rules_parses():
    grammar = TreebankGrammar.from_trees(trees("(TOP (a a) (b b))"))
    assert inside(grammar, ["a", "b"]) == 0
    assert viterbi(grammar, ["a", "b"]).brackets == (("TOP", 0, 2),)
    assert (n_parses(grammar, ["a", "b"]), tree_entropy(grammar, ["a", "b"])) == (1, 0)


def test_a_cycle_that_never_ends_is_refused():
    from treegauge.errors import CorpusError

    rules = {("TOP", "A"): 1, ("A", "B"): 1, ("B", "A"): 1}
    with pytest.raises(CorpusError, match="go round with probability 1"):
        inside(TreebankGrammar.from_counts({**rules, ("C", TAG + "c"): 1}), ["c"])


def test_a_grammar_that_has_parsed_can_be_pickled():
    import pickle

    grammar = TreebankGrammar.from_trees(trees("(S (a a) (b b))"))
    inside(grammar, ["a", "b"])
    assert inside(pickle.loads(pickle.dumps(grammar)), ["a", "b"]) == 0


def test_a_tag_and_a_nonterminal_of_one_name_stay_apart():
    grammar = TreebankGrammar.from_trees(trees("(S (X (X x)) (X x))"))
    assert grammar.nonterminals == ("S", "TOP", "X")
    assert grammar.tags == ("X",)
    assert inside(grammar, ["X", "X"]) == pytest.approx(0, abs=1e-12)


def test_other_probabilities_give_what_their_own_grammar_gives():
    text = "(S (A (x x)) (B (y y))) (S (A (x x) (y y)) (B (y y))) (S (B (A (x x) (y y))) (y y))"
    whole = TreebankGrammar.from_trees(trees(text))
    part = TreebankGrammar.from_trees(trees(text)[:2])
    prob = np.array([part.prob[part.rule_code[r]] if r in part.rule_code else 0.0 for r in whole.rule_code])
    for tags in (["x", "y"], ["x", "y", "y"]):
        codes = whole.tag_codes(tags)
        assert parser_of(whole).inside(codes, prob).log2 == pytest.approx(inside(part, tags), abs=1e-12)
        assert parser_of(whole).viterbi(codes, prob).brackets == viterbi(part, tags).brackets


def nltk_grammar(grammar):
    nltk = pytest.importorskip("nltk")
    rules = []
    for rule, code in grammar.rule_code.items():
        right = [s[1:] if s.startswith(TAG) else nltk.Nonterminal(s) for s in rule[1:]]
        rules.append(nltk.ProbabilisticProduction(nltk.Nonterminal(rule[0]), right, prob=float(grammar.prob[code])))
    return nltk.PCFG(nltk.Nonterminal("TOP"), rules)


OWN = """
(S (NP (DT the) (NN owl)) (VP (VBD saw) (NP (DT a) (NN mouse))) (. .))
(S (NP (PRP she)) (VP (VBD saw) (NP (NP (DT a) (NN mouse)) (PP (IN in) (NP (DT the) (NN barn))))) (. .))
(S (NP (PRP she)) (VP (VBD ate) (NP (DT the) (NN mouse)) (PP (IN in) (NP (NN silence)))) (. .))
(S (NP (NP (DT the) (NN owl)) (PP (IN of) (NP (DT the) (NN barn)))) (VP (VBD slept)) (. .))
"""


def test_viterbi_and_probabilities_agree_with_nltk():
    """NLTK 3.9 and later: induce_pcfg, ViterbiParser."""
    nltk = pytest.importorskip("nltk")
    own = trees(OWN)
    grammar = TreebankGrammar.from_trees(own)
    productions = [
        production for tree in own for production in to_nltk(clean(tree)).productions() if production.is_nonlexical()
    ]
    induced = nltk.induce_pcfg(nltk.Nonterminal("TOP"), productions)
    theirs = {(str(p.lhs()), tuple(str(s) for s in p.rhs())): p.prob() for p in induced.productions()}
    assert theirs == pytest.approx(
        {
            (rule[0], tuple(s.removeprefix(TAG) for s in rule[1:])): grammar.prob[code]
            for rule, code in grammar.rule_code.items()
        }
    )
    parser = nltk.ViterbiParser(nltk_grammar(grammar))
    for tags in (
        "DT NN VBD DT NN .",
        "PRP VBD DT NN IN DT NN .",
        "DT NN IN DT NN VBD DT NN IN NN .",
        "PRP VBD DT NN IN DT NN IN NN .",
    ):
        (best,) = parser.parse(tags.split())
        ours = viterbi(grammar, tags.split())
        assert ours.log_prob == pytest.approx(math.log2(best.prob()), abs=1e-9)


def test_inside_is_the_sum_of_nltks_trees():
    """NLTK 3.9 and later: InsideChartParser without a beam returns every tree with its probability."""
    nltk = pytest.importorskip("nltk")
    grammar = TreebankGrammar.from_trees(trees(OWN))
    tags = ["PRP", "VBD", "DT", "NN", "IN", "DT", "NN", "IN", "NN", "."]
    every = list(nltk.parse.InsideChartParser(nltk_grammar(grammar)).parse(tags))
    assert n_parses(grammar, tags) == len(every)
    assert inside(grammar, tags) == pytest.approx(math.log2(sum(tree.prob() for tree in every)), abs=1e-9)


def test_nltk_trees_come_in_and_go_out():
    nltk = pytest.importorskip("nltk")
    theirs = [nltk.Tree.fromstring(line) for line in OWN.strip().splitlines()]
    assert [as_tree(tree) for tree in theirs] == trees(OWN)
    assert [to_nltk(tree) for tree in trees(OWN)] == theirs
    assert TreebankGrammar.from_trees(theirs).rule_code == TreebankGrammar.from_trees(trees(OWN)).rule_code
    assert as_tree(nltk.Tree("UH", ["yes"])) == Tree("", (Leaf("UH", "yes"),))


@pytest.mark.parametrize("bad", ["not a tree", 3])
def test_what_is_no_tree_is_refused(bad):
    from treegauge.errors import CorpusError

    with pytest.raises(CorpusError, match="expected a Tree"):
        TreebankGrammar.from_trees([bad])
