# cython: infer_types=True
"""Looking up what arcs are worth in tables made for one sentence length."""

# mypy: ignore-errors

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython


def add_weights(
    sentences: cython.longlong[::1],
    start: cython.longlong[::1],
    traits: cython.int[:, ::1],
    one: cython.int[::1],
    two: cython.int[::1],
    weights_one: cython.double[:, ::1],
    weights_two: cython.double[:, ::1],
    first_bits: cython.int[::1],
    second_bits: cython.int[::1],
    unseen_one: cython.uchar[:, ::1],
    unseen_two: cython.uchar[:, ::1],
    offset: cython.int[::1],
    score: cython.double[::1],
    unseen: cython.uchar[::1],
    outside: cython.uchar[::1],
) -> None:
    """Add to score[w] the weights of the arcs of these sentences; bit g of outside[w]: trait g is not in the tables.

    Trait g with value first << 12 | second weighs weights[label, offset[g] + (first << second_bits[g] | second)]
    by each of its two labels. unseen[w] is 1 where a value of the arc w is one that the tables call unseen.
    """
    with cython.nogil:
        for k in range(sentences.shape[0]):
            for w in range(start[sentences[k]], start[sentences[k] + 1]):
                i = one[w]
                j = two[w]
                total: cython.double = 0.0
                missing: cython.uchar = 0
                never: cython.uchar = 0
                for g in range(traits.shape[1]):
                    v = traits[w, g]
                    first = v >> 12
                    second = v & 4095
                    if first >> first_bits[g] or second >> second_bits[g]:
                        missing |= cython.cast(cython.uchar, 1 << g)
                        continue
                    at = offset[g] + (first << second_bits[g] | second)
                    total += weights_one[i, at] + weights_two[j, at]
                    never |= unseen_one[i, at] | unseen_two[j, at]
                score[w] += total
                unseen[w] |= never
                outside[w] = missing
