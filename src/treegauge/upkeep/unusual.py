"""Corrections that look like a slip: an arc that a treebank has next to nowhere between such tags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.upkeep.corrections import Correction

FEWEST, MOST_SHARE = 50, 0.01  # a relation must occur so often, and such tags in at most this share of its arcs


def unusual_arcs(files: Sequence[Corpus], corrections: Iterable[Correction]) -> list[str]:
    """The corrected arcs that are unusual, in words: few arcs of the relation are between words with such tags."""
    found = []
    for one in corrections:
        corpus, s = next(((c, c.sent_ids.index(one.sent_id)) for c in files if one.sent_id in c.sent_ids), (None, 0))
        if corpus is None or one.arc == (one.head, one.deprel):
            continue
        head, relation = one.arc
        above = corpus.value("upos", int(corpus.start[s]) + head - 1) if head else ""
        upos = one.upos if one.new_upos is None else one.new_upos
        times, n = np.sum([_times(c, universal(relation), upos, above) for c in files], axis=0).tolist()
        if n >= FEWEST and times <= MOST_SHARE * n:
            under = f"a {above}" if above else "the root"
            found.append(f"{one}: {relation} of {upos} under {under}, as {times:,} of {n:,} {universal(relation)} are")
    return found


def _times(corpus: Corpus, relation: str, upos: str, above: str) -> tuple[int, int]:
    """How many arcs of a relation are between such tags, and how many there are."""
    is_relation = np.array([universal(label) == relation for label in corpus.labels["deprel"]], dtype=bool)
    rows = np.flatnonzero(is_relation[corpus.codes["deprel"]])
    tags = np.array(corpus.labels["upos"], dtype=object)[corpus.codes["upos"]]
    head = corpus.head_row[rows]
    fits = (tags[rows] == upos) & (np.where(head >= 0, tags[head], "") == above)
    return int(fits.sum()), len(rows)
