# cython: infer_types=True
"""Two log-linear choices over hashed features: of a word's head among all words, and of the arc's relation."""

# mypy: ignore-errors

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import exp, log, sqrt
    from cython.cimports.treegauge.choice.prefetch import prefetch
else:
    from math import exp, log, sqrt

HEAD_BITS, RELATION_BITS, PAIR_BITS = 21, 16, 16  # of the tables of weights, and of pairs of tags
MOST_WORDS = 4096
MOST_FEATURES = 64
MOST_BETWEEN = 24  # different tags between a word and its head; further ones are not looked at
# What is looked at, as bits: tags, what stands between, lemmas, morphology (FEATS, XPOS), and the rest of the tree.
TAGS, BETWEEN, LEMMAS, MORPHOLOGY, TREE = 1, 2, 4, 8, 16
ALL = 31
UNIT = 1024  # weights that are not learned any more are whole numbers of 1/1024
RARE = 400  # a pair that was an arc less than once in so many chances is not a candidate

_TAGS = cython.declare(cython.int, TAGS)
_BETWEEN = cython.declare(cython.int, BETWEEN)
_LEMMAS = cython.declare(cython.int, LEMMAS)
_MORPHOLOGY = cython.declare(cython.int, MORPHOLOGY)
_TREE = cython.declare(cython.int, TREE)
_MOST_BETWEEN = cython.declare(cython.int, MOST_BETWEEN)
_MOST_FEATURES = cython.declare(cython.int, MOST_FEATURES)
_HEAD_SHIFT = cython.declare(cython.int, 64 - HEAD_BITS)
_RELATION_SHIFT = cython.declare(cython.int, 64 - RELATION_BITS)
_PAIR_SHIFT = cython.declare(cython.int, 64 - PAIR_BITS)

# A feature is the sum of its parts, none of them 0, each times the odd number of the part it plays: no two sums mean
# the same.
_HEAD_TAG = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_TAG = cython.declare(cython.ulonglong, 0xC2B2AE3D27D4EB4F)
_BEFORE_HEAD = cython.declare(cython.ulonglong, 0x165667B19E3779F9)
_AFTER_HEAD = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)
_TWO_AFTER_HEAD = cython.declare(cython.ulonglong, 0x4BE98134A5976FD3)
_BEFORE = cython.declare(cython.ulonglong, 0xA0761D6478BD642F)
_AFTER = cython.declare(cython.ulonglong, 0xE7037ED1A0B428DB)
_HEAD_LEMMA = cython.declare(cython.ulonglong, 0x8EBC6AF09C88C6E3)
_LEMMA = cython.declare(cython.ulonglong, 0x589965CC75374CC3)
_LEMMA_BEFORE = cython.declare(cython.ulonglong, 0x1D8E4E27C47D124F)
_HEAD_FEATS = cython.declare(cython.ulonglong, 0xEB44ACCAB455D165)
_FEATS = cython.declare(cython.ulonglong, 0x9C6E6877736C46E3)
_HEAD_XPOS = cython.declare(cython.ulonglong, 0x2127599BF4325C37)
_XPOS = cython.declare(cython.ulonglong, 0x880355F21E6D1965)
_MARKERS = cython.declare(cython.ulonglong, 0x14057B7EF767814F)
_CHILDREN = cython.declare(cython.ulonglong, 0x2545F4914F6CDD1D)
_HEAD_RELATION = cython.declare(cython.ulonglong, 0xAEF17502108EF2D9)
_SIBLING_RELATION = cython.declare(cython.ulonglong, 0xDA942042E4DD58B5)
_SIBLING_TAG = cython.declare(cython.ulonglong, 0xF1357AEA2E62A9C5)
_TAG_BETWEEN = cython.declare(cython.ulonglong, 0xD1342543DE82EF95)
_DISTANCE = cython.declare(cython.ulonglong, 0xB5026F5AA96619E9)
_SIDE = cython.declare(cython.ulonglong, 0xE9846AF9B1A615D5)
_COUNTS = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
_JOINTS = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
_MIX = cython.declare(cython.ulonglong, 0xFF51AFD7ED558CCD)

_Part = cython.typedef(cython.ulonglong)
_Parts = cython.typedef((_Part, _Part, _Part, _Part, _Part, _Part))

_LEARN_ABOVE = cython.declare(cython.double, 0.002)  # smaller errors of a probability teach nothing
_LEAST = cython.declare(cython.double, 1e-300)
_EASE = cython.declare(cython.double, 0.01)
_UNIT = cython.declare(cython.double, UNIT)
_RARE = cython.declare(cython.uint, RARE)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place(key: cython.ulonglong, shift: cython.int) -> cython.ulonglong:
    """Where a feature's weight is."""
    key = (key ^ (key >> 32)) * _MIX
    return key >> shift


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _number(n: cython.int) -> cython.ulonglong:
    """A small number as a part of a feature, which overflows quietly, interpreted, too."""
    if cython.compiled:
        return n
    return np.uint64(n)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _moved(weight: cython.float, power: cython.double, error: cython.double, rate: cython.double) -> cython.double:
    """A weight after a step along its gradient, the smaller the more it has moved before (AdaGrad)."""
    return cython.cast(cython.double, weight) + rate * error / sqrt(power + _EASE)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _bucket(distance: cython.int) -> cython.int:
    """1 … 5, 6–7, 8–10, 11–15, 16–25, more; 0 of a root arc."""
    if distance <= 5:
        return distance
    if distance <= 7:
        return 6
    if distance <= 10:
        return 7
    if distance <= 15:
        return 8
    return 9 if distance <= 25 else 10


@cython.final
@cython.cclass
class Chooser:
    """Scores and learns choices, a sentence at a time; weights are the caller's, the rest is room to work in.

    The choice of a head is the mean of two opinions: one does not see the rest of the tree, which may be wrong, the
    other does. head[2^21, 2 opinions] and relation[2^16, relations] are weights by hashed feature: multiples of 1/UNIT,
    or floats while they are learned. Then sums of squared gradients stand in two more columns of head, next to the
    weights in memory, and in relation_power. taken and chances, by hashed (tag, tag of the head, distance, side), count
    how often such a pair was an arc, and could have been one.
    """

    groups: cython.int
    learning: cython.bint
    head_units: cython.short[:, ::1]
    relation_units: cython.short[:, ::1]
    head_weight: cython.float[:, ::1]
    relation_weight: cython.float[:, ::1]
    relation_power: cython.float[:, ::1]
    taken: cython.uint[::1]
    chances: cython.uint[::1]
    # tags and relations that the features know by name, as hashed by the caller
    PUNCT: cython.ulonglong
    VERB: cython.ulonglong
    CCONJ: cython.ulonglong
    SCONJ: cython.ulonglong
    punct: cython.ulonglong
    case: cython.ulonglong
    mark: cython.ulonglong
    cop: cython.ulonglong
    cc: cython.ulonglong

    # the sentence: 0 is the root, n + 1 its end
    n: cython.int
    head: cython.int[::1]
    tag: cython.ulonglong[::1]
    lemma: cython.ulonglong[::1]
    feats: cython.ulonglong[::1]
    xpos: cython.ulonglong[::1]
    relation: cython.ulonglong[::1]
    markers: cython.ulonglong[::1]  # the lemmas of a word's case, mark, cop and cc children
    children: cython.ulonglong[::1]  # the relations and sides of its children but punct

    # between a word and a candidate
    n_puncts: cython.int
    n_verbs: cython.int
    n_joints: cython.int
    n_between: cython.int
    between: cython.ulonglong[::1]  # different tags
    sibling: cython.int[::1]  # by head: the word nearest to d, on d's side, that hangs from it
    stamp: cython.int[::1]  # which sweep set it
    sweep: cython.int

    n_candidates: cython.int
    candidate: cython.int[::1]
    score: cython.double[:, ::1]  # s(d, h) by both opinions
    prob: cython.double[:, ::1]  # p(h) by both
    place: cython.uint[:, ::1]  # by slot: the places of the weights of its features
    n_features: cython.int[::1]
    n_treeless: cython.int[::1]  # the first of them, for which the rest of the tree was not looked at
    slot: cython.Py_ssize_t  # the one that is filled now, how far, and by which hash
    filled: cython.Py_ssize_t
    shift: cython.int
    relation_score: cython.double[::1]
    relation_sum: cython.int[::1]

    def __init__(self, names, groups, head, relation, taken, chances, relation_power=None):
        room = MOST_WORDS + 4
        self.groups = groups
        self.PUNCT, self.VERB, self.CCONJ, self.SCONJ = names[:4]
        self.punct, self.case, self.mark, self.cop, self.cc = names[4:]
        self.taken, self.chances = taken, chances
        self.learning = head.dtype == np.float32
        floats, units = np.zeros((0, 0), dtype=np.float32), np.zeros((0, 0), dtype=np.int16)
        self.head_weight, self.relation_weight = (head, relation) if self.learning else (floats, floats)
        self.head_units, self.relation_units = (units, units) if self.learning else (head, relation)
        self.relation_power = floats if relation_power is None else relation_power
        self.head = np.zeros(room, dtype=np.int32)
        self.tag = np.zeros(room, dtype=np.uint64)
        self.lemma = np.zeros(room, dtype=np.uint64)
        self.feats = np.zeros(room, dtype=np.uint64)
        self.xpos = np.zeros(room, dtype=np.uint64)
        self.relation = np.zeros(room, dtype=np.uint64)
        self.markers = np.zeros(room, dtype=np.uint64)
        self.children = np.zeros(room, dtype=np.uint64)
        self.between = np.zeros(MOST_BETWEEN, dtype=np.uint64)
        self.sibling = np.zeros(room, dtype=np.int32)
        self.stamp = np.zeros(room, dtype=np.int32)
        self.sweep = 0
        self.candidate = np.zeros(room, dtype=np.int32)
        self.score = np.zeros((room, 2), dtype=np.float64)
        self.prob = np.zeros((room, 2), dtype=np.float64)
        self.place = np.zeros((room, MOST_FEATURES), dtype=np.uint32)
        self.n_features = np.zeros(room, dtype=np.int32)
        self.n_treeless = np.zeros(room, dtype=np.int32)
        self.relation_score = np.zeros(relation.shape[1], dtype=np.float64)
        self.relation_sum = np.zeros(relation.shape[1], dtype=np.int32)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _load(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        low: cython.longlong,
        n: cython.int,
    ) -> cython.void:
        """Take up the sentence in rows low … low + n."""
        self.n = n
        for i in range(1, n + 1):
            self.tag[i] = words[0, low + i - 1]
            self.lemma[i] = words[1, low + i - 1]
            self.feats[i] = words[2, low + i - 1]
            self.xpos[i] = words[3, low + i - 1]
            self.relation[i] = words[4, low + i - 1]
            self.head[i] = head[low + i - 1]
        for i in range(2):  # the root and the end: 1 and 2 in all columns
            h = 0 if i == 0 else n + 1
            self.tag[h] = self.lemma[h] = self.feats[h] = self.xpos[h] = self.relation[h] = _number(i + 1)
        for i in range(n + 2):
            self.markers[i] = self.children[i] = 1
            self.stamp[i] = 0
        self.sweep = 0
        for i in range(1, n + 1):
            h = self.head[i]
            r = self.relation[i]
            if r == self.punct:
                continue
            self.children[h] += (r + _number(1 if i < h else 2)) * _CHILDREN
            if r == self.case or r == self.mark or r == self.cop or r == self.cc:
                self.markers[h] = self.markers[h] * _number(31) + self.lemma[i]

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _pass(self, j: cython.int, side: cython.int) -> cython.void:
        """Word j now stands between the word and the candidates that follow."""
        t: cython.ulonglong = self.tag[j]
        self.n_puncts += t == self.PUNCT
        self.n_verbs += t == self.VERB
        self.n_joints += t == self.CCONJ or t == self.SCONJ
        for k in range(self.n_between):
            if self.between[k] == t:
                break
        else:
            if self.n_between < _MOST_BETWEEN:
                self.between[self.n_between] = t
                self.n_between += 1
        k = self.head[j]
        if (k - j) * side > 0 and k > 0 and self.stamp[k] != self.sweep and self.relation[j] != self.punct:
            self.stamp[k] = self.sweep
            self.sibling[k] = j

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _put(self, feature: cython.ulonglong) -> cython.void:
        """Note where the weight of one more feature is."""
        at: cython.ulonglong = _place(feature, self.shift)
        if cython.compiled and self.learning and self.shift == _HEAD_SHIFT:
            prefetch(cython.address(self.head_weight[at, 0]))
        self.place[self.slot, self.filled] = at
        self.filled += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _distance(self, h: cython.int, d: cython.int) -> cython.ulonglong:
        """The side of the head, or that it is the root, and how far it is."""
        if h == 0:
            return _number(1) * _DISTANCE
        return _number(3 * _bucket(d - h) + 2 if h < d else 3 * _bucket(h - d) + 3) * _DISTANCE

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _begin(self, h: cython.int, d: cython.int, slot: cython.Py_ssize_t, shift: cython.int) -> _Parts:
        """Begin a slot of features of an arc: D, R, th, td, lh and ld, of which they are made.

        D: the side and how far the head is; R: the side alone; t, l: tag and lemma, of the head and of the word.
        """
        self.slot = slot
        self.shift = shift
        self.filled = 0
        return (
            self._distance(h, d),
            _number(1 if h == 0 else (2 if h < d else 3)) * _SIDE,
            self.tag[h] * _HEAD_TAG,
            self.tag[d] * _TAG,
            self.lemma[h] * _HEAD_LEMMA,
            self.lemma[d] * _LEMMA,
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _head_features(self, h: cython.int, d: cython.int, slot: cython.int) -> cython.void:
        """The features of `h is the head of d`, into a slot: those of the words alone, then those of the tree."""
        D, R, th, td, lh, ld = self._begin(h, d, slot, _HEAD_SHIFT)
        if self.groups & _TAGS:
            before_head = (self.tag[h - 1] if h else _number(3)) * _BEFORE_HEAD
            after_head = self.tag[h + 1] * _AFTER_HEAD
            two_after_head = self.tag[min(h + 2, self.n + 1)] * _TWO_AFTER_HEAD
            before, after = self.tag[d - 1] * _BEFORE, self.tag[d + 1] * _AFTER
            self._put(th + td + D)
            self._put(th + td + R)
            self._put(th + before_head + after_head + R)
            self._put(th + td + after_head + R)
            self._put(th + td + before + R)
            self._put(th + td + before_head + before + R)
            self._put(th + td + after_head + before + R)
            self._put(th + td + after + R)
            self._put(th + td + after + before + D)
            self._put(th + td + after_head + two_after_head + R)
        if self.groups & _BETWEEN:
            self._put(th + td + _number(1 + min(self.n_puncts, 2) + 3 * min(self.n_verbs, 2)) * _COUNTS + R)
            self._put(th + td + _number(1 + min(self.n_puncts, 2) + 3 * min(self.n_joints, 1)) * _JOINTS + D)
            for j in range(self.n_between):
                self._put(th + td + self.between[j] * _TAG_BETWEEN + R)
        if self.groups & _LEMMAS:
            self._put(lh + R)
            self._put(lh + td + R)
            self._put(lh + td + D)
            self._put(th + ld + R)
            self._put(th + ld + D)
            self._put(lh + ld + R)
            self._put(th + td + self.lemma[d - 1] * _LEMMA_BEFORE + R)
        if self.groups & _MORPHOLOGY:
            fh, fd = self.feats[h] * _HEAD_FEATS, self.feats[d] * _FEATS
            xh, xd = self.xpos[h] * _HEAD_XPOS, self.xpos[d] * _XPOS
            self._put(th + td + fh + fd + R)
            self._put(th + td + fh + D)
            self._put(th + td + fd + D)
            self._put(th + td + xh + xd + R)
            self._put(th + xd + D)
        self.n_treeless[slot] = self.filled
        if self.groups & _TREE:
            markers = self.markers[d] * _MARKERS
            sibling_relation, sibling_tag = _number(1) * _SIBLING_RELATION, _number(1) * _SIBLING_TAG
            if self.stamp[h] == self.sweep and h:
                sibling_relation += self.relation[self.sibling[h]] * _SIBLING_RELATION
                sibling_tag += self.tag[self.sibling[h]] * _SIBLING_TAG
            if self.groups & _LEMMAS:
                self._put(th + td + markers + D)
                self._put(lh + td + markers + R)
                self._put(lh + ld + markers + R)
                self._put(lh + td + sibling_relation + R)
            self._put(th + td + self.relation[h] * _HEAD_RELATION + D)
            self._put(th + td + sibling_relation + R)
            self._put(th + td + sibling_tag + D)
        self.n_features[slot] = self.filled

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _relation_features(self, h: cython.int, d: cython.int) -> cython.void:
        """The features of the relation of d to h, into slot 0."""
        D, R, th, td, lh, ld = self._begin(h, d, 0, _RELATION_SHIFT)
        fd = self.feats[d] * _FEATS
        if self.groups & _TAGS:
            self._put(R)
            self._put(td + R)
            self._put(th + R)
            self._put(th + td + R)
            self._put(th + td + D)
            self._put(th + td + self.tag[d - 1] * _BEFORE + R)
            self._put(th + td + self.tag[d + 1] * _AFTER + R)
            self._put(th + td + (self.tag[h - 1] if h else _number(3)) * _BEFORE_HEAD + R)
            self._put(th + td + self.tag[h + 1] * _AFTER_HEAD + R)
        if self.groups & _LEMMAS:
            self._put(ld)
            self._put(th + ld + R)
            self._put(lh + td + R)
            self._put(lh + ld + R)
        if self.groups & _MORPHOLOGY:
            self._put(th + td + fd + R)
            self._put(th + td + fd + self.feats[h] * _HEAD_FEATS + R)
            self._put(th + td + self.xpos[d] * _XPOS + self.xpos[h] * _HEAD_XPOS + R)
            if self.groups & _LEMMAS:
                self._put(lh + td + fd + R)
        if self.groups & _TREE:
            children, markers = self.children[d] * _CHILDREN, self.markers[d] * _MARKERS
            self._put(th + td + children + R)
            self._put(th + td + self.relation[h] * _HEAD_RELATION + R)
            if self.groups & _LEMMAS:
                self._put(lh + children + R)
                self._put(th + td + markers + R)
                self._put(lh + td + markers + R)
                self._put(ld + markers + R)
            for j in range(1, self.n + 1):
                if self.head[j] == h and j != d and self.relation[j] != self.punct and self.filled < _MOST_FEATURES:
                    self._put(th + td + self.relation[j] * _SIBLING_RELATION + R)
        self.n_features[0] = self.filled

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _consider(self, h: cython.int, d: cython.int, always: cython.int, learn: cython.bint) -> cython.void:
        """Make h a candidate for the head of d, unless such pairs are hardly ever arcs; `always` is one anyway."""
        slot: cython.int = self.n_candidates
        blind: cython.double = 0.0
        total: cython.double = 0.0
        units: cython.int = 0
        more: cython.int = 0
        pair: cython.ulonglong = _place(
            self.tag[h] * _HEAD_TAG + self.tag[d] * _TAG + self._distance(h, d), _PAIR_SHIFT
        )
        rare: cython.bint = self.chances[pair] > (self.taken[pair] + 1) * _RARE
        if learn:
            self.chances[pair] += 1
            self.taken[pair] += h == always
        if rare and h != always:
            return
        self._head_features(h, d, slot)
        if self.learning:
            for k in range(self.n_treeless[slot]):
                blind += cython.cast(cython.double, self.head_weight[self.place[slot, k], 0])
                total += cython.cast(cython.double, self.head_weight[self.place[slot, k], 1])
            for k in range(self.n_treeless[slot], self.n_features[slot]):
                total += cython.cast(cython.double, self.head_weight[self.place[slot, k], 1])
        else:
            for k in range(self.n_treeless[slot]):
                units += self.head_units[self.place[slot, k], 0]
                more += self.head_units[self.place[slot, k], 1]
            for k in range(self.n_treeless[slot], self.n_features[slot]):
                more += self.head_units[self.place[slot, k], 1]
            blind = units / _UNIT
            total = more / _UNIT
        self.candidate[slot] = h
        self.score[slot, 0] = blind
        self.score[slot, 1] = total
        self.n_candidates += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _candidates(self, d: cython.int, always: cython.int, learn: cython.bint) -> cython.void:
        """Find and score the candidates for the head of d, at least the root or `always`."""
        total: cython.double
        self.n_candidates = 0
        self.sweep += 1
        self.n_puncts = self.n_verbs = self.n_joints = self.n_between = 0
        self._consider(0, d, always, learn)
        for side in range(-1, 2, 2):
            self.n_puncts = self.n_verbs = self.n_joints = self.n_between = 0
            h = d + side
            while 1 <= h <= self.n:
                self._consider(h, d, always, learn)
                self._pass(h, side)
                h += side
        for v in range(2):
            best = self.score[0, v]
            for k in range(1, self.n_candidates):
                if self.score[k, v] > best:
                    best = self.score[k, v]
            total = 0.0
            for k in range(self.n_candidates):
                self.prob[k, v] = exp(self.score[k, v] - best)
                total += self.prob[k, v]
            for k in range(self.n_candidates):
                self.prob[k, v] /= total

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _prob(self, k: cython.int) -> cython.double:
        """p of candidate k: the mean of both opinions."""
        return 0.5 * (self.prob[k, 0] + self.prob[k, 1])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _learn_head(self, d: cython.int, rate: cython.double) -> cython.void:
        """Move the weights that each opinion has of the candidates for the head of d."""
        self._candidates(d, self.head[d], True)
        for k in range(self.n_candidates):
            for v in range(2):
                error = (1.0 if self.candidate[k] == self.head[d] else 0.0) - self.prob[k, v]
                if -_LEARN_ABOVE <= error <= _LEARN_ABOVE:
                    continue
                for j in range(self.n_features[k] if v else self.n_treeless[k]):
                    at = self.place[k, j]
                    power = cython.cast(cython.double, self.head_weight[at, 2 + v]) + error * error
                    self.head_weight[at, 2 + v] = power
                    self.head_weight[at, v] = _moved(self.head_weight[at, v], power, error, rate)

    def train_heads(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        start: cython.longlong[::1],
        most: cython.longlong,
        rate: cython.double,
    ) -> None:
        """Learn the heads of sentences of at most `most` words, one word after another."""
        with cython.nogil:
            for s in range(start.shape[0] - 1):
                if start[s + 1] - start[s] <= most:
                    self._load(words, head, start[s], start[s + 1] - start[s])
                    for d in range(1, self.n + 1):
                        self._learn_head(d, rate)

    def score_heads(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        start: cython.longlong[::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        log_prob: cython.double[::1],
        rival: cython.int[::1],
        rival_log_prob: cython.double[::1],
        at_head: cython.int[::1],
    ) -> None:
        """log p of the head of each word of sentences first … last, the likeliest other head, and its log p.

        Where there is no other candidate the rival is -1. Words whose at_head is -1 are left out.
        """
        with cython.nogil:
            for s in range(first, last):
                self._load(words, head, start[s], start[s + 1] - start[s])
                for d in range(1, self.n + 1):
                    w = start[s] + d - 1
                    rival[w] = -1
                    if at_head[w] < 0:
                        continue
                    self._candidates(d, self.head[d], False)
                    best = -1.0
                    for k in range(self.n_candidates):
                        p = self._prob(k)
                        if self.candidate[k] == self.head[d]:
                            log_prob[w] = log(p + _LEAST)
                        elif p > best:
                            rival[w] = self.candidate[k]
                            best = p
                    rival_log_prob[w] = log(best + _LEAST) if rival[w] >= 0 else -1e300

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _relations(self, h: cython.int, d: cython.int, known: cython.Py_ssize_t) -> cython.double:
        """Score the relations that d may have to h; the logarithm of the sum of their exponentials."""
        total: cython.double = 0.0
        self._relation_features(h, d)
        for c in range(known):
            self.relation_score[c] = 0.0
            self.relation_sum[c] = 0
        for k in range(self.n_features[0]):
            at = self.place[0, k]
            if self.learning:
                for c in range(known):
                    self.relation_score[c] += cython.cast(cython.double, self.relation_weight[at, c])
            else:
                for c in range(known):
                    self.relation_sum[c] += self.relation_units[at, c]
        if not self.learning:
            for c in range(known):
                self.relation_score[c] = self.relation_sum[c] / _UNIT
        best = self.relation_score[0]
        for c in range(1, known):
            if self.relation_score[c] > best:
                best = self.relation_score[c]
        for c in range(known):
            total += exp(self.relation_score[c] - best)
        return best + log(total)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _learn_relation(
        self, d: cython.int, right: cython.Py_ssize_t, known: cython.Py_ssize_t, rate: cython.double
    ) -> cython.double:
        """Move the weights of the relations that d may have to its head; log p of the right one before."""
        log_sum: cython.double = self._relations(self.head[d], d, known)
        for c in range(known):
            error = (1.0 if c == right else 0.0) - exp(self.relation_score[c] - log_sum)
            if -_LEARN_ABOVE < error < _LEARN_ABOVE:
                continue
            for k in range(self.n_features[0]):
                at = self.place[0, k]
                power = cython.cast(cython.double, self.relation_power[at, c]) + error * error
                self.relation_power[at, c] = power
                self.relation_weight[at, c] = _moved(self.relation_weight[at, c], power, error, rate)
        return self.relation_score[right] - log_sum

    def train_relations(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        relation: cython.int[::1],
        start: cython.longlong[::1],
        most: cython.longlong,
        known: cython.Py_ssize_t,
        rate: cython.double,
    ) -> cython.double:
        """Learn the relations, codes below `known`, of sentences of at most `most` words; sum of log p before."""
        total: cython.double = 0.0
        with cython.nogil:
            for s in range(start.shape[0] - 1):
                if start[s + 1] - start[s] <= most:
                    self._load(words, head, start[s], start[s + 1] - start[s])
                    for d in range(1, self.n + 1):
                        total += self._learn_relation(d, relation[start[s] + d - 1], known, rate)
        return total

    def score_relations(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        relation: cython.int[::1],
        at_head: cython.int[::1],
        start: cython.longlong[::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        log_prob: cython.double[::1],
        rival: cython.int[::1],
        rival_log_prob: cython.double[::1],
    ) -> None:
        """log p of the relation of each word to at_head (-1: none), the likeliest other relation, and its log p.

        relation -1 is one the weights have not: its log p is left as it is, and all relations are others.
        """
        known: cython.Py_ssize_t = self.relation_score.shape[0]
        with cython.nogil:
            for s in range(first, last):
                self._load(words, head, start[s], start[s + 1] - start[s])
                for d in range(1, self.n + 1):
                    w = start[s] + d - 1
                    rival[w] = -1
                    rival_log_prob[w] = -1e300
                    if at_head[w] < 0:
                        continue
                    log_sum = self._relations(at_head[w], d, known)
                    for c in range(known):
                        if c == relation[w]:
                            log_prob[w] = self.relation_score[c] - log_sum
                        elif self.relation_score[c] - log_sum > rival_log_prob[w]:
                            rival[w] = c
                            rival_log_prob[w] = self.relation_score[c] - log_sum

    def heads_of(self, words: cython.ulonglong[:, ::1], head: cython.int[::1], d: cython.int, always: cython.int):
        """Candidates for the head of word d of one sentence, `always` among them; p and mean s(d, h) of each."""
        self._load(words, head, 0, head.shape[0])
        self._candidates(d, always, False)
        n = self.n_candidates
        prob = np.array([self._prob(k) for k in range(n)])
        return np.array(self.candidate[:n]), prob, np.array(self.score[:n]).mean(axis=1)

    def relations_of(self, words: cython.ulonglong[:, ::1], head: cython.int[::1], d: cython.int, h: cython.int):
        """s(d, h, t) of every relation t of word d of one sentence to h."""
        self._load(words, head, 0, head.shape[0])
        self._relations(h, d, self.relation_score.shape[0])
        return np.array(self.relation_score)
