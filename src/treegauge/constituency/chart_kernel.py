# cython: infer_types=True
"""One chart parser for three uses of a grammar: the sum over trees, the best tree, the expected log.

The sum and the best tree can be computed in one pass, which costs little more than one of them.

Begin positions are filled from right to left. For a begin position i, the rows of the chart hold, for every end
j, the prefixes of right sides that span i..j; a prefix that ends at k is extended over every symbol that begins
at k, for all ends j at once, which is a loop over contiguous numbers. All begin positions right of i are complete
by then.
"""

# mypy: ignore-errors

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

SUM, MAX, BOTH, EXPECT = 1, 2, 3, 5
_SUM = cython.declare(cython.int, 1)  # bits of a mode
_BEST = cython.declare(cython.int, 2)
_LOG = cython.declare(cython.int, 4)
_SUM_AND_BEST = cython.declare(cython.int, 3)
_TIE = cython.declare(cython.double, 1 - 1e-10)  # probabilities that agree to ten digits are equal
_BETTER = cython.declare(cython.double, 1 + 1e-12)


def best_chains(
    lhs: cython.int[::1],
    child: cython.int[::1],
    weight: cython.double[::1],
    best: cython.double[:, ::1],
    first: cython.int[:, ::1],
) -> None:
    """Raise `best`, the identity at first, to the best product along unary rules; note the first step."""
    n: cython.Py_ssize_t = best.shape[0]
    changed: cython.int = 1
    before: cython.double[:, ::1] = np.zeros((n, n))
    with cython.nogil:
        while changed:
            changed = 0
            for e in range(lhs.shape[0]):
                for c in range(n):
                    before[child[e], c] = best[child[e], c]
            for e in range(lhs.shape[0]):
                for c in range(n):
                    if weight[e] * before[child[e], c] > best[lhs[e], c] * _BETTER:
                        best[lhs[e], c] = weight[e] * before[child[e], c]
                        first[lhs[e], c] = child[e]
                        changed = 1


@cython.cclass
class Chart:
    """The arrays for the chart of one sentence at a time; each thread has its own."""

    n_nt: cython.int
    n_symbols: cython.int
    n_rows: cython.int
    mode: cython.int
    root: cython.int
    scale: cython.double
    nt_start: cython.int[::1]
    nt_symbol: cython.int[::1]
    nt_row: cython.int[::1]
    tag_start: cython.int[::1]
    tag_symbol: cython.int[::1]
    tag_row: cython.int[::1]
    prefix_parent: cython.int[::1]
    prefix_last: cython.int[::1]
    rule_node: cython.int[::1]
    rule_last: cython.int[::1]
    rules_of: cython.int[::1]
    word_start: cython.int[::1]
    word_lhs: cython.int[::1]
    nt_weight: cython.double[::1]
    tag_weight: cython.double[::1]
    word_weight: cython.double[::1]
    rule_weight: cython.double[::1]
    closure_start: cython.int[::1]
    closure_lhs: cython.int[::1]
    closure: cython.double[::1]
    best_closure: cython.double[::1]
    nt_more: cython.double[::1]
    tag_more: cython.double[::1]
    word_more: cython.double[::1]
    closure_more: cython.double[::1]
    chain: cython.double[:, ::1]  # best unary chain from A to B
    chain_step: cython.int[:, ::1]  # and the nonterminal after A on it
    stride: cython.longlong
    room: cython.longlong
    spans: cython.double[::1]  # [begin, nonterminal, end]
    spans_more: cython.double[::1]
    best_spans: cython.double[::1]
    low: cython.int[::1]  # [begin, nonterminal]: the first end, one behind the last
    high: cython.int[::1]
    rows: cython.double[::1]  # [row, end], for the begin position at work
    rows_more: cython.double[::1]
    best_rows: cython.double[::1]
    stamp: cython.longlong[::1]  # when a row was cleared
    clock: cython.longlong
    met: cython.int[::1]  # longer prefixes in use
    n_met: cython.int
    tag_value: cython.double[::1]  # the weight of a tag, and what it adds to the expected log
    no_value: cython.double[::1]
    wait_label: cython.int[::1]  # begin -> what the best tree has there
    wait_end: cython.int[::1]
    nt_open: cython.double[::1]  # edge -> the rules above it that are open at the begin position at work
    nt_open_more: cython.double[::1]
    tag_open: cython.double[::1]
    tag_open_more: cython.double[::1]
    below: cython.double[::1]  # longer prefix -> all its edges together
    below_more: cython.double[::1]

    def __init__(self, auto: object, root: int, mode: int) -> None:
        self.mode = mode
        self.root = root
        self.n_nt = auto.n_nonterminals
        self.n_symbols = auto.n_nonterminals + auto.n_tags
        self.n_rows = auto.n_nonterminals + auto.n_prefixes
        self.nt_start, self.nt_symbol, self.nt_row = auto.nt_start, auto.nt_symbol, auto.nt_row
        self.tag_start, self.tag_symbol, self.tag_row = auto.tag_start, auto.tag_symbol, auto.tag_row
        self.prefix_parent, self.prefix_last = auto.prefix_parent, auto.prefix_last
        self.rule_node, self.rule_last, self.rules_of = auto.rule_node, auto.rule_last, auto.rules_of
        self.word_start, self.word_lhs = auto.word_start, auto.word_lhs
        self.stamp = np.zeros(self.n_rows, dtype=np.int64)
        self.met = np.zeros(max(auto.n_prefixes, 1), dtype=np.int32)
        self.tag_value, self.no_value = np.zeros((2, 1))
        self.clock = 0
        self.room = 0
        self.scale = 1.0
        if mode == EXPECT:
            self.nt_open, self.nt_open_more = np.zeros((2, len(auto.nt_row)))
            self.tag_open, self.tag_open_more = np.zeros((2, len(auto.tag_row)))
            self.below, self.below_more = np.zeros((2, max(auto.n_prefixes, 1)))
        self.spans = self.rows = self.spans_more = self.rows_more = self.best_spans = self.best_rows = np.zeros(1)

    def weigh(self, weights: object, best_closure: object = None) -> None:
        """Set the weights; best_closure: the weights of the best unary chains, for the best tree, if they differ."""
        self.best_closure = weights.closure if best_closure is None else best_closure
        self.nt_weight, self.nt_more = weights.nt, weights.nt_more
        self.tag_weight, self.tag_more = weights.tag, weights.tag_more
        self.word_weight, self.word_more = weights.word, weights.word_more
        self.closure_start, self.closure_lhs = weights.closure_start, weights.closure_lhs
        self.closure, self.closure_more = weights.closure, weights.closure_more

    def trace(self, rule_weight: object, chain: object, chain_step: object) -> None:
        """Set the arrays by which a best tree is found again after `fill`."""
        self.rule_weight, self.chain, self.chain_step = rule_weight, chain, chain_step

    def reserve(self, n):
        """Make room for a sentence of n tags."""
        if n <= self.room:
            return
        room = max(n, min(2 * self.room, n + 16))
        self.low = np.zeros(room * self.n_nt, dtype=np.int32)
        self.high = np.zeros(room * self.n_nt, dtype=np.int32)
        spans, rows = room * self.n_nt * (room + 1), self.n_rows * (room + 1)
        if self.mode & SUM:
            self.spans, self.rows = np.zeros(spans), np.zeros(rows)
        if self.mode == EXPECT:
            self.spans_more, self.rows_more = np.zeros(spans), np.zeros(rows)
        if self.mode & MAX:
            self.best_spans, self.best_rows = np.zeros(spans), np.zeros(rows)
        self.wait_label = np.zeros(room + 1, dtype=np.int32)
        self.wait_end = np.zeros(room + 1, dtype=np.int32)
        self.room = room

    def fill(self, tags: cython.int[::1], scale: cython.double):
        """The weights of the whole sentence, times scale ** n: sum, expected log, best; 0 where there is none."""
        n: cython.int = tags.shape[0]
        self.reserve(n)
        self.stride = n + 1
        self.scale = self.tag_value[0] = scale
        with cython.nogil:
            for i in range(n - 1, -1, -1):
                self.fill_row(tags, i, n)
        at = self.root * self.stride + n
        total = self.spans[at] if self.mode & _SUM else 0.0
        return (
            total,
            self.spans_more[at] if self.mode & _LOG else 0.0,
            self.best_spans[at] if self.mode & _BEST else 0.0,
        )

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def clear(self, row: cython.int) -> cython.void:
        """Set a row to zero when it is used for the first time at this begin position."""
        if self.stamp[row] == self.clock:
            return
        self.stamp[row] = self.clock
        at = row * self.stride
        if self.mode & _SUM:
            for j in range(self.stride):
                self.rows[at + j] = 0.0
        if self.mode & _LOG:
            for j in range(self.stride):
                self.rows_more[at + j] = 0.0
        if self.mode & _BEST:
            for j in range(self.stride):
                self.best_rows[at + j] = 0.0
        if row >= self.n_nt:
            self.met[self.n_met] = row - self.n_nt
            self.n_met += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill_row(self, tags: cython.int[::1], i: cython.int, n: cython.int) -> cython.void:
        """Fill begin position i for all ends up to n; the begin positions right of it are complete."""
        base: cython.longlong = i * self.n_nt
        self.clock += 1
        self.n_met = 0
        for a in range(self.n_nt):
            self.low[base + a] = n + 1
            self.high[base + a] = 0
            at = (base + a) * self.stride
            if self.mode & _SUM:
                for k in range(self.stride):
                    self.spans[at + k] = 0.0
            if self.mode & _LOG:
                for k in range(self.stride):
                    self.spans_more[at + k] = 0.0
            if self.mode & _BEST:
                for k in range(self.stride):
                    self.best_spans[at + k] = 0.0
        for k in range(i + 1, n + 1):
            if k == i + 1 and tags[i] >= 0:
                for e in range(self.word_start[tags[i]], self.word_start[tags[i] + 1]):
                    b = self.word_lhs[e]
                    self.clear(b)
                    at = b * self.stride + k
                    x = self.word_weight[e] * self.scale
                    if self.mode & _SUM:
                        self.rows[at] += x
                    if self.mode & _LOG:
                        self.rows_more[at] += self.word_more[e] * self.scale
                    if self.mode & _BEST and x > self.best_rows[at]:
                        self.best_rows[at] = x
            # complete rules, then every chain of unary rules above them
            for b in range(self.n_nt):
                if self.stamp[b] != self.clock:
                    continue
                there = b * self.stride + k
                value = self.rows[there] if self.mode & _SUM else 0.0
                best = self.best_rows[there] if self.mode & _BEST else 0.0
                if value == 0.0 and best == 0.0:
                    continue
                for c in range(self.closure_start[b], self.closure_start[b + 1]):
                    a = self.closure_lhs[c]
                    at = (base + a) * self.stride + k
                    if self.mode & _SUM:
                        self.spans[at] += self.closure[c] * value
                    if self.mode & _LOG:
                        self.spans_more[at] += self.closure[c] * self.rows_more[there] + self.closure_more[c] * value
                    if self.mode & _BEST and self.best_closure[c] * best > self.best_spans[at]:
                        self.best_spans[at] = self.best_closure[c] * best
                    if self.low[base + a] > n:
                        self.low[base + a] = k
                    self.high[base + a] = k + 1
            if k == n:
                return
            # extend what ends here; prefixes met while doing so cannot end here
            n_met = self.n_met
            if k == i + 1 and tags[i] >= 0:
                self.extend(self.n_nt + tags[i], self.scale, 0.0, self.scale, k, tags[k])
            for a in range(self.n_nt):
                at = (base + a) * self.stride + k
                value = self.spans[at] if self.mode & _SUM else 0.0
                best = self.best_spans[at] if self.mode & _BEST else 0.0
                if value != 0.0 or best != 0.0:
                    self.extend(a, value, self.spans_more[at] if self.mode & _LOG else 0.0, best, k, tags[k])
            for m in range(n_met):
                at = (self.n_nt + self.met[m]) * self.stride + k
                value = self.rows[at] if self.mode & _SUM else 0.0
                best = self.best_rows[at] if self.mode & _BEST else 0.0
                if value != 0.0 or best != 0.0:
                    more = self.rows_more[at] if self.mode & _LOG else 0.0
                    self.extend(self.n_symbols + self.met[m], value, more, best, k, tags[k])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def extend(
        self,
        node: cython.int,
        value: cython.double,
        more: cython.double,
        best: cython.double,
        k: cython.int,
        tag: cython.int,
    ) -> cython.void:
        """Carry a prefix that ends at k over the tag at k, and over every nonterminal that begins there."""
        for e in range(self.tag_start[node], self.tag_start[node + 1]):
            if self.tag_symbol[e] < tag:
                continue
            if self.tag_symbol[e] > tag:
                break
            self.clear(self.tag_row[e])
            there = self.tag_row[e] * self.stride + k + 1
            w = self.tag_weight[e]
            if self.mode & _SUM:
                self.rows[there] += value * w * self.scale
            if self.mode & _LOG:
                self.rows_more[there] += (more * w + value * self.tag_more[e]) * self.scale
            if self.mode & _BEST and best * w * self.scale > self.best_rows[there]:
                self.best_rows[there] = best * w * self.scale
        for e in range(self.nt_start[node], self.nt_start[node + 1]):
            cell = k * self.n_nt + self.nt_symbol[e]
            lo = self.low[cell]
            hi = self.high[cell]
            w = value * self.nt_weight[e]
            u = best * self.nt_weight[e]
            if lo >= hi or (w == 0.0 and u == 0.0):
                continue
            self.clear(self.nt_row[e])
            here = cell * self.stride
            there = self.nt_row[e] * self.stride
            if self.mode == _SUM_AND_BEST:
                for j in range(lo, hi):
                    x = u * self.best_spans[here + j]
                    self.best_rows[there + j] = x if x > self.best_rows[there + j] else self.best_rows[there + j]
                    self.rows[there + j] += w * self.spans[here + j]
            elif self.mode == _BEST:
                for j in range(lo, hi):
                    x = u * self.best_spans[here + j]
                    self.best_rows[there + j] = x if x > self.best_rows[there + j] else self.best_rows[there + j]
            elif self.mode & _LOG:
                x = more * self.nt_weight[e] + value * self.nt_more[e]
                for j in range(lo, hi):
                    self.rows_more[there + j] += w * self.spans_more[here + j] + x * self.spans[here + j]
                    self.rows[there + j] += w * self.spans[here + j]
            else:
                for j in range(lo, hi):
                    self.rows[there + j] += w * self.spans[here + j]

    def spread(
        self,
        tags: cython.int[::1],
        i: cython.int,
        opened: cython.double[:, ::1],
        rest: cython.double[::1],
        expected: cython.double[:, ::1],
        expected_more: cython.double[:, ::1],
    ) -> None:
        """Add to `expected` what may come at every later place inside the rules that are opened at i; after `fill`.

        opened: by nonterminal, the weight of its being opened at i, and what goes with it. rest: by nonterminal, what
        a tree of it, whichever, adds to the expected log. expected[symbol, place]: the weight of a symbol's coming
        there as the second symbol of its rule, or a later one.
        """
        n: cython.int = tags.shape[0]
        with cython.nogil:
            self.open_edges(opened, rest)
            self.fill_row(tags, i, n)
            for a in range(self.n_nt):
                at = i * self.n_nt + a
                lo: cython.int = self.low[at]
                hi: cython.int = min(self.high[at], n)
                if lo < hi:
                    self.spread_node(a, self.spans, self.spans_more, at * self.stride, lo, hi, expected, expected_more)
            for at in range(self.n_met):
                row = self.n_nt + self.met[at]
                here: cython.longlong = row * self.stride
                node: cython.int = self.n_symbols + self.met[at]
                self.spread_node(node, self.rows, self.rows_more, here, i + 2, n, expected, expected_more)
            if tags[i] >= 0 and i + 1 < n:
                node = self.n_nt + tags[i]
                # the one value of a tag stands at its end, i + 1
                self.spread_node(node, self.tag_value, self.no_value, -i - 1, i + 1, i + 2, expected, expected_more)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open_edges(self, opened: cython.double[:, ::1], rest: cython.double[::1]) -> cython.void:
        """Give every edge the weight of the open rules that go over it, together with the rest of each rule."""
        node: cython.int = self.nt_start.shape[0] - 2  # a longer prefix has a higher number than its parts
        total: cython.double
        more: cython.double
        while node >= 0:
            total = more = 0.0
            for e in range(self.nt_start[node], self.nt_start[node + 1]):
                row = self.nt_row[e]
                if row < self.n_nt:
                    x = opened[0, row] * self.nt_weight[e]
                    y = opened[1, row] * self.nt_weight[e] + opened[0, row] * self.nt_more[e]
                else:
                    x = self.below[row - self.n_nt]
                    y = self.below_more[row - self.n_nt]
                self.nt_open[e] = x
                self.nt_open_more[e] = y
                total += x
                more += y + x * rest[self.nt_symbol[e]]
            for e in range(self.tag_start[node], self.tag_start[node + 1]):
                row = self.tag_row[e]
                if row < self.n_nt:
                    x = opened[0, row] * self.tag_weight[e]
                    y = opened[1, row] * self.tag_weight[e] + opened[0, row] * self.tag_more[e]
                else:
                    x = self.below[row - self.n_nt]
                    y = self.below_more[row - self.n_nt]
                self.tag_open[e] = x
                self.tag_open_more[e] = y
                total += x
                more += y
            if node >= self.n_symbols:
                self.below[node - self.n_symbols] = total
                self.below_more[node - self.n_symbols] = more
            node -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def spread_node(
        self,
        node: cython.int,
        value: cython.double[::1],
        more: cython.double[::1],
        at: cython.longlong,
        lo: cython.int,
        hi: cython.int,
        expected: cython.double[:, ::1],
        expected_more: cython.double[:, ::1],
    ) -> cython.void:
        """Add the symbols that may follow a prefix that ends at lo … hi - 1."""
        for e in range(self.nt_start[node], self.nt_start[node + 1]):
            x = self.nt_open[e]
            y = self.nt_open_more[e]
            if x != 0.0:
                symbol = self.nt_symbol[e]
                for j in range(lo, hi):
                    expected[symbol, j] += x * value[at + j]
                    expected_more[symbol, j] += x * more[at + j] + y * value[at + j]
        for e in range(self.tag_start[node], self.tag_start[node + 1]):
            x = self.tag_open[e]
            y = self.tag_open_more[e]
            if x != 0.0:
                symbol = self.n_nt + self.tag_symbol[e]
                for j in range(lo, hi):
                    expected[symbol, j] += x * value[at + j]
                    expected_more[symbol, j] += x * more[at + j] + y * value[at + j]

    def best(self, tags: cython.int[::1], scale: cython.double, brackets: cython.int[:, ::1]):
        """Write the best tree's brackets (nonterminal, from, to) in preorder; how many, and the weights of `fill`.

        -1 of them when there is no tree, -2 when `brackets` is too short, -3 when weights are too small to tell.
        """
        n: cython.int = tags.shape[0]
        count: cython.int = 0
        weights = self.fill(tags, scale)
        if weights[2] == 0.0:
            return -1, weights
        mode = self.mode
        self.mode = _BEST  # rows are worked out again on the way back
        with cython.nogil:
            for i in range(n + 1):
                self.wait_label[i] = -1
            self.wait_label[0] = self.root
            self.wait_end[0] = n
            for i in range(n):
                if self.wait_label[i] >= 0 and count >= 0:
                    count = self.descend(tags, i, count, brackets)
        self.mode = mode
        return count, weights

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def prefix_value(self, node: cython.int, i: cython.int, k: cython.int, tags: cython.int[::1]) -> cython.double:
        """The weight of a prefix from i to k, in the row at work."""
        if node < self.n_nt:
            return self.best_spans[(i * self.n_nt + node) * self.stride + k]
        if node < self.n_symbols:
            return self.scale if k == i + 1 and tags[i] == node - self.n_nt else 0.0
        row = self.n_nt + node - self.n_symbols
        return self.best_rows[row * self.stride + k] if self.stamp[row] == self.clock else 0.0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def symbol_value(self, symbol: cython.int, k: cython.int, j: cython.int, tags: cython.int[::1]) -> cython.double:
        """The weight of a symbol from k to j."""
        if symbol < self.n_nt:
            return self.best_spans[(k * self.n_nt + symbol) * self.stride + j]
        return self.scale if j == k + 1 and tags[k] == symbol - self.n_nt else 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(
        self, tags: cython.int[::1], i: cython.int, count: cython.int, brackets: cython.int[:, ::1]
    ) -> cython.int:
        """Write every bracket of the best tree that begins at i, widest first; note what hangs to the right.

        The row of i is worked out again. Where several choices are equal: no unary chain before one, then the
        first nonterminal under it, the first rule, and the split furthest left, the last split first.
        """
        a: cython.int = self.wait_label[i]
        end: cython.int = self.wait_end[i]
        if end > i + 1:
            self.fill_row(tags, i, end)
        while True:
            # the unary chain from a down to b
            goal = self.best_spans[(i * self.n_nt + a) * self.stride + end] * _TIE
            b = -1
            if end == i + 1:
                # one word: the only rules below a chain are b → tag
                for r in range(-1, self.n_nt):
                    j = a if r < 0 else r
                    if self.chain[a, j] > 0.0 and b < 0:
                        for k in range(self.word_start[tags[i]], self.word_start[tags[i] + 1]):
                            if self.word_lhs[k] == j and self.chain[a, j] * self.word_weight[k] * self.scale >= goal:
                                b = j
            else:
                for r in range(-1, self.n_nt):
                    j = a if r < 0 else r
                    if self.chain[a, j] > 0.0 and self.stamp[j] == self.clock:
                        if self.chain[a, j] * self.best_rows[j * self.stride + end] >= goal:
                            b = j
                            break
            if b < 0:
                return -3
            while True:
                if count >= brackets.shape[0]:
                    return -2
                if a < 0:
                    return -3
                brackets[count, 0] = a
                brackets[count, 1] = i
                brackets[count, 2] = end
                count += 1
                if a == b:
                    break
                a = self.chain_step[a, b]
            if end == i + 1:
                return count
            # the rule of b, and where its last symbol begins
            goal = self.best_rows[b * self.stride + end] * _TIE
            rule = -1
            split = -1
            for r in range(self.rules_of[b], self.rules_of[b + 1]):
                node = self.rule_node[r]
                if node < 0 or rule >= 0 or self.rule_weight[r] == 0.0:
                    continue
                last = self.rule_last[r]
                for k in range(i + 1 if last < self.n_nt else end - 1, end):
                    x = self.symbol_value(last, k, end, tags)
                    if x > 0.0:
                        if self.prefix_value(node, i, k, tags) * self.rule_weight[r] * x >= goal:
                            rule = r
                            split = k
                            break
            if rule < 0:
                return -3
            # its symbols, from the last to the first
            node = self.rule_node[rule]
            last = self.rule_last[rule]
            j = end
            while True:
                if last < self.n_nt:
                    self.wait_label[split] = last
                    self.wait_end[split] = j
                j = split
                if node < self.n_symbols:
                    break
                goal = self.prefix_value(node, i, j, tags) * _TIE
                last = self.prefix_last[node - self.n_symbols]
                node = self.prefix_parent[node - self.n_symbols]
                for k in range(i + 1, j):
                    if self.prefix_value(node, i, k, tags) * self.symbol_value(last, k, j, tags) >= goal:
                        split = k
                        break
            if node >= self.n_nt:
                return count
            a = node
            end = j
