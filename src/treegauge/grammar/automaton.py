"""The grammar as one automaton over symbols: rules that begin alike share their beginnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.errors import CorpusError
from treegauge.grammar import chart_kernel
from treegauge.grammar.grammar import TreebankGrammar


@dataclass(frozen=True, eq=False)
class Automaton:
    """Rules of two symbols and more as a tree of prefixes, shared by all left sides.

    A node is a prefix of right sides: node s for the single symbol s, the longer ones behind. An edge leads
    from a prefix over the next symbol to a row of the chart: row A when a rule of A is complete there (the
    edge then carries the rule), row n_nonterminals + m for the longer prefix m. Edges over nonterminals and
    over tags are kept apart: a tag spans one word only.
    """

    n_nonterminals: int
    n_tags: int
    n_prefixes: int  # of two symbols and more
    nt_start: np.ndarray  # node -> its first edge over a nonterminal
    nt_symbol: np.ndarray
    nt_row: np.ndarray
    nt_rule: np.ndarray  # the rule completed, -1 if none
    tag_start: np.ndarray  # node -> its first edge over a tag; sorted by tag
    tag_symbol: np.ndarray
    tag_row: np.ndarray
    tag_rule: np.ndarray
    prefix_parent: np.ndarray  # longer prefix -> the node one symbol shorter
    prefix_last: np.ndarray  # and the symbol between
    rule_node: np.ndarray  # rule -> the prefix without its last symbol, -1 for a rule of one symbol
    rule_last: np.ndarray  # and that symbol
    rules_of: np.ndarray  # nonterminal -> its first rule
    word_start: np.ndarray  # tag -> its first rule A → tag
    word_lhs: np.ndarray
    word_rule: np.ndarray
    unary_lhs: np.ndarray  # rules A → B
    unary_child: np.ndarray
    unary_rule: np.ndarray


def automaton(grammar: TreebankGrammar) -> Automaton:
    """The automaton of a grammar's rules, probabilities left aside."""
    n_nt, n_tags = len(grammar.nonterminals), len(grammar.tags)
    found = _Prefixes(grammar)
    n_nodes = n_nt + n_tags + len(found.parent)
    over_nt = _sorted([edge for edge in found.edges if edge[1] < n_nt], 4)
    over_tag = _sorted([(node, at - n_nt, row, rule) for node, at, row, rule in found.edges if at >= n_nt], 4)
    word = _sorted([(symbol - n_nt, left, rule) for symbol, left, rule in found.short if symbol >= n_nt], 3)
    unary = _sorted([short for short in found.short if short[0] < n_nt], 3)
    nt_symbol, nt_row, nt_rule = _columns(over_nt[:, 1:])
    tag_symbol, tag_row, tag_rule = _columns(over_tag[:, 1:])
    word_lhs, word_rule = _columns(word[:, 1:])
    unary_child, unary_lhs, unary_rule = _columns(unary)
    return Automaton(
        n_nonterminals=n_nt,
        n_tags=n_tags,
        n_prefixes=len(found.parent),
        nt_start=_starts(over_nt[:, 0], n_nodes),
        nt_symbol=nt_symbol,
        nt_row=nt_row,
        nt_rule=nt_rule,
        tag_start=_starts(over_tag[:, 0], n_nodes),
        tag_symbol=tag_symbol,
        tag_row=tag_row,
        tag_rule=tag_rule,
        prefix_parent=np.array(found.parent, dtype=np.int32),
        prefix_last=np.array(found.last, dtype=np.int32),
        rule_node=found.rule_node,
        rule_last=np.array([right[-1] for right in grammar.rhs], dtype=np.int32),
        rules_of=_starts(grammar.lhs, n_nt),
        word_start=_starts(word[:, 0], n_tags),
        word_lhs=word_lhs,
        word_rule=word_rule,
        unary_lhs=unary_lhs,
        unary_child=unary_child,
        unary_rule=unary_rule,
    )


class _Prefixes:
    """The tree of prefixes of right sides as it grows, rule by rule."""

    def __init__(self, grammar: TreebankGrammar) -> None:
        self.n_nonterminals = len(grammar.nonterminals)
        self.n_symbols = self.n_nonterminals + len(grammar.tags)
        self.number: dict[tuple[int, ...], int] = {}  # of each prefix of two symbols and more
        self.parent: list[int] = []
        self.last: list[int] = []
        self.edges: list[tuple[int, int, int, int]] = []  # node, symbol, row, rule
        self.short: list[tuple[int, int, int]] = []  # rules of one symbol: that, left side, rule
        self.rule_node = np.full(grammar.n_rules, -1, dtype=np.int32)
        for rule, (left, right) in enumerate(zip(grammar.lhs.tolist(), grammar.rhs, strict=True)):
            if len(right) == 1:
                self.short.append((right[0], left, rule))
                continue
            node = right[0]
            for length in range(2, len(right)):
                node = self._longer(node, right[:length])
            self.rule_node[rule] = node
            self.edges.append((node, right[-1], left, rule))

    def _longer(self, node: int, prefix: tuple[int, ...]) -> int:
        """The node of a prefix, one symbol behind a node."""
        if prefix not in self.number:
            self.number[prefix] = len(self.number)
            self.parent.append(node)
            self.last.append(prefix[-1])
            self.edges.append((node, prefix[-1], self.n_nonterminals + self.number[prefix], -1))
        return self.n_symbols + self.number[prefix]


def _sorted(rows: Sequence[tuple[int, ...]], width: int) -> np.ndarray:
    return np.array(sorted(rows), dtype=np.int32).reshape(-1, width)


def _columns(table: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(column) for column in table.T]


def _starts(keys: np.ndarray, n: int) -> np.ndarray:
    """Where each key's rows begin in a table sorted by key, and where the last one's end."""
    return np.searchsorted(keys, np.arange(n + 1)).astype(np.int32)


@dataclass(frozen=True, eq=False)
class RuleWeights:
    """A probability for every rule, spread over an automaton's edges, with the closure of the unary rules.

    Only the first of the two values per entry is a probability; `more` is what the expected log probability
    needs: w·ln w for an edge, and for the closure the derivative of C in that direction.
    """

    nt: np.ndarray
    tag: np.ndarray
    word: np.ndarray
    # C = (I - U)^-1 by column: B -> every A with A ⇒* B by unary rules
    closure_start: np.ndarray
    closure_lhs: np.ndarray
    closure: np.ndarray
    nt_more: np.ndarray
    tag_more: np.ndarray
    word_more: np.ndarray
    closure_more: np.ndarray


def weights(auto: Automaton, prob: np.ndarray, closure: np.ndarray | None = None) -> RuleWeights:
    """The weights of rules of these probabilities, and of the unary chains between any two nonterminals.

    A closure that is given is taken as it is. Otherwise a chain's weight is the sum over the chains of every
    length, cycles included, which is a geometric series,

        C = I + U + U² + … = (I − U)⁻¹,   U[A, B] = p(A → B)

    and converges for every grammar counted from finite trees. With dU = U·ln U entry by entry, its
    derivative is C·dU·C.
    """
    n = auto.n_nonterminals
    if closure is None:
        involved = np.unique(np.concatenate([auto.unary_lhs, auto.unary_child]))
        place = np.zeros(n, dtype=np.int64)
        place[involved] = np.arange(len(involved))
        U = np.zeros((len(involved), len(involved)))
        U[place[auto.unary_lhs], place[auto.unary_child]] = prob[auto.unary_rule]
        C, dC = _summed_chains(U)
    else:
        involved, C, dC = np.arange(n), closure, np.zeros_like(closure)
    child, lhs = np.nonzero(C.T)
    loners = np.setdiff1d(np.arange(n), involved)
    children = np.concatenate([involved[child], loners])
    order = np.argsort(children, kind="stable")
    nt, nt_more = _edge_weights(auto.nt_rule, prob)
    tag, tag_more = _edge_weights(auto.tag_rule, prob)
    word, word_more = _edge_weights(auto.word_rule, prob)
    return RuleWeights(
        nt,
        tag,
        word,
        _starts(children[order], n),
        np.concatenate([involved[lhs], loners])[order].astype(np.int32),
        np.concatenate([C[lhs, child], np.ones(len(loners))])[order],
        nt_more,
        tag_more,
        word_more,
        np.concatenate([dC[lhs, child], np.zeros(len(loners))])[order],
    )


def _edge_weights(rule: np.ndarray, prob: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    weight = np.where(rule >= 0, prob[rule], 1.0) if len(rule) else np.zeros(0)
    return weight, _times_log(weight)


def _times_log(weight: np.ndarray) -> np.ndarray:
    """w·ln w, 0 for 0."""
    product: np.ndarray = weight * np.log(weight, out=np.zeros_like(weight), where=weight > 0)
    return product


def _summed_chains(U: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    try:
        C = np.linalg.inv(np.eye(len(U)) - U)
    except np.linalg.LinAlgError:
        C = np.full_like(U, -1.0)
    if (C < -1e-9).any():
        raise CorpusError("unary rules go round with probability 1; expected rules counted from finite trees")
    # An entry without a chain is an exact zero; the solver leaves rounding there.
    C[~_reachable(U > 0)] = 0.0
    return C, C @ _times_log(U) @ C


def _reachable(step: np.ndarray) -> np.ndarray:
    """Which nonterminal leads to which by unary rules, itself included."""
    reach = step | np.eye(len(step), dtype=bool)
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (further == reach).all():
            return reach
        reach = further


def best_chains(auto: Automaton, prob: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The most probable unary chain between each two nonterminals, and its first step, -1 for none.

    Chains are tried by length, and a longer one must be better to be taken.
    """
    n = auto.n_nonterminals
    best, first = np.eye(n), np.full((n, n), -1, dtype=np.int32)
    chart_kernel.best_chains(auto.unary_lhs, auto.unary_child, prob[auto.unary_rule], best, first)
    return best, first


def countings(auto: Automaton) -> tuple[np.ndarray, np.ndarray]:
    """The number of unary chains between each two nonterminals, twice.

    Where some chain passes a cycle there is no end of them; the first matrix has 1 there, the second 0.
    """
    n = auto.n_nonterminals
    step = np.zeros((n, n))
    step[auto.unary_lhs, auto.unary_child] = 1.0
    reach = _reachable(step > 0)
    cyclic = ((step > 0) & reach.T).any(axis=1)
    endless = (reach[:, cyclic].astype(np.float32) @ reach[cyclic].astype(np.float32)) > 0
    step[cyclic] = 0.0
    step[:, cyclic] = 0.0
    number, power = np.eye(n), np.eye(n)
    while (power := power @ step).any():
        number = number + power
    return np.where(endless, 1.0, number), np.where(endless, 0.0, number)
