# cython: infer_types=True
"""Bytes that are mostly 0, written as bits that say which are not, then those."""

# mypy: ignore-errors

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython


def fill(
    bits: cython.const[cython.uchar][::1], values: cython.const[cython.uchar][::1], array: cython.uchar[::1]
) -> int:
    """Put the values, at least one, where the bits are set, highest bit of a byte first; how many bits are set.

    There is a bit for each byte of the array. Of more set bits than values all that are left get the last value.
    """
    if not cython.compiled:  # millions of steps take long
        found = np.cumsum(np.unpackbits(bits, count=len(array)), dtype=np.int64)
        array[:] = np.where(np.diff(found, prepend=0), values[np.minimum(found, len(values)) - 1], 0)
        return int(found[-1]) if len(found) else 0
    return _filled(bits, values, array)


@cython.cfunc
def _filled(
    bits: cython.const[cython.uchar][::1], values: cython.const[cython.uchar][::1], array: cython.uchar[::1]
) -> cython.Py_ssize_t:
    found: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    last: cython.Py_ssize_t = values.shape[0] - 1
    bit: cython.int
    with cython.nogil:
        for at in range(array.shape[0]):  # without a branch: which bits are set cannot be foreseen
            bit = bits[at >> 3] >> (7 - (at & 7)) & 1
            array[at] = values[found if found < last else last] * bit
            found += bit
    return found
