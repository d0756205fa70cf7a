"""Heads into the traits of every arc: two passes down a sentence and one up, linear in its words."""

# mypy: ignore-errors

import cython
import numpy as np

MOST = 4096  # more than any sentence has words; see corpus.conllu_kernel.MAX_WORDS


def arc_traits(head: cython.int[::1], start: cython.longlong[::1], traits: cython.int[:, ::1]) -> None:
    """Fill traits, a column per trait of features.TRAITS: two numbers packed as first << 12 | second.

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
    s: cython.Py_ssize_t
    base: cython.Py_ssize_t
    row: cython.Py_ssize_t
    n: cython.int
    w: cython.int
    h: cython.int
    k: cython.int
    last: cython.int
    older: cython.int
    most: cython.int = MOST
    with cython.nogil:
        for s in range(start.shape[0] - 1):
            base = start[s] - 1
            n = cython.cast(cython.int, start[s + 1] - start[s])
            left[0] = right[0] = 0
            for w in range(1, n + 1):
                row = base + w
                h = head[row]
                older = left[h] + right[h]
                traits[row, 2] = older
                if h > w:
                    left[h] += 1
                    traits[row, 4] = 1 << 12 | (h - w)
                else:
                    right[h] += 1
                    traits[row, 4] = 2 << 12 | (w - h) if h else 0
            last = 0
            for w in range(1, n + 1):
                row = base + w
                h = head[row]
                older = traits[row, 2]
                traits[row, 2] = older << 12 | (left[h] + right[h] - 1 - older)
                traits[row, 3] = left[w] << 12 | right[w]
                pending[w] = left[w] + right[w]
                near[w] = most
                if pending[w] == 0:
                    near[w] = 0
                    queue[last] = w
                    last += 1
            for k in range(n):
                w = queue[k]
                traits[base + w, 1] = near[w] << 12 | far[w]
                h = head[base + w]
                if h:
                    if near[w] + 1 < near[h]:
                        near[h] = near[w] + 1
                    if far[w] + 1 > far[h]:
                        far[h] = far[w] + 1
                    pending[h] -= 1
                    if pending[h] == 0:
                        queue[last] = h
                        last += 1
            depth[0] = -1
            for k in range(n - 1, -1, -1):
                w = queue[k]
                depth[w] = depth[head[base + w]] + 1
                traits[base + w, 0] = depth[w]
                left[w] = right[w] = far[w] = 0  # for the next sentence
