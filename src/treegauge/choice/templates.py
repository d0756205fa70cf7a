"""What a choice looks at: templates of features. A feature is the sum of its parts, so that much is summed once a word.

Parts of the head h and of the word d: t tag, l lemma, f FEATS, g Case, x XPOS, r relation, e and s the last three and
the last two letters of the form; tb, ta, tt the tags before, after and two after; lb, la the lemmas before and after;
eb, ea the endings there; u the tag above; m the lemmas of case, mark, cop and cc below; c the relations below. Parts of
the pair: R the side of the head, D side and distance; counts of punctuation and verbs in between; agree: whether Case,
Number, Gender and Person do; sr the relation of the dependent of h nearest to d.
"""

from __future__ import annotations

import numpy as np

# What is looked at, as bits: tags, what stands between, lemmas, morphology (FEATS, XPOS, endings), the tree.
TAGS, BETWEEN, LEMMAS, MORPHOLOGY, TREE = 1, 2, 4, 8, 16
ALL = 31

OF_HEAD = ("th", "tbh", "tah", "tth", "lh", "lbh", "lah", "fh", "xh", "eh", "sh", "rh", "uh")
OF_WORD = ("td", "tbd", "tad", "ld", "lbd", "lad", "fd", "gd", "xd", "ed", "sd", "ebd", "ead", "md", "cd")
OF_PAIR = ("", "R", "D", "R counts", "R agree", "R sr")

# Those of the words alone come first, those of the tree last.
HEAD = (
    (TAGS, ("th td D", "th td tbh tbd R", "th td tad tbd D", "th td tah tth R")),
    (BETWEEN, ("th td R counts",)),
    (LEMMAS, ("lh td R", "th ld R", "lh ld R", "th td lbd R", "th td lad R", "th td lbh R", "th td lah R")),
    (MORPHOLOGY, ("th td fh fd R", "th td fh D", "th td fd D", "th td xh xd R", "th xd D", "th td R agree")),
    (MORPHOLOGY, ("th ed R", "th td eh R", "th td eh ed R", "th td sh sd R")),
    (TREE | LEMMAS, ("lh td md R", "th ld rh R")),
    (TREE, ("th td rh D", "th td rh uh R", "th td cd R", "th td R sr")),
)
RELATION = (
    (TAGS, ("th td D", "th td tbd R", "th td tad R", "th td tbh R", "th td tah R")),
    (LEMMAS, ("ld", "th ld R", "lh td R", "lh ld R", "td lbd", "td lad")),
    (MORPHOLOGY, ("td gd", "th td gd R", "th td fd R", "th td fd fh R", "td xd", "th td xd R", "th td xd xh R")),
    (MORPHOLOGY, ("td ed R", "td sd R", "th td ed R", "th td ed eh R", "td ebd", "td ead")),
    (MORPHOLOGY | LEMMAS, ("lh td fd R",)),
    (TREE, ("th td cd R", "th td rh R")),
    (TREE | LEMMAS, ("lh cd R", "th td md R", "lh td md R", "ld md R")),
)
Templates = tuple[tuple[int, tuple[str, ...]], ...]


def used(templates: Templates, groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The templates that look at nothing but `groups`: which parts of head, word and pair each has, and how many
    come before those of the tree.

    Parts of head and word are rows of indices into OF_HEAD and OF_WORD, -1 where there are no more.
    """
    chosen = [(bits, name) for bits, names in templates if not bits & ~groups for name in names]
    heads, words = np.full((2, len(chosen), 4), -1, dtype=np.int32)
    pairs = np.zeros(len(chosen), dtype=np.int32)
    for k, (_, name) in enumerate(chosen):
        parts = name.split()
        for rows, known in ((heads, OF_HEAD), (words, OF_WORD)):
            here = [known.index(part) for part in parts if part in known]
            rows[k, : len(here)] = here
        pairs[k] = OF_PAIR.index(" ".join(part for part in parts if part not in OF_HEAD + OF_WORD))
    return heads, words, pairs, sum(not bits & TREE for bits, _ in chosen)
