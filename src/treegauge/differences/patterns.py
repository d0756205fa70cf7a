"""What changed arcs have in common: a few patterns that cover many of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.differences.changes import Versions

ROOT = "ROOT"  # lemma and tag of what is above the root
MOST, LEAST = 50, 2  # patterns; arcs in one
# what the arcs of a pattern may share beside both relations and whether the head moved -> what an arc in it is worth
TEMPLATES: dict[tuple[str, ...], float] = {
    (): 1.0,
    ("upos", "head_upos"): 1.5,
    ("upos", "head_upos", "direction"): 1.75,
    ("lemma",): 2.0,
    ("lemma", "upos", "head_upos", "direction"): 2.5,
    ("lemma", "head_lemma"): 3.0,
}
PROPERTIES = ("old", "new", "moved", "lemma", "upos", "head_lemma", "head_upos", "direction")


@dataclass(frozen=True, slots=True)
class ChangePattern:
    """Changed arcs and what all of them share; properties are those of NEW, and of its heads."""

    arcs: np.ndarray  # places among the changed arcs
    shared: dict[str, str]  # property -> value, in the order of PROPERTIES


@dataclass(frozen=True, slots=True)
class _Property:
    codes: np.ndarray
    labels: Sequence[str]


def find_patterns(found: Versions) -> list[ChangePattern]:
    """At most MOST patterns, the largest first; an arc is in one at most, and one that is like no other in none.

    They are chosen one by one: the one whose arcs, of those in none yet, are worth most by TEMPLATES. So a pattern is
    the more specific of two unless the other has many more arcs. It has LEAST arcs or more.
    """
    if not len(found.arcs):
        return []
    known = _properties(found)
    groups, sizes = [], []
    for template in TEMPLATES:
        group = _grouped([known[name] for name in ("old", "new", "moved", *template)])
        groups.append(group)
        sizes.append(np.bincount(group))
    free = np.ones(len(found.arcs), bool)
    chosen: list[np.ndarray] = []
    while len(chosen) < MOST:
        values = [
            np.where(size >= LEAST, size * worth, 0) for worth, size in zip(TEMPLATES.values(), sizes, strict=True)
        ]
        best = max(range(len(values)), key=lambda k: values[k].max())
        if not values[best].max():
            break
        arcs = np.flatnonzero((groups[best] == values[best].argmax()) & free)
        free[arcs] = False
        for group, size in zip(groups, sizes, strict=True):
            size -= np.bincount(group[arcs], minlength=len(size))
        chosen.append(arcs)
    chosen.sort(key=lambda arcs: (-len(arcs), int(arcs[0])))
    return [ChangePattern(arcs, _shared(known, arcs)) for arcs in chosen]


def _grouped(properties: Sequence[_Property]) -> np.ndarray:
    """A number for each arc, the same for arcs that share these properties."""
    group = np.zeros(len(properties[0].codes), np.int64)
    for one in properties:
        group = np.unique(group * len(one.labels) + one.codes, return_inverse=True)[1].ravel()
    return group


def _shared(known: dict[str, _Property], arcs: np.ndarray) -> dict[str, str]:
    """What all of these arcs share."""
    found = {}
    for name, one in known.items():
        codes = one.codes[arcs]
        if (codes == codes[0]).all():
            found[name] = one.labels[codes[0]]
    return found


def _properties(found: Versions) -> dict[str, _Property]:
    """The properties of the changed arcs, by name."""
    new, rows = found.new, found.arcs
    head = new.head_row[rows]
    root = head < 0
    side = np.where(root, 0, np.where(head > rows, 1, 2))
    return {
        "old": _of(found.old, "deprel", found.old_arcs),
        "new": _of(new, "deprel", rows),
        "moved": _Property(found.head_moved.astype(np.int64), ("no", "yes")),
        "lemma": _of(new, "lemma", rows),
        "upos": _of(new, "upos", rows),
        "head_lemma": _of(new, "lemma", head, root),
        "head_upos": _of(new, "upos", head, root),
        "direction": _Property(side, ("root", "head-after", "head-before")),
    }


def _of(side: Corpus, column: str, rows: np.ndarray, root: np.ndarray | None = None) -> _Property:
    """A column of rows, under a table of the labels that are there; ROOT where there is no word."""
    codes, labels = side.codes[column][rows].astype(np.int64), side.labels[column]
    if root is not None:
        codes = np.where(root, len(labels), codes)
    there, small = np.unique(codes, return_inverse=True)
    return _Property(small.ravel(), [labels[k] if k < len(labels) else ROOT for k in there.tolist()])
