# cython: infer_types=True
"""The edit distance of ordered trees with labelled nodes: Zhang and Shasha (1989).

Nodes are in postorder. To delete a node, to insert one, or to give it another label costs 1.
"""

# mypy: ignore-errors

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython


def tree_distances(
    label: cython.int[::1],
    leftmost: cython.int[::1],
    keyroot: cython.int[::1],
    start: cython.longlong[::1],
    key_start: cython.longlong[::1],
    first: cython.longlong[::1],
    second: cython.longlong[::1],
    trees: cython.int[:, ::1],
    forests: cython.int[:, ::1],
    distance: cython.int[::1],
) -> None:
    """Write the distances of pairs of trees into `distance`. Tree t owns nodes start[t]:start[t+1].

    leftmost: for each node the first node of its subtree. keyroot: for each leftmost node the last node that has it, in
    ascending order. Both count from the first node of their tree. trees, forests: working memory.
    """
    best: cython.int
    other: cython.int
    with cython.nogil:
        for p in range(first.shape[0]):
            a = start[first[p]]
            b = start[second[p]]
            for x in range(key_start[first[p]], key_start[first[p] + 1]):
                i = keyroot[x]
                low = leftmost[a + i]
                for y in range(key_start[second[p]], key_start[second[p] + 1]):
                    j = keyroot[y]
                    left = leftmost[b + j]
                    forests[0, 0] = 0
                    for u in range(low, i + 1):
                        forests[u - low + 1, 0] = forests[u - low, 0] + 1
                    for v in range(left, j + 1):
                        forests[0, v - left + 1] = forests[0, v - left] + 1
                    for u in range(low, i + 1):
                        for v in range(left, j + 1):
                            best = forests[u - low, v - left + 1] + 1
                            other = forests[u - low + 1, v - left] + 1
                            best = min(best, other)
                            if leftmost[a + u] == low and leftmost[b + v] == left:
                                other = forests[u - low, v - left] + (label[a + u] != label[b + v])
                                best = min(best, other)
                                trees[u, v] = best
                            else:
                                other = forests[leftmost[a + u] - low, leftmost[b + v] - left] + trees[u, v]
                                best = min(best, other)
                            forests[u - low + 1, v - left + 1] = best
            distance[p] = trees[start[first[p] + 1] - a - 1, start[second[p] + 1] - b - 1]
