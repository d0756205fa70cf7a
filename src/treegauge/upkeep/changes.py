"""The changes between two versions of a treebank: arcs, tags, and every other column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treegauge.corpus.compare.versions import ALONE, RETOKENISED, REWRITTEN, SAME, Matching, match
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.writing import DEPS as DEPS_AT
from treegauge.errors import CorpusError

OTHERS = ("lemma", "xpos", "feats")  # columns that are compared beside arcs and tags
DEPS = "deps"  # compared where the text of a sentence is another one


@dataclass(frozen=True)
class Versions:
    """Two versions of a treebank with their words matched, and the rows of NEW that are annotated differently."""

    old: Corpus
    new: Corpus
    matching: Matching
    arcs: np.ndarray  # rows whose head or relation was changed
    tags: np.ndarray  # rows whose UPOS was changed
    head_moved: np.ndarray  # for each row in `arcs`: whether its head is another word
    others: dict[str, np.ndarray]  # column -> rows whose value was changed: OTHERS, and DEPS where there are any
    elsewhere: int  # sentences in which only other things changed: comments, tokens, empty nodes, MISC
    touched: np.ndarray = field(repr=False)  # for each new sentence: whether a column of a word was changed

    @property
    def counts(self) -> dict[str, int]:
        """Column -> how many words have another value."""
        return {name: len(rows) for name, rows in self.others.items()}

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
    changed = {name: words.present & ~words.same(name) for name in ("deprel", "upos", *OTHERS)}
    moved = words.present & ~words.same_head
    arc = moved | changed["deprel"]
    touched = np.zeros(new.n_sentences, bool)
    touched[new.sentence[np.logical_or.reduce([arc, *changed.values()])]] = True
    others = {name: np.flatnonzero(changed[name]) for name in OTHERS}
    deps = _changed_deps(old, new, matching)
    if len(deps):
        others[DEPS] = deps
        touched[new.sentence[deps]] = True
    elsewhere = _elsewhere(old, new, matching, touched)
    arcs, tags = np.flatnonzero(arc), np.flatnonzero(changed["upos"])
    return Versions(old, new, matching, arcs, tags, moved[arc], others, elsewhere, touched)


def deps_of(corpus: Corpus, row: int) -> str:
    """DEPS of a word, as its line has it."""
    return corpus.line_text(row).split(b"\t")[DEPS_AT].decode(errors="replace")


def _other_texts(old: Corpus, new: Corpus, matching: Matching) -> Iterator[tuple[int, int]]:
    """The sentences of OLD and NEW that have the same words and another text."""
    spans = [np.append(side.begin, len(side.text)).tolist() for side in (old, new)]
    texts = [side.text.data for side in (old, new)]
    for t in np.flatnonzero(matching.new_state == SAME).tolist():
        s = int(matching.sentence[t])
        if bytes(texts[0][spans[0][s] : spans[0][s + 1]]) != bytes(texts[1][spans[1][t] : spans[1][t + 1]]):
            yield s, t


def _changed_deps(old: Corpus, new: Corpus, matching: Matching) -> np.ndarray:
    """The rows of NEW whose DEPS were changed, in sentences of the same words."""
    found = []
    for s, t in _other_texts(old, new, matching):
        pairs = zip(_deps_lines(old, s), _deps_lines(new, t), strict=True)
        found += [int(new.start[t]) + k for k, (first, second) in enumerate(pairs) if first != second]
    return np.array(found, dtype=np.int64)


def _deps_lines(corpus: Corpus, s: int) -> list[bytes]:
    """DEPS of each word of a sentence."""
    lines = (line.split(b"\t") for line in corpus.sentence_text(s).split(b"\n"))
    return [columns[DEPS_AT] for columns in lines if columns[0].isdigit()]


def _elsewhere(old: Corpus, new: Corpus, matching: Matching, touched: np.ndarray) -> int:
    """How many sentences have the same words, heads, relations, tags, features and lemmas, but another text."""
    others = ((s, t) for s, t in _other_texts(old, new, matching) if not touched[t])
    return sum(old.sentence_text(s).rstrip(b"\r\n") != new.sentence_text(t).rstrip(b"\r\n") for s, t in others)


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
