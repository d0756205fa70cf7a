"""Prefix probabilities and entropies against their definition: all trees of a small grammar, one by one."""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.constituency.grammar import TAG, TreebankGrammar
from treegauge.constituency.parsing import inside, parser_of, tree_entropy
from treegauge.constituency.prefixes import Prefixes, PrefixParser
from treegauge.errors import CorpusError


def grammar_of(rules: dict[str, int]) -> TreebankGrammar:
    """A grammar of `A: B c`, capitals nonterminals and the rest tags, with counts."""
    counts = {}
    for rule, count in rules.items():
        left, _, right = rule.partition(": ")
        counts[left, *(symbol if symbol.isupper() else TAG + symbol for symbol in right.split())] = count
    return TreebankGrammar.from_counts(counts)


def every_tree(grammar: TreebankGrammar, least: float = 1e-16) -> Iterator[tuple[tuple[int, ...], float]]:
    """The tags and the probability of every tree, but for those less probable; one item for each tree."""
    n = len(grammar.nonterminals)
    waiting: list[tuple[tuple[int, ...], tuple[int, ...], float]] = [((), (grammar.start,), 1.0)]
    while waiting:
        done, symbols, p = waiting.pop()
        while symbols and symbols[0] >= n:
            done, symbols = (*done, symbols[0] - n), symbols[1:]
        if not symbols:
            yield done, p
            continue
        for left, right, share in zip(grammar.lhs, grammar.rhs, grammar.prob, strict=True):
            if left == symbols[0] and p * share > least:
                waiting.append((done, right + symbols[1:], p * share))


def by_definition(grammar: TreebankGrammar, tags: list[str], least: float = 1e-16) -> Prefixes:
    """What `PrefixParser.prefixes` should give."""
    codes = tuple(grammar.tag_codes(tags).tolist())
    found: list[list[float]] = [[] for _ in range(len(codes) + 2)]
    for seen, p in every_tree(grammar, least):
        for k in range(len(codes) + 1):
            if seen[:k] == codes[:k]:
                found[k].append(p)
        if seen == codes:
            found[-1].append(p)
    totals = [math.fsum(ps) for ps in found]
    logs = [math.log2(total) if total else -math.inf for total in totals]
    bits = [
        math.fsum(-p / total * math.log2(p / total) for p in ps) if total else math.nan
        for ps, total in zip(found, totals, strict=True)
    ]
    return Prefixes(np.array(logs), np.array(bits))


def prefixes_of(grammar: TreebankGrammar, tags: list[str]) -> Prefixes:
    return PrefixParser(parser_of(grammar)).prefixes(grammar.tag_codes(tags))


GRAMMARS = {
    "finite": {"TOP: S": 3, "TOP: NP": 1, "S: NP VP": 5, "NP: d n": 3, "NP: n": 2, "VP: v": 1, "VP: v NP": 3},
    "left recursion": {"TOP: NP": 9, "NP: NP p n": 1, "NP: n": 6, "NP: d n": 5},
    "right recursion": {"TOP: S": 9, "S: n S": 1, "S: v": 11, "S: n v d": 5},
    "unary cycle": {"TOP: A": 4, "A: B": 1, "B: A": 1, "A: a": 6, "B: b": 7, "B: b A": 1},
    "hidden left recursion": {"TOP: A": 7, "A: B x": 3, "B: A": 1, "B: b": 8, "A: a": 6, "A: a B": 1},
    "open symbols behind an open one": {
        "TOP: S": 5,
        "S: a B C D": 3,
        "S: a B": 2,
        "B: b": 4,
        "B: b b": 1,
        "C: c": 2,
        "C: a": 1,
        "D: d": 2,
        "D: c d": 1,
    },
    "mixed right sides": {"TOP: A c": 2, "TOP: c": 1, "A: c A d": 1, "A: c d": 19, "A: A d c": 1, "A: d": 19},
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_every_beginning_sums_over_every_tree_that_goes_on(name: str) -> None:
    grammar = grammar_of(GRAMMARS[name])
    for length in (0, 1, 2, 3):
        for tags in product(grammar.tags, repeat=length):
            ours, true = prefixes_of(grammar, list(tags)), by_definition(grammar, list(tags), 1e-13)
            likely = true.log_prob > -14  # what enumeration leaves out would show below
            assert 2**ours.log_prob == pytest.approx(2**true.log_prob, abs=1e-9)
            assert ours.entropy[likely] == pytest.approx(true.entropy[likely], abs=1e-5)


def test_a_finite_grammar_agrees_to_the_last_digits() -> None:
    grammar = grammar_of(GRAMMARS["finite"])
    ours, true = (of(grammar, ["d", "n", "v", "d", "n"]) for of in (prefixes_of, by_definition))
    assert ours.log_prob == pytest.approx(true.log_prob, abs=1e-12)
    assert ours.entropy == pytest.approx(true.entropy, abs=1e-12)


def test_by_hand() -> None:
    # TOP → A; A → a (1/2), A → a b (1/4), A → b (1/4): p(a…) = 3/4; then b with 1/3, or the end with 2/3
    found = prefixes_of(grammar_of({"TOP: A": 4, "A: a": 2, "A: a b": 1, "A: b": 1}), ["a", "b"])
    assert found.surprisal == pytest.approx([math.log2(4 / 3), math.log2(3), 0.0])
    before, after_a = 1.5, math.log2(3) - 2 / 3
    assert found.entropy == pytest.approx([before, after_a, 0.0, 0.0])
    assert found.entropy_reduction == pytest.approx([before - after_a, after_a, 0.0])


def test_an_impossible_tag_ends_the_probabilities() -> None:
    grammar = grammar_of(GRAMMARS["finite"])
    for wrong in ("v", "no such tag"):
        found = prefixes_of(grammar, ["d", wrong, "n"])
        assert math.isfinite(found.surprisal[0])
        assert found.surprisal[1] == math.inf
        assert np.isnan(found.surprisal[2:]).all()
        assert np.isnan(found.entropy_reduction[1:]).all()


def test_rules_that_never_end_are_refused() -> None:
    with pytest.raises((CorpusError, np.linalg.LinAlgError)):
        PrefixParser(parser_of(grammar_of({"TOP: A": 1, "A: A a": 1})))


symbols = st.sampled_from(["A", "B", "a", "b", "c"])


@st.composite
def tree_counts(draw: st.DrawFn) -> dict[tuple[str, ...], int]:
    """Rules counted from random finite trees."""
    counts: dict[tuple[str, ...], int] = {}

    def grow(label: str, depth: int) -> None:
        pool = symbols if depth else st.sampled_from(["a", "b", "c"])
        right = draw(st.lists(pool, min_size=1, max_size=3))
        rule = (label, *(symbol if symbol.isupper() else TAG + symbol for symbol in right))
        counts[rule] = counts.get(rule, 0) + 1
        for symbol in right:
            if symbol.isupper():
                grow(symbol, depth - 1)

    for _ in range(draw(st.integers(1, 3))):
        counts["TOP", "A"] = counts.get(("TOP", "A"), 0) + 1
        grow("A", 3)
    return counts


@given(tree_counts(), st.lists(st.sampled_from("abc"), min_size=1, max_size=7))
@settings(max_examples=150, deadline=None)
def test_laws_that_hold_for_every_grammar(counts: dict[tuple[str, ...], int], tags: list[str]) -> None:
    grammar = TreebankGrammar.from_counts(counts)
    parser = PrefixParser(parser_of(grammar))
    found = parser.prefixes(grammar.tag_codes(tags))
    # the surprisals add up to the sentence's, the last entropy is that of its trees
    assert found.log_prob[-1] == pytest.approx(inside(grammar, tags), abs=1e-9)
    if math.isfinite(found.log_prob[-1]):
        assert found.surprisal.sum() == pytest.approx(-inside(grammar, tags), abs=1e-9)
        assert found.entropy[-1] == pytest.approx(tree_entropy(grammar, tags), abs=1e-9)
    # whatever comes next, or the end: together certain
    if math.isfinite(found.log_prob[-2]):
        after = [parser.prefixes(grammar.tag_codes([*tags, tag])).log_prob[-2] for tag in grammar.tags]
        assert sum(2**log for log in [*after, found.log_prob[-1]]) == pytest.approx(2 ** found.log_prob[-2], rel=1e-9)
    # a beginning has the same value whatever comes after it
    shorter = parser.prefixes(grammar.tag_codes(tags[:-1]))
    assert shorter.log_prob[:-1] == pytest.approx(found.log_prob[: len(tags)], abs=1e-9)


def test_a_long_sentence_does_not_underflow() -> None:
    grammar = grammar_of(GRAMMARS["left recursion"])
    tags = ["n", *["p", "n"] * 600]
    found = prefixes_of(grammar, tags)
    assert found.surprisal.sum() == pytest.approx(-inside(grammar, tags))
    assert np.isfinite(found.surprisal).all()


@pytest.mark.parametrize("name", GRAMMARS)
def test_genlm_grammar_has_the_same_values(name: str) -> None:
    """A second opinion, where it is installed (genlm-grammar 0.2)."""
    genlm = pytest.importorskip("genlm.grammar")
    grammar = grammar_of(GRAMMARS[name])
    names = [*grammar.nonterminals, *(f"/{tag}" for tag in grammar.tags)]
    other = genlm.CFG(genlm.Float, S="TOP", V={f"/{tag}" for tag in grammar.tags})
    for left, right, p in zip(grammar.lhs, grammar.rhs, grammar.prob, strict=True):
        other.add(float(p), names[left], *(names[symbol] for symbol in right))
    begun = other.prefix_grammar
    for tags in product(grammar.tags, repeat=2):
        ours, theirs = prefixes_of(grammar, list(tags)), [f"/{tag}" for tag in tags]
        assert 2 ** ours.log_prob[2:] == pytest.approx([float(begun(theirs)), float(other(theirs))], abs=1e-12)
