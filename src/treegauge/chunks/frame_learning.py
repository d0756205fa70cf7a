"""Frames learned from a dependency treebank, or from the arcs of a parsed corpus that can be trusted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treegauge.chunks.lexicon import BARE, FINITE, OBJECT, SUBJECT, Frame, Lexicon, added_up
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal


def trusted_rows(scores: np.ndarray, share: float) -> np.ndarray:
    """Which arcs are among the given share of the best scores; arcs without a score (NaN) are not."""
    known = ~np.isnan(scores)
    if not known.any():
        return known
    least = np.quantile(scores[known], 1 - share)
    trusted: np.ndarray = known & (np.nan_to_num(scores, nan=-np.inf) >= least)
    return trusted


def learn_lexicon(corpus: Corpus, name: str = "", trusted: Sequence[bool] | np.ndarray | None = None) -> Lexicon:
    """The frames of the verbs of a UD treebank: how often each verb has each slot.

    nsubj is Sogg, obj is Ogg; an obl or iobj with a case word gives that word's lemma; an xcomp, ccomp or csubj gives
    `inf` or `fin` by its verb form, with the lemma of its mark before it (`di+inf`, `che+fin`). Words tagged VERB are
    verbs; a slot that a verb has twice counts once. trusted: for each word whether its arc is; an occurrence of a verb
    counts only if the arcs of all that would fill a slot are trusted.
    """
    upos, lemma, feats, deprel = (
        [labels[code] for code in corpus.codes[column].tolist()]
        for column, labels in ((c, corpus.labels[c]) for c in ("upos", "lemma", "feats", "deprel"))
    )
    heads = corpus.head_row.tolist()
    is_word = (corpus.head > 0).tolist()
    marker: dict[int, str] = {}  # the first case or mark of each word
    for row, head in enumerate(heads):
        if is_word[row] and universal(deprel[row]) in ("case", "mark") and row < head:
            marker.setdefault(head, lemma[row].lower())
    doubted: set[int] = set()
    slots: dict[int, set[str]] = {row: set() for row, tag in enumerate(upos) if tag == "VERB"}
    for row, head in enumerate(heads):
        if is_word[row] and head in slots:
            slot = _slot(universal(deprel[row]), marker.get(row, ""), feats[row])
            if slot:
                slots[head].add(slot)
                if trusted is not None and not trusted[row]:
                    doubted.add(head)
    kept = ((row, names) for row, names in slots.items() if row not in doubted)
    frames = ((lemma[row].lower(), Frame(1, dict.fromkeys(names, 1))) for row, names in kept)
    return added_up(frames, name)


def _slot(relation: str, marker: str, feats: str) -> str:
    if relation == "nsubj":
        return SUBJECT
    if relation == "obj":
        return OBJECT
    if relation in ("obl", "iobj"):
        return marker
    if relation in ("xcomp", "ccomp", "csubj"):
        form = BARE if "VerbForm=Inf" in feats else FINITE if "VerbForm=Fin" in feats else ""
        return form and (f"{marker}+{form}" if marker else form)
    return ""
