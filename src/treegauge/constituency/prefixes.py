"""Prefix probabilities: how probable it is that a sentence begins with these tags, and the entropy after them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treegauge.constituency.automaton import summed_chains, times_log
from treegauge.constituency.chart_kernel import EXPECT, Chart
from treegauge.constituency.grammar import TreebankGrammar
from treegauge.constituency.parsing import ChartParser

_OTHER_SCALES = (0.0, 2.0, -2.0, 5.0, -5.0)  # bits added to the scale if a weight is out of the range of a double


@dataclass(frozen=True, eq=False)
class LeftCorners:
    """The symbols that may be at the left edge of each nonterminal, over chains of rules of any length.

        L[A, X] = Σ p(A → X β),   L* = I + L + L² + … = (I − L)⁻¹

    Left recursion is such a chain; the series converges for rules counted from finite trees. h(A) is the entropy, in
    nats, of the trees of A (Grenander 1967; Hale 2006), with N[A, B] the number of B in an expansion of A:

        h = η + N·h,   η(A) = −Σ p(A → α)·ln p(A → α)

    Arrays with `more` in their names are for the expected log: Σ p(A → X β)·(ln p(A → X β) − h(β)).
    """

    closure: np.ndarray  # L* between nonterminals
    closure_more: np.ndarray
    tag: np.ndarray  # nonterminal × tag: p(A → tag β), summed
    tag_more: np.ndarray
    entropy: np.ndarray  # h of each nonterminal


def left_corners(grammar: TreebankGrammar) -> LeftCorners:
    """The left corners of a grammar, and the entropy of the trees of each nonterminal."""
    n, n_symbols = len(grammar.nonterminals), len(grammar.nonterminals) + len(grammar.tags)
    own = times_log(grammar.prob)
    children = np.zeros((n, n))
    for left, right, p in zip(grammar.lhs.tolist(), grammar.rhs, grammar.prob.tolist(), strict=True):
        for symbol in right:
            if symbol < n:
                children[left, symbol] += p
    entropy = np.linalg.solve(np.eye(n) - children, -np.bincount(grammar.lhs, weights=own, minlength=n))
    step, more = np.zeros((2, n, n_symbols))
    rest = [*entropy.tolist(), *[0.0] * len(grammar.tags)]
    for rule, (left, right) in enumerate(zip(grammar.lhs.tolist(), grammar.rhs, strict=True)):
        step[left, right[0]] += grammar.prob[rule]
        more[left, right[0]] += own[rule] - grammar.prob[rule] * sum(rest[symbol] for symbol in right[1:])
    closure = summed_chains(step[:, :n], more[:, :n])
    return LeftCorners(*closure, np.ascontiguousarray(step[:, n:]), np.ascontiguousarray(more[:, n:]), entropy)


@dataclass(frozen=True, eq=False)
class Prefixes:
    """The values of a sequence of n tags: for its first 0 … n tags, then for the complete sentence."""

    log_prob: np.ndarray  # n + 2: log2 p of sentences that begin so; last: log2 p of this sentence; -inf for p = 0
    entropy: np.ndarray  # n + 2: bits, of the trees of all such sentences; nan if there are none

    @property
    def surprisal(self) -> np.ndarray:
        """−log2 p(tag | tags before) of each tag, and of the end: n + 1; inf for the first impossible one, then nan."""
        before, after = self.log_prob[:-1], self.log_prob[1:]
        with np.errstate(invalid="ignore"):
            bits: np.ndarray = np.maximum(before - after, 0.0)  # by rounding, a sum over more trees may be larger
        return np.where(np.isfinite(before), bits, np.nan)

    @property
    def entropy_reduction(self) -> np.ndarray:
        """max(0, H before − H after) of each tag, and of the end: n + 1 (Hale 2006); nan if undefined."""
        return np.maximum(0.0, self.entropy[:-1] - self.entropy[1:])


class PrefixParser:
    """Computes prefix probabilities by a grammar, with its chart parser and its left corners.

    A tree that covers a prefix and goes on is a path of open nodes down to the next tag. A node that is open at place
    i has the rule A → π X β: π is complete and ends at i, X is open, β is unknown. With f_l(A) the weight of
    all paths down to an A that begins at l,

        e_i(X) = Σ_l Σ_A f_l(A) · Σ_{A → π X β} p · inside(π, l, i),    f_i = e_i · L*,    e_0 = 1 at TOP

    over rules whose π is not empty: rules with an empty π are in L*. The probability that a sentence begins with
    w_1 … w_k is f_{k−1}(w_k). All places of a sequence come out of one pass from left to right after the inside pass
    (Jelinek and Lafferty 1991; Stolcke 1995 reads the rules one by one).
    """

    def __init__(self, parser: ChartParser) -> None:
        self.parser = parser
        self.corners = left_corners(parser.grammar)

    def prefixes(self, codes: np.ndarray) -> Prefixes:
        """Probabilities and entropies of all beginnings of a sequence of tag codes; -1 is an impossible tag."""
        log_prob, entropy, lost = self._prefixes(codes, float(self.parser.scale_bits))
        if lost:
            whole = self.parser.inside(codes).log2
            usual = -whole / len(codes) if math.isfinite(whole) else float(self.parser.scale_bits)
            for other in _OTHER_SCALES:
                log_prob, entropy, lost = self._prefixes(codes, usual + other)
                if not lost:
                    break
        return Prefixes(log_prob, entropy)

    def _prefixes(self, codes: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray, bool]:
        """The values at this scale, and whether some weight may be out of the range of a double."""
        n, grammar = len(codes), self.parser.grammar
        value, more = np.zeros((2, n + 2))
        value[0], more[0] = 1.0, -self.corners.entropy[grammar.start]
        possible = n if (codes >= 0).all() else int(np.argmax(codes < 0))
        codes = np.ascontiguousarray(codes[:possible])
        if possible:
            chart = self.parser.chart(EXPECT, "prefixes")
            chart.weigh(self.parser.sum_weights)
            total, expected_log, _ = chart.fill(codes, 2.0**scale)
            with np.errstate(over="ignore", invalid="ignore"):
                value[1 : possible + 1], more[1 : possible + 1] = self._pass(chart, codes, 2.0**scale)
            if possible == n:
                value[n + 1], more[n + 1] = total, expected_log
        bits = scale * np.minimum(np.arange(n + 2), n)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_prob = np.log2(value) - bits
            entropy = np.maximum(0.0, log_prob - more / value / math.log(2))
        with np.errstate(invalid="ignore"):
            small = (value < 2.0**-900) & (value > 0)
        return log_prob, np.where(value > 0, entropy, np.nan), bool(small.any() or not np.isfinite(value).all())

    def _pass(self, chart: Chart, codes: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
        """From left to right: the weight of every beginning, times scale for each of its tags, and the expected log."""
        n, grammar, corners = len(codes), self.parser.grammar, self.corners
        n_nt = len(grammar.nonterminals)
        expected, expected_more = np.zeros((2, n_nt + len(grammar.tags), n + 1))
        expected[grammar.start, 0] = 1.0
        value, more = np.zeros((2, n))
        for i, tag in enumerate(codes.tolist()):
            first, first_more = expected[:n_nt, i], expected_more[:n_nt, i]
            opened = np.stack([first @ corners.closure, first_more @ corners.closure + first @ corners.closure_more])
            of_tag, of_tag_more = corners.tag[:, tag], corners.tag_more[:, tag]
            value[i] = (expected[n_nt + tag, i] + opened[0] @ of_tag) * scale
            more[i] = (expected_more[n_nt + tag, i] + opened[1] @ of_tag + opened[0] @ of_tag_more) * scale
            if value[i] == 0.0:
                break
            if i + 1 < n:
                chart.spread(codes, i, opened, -corners.entropy, expected, expected_more)
        return value, more
