"""The changes between two versions of a treebank: changed arcs and tags; changes of other columns are counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treegauge.corpus.compare.versions import ALONE, RETOKENISED, REWRITTEN, SAME, Matching, match
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError

COUNTED = ("xpos", "feats", "lemma")  # columns whose changes are only counted


@dataclass(frozen=True)
class Versions:
    """Two versions of a treebank with their words matched, and the rows of NEW that are annotated differently."""

    old: Corpus
    new: Corpus
    matching: Matching
    arcs: np.ndarray  # rows whose head or relation was changed
    tags: np.ndarray  # rows whose UPOS was changed
    head_moved: np.ndarray  # for each row in `arcs`: whether its head is another word
    counts: dict[str, int]  # column -> how many words have another value
    elsewhere: int  # sentences in which only other things changed: comments, tokens, empty nodes, DEPS, MISC
    touched: np.ndarray = field(repr=False)  # for each new sentence: whether a column of a word was changed

    def old_rows(self, rows: np.ndarray) -> np.ndarray:
        """The rows in OLD of some words of NEW; -1 for a word without a partner."""
        row = self.matching.words.row
        return rows if row is None else np.asarray(row[rows])

    @cached_property
    def old_arcs(self) -> np.ndarray:
        """The rows in OLD of the words in `arcs`."""
        return self.old_rows(self.arcs)

    @cached_property
    def old_tags(self) -> np.ndarray:
        """The rows in OLD of the words in `tags`."""
        return self.old_rows(self.tags)


def compare_versions(old: Corpus, new: Corpus) -> Versions:
    """The changes between two versions.

    An arc is changed if its relation (with the subtype) or its head is another one. A head without a partner is another
    one, too. Words that only one version has are not compared. Raises CorpusError for a corpus without its text.
    """
    for side in (old, new):
        if side.layers is not None:
            raise CorpusError(f"{side.path}: its text was let go; expected a corpus of read_conllu")
    matching = match(old, new)
    words = matching.words
    changed = {name: words.present & ~words.same(name) for name in ("deprel", "upos", *COUNTED)}
    moved = words.present & ~words.same_head
    arc = moved | changed["deprel"]
    touched = np.zeros(new.n_sentences, bool)
    touched[new.sentence[np.logical_or.reduce([arc, *changed.values()])]] = True
    return Versions(
        old,
        new,
        matching,
        np.flatnonzero(arc),
        np.flatnonzero(changed["upos"]),
        moved[arc],
        {name: int(np.count_nonzero(changed[name])) for name in COUNTED},
        _elsewhere(old, new, matching, touched),
        touched,
    )


def _elsewhere(old: Corpus, new: Corpus, matching: Matching, touched: np.ndarray) -> int:
    """How many sentences have the same words, heads, relations, tags, features and lemmas, but another text."""
    spans = [np.append(side.begin, len(side.text)).tolist() for side in (old, new)]
    texts = [side.text.data for side in (old, new)]
    n = 0
    for t in np.flatnonzero((matching.new_state == SAME) & ~touched).tolist():
        s = int(matching.sentence[t])
        if bytes(texts[0][spans[0][s] : spans[0][s + 1]]) != bytes(texts[1][spans[1][t] : spans[1][t + 1]]):
            n += old.sentence_text(s).rstrip(b"\r\n") != new.sentence_text(t).rstrip(b"\r\n")
    return n


def sentence_counts(versions: Versions) -> dict[str, int]:
    """How many sentences were added, removed, changed and so on.

    Each sentence is counted once; renamed sentences are counted a second time under `renamed`. The counts are of
    sentences of NEW, except for `removed`.
    """
    matching = versions.matching
    same = matching.new_state == SAME
    changed = int(np.count_nonzero(same & versions.touched))
    return {
        "added": int(np.count_nonzero(matching.new_state == ALONE)),
        "removed": int(np.count_nonzero(matching.old_state == ALONE)),
        "retokenised": int(np.count_nonzero(matching.new_state == RETOKENISED)),
        "rewritten": int(np.count_nonzero(matching.new_state == REWRITTEN)),
        "changed": changed,
        "changed elsewhere only": versions.elsewhere,
        "unchanged": int(np.count_nonzero(same)) - changed - versions.elsewhere,
        "renamed": matching.renamed,
    }
