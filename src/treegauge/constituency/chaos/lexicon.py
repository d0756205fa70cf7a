"""Verb subcategorisation frames: what a verb takes, learned from a treebank or written by hand."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import bundled_or_file, read_text
from treegauge.corpus.relations import universal
from treegauge.errors import ModelError


def trusted_rows(scores: np.ndarray, share: float) -> np.ndarray:
    """Which arcs are among this share of the best scores; arcs without a score (NaN) are not."""
    known = ~np.isnan(scores)
    least = np.quantile(scores[known], 1 - share) if known.any() else np.inf
    trusted: np.ndarray = known & (scores >= least)
    return trusted


def learn_lexicon(corpus: Corpus, name: str = "", trusted: Sequence[bool] | np.ndarray | None = None) -> Lexicon:
    """The frames of the verbs of a UD treebank: how often each verb has each slot.

    nsubj is Sogg, obj is Ogg; an obl or iobj with a case word gives that word's lemma; an xcomp, ccomp or csubj gives
    `inf` or `fin` by its verb form, with the lemma of its mark before it (`di+inf`, `che+fin`). Words tagged VERB are
    verbs; a slot that a verb has twice counts once. trusted: for each word whether its arc is trusted; an occurrence of
    a verb counts only if the arcs of all words that fill a slot are trusted.
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
    sure = ((row, names) for row, names in slots.items() if row not in doubted)
    return sum_of_frames(((lemma[row].lower(), Frame(1, dict.fromkeys(names, 1))) for row, names in sure), name)


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


FOLDER = os.path.join(os.path.dirname(__file__), "lexica")
SUFFIX = ".txt"
SUBJECT, OBJECT, BARE, FINITE = "Sogg", "Ogg", "inf", "fin"
SHARE, LEAST = 0.15, 2  # a verb takes a slot that it has in this share of its occurrences, and so many times


@dataclass(frozen=True, slots=True)
class Frame:
    """How often a verb occurs, and how often it has each slot.

    Slots: Sogg, Ogg; a preposition such as `a`; an infinitive, `inf` or `di+inf`; a clause, `che+fin`.
    """

    count: int
    slots: Mapping[str, int]

    def own(self) -> frozenset[str]:
        """The slots that the verb takes: all if the verb was met once, or was written by hand without numbers."""
        least = 1 if self.count <= 1 else max(LEAST, SHARE * self.count)
        return frozenset(slot for slot, count in self.slots.items() if count >= least)


@dataclass(frozen=True)
class Lexicon:
    """Frames by lemma."""

    frames: Mapping[str, Frame]
    name: str = ""

    @cached_property
    def owned(self) -> dict[str, frozenset[str]]:
        """The slots that each verb takes, by its lemma."""
        return {lemma: frame.own() for lemma, frame in self.frames.items()}


def sum_of_frames(frames: Iterable[tuple[str, Frame]], name: str = "") -> Lexicon:
    """The lexicon of frames by lemma; frames of one lemma are added up."""
    count: Counter[str] = Counter()
    slots: dict[str, Counter[str]] = {}
    for lemma, frame in frames:
        count[lemma] += frame.count
        slots.setdefault(lemma, Counter()).update(frame.slots)
    return Lexicon({lemma: Frame(count[lemma], dict(slots[lemma])) for lemma in slots}, name)


def merge_lexica(lexica: Iterable[Lexicon]) -> Lexicon:
    """The lexicon with the counts of all lexica added up."""
    return sum_of_frames(item for lexicon in lexica for item in lexicon.frames.items())


def write_lexicon(lexicon: Lexicon, comment: str = "") -> str:
    """A lexicon as text: a line `lemma count: slot count, slot count`, the most frequent slot first."""
    lines = [f"# {line}" for line in comment.splitlines()]
    for lemma, frame in sorted(lexicon.frames.items()):
        slots = sorted(frame.slots.items(), key=lambda slot: (-slot[1], slot[0]))
        lines.append(f"{lemma} {frame.count}: {', '.join(f'{name} {n}' for name, n in slots)}".rstrip())
    return "\n".join(lines) + "\n"


def parse_lexicon(text: str, path: str) -> Lexicon:
    """The lexicon in a text; lines of one verb are added up, so that files can be joined. Numbers may be left out."""
    frames: list[tuple[str, Frame]] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        head, colon, rest = line.partition(":")
        try:
            if not colon:
                raise ValueError
            lemma, count = _counted(head)
            slots = dict(_counted(part) for part in rest.split(",") if part.strip())
        except ValueError:
            raise ModelError(f"{path}:{number}: {line!r}; expected `lemma count: slot count, slot count`") from None
        frames.append((lemma, Frame(count, slots)))
    return sum_of_frames(frames, path)


def _counted(text: str) -> tuple[str, int]:
    """A name and the number after it; 1 if there is none."""
    name, *rest = text.split()
    number = int(rest[0]) if rest else 1
    if len(rest) > 1 or not 0 <= number < 1 << 53:
        raise ValueError
    return name, number


def find_lexicon(name: str) -> Lexicon:
    """The lexicon in a file, or the bundled one of a name such as `it`."""
    path = bundled_or_file(name, FOLDER, SUFFIX, "lexicon file and no bundled lexicon")
    return parse_lexicon(read_text(path), name)
