"""Many short texts in one array of bytes: numbers written, texts copied."""

# mypy: ignore-errors

import cython

if cython.compiled:
    from cython.cimports.cpython.conversion import Py_DTSF_ADD_DOT_0, PyOS_double_to_string
    from cython.cimports.cpython.mem import PyMem_Free
    from cython.cimports.libc.string import memcpy, strlen

WIDEST = 25  # bytes of a number, of either kind, at the most


def gather(
    data: cython.const[cython.uchar][::1],
    start: cython.longlong[::1],
    order: cython.longlong[::1],
    out: cython.uchar[::1],
    out_start: cython.longlong[::1],
) -> None:
    """Text order[k] of data, which begins at start[order[k]], to out[out_start[k]:out_start[k + 1]]."""
    k: cython.Py_ssize_t
    i: cython.longlong
    low: cython.longlong
    size: cython.longlong
    with cython.nogil:
        for k in range(order.shape[0]):
            low = start[order[k]]
            size = start[order[k] + 1] - low
            if size == 0:
                continue
            if cython.compiled:
                memcpy(cython.address(out[out_start[k]]), cython.address(data[low]), cython.cast(cython.size_t, size))
            else:
                for i in range(size):
                    out[out_start[k] + i] = data[low + i]


def interleave(
    data: cython.const[cython.uchar][::1],
    start: cython.longlong[:, ::1],
    between: cython.uchar,
    end: cython.uchar,
    out: cython.uchar[::1],
    out_start: cython.longlong[::1],
) -> None:
    """The k-th texts of all columns one behind the other, a byte between them and one at the end (0 for none).

    Text k of column c is data[start[c, k]:start[c, k + 1]].
    """
    k: cython.Py_ssize_t
    c: cython.Py_ssize_t
    i: cython.longlong
    at: cython.longlong = 0
    low: cython.longlong
    size: cython.longlong
    with cython.nogil:
        for k in range(start.shape[1] - 1):
            out_start[k] = at
            for c in range(start.shape[0]):
                low = start[c, k]
                size = start[c, k + 1] - low
                if cython.compiled:
                    if size:
                        memcpy(cython.address(out[at]), cython.address(data[low]), cython.cast(cython.size_t, size))
                else:
                    for i in range(size):
                        out[at + i] = data[low + i]
                at += size
                if between and c + 1 < start.shape[0]:
                    out[at] = between
                    at += 1
            if end:
                out[at] = end
                at += 1
        out_start[start.shape[1] - 1] = at


def write_whole_numbers(
    values: cython.longlong[::1], out: cython.uchar[::1], start: cython.longlong[::1]
) -> cython.longlong:
    """Whole numbers in decimal digits, one behind the other, to out, and where each begins to start; bytes used."""
    k: cython.Py_ssize_t
    at: cython.longlong = 0
    low: cython.longlong
    high: cython.longlong
    left: cython.longlong
    swap: cython.uchar
    with cython.nogil:
        for k in range(values.shape[0]):
            start[k] = at
            left = values[k]
            if left < 0:
                out[at] = 45
                at += 1
                left = -left
            low = at
            while True:  # digits from the last one
                out[at] = cython.cast(cython.uchar, 48 + left % 10)
                at += 1
                left //= 10
                if left == 0:
                    break
            high = at - 1
            while low < high:
                swap = out[low]
                out[low] = out[high]
                out[high] = swap
                low += 1
                high -= 1
        start[values.shape[0]] = at
    return at


def write_numbers(values: cython.double[::1], out: cython.uchar[::1], start: cython.longlong[::1]) -> cython.longlong:
    """Numbers as Python writes them, with all their digits and no more; as `write_whole_numbers`."""
    k: cython.Py_ssize_t
    at: cython.longlong = 0
    if cython.compiled:
        written: cython.p_char
        size: cython.size_t
        for k in range(values.shape[0]):
            start[k] = at
            written = PyOS_double_to_string(values[k], b"r", 0, Py_DTSF_ADD_DOT_0, cython.NULL)
            size = strlen(written)
            memcpy(cython.address(out[at]), written, size)
            PyMem_Free(written)
            at += size
    else:
        for k in range(values.shape[0]):
            start[k] = at
            for byte in repr(float(values[k])).encode():
                out[at] = byte
                at += 1
    start[values.shape[0]] = at
    return at
