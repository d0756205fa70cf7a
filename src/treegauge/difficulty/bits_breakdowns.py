"""Tables of the bits of treebanks: by relation, length of the sentence, genre, sentence, and words seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treegauge.corpus.genres import document_names, genres
from treegauge.difficulty.bits import DependencyBits, mean_interval, signatures
from treegauge.tables import Table, column_kinds

LENGTHS = (5, 10, 15, 20, 30, 40, 60)  # the longest sentence of each group but the last
NO_GENRE = "all"
_FIGURES = "arcs count, bits_per_arc number, interval interval, head number, relation number, share percent"


def relation_groups(treebank: DependencyBits) -> tuple[np.ndarray, Sequence[str]]:
    """The relation of each arc, as a code into names."""
    relations = treebank.corpus.relations()
    return relations.codes[treebank.row], relations.names


def length_groups(treebank: DependencyBits) -> tuple[np.ndarray, Sequence[str]]:
    """The group of lengths that each arc's sentence is in, as a code into names."""
    low = [1, *(last + 1 for last in LENGTHS)]
    names = [f"{first}–{last}" for first, last in zip(low, LENGTHS, strict=False)]
    return np.searchsorted(LENGTHS, treebank.corpus.sentence_length[treebank.row]), [*names, f"{low[-1]} or more"]


def genre_groups(treebank: DependencyBits) -> tuple[np.ndarray, Sequence[str]]:
    """The genre of each arc's document, as a code into names; if names do not tell it, all arcs are one group."""
    genre = genres(document_names(treebank.corpus))
    if genre is None:
        return np.zeros(len(treebank.row), dtype=np.int64), [NO_GENRE]
    names, code = np.unique(np.array(genre), return_inverse=True)
    return code[treebank.corpus.sentence[treebank.row]], names.tolist()


GROUPS: dict[str, Callable[[DependencyBits], tuple[np.ndarray, Sequence[str]]]] = {
    "relation": relation_groups,
    "length": length_groups,
    "genre": genre_groups,
}


def grouped_table(treebanks: Sequence[DependencyBits], by: str) -> Table:
    """A row for each treebank and group: bits per arc, and the share of all bits.

    Relations and genres are sorted by their share, lengths stay in order.
    """
    rows: list[tuple[Any, ...]] = []
    for treebank in treebanks:
        code, names = GROUPS[by](treebank)
        bits, sentence, mine = treebank.bits, treebank.corpus.sentence[treebank.row], []
        for k, name in enumerate(names):
            at = code == k
            if at.any():
                figures = float(bits[at].mean()), mean_interval(bits[at], sentence[at])
                parts = float(treebank.head[at].mean()), float(treebank.relation[at].mean())
                mine.append((treebank.name, name, int(at.sum()), *figures, *parts, float(bits[at].sum() / bits.sum())))
        rows += mine if by == "length" else sorted(mine, key=lambda row: (-row[-1], row[1]))
    return Table(
        f"Bits per arc by {by}, with 95 % intervals",
        column_kinds(f"treebank text, {by} text, {_FIGURES}"),
        tuple(rows),
        signatures(treebanks),
        f"bits_by_{by}",
        headers={"bits_per_arc": "bits", "interval": "95 %", "share": "% of all bits"},
    )


def sentences_table(treebanks: Sequence[DependencyBits]) -> Table:
    """A row for each sentence that was measured; the mean if it was measured several times."""
    rows: list[tuple[Any, ...]] = []
    for treebank in treebanks:
        sentence = treebank.corpus.sentence[treebank.row]
        arcs = np.bincount(sentence, minlength=treebank.corpus.n_sentences)
        sums = (
            np.bincount(sentence, weights=w, minlength=len(arcs))
            for w in (treebank.bits, treebank.head, treebank.relation)
        )
        total, head, relation = sums
        words, seen = np.diff(treebank.corpus.start), np.bincount(sentence, weights=treebank.seen, minlength=len(arcs))
        for s in np.flatnonzero(arcs).tolist():
            n, times = arcs[s], arcs[s] / words[s]
            means = float(total[s] / n), float(head[s] / n), float(relation[s] / n), round(float(seen[s] / n))
            name = treebank.corpus.sent_id(s)
            rows.append(
                (treebank.name, name, int(treebank.corpus.number[s]), int(words[s]), float(total[s] / times), *means)
            )
    columns = "treebank text, sent_id text, sentence count, words count, bits number, bits_per_arc number"
    more = ", head number, relation number, words_seen count"
    return Table("Bits of each sentence", column_kinds(columns + more), tuple(rows), signatures(treebanks), "sentences")


def curve_table(treebanks: Sequence[DependencyBits]) -> Table:
    """A row for each window of the learning curve of each treebank, with the power law's value."""
    rows: list[tuple[Any, ...]] = []
    for treebank in treebanks:
        law = treebank.power_law()
        for words, bits, arcs in zip(*(column.tolist() for column in treebank.curve()), strict=True):
            rows.append((treebank.name, round(words), arcs, bits, law.at(words)))
    columns = "treebank text, words_seen count, arcs count, bits_per_arc number, power_law number"
    return Table(
        "Bits per arc as words are learned", column_kinds(columns), tuple(rows), signatures(treebanks), "curve"
    )
