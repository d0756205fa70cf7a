"""The probability of a tag sequence, summed over all its trees; its best tree; the entropy and number of its trees."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from threading import local
from typing import NamedTuple, TypeVar

import numpy as np

from treegauge.constituency.automaton import (
    Automaton,
    RuleWeights,
    automaton,
    best_chains,
    countings,
    reachable,
    weights,
)
from treegauge.constituency.chart_kernel import BOTH, EXPECT, MAX, SUM, Chart
from treegauge.constituency.grammar import TreebankGrammar
from treegauge.constituency.trees import Leaf, Tree
from treegauge.constituency.wide_chart import WideChart

Bracket = tuple[str, int, int]
Item = TypeVar("Item")
Result = TypeVar("Result")

_OTHER_SCALES = (
    2,
    -2,
    4,
    -4,
    7,
    -7,
    11,
    -11,
)  # so many bits are added to the scale if a sum is out of the range of a double
_SHORT = 40  # sentences up to this length never are
_SMALL = 2.0**-900  # a double below this may have lost digits


@dataclass(frozen=True, slots=True)
class BestTree:
    """The most probable tree of a tag sequence."""

    brackets: tuple[Bracket, ...]  # (nonterminal, from, to) in preorder
    log_prob: float  # base 2


class ScaledNumber(NamedTuple):
    """A number that may be too small for a float: mantissa · 2^exponent, with a mantissa below 1."""

    mantissa: float
    exponent: int

    @property
    def log2(self) -> float:
        """The logarithm, -inf for 0."""
        return self.exponent + math.log2(self.mantissa) if self.mantissa else -math.inf

    @staticmethod
    def of(value: Decimal) -> ScaledNumber:
        """The number of a decimal."""
        if not value:
            return ScaledNumber(0.0, 0)
        exponent = math.floor(value.ln() / Decimal(2).ln()) + 1
        return ScaledNumber(float(value / Decimal(2) ** exponent), exponent)

    def bits_above(self, other: ScaledNumber) -> float:
        """log2 of the quotient of two numbers; exactly 0 if they are equal, exactly 1 if one is twice the other."""
        return (self.exponent - other.exponent) + (math.log2(self.mantissa) - math.log2(other.mantissa))


class ChartParser:
    """A parser of a grammar: its automaton, and a chart for every thread and use.

    Every tag's weight is multiplied by a power of two close to the cost of a tag under the grammar, so that
    the weight of a span of any length stays near 1; at the end the power is removed again, without rounding.
    """

    def __init__(self, grammar: TreebankGrammar) -> None:
        self.grammar = grammar
        self.auto: Automaton = automaton(grammar)
        self._charts = local()

    @cached_property
    def scale_bits(self) -> int:
        """The bits that a tag costs on average: Σ f(r)·−log2 p(r) over the occurrences of tags."""
        n_nt = len(self.grammar.nonterminals)
        tags = sum(
            int(count) * sum(symbol >= n_nt for symbol in right)
            for count, right in zip(self.grammar.count, self.grammar.rhs, strict=True)
        )
        bits = float(-(self.grammar.count * np.log2(self.grammar.prob)).sum())
        return round(bits / tags) if tags else 0

    @cached_property
    def sum_weights(self) -> RuleWeights:
        """The weights of the rules' own probabilities."""
        return weights(self.auto, self.grammar.prob)

    @cached_property
    def _max_weights(self) -> tuple[RuleWeights, np.ndarray, np.ndarray]:
        return _best_weights(self.auto, self.grammar.prob)

    @cached_property
    def _countings(self) -> tuple[RuleWeights, ...]:
        ones = np.ones(self.grammar.n_rules)
        return tuple(weights(self.auto, ones, closure) for closure in countings(self.auto))

    def chart(self, mode: int, use: str = "") -> Chart:
        """The chart of this thread for a mode and use; the caller sets its weights."""
        charts: dict[tuple[int, str], Chart] = self._charts.__dict__.setdefault("charts", {})
        if (mode, use) not in charts:
            charts[mode, use] = Chart(self.auto, self.grammar.start, mode)
        return charts[mode, use]

    def inside(self, codes: np.ndarray, prob: np.ndarray | None = None) -> ScaledNumber:
        """p(w) of a sequence of tag codes, however small; 0 without a tree. prob: other probabilities of the rules."""
        chart = self.chart(SUM)
        chart.weigh(self.sum_weights if prob is None else weights(self.auto, prob))
        total, _, scale = self._filled(chart, codes)
        if self._too_small(total, codes):
            return ScaledNumber.of(self._wide(prob).sums(codes)[0])
        mantissa, exponent = math.frexp(total)
        return ScaledNumber(mantissa, exponent - len(codes) * scale)

    def expectation(self, codes: np.ndarray) -> tuple[float, float]:
        """log2 p(w), and the entropy in bits of the trees of w; -inf and nan without a tree.

        H(T|w) = −Σ p(t|w)·log2 p(t|w) = log2 p(w) − E[log2 p(t) | w]   (§3.2, after Hwa 2004)
        """
        chart = self.chart(EXPECT)
        chart.weigh(self.sum_weights)
        total, more, scale = self._filled(chart, codes)
        if self._too_small(total, codes):
            value, logs = self._wide(None).sums(codes)
            log_prob = ScaledNumber.of(value).log2
            return log_prob, max(0.0, log_prob - float(logs / value) / math.log(2)) if value else math.nan
        if not total:
            return -math.inf, math.nan
        log_prob = math.log2(total) - len(codes) * scale
        return log_prob, max(0.0, log_prob - more / total / math.log(2))

    def viterbi(self, codes: np.ndarray, prob: np.ndarray | None = None) -> BestTree | None:
        """The most probable tree, None without one."""
        chart = self.chart(MAX)
        weighed, chain, step = self._max_weights if prob is None else _best_weights(self.auto, prob)
        chart.weigh(weighed)
        chart.trace(self.grammar.prob if prob is None else prob, chain, step)
        if len(codes) == 0:
            return None
        brackets = np.empty((8 * len(codes) + 64, 3), dtype=np.int32)
        for scale in self._scales(len(codes)):
            count, (_, _, value) = chart.best(codes, 2.0**scale, brackets)
            if count == -2:  # very long unary chains: not enough room
                brackets = np.empty((len(codes) * 2 * (self.auto.n_nonterminals + 1), 3), dtype=np.int32)
                count, (_, _, value) = chart.best(codes, 2.0**scale, brackets)
            if count >= 0 and math.isfinite(value):
                break
            if count == -1 and not self._has_tree(codes):
                return None
        if self._too_small(value if count >= 0 else 0.0, codes):
            weight, wide = self._wide(prob).best(codes)
            return self._best_tree(wide, ScaledNumber.of(weight).log2) if weight else None
        return self._best_tree(brackets[:count].tolist(), math.log2(value) - len(codes) * scale) if count >= 0 else None

    def inside_and_best(
        self, codes: np.ndarray, prob: np.ndarray | None = None
    ) -> tuple[ScaledNumber, BestTree | None]:
        """The values of `inside` and `viterbi`, in one pass if that is possible."""
        chart, scale = self.chart(BOTH), self.scale_bits
        summed = self.sum_weights if prob is None else weights(self.auto, prob)
        weighed, chain, step = self._max_weights if prob is None else _best_weights(self.auto, prob)
        chart.weigh(summed, weighed.closure)
        chart.trace(self.grammar.prob if prob is None else prob, chain, step)
        brackets = np.empty((8 * len(codes) + 64, 3), dtype=np.int32)
        if len(codes) > 0 and (codes >= 0).all() and np.array_equal(summed.closure_lhs, weighed.closure_lhs):
            count, (total, _, value) = chart.best(codes, 2.0**scale, brackets)
            if count >= 0 and value > _SMALL and math.isfinite(total):
                mantissa, exponent = math.frexp(total)
                best = self._best_tree(brackets[:count].tolist(), math.log2(value) - len(codes) * scale)
                return ScaledNumber(mantissa, exponent - len(codes) * scale), best
        return self.inside(codes, prob), self.viterbi(codes, prob)

    def _best_tree(self, brackets: Sequence[Sequence[int]], log_prob: float) -> BestTree:
        names = self.grammar.nonterminals
        return BestTree(tuple((names[label], begin, end) for label, begin, end in brackets), log_prob)

    @cached_property
    def _has_small_chains(self) -> bool:
        """Whether some chain of unary rules is so improbable that doubles may fail."""
        chain, auto = self._max_weights[1], self.auto
        step = np.zeros(chain.shape, dtype=bool)
        step[auto.unary_lhs, auto.unary_child] = True
        return bool((chain[reachable(step)] < _SMALL).any())

    def _too_small(self, value: float, codes: np.ndarray) -> bool:
        """Whether a sentence's weight is, or may be, too small for a double."""
        return value < _SMALL and self._has_small_chains and bool((codes >= 0).all()) and self._has_tree(codes)

    @cached_property
    def _own_wide(self) -> WideChart:
        return WideChart(self.grammar, self.grammar.prob)

    def _wide(self, prob: np.ndarray | None) -> WideChart:
        return self._own_wide if prob is None else WideChart(self.grammar, prob)

    def n_parses(self, codes: np.ndarray) -> float:
        """How many trees a sequence of tag codes has; inf if a unary cycle can stand in one of them.

        The number is the inside weight if every rule weighs 1. Chains through a cycle are counted once, and
        then not at all: if that makes a difference the number of trees is infinite.
        """
        chart = self.chart(SUM)
        totals = []
        for counted in self._countings:
            chart.weigh(counted)
            totals.append(self._filled(chart, codes, -1))
        if totals[0] != totals[1]:
            return math.inf
        total, _, scale = totals[0]
        try:
            return math.ldexp(total, -len(codes) * scale)
        except OverflowError:
            return math.inf

    def _filled(self, chart: Chart, codes: np.ndarray, bits: int | None = None) -> tuple[float, float, int]:
        """The weight of a sequence, the sum for its expected log, and the bits by which each tag was scaled."""
        if len(codes) == 0 or (codes < 0).any():
            return 0.0, 0.0, 0
        for scale in self._scales(len(codes), bits):
            total, more, _ = chart.fill(codes, 2.0**scale)
            if total > 0 and math.isfinite(total) and math.isfinite(more):
                return total, more, scale
            if len(codes) <= _SHORT or not self._has_tree(codes):
                break
        return 0.0, 0.0, 0

    def _has_tree(self, codes: np.ndarray) -> bool:
        """Whether there is any tree: if every rule weighs 1, no weight is too small for a double."""
        chart = self.chart(SUM, "any tree")
        chart.weigh(self._countings[0])
        return bool(chart.fill(codes, 1.0)[0] != 0)

    def _scales(self, n: int, bits: int | None = None) -> list[int]:
        first = self.scale_bits if bits is None else bits
        return [first] if n <= _SHORT else [first, *(first + other for other in _OTHER_SCALES)]


def _best_weights(auto: Automaton, prob: np.ndarray) -> tuple[RuleWeights, np.ndarray, np.ndarray]:
    """Weights with the best unary chains, these chains, and the first step of each."""
    chain, step = best_chains(auto, prob)
    return weights(auto, prob, chain), chain, step


def parser_of(grammar: TreebankGrammar) -> ChartParser:
    """The parser of a grammar, made once."""
    if "_parser" not in grammar.__dict__:
        grammar.__dict__["_parser"] = ChartParser(grammar)
    parser: ChartParser = grammar.__dict__["_parser"]
    return parser


def inside(grammar: TreebankGrammar, tags: Sequence[str]) -> float:
    """log2 p(w): the probability of a tag sequence, summed over all its trees (8); -inf if it has none.

    The result is exact: nothing is pruned, and unary cycles are summed to infinity in closed form.
    """
    return parser_of(grammar).inside(grammar.tag_codes(tags)).log2


def viterbi(grammar: TreebankGrammar, tags: Sequence[str]) -> BestTree | None:
    """The most probable tree of a tag sequence, None if it has none.

    Probabilities that agree to ten digits are equal. Among equal trees, from the root down: no unary chain
    before a unary chain, then the chain that ends in the alphabetically first nonterminal, then the
    alphabetically first rule (tags before nonterminals), then the split furthest to the left, the last split
    looked at first.
    """
    return parser_of(grammar).viterbi(grammar.tag_codes(tags))


def tree_entropy(grammar: TreebankGrammar, tags: Sequence[str]) -> float:
    """H(T|w) in bits: how uncertain the grammar is about the tree of a tag sequence; nan if it has none."""
    return parser_of(grammar).expectation(grammar.tag_codes(tags))[1]


def n_parses(grammar: TreebankGrammar, tags: Sequence[str]) -> float:
    """How many trees a tag sequence has; inf if unary cycles make the number infinite."""
    return parser_of(grammar).n_parses(grammar.tag_codes(tags))


def bracket_tree(brackets: Sequence[Bracket], tags: Sequence[str], words: Sequence[str] | None = None) -> Tree:
    """The tree of brackets in preorder, over tags; without words the tags stand for them."""
    leaves = [Leaf(tag, word) for tag, word in zip(tags, tags if words is None else words, strict=True)]
    done: list[tuple[int, int, Tree]] = []  # trees without a parent yet, the leftmost last
    for label, begin, end in reversed(brackets):
        children: list[Tree | Leaf] = []
        place = begin
        while place < end:
            if done and done[-1][0] == place and done[-1][1] <= end:
                _, place, below = done.pop()
                children.append(below)
            else:
                children.append(leaves[place])
                place += 1
        done.append((begin, end, Tree(label, tuple(children))))
    return done[0][2]


def tree_probability(prob: np.ndarray) -> ScaledNumber:
    """p(t) = Π p(A → α) over the rules of a tree (7), given the probability of each."""
    mantissa, exponent = 1.0, 0
    for p in prob.tolist():
        mantissa, more = math.frexp(mantissa * p)
        exponent += more
    return ScaledNumber(mantissa, exponent)


def each(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Result]:
    """The results of `work` on every item, by threads; progress is told how many are done. Kernels run in parallel."""
    n_workers = workers or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else workers or 1
    results: list[Result] = []
    with ThreadPoolExecutor(n_workers) as pool:
        try:
            for result in map(work, items) if n_workers == 1 or len(items) < 2 else pool.map(work, items):
                results.append(result)
                if progress:
                    progress(1)
        except BaseException:  # an interrupt does not wait for the rest
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results
