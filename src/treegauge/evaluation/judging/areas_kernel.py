# cython: infer_types=True
"""Areas under the curves of a ranking; each arc counts as often as its sentence was drawn."""

# mypy: ignore-errors

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython


def resampled(
    arcs: cython.uint[::1], drawn: cython.longlong[::1], terms: cython.double[::1], totals: cython.longlong[::1]
) -> None:
    """Count the arcs of a ranking, each as often as its sentence was drawn.

    arcs: by descending score, sentence << 2 | right << 1 | whether it is the last of its score. The results are written
    into terms and totals. terms[k]: what the k-th distinct score adds to the average precision, times the number of
    right arcs. totals: right arcs, wrong arcs, and twice the number of pairs of a right and a wrong arc in which the
    wrong one has the higher score; ties count half.
    """
    k: cython.Py_ssize_t = 0
    right: cython.longlong = 0
    total: cython.longlong = 0
    right_before: cython.longlong = 0
    wrong_before: cython.longlong = 0
    twice: cython.longlong = 0
    with cython.nogil:
        for i in range(arcs.shape[0]):
            arc = arcs[i]
            times = drawn[arc >> 2]
            total += times
            right += times * ((arc >> 1) & 1)  # without a branch, because the processor cannot predict it
            if arc & 1:
                share: cython.double = right
                share = share / (total if total > 0 else 1)
                here = right - right_before
                terms[k] = here * share
                k += 1
                twice += here * (total - right + wrong_before)
                right_before = right
                wrong_before = total - right
    totals[0] = right
    totals[1] = total - right
    totals[2] = twice
