# cython: infer_types=True
"""Read tokens with their characters, and the arcs of DEPS, from CoNLL-U lines that the reader has checked."""

# mypy: ignore-errors

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

if cython.compiled:
    from cython.cimports.libc.string import memchr

# Numbers of the defects; tokens.DEFECTS has the messages.
_NO_COLON = cython.declare(cython.int, 1)
_NO_HEAD = cython.declare(cython.int, 2)
_OUTSIDE = cython.declare(cython.int, 3)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find(p: cython.p_uchar, i: cython.longlong, end: cython.longlong, byte: cython.int) -> cython.longlong:
    """The place of the byte in p[i:end]; end if it is not there."""
    if cython.compiled:
        at: cython.p_uchar = cython.cast(cython.p_uchar, memchr(p + i, byte, cython.cast(cython.size_t, end - i)))
        return at - p if at else end
    while i < end and p[i] != byte:
        i += 1
    return i


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _space_bytes(p: cython.p_uchar, i: cython.longlong, end: cython.longlong) -> cython.int:
    """The number of bytes of the character at i if it is of the Unicode category Zs, else 0.

    U+0020 U+00A0 U+1680 U+2000..200A U+202F U+205F U+3000.
    """
    c: cython.int = p[i]
    if 0x20 < c < 0xC2:
        return 0
    if c == 0x20:
        return 1
    if c == 0xC2:
        return 2 if i + 1 < end and p[i + 1] == 0xA0 else 0
    if c < 0xE1 or c > 0xE3 or i + 2 >= end:
        return 0
    d = p[i + 2]
    if c == 0xE2 and p[i + 1] == 0x80:
        return 3 if d <= 0x8A or d == 0xAF else 0
    if c == 0xE2 and p[i + 1] == 0x81:
        return 3 if d == 0x9F else 0
    if c == 0xE1 and p[i + 1] == 0x9A:
        return 3 if d == 0x80 else 0
    if c == 0xE3 and p[i + 1] == 0x80:
        return 3 if d == 0x80 else 0
    return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _no_space(p: cython.p_uchar, i: cython.longlong, end: cython.longlong) -> cython.bint:
    """Whether SpaceAfter=No is among the entries of MISC, p[i:end]."""
    entry: cython.p_uchar = b"SpaceAfter=No"
    while end - i >= 13:
        k = 0
        while k < 13 and p[i + k] == entry[k]:
            k += 1
        if k == 13 and (i + 13 == end or p[i + 13] == 124):
            return True
        i = _find(p, i, end, 124) + 1
    return False


def scan_tokens(
    text: cython.uchar[::1],
    begin: cython.longlong[::1],
    words: cython.longlong[::1],
    chars: cython.uchar[::1],
    token_end: cython.longlong[::1],
    token_line: cython.int[::1],
    multiword: cython.uchar[::1],
    token_start: cython.longlong[::1],
    word_token: cython.int[::1],
    no_space: cython.uchar[::1],
    counts: cython.longlong[::1],
) -> None:
    """Fill the arrays from the sentences that begin at `begin`; sentence s has words words[s]:words[s+1].

    It writes, for each token (a multiword token or a word outside of one): where its characters end in chars, how many
    lines after the sentence's first line it is, whether it is a multiword token. For each sentence: its first token.
    For each word: its token; whether no space follows it (the array has zeros before). counts: characters, tokens,
    whether any line has DEPS. A form that has only spaces has no characters.
    """
    end: cython.longlong = text.shape[0]
    n_chars: cython.longlong = 0
    n_tokens: cython.longlong = 0
    n_words: cython.longlong = 0
    has_deps: cython.bint = False
    if cython.compiled:
        p = cython.address(text[0])
    else:
        p = memoryview(text)  # Python's integers, which do not wrap
    with cython.nogil:
        for s in range(begin.shape[0]):
            i = begin[s]
            line = -1
            covered = -1  # the last word of the current multiword token
            token_start[s] = n_tokens
            while n_words < words[s + 1]:
                line += 1
                stop = _find(p, i, end, 10)  # the end of the line
                if p[i] == 35:  # a comment
                    i = stop + 1
                    continue
                number = 0
                while 48 <= p[i] <= 57:
                    number = 10 * number + p[i] - 48
                    i += 1
                if p[i] == 46:  # an empty node
                    i = stop + 1
                    continue
                is_word: cython.bint = p[i] == 9
                last = number
                if not is_word:
                    last = 0
                    i += 1
                    while 48 <= p[i] <= 57:
                        last = 10 * last + p[i] - 48
                        i += 1
                low = i + 1
                high = _find(p, low, stop, 9)
                if number > covered:  # a token; otherwise it is a word inside the current multiword token
                    i = low
                    while i < high:
                        width = _space_bytes(p, i, high)
                        if width == 0:
                            chars[n_chars] = p[i]
                            n_chars += 1
                            width = 1
                        i += width
                    token_end[n_tokens] = n_chars
                    token_line[n_tokens] = line
                    multiword[n_tokens] = not is_word
                    n_tokens += 1
                    if not is_word:
                        covered = last
                if is_word:
                    word_token[n_words] = cython.cast(cython.int, n_tokens - 1)
                    n_words += 1
                i = stop + 1
                if p[stop - 1] == 13:
                    stop -= 1
                low = stop - 1
                while p[low] != 9:  # before MISC
                    low -= 1
                has_deps |= p[low - 1] != 9 and (p[low - 1] != 95 or p[low - 2] != 9)
                if _no_space(p, low + 1, stop):
                    no_space[words[s] + last - 1] = True
    counts[0] = n_chars
    counts[1] = n_tokens
    counts[2] = has_deps


def scan_enhanced(
    text: cython.uchar[::1],
    lines: cython.longlong[::1],
    words: cython.longlong[::1],
    dep_end: cython.longlong[::1],
    dep_head: cython.int[::1],
    path_end: cython.longlong[::1],
    paths: cython.uchar[::1],
    counts: cython.longlong[::1],
) -> None:
    """Fill the arrays from DEPS of the words whose lines start at `lines`; sentence s has words words[s]:words[s+1].

    It writes, for each word: how many enhanced arcs there are up to it. For each arc: its head and where its path ends.
    counts: arcs, bytes of paths; then, if a defect stopped the scan, its kind, its sentence and where the value is.
    """
    end: cython.longlong = text.shape[0]
    low: cython.longlong = 0
    high: cython.longlong = 0
    n_deps: cython.longlong = 0
    n_paths: cython.longlong = 0
    s: cython.Py_ssize_t = 0
    kind: cython.int = 0
    if cython.compiled:
        p = cython.address(text[0])
    else:
        p = memoryview(text)  # Python's integers, which do not wrap
    with cython.nogil:
        for s in range(words.shape[0] - 1):
            for w in range(words[s], words[s + 1]):
                high = _find(p, lines[w], end, 10) - 1
                while p[high] != 9:  # before MISC
                    high -= 1
                low = high - 1
                while p[low] != 9:  # before DEPS
                    low -= 1
                low += 1
                if high == low + 1 and p[low] == 95:
                    low = high
                while low < high:
                    # HEAD:PATH|HEAD:PATH…
                    number = 0
                    k = low
                    while 48 <= p[k] <= 57 and number < 10000:
                        number = 10 * number + p[k] - 48
                        k += 1
                    if k == low or p[k] != 58 or number > words[s + 1] - words[s]:
                        i = _find(p, low, high, 124)
                        colon = _find(p, low, i, 58)
                        if colon < i and _find(p, low, colon, 46) < colon:  # an empty node as head
                            low = i + 1
                            continue
                        high = i
                        kind = _NO_COLON if colon == i else _NO_HEAD if k == low or k != colon else _OUTSIDE
                        break
                    dep_head[n_deps] = cython.cast(cython.int, number)
                    low = k + 1
                    while low < high and p[low] != 124:
                        paths[n_paths] = p[low]
                        n_paths += 1
                        low += 1
                    path_end[n_deps] = n_paths
                    n_deps += 1
                    low += 1
                if kind:
                    break
                dep_end[w] = n_deps
            if kind:
                break
    counts[0] = n_deps
    counts[1] = n_paths
    counts[2] = kind
    counts[3] = s
    counts[4] = low
    counts[5] = high
