"""Frames learned from a dependency treebank."""

from __future__ import annotations

from treegauge.chunks.lexicon import BARE, FINITE, OBJECT, SUBJECT, Frame, Lexicon, added_up
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import universal


def learn_lexicon(corpus: Corpus, name: str = "") -> Lexicon:
    """The frames of the verbs of a UD treebank: how often each verb has each slot.

    nsubj is Sogg, obj is Ogg; an obl or iobj with a case word gives that word's lemma; an xcomp, ccomp or csubj gives
    `inf` or `fin` by its verb form, with the lemma of its mark before it (`di+inf`, `che+fin`). Words tagged VERB are
    verbs; a slot that a verb has twice counts once.
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
    slots: dict[int, set[str]] = {row: set() for row, tag in enumerate(upos) if tag == "VERB"}
    for row, head in enumerate(heads):
        if is_word[row] and head in slots:
            slot = _slot(universal(deprel[row]), marker.get(row, ""), feats[row])
            if slot:
                slots[head].add(slot)
    frames = ((lemma[row].lower(), Frame(1, dict.fromkeys(names, 1))) for row, names in slots.items())
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
