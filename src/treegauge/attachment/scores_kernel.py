# cython: infer_types=True
"""Aligned words into what is right about each, and into counts per gold sentence."""

# mypy: ignore-errors

try:
    import cython
except ImportError:  # neither compiled nor installed
    from treegauge import plain_cython as cython

# What is counted in each gold sentence. What belongs to the system counts where its first character is.
COLUMNS = (
    *("gold_tokens", "system_tokens", "tokens"),
    *("gold_sentences", "system_sentences", "sentences"),
    *("gold_words", "system_words", "aligned_words"),
    *("upos", "xpos", "feats", "all_tags", "lemmas", "heads", "arcs"),
    *(
        "gold_content",
        "system_content",
        "aligned_content",
        "content_arcs",
        "content_morphology",
        "content_lemmas",
    ),
    *("gold_enhanced", "system_enhanced", "enhanced", "enhanced_universal"),
)
_GOLD_WORDS = cython.declare(cython.int, COLUMNS.index("gold_words"))
_SYSTEM_WORDS = cython.declare(cython.int, COLUMNS.index("system_words"))
_ALIGNED_WORDS = cython.declare(cython.int, COLUMNS.index("aligned_words"))
_RIGHT_UPOS = cython.declare(cython.int, COLUMNS.index("upos"))
_RIGHT_XPOS = cython.declare(cython.int, COLUMNS.index("xpos"))
_RIGHT_FEATS = cython.declare(cython.int, COLUMNS.index("feats"))
_ALL_TAGS = cython.declare(cython.int, COLUMNS.index("all_tags"))
_LEMMAS = cython.declare(cython.int, COLUMNS.index("lemmas"))
_HEADS = cython.declare(cython.int, COLUMNS.index("heads"))
_ARCS = cython.declare(cython.int, COLUMNS.index("arcs"))
_GOLD_CONTENT = cython.declare(cython.int, COLUMNS.index("gold_content"))
_SYSTEM_CONTENT = cython.declare(cython.int, COLUMNS.index("system_content"))
_ALIGNED_CONTENT = cython.declare(cython.int, COLUMNS.index("aligned_content"))
_CONTENT_ARCS = cython.declare(cython.int, COLUMNS.index("content_arcs"))
_CONTENT_MORPHOLOGY = cython.declare(cython.int, COLUMNS.index("content_morphology"))
_CONTENT_LEMMAS = cython.declare(cython.int, COLUMNS.index("content_lemmas"))
_GOLD_ENHANCED = cython.declare(cython.int, COLUMNS.index("gold_enhanced"))
_SYSTEM_ENHANCED = cython.declare(cython.int, COLUMNS.index("system_enhanced"))
_ENHANCED = cython.declare(cython.int, COLUMNS.index("enhanced"))
_ENHANCED_UNIVERSAL = cython.declare(cython.int, COLUMNS.index("enhanced_universal"))

# bits of `right`
ALIGNED, UPOS, XPOS, FEATS, LEMMA, HEAD, LABEL, KIDS = (1 << k for k in range(8))
_ALIGNED = cython.declare(cython.int, ALIGNED)
_UPOS = cython.declare(cython.int, UPOS)
_XPOS = cython.declare(cython.int, XPOS)
_FEATS = cython.declare(cython.int, FEATS)
_LEMMA = cython.declare(cython.int, LEMMA)
_HEAD = cython.declare(cython.int, HEAD)
_LABEL = cython.declare(cython.int, LABEL)
_KIDS = cython.declare(cython.int, KIDS)

_CONTENT = cython.declare(cython.int, 1)
_FUNCTIONAL = cython.declare(cython.int, 2)


def right_bits(
    to_gold: cython.int[::1],
    gold_head: cython.int[::1],
    head: cython.int[::1],
    gold_upos: cython.int[::1],
    upos: cython.int[::1],
    gold_xpos: cython.int[::1],
    xpos: cython.int[::1],
    gold_feats: cython.int[::1],
    feats: cython.int[::1],
    gold_lemma: cython.int[::1],
    lemma: cython.int[::1],
    no_lemma: cython.int,
    gold_rel: cython.int[::1],
    rel: cython.int[::1],
    kind: cython.uchar[::1],
    kids: cython.int[:, ::1],
    system_kids: cython.int[::1],
    right: cython.uchar[::1],
) -> None:
    """Fill right, per gold word, zeros given: what its system word shares with it.

    Heads are rows, -1 for the root. `no_lemma` is the lemma `_`, which in gold is right whatever the system
    has. kind tells of each relation whether it is content or functional. kids (functional children of each
    gold word; those whose system word is the same child of the same head) and system_kids are zeros for this
    function to work with: the functional children of two words are the same if all three numbers are, as the
    alignment keeps the order.
    """
    with cython.nogil:
        for g in range(gold_head.shape[0]):
            if gold_head[g] >= 0 and kind[gold_rel[g]] == _FUNCTIONAL:
                kids[gold_head[g], 0] += 1
        for w in range(to_gold.shape[0]):
            h = head[w]
            if h >= 0 and kind[rel[w]] == _FUNCTIONAL:
                system_kids[h] += 1
            g = to_gold[w]
            if g < 0:
                continue
            gh = gold_head[g]
            bits = _ALIGNED
            if gold_upos[g] == upos[w]:
                bits |= _UPOS
            if gold_xpos[g] == xpos[w]:
                bits |= _XPOS
            if gold_feats[g] == feats[w]:
                bits |= _FEATS
            if gold_lemma[g] == lemma[w] or gold_lemma[g] == no_lemma:
                bits |= _LEMMA
            if gold_rel[g] == rel[w]:
                bits |= _LABEL
            if (gh < 0 and h < 0) or (gh >= 0 and h >= 0 and to_gold[h] == gh):
                bits |= _HEAD
                if gh >= 0 and kind[rel[w]] == _FUNCTIONAL:
                    if bits & (_LABEL | _UPOS | _FEATS) == (_LABEL | _UPOS | _FEATS):
                        kids[gh, 1] += 1
            right[g] = bits
        for w in range(to_gold.shape[0]):
            g = to_gold[w]
            if g >= 0 and kids[g, 0] == kids[g, 1] and kids[g, 0] == system_kids[w]:
                right[g] |= _KIDS


def count_words(
    right: cython.uchar[::1],
    gold_rel: cython.int[::1],
    gold_start: cython.longlong[::1],
    rel: cython.int[::1],
    unit: cython.int[::1],
    kind: cython.uchar[::1],
    counts: cython.int[:, ::1],
) -> None:
    """Add to counts, a row per gold sentence, the columns of words and content words."""
    arc: cython.int = _HEAD | _LABEL
    tags: cython.int = _UPOS | _XPOS | _FEATS
    whole: cython.int = _HEAD | _LABEL | _UPOS | _FEATS | _KIDS
    with cython.nogil:
        for s in range(gold_start.shape[0] - 1):
            for g in range(gold_start[s], gold_start[s + 1]):
                b = right[g]
                content: cython.bint = kind[gold_rel[g]] == _CONTENT
                counts[s, _GOLD_WORDS] += 1
                counts[s, _GOLD_CONTENT] += content
                if b == 0:
                    continue
                counts[s, _ALIGNED_WORDS] += 1
                counts[s, _RIGHT_UPOS] += (b & _UPOS) != 0
                counts[s, _RIGHT_XPOS] += (b & _XPOS) != 0
                counts[s, _RIGHT_FEATS] += (b & _FEATS) != 0
                counts[s, _ALL_TAGS] += (b & tags) == tags
                counts[s, _LEMMAS] += (b & _LEMMA) != 0
                counts[s, _HEADS] += (b & _HEAD) != 0
                counts[s, _ARCS] += (b & arc) == arc
                if content:
                    counts[s, _ALIGNED_CONTENT] += 1
                    counts[s, _CONTENT_ARCS] += (b & arc) == arc
                    counts[s, _CONTENT_MORPHOLOGY] += (b & whole) == whole
                    counts[s, _CONTENT_LEMMAS] += (b & arc) == arc and (b & _LEMMA) != 0
        for w in range(unit.shape[0]):
            counts[unit[w], _SYSTEM_WORDS] += 1
            counts[unit[w], _SYSTEM_CONTENT] += kind[rel[w]] == _CONTENT


def count_spans(
    gold_edge: cython.longlong[::1],
    edge: cython.longlong[::1],
    unit_edge: cython.longlong[::1],
    column: cython.int,
    counts: cython.int[:, ::1],
) -> None:
    """Add to three columns: spans of gold, of the system, and those that start and end alike.

    Spans lie end to end; a row of counts is the stretch of unit_edge in which a span starts.
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
                counts[s, column] += 1
                g += 1
            elif g == n_gold or edge[w] < gold_edge[g]:
                while unit_edge[s + 1] <= edge[w]:
                    s += 1
                counts[s, column + 1] += 1
                w += 1
            else:
                while unit_edge[s + 1] <= edge[w]:
                    s += 1
                counts[s, column] += 1
                counts[s, column + 1] += 1
                counts[s, column + 2] += gold_edge[g + 1] == edge[w + 1]
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
    """Whether two paths of relations, `a>b`, are the same, or with `universal` their steps up to a colon."""
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
    counts: cython.int[:, ::1],
) -> None:
    """Add enhanced arcs of gold, of the system, the same ones, the same but for subtypes.

    Every pair of arcs of aligned words counts, as in the IWPT script: an arc that is written twice is right
    twice. `first` is the first word of each sentence; deps and path say where the arcs of a word and their
    paths start.
    """
    with cython.nogil:
        for g in range(gold_sentence.shape[0]):
            counts[gold_sentence[g], _GOLD_ENHANCED] += cython.cast(cython.int, gold_deps[g + 1] - gold_deps[g])
        for w in range(to_gold.shape[0]):
            counts[unit[w], _SYSTEM_ENHANCED] += cython.cast(cython.int, deps[w + 1] - deps[w])
            g = to_gold[w]
            if g < 0:
                continue
            for a in range(gold_deps[g], gold_deps[g + 1]):
                for b in range(deps[w], deps[w + 1]):
                    if gold_head[a] == 0 or head[b] == 0:
                        if gold_head[a] != 0 or head[b] != 0:
                            continue
                    elif to_gold[first[sentence[w]] + head[b] - 1] != gold_first[gold_sentence[g]] + gold_head[a] - 1:
                        continue
                    if _same_path(gold_paths, gold_path[a], gold_path[a + 1], paths, path[b], path[b + 1], False):
                        counts[gold_sentence[g], _ENHANCED] += 1
                        counts[gold_sentence[g], _ENHANCED_UNIVERSAL] += 1
                    elif _same_path(gold_paths, gold_path[a], gold_path[a + 1], paths, path[b], path[b + 1], True):
                        counts[gold_sentence[g], _ENHANCED_UNIVERSAL] += 1
