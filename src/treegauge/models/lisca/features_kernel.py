# cython: infer_types=True
"""Heads into the traits of every arc: two passes down a sentence and one up, linear in its words."""

# mypy: ignore-errors

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

MOST = 4096  # more than any sentence has words; see corpus.corpus.SCORED_WORDS


def arc_traits(head: cython.int[::1], start: cython.longlong[::1], traits: cython.int[:, ::1]) -> None:
    """Fill traits, a column per trait of the preset 2020: two numbers packed as first << 12 | second.

    The trees have no cycles and at most 4,095 words.
    """
    scratch: cython.int[:, ::1] = np.zeros((7, MOST + 1), dtype=np.int32)
    left: cython.int[::1] = scratch[0]  # children before the word
    right: cython.int[::1] = scratch[1]
    near: cython.int[::1] = scratch[2]
    far: cython.int[::1] = scratch[3]
    pending: cython.int[::1] = scratch[4]  # children not yet seen from below
    queue: cython.int[::1] = scratch[5]  # leaves first, every word behind its children
    depth: cython.int[::1] = scratch[6]
    most: cython.int = MOST
    with cython.nogil:
        for s in range(start.shape[0] - 1):
            base = start[s] - 1
            n = cython.cast(cython.int, start[s + 1] - start[s])
            left[0] = right[0] = 0
            for w in range(1, n + 1):
                row = base + w
                h = head[row]
                before: cython.int = h > w
                traits[row, 2] = left[h] + right[h]  # siblings so far
                left[h] += before
                right[h] += 1 - before
                traits[row, 4] = ((2 - before) << 12 | abs(h - w)) * (h != 0)
            # Words whose children have all been seen are put in the queue. No branch decides: every word is written
            # at the end of the queue, which then grows or does not. Word 0, the root, never gets there.
            last: cython.int = 0
            pending[0] = n + 1
            for w in range(1, n + 1):
                row = base + w
                h = head[row]
                older = traits[row, 2]
                traits[row, 2] = older << 12 | (left[h] + right[h] - 1 - older)
                traits[row, 3] = left[w] << 12 | right[w]
                pending[w] = left[w] + right[w]
                near[w] = most * (pending[w] != 0)
                far[w] = 0
                queue[last] = w
                last += pending[w] == 0
            for k in range(n):
                w = queue[k]
                traits[base + w, 1] = near[w] << 12 | far[w]
                h = head[base + w]
                near[h] = min(near[h], near[w] + 1)
                far[h] = max(far[h], far[w] + 1)
                pending[h] -= 1
                queue[last] = h
                last += pending[h] == 0
            depth[0] = -1
            for k in range(n - 1, -1, -1):
                w = queue[k]
                depth[w] = depth[head[base + w]] + 1
                traits[base + w, 0] = depth[w]
                left[w] = right[w] = 0  # for the next sentence
