# cython: infer_types=True
"""Find a feature in MISC of every word; the lines are those that the reader has checked."""

# mypy: ignore-errors

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

_TAB = cython.declare(cython.int, 9)
_NEWLINE = cython.declare(cython.int, 10)
_RETURN = cython.declare(cython.int, 13)
_BAR = cython.declare(cython.int, 124)
_MISC = cython.declare(cython.int, 9)  # tabs before MISC


def feature_spans(
    text: cython.uchar[::1], line: cython.longlong[::1], key: cython.uchar[::1], span: cython.longlong[:, ::1]
) -> None:
    """span: where the value of the feature begins and ends in the text, for each word; −1 twice if it has none.

    key: the name of the feature with `=` behind it.
    """
    w: cython.Py_ssize_t
    i: cython.longlong
    k: cython.Py_ssize_t
    tabs: cython.int
    size: cython.longlong = text.shape[0]
    length: cython.Py_ssize_t = key.shape[0]
    with cython.nogil:
        for w in range(line.shape[0]):
            span[w, 0] = span[w, 1] = -1
            i = line[w]
            tabs = 0
            while i < size and tabs < _MISC and text[i] != _NEWLINE:
                if text[i] == _TAB:
                    tabs += 1
                i += 1
            while tabs == _MISC and i < size and text[i] != _NEWLINE and text[i] != _RETURN:
                k = 0
                while k < length and i + k < size and text[i + k] == key[k]:
                    k += 1
                if k == length:
                    span[w, 0] = i + k
                i += k
                while i < size and text[i] != _BAR and text[i] != _NEWLINE and text[i] != _RETURN:
                    i += 1
                if k == length:
                    span[w, 1] = i
                    break
                i += i < size and text[i] == _BAR
