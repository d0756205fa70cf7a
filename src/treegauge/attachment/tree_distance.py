"""How far dependency trees are apart: the fewest nodes to delete, insert or relabel (Skjærholt 2014, §3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.attachment import tree_distance_kernel as kernel

ROOT = -1  # the label of the artificial root


@dataclass(frozen=True, slots=True)
class OrderedTrees:
    """Trees in postorder, each below its artificial root; tree t owns nodes start[t]:start[t+1]."""

    label: np.ndarray
    leftmost: np.ndarray  # first node of each node's subtree, counted in its tree
    keyroot: np.ndarray
    start: np.ndarray
    key_start: np.ndarray

    @property
    def size(self) -> np.ndarray:
        """Nodes of each tree, the root included."""
        sizes: np.ndarray = np.diff(self.start)
        return sizes


def ordered_trees(heads: Sequence[np.ndarray], labels: Sequence[np.ndarray]) -> OrderedTrees:
    """Dependency trees as trees with labelled nodes: a node has its word's relation, children stand in word order.

    heads: of the words of each tree, 0 for the root. The words themselves are not compared.
    """
    label: list[int] = []
    leftmost: list[int] = []
    keyroot: list[int] = []
    start, key_start = [0], [0]
    for head, own in zip(heads, labels, strict=True):
        order, first = _postorder(head.tolist())
        named = [ROOT, *own.tolist()]
        label += [named[node] for node in order]
        leftmost += first
        keyroot += sorted({low: k for k, low in enumerate(first)}.values())  # the last node of each leftmost one
        start.append(len(label))
        key_start.append(len(keyroot))
    nodes, lows, keys = (np.array(values, np.int32) for values in (label, leftmost, keyroot))
    return OrderedTrees(nodes, lows, keys, np.array(start, np.int64), np.array(key_start, np.int64))


def _postorder(head: list[int]) -> tuple[list[int], list[int]]:
    """The nodes of a tree in postorder, 0 its root; and of each, the first node of its subtree, by its place."""
    children: list[list[int]] = [[] for _ in range(len(head) + 1)]
    for word, above in enumerate(head, 1):
        children[above].append(word)
    order: list[int] = []
    first: list[int] = []
    open_nodes = [(0, 0, 0)]  # node, how many of its children are done, where its subtree begins
    while open_nodes:
        node, done, begin = open_nodes.pop()
        if done < len(children[node]):
            open_nodes.append((node, done + 1, begin))
            open_nodes.append((children[node][done], 0, len(order)))
        else:
            order.append(node)
            first.append(begin)
    return order, first


def tree_distances(trees: OrderedTrees, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The edit distance of each pair of trees: nodes deleted, inserted or relabelled, at a cost of 1 each."""
    found = np.zeros(len(first), np.int32)
    most = int(trees.size.max(initial=0)) + 1
    room = np.zeros((2, most, most), np.int32)
    ones, others = (np.ascontiguousarray(side, dtype=np.int64) for side in (first, second))
    nodes = trees.label, trees.leftmost, trees.keyroot, trees.start, trees.key_start
    kernel.tree_distances(*nodes, ones, others, room[0], room[1], found)
    return found
