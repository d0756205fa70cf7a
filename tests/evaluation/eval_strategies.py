"""Hypothesis: pairs of treebanks of one text that differ in everything that may differ."""

from itertools import pairwise

from hypothesis import strategies as st

from tests.evaluation.eval_cases import line

CHARS = "aAbßΣσİ한"
SPACES = [" ", "\u00a0", "\u2009", "\u202f", "\u205f", "\u3000", "\u1680"]
PARTS = ["a", "A", "b", "ab", "aa", "Σ", "σ", "ς", "a b", "a\u00a0b", "İ", "i̇"]
UD = [
    "nsubj",
    "obj",
    "det",
    "case",
    "punct",
    "root",
    "nmod",
    "aux",
    "mark",
    "flat",
    "compound",
    "cc",
    "nsubj:pass",
]
RELATIONS = [*UD, "aux:pass", "xyz", "dep"]
FEATS = [
    "_",
    "Case=Nom",
    "Number=Sing|Case=Nom",
    "Case=Nom|Number=Sing",
    "Foo=Bar",
    "Case=Nom|Foo=Bar",
    "Typo",
]
DEPS = ["nsubj", "nsubj:xsubj", "conj:en>obl:voor", "conj>obl", "obl", ""]


@st.composite
def treebank(draw, text, relations=RELATIONS, multiword=True):
    """The text cut into sentences, tokens and words, with trees."""
    n = len(text)
    inner = draw(st.sets(st.integers(1, n - 1), max_size=8)) if n > 1 else set()
    cuts = [0, *sorted(inner), n]
    tokens = [text[a:b] for a, b in pairwise(cuts)]
    sizes = []
    left = len(tokens)
    while left:
        size = draw(st.integers(1, left))
        sizes.append(size)
        left -= size
    lines = []
    at = 0
    for size in sizes:
        lines += draw(_sentence(tokens[at : at + size], relations, multiword))
        at += size
    return "\n".join(lines) + "\n"


@st.composite
def _sentence(draw, tokens, relations, multiword):
    rows = []  # id or None, form, is word
    words = 0
    for token in tokens:
        if draw(st.booleans()) and len(token) > 1:
            k = draw(st.integers(1, len(token) - 1))
            token = token[:k] + draw(st.sampled_from(SPACES)) + token[k:]
        if multiword and draw(st.integers(0, 2)) == 0:
            parts = draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=3))
            rows.append((f"{words + 1}-{words + len(parts)}", token, False))
            for part in parts:
                words += 1
                rows.append((str(words), part, True))
                if draw(st.integers(0, 9)) == 0:
                    rows.append((f"{words}.1", "a", False))
        else:
            words += 1
            rows.append((str(words), token, True))
            if draw(st.integers(0, 9)) == 0:
                rows.append((f"{words}.1", "b", False))
    order = draw(st.permutations(range(1, words + 1)))
    place = {word: k for k, word in enumerate(order)}
    lines = ["# text = a comment"] if draw(st.booleans()) else []
    for number, form, is_word in rows:
        if not is_word:
            lines.append(line(number, form))
            continue
        word = int(number)
        head = draw(st.sampled_from([0, *order[: place[word]]]))
        deps = draw(st.lists(st.tuples(st.integers(0, words), st.sampled_from(DEPS)), max_size=2))
        enhanced = [f"{h}:{d}" for h, d in deps] + ["1.1:obj"] * draw(st.integers(0, 1))
        lines.append(
            line(
                number,
                form,
                head,
                draw(st.sampled_from(relations)),
                lemma=draw(st.sampled_from(["_", "a", "b"])),
                upos=draw(st.sampled_from(["NOUN", "VERB"])),
                xpos=draw(st.sampled_from(["_", "N"])),
                feats=draw(st.sampled_from(FEATS)),
                deps="|".join(enhanced) or "_",
            )
        )
    return [*lines, ""]


@st.composite
def pair(draw, relations=RELATIONS, multiword=True):
    """Two treebanks of one text, the second sometimes the first with a few letters changed in the columns."""
    text = draw(st.text(st.sampled_from(CHARS), min_size=1, max_size=12))
    gold = draw(treebank(text, relations, multiword))
    if draw(st.integers(0, 3)):
        return gold, draw(treebank(text, relations, multiword))
    change = draw(st.sampled_from([("nsubj", "obj"), ("NOUN", "VERB"), ("Case", "Foo"), ("\tN\t", "\t_\t")]))
    return gold, gold.replace(*change)
