"""What was changed about the words of two versions of a treebank: arcs, tags, and how often the other columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.corpus.joined import Joined, join_column
from treegauge.differences.matching import ALONE, RETOKENISED, REWRITTEN, SAME, Matching, match
from treegauge.errors import CorpusError

ARC, TAG = "arc", "tag"
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

    @cached_property
    def old_arcs(self) -> np.ndarray:
        """The rows of OLD that `arcs` were."""
        return np.asarray(self.matching.word[self.arcs])

    @cached_property
    def old_tags(self) -> np.ndarray:
        """The rows of OLD that `tags` were."""
        return np.asarray(self.matching.word[self.tags])


def compare_versions(old: Corpus, new: Corpus) -> Versions:
    """What was changed between two versions.

    An arc is changed if its relation is, subtype and all, or its head: another word, or one that has no partner. Words
    that only one version has are not compared. Raises CorpusError for a corpus whose text was let go.
    """
    for side in (old, new):
        if side.layers is not None:
            raise CorpusError(f"{side.path}: its text was let go; expected a corpus of read_conllu")
    matching = match(old, new)
    rows = np.flatnonzero(matching.word >= 0)
    of_old = matching.word[rows]
    here: slice | np.ndarray = rows
    there: slice | np.ndarray = of_old
    if len(rows) == old.n_words == new.n_words and np.array_equal(rows, of_old):
        here = there = slice(None)  # every word stands where it stood
    columns = {name: join_column(old, new, name) for name in ("deprel", "upos", *COUNTED)}
    differs = {name: _differs(column, there, here) for name, column in columns.items()}
    moved = _moved(old, new, matching.word, here, there)
    arc = moved | differs["deprel"]
    touched = np.zeros(new.n_sentences, bool)
    any_change = np.logical_or.reduce([arc, *differs.values()])
    touched[new.sentence[rows[any_change]]] = True
    return Versions(
        old,
        new,
        matching,
        rows[arc],
        rows[differs["upos"]],
        moved[arc],
        {name: int(np.count_nonzero(differs[name])) for name in COUNTED},
        _elsewhere(old, new, matching, touched),
        touched,
    )


def _differs(column: Joined, old_rows: slice | np.ndarray, rows: slice | np.ndarray) -> np.ndarray:
    return np.asarray(column.gold[old_rows] != column.system[rows])


def _moved(
    old: Corpus, new: Corpus, word: np.ndarray, here: slice | np.ndarray, there: slice | np.ndarray
) -> np.ndarray:
    """Of each pair of rows: whether the head is another word."""
    head, old_head = new.head_row[here], old.head_row[there]
    if isinstance(here, slice):
        return np.asarray(head != old_head)
    # the root is behind all words, and its own partner; a head without a partner is no word of OLD
    partner = np.append(word, np.int32(-1))
    lost = np.int32(-2)
    partner[:-1][word < 0] = lost
    return np.asarray(partner[head] != old_head)


def _elsewhere(old: Corpus, new: Corpus, matching: Matching, touched: np.ndarray) -> int:
    """Sentences with the same words, heads, relations, tags, features and lemmas whose text is yet another."""
    spans = [np.append(side.begin, len(side.text)).tolist() for side in (old, new)]
    texts = [side.text.data for side in (old, new)]
    found = 0
    for t in np.flatnonzero((matching.new_state == SAME) & ~touched).tolist():
        s = int(matching.sentence[t])
        if bytes(texts[0][spans[0][s] : spans[0][s + 1]]) != bytes(texts[1][spans[1][t] : spans[1][t + 1]]):
            found += old.sentence_text(s).rstrip(b"\r\n") != new.sentence_text(t).rstrip(b"\r\n")
    return found


def sentence_counts(found: Versions) -> dict[str, int]:
    """How many sentences became what; each is counted once, but for `renamed`. New ones, but for `removed`."""
    matching = found.matching
    same = matching.new_state == SAME
    changed = int(np.count_nonzero(same & found.touched))
    return {
        "added": int(np.count_nonzero(matching.new_state == ALONE)),
        "removed": int(np.count_nonzero(matching.old_state == ALONE)),
        "retokenised": int(np.count_nonzero(matching.new_state == RETOKENISED)),
        "rewritten": int(np.count_nonzero(matching.new_state == REWRITTEN)),
        "changed": changed,
        "changed elsewhere only": found.elsewhere,
        "unchanged": int(np.count_nonzero(same)) - changed - found.elsewhere,
        "renamed": matching.renamed,
    }
