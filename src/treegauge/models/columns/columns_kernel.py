# cython: infer_types=True
"""A log-linear choice among few candidates over hashed features: of a lemma's rule, a tag, a feature, a subtype."""

# mypy: ignore-errors

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

if cython.compiled:
    from cython.cimports.libc.math import exp, log, sqrt
    from cython.cimports.treegauge.models.choice.prefetch import prefetch
else:
    from math import exp, log, sqrt

UNIT = 16  # weights that are not learned any more are whole numbers of 1/16

_UNIT = cython.declare(cython.double, UNIT)
_MIX = cython.declare(cython.ulonglong, 0xFF51AFD7ED558CCD)
_EVIDENCE = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_EVIDENCE_ALONE = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)
_LEARN_ABOVE = cython.declare(cython.double, 0.002)  # smaller errors of a probability teach nothing
_EASE = cython.declare(cython.double, 0.01)


@cython.final
@cython.cclass
class CandidateChooser:
    """Scores and learns candidates, a question at a time; weights are the caller's, the rest is room to work in.

    Question i is about word[i] and has the candidates of set[i]: members[start[k]:start[k + 1]] for k = set[i], which
    are codes of classes; evidence has a small number for each member. A weight belongs to a feature and a class; both
    are hashes. weight[2^bits]: multiples of 1/UNIT, or floats while they are learned; then power has the sums of
    squared gradients.
    """

    learning: cython.bint
    shift: cython.int
    units: cython.schar[::1]
    weight: cython.float[::1]
    power: cython.float[::1]
    hash_of: cython.ulonglong[::1]  # by class
    start: cython.longlong[::1]
    members: cython.int[::1]
    evidence: cython.uchar[::1]
    level: cython.ulonglong[::1]  # the part of a feature for each number that evidence may have
    place: cython.uint[:, ::1]  # of the weights of each candidate
    score_of: cython.double[::1]  # by candidate

    def __init__(self, weight, power, hashes, start, members, evidence, features):
        self.learning = weight.dtype == np.float32
        floats, units = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int8)
        self.weight, self.units = (weight, units) if self.learning else (floats, weight)
        self.power = floats if power is None else power
        self.shift = 64 - (len(weight).bit_length() - 1)
        self.hash_of, self.start, self.members, self.evidence = hashes, start, members, evidence
        self.level = np.arange(1, 257, dtype=np.uint64)
        most = int(np.diff(start).max()) if len(start) > 1 else 0
        self.place = np.zeros((max(most, 1), features + 2), dtype=np.uint32)
        self.score_of = np.zeros(max(most, 1), dtype=np.float64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _candidates(
        self, features: cython.ulonglong[:, ::1], w: cython.Py_ssize_t, k: cython.Py_ssize_t
    ) -> cython.double:
        """Score the candidates of set k for word w; the logarithm of the sum of their exponentials."""
        low = self.start[k]
        n: cython.Py_ssize_t = self.start[k + 1] - low
        count: cython.Py_ssize_t = features.shape[1]
        total: cython.double = 0.0
        for c in range(n):
            own: cython.ulonglong = self.hash_of[self.members[low + c]]
            for f in range(count):
                mixed: cython.ulonglong = (features[w, f] ^ own) * _MIX
                at: cython.uint = cython.cast(cython.uint, ((mixed ^ (mixed >> 32)) * _MIX) >> self.shift)
                self.place[c, f] = at
                if cython.compiled and self.learning:
                    prefetch(cython.address(self.weight[at]))
            given: cython.ulonglong = self.level[self.evidence[low + c]]
            mixed = ((given * _EVIDENCE) ^ own) * _MIX
            self.place[c, count] = cython.cast(cython.uint, ((mixed ^ (mixed >> 32)) * _MIX) >> self.shift)
            mixed = (given * _EVIDENCE_ALONE) * _MIX
            self.place[c, count + 1] = cython.cast(cython.uint, ((mixed ^ (mixed >> 32)) * _MIX) >> self.shift)
        best: cython.double = -1e300
        for c in range(n):
            sum_of: cython.double = 0.0
            if self.learning:
                for f in range(count + 2):
                    sum_of += cython.cast(cython.double, self.weight[self.place[c, f]])
            else:
                for f in range(count + 2):
                    sum_of += self.units[self.place[c, f]] / _UNIT
            self.score_of[c] = sum_of
            if sum_of > best:
                best = sum_of
        for c in range(n):
            total += exp(self.score_of[c] - best)
        return best + log(total)

    def train(
        self,
        features: cython.ulonglong[:, ::1],
        word: cython.int[::1],
        sets: cython.int[::1],
        own: cython.int[::1],
        rate: cython.double,
    ) -> cython.double:
        """Learn the candidates, own[i] of set i, of all questions; the sum of log p before."""
        total: cython.double = 0.0
        count: cython.Py_ssize_t = features.shape[1] + 2
        with cython.nogil:
            for i in range(word.shape[0]):
                n: cython.Py_ssize_t = self.start[sets[i] + 1] - self.start[sets[i]]
                log_sum = self._candidates(features, word[i], sets[i])
                lost = log_sum - self.score_of[own[i]]
                total -= lost
                if lost < _LEARN_ABOVE:
                    continue
                for c in range(n):
                    error = (1.0 if c == own[i] else 0.0) - exp(self.score_of[c] - log_sum)
                    if -_LEARN_ABOVE < error < _LEARN_ABOVE:
                        continue
                    for f in range(count):
                        at = self.place[c, f]
                        power = cython.cast(cython.double, self.power[at]) + error * error
                        self.power[at] = power
                        moved = cython.cast(cython.double, self.weight[at]) + rate * error / sqrt(power + _EASE)
                        self.weight[at] = moved
        return total

    def score(
        self,
        features: cython.ulonglong[:, ::1],
        word: cython.int[::1],
        sets: cython.int[::1],
        own: cython.int[::1],
        log_prob: cython.double[::1],
        rival: cython.int[::1],
        rival_log_prob: cython.double[::1],
    ) -> None:
        """log p of the candidate own[i] of each question, the likeliest other class but the first, and its log p."""
        with cython.nogil:
            for i in range(word.shape[0]):
                low = self.start[sets[i]]
                n: cython.Py_ssize_t = self.start[sets[i] + 1] - low
                log_sum = self._candidates(features, word[i], sets[i])
                rival[i] = -1
                rival_log_prob[i] = -1e300
                log_prob[i] = self.score_of[own[i]] - log_sum
                for c in range(n):
                    if c != own[i] and self.members[low + c] and self.score_of[c] - log_sum > rival_log_prob[i]:
                        rival[i] = self.members[low + c]
                        rival_log_prob[i] = self.score_of[c] - log_sum
