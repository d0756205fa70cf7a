"""The grammar as one automaton over symbols: rules whose right sides have the same beginning share a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.constituency import chart_kernel
from treegauge.constituency.grammar import TreebankGrammar
from treegauge.errors import CorpusError

MOST_NONTERMINALS = 6000  # chains of unary rules between any two of them are held in a table


@dataclass(frozen=True, eq=False)
class Automaton:
    """Rules of two symbols and more as a tree of prefixes, shared by all left sides.

    A node is a prefix of right sides: node s is the single symbol s; nodes of longer prefixes come after them. An edge
    leads from a prefix over the next symbol to a row of the chart: row A if a rule of A is complete there (the edge
    then has the rule), row n_nonterminals + m for the longer prefix m. Edges over nonterminals and edges over tags are
    separate, because a tag spans only one word.
    """

    n_nonterminals: int
    n_tags: int
    n_prefixes: int  # prefixes of two symbols and more
    nt_start: np.ndarray  # node -> its first edge over a nonterminal
    nt_symbol: np.ndarray
    nt_row: np.ndarray
    nt_rule: np.ndarray  # the rule completed, -1 if none
    tag_start: np.ndarray  # node -> its first edge over a tag; sorted by tag
    tag_symbol: np.ndarray
    tag_row: np.ndarray
    tag_rule: np.ndarray
    prefix_parent: np.ndarray  # longer prefix -> the node one symbol shorter
    prefix_last: np.ndarray  # longer prefix -> its last symbol
    rule_node: np.ndarray  # rule -> the prefix without its last symbol, -1 for a rule of one symbol
    rule_last: np.ndarray  # rule -> its last symbol
    rules_of: np.ndarray  # nonterminal -> its first rule
    word_start: np.ndarray  # tag -> its first rule A → tag
    word_lhs: np.ndarray
    word_rule: np.ndarray
    unary_child: np.ndarray  # B of each rule A → B
    unary_lhs: np.ndarray  # A
    unary_rule: np.ndarray


def automaton(grammar: TreebankGrammar) -> Automaton:
    """The automaton of a grammar's rules, without probabilities."""
    n_nt, n_tags = len(grammar.nonterminals), len(grammar.tags)
    if n_nt > MOST_NONTERMINALS:
        raise CorpusError(
            f"{n_nt:,} nonterminals; expected at most {MOST_NONTERMINALS:,} to parse with: keep fewer functions, "
            "merge labels with --cluster, or look whether words were taken for labels"
        )
    number: dict[tuple[int, int], int] = {}  # (node one symbol shorter, last symbol) -> number of the longer prefix
    edges: list[tuple[int, int, int, int]] = []  # node, symbol, row, rule
    short: list[tuple[int, int, int]] = []  # rules of one symbol: the symbol, left side, rule
    rule_node = np.full(grammar.n_rules, -1, dtype=np.int32)
    for rule, (left, right) in enumerate(zip(grammar.lhs.tolist(), grammar.rhs, strict=True)):
        if len(right) == 1:
            short.append((right[0], left, rule))
            continue
        node = right[0]
        for length in range(2, len(right)):
            prefix = node, right[length - 1]
            if prefix not in number:
                number[prefix] = len(number)
                edges.append((*prefix, n_nt + number[prefix], -1))
            node = n_nt + n_tags + number[prefix]
        rule_node[rule] = node
        edges.append((node, right[-1], left, rule))
    n_nodes = n_nt + n_tags + len(number)
    arrays = [
        *_by_first([edge for edge in edges if edge[1] < n_nt], 4, n_nodes),
        *_by_first([(node, at - n_nt, row, rule) for node, at, row, rule in edges if at >= n_nt], 4, n_nodes),
        *_columns(list(number), 2),
        rule_node,
        np.array([right[-1] for right in grammar.rhs], dtype=np.int32),
        _starts(grammar.lhs, n_nt),
        *_by_first([(symbol - n_nt, left, rule) for symbol, left, rule in short if symbol >= n_nt], 3, n_tags),
        *_columns(sorted(rule for rule in short if rule[0] < n_nt), 3),
    ]
    return Automaton(n_nt, n_tags, len(number), *arrays)


def _columns(rows: Sequence[tuple[int, ...]], width: int) -> list[np.ndarray]:
    return [np.ascontiguousarray(column) for column in np.array(rows, dtype=np.int32).reshape(-1, width).T]


def _by_first(rows: Sequence[tuple[int, ...]], width: int, n: int) -> list[np.ndarray]:
    """Where the rows with each of n values in the first column begin; and the other columns, sorted by the first."""
    first, *others = _columns(sorted(rows), width)
    return [_starts(first, n), *others]


def _starts(keys: np.ndarray, n: int) -> np.ndarray:
    """Where the rows of each key begin in a table sorted by key, and where the rows of the last key end."""
    return np.searchsorted(keys, np.arange(n + 1)).astype(np.int32)


@dataclass(frozen=True, eq=False)
class RuleWeights:
    """The probabilities of rules on an automaton's edges, with the closure of the unary rules.

    Arrays whose names end in `more` are for the expected log probability: w·ln w for an edge, and for the closure the
    derivative of C in that direction.
    """

    nt: np.ndarray
    tag: np.ndarray
    word: np.ndarray
    # C = (I - U)^-1 by column: for each B every A with A ⇒* B by unary rules
    closure_start: np.ndarray
    closure_lhs: np.ndarray
    closure: np.ndarray
    nt_more: np.ndarray
    tag_more: np.ndarray
    word_more: np.ndarray
    closure_more: np.ndarray


def weights(auto: Automaton, prob: np.ndarray, closure: np.ndarray | None = None) -> RuleWeights:
    """The weights of rules of these probabilities, and of the unary chains between any two nonterminals.

    Without a closure, the weight between two nonterminals is the sum over chains of every length, with cycles. This is
    a geometric series,

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
        C, dC = summed_chains(U, times_log(U))
    else:
        involved, C, dC = np.arange(n), closure, np.zeros_like(closure)
    child, lhs = np.nonzero(C.T)
    loners = np.setdiff1d(np.arange(n), involved)
    children = np.concatenate([involved[child], loners])
    order = np.argsort(children, kind="stable")
    edges = [np.append(prob, 1.0)[rule] for rule in (auto.nt_rule, auto.tag_rule, auto.word_rule)]  # no rule: 1
    arrays = [
        *edges,
        _starts(children[order], n),
        np.concatenate([involved[lhs], loners])[order].astype(np.int32),
        np.concatenate([C[lhs, child], np.ones(len(loners))])[order],
        *map(times_log, edges),
        np.concatenate([dC[lhs, child], np.zeros(len(loners))])[order],
    ]
    return RuleWeights(*arrays)


def times_log(weight: np.ndarray) -> np.ndarray:
    """w·ln w, 0 for 0."""
    product: np.ndarray = weight * np.log(weight, out=np.zeros_like(weight), where=weight > 0)
    return product


def summed_chains(U: np.ndarray, dU: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """C = (I − U)⁻¹ for the steps U of chains, and its derivative C·dU·C in the direction dU."""
    try:
        C = np.linalg.inv(np.eye(len(U)) - U)
    except np.linalg.LinAlgError:
        C = np.full_like(U, -1.0)
    if (C < -1e-9).any():
        raise CorpusError("rules go round with probability 1; expected rules counted from finite trees")
    # An entry without a chain must be exactly 0; the solver leaves rounding errors there.
    C[~reachable(U > 0)] = 0.0
    return C, C @ dU @ C


def reachable(step: np.ndarray) -> np.ndarray:
    """Which nonterminal leads to which by unary rules; each leads to itself."""
    reach = step | np.eye(len(step), dtype=bool)
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (further == reach).all():
            return reach
        reach = further


def best_chains(auto: Automaton, prob: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The most probable unary chain between each two nonterminals, and its first step, -1 for none.

    Shorter chains come first; a longer one is taken only if it is better.
    """
    n = auto.n_nonterminals
    best, first = np.eye(n), np.full((n, n), -1, dtype=np.int32)
    chart_kernel.best_chains(auto.unary_lhs, auto.unary_child, prob[auto.unary_rule], best, first)
    return best, first


def countings(auto: Automaton) -> tuple[np.ndarray, np.ndarray]:
    """The number of unary chains between each two nonterminals, as two matrices.

    If some chain passes a cycle the number is infinite; the first matrix has 1 there, the second 0.
    """
    n = auto.n_nonterminals
    step = np.zeros((n, n))
    step[auto.unary_lhs, auto.unary_child] = 1.0
    reach = reachable(step > 0)
    cyclic = ((step > 0) & reach.T).any(axis=1)
    endless = (reach[:, cyclic].astype(np.float32) @ reach[cyclic].astype(np.float32)) > 0
    step[cyclic] = 0.0
    step[:, cyclic] = 0.0
    number, power = np.eye(n), np.eye(n)
    while (power := power @ step).any():
        number = number + power
    return np.where(endless, 1.0, number), np.where(endless, 0.0, number)
