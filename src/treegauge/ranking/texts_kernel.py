# cython: infer_types=True
"""Many short texts in one array of bytes: numbers written, texts copied."""

# mypy: ignore-errors

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

if cython.compiled:
    from cython.cimports.libc.string import memcpy

WIDEST = 25  # bytes of a number, of either kind, at the most


def gather(
    data: cython.const[cython.uchar][::1],
    low: cython.longlong[::1],
    start: cython.longlong[::1],
    out: cython.uchar[::1],
) -> None:
    """The text of data that begins at low[k] to out[start[k]:start[k + 1]]."""
    with cython.nogil:
        for k in range(low.shape[0]):
            size = start[k + 1] - start[k]
            if size == 0:
                continue
            if cython.compiled:
                memcpy(cython.address(out[start[k]]), cython.address(data[low[k]]), cython.cast(cython.size_t, size))
            else:
                out[start[k] : start[k + 1]] = data[low[k] : low[k] + size]


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
    at: cython.longlong = 0
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
                    out[at : at + size] = data[low : low + size]
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
    at: cython.longlong = 0
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
    at: cython.longlong = 0
    if cython.compiled:
        with cython.nogil:
            for k in range(values.shape[0]):
                start[k] = at
                at += _write_number(values[k], cython.address(out[at]))
    else:
        for k in range(values.shape[0]):
            start[k] = at
            for byte in repr(float(values[k])).encode():
                out[at] = byte
                at += 1
    start[values.shape[0]] = at
    return at


# 10^k for k = −292 … 324 as the 128 bits that begin with its first one, rounded up: high and low half.
def _powers_of_ten():
    """The table that `_shortest` multiplies by."""
    k: object  # a number of any size
    table = np.empty((617, 2), dtype=np.uint64)
    for k in range(-292, 325):
        shift = 127 - _floor_log2_of_power(k)
        power, divisor = (10**k, 1) if k >= 0 else (1, 10**-k)
        value = -(-(power << shift) // divisor) if shift >= 0 else -(-power // (divisor << -shift))
        table[k + 292] = value >> 64, value & (1 << 64) - 1
    return table


def _floor_log2_of_power(k):
    """⌊log2 10^k⌋"""
    return (k * 1741647) >> 19


_HIDDEN = cython.declare(cython.ulonglong, 1 << 52)  # the first bit of a number, which is not written
_POWERS = cython.declare(cython.ulonglong[:, ::1], _powers_of_ten())


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _product(a: cython.ulonglong, b: cython.ulonglong, low: cython.p_ulonglong) -> cython.ulonglong:
    """The high half of a·b; the low half goes to `low`."""
    half: cython.ulonglong = 0xFFFFFFFF
    middle: cython.ulonglong = (a >> 32) * (b & half) + ((a & half) * (b & half) >> 32)
    other: cython.ulonglong = (a & half) * (b >> 32) + (middle & half)
    low[0] = a * b
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _scaled(high: cython.ulonglong, low: cython.ulonglong, c: cython.ulonglong) -> cython.ulonglong:
    """The top 64 bits of a power of ten times c, its last bit set if anything was cut off (round to odd)."""
    rest: cython.ulonglong = 0
    more: cython.ulonglong = 0
    carry: cython.ulonglong = _product(low, c, cython.address(rest))
    top: cython.ulonglong = _product(high, c, cython.address(more))
    more += carry
    top += more < carry
    return top | (more > 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _shortest(bits: cython.ulonglong, exponent: cython.p_int) -> cython.ulonglong:
    """The shortest decimal digits, as a whole number, that are read back as a finite number above 0; 10^exponent times.

    Schubfach: Giulietti (2020), "The Schubfach way to render doubles". v lies between two halfway points; among the
    multiples of 10^k, and of 10^(k+1), there is one between them, and the nearest to v is taken.
    """
    fraction: cython.ulonglong = bits & (_HIDDEN - 1)
    biased: cython.int = cython.cast(cython.int, bits >> 52 & 0x7FF)
    c: cython.ulonglong = fraction | _HIDDEN if biased else fraction
    q: cython.int = (biased if biased else 1) - 1075
    closer: cython.bint = fraction == 0 and biased > 1  # the number below is half as far away
    odd: cython.ulonglong = c & 1
    k: cython.int = (q * 1262611 - (524031 if closer else 0)) >> 22  # ⌊log10 2^q⌋, of ¾·2^q if closer
    h: cython.int = q + ((-k * 1741647) >> 19) + 1
    high: cython.ulonglong = _POWERS[292 - k, 0]
    low: cython.ulonglong = _POWERS[292 - k, 1]
    v: cython.ulonglong = _scaled(high, low, 4 * c << h)
    least: cython.ulonglong = _scaled(high, low, 4 * c - 2 + closer << h) + odd
    most: cython.ulonglong = _scaled(high, low, 4 * c + 2 << h) - odd
    s: cython.ulonglong = v // 4
    tens: cython.ulonglong = s // 10
    down: cython.bint = least <= 40 * tens
    up: cython.bint = 40 * tens + 40 <= most
    if s >= 10 and down != up:
        exponent[0] = k + 1
        return tens + up
    exponent[0] = k
    down = least <= 4 * s
    up = 4 * s + 4 <= most
    if down != up:
        return s + up
    return s + (v > 4 * s + 2 or (v == 4 * s + 2 and s & 1 != 0))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_number(value: cython.double, out: cython.p_uchar) -> cython.int:
    """A number as Python writes it; bytes used, WIDEST at most."""
    digits = cython.declare(cython.uchar[24])
    exponent: cython.int = 0
    n: cython.int = 0
    at: cython.int = 0
    if value != value:
        memcpy(out, b"nan", 3)
        return 3
    if value < 0 or (value == 0 and 1 / value < 0):
        out[0] = 45
        at = 1
        value = -value
    if value > 1.7976931348623157e308:
        memcpy(out + at, b"inf", 3)
        return at + 3
    if value == 0:
        memcpy(out + at, b"0.0", 3)
        return at + 3
    left = _shortest(cython.cast(cython.pointer(cython.ulonglong), cython.address(value))[0], cython.address(exponent))
    while left % 10 == 0:
        left //= 10
        exponent += 1
    while left:  # from the last digit
        digits[n] = cython.cast(cython.uchar, 48 + left % 10)
        left //= 10
        n += 1
    point = n + exponent  # digits before the decimal point
    if point <= -4 or point > 16:
        for i in range(n):
            out[at] = digits[n - 1 - i]
            at += 1
            if i == 0 and n > 1:
                out[at] = 46
                at += 1
        out[at] = 101
        out[at + 1] = 45 if point < 1 else 43
        exponent = 1 - point if point < 1 else point - 1
        at += 2
        if exponent >= 100:
            out[at] = cython.cast(cython.uchar, 48 + exponent // 100)
            at += 1
        out[at] = cython.cast(cython.uchar, 48 + exponent // 10 % 10)
        out[at + 1] = cython.cast(cython.uchar, 48 + exponent % 10)
        return at + 2
    i = point - 1 if point < 1 else 0  # before the first digit may stand a zero, the point, and more zeros
    while i < n or i <= point:
        if i == point:
            out[at] = 46
            at += 1
        out[at] = digits[n - 1 - i] if 0 <= i < n else 48
        at += 1
        i += 1
    return at
