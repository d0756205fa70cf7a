"""What was changed about the words of two versions of a treebank: arcs, tags, and how often the other columns."""

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
    """Two versions of a treebank, their words matched, and the rows of NEW whose annotation is another one."""

    old: Corpus
    new: Corpus
    matching: Matching
    arcs: np.ndarray  # rows whose head or relation was changed
    tags: np.ndarray  # rows whose UPOS was changed
    head_moved: np.ndarray  # of each of `arcs`: whether its head is another word
    counts: dict[str, int]  # column -> words that have another value
    elsewhere: int  # sentences of which only something else was changed: comments, tokens, empty nodes, DEPS, MISC
    touched: np.ndarray = field(repr=False)  # of each new sentence: whether something about a word was changed

    def old_rows(self, rows: np.ndarray) -> np.ndarray:
        """The rows of OLD of some words of NEW, -1 for a word without a partner."""
        row = self.matching.words.row
        return rows if row is None else np.asarray(row[rows])

    @cached_property
    def old_arcs(self) -> np.ndarray:
        """The rows of OLD that `arcs` were."""
        return self.old_rows(self.arcs)

    @cached_property
    def old_tags(self) -> np.ndarray:
        """The rows of OLD that `tags` were."""
        return self.old_rows(self.tags)


def compare_versions(old: Corpus, new: Corpus) -> Versions:
    """What was changed between two versions.

    An arc is changed if its relation is, subtype and all, or its head: another word, or one that has no partner. Words
    that only one version has are not compared. Raises CorpusError for a corpus whose text was let go.
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
    """Sentences with the same words, heads, relations, tags, features and lemmas whose text is yet another."""
    spans = [np.append(side.begin, len(side.text)).tolist() for side in (old, new)]
    texts = [side.text.data for side in (old, new)]
    n = 0
    for t in np.flatnonzero((matching.new_state == SAME) & ~touched).tolist():
        s = int(matching.sentence[t])
        if bytes(texts[0][spans[0][s] : spans[0][s + 1]]) != bytes(texts[1][spans[1][t] : spans[1][t + 1]]):
            n += old.sentence_text(s).rstrip(b"\r\n") != new.sentence_text(t).rstrip(b"\r\n")
    return n


def sentence_counts(versions: Versions) -> dict[str, int]:
    """How many sentences became what; each is counted once, but for `renamed`. New ones, but for `removed`."""
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
