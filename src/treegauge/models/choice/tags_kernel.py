# cython: infer_types=True
"""A log-linear choice over hashed features: of a word's tag, by its form and the forms beside it."""

# mypy: ignore-errors

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

from treegauge.models.choice.words import PREFIXES, SUFFIXES

if cython.compiled:
    from cython.cimports.libc.math import exp, log, sqrt
    from cython.cimports.treegauge.models.choice.prefetch import prefetch
else:
    from math import exp, log, sqrt

TAG_BITS = 17  # of the table of weights
MOST_TAGS = 128
TAG_UNIT = 32  # weights that are not learned any more are whole numbers of 1/32
MOST_FEATURES = 32

_SHIFT = cython.declare(cython.int, 64 - TAG_BITS)
_UNIT = cython.declare(cython.double, TAG_UNIT)
# columns of the parts of a form
_SUFFIX = cython.declare(cython.int, 1)  # the shortest
_SUFFIXES = cython.declare(cython.int, SUFFIXES)
_PREFIX = cython.declare(cython.int, 1 + SUFFIXES)
_PREFIXES = cython.declare(cython.int, PREFIXES)
_SHAPE = cython.declare(cython.int, 1 + SUFFIXES + PREFIXES)
_LEARN_ABOVE = cython.declare(cython.double, 0.002)  # smaller errors of a probability teach nothing
_EASE = cython.declare(cython.double, 0.01)

# Parts of a feature are not 0, and each is times the odd number of the part it plays: no two sums mean the same.
_MIX = cython.declare(cython.ulonglong, 0xFF51AFD7ED558CCD)
_WHOLE = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_END = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)
_START = cython.declare(cython.ulonglong, 0x165667B19E3779F9)
_SHAPED = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)
_BEFORE = cython.declare(cython.ulonglong, 0xA0761D6478BD642F)
_AFTER = cython.declare(cython.ulonglong, 0xE7037ED1A0B428DB)
_BEFORE_THAT = cython.declare(cython.ulonglong, 0x8EBC6AF09C88C6E3)
_AFTER_THAT = cython.declare(cython.ulonglong, 0x589965CC75374CC3)
_END_BEFORE = cython.declare(cython.ulonglong, 0x1D8E4E27C47D124F)
_END_AFTER = cython.declare(cython.ulonglong, 0xEB44ACCAB455D165)
_SHAPE_BEFORE = cython.declare(cython.ulonglong, 0x9C6E6877736C46E3)
_ALWAYS = cython.declare(cython.ulonglong, 0x2127599BF4325C37)


@cython.final
@cython.cclass
class Tagger:
    """Scores and learns tags, a word at a time; weights are the caller's, the rest is room to work in.

    weight[2^17, tags] by hashed feature: multiples of 1/TAG_UNIT, or floats while they are learned; then power has
    the sums of squared gradients.
    """

    learning: cython.bint
    units: cython.schar[:, ::1]
    weight: cython.float[:, ::1]
    power: cython.float[:, ::1]
    parts: cython.ulonglong[:, ::1]  # of forms; rows 0 and 1 are of what stands before and after a sentence
    place: cython.uint[::1]  # of the weights of the features of a word
    filled: cython.Py_ssize_t
    score_of: cython.double[::1]  # by tag
    total: cython.int[::1]

    def __init__(self, weight, power=None):
        self.learning = weight.dtype == np.float32
        floats, units = np.zeros((0, 0), dtype=np.float32), np.zeros((0, 0), dtype=np.int8)
        self.weight, self.units = (weight, units) if self.learning else (floats, weight)
        self.power = floats if power is None else power
        self.place = np.zeros(MOST_FEATURES, dtype=np.uint32)
        self.score_of = np.zeros(weight.shape[1], dtype=np.float64)
        self.total = np.zeros(weight.shape[1], dtype=np.int32)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _put(self, feature: cython.ulonglong) -> cython.void:
        """Note where the weights of one more feature are."""
        at: cython.ulonglong = ((feature ^ (feature >> 32)) * _MIX) >> _SHIFT
        if cython.compiled and self.learning:
            prefetch(cython.address(self.weight[at, 0]))
        self.place[self.filled] = at
        self.filled += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _row(
        self, form: cython.int[::1], w: cython.longlong, low: cython.longlong, high: cython.longlong
    ) -> cython.Py_ssize_t:
        """The row of the parts of word w, or of what stands before and after its sentence, low … high."""
        if w < low:
            return 0
        return form[w] if w < high else 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _features(
        self, form: cython.int[::1], w: cython.longlong, low: cython.longlong, high: cython.longlong
    ) -> cython.void:
        """The places of the features of word w of the sentence low … high."""
        self.filled = 0
        f = form[w]
        b = self._row(form, w - 1, low, high)
        a = self._row(form, w + 1, low, high)
        whole, shape = self.parts[f, 0] * _WHOLE, self.parts[f, _SHAPE] * _SHAPED
        end2, end3 = self.parts[f, _SUFFIX + 1] * _END, self.parts[f, _SUFFIX + 2] * _END
        before, after = self.parts[b, 0] * _BEFORE, self.parts[a, 0] * _AFTER
        end_before = self.parts[b, _SUFFIX + 2] * _END_BEFORE
        end_after = self.parts[a, _SUFFIX + 2] * _END_AFTER
        self._put(self.parts[0, 0] * _ALWAYS)
        self._put(whole)
        self._put(whole + shape)
        self._put(shape)
        for k in range(_SUFFIXES):
            self._put(self.parts[f, _SUFFIX + k] * _END)
        for k in range(_PREFIXES):
            self._put(self.parts[f, _PREFIX + k] * _START)
        self._put(end3 + shape)
        self._put(end3 + self.parts[f, _PREFIX + 2] * _START)
        self._put(end2 + self.parts[f, _PREFIX + 1] * _START)
        self._put(before)
        self._put(after)
        self._put(self.parts[self._row(form, w - 2, low, high), 0] * _BEFORE_THAT)
        self._put(self.parts[self._row(form, w + 2, low, high), 0] * _AFTER_THAT)
        self._put(end_before)
        self._put(end_after)
        self._put(end_before + end_after)
        self._put(end3 + end_after)
        self._put(shape + before)
        self._put(shape + self.parts[b, _SHAPE] * _SHAPE_BEFORE)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _tags(self, known: cython.Py_ssize_t) -> cython.double:
        """Score the first `known` tags by the features at hand; the logarithm of the sum of their exponentials."""
        total: cython.double = 0.0
        for c in range(known):
            self.score_of[c] = 0.0
            self.total[c] = 0
        for k in range(self.filled):
            at = self.place[k]
            if self.learning:
                for c in range(known):
                    self.score_of[c] += cython.cast(cython.double, self.weight[at, c])
            else:
                for c in range(known):
                    self.total[c] += self.units[at, c]
        if not self.learning:
            for c in range(known):
                self.score_of[c] = self.total[c] / _UNIT
        best = self.score_of[0]
        for c in range(1, known):
            if self.score_of[c] > best:
                best = self.score_of[c]
        for c in range(known):
            total += exp(self.score_of[c] - best)
        return best + log(total)

    def train(
        self,
        parts: cython.ulonglong[:, ::1],
        form: cython.int[::1],
        tag: cython.int[::1],
        start: cython.longlong[::1],
        known: cython.Py_ssize_t,
        rate: cython.double,
    ) -> cython.double:
        """Learn the tags, codes below `known`, of all words; the sum of log p before."""
        total: cython.double = 0.0
        self.parts = parts
        with cython.nogil:
            for s in range(start.shape[0] - 1):
                for w in range(start[s], start[s + 1]):
                    self._features(form, w, start[s], start[s + 1])
                    log_sum = self._tags(known)
                    total += self.score_of[tag[w]] - log_sum
                    if log_sum - self.score_of[tag[w]] < _LEARN_ABOVE:
                        continue
                    for c in range(known):
                        error = (1.0 if c == tag[w] else 0.0) - exp(self.score_of[c] - log_sum)
                        if -_LEARN_ABOVE < error < _LEARN_ABOVE:
                            continue
                        for k in range(self.filled):
                            at = self.place[k]
                            power = cython.cast(cython.double, self.power[at, c]) + error * error
                            self.power[at, c] = power
                            moved = cython.cast(cython.double, self.weight[at, c]) + rate * error / sqrt(power + _EASE)
                            self.weight[at, c] = moved
        return total

    def score(
        self,
        parts: cython.ulonglong[:, ::1],
        form: cython.int[::1],
        tag: cython.int[::1],
        start: cython.longlong[::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        log_prob: cython.double[::1],
        rival: cython.int[::1],
        rival_log_prob: cython.double[::1],
    ) -> None:
        """log p of the tag of each word of sentences first … last, the likeliest other tag, and its log p.

        tag -1 is one the weights do not have: its log p is left as it is, and all tags are others.
        """
        known: cython.Py_ssize_t = self.score_of.shape[0]
        self.parts = parts
        with cython.nogil:
            for s in range(first, last):
                for w in range(start[s], start[s + 1]):
                    self._features(form, w, start[s], start[s + 1])
                    log_sum = self._tags(known)
                    rival[w] = -1
                    rival_log_prob[w] = -1e300
                    for c in range(known):
                        if c == tag[w]:
                            log_prob[w] = self.score_of[c] - log_sum
                        elif self.score_of[c] - log_sum > rival_log_prob[w]:
                            rival[w] = c
                            rival_log_prob[w] = self.score_of[c] - log_sum
