# cython: infer_types=True
"""Two log-linear choices over hashed features: of a word's head among all words, and of the arc's relation."""

# mypy: ignore-errors

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

from treegauge.models.choice.words import BETWEEN, HEAD, OF_HEAD, OF_PAIR, OF_WORD, RELATION, TREE, used

if cython.compiled:
    from cython.cimports.libc.math import exp, log, sqrt
    from cython.cimports.treegauge.models.choice.prefetch import prefetch
else:
    from math import exp, log, sqrt

HEAD_BITS, RELATION_BITS, PAIR_BITS = 21, 16, 17  # of the tables of weights, and of pairs of tags and distances
MOST_WORDS = 4096
MOST_FEATURES = 64
MOST_TAGS = 64  # of a sentence that are told apart; further ones count as one
MOST_BETWEEN = 24  # different tags between a word and its head; further ones are not looked at
UNIT = 32  # weights that are not learned any more are whole numbers of 1/UNIT
RARE = 400  # a pair that was an arc less than once in so many chances is not a candidate

_BETWEEN = cython.declare(cython.int, BETWEEN)
_TREE = cython.declare(cython.int, TREE)
_MOST_TAGS = cython.declare(cython.int, MOST_TAGS)
_MOST_BETWEEN = cython.declare(cython.int, MOST_BETWEEN)
_MOST_WORDS = cython.declare(cython.int, MOST_WORDS)
_MOST_FEATURES = cython.declare(cython.int, MOST_FEATURES)
_HALF_BIT = cython.declare(cython.int, HEAD_BITS - 1)
_HEAD_SHIFT = cython.declare(cython.int, 64 - HEAD_BITS + 1)  # within a half of the table
_RELATION_SHIFT = cython.declare(cython.int, 64 - RELATION_BITS)
_PAIR_SHIFT = cython.declare(cython.int, 64 - PAIR_BITS + 6)  # within a half, and without the distance
_PAIR_HALF_BIT = cython.declare(cython.int, PAIR_BITS - 1)

# Parts of a feature are not 0, and each is times the odd number of the part it plays: no two sums mean the same.
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
_TAG_BETWEEN = cython.declare(cython.ulonglong, 0xD1342543DE82EF95)
_DISTANCE = cython.declare(cython.ulonglong, 0xB5026F5AA96619E9)
_SIDE = cython.declare(cython.ulonglong, 0xE9846AF9B1A615D5)
_COUNTS = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
_ENDING = cython.declare(cython.ulonglong, 0xC735CE8FE93CAECB)
_HEAD_ENDING = cython.declare(cython.ulonglong, 0xFA4769FE4089A9F9)
_SHORT_ENDING = cython.declare(cython.ulonglong, 0xC6A4A7935BD1E995)
_HEAD_SHORT_ENDING = cython.declare(cython.ulonglong, 0x87C37B91114253D5)
_ENDING_BEFORE = cython.declare(cython.ulonglong, 0x1B03738712FAD5C9)
_ENDING_AFTER = cython.declare(cython.ulonglong, 0xD77B1B8F6F1E2C6B)
_LEMMA_BEFORE_HEAD = cython.declare(cython.ulonglong, 0x4B33A62ED433D4A3)
_LEMMA_AFTER_HEAD = cython.declare(cython.ulonglong, 0x4D5A2DA51DE1AA47)
_TAG_ABOVE = cython.declare(cython.ulonglong, 0x2D358DCCAA6C78A5)
_CASE = cython.declare(cython.ulonglong, 0xC58FE1E3D62BD267)
_LEMMA_AFTER = cython.declare(cython.ulonglong, 0xCC33E9A95CBA4E8D)
_AGREEMENT = cython.declare(cython.ulonglong, 0x8DB8C48F95D1C3B7)
_MIX = cython.declare(cython.ulonglong, 0xFF51AFD7ED558CCD)

_LEARN_ABOVE = cython.declare(cython.double, 0.01)  # smaller errors of a probability teach nothing
_FAR = cython.declare(cython.double, 16.0)  # relations less probable by exp(-16) do not count in a sum
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
def _half(tag: cython.ulonglong) -> cython.ulonglong:
    """In which half of the tables words of a tag are: a bit that divides the words of most languages about evenly."""
    return (tag >> _number(16)) & _number(1)


def _distances():
    """By h - d + MOST_WORDS: 1 … 5, 6–7, 8–10, 11–15, 16–25, more, as 1 … 10; 10 more where the head comes later."""
    away = np.arange(-MOST_WORDS, MOST_WORDS + 1)
    bucket = 1 + np.searchsorted([1, 2, 3, 4, 5, 7, 10, 15, 25], np.abs(away))
    return (bucket + 10 * (away > 0)).astype(np.int32)


DISTANCES = _distances()


@cython.final
@cython.cclass
class Chooser:
    """Scores and learns choices, a sentence at a time; weights are the caller's, the rest is room to work in.

    The choice of a head is the mean of two opinions: one does not see the rest of the tree, which may be wrong; the
    other adds the weights of what it sees there to the sum of the first. head[2^21] and relation[2^16, relations] are
    weights by hashed feature: multiples of 1/UNIT, or floats while they are learned. Then sums of squared gradients
    stand in a second column of head, next to the weights in memory, and in relation_power. pairs, by hashed (tag, tag
    of the head) and distance, tells which may be arcs; while it is learned, how often such a pair could have been one,
    and was one. Words are in two halves by their tag, which share neither weights nor pairs: two threads can learn.
    """

    groups: cython.int
    learning: cython.bint
    every: cython.bint  # whether all words are candidates
    head_units: cython.schar[::1]
    relation_units: cython.schar[:, ::1]
    head_weight: cython.float[:, ::1]
    relation_weight: cython.float[:, ::1]
    relation_power: cython.float[:, ::1]
    counted: cython.uint[:, ::1]  # pairs: chances, and how many were taken
    candidates: cython.uchar[::1]  # pairs: whether they may be arcs
    # tags and relations that the features know by name, as hashed by the caller
    PUNCT: cython.ulonglong
    VERB: cython.ulonglong
    punct: cython.ulonglong
    case: cython.ulonglong
    mark: cython.ulonglong
    cop: cython.ulonglong
    cc: cython.ulonglong

    # the templates: which parts they have
    n_templates: cython.int
    n_treeless: cython.int  # the first of them, for which the rest of the tree is not looked at
    of_head: cython.int[:, ::1]
    of_word: cython.int[:, ::1]
    of_pair: cython.int[::1]
    n_relation_templates: cython.int
    relation_of_head: cython.int[:, ::1]
    relation_of_word: cython.int[:, ::1]
    relation_of_pair: cython.int[::1]

    # the sentence: 0 is the root, n + 1 its end
    n: cython.int
    head: cython.int[::1]
    tag: cython.ulonglong[::1]
    lemma: cython.ulonglong[::1]
    morphology: cython.ulonglong[::1]  # Case, Number, Gender and Person, 16 bits each
    relation: cython.ulonglong[::1]
    markers: cython.ulonglong[::1]  # the lemmas of a word's case, mark, cop and cc children
    children: cython.ulonglong[::1]  # the relations and sides of its children but punct
    first_child: cython.int[::1]  # of those; 0 where there is none
    next_child: cython.int[::1]
    head_part: cython.ulonglong[:, ::1]  # by word: its parts as a head
    word_part: cython.ulonglong[:, ::1]
    as_head: cython.ulonglong[:, ::1]  # by word: the sums of its parts as a head, one for each template of heads
    as_word: cython.ulonglong[::1]  # the sums of the parts of the word whose head is looked for
    laid_out: cython.uchar[::1]  # by word: whether its sums as a head are made

    code: cython.int[::1]  # by word: which of the different tags of the sentence it has
    n_tags: cython.int
    tags: cython.ulonglong[::1]  # by code
    pairs: cython.ulonglong[:, ::1]  # by codes of word and head: where such pairs begin in the table of pairs
    puncts: cython.int[::1]  # by word: how many there are before it and itself
    verbs: cython.int[::1]
    distances: cython.int[::1]  # by h - d + MOST_WORDS: see _distance
    pair_part: cython.ulonglong[::1]

    n_candidates: cython.int
    candidate: cython.int[::1]
    score: cython.double[:, ::1]  # s(d, h) by both opinions
    prob: cython.double[:, ::1]  # p(h) by both
    place: cython.uint[:, ::1]  # by candidate: the places of the weights of its features
    n_features: cython.int[::1]
    relation_place: cython.uint[::1]
    n_relation_features: cython.int
    relation_score: cython.double[::1]
    relation_sum: cython.int[::1]
    relation_prob: cython.double[::1]  # in proportion; 0 where it hardly counts
    relation_total: cython.double

    def __init__(self, names, groups, head, relation, pairs, relation_power=None):
        room = MOST_WORDS + 4
        self.groups = groups
        self.every = False
        self.PUNCT, self.VERB = names[:2]
        self.punct, self.case, self.mark, self.cop, self.cc = names[2:]
        self.of_head, self.of_word, self.of_pair, self.n_treeless = used(HEAD, groups)
        self.relation_of_head, self.relation_of_word, self.relation_of_pair, _ = used(RELATION, groups)
        self.n_templates, self.n_relation_templates = len(self.of_pair), len(self.relation_of_pair)
        self.learning = head.dtype == np.float32
        floats, units = np.zeros((0, 0), dtype=np.float32), np.zeros((0, 0), dtype=np.int8)
        self.head_weight, self.relation_weight = (head, relation) if self.learning else (floats, floats)
        self.head_units, self.relation_units = (units.ravel(), units) if self.learning else (head, relation)
        self.counted = pairs if self.learning else np.zeros((0, 2), dtype=np.uint32)
        self.candidates = np.zeros(0, dtype=np.uint8) if self.learning else pairs
        self.relation_power = floats if relation_power is None else relation_power
        self.head, self.first_child, self.next_child = np.zeros((3, room), dtype=np.int32)
        self.tag, self.lemma, self.morphology, self.relation = np.zeros((4, room), dtype=np.uint64)
        self.markers, self.children = np.zeros((2, room), dtype=np.uint64)
        self.head_part = np.zeros((room, len(OF_HEAD)), dtype=np.uint64)
        self.word_part = np.zeros((room, len(OF_WORD)), dtype=np.uint64)
        self.as_head = np.zeros((room, self.n_templates), dtype=np.uint64)
        self.as_word = np.zeros(self.n_templates, dtype=np.uint64)
        self.laid_out = np.zeros(room, dtype=np.uint8)
        self.code, self.puncts, self.verbs, self.candidate, self.n_features = np.zeros((5, room), dtype=np.int32)
        self.tags = np.zeros(MOST_TAGS, dtype=np.uint64)
        self.pairs = np.zeros((MOST_TAGS, MOST_TAGS), dtype=np.uint64)
        self.distances = DISTANCES
        self.pair_part = np.zeros(len(OF_PAIR), dtype=np.uint64)
        self.score, self.prob = np.zeros((2, room, 2), dtype=np.float64)
        self.place = np.zeros((room, MOST_FEATURES), dtype=np.uint32)
        self.relation_place = np.zeros(MOST_FEATURES, dtype=np.uint32)
        self.relation_score, self.relation_prob = np.zeros((2, relation.shape[1]), dtype=np.float64)
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
            self.morphology[i] = words[5, low + i - 1]
            self.relation[i] = words[4, low + i - 1]
            self.head[i] = head[low + i - 1]
        for i in range(2):  # the root and the end: 1 and 2 in all columns
            h = 0 if i == 0 else n + 1
            self.tag[h] = self.lemma[h] = self.relation[h] = _number(i + 1)
            self.morphology[h] = 0
        for i in range(n + 2):
            self.markers[i] = self.children[i] = 1
            self.first_child[i] = self.laid_out[i] = 0
        for i in range(1, n + 1):
            h = self.head[i]
            r = self.relation[i]
            if r == self.punct:
                continue
            self.children[h] += (r + _number(1 if i < h else 2)) * _CHILDREN
            if r == self.case or r == self.mark or r == self.cop or r == self.cc:
                self.markers[h] = self.markers[h] * _number(31) + self.lemma[i]
        for i in range(n, 0, -1):
            if self.relation[i] != self.punct:
                self.next_child[i] = self.first_child[self.head[i]]
                self.first_child[self.head[i]] = i
        self._number_tags()
        self._split(words, low)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _split(self, words: cython.ulonglong[:, ::1], low: cython.longlong) -> cython.void:
        """The parts of every word as a head and as the word, in the order of OF_HEAD and OF_WORD."""
        feats: cython.ulonglong
        xpos: cython.ulonglong
        ending: cython.ulonglong
        short: cython.ulonglong
        for i in range(self.n + 2):  # the root and the end: 1 and 2 in all columns
            feats = xpos = ending = short = _number(1 if i == 0 else 2)
            if 0 < i <= self.n:
                feats, xpos = words[2, low + i - 1], words[3, low + i - 1]
                ending, short = words[6, low + i - 1], words[7, low + i - 1]
            self._split_tag(i)
            self.head_part[i, 4] = self.lemma[i] * _HEAD_LEMMA
            self.head_part[i + 1, 5] = self.lemma[i] * _LEMMA_BEFORE_HEAD
            self.head_part[i, 7] = feats * _HEAD_FEATS
            self.head_part[i, 8] = xpos * _HEAD_XPOS
            self.head_part[i, 9] = ending * _HEAD_ENDING
            self.head_part[i, 10] = short * _HEAD_SHORT_ENDING
            self.head_part[i, 11] = self.relation[i] * _HEAD_RELATION
            self.word_part[i, 3] = self.lemma[i] * _LEMMA
            self.word_part[i + 1, 4] = self.lemma[i] * _LEMMA_BEFORE
            self.word_part[i, 6] = feats * _FEATS
            self.word_part[i, 7] = (self.morphology[i] & _number(0xFFFF)) * _CASE + _CASE
            self.word_part[i, 8] = xpos * _XPOS
            self.word_part[i, 9] = ending * _ENDING
            self.word_part[i, 10] = short * _SHORT_ENDING
            self.word_part[i + 1, 11] = ending * _ENDING_BEFORE
            self.word_part[i, 13] = self.markers[i] * _MARKERS
            self.word_part[i, 14] = self.children[i] * _CHILDREN
            if i:
                self.head_part[i - 1, 6] = self.lemma[i] * _LEMMA_AFTER_HEAD
                self.word_part[i - 1, 5] = self.lemma[i] * _LEMMA_AFTER
                self.word_part[i - 1, 12] = ending * _ENDING_AFTER
        self.head_part[0, 1], self.head_part[0, 5] = _number(3) * _BEFORE_HEAD, _number(3) * _LEMMA_BEFORE_HEAD
        self.head_part[self.n, 3] = self.tag[self.n + 1] * _TWO_AFTER_HEAD
        for i in range(self.n + 1):
            self.head_part[i, 12] = (self.tag[self.head[i]] if i else _number(3)) * _TAG_ABOVE

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _split_tag(self, i: cython.int) -> cython.void:
        """The parts of word i and those beside it that its tag is."""
        self.head_part[i, 0], self.word_part[i, 0] = self.tag[i] * _HEAD_TAG, self.tag[i] * _TAG
        self.head_part[i + 1, 1], self.word_part[i + 1, 1] = self.tag[i] * _BEFORE_HEAD, self.tag[i] * _BEFORE
        if i:
            self.head_part[i - 1, 2], self.word_part[i - 1, 2] = self.tag[i] * _AFTER_HEAD, self.tag[i] * _AFTER
        if i > 1:
            self.head_part[i - 2, 3] = self.tag[i] * _TWO_AFTER_HEAD

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _retag(self, i: cython.int, tag: cython.ulonglong) -> cython.void:
        """Give word i another tag."""
        self.tag[i] = tag
        self._number_tags()
        self._split_tag(i)
        for j in range(max(i - 2, 0), i + 2):
            self.laid_out[j] = 0
        for j in range(1, self.n + 1):
            if self.head[j] == i:
                self.head_part[j, 12] = tag * _TAG_ABOVE
                self.laid_out[j] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _lay_out(self, h: cython.int) -> cython.void:
        """Sum the parts of a word as a head, for each template of heads."""
        total: cython.ulonglong
        self.laid_out[h] = 1
        for t in range(self.n_templates):
            total = _number(0)
            for k in range(4):
                if self.of_head[t, k] < 0:
                    break
                total += self.head_part[h, self.of_head[t, k]]
            self.as_head[h, t] = total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _lay_out_word(self, d: cython.int) -> cython.void:
        """Sum the parts of a word that looks for its head."""
        total: cython.ulonglong
        for t in range(self.n_templates):
            total = _number(0)
            for k in range(4):
                if self.of_word[t, k] < 0:
                    break
                total += self.word_part[d, self.of_word[t, k]]
            self.as_word[t] = total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _number_tags(self) -> cython.void:
        """Number the different tags of the sentence, find their pairs in the table, and count along the sentence."""
        at: cython.ulonglong
        c: cython.int
        self.n_tags = 0
        self.puncts[0] = self.verbs[0] = 0
        for i in range(self.n + 1):
            c = 0
            while c < self.n_tags and self.tags[c] != self.tag[i]:
                c += 1
            if c == self.n_tags:
                if c < _MOST_TAGS:
                    self.tags[c] = self.tag[i]
                    self.n_tags += 1
                else:
                    c -= 1
            self.code[i] = c
            if i:
                self.puncts[i] = self.puncts[i - 1] + (self.tag[i] == self.PUNCT)
                self.verbs[i] = self.verbs[i - 1] + (self.tag[i] == self.VERB)
        for c in range(self.n_tags):
            for k in range(self.n_tags):
                at = _place(self.tags[k] * _HEAD_TAG + self.tags[c] * _TAG, _PAIR_SHIFT) << _number(5)
                self.pairs[c, k] = at + (_half(self.tags[c]) << _number(_PAIR_HALF_BIT))

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _distance(self, h: cython.int, d: cython.int) -> cython.int:
        """0 of the root, 1 … 10 of a head before the word, 11 … 20 of one after it."""
        return self.distances[h - d + _MOST_WORDS] if h else 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _sibling(self, h: cython.int, d: cython.int) -> cython.int:
        """The dependent of h, punctuation aside, that is nearest to d between the two; 0 where there is none."""
        found: cython.int = 0
        j: cython.int = self.first_child[h] if h else 0
        while j and j < max(h, d):
            if j > min(h, d):
                found = j
                if h > d:
                    break
            j = self.next_child[j]
        return found

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _agreement(self, h: cython.int, d: cython.int) -> cython.int:
        """A digit of base 3 for each of Case, Number, Gender and Person: missing in a word, the same, or different."""
        a: cython.ulonglong = self.morphology[h]
        b: cython.ulonglong = self.morphology[d]
        found: cython.int = 0
        one: cython.int
        other: cython.int
        if a == 0 or b == 0:
            return 0
        for _ in range(4):
            found *= 3
            one = a & _number(0xFFFF)
            other = b & _number(0xFFFF)
            if one and other:
                found += 1 if one == other else 2
            a >>= _number(16)
            b >>= _number(16)
        return found

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _side(self, h: cython.int, d: cython.int) -> cython.ulonglong:
        """The side of the head, or that it is the root."""
        return _number(1 if h == 0 else (2 if h < d else 3)) * _SIDE

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _fetch(self, at: cython.ulonglong) -> cython.void:
        """Have the weight at a place brought near."""
        if cython.compiled:
            if self.learning:
                prefetch(cython.address(self.head_weight[at, 0]))
            else:
                prefetch(cython.address(self.head_units[at]))

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _fetch_relations(self, at: cython.uint) -> cython.void:
        """Have the weights of a place, one for each relation, brought near."""
        if cython.compiled:
            if self.learning:
                for c in range(0, self.relation_weight.shape[1], 16):
                    prefetch(cython.address(self.relation_weight[at, c]))
            else:
                prefetch(cython.address(self.relation_units[at, 0]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _head_features(self, h: cython.int, d: cython.int, slot: cython.int, between: cython.ulonglong) -> cython.void:
        """The features of `h is the head of d`, into a slot: those of the templates, then each tag between them.

        between: the tags, as bits.
        """
        at: cython.ulonglong
        half: cython.ulonglong = _half(self.tag[d]) << _number(_HALF_BIT)
        side: cython.ulonglong = self._side(h, d)
        low: cython.int = min(h, d)
        last: cython.int = max(h, d) - 1
        puncts: cython.int = min(self.puncts[last] - self.puncts[low], 2) if h else 0
        verbs: cython.int = min(self.verbs[last] - self.verbs[low], 2) if h else 0
        sibling: cython.int = self._sibling(h, d)
        filled: cython.int
        if not self.laid_out[h]:
            self._lay_out(h)
        self.pair_part[1] = side
        self.pair_part[2] = _number(self._distance(h, d) + 1) * _DISTANCE
        self.pair_part[3] = side + _number(1 + puncts + 3 * verbs) * _COUNTS
        self.pair_part[4] = side + _number(self._agreement(h, d) + 1) * _AGREEMENT
        self.pair_part[5] = side + _SIBLING_RELATION
        if sibling:
            self.pair_part[5] += self.relation[sibling] * _SIBLING_RELATION
        for t in range(self.n_templates):
            at = half + _place(self.as_head[h, t] + self.as_word[t] + self.pair_part[self.of_pair[t]], _HEAD_SHIFT)
            self._fetch(at)
            self.place[slot, t] = at
        filled = self.n_templates
        if self.groups & _BETWEEN and h:
            side += self.head_part[h, 0] + self.word_part[d, 0]
            for c in range(self.n_tags):
                if (between >> _number(c)) & _number(1) and filled < self.n_templates + _MOST_BETWEEN:
                    at = half + _place(side + self.tags[c] * _TAG_BETWEEN, _HEAD_SHIFT)
                    self._fetch(at)
                    self.place[slot, filled] = at
                    filled += 1
        self.n_features[slot] = filled

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _relation_features(self, h: cython.int, d: cython.int) -> cython.void:
        """The features of the relation of d to h."""
        key: cython.ulonglong
        self.pair_part[1] = self._side(h, d)
        self.pair_part[2] = _number(self._distance(h, d) + 1) * _DISTANCE
        for t in range(self.n_relation_templates):
            key = self.pair_part[self.relation_of_pair[t]]
            for k in range(4):
                if self.relation_of_head[t, k] < 0:
                    break
                key += self.head_part[h, self.relation_of_head[t, k]]
            for k in range(4):
                if self.relation_of_word[t, k] < 0:
                    break
                key += self.word_part[d, self.relation_of_word[t, k]]
            self.relation_place[t] = _place(key, _RELATION_SHIFT)
            self._fetch_relations(self.relation_place[t])
        filled = self.n_relation_templates
        if self.groups & _TREE:
            key = self.head_part[h, 0] + self.word_part[d, 0] + self.pair_part[1]
            j = self.first_child[h]
            while j and filled < _MOST_FEATURES:
                if j != d:
                    self.relation_place[filled] = _place(key + self.relation[j] * _SIBLING_RELATION, _RELATION_SHIFT)
                    filled += 1
                j = self.next_child[j]
        self.n_relation_features = filled

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _may_be(self, h: cython.int, d: cython.int, always: cython.int, count: cython.bint) -> cython.bint:
        """Whether h is a candidate for the head of d: `always` is, and all but pairs that are hardly ever arcs."""
        rare: cython.bint
        if self.every:
            return True
        pair: cython.ulonglong = self.pairs[self.code[d], self.code[h]] + _number(self._distance(h, d))
        if not self.learning:
            return self.candidates[pair] or h == always
        rare = self.counted[pair, 0] > (self.counted[pair, 1] + 1) * _RARE
        if count:
            self.counted[pair, 0] += 1
            self.counted[pair, 1] += h == always
        return not rare or h == always

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _sum(self, slot: cython.int) -> cython.void:
        """Score a candidate by both opinions."""
        blind: cython.double = 0.0
        tree: cython.double = 0.0
        other: cython.double = 0.0
        units: cython.int = 0
        more: cython.int = 0
        if self.learning:
            for k in range(0, self.n_treeless - 1, 2):  # two sums at once are faster
                blind += cython.cast(cython.double, self.head_weight[self.place[slot, k], 0])
                other += cython.cast(cython.double, self.head_weight[self.place[slot, k + 1], 0])
            if self.n_treeless & 1:
                blind += cython.cast(cython.double, self.head_weight[self.place[slot, self.n_treeless - 1], 0])
            blind += other
            for k in range(self.n_treeless, self.n_templates):
                tree += cython.cast(cython.double, self.head_weight[self.place[slot, k], 0])
            for k in range(self.n_templates, self.n_features[slot]):
                blind += cython.cast(cython.double, self.head_weight[self.place[slot, k], 0])
        else:
            for k in range(self.n_treeless):
                units += cython.cast(cython.int, self.head_units[self.place[slot, k]])
            for k in range(self.n_treeless, self.n_templates):
                more += cython.cast(cython.int, self.head_units[self.place[slot, k]])
            for k in range(self.n_templates, self.n_features[slot]):
                units += cython.cast(cython.int, self.head_units[self.place[slot, k]])
            blind = units / _UNIT
            tree = more / _UNIT
        self.score[slot, 0] = blind
        self.score[slot, 1] = blind + tree

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _candidates(self, d: cython.int, always: cython.int, count: cython.bint) -> cython.void:
        """Find and score the candidates for the head of d, at least the root or `always`."""
        total: cython.double
        between: cython.ulonglong
        self._lay_out_word(d)
        self.n_candidates = 0
        if self._may_be(0, d, always, count):
            self.candidate[0] = 0
            self._head_features(0, d, 0, _number(0))
            self.n_candidates = 1
        for side in range(-1, 2, 2):
            between = _number(0)
            h = d + side
            while 1 <= h <= self.n:
                if self._may_be(h, d, always, count):
                    self.candidate[self.n_candidates] = h
                    self._head_features(h, d, self.n_candidates, between)
                    self.n_candidates += 1
                between |= _number(1) << _number(self.code[h])
                h += side
        for k in range(self.n_candidates):
            self._sum(k)
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
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _move(
        self, slot: cython.int, first: cython.int, last: cython.int, error: cython.double, rate: cython.double
    ) -> cython.void:
        """Move the weights of features first … last of a candidate."""
        for j in range(first, last):
            at = self.place[slot, j]
            power = cython.cast(cython.double, self.head_weight[at, 1]) + error * error
            self.head_weight[at, 1] = power
            self.head_weight[at, 0] = _moved(self.head_weight[at, 0], power, error, rate)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _learn_head(self, d: cython.int, count: cython.bint, rate: cython.double) -> cython.void:
        """Move the weights of the candidates for the head of d."""
        self._candidates(d, self.head[d], count)
        for k in range(self.n_candidates):
            right = 1.0 if self.candidate[k] == self.head[d] else 0.0
            error = right - self.prob[k, 0]
            if not -_LEARN_ABOVE <= error <= _LEARN_ABOVE:
                self._move(k, 0, self.n_treeless, error, rate)
                self._move(k, self.n_templates, self.n_features[k], error, rate)
            error = right - self.prob[k, 1]
            if not -_LEARN_ABOVE <= error <= _LEARN_ABOVE:
                self._move(k, self.n_treeless, self.n_templates, error, rate)

    def train_heads(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        start: cython.longlong[::1],
        most: cython.longlong,
        rate: cython.double,
        count: cython.bint,
        half: cython.int,
    ) -> None:
        """Learn the heads of one half of the words, in sentences of at most `most`; count the pairs, or do not."""
        with cython.nogil:
            for s in range(start.shape[0] - 1):
                if start[s + 1] - start[s] <= most:
                    self._load(words, head, start[s], start[s + 1] - start[s])
                    for d in range(1, self.n + 1):
                        if _half(self.tag[d]) == half:
                            self._learn_head(d, count, rate)

    def follow_heads(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        start: cython.longlong[::1],
        most: cython.longlong,
        rate: cython.double,
        half: cython.int,
        log_head: cython.double[::1],
    ) -> None:
        """log p of the head of each word of one half, all words of its sentence being candidates.

        With a rate above 0 a sentence of at most `most` words is learned from after it was judged.
        """
        self.every = True
        with cython.nogil:
            for s in range(start.shape[0] - 1):
                self._load(words, head, start[s], start[s + 1] - start[s])
                for d in range(1, self.n + 1):
                    if _half(self.tag[d]) == half:
                        self._candidates(d, self.head[d], False)
                        for k in range(self.n_candidates):
                            if self.candidate[k] == self.head[d]:
                                log_head[start[s] + d - 1] = log(self._prob(k) + _LEAST)
                if rate > 0 and self.n <= most:
                    for d in range(1, self.n + 1):
                        if _half(self.tag[d]) == half:
                            self._learn_head(d, False, rate)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _judge_head(
        self, d: cython.int, w: cython.Py_ssize_t, logs: cython.double[:, ::1], rivals: cython.int[:, ::1]
    ) -> cython.void:
        """log p of the head of d, the likeliest other head (-1: there is none) and its log p, into column w."""
        best: cython.double = -1.0
        rivals[0, w] = -1
        self._candidates(d, self.head[d], False)
        for k in range(self.n_candidates):
            p = self._prob(k)
            if self.candidate[k] == self.head[d]:
                logs[0, w] = log(p + _LEAST)
            elif p > best:
                rivals[0, w] = self.candidate[k]
                best = p
        logs[2, w] = log(best + _LEAST) if rivals[0, w] >= 0 else -1e300

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
        for k in range(self.n_relation_features):
            at = self.relation_place[k]
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
            self.relation_prob[c] = 0.0
            if self.relation_score[c] > best - _FAR:
                self.relation_prob[c] = exp(self.relation_score[c] - best)
                total += self.relation_prob[c]
        self.relation_total = total
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
            error = (1.0 if c == right else 0.0) - self.relation_prob[c] / self.relation_total
            if -_LEARN_ABOVE < error < _LEARN_ABOVE:
                continue
            for k in range(self.n_relation_features):
                at = self.relation_place[k]
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

    def follow_relations(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        relation: cython.int[::1],
        start: cython.longlong[::1],
        most: cython.longlong,
        rate: cython.double,
        known: cython.Py_ssize_t,
        log_relation: cython.double[::1],
    ) -> None:
        """log p of the relation, a code below `known`, of each word to its head; learning is as in `follow_heads`."""
        log_sum: cython.double
        with cython.nogil:
            for s in range(start.shape[0] - 1):
                self._load(words, head, start[s], start[s + 1] - start[s])
                for d in range(1, self.n + 1):
                    w = start[s] + d - 1
                    log_sum = self._relations(self.head[d], d, known)
                    log_relation[w] = self.relation_score[relation[w]] - log_sum
                if rate > 0 and self.n <= most:
                    for d in range(1, self.n + 1):
                        self._learn_relation(d, relation[start[s] + d - 1], known, rate)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _judge_relation(
        self,
        h: cython.int,
        d: cython.int,
        given: cython.int,
        w: cython.Py_ssize_t,
        logs: cython.double[:, ::1],
        rivals: cython.int[:, ::1],
    ) -> cython.void:
        """log p of the relation of d to h, the likeliest other relation and its log p, into column w.

        given -1 is one the weights do not have: its log p is left as it is, and all relations are others.
        """
        known: cython.Py_ssize_t = self.relation_score.shape[0]
        log_sum: cython.double = self._relations(h, d, known)
        rivals[1, w] = -1
        logs[3, w] = -1e300
        for c in range(known):
            if c == given:
                logs[1, w] = self.relation_score[c] - log_sum
            elif self.relation_score[c] - log_sum > logs[3, w]:
                rivals[1, w] = c
                logs[3, w] = self.relation_score[c] - log_sum

    def judge(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        relation: cython.int[::1],
        start: cython.longlong[::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        logs: cython.double[:, ::1],
        rivals: cython.int[:, ::1],
    ) -> None:
        """Judge the arcs of sentences first … last.

        logs has rows for log p of head and relation, and of the likeliest others; rivals for these others.
        """
        with cython.nogil:
            for s in range(first, last):
                self._load(words, head, start[s], start[s + 1] - start[s])
                for d in range(1, self.n + 1):
                    w = start[s] + d - 1
                    self._judge_head(d, w, logs, rivals)
                    self._judge_relation(self.head[d], d, relation[w], w, logs, rivals)

    def judge_retagged(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        relation: cython.int[::1],
        doubted: cython.longlong[::1],
        tag: cython.ulonglong[::1],
        begin: cython.longlong[::1],
        sentence: cython.longlong[:, ::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        logs: cython.double[:, ::1],
        rivals: cython.int[:, ::1],
    ) -> None:
        """Judge the arcs of doubted words first … last, each with another tag, and those of their dependents.

        doubted has their rows, in order, sentence by doubted word where its sentence starts and ends, begin the first
        column of its results: one for each of these arcs in the order of the words.
        """
        given: cython.ulonglong
        with cython.nogil:
            for k in range(first, last):
                low = sentence[k, 0]
                if k == first or low != sentence[k - 1, 0]:
                    self._load(words, head, low, sentence[k, 1] - low)
                i = cython.cast(cython.int, doubted[k] - low + 1)
                given = self.tag[i]
                self._retag(i, tag[k])
                w = begin[k]
                for d in range(1, self.n + 1):
                    if d == i or self.head[d] == i:
                        self._judge_head(d, w, logs, rivals)
                        self._judge_relation(self.head[d], d, relation[low + d - 1], w, logs, rivals)
                        w += 1
                self._retag(i, given)

    def likeliest_relations(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        at_head: cython.int[::1],
        start: cython.longlong[::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        logs: cython.double[:, ::1],
        rivals: cython.int[:, ::1],
    ) -> None:
        """The likeliest relation of each word to at_head (-1: none) and its log p: rivals, and the last row of logs."""
        with cython.nogil:
            for s in range(first, last):
                self._load(words, head, start[s], start[s + 1] - start[s])
                for d in range(1, self.n + 1):
                    w = start[s] + d - 1
                    if at_head[w] >= 0:
                        self._judge_relation(at_head[w], d, -1, w, logs, rivals)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _relate(
        self,
        h: cython.int,
        d: cython.int,
        w: cython.Py_ssize_t,
        given: cython.int,
        column: cython.Py_ssize_t,
        heads: cython.int[:, ::1],
        relations: cython.int[:, ::1],
        log_relation: cython.double[:, ::1],
    ) -> cython.bint:
        """Judge the relations of d to h: those of the given arcs, and the likeliest other, which goes into a column.

        Whether there is another one, and such a column.
        """
        known: cython.Py_ssize_t = self.relation_score.shape[0]
        log_sum: cython.double = self._relations(h, d, known)
        best: cython.Py_ssize_t = -1
        is_given: cython.bint
        for k in range(given):
            if heads[w, k] == h and relations[w, k] >= 0:
                log_relation[w, k] = self.relation_score[relations[w, k]] - log_sum
        if column >= heads.shape[1]:
            return False
        for c in range(known):
            if best < 0 or self.relation_score[c] > self.relation_score[best]:
                is_given = False
                for k in range(given):
                    if heads[w, k] == h and relations[w, k] == c:
                        is_given = True
                if not is_given:
                    best = c
        if best < 0:
            return False
        heads[w, column] = h
        relations[w, column] = cython.cast(cython.int, best)
        log_relation[w, column] = self.relation_score[best] - log_sum
        return True

    def likeliest_arcs(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        start: cython.longlong[::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        given: cython.int,
        least: cython.double,
        heads: cython.int[:, ::1],
        relations: cython.int[:, ::1],
        log_head: cython.double[:, ::1],
        log_relation: cython.double[:, ::1],
    ) -> None:
        """The arcs that each word may have, into its row of the last four, as many as there is room for.

        The first columns hold given arcs (head -1: none; relation -1: one that the weights do not have, whose log p
        stays as it is). Then come their heads with the likeliest other relation, then other heads of a probability of
        `least` or more, likeliest first, each with its likeliest relation. The rest is left as it is.
        """
        column: cython.Py_ssize_t
        at: cython.int
        h: cython.int
        met: cython.bint
        with cython.nogil:
            for s in range(first, last):
                self._load(words, head, start[s], start[s + 1] - start[s])
                for d in range(1, self.n + 1):
                    w = start[s] + d - 1
                    self._candidates(d, self.head[d], False)
                    column = given
                    for k in range(given):
                        h = heads[w, k]
                        met = h < 0
                        for j in range(k):
                            met |= heads[w, j] == h
                        if met:
                            continue
                        at = -1
                        for c in range(self.n_candidates):
                            if self.candidate[c] == h:
                                at = c
                        log_p: cython.double = log((self._prob(at) if at >= 0 else 0.0) + _LEAST)
                        for j in range(k, given):
                            if heads[w, j] == h:
                                log_head[w, j] = log_p
                        if self._relate(h, d, w, given, column, heads, relations, log_relation):
                            log_head[w, column] = log_p
                            column += 1
                        if at >= 0:
                            self.prob[at, 0] = self.prob[at, 1] = -1.0
                    while column < heads.shape[1]:
                        at = self._best()
                        if self._prob(at) < least or self._prob(at) < 0:
                            break
                        if self._relate(self.candidate[at], d, w, 0, column, heads, relations, log_relation):
                            log_head[w, column] = log(self._prob(at) + _LEAST)
                            column += 1
                        self.prob[at, 0] = self.prob[at, 1] = -1.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _best(self) -> cython.int:
        """The candidate with the largest p, the first of equal ones."""
        best: cython.int = 0
        for c in range(1, self.n_candidates):
            if self._prob(c) > self._prob(best):
                best = c
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _take_head(
        self,
        c: cython.int,
        d: cython.int,
        k: cython.Py_ssize_t,
        column: cython.Py_ssize_t,
        heads: cython.int[:, ::1],
        probs: cython.double[:, ::1],
        sums: cython.int[:, :, ::1],
    ) -> cython.void:
        """Write candidate c for the head of d into a column of row k, and take it out of the candidates."""
        known: cython.Py_ssize_t = self.relation_score.shape[0]
        heads[k, column] = self.candidate[c]
        probs[k, column] = self._prob(c)
        self.prob[c, 0] = self.prob[c, 1] = -1.0
        self._relations(self.candidate[c], d, known)
        for r in range(known):
            sums[k, column, r] = self.relation_sum[r]

    def likeliest_heads(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        start: cython.longlong[::1],
        sentence: cython.longlong[::1],
        position: cython.int[::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        heads: cython.int[:, ::1],
        probs: cython.double[:, ::1],
        sums: cython.int[:, :, ::1],
    ) -> None:
        """The likeliest heads of words first … last, and the head that each has, into the rows of the last three.

        sentence and position say which words these are; words of one sentence that follow one another are fast. The
        last column is for the given head if it is not among the likeliest. heads is -1 where there are no more. probs
        has p of each head, sums the sum of the weights of every relation to it, in 1/UNIT.
        """
        most: cython.Py_ssize_t = heads.shape[1] - 1
        column: cython.Py_ssize_t
        c: cython.int
        with cython.nogil:
            for k in range(first, last):
                s = sentence[k]
                if k == first or s != sentence[k - 1]:
                    self._load(words, head, start[s], start[s + 1] - start[s])
                d = position[k]
                self._candidates(d, self.head[d], False)
                column = 0
                while column < most and column < self.n_candidates:
                    self._take_head(self._best(), d, k, column, heads, probs, sums)
                    column += 1
                for c in range(self.n_candidates):
                    if self.candidate[c] == self.head[d] and self.prob[c, 0] >= 0:
                        self._take_head(c, d, k, column, heads, probs, sums)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _head_score(self, h: cython.int, d: cython.int) -> cython.double:
        """The mean of both opinions on s(d, h)."""
        between: cython.ulonglong = _number(0)
        if h:
            for j in range(min(h, d) + 1, max(h, d)):
                between |= _number(1) << _number(self.code[j])
        self._lay_out_word(d)
        self._head_features(h, d, 0, between)
        self._sum(0)
        return 0.5 * (self.score[0, 0] + self.score[0, 1])

    def compare_arcs(
        self,
        words: cython.ulonglong[:, ::1],
        head: cython.int[::1],
        start: cython.longlong[::1],
        sentence: cython.longlong[::1],
        position: cython.int[::1],
        relation: cython.int[::1],
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        other_head: cython.int[:, ::1],
        other_relation: cython.int[:, ::1],
        gain: cython.double[:, ::1],
    ) -> None:
        """How much larger the score of other arcs of words first … last is than that of the arc which each has.

        For another head h' it is s(d, h') − s(d, h); for another relation to the same head s(d, h, t') − s(d, h, t).
        An entry of gain is left as it is where other_head is -1, and for another relation where relation is -1.
        """
        known: cython.Py_ssize_t = self.relation_score.shape[0]
        own: cython.double
        with cython.nogil:
            for k in range(first, last):
                s = sentence[k]
                if k == first or s != sentence[k - 1]:
                    self._load(words, head, start[s], start[s + 1] - start[s])
                d = position[k]
                h = self.head[d]
                own = 0.0
                for column in range(other_head.shape[1]):
                    if other_head[k, column] >= 0 and other_head[k, column] != h:
                        own = self._head_score(h, d)
                        break
                for column in range(other_head.shape[1]):
                    if other_head[k, column] < 0:
                        continue
                    if other_head[k, column] != h:
                        gain[k, column] = self._head_score(other_head[k, column], d) - own
                    elif relation[k] >= 0:
                        self._relations(h, d, known)
                        gain[k, column] = (
                            self.relation_score[other_relation[k, column]] - self.relation_score[relation[k]]
                        )

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
