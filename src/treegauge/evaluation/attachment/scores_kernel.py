# cython: infer_types=True
"""What is right about each aligned word, and counts for each gold sentence."""

# mypy: ignore-errors

import numpy as np

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

# bits of `right`: what a gold word has in common with its system word; KIDS: the same functional children
ALIGNED, UPOS, XPOS, FEATS, LEMMA, LABEL, HEAD, KIDS = (1 << k for k in range(8))
_ALIGNED = cython.declare(cython.int, ALIGNED)
_LEMMA = cython.declare(cython.int, LEMMA)
_HEAD = cython.declare(cython.int, HEAD)
_KIDS = cython.declare(cython.int, KIDS)
_SAME_KID = cython.declare(cython.int, LABEL | UPOS | FEATS)
_FUNCTIONAL = cython.declare(cython.int, 2)


def right_bits(
    to_gold: cython.int[::1],
    gold_head: cython.int[::1],
    head: cython.int[::1],
    gold_labels: cython.int[:, ::1],
    labels: cython.int[:, ::1],
    no_lemma: cython.int,
    kind: cython.uchar[::1],
    right: cython.uchar[::1],
) -> None:
    """Write into `right` what each gold word has in common with its system word; it must have zeros at the start.

    Heads are rows, -1 for the root. The rows of both tables of labels are UPOS, XPOS, features, lemma and relation.
    `no_lemma` is the code of the lemma `_`: if gold has it, any lemma is right. kind: for each relation, whether it is
    content or functional. Two words have the same functional children if three numbers are equal: the children of the
    gold word, the children of the system word, and the pairs of the same child with the same relation, UPOS and
    features.
    """
    kids: cython.int[::1] = np.zeros(gold_head.shape[0], np.int32)
    same_kids: cython.int[::1] = np.zeros(gold_head.shape[0], np.int32)
    system_kids: cython.int[::1] = np.zeros(to_gold.shape[0], np.int32)
    with cython.nogil:
        for g in range(gold_head.shape[0]):
            if gold_head[g] >= 0 and kind[gold_labels[4, g]] == _FUNCTIONAL:
                kids[gold_head[g]] += 1
        for w in range(to_gold.shape[0]):
            h = head[w]
            if h >= 0 and kind[labels[4, w]] == _FUNCTIONAL:
                system_kids[h] += 1
            g = to_gold[w]
            if g < 0:
                continue
            gh = gold_head[g]
            bits = _ALIGNED
            for k in range(5):  # the rows of labels are in the order of the bits after ALIGNED
                if gold_labels[k, g] == labels[k, w]:
                    bits |= 2 << k
            if gold_labels[3, g] == no_lemma:
                bits |= _LEMMA
            if (gh < 0 and h < 0) or (gh >= 0 and h >= 0 and to_gold[h] == gh):
                bits |= _HEAD
                if gh >= 0 and kind[labels[4, w]] == _FUNCTIONAL and bits & _SAME_KID == _SAME_KID:
                    same_kids[gh] += 1
            right[g] = bits
        for w in range(to_gold.shape[0]):
            g = to_gold[w]
            if g >= 0 and kids[g] == same_kids[g] and kids[g] == system_kids[w]:
                right[g] |= _KIDS


def count_words(
    right: cython.uchar[::1],
    gold_content: cython.uchar[::1],
    gold_start: cython.longlong[::1],
    needed: cython.int[::1],
    content_only: cython.uchar[::1],
    counts: cython.int[:, :],
) -> None:
    """Add to column k of counts, for each gold sentence, the number of words that have all bits of needed[k].

    If content_only[k] is set, only words that are content words in gold count.
    """
    with cython.nogil:
        for s in range(gold_start.shape[0] - 1):
            for g in range(gold_start[s], gold_start[s + 1]):
                for k in range(needed.shape[0]):
                    counts[s, k] += (right[g] & needed[k]) == needed[k] and (gold_content[g] or not content_only[k])


def count_spans(
    gold_edge: cython.longlong[::1],
    edge: cython.longlong[::1],
    unit_edge: cython.longlong[::1],
    counts: cython.int[:, :],
) -> None:
    """Add to the three columns of counts: spans of gold, spans of the system, and spans with the same start and end.

    Each span begins where the one before it ends. A span counts in the row of the unit of unit_edge in which it starts.
    """
    g: cython.longlong = 0
    w: cython.longlong = 0
    s: cython.longlong = 0
    n_gold: cython.longlong = gold_edge.shape[0] - 1
    n: cython.longlong = edge.shape[0] - 1
    with cython.nogil:
        while g < n_gold or w < n:
            if w == n or (g < n_gold and gold_edge[g] < edge[w]):
                while unit_edge[s + 1] <= gold_edge[g]:
                    s += 1
                counts[s, 0] += 1
                g += 1
            elif g == n_gold or edge[w] < gold_edge[g]:
                while unit_edge[s + 1] <= edge[w]:
                    s += 1
                counts[s, 1] += 1
                w += 1
            else:
                while unit_edge[s + 1] <= edge[w]:
                    s += 1
                counts[s, 0] += 1
                counts[s, 1] += 1
                counts[s, 2] += gold_edge[g + 1] == edge[w + 1]
                g += 1
                w += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_path(
    a: cython.uchar[::1],
    i: cython.longlong,
    i_end: cython.longlong,
    b: cython.uchar[::1],
    j: cython.longlong,
    j_end: cython.longlong,
    universal: cython.bint,
) -> cython.bint:
    """Whether two paths of relations, `a>b`, are the same; with `universal`, steps are compared up to a colon."""
    while True:
        if universal:
            if i < i_end and a[i] == 58:
                while i < i_end and a[i] != 62:
                    i += 1
            if j < j_end and b[j] == 58:
                while j < j_end and b[j] != 62:
                    j += 1
        if i == i_end or j == j_end:
            return i == i_end and j == j_end
        if a[i] != b[j]:
            return False
        i += 1
        j += 1


def count_enhanced(
    to_gold: cython.int[::1],
    unit: cython.int[::1],
    gold_sentence: cython.int[::1],
    gold_first: cython.longlong[::1],
    gold_deps: cython.longlong[::1],
    gold_head: cython.int[::1],
    gold_path: cython.longlong[::1],
    gold_paths: cython.uchar[::1],
    sentence: cython.int[::1],
    first: cython.longlong[::1],
    deps: cython.longlong[::1],
    head: cython.int[::1],
    path: cython.longlong[::1],
    paths: cython.uchar[::1],
    counts: cython.int[:, :],
) -> None:
    """Add to the four columns of counts: enhanced arcs of gold, of the system, equal arcs, equal ones without subtypes.

    Every pair of arcs of aligned words counts, as in the IWPT script: an arc that is written twice is right twice.
    A head below 0 is no word, and never the same. `first` is the first word of each sentence; deps and path say where
    the arcs of a word and their paths start.
    """
    with cython.nogil:
        for g in range(gold_sentence.shape[0]):
            counts[gold_sentence[g], 0] += cython.cast(cython.int, gold_deps[g + 1] - gold_deps[g])
        for w in range(to_gold.shape[0]):
            counts[unit[w], 1] += cython.cast(cython.int, deps[w + 1] - deps[w])
            g = to_gold[w]
            if g < 0:
                continue
            for a in range(gold_deps[g], gold_deps[g + 1]):
                for b in range(deps[w], deps[w + 1]):
                    if gold_head[a] <= 0 or head[b] <= 0:
                        if gold_head[a] != 0 or head[b] != 0:
                            continue
                    elif to_gold[first[sentence[w]] + head[b] - 1] != gold_first[gold_sentence[g]] + gold_head[a] - 1:
                        continue
                    if _same_path(gold_paths, gold_path[a], gold_path[a + 1], paths, path[b], path[b + 1], False):
                        counts[gold_sentence[g], 2] += 1
                        counts[gold_sentence[g], 3] += 1
                    elif _same_path(gold_paths, gold_path[a], gold_path[a + 1], paths, path[b], path[b + 1], True):
                        counts[gold_sentence[g], 3] += 1
