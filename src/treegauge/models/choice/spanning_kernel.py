# cython: infer_types=True
"""The best tree of each sentence: the maximum spanning arborescence that has one root.

Edmonds' algorithm as Gabow, Galil, Spencer and Tarjan (1986) have it: a path grows against the arcs, each node on it
takes its best arc, and a cycle becomes one node. The arcs into a node are in a leftist heap, so that those of a cycle
are joined and changed together. An arc from the root is worse than any other, as if it cost more than all scores are
worth: the best tree then has as few roots as can be. No such number is needed: arcs from the root are in no cycle, and
so it would only ever be compared.
"""

# mypy: ignore-errors

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

_NO_ARC = cython.declare(cython.double, float("-inf"))


@cython.final
@cython.cclass
class SpanningTrees:
    """Room to work in, for sentences of at most so many words with so many arcs each.

    Nodes are 0 (the root), the words from 1, then cycles as they are found. Arc a = (word - 1) · arcs + column, and 1
    more in the heaps, where 0 is none.
    """

    columns: cython.int
    n: cython.int
    nodes: cython.int  # so far
    source: cython.int[::1]  # by arc
    score: cython.double[::1]  # by arc of a heap: its score, but for what is still to be added to all below …
    add: cython.double[::1]  # … which is this, itself included
    left: cython.int[::1]
    right: cython.int[::1]
    rank: cython.int[::1]
    heap: cython.int[::1]  # by node: the best of its arcs that were not taken yet
    taken: cython.int[::1]  # by node: the arc that it has, -1 for none yet
    above: cython.int[::1]  # by node: the cycle that it is in, 0 for none
    shortcut: cython.int[::1]  # by node: one that it is in, on the way to the outermost
    path: cython.int[::1]
    on_path: cython.uchar[::1]  # by node: 1 on the path, 2 done

    def __init__(self, words, columns):
        self.columns = columns
        arcs, nodes = words * columns, 2 * words + 2
        self.source = np.zeros(arcs, dtype=np.int32)
        self.left, self.right, self.rank = np.zeros((3, arcs + 1), dtype=np.int32)
        self.score, self.add = np.zeros((2, arcs + 1), dtype=np.float64)
        self.heap, self.taken, self.above, self.shortcut, self.path = np.zeros((5, nodes), dtype=np.int32)
        self.on_path = np.zeros(nodes, dtype=np.uint8)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _hand_down(self, a: cython.int) -> cython.void:
        """Add to an arc of a heap what is still to be added, and leave the same to the two below."""
        for side in range(2):
            b: cython.int = self.left[a] if side == 0 else self.right[a]
            if b:
                self.add[b] += self.add[a]
        self.score[a] += self.add[a]
        self.add[a] = 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _joined(self, a: cython.int, b: cython.int) -> cython.int:
        """Two heaps as one; of arcs that are as good, the one that is earlier in the sentence is on top."""
        if a == 0 or b == 0:
            return a + b
        self._hand_down(a)
        self._hand_down(b)
        better: cython.bint = b < a
        if (self.source[a - 1] == 0) != (self.source[b - 1] == 0):
            better = self.source[a - 1] == 0
        elif self.score[a] != self.score[b]:
            better = self.score[b] > self.score[a]
        if better:
            a, b = b, a
        self.right[a] = self._joined(self.right[a], b)
        if self.rank[self.right[a]] > self.rank[self.left[a]]:
            self.left[a], self.right[a] = self.right[a], self.left[a]
        self.rank[a] = self.rank[self.right[a]] + 1
        return a

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _outermost(self, v: cython.int) -> cython.int:
        """The cycle of cycles that a node is in, or itself."""
        while self.shortcut[v] != v:
            self.shortcut[v] = self.shortcut[self.shortcut[v]]
            v = self.shortcut[v]
        return v

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _greedy(self, low: cython.longlong, head: cython.int[:, ::1], score: cython.double[:, ::1]) -> cython.bint:
        """Whether the best arc of each word, which is taken, makes a tree with one root: most often it does."""
        roots: cython.int = 0
        for d in range(1, self.n + 1):
            best: cython.int = -1
            for k in range(self.columns):
                if _usable(head[low + d - 1, k], d, self.n, score[low + d - 1, k]) and (
                    best < 0 or score[low + d - 1, k] > score[low + d - 1, best]
                ):
                    best = k
            if best < 0:
                return False
            self.taken[d] = (d - 1) * self.columns + best
            self.above[d] = head[low + d - 1, best]
            self.path[d] = 0
            roots += self.above[d] == 0
        if roots != 1:
            return False
        for d in range(1, self.n + 1):
            v: cython.int = d
            while v and self.path[v] == 0:
                self.path[v] = d
                v = self.above[v]
            if v and self.path[v] == d:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _fill(self, low: cython.longlong, head: cython.int[:, ::1], score: cython.double[:, ::1]) -> cython.void:
        """Put the arcs of the sentence from row `low` on into heaps."""
        for v in range(2 * self.n + 2):
            self.heap[v] = self.above[v] = self.on_path[v] = 0
            self.shortcut[v] = v
            self.taken[v] = -1
        for d in range(1, self.n + 1):
            for k in range(self.columns):
                if _usable(head[low + d - 1, k], d, self.n, score[low + d - 1, k]):
                    a: cython.int = (d - 1) * self.columns + k + 1
                    self.source[a - 1] = head[low + d - 1, k]
                    self.score[a] = score[low + d - 1, k]
                    self.left[a] = self.right[a] = 0
                    self.add[a] = 0.0
                    self.rank[a] = 1
                    self.heap[d] = self._joined(self.heap[d], a)
        self.nodes = self.n + 1
        self.on_path[0] = 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _take(self, v: cython.int) -> cython.int:
        """Let a node take its best arc that comes from without; the node that it comes from, or -1.

        What the others are worth then is what would be gained by taking them instead.
        """
        while self.heap[v]:
            a: cython.int = self.heap[v]
            self._hand_down(a)
            self.heap[v] = self._joined(self.left[a], self.right[a])
            u: cython.int = self._outermost(self.source[a - 1])
            if u != v:
                self.taken[v] = a - 1
                if self.heap[v]:
                    self.add[self.heap[v]] -= self.score[a]
                return u
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _grow(self) -> cython.bint:
        """Let all nodes take arcs until there is no cycle; whether there is a tree."""
        for d in range(1, self.n + 1):
            v: cython.int = self._outermost(d)
            length: cython.int = 0
            while self.on_path[v] != 2:
                self.on_path[v] = 1
                self.path[length] = v
                length += 1
                u: cython.int = self._take(v)
                if u < 0:
                    return False
                if self.on_path[u] == 1:  # a cycle, back to u, becomes a node
                    c: cython.int = self.nodes
                    self.nodes += 1
                    w: cython.int = -1
                    while w != u:
                        length -= 1
                        w = self.path[length]
                        self.heap[c] = self._joined(self.heap[c], self.heap[w])
                        self.above[w] = self.shortcut[w] = c
                    u = c
                v = u
            for k in range(length):
                self.on_path[self.path[k]] = 2
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _open(self) -> cython.void:
        """Open the cycles, the last first: the word where the arc of a cycle ends has that arc, the others keep theirs.

        path: whether a cycle is open already.
        """
        for c in range(self.n + 1, self.nodes):
            self.path[c] = 0
        for c in range(self.nodes - 1, self.n, -1):
            if self.path[c] == 0:
                a: cython.int = self.taken[c]
                v: cython.int = a // self.columns + 1
                while v != c:
                    self.taken[v] = a
                    self.path[v] = 1
                    v = self.above[v]

    def find(
        self,
        head: cython.int[:, ::1],
        score: cython.double[:, ::1],
        start: cython.longlong[::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        best: cython.int[::1],
    ) -> None:
        """For each word of sentences first … last the column of its arc in the best tree; -1 where there is no tree.

        head and score have a row for each word and a column for each arc that it may have, several to the same head
        if need be. No arc are those with -inf or nan, and those from the word itself or from outside the sentence.
        """
        with cython.nogil:
            for s in range(first, last):
                low = start[s]
                self.n = cython.cast(cython.int, start[s + 1] - low)
                roots: cython.int = 1
                found: cython.bint = self._greedy(low, head, score)
                if not found:
                    self._fill(low, head, score)
                    found = self._grow()
                    if found:
                        self._open()
                        roots = 0
                        for d in range(1, self.n + 1):
                            roots += self.source[self.taken[d]] == 0
                for d in range(1, self.n + 1):
                    best[low + d - 1] = self.taken[d] % self.columns if found and roots == 1 else -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _usable(h: cython.int, d: cython.int, n: cython.int, score: cython.double) -> cython.bint:
    """Whether there is such an arc to d."""
    return 0 <= h <= n and h != d and score > _NO_ARC
