# cython: infer_types=True
"""Read CoNLL-U bytes into columns, in one pass over the text, without Python objects and without the lock."""

# mypy: ignore-errors

import os

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

from treegauge.corpus.files import LONGEST_SENTENCE, PAD

MAX_WORDS = 65_535  # a sentence with more words is always a defect; a reader may allow fewer

# Numbers of the defects of a sentence; columns.DEFECTS has the messages.
_COLUMNS = cython.declare(cython.int, 1)
_EMPTY_COLUMN = cython.declare(cython.int, 2)
_ID = cython.declare(cython.int, 3)
_HEAD = cython.declare(cython.int, 4)
_HEAD_RANGE = cython.declare(cython.int, 5)
_CYCLE = cython.declare(cython.int, 6)
_ROOTS = cython.declare(cython.int, 7)
_COMMENT = cython.declare(cython.int, 8)
_NO_WORDS = cython.declare(cython.int, 9)
_HUGE = cython.declare(cython.int, 10)
_ENCODING = cython.declare(cython.int, 11)
_SPAN = cython.declare(cython.int, 12)
_LONG = cython.declare(cython.int, 13)

_TABS = cython.declare(cython.ulonglong, 0x0909090909090909)
_TABS_TO_NEWLINES = cython.declare(cython.ulonglong, 0x0303030303030303)
_SEVEN = cython.declare(cython.ulonglong, 0x7F7F7F7F7F7F7F7F)
_GATHER = cython.declare(cython.ulonglong, 0x0102040810204080)
_PAIR = cython.declare(cython.ulonglong, 0x0000000100000001)
_HIGH = cython.declare(cython.ulonglong, 0x8080808080808080)
_MIX = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
# These are different in each process, so that nobody can write a text whose labels all have the same place in a table.
_SEED = cython.declare(cython.ulonglong, int.from_bytes(os.urandom(8), "little"))
_ODD = cython.declare(cython.ulonglong, int.from_bytes(os.urandom(8), "little") | 1)
_MAX = cython.declare(cython.longlong, MAX_WORDS)
_LAST_MARK = cython.declare(cython.int, (1 << 31) - 2 * MAX_WORDS - 4)
_WINDOW = cython.declare(cython.longlong, 1 << 15)
_BEHIND = cython.declare(cython.longlong, PAD - 8)
_NOWHERE = cython.declare(cython.longlong, 1 << 62)
_FARTHEST = cython.declare(cython.longlong, (1 << 31) - (1 << 16))  # positions in a text take 32 bits
_LONGEST = cython.declare(cython.longlong, LONGEST_SENTENCE)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _eight(p: cython.p_uchar) -> cython.ulonglong:
    """Eight bytes as one number, in the order of this machine."""
    return cython.cast(cython.pointer(cython.ulonglong), p)[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_separators(
    p: cython.p_uchar,
    i: cython.longlong,
    end: cython.longlong,
    places: cython.p_ulonglong,
    at: cython.p_int,
) -> cython.longlong:
    """Write the places of the tabs and newlines in p[i:end] (rounded up to eight bytes) into `at`; return their number.

    It takes eight bytes at a time, without a branch, which the processor would predict wrongly ten times a word. An
    exclusive or makes separators zero, which gives a mask; a multiplication gathers the mask into eight bits. `places`
    has the positions of these bits, two in each number. Four positions are always written; those that do not count are
    overwritten by the next ones.
    """
    n: cython.longlong = 0
    while i < end:
        x = _eight(p + i) ^ _TABS
        y = x ^ _TABS_TO_NEWLINES
        x = ((x & _SEVEN) + _SEVEN) | x
        y = ((y & _SEVEN) + _SEVEN) | y
        place = places + 8 * ((((~(x & y) & _HIGH) >> 7) * _GATHER) >> 56)
        both = cython.cast(cython.ulonglong, i) * _PAIR
        pairs = cython.cast(cython.p_ulonglong, at + n)
        pairs[0] = both + place[0]
        pairs[1] = both + place[1]
        if place[4] > 4:  # this is rare
            pairs[2] = both + place[2]
            pairs[3] = both + place[3]
        n += place[4]
        i += 8
    return n


def _places_of_bits():
    """For each of 256 masks the positions of its bits, and then their number."""
    places = np.zeros((256, 16), dtype=np.int32)
    for mask in range(256):
        bits = [k for k in range(8) if mask >> k & 1]
        places[mask, : len(bits)] = bits
        places[mask, 8] = len(bits)
    return places.view(np.uint64)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bad_utf8(p: cython.p_uchar, i: cython.longlong, end: cython.longlong) -> cython.longlong:
    """The place of the first byte, from i on, that is not valid UTF-8; _NOWHERE if there is none."""
    while i < end:
        c = p[i]
        if c < 0x80:
            i += 1
            if cython.compiled:  # PAD allows reading beyond the end
                while i < end and not (
                    (_eight(p + i) | _eight(p + i + 8) | _eight(p + i + 16) | _eight(p + i + 24)) & _HIGH
                ):
                    i += 32
            continue
        if 0xC2 <= c <= 0xDF:
            n = 1
        elif 0xE0 <= c <= 0xEF:
            n = 2
        elif 0xF0 <= c <= 0xF4:
            n = 3
        else:
            return i
        d = p[i + 1]
        # overlong forms, surrogates, and numbers above U+10FFFF
        if (c == 0xE0 and d < 0xA0) or (c == 0xED and d > 0x9F):
            return i
        if (c == 0xF0 and d < 0x90) or (c == 0xF4 and d > 0x8F):
            return i
        for k in range(1, n + 1):
            if p[i + k] & 0xC0 != 0x80:
                return i
        i += n + 1
    return _NOWHERE


def _larger(array, size):
    """A copy with zeros after it; the zeros need no memory before they are used."""
    old = np.asarray(array)
    new = np.zeros(size, dtype=old.dtype)
    new[: len(old)] = old
    return new


@cython.cclass
class LabelTable:
    """The strings of one column as codes 0, 1, 2 … in the order in which they first appear.

    It is a hash table with open addressing over arrays. `prefix` has the first eight bytes of each label (for a shorter
    label, its bytes and their number); so most labels are compared by one number. If the code is interpreted, it is a
    dict.
    """

    slots: cython.int[::1]  # code + 1, or 0 for a free slot
    prefix: cython.ulonglong[::1]
    offset: cython.longlong[::1]  # where a label's bytes start in arena; one more than there are labels
    arena: cython.uchar[::1]
    recent: cython.ulonglong[::1]  # short labels that were asked for recently, and their codes
    recent_code: cython.int[::1]
    size: cython.int
    index: dict

    def __init__(self):
        self.size = 0
        self.index = {}
        self.recent = np.zeros(64, dtype=np.uint64)
        self.recent_code = np.zeros(64, dtype=np.int32)
        self.slots = np.zeros(1024, dtype=np.int32)
        self.prefix = np.zeros(512, dtype=np.uint64)
        self.offset = np.zeros(513, dtype=np.int64)
        self.arena = np.zeros(4096, dtype=np.uint8)

    def reserve(self, labels, n_bytes):
        """Make room for so many more labels and bytes, because the scanner itself cannot enlarge arrays."""
        if not cython.compiled:
            return
        size = self.size
        used = self.offset[size]
        if size + labels > self.prefix.shape[0]:
            self.prefix = _larger(self.prefix, 2 * (size + labels))
            self.offset = _larger(self.offset, 2 * (size + labels) + 1)
        if used + n_bytes + PAD > self.arena.shape[0]:
            self.arena = _larger(self.arena, 2 * (used + n_bytes) + PAD)
        if 2 * (size + labels) > self.slots.shape[0]:
            self.slots = np.zeros(1 << int(2 * (size + labels)).bit_length(), dtype=np.int32)
            self._rehash()

    @cython.cfunc
    def _rehash(self) -> cython.void:
        mask: cython.ulonglong = self.slots.shape[0] - 1
        for code in range(self.size):
            low = self.offset[code]
            at = self._hash(cython.address(self.arena[low]), self.prefix[code], self.offset[code + 1] - low) & mask
            while self.slots[at]:
                at = (at + 1) & mask
            self.slots[at] = code + 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _hash(self, p: cython.p_uchar, first: cython.ulonglong, n: cython.longlong) -> cython.ulonglong:
        h: cython.ulonglong = (first ^ cython.cast(cython.ulonglong, n) ^ _SEED) * _ODD
        i: cython.longlong = 16
        while i <= n:
            h = (h ^ (h >> 32) ^ _eight(p + i - 8)) * _ODD
            i += 8
        if n > 8:  # the last eight bytes, some of them for the second time
            h = (h ^ (h >> 32) ^ _eight(p + n - 8)) * _ODD
        return h ^ (h >> 29)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def code(self, p: cython.p_uchar, n: cython.longlong) -> cython.int:
        """The code of the n bytes at p; a new code if the label is new."""
        first: cython.ulonglong = _eight(p)
        mask: cython.ulonglong = self.slots.shape[0] - 1
        recent: cython.ulonglong = 0
        if n < 8:  # its bytes and their count are one number: look among the recent labels first
            first &= (cython.cast(cython.ulonglong, 1) << (8 * n)) - 1
            first |= cython.cast(cython.ulonglong, n) << 56
            recent = (first * _MIX) >> 58
            if self.recent[recent] == first:
                return self.recent_code[recent]
        at = self._hash(p, first, n) & mask
        while self.slots[at] and not self._is(self.slots[at] - 1, p, first, n):
            at = (at + 1) & mask
        code: cython.int = self.slots[at] - 1
        if code < 0:
            code = self.size
            self.slots[at] = code + 1
            self.prefix[code] = first
            used = self.offset[code]
            for i in range(n):
                self.arena[used + i] = p[i]
            self.offset[code + 1] = used + n
            self.size = code + 1
        if n < 8:
            self.recent[recent] = first
            self.recent_code[recent] = code
        return code

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _is(self, code: cython.int, p: cython.p_uchar, first: cython.ulonglong, n: cython.longlong) -> cython.bint:
        """Whether the label with this code is the n bytes at p."""
        used: cython.longlong = self.offset[code]
        if self.prefix[code] != first or self.offset[code + 1] - used != n:
            return False
        for i in range(8, n):
            if self.arena[used + i] != p[i]:
                return False
        return True

    def labels(self, start=0):
        """The labels from code `start` on, as strings; only sentences that were left out had invalid UTF-8."""
        if not cython.compiled:
            return [label.decode(errors="replace") for label in list(self.index)[start:]]
        text = np.asarray(self.arena)[: self.offset[self.size]].tobytes()
        return [text[self.offset[k] : self.offset[k + 1]].decode(errors="replace") for k in range(start, self.size)]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _number(p: cython.p_uchar, i: cython.longlong, end: cython.longlong) -> cython.longlong:
    """The number in p[i:end]; _MAX + 1 for any number above _MAX, −1 if it is not a number.

    Numbers of one digit and of two digits use the same code without a branch, because the processor cannot predict it.
    """
    n: cython.longlong = end - i
    first: cython.longlong = cython.cast(cython.longlong, p[i]) - 48
    second: cython.longlong = cython.cast(cython.longlong, p[i + 1]) - 48
    if 0 < n <= 2:
        two = n - 1
        second *= two
        if (first < 0) | (first > 9) | (second < 0) | (second > 9):
            return -1
        return first * (1 + 9 * two) + second
    first = 0
    while i < end:
        if p[i] < 48 or p[i] > 57:
            return -1
        first = min(10 * first + cython.cast(cython.longlong, p[i]) - 48, _MAX + 1)
        i += 1
    return first if n else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_sent_id(
    p: cython.p_uchar,
    i: cython.longlong,
    end: cython.longlong,
    ids: cython.longlong[:, ::1],
    s: cython.longlong,
) -> cython.void:
    """If p[i:end] is the comment '# sent_id = id', write the place of the id into ids[s]."""
    name: cython.p_uchar = b"sent_id"
    if end - i <= 9:
        return
    for k in range(7):
        if p[i + 2 + k] != name[k]:
            return
    i += 9
    while p[i] == 32:
        i += 1
    if p[i] != 61:  # '='
        return
    i += 1
    while p[i] == 32:
        i += 1
    if end > i and p[end - 1] == 13:
        end -= 1
    ids[s, 0] = i
    ids[s, 1] = end


@cython.cclass
class Scanner:
    """Scans texts into arrays; the label tables stay from one text to the next. See `scan`."""

    form: LabelTable
    lemma: LabelTable
    upos: LabelTable
    xpos: LabelTable
    feats: LabelTable
    deprel: LabelTable
    wanted: cython.int[::1]  # for each column, the row of `codes` for its codes, -1 if it is not read
    trees: cython.bint  # whether every word must have a head
    one_root: cython.bint
    skip: cython.bint  # whether the scan continues after a defect
    strict: cython.bint  # whether an empty column is a defect; else it is read as `_`
    most: cython.longlong  # most words of a sentence
    empty: cython.longlong[:, ::1]  # for each column: how many are empty, and the first line where it is

    # about the current text
    line: cython.longlong  # how many lines were read
    sentence: cython.longlong  # how many sentences were read, left out or not
    n_rows: cython.longlong
    n_sentences: cython.longlong
    n_defects: cython.longlong

    # about the current sentence
    words: cython.int
    farthest: cython.int  # the highest head
    roots: cython.int
    tokens: cython.int  # token lines of any kind
    span_end: cython.int  # last word of the current multiword token
    empties: cython.int  # empty nodes since the last word
    low: cython.longlong  # where the wrong value starts
    high: cython.longlong
    detail: cython.longlong

    end: cython.longlong
    places: cython.ulonglong[:, ::1]
    at: cython.int[::1]  # where the tabs and newlines are
    n_separators: cython.longlong  # how many of them are known; the last one is a newline
    q: cython.longlong  # the separator at the end of the line's first column
    complete: cython.longlong  # the separators of lines that start up to here are known
    mark: cython.int[::1]
    base: cython.int  # marks of earlier sentences are at most this
    head: cython.int[::1]
    codes: cython.int[:, ::1]
    lines: cython.longlong[::1]

    def __init__(self, wanted, trees, one_root, skip, strict, most):
        self.form = LabelTable()
        self.lemma = LabelTable()
        self.upos = LabelTable()
        self.xpos = LabelTable()
        self.feats = LabelTable()
        self.deprel = LabelTable()
        self.wanted = np.full(10, -1, dtype=np.int32)
        for row, column in enumerate(wanted):
            self.wanted[column] = row
        self.trees = trees
        self.one_root = one_root
        self.skip = skip
        self.strict = strict
        self.most = most
        self.empty = np.zeros((10, 2), dtype=np.int64)
        self.places = _places_of_bits()
        self.at = np.zeros(0, dtype=np.int32)
        self.mark = np.zeros(MAX_WORDS + 2, dtype=np.int32)
        self.base = 0

    def table(self, column):
        """The label table of a column."""
        return (None, self.form, self.lemma, self.upos, self.xpos, self.feats, None, self.deprel)[column]

    def counts(self):
        """The rows, sentences, defects and lines of the last text; and its sentences with those that were left out."""
        return self.n_rows, self.n_sentences, self.n_defects, self.line, self.sentence

    def empty_columns(self):
        """For each column of the last text: how many are empty, and the first line where it is."""
        return np.asarray(self.empty).tolist()

    def scan(
        self,
        text: cython.uchar[::1],
        position: cython.longlong,
        end: cython.longlong,
        head: cython.int[::1],
        codes: cython.int[:, ::1],
        lines: cython.longlong[::1],
        start: cython.longlong[::1],
        begin: cython.longlong[::1],
        ids: cython.longlong[:, ::1],
        numbers: cython.longlong[::1],
        first_lines: cython.longlong[::1],
        defects: cython.longlong[:, ::1],
    ) -> None:
        """Scan text[position:end], which `PAD` newlines follow, until it ends or a defect stops the scan.

        It writes, for each word: head, codes (one row for each column) and where its line starts. For each sentence:
        its first row, where it begins, where its sent_id is, its number, and the number of its first line in this text,
        from 1. For each defect: kind, number of the sentence, where its sent_id is, where the wrong value is, and a
        number for the message, and how many words the sentence has. The rows of a sentence with a defect are removed;
        with `skip`, the scan continues after it.
        """
        most = (end - position) // 13 + 2  # a word needs thirteen bytes or more: ID, FORM, HEAD, tabs, newline
        room = min(head.shape[0], codes.shape[1], lines.shape[0], start.shape[0], begin.shape[0], ids.shape[0])
        room = min(room, numbers.shape[0], first_lines.shape[0])
        if not 0 <= position <= end <= _FARTHEST or bytes(text[end : end + PAD]) != b"\n" * PAD:
            raise ValueError(f"text of {end} bytes; expected less than 2 GiB, and {PAD} newlines behind it")
        if room < most or codes.shape[0] <= max(self.wanted) or defects.shape[0] < (end // 2 + 1 if self.skip else 1):
            raise ValueError(f"room for {room} words; expected {most}")
        if cython.compiled:
            p = cython.address(text[0])
        else:
            p = memoryview(text)  # Python's integers, which do not wrap
        for column in (1, 2, 3, 4, 5, 7):
            if self.wanted[column] >= 0:
                self.table(column).reserve(most, end - position + most)  # an empty column is a label of one byte
        if cython.compiled and self.at.shape[0] < end - position + PAD + 16:
            self.at = np.empty(end - position + PAD + 16, dtype=np.int32)
        self.end = end
        self.head = head
        self.codes = codes
        self.lines = lines
        with cython.nogil:
            self._scan(p, position, end, start, begin, ids, numbers, first_lines, defects)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _scan(
        self,
        p: cython.p_uchar,
        i: cython.longlong,
        end: cython.longlong,
        start: cython.longlong[::1],
        begin: cython.longlong[::1],
        ids: cython.longlong[:, ::1],
        numbers: cython.longlong[::1],
        first_lines: cython.longlong[::1],
        defects: cython.longlong[:, ::1],
    ) -> cython.void:
        s: cython.longlong = 0
        n: cython.longlong = 0
        row: cython.longlong = 0
        first: cython.longlong = 0  # the first row of this sentence
        opened: cython.bint = False
        bad: cython.longlong = _bad_utf8(p, i, end)
        self.line = self.sentence = 0
        for k in range(10):
            self.empty[k, 0] = 0
        self._find_lines(p, i)
        start[0] = 0
        while True:
            kind: cython.int = 0
            if i < end and not self._blank(p, i):
                if not opened:
                    opened = True
                    begin[s] = i
                    ids[s, 0] = ids[s, 1] = i
                    self.sentence += 1
                    numbers[s] = self.sentence
                    first_lines[s] = self.line + 1
                    self.words = self.farthest = self.roots = self.tokens = self.span_end = self.empties = 0
                if p[i] != 35:
                    kind = self._token(p, i, row)
                    row = first + self.words
                elif self.tokens:  # a comment, '#', after the first token of a sentence
                    kind = self._fault(_COMMENT, i, self._line_end(p), 0)
                else:
                    _find_sent_id(p, i, self._line_end(p), ids, s)
                if self._line_end(p) - begin[s] > _LONGEST:
                    kind = self._fault(_LONG, begin[s], begin[s], _LONGEST >> 20)
                if kind == 0:
                    i = self._next_line(p)
                    continue
            elif opened:
                if bad < i:
                    kind = self._fault(_ENCODING, bad, bad + 1, 0)
                else:
                    kind = self._close(p, begin[s], first)
                if kind == 0:
                    opened = False
                    s += 1
                    start[s] = first = row
            if kind:
                opened = False
                row = first
                defects[n, 0] = kind
                defects[n, 1] = self.sentence
                defects[n, 2] = ids[s, 0]
                defects[n, 3] = ids[s, 1]
                defects[n, 4] = self.low
                defects[n, 5] = self.high
                defects[n, 6] = self.detail
                defects[n, 7] = self.words
                n += 1
                if not self.skip:
                    break
                while i < end and not self._blank(p, i):
                    defects[n - 1, 7] += self._is_word_line(p, i)
                    i = self._next_line(p)
                if bad < i:
                    bad = _bad_utf8(p, i, end)
            if i >= end:
                break
            i = self._next_line(p)  # after the blank line
        self.n_rows = first
        self.n_sentences = s
        self.n_defects = n

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _blank(self, p: cython.p_uchar, i: cython.longlong) -> cython.bint:
        return p[i] == 10 or (p[i] == 13 and p[i + 1] == 10)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_word_line(self, p: cython.p_uchar, i: cython.longlong) -> cython.bint:
        """Whether the line at i starts with a number and a tab, as the line of a word does."""
        if not 48 <= p[i] <= 57:
            return False
        while 48 <= p[i] <= 57:
            i += 1
        return p[i] == 9

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _line_end(self, p: cython.p_uchar) -> cython.longlong:
        """Where the current line ends; `q` becomes the number of that separator."""
        while p[self.at[self.q]] != 10:
            self.q += 1
        return self.at[self.q]

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _next_line(self, p: cython.p_uchar) -> cython.longlong:
        i: cython.longlong = self._line_end(p) + 1
        self.q += 1
        self.line += 1
        if i > self.complete:
            self._find_lines(p, i)
        return i

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_lines(self, p: cython.p_uchar, i: cython.longlong) -> cython.void:
        """Find the separators of the lines from i on: at least one line, and at most what fits in the cache."""
        n: cython.longlong = 0
        window: cython.longlong = _WINDOW
        self.q = 0
        if cython.compiled:
            while n == 0:
                end = min(i + window, self.end + _BEHIND)
                n = _find_separators(p, i, end, cython.address(self.places[0, 0]), cython.address(self.at[0]))
                while n > 0 and p[self.at[n - 1]] != 10:
                    n -= 1
                window *= 2
            self.complete = self.at[n - 1]
            self.n_separators = n
        else:
            text = np.asarray(p)
            self.at = i + np.flatnonzero((text[i:] == 9) | (text[i:] == 10))
            self.complete = len(text)
            self.n_separators = len(self.at)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _fault(
        self, kind: cython.int, low: cython.longlong, high: cython.longlong, detail: cython.longlong
    ) -> cython.int:
        self.low = low
        self.high = high
        self.detail = detail
        return kind

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _fault_in_column(
        self,
        p: cython.p_uchar,
        kind: cython.int,
        i: cython.longlong,
        column: cython.int,
        detail: cython.longlong,
    ) -> cython.int:
        """A fault in a column of the line at i."""
        high: cython.longlong = i
        while column >= 0:
            i = high
            while p[high] != 9 and p[high] != 10:
                high += 1
            high += 1
            column -= 1
        return self._fault(kind, i, high - 1, detail)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _check_columns(self, p: cython.p_uchar, i: cython.longlong) -> cython.int:
        """What is wrong with the columns of the line at i, which does not have ten columns with text.

        Unless `strict`, empty columns are counted instead, if there are ten: 0 means that the line can be read. A word
        needs ID, FORM and HEAD, another token ID and FORM.
        """
        n: cython.longlong = self._n_columns(p)
        if n != 10:
            return self._fault(_COLUMNS, i, self._line_end(p), n)
        low: cython.longlong = i
        for k in range(10):
            high: cython.longlong = self.at[self.q + k]
            if high == low or (k == 9 and high == low + 1 and p[low] == 13):
                if self.strict or k < 2 or (k == 6 and self._is_word_line(p, i)):
                    return self._fault(_EMPTY_COLUMN, low, low, k + 1)
                if self.empty[k, 0] == 0:
                    self.empty[k, 1] = self.line + 1
                self.empty[k, 0] += 1
            low = high + 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _n_columns(self, p: cython.p_uchar) -> cython.longlong:
        """How many columns the current line has."""
        k: cython.longlong = 0
        while p[self.at[self.q + k]] == 9:
            k += 1
        return k + 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _token(self, p: cython.p_uchar, i: cython.longlong, row: cython.longlong) -> cython.int:
        """Read a word, multiword token or empty node; return 0, or the kind of defect.

        If there is no defect, `q` is then the number of the newline.
        """
        q: cython.longlong = self.q
        if q + 10 > self.n_separators:  # the known separators end with a line: so this line has less than ten columns
            return self._check_columns(p, i)
        # A line must have nine tabs (9) and a newline (10), with text between any two. This is tested without branches.
        if cython.compiled:
            at = cython.address(self.at[q])
        else:
            at = self.at[q : q + 10]
        tabs: cython.int = 0
        gaps: cython.int = at[0] - cython.cast(cython.int, i) - 1
        for k in range(9):
            tabs += p[at[k]]
            gaps |= at[k + 1] - at[k] - 2
        if tabs != 81 or p[at[9]] != 10 or gaps < 0 or (p[at[8] + 1] == 13 and at[9] == at[8] + 2):
            kind: cython.int = self._check_columns(p, i)
            if kind:
                return kind
        low: cython.longlong = i
        number: cython.longlong = _number(p, i, self.at[q])
        self.tokens += 1
        if number >= 0:
            if number != self.words + 1 or p[i] == 48:
                return self._fault(_ID, i, self.at[q], self.words + 1)
            if number > self.most:
                return self._fault(_HUGE, i, self.at[q], self.most)
            low = self.at[q + 5] + 1
            value = _number(p, low, self.at[q + 6])
            if value < 0 and (self.trees or p[low] != 95 or self.at[q + 6] != low + 1):
                return self._fault(_HEAD, low, self.at[q + 6], 0)
            if value == number:
                return self._fault(_HEAD_RANGE, low, self.at[q + 6], number)
            self.roots += value == 0
            self.farthest = max(self.farthest, cython.cast(cython.int, value))
            self.head[row] = cython.cast(cython.int, value)
            self.lines[row] = i
            self.words += 1
            self.empties = 0
            if self.wanted[1] >= 0:
                self.codes[self.wanted[1], row] = self._code(self.form, p, 1)
            if self.wanted[2] >= 0:
                self.codes[self.wanted[2], row] = self._code(self.lemma, p, 2)
            if self.wanted[3] >= 0:
                self.codes[self.wanted[3], row] = self._code(self.upos, p, 3)
            if self.wanted[4] >= 0:
                self.codes[self.wanted[4], row] = self._code(self.xpos, p, 4)
            if self.wanted[5] >= 0:
                self.codes[self.wanted[5], row] = self._code(self.feats, p, 5)
            if self.wanted[7] >= 0:
                self.codes[self.wanted[7], row] = self._code(self.deprel, p, 7)
            self.q = q + 9
            return 0
        # a multiword token 'first-last' before its first word, or an empty node 'word.count'
        while 48 <= p[low] <= 57:
            low += 1
        number = _number(p, i, low)
        value = _number(p, low + 1, self.at[q])
        if p[low] == 45:
            if number == self.words + 1 and number > self.span_end and value >= number:
                self.span_end = cython.cast(cython.int, value)
                self.q = q + 9
                return 0
        elif p[low] == 46 and number == self.words and value == self.empties + 1:
            self.empties += 1
            self.q = q + 9
            return 0
        return self._fault(_ID, i, self.at[q], self.words + 1)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _code(self, table: LabelTable, p: cython.p_uchar, column: cython.int) -> cython.int:
        low: cython.longlong = self.at[self.q + column - 1] + 1
        size: cython.longlong = self.at[self.q + column] - low
        if cython.compiled:
            nothing: cython.p_uchar = b"_\0\0\0\0\0\0\0"  # eight bytes are read
            return table.code(p + low, size) if size else table.code(nothing, 1)
        return table.index.setdefault(bytes(p[low : low + size]) or b"_", len(table.index))

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _close(self, p: cython.p_uchar, begin: cython.longlong, first: cython.longlong) -> cython.int:
        """Check the sentence whose words start at row `first`; 0 or the kind of defect."""
        if self.words == 0:
            return self._fault_in_column(p, _NO_WORDS, begin, 0, 0)
        if self.span_end > self.words:
            return self._fault(_SPAN, begin, begin, self.span_end)
        if self.farthest > self.words:
            for w in range(self.words):
                if self.head[first + w] > self.words:
                    return self._fault_in_column(p, _HEAD_RANGE, self.lines[first + w], 6, self.words)
        if not self.trees:
            return 0
        # Follow the heads from each word up to a word that has a mark. The marks of earlier words are smaller than the
        # mark of this word; the marks of earlier sentences are at most `base`.
        if self.base > _LAST_MARK:
            for w in range(self.mark.shape[0]):
                self.mark[w] = 0
            self.base = 0
        base: cython.int = self.base
        self.base += self.words
        self.mark[0] = self.base + 1  # the root
        for w in range(1, self.words + 1):
            v = w
            while self.mark[v] <= base:
                self.mark[v] = base + w
                v = self.head[first + v - 1]
            if self.mark[v] == base + w:
                return self._fault_in_column(p, _CYCLE, self.lines[first + v - 1], 0, 0)
        if self.one_root and self.roots != 1:
            return self._fault(_ROOTS, begin, begin, self.roots)
        return 0
