"""Grammars and brackets of a size nobody meant: right answers or one-line refusals, in time that grows linearly."""

import itertools
import math

import numpy as np
import pytest

from treegauge.constituency.automaton import MOST_NONTERMINALS, automaton
from treegauge.constituency.brackets import parse_brackets
from treegauge.constituency.grammar import TreebankGrammar
from treegauge.constituency.measures import ecc
from treegauge.constituency.parsing import bracket_tree, inside, parser_of, tree_entropy, viterbi
from treegauge.constituency.wide_chart import WideChart
from treegauge.errors import CorpusError


def trees(text):
    return [found for _, found in parse_brackets(text)]


def chain_grammar(levels, others):
    """Trees of one long chain down to t, each label of which mostly stands over u."""
    chain = "".join(f"(X{k} " for k in range(levels)) + "(T t)" + ")" * levels
    return trees(chain + "\n" + "".join(f"(R (X{k} (U u)) (Z z))\n" * others for k in range(levels)))


@pytest.mark.parametrize("levels", [20, 236, 240, 248])
def test_the_best_tree_is_found_however_improbable_its_unary_chain_is(levels):
    sample = chain_grammar(levels, 19)
    grammar = TreebankGrammar.from_trees(sample)
    # TOP → X0 once in 1 + 19·levels trees, every step of the chain once in twenty
    bits = -math.log2(1 + 19 * levels) - levels * math.log2(20)
    best = viterbi(grammar, ["T"])
    assert [label for label, _, _ in best.brackets] == ["TOP", *(f"X{k}" for k in range(levels))]
    assert best.log_prob == pytest.approx(bits, rel=1e-12)
    assert inside(grammar, ["T"]) == pytest.approx(bits, rel=1e-12)
    assert tree_entropy(grammar, ["T"]) == pytest.approx(0, abs=1e-9)
    assert viterbi(grammar, ["U"]) is not None
    assert viterbi(grammar, ["Z"]) is None
    assert bracket_tree(best.brackets, ["T"]).label == "TOP"
    if levels < 100 or levels == 248:
        assert ecc(sample).train.covered == len(sample)


def test_decimals_give_what_doubles_give():
    text = "(S (NP (D d) (N n)) (VP (V v) (NP (N n))))\n(S (VP (V v)))\n"
    text += "(S (NP (NP (N n)) (PP (P p) (NP (N n)))) (VP (V v)))\n"
    grammar = TreebankGrammar.from_trees(
        trees(text + "(S (S (VP (V v) (PP (P p) (NP (N n))))))\n(NP (S (VP (V v))))\n")
    )
    wide, parser = WideChart(grammar, grammar.prob), parser_of(grammar)
    found = 0
    for tags in itertools.chain.from_iterable(itertools.product("DNVP", repeat=n) for n in range(1, 6)):
        codes = grammar.tag_codes(tags)
        total, logs = wide.sums(codes)
        assert float(total) == pytest.approx(2 ** parser.inside(codes).log2, rel=1e-9)
        if not total:
            continue
        found += 1
        _, entropy = parser.expectation(codes)
        assert math.log2(total) - float(logs / total) / math.log(2) == pytest.approx(entropy, abs=1e-9)
        weight, brackets = wide.best(codes)
        best = parser.viterbi(codes)
        assert float(weight) == pytest.approx(2**best.log_prob, rel=1e-9)
        names = [(grammar.nonterminals[label], begin, end) for label, begin, end in brackets]
        rules = math.prod(_rule_probs(grammar, bracket_tree(names, tags)))
        assert rules == pytest.approx(float(weight), rel=1e-9)  # it is a tree of the grammar, of that weight
    assert found > 10


def _rule_probs(grammar, tree):
    from treegauge.constituency.grammar import derivation

    return grammar.prob[grammar.rule_codes(derivation(tree))].tolist()


def test_a_million_brackets_that_never_close_are_a_million_defects():
    found = list(parse_brackets("(A\n" * 20_000 + "(S (A a))\n"))
    assert len(found) == 20_001
    assert found[-1] == (20_001, trees("(S (A a))")[0])
    assert "nest more than 250 deep, inside (A (A (A … (A (A (open since line 1)" in found[0][1]
    assert found[19_998][1] == "the text ends inside (A (A (open since line 19999); expected )"


def test_a_tree_that_closes_but_is_too_deep_costs_only_itself():
    deep, good = "(A " * 5000 + "(B b)" + ")" * 5000, "(S (A a))"
    assert [type(found).__name__ for found in trees(f"{deep}\n{good}\n")] == ["str", "Tree"]


def test_a_flat_tree_of_many_leaves_makes_a_grammar_of_its_size():
    grammar = TreebankGrammar.from_trees(trees("(S " + "(T t) " * 50_000 + ")\n(S (T t))\n"))
    assert automaton(grammar).n_prefixes == 49_998
    assert inside(grammar, ["T"]) == pytest.approx(-1)


def test_more_labels_than_there_is_room_for_are_refused():
    text = "".join(f"(S (L{k} (T t)))\n" for k in range(MOST_NONTERMINALS))
    with pytest.raises(CorpusError, match=r"6,002 nonterminals; expected at most 6,000"):
        ecc(trees(text))


def test_weights_too_small_to_follow_are_told_and_not_followed():
    grammar = TreebankGrammar.from_trees(chain_grammar(248, 19))
    parser = parser_of(grammar)
    chart = parser.chart(2)
    weighed, chain, step = parser._max_weights
    chart.weigh(weighed, weighed.closure)
    chart.trace(grammar.prob, chain, step)
    count, _ = chart.best(grammar.tag_codes(["T"]), 1.0, np.zeros((600, 3), dtype=np.int32))
    assert count in (-1, -3)
