# cython: infer_types=True
"""Align the words of a system with those of gold: one pass over both, then LCS around multiword tokens.

A word is given by its token, and a token by its characters: token t has edge[t]:edge[t+1].
"""

# mypy: ignore-errors

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _inside(
    w: cython.longlong,
    token: cython.int[::1],
    edge: cython.longlong[::1],
    multiword: cython.uchar[::1],
    end: cython.longlong,
) -> cython.bint:
    """Whether word w is in a region up to `end`: its multiword token starts before `end`, or the word ends by it."""
    if w >= token.shape[0]:
        return False
    t = token[w]
    if multiword[t]:
        return edge[t] < end
    return edge[t + 1] <= end


def align_words(
    gold_token: cython.int[::1],
    gold_edge: cython.longlong[::1],
    gold_multiword: cython.uchar[::1],
    token: cython.int[::1],
    edge: cython.longlong[::1],
    multiword: cython.uchar[::1],
    to_gold: cython.int[::1],
    regions: cython.longlong[:, ::1],
) -> int:
    """Write the gold word of each system word into to_gold, which has -1 before; return the number of regions.

    Outside of multiword tokens, two words are the same if they have the same characters. A region is the smallest
    stretch that contains every multiword token of either side that touches it. `regions` gets its words (the first, and
    the end, of gold, then of the system), which `align_regions` aligns. If a multiword token starts while the other
    side is more than one word behind, these words belong to the region, as in the CoNLL 2018 script.
    """
    g: cython.longlong = 0
    w: cython.longlong = 0
    n_gold: cython.longlong = gold_token.shape[0]
    n: cython.longlong = token.shape[0]
    n_regions: cython.longlong = 0
    with cython.nogil:
        while g < n_gold and w < n:
            a = gold_token[g]
            b = token[w]
            if not gold_multiword[a] and not multiword[b]:
                if gold_edge[a] == edge[b] and gold_edge[a + 1] == edge[b + 1]:
                    to_gold[w] = cython.cast(cython.int, g)
                    g += 1
                    w += 1
                elif gold_edge[a] <= edge[b]:
                    g += 1
                else:
                    w += 1
                continue
            if gold_multiword[a]:
                end = gold_edge[a + 1]
                if not multiword[b] and edge[b] < gold_edge[a]:
                    w += 1
            else:
                end = edge[b + 1]
                if gold_edge[a] < edge[b]:
                    g += 1
            first_g = g
            first_w = w
            while _inside(g, gold_token, gold_edge, gold_multiword, end) or _inside(w, token, edge, multiword, end):
                if g < n_gold and (w >= n or gold_edge[gold_token[g]] <= edge[token[w]]):
                    a = gold_token[g]
                    if gold_multiword[a] and gold_edge[a + 1] > end:
                        end = gold_edge[a + 1]
                    g += 1
                else:
                    b = token[w]
                    if multiword[b] and edge[b + 1] > end:
                        end = edge[b + 1]
                    w += 1
            if g > first_g and w > first_w:
                regions[n_regions, 0] = first_g
                regions[n_regions, 1] = g
                regions[n_regions, 2] = first_w
                regions[n_regions, 3] = w
                n_regions += 1
    return n_regions


def align_regions(
    regions: cython.longlong[:, ::1],
    gold_form: cython.int[::1],
    form: cython.int[::1],
    to_gold: cython.int[::1],
) -> None:
    """Align the words of each region along a longest common subsequence of their forms, which are given as codes.

    If there are several, it is the one that a walk from the left finds: it takes each pair of equal forms; else it goes
    one word on in gold if the rest stays as long, else one word on in the system.
    """
    most: cython.longlong = 1
    for r in range(regions.shape[0]):
        most = max(most, (regions[r, 1] - regions[r, 0] + 1) * (regions[r, 3] - regions[r, 2] + 1))
    longest: cython.int[::1] = np.zeros(most, dtype=np.int32)
    with cython.nogil:
        for r in range(regions.shape[0]):
            base = regions[r, 0]
            other = regions[r, 2]
            rows = regions[r, 1] - base
            columns = regions[r, 3] - other + 1
            for i in range((rows + 1) * columns):
                longest[i] = 0
            for i in range(rows - 1, -1, -1):
                for j in range(columns - 2, -1, -1):
                    best = longest[(i + 1) * columns + j]
                    if longest[i * columns + j + 1] > best:
                        best = longest[i * columns + j + 1]
                    if gold_form[base + i] == form[other + j] and longest[(i + 1) * columns + j + 1] >= best:
                        best = longest[(i + 1) * columns + j + 1] + 1
                    longest[i * columns + j] = best
            g: cython.longlong = 0
            w: cython.longlong = 0
            while g < rows and w < columns - 1:
                if gold_form[base + g] == form[other + w]:
                    to_gold[other + w] = cython.cast(cython.int, base + g)
                    g += 1
                    w += 1
                elif longest[g * columns + w] == longest[(g + 1) * columns + w]:
                    g += 1
                else:
                    w += 1
