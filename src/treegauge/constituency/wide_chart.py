"""A chart in decimals, which have no smallest number. It is slow, and used if a weight is too small for a double."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np

from treegauge.constituency.grammar import TreebankGrammar

_NEGLIGIBLE = Decimal("1e-18")  # a share of a sum that does not matter
_BETTER = Decimal(1) + Decimal("1e-12")
_ONE = Decimal(1)

Dual = tuple[Decimal, Decimal]  # a weight w, and w·ln w
# A weight with its node (nonterminal, from, to, children) or its children so far (all but the last, the last)
Weighted = tuple[Decimal, Any]
Cells = dict[int, Any]


class WideChart:
    """Parses with a grammar's rules as `Chart` does, with a table of all spans, in decimals of 40 digits."""

    def __init__(self, grammar: TreebankGrammar, prob: np.ndarray) -> None:
        self.n_nt, self.root = len(grammar.nonterminals), grammar.start
        self.step: list[dict[int, int]] = [{}]  # prefix of right sides -> next symbol -> longer prefix
        self.ends: dict[int, list[tuple[int, Decimal]]] = {}  # prefix -> left sides whose rule it is
        self.over: dict[int, list[tuple[int, Decimal]]] = {}  # symbol -> left sides of rules of that symbol alone
        for left, right, p in zip(grammar.lhs.tolist(), grammar.rhs, prob.tolist(), strict=True):
            if not p:
                continue
            if len(right) == 1:
                self.over.setdefault(right[0], []).append((left, Decimal(p)))
                continue
            at = 0
            for symbol in right:
                if symbol not in self.step[at]:
                    self.step[at][symbol] = len(self.step)
                    self.step.append({})
                at = self.step[at][symbol]
            self.ends.setdefault(at, []).append((left, Decimal(p)))

    def sums(self, codes: np.ndarray) -> Dual:
        """p(w), and Σ p(t)·ln p(t) over the trees of w."""
        with localcontext(Context(prec=40)):
            return self._filled(codes, _Sums()).get(self.root, (Decimal(0), Decimal(0)))

    def best(self, codes: np.ndarray) -> tuple[Decimal, list[tuple[int, int, int]]]:
        """The weight and the brackets (nonterminal, from, to; preorder) of the most probable tree."""
        with localcontext(Context(prec=40)):
            weight, node = self._filled(codes, _Best()).get(self.root, (Decimal(0), None))
        brackets: list[tuple[int, int, int]] = []
        waiting: list[Any] = [node]
        while waiting:
            if (node := waiting.pop()) is None:  # a tag
                continue
            label, begin, end, children = node
            brackets.append((label, begin, end))
            while children:
                children, last = children
                waiting.append(last)
        return weight, brackets

    def _filled(self, codes: np.ndarray, ring: _Sums | _Best) -> Cells:
        """The values of the nonterminals that span the whole sentence."""
        n = len(codes)
        done: dict[tuple[int, int], Cells] = {}
        begun: dict[tuple[int, int], Cells] = {}
        for i in range(n - 1, -1, -1):
            for j in range(i + 1, n + 1):
                complete: Cells = {}
                prefixes: Cells = {}
                if j == i + 1:
                    tag = self.n_nt + int(codes[i])
                    for left, p in self.over.get(tag, ()):
                        _add(complete, left, ring.rule(left, i, j, p, ring.leaf), ring.plus)
                for k in range(i + 1, j):
                    for prefix, before in begun[i, k].items():
                        for symbol in self.step[prefix].keys() & done[k, j].keys():
                            longer = self.step[prefix][symbol]
                            value = ring.times(before, done[k, j][symbol])
                            _add(prefixes, longer, value, ring.plus)
                            for left, p in self.ends.get(longer, ()):
                                _add(complete, left, ring.rule(left, i, j, p, value), ring.plus)
                self._close(complete, i, j, ring)
                if j == i + 1:
                    complete[tag] = ring.tag
                done[i, j] = complete
                for symbol in self.step[0].keys() & complete.keys():
                    prefixes[self.step[0][symbol]] = ring.first(complete[symbol])
                begun[i, j] = prefixes
        return done[0, n]

    def _close(self, complete: Cells, i: int, j: int, ring: _Sums | _Best) -> None:
        """Add the nonterminals that chains of rules A → B put above the nonterminals of a span."""
        last = dict(complete)
        while last:
            above: Cells = {}
            for child, value in last.items():
                for left, p in self.over.get(child, ()):
                    _add(above, left, ring.rule(left, i, j, p, ring.first(value)), ring.plus)
            last = {left: value for left, value in above.items() if ring.matters(value, complete.get(left))}
            for left, value in last.items():
                _add(complete, left, value, ring.plus)


def _add(cells: Cells, key: int, value: Any, plus: Callable[[Any, Any], Any]) -> None:
    cells[key] = plus(cells[key], value) if key in cells else value


class _Sums:
    """The weights of all trees together, each with w·ln w for the expected logarithm."""

    leaf: Any = (_ONE, Decimal(0))
    tag = leaf

    def first(self, value: Dual) -> Dual:
        return value

    def times(self, a: Dual, b: Dual) -> Dual:
        return a[0] * b[0], a[0] * b[1] + a[1] * b[0]

    def plus(self, a: Dual, b: Dual) -> Dual:
        return a[0] + b[0], a[1] + b[1]

    def rule(self, left: int, i: int, j: int, p: Decimal, value: Dual) -> Dual:
        return self.times((p, p * p.ln()), value)

    def matters(self, value: Dual, total: Dual | None) -> bool:
        return total is None or value[0] > _NEGLIGIBLE * total[0]


class _Best:
    """The weight of the best tree."""

    leaf: Any = (_ONE, ((), None))
    tag: Any = (_ONE, None)

    def first(self, value: Weighted) -> Weighted:
        return value[0], ((), value[1])

    def times(self, a: Weighted, b: Weighted) -> Weighted:
        return a[0] * b[0], (a[1], b[1])

    def plus(self, a: Weighted, b: Weighted) -> Weighted:
        return b if b[0] > a[0] * _BETTER else a

    def rule(self, left: int, i: int, j: int, p: Decimal, value: Weighted) -> Weighted:
        return p * value[0], (left, i, j, value[1])

    def matters(self, value: Weighted, total: Weighted | None) -> bool:
        return total is None or value[0] > total[0] * _BETTER
