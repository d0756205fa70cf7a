"""Enhanced arcs without the types of enhancements that a treebank does not have, so that a system may have them.

The rules are those of udtools 0.2.9 (`udeval.load_conllu`), to the letter, so that ELAS and EULAS are the same numbers.
Each takes the arcs of a word as heads (positions in the sentence) and paths (`conj:and>obl` has two steps), and gives
those that are left. They are applied to gold and to the system.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.corpus.tokens import EnhancedArcs
from treegauge.errors import OptionError

NOWHERE = -1  # the head of a root's arc of the tree among enhanced arcs: udtools takes it for no head, always wrong
_WITH_CASE = frozenset(("obl", "nmod", "conj", "advcl"))  # relations that may have a case or a lemma behind the colon
_SUBTYPES = frozenset(("pass", "relcl", "xsubj"))  # what is no case behind the colon
Arc = tuple[int, tuple[str, ...]]  # head and steps


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a sentence, by its place (from 0), with the heads and the universal relations of all words there."""

    place: int
    heads: list[int]
    relations: list[str]

    @property
    def tree_arc(self) -> Arc:
        """The arc of the tree."""
        return self.heads[self.place] or NOWHERE, (self.relations[self.place],)


def _without_gapping(arcs: list[Arc], word: _Word) -> list[Arc]:
    """An arc with a path of several steps becomes the arc of the tree; other arcs that occur twice are left once."""
    kept: list[Arc] = []
    for arc in arcs:
        if len(arc[1]) > 1:
            kept.append(word.tree_arc)
        elif arc not in kept:
            kept.append(arc)
    return kept


def _without_shared_parents(arcs: list[Arc], word: _Word) -> list[Arc]:
    """Only the last arc whose relation is conj is left, if there is one."""
    of_conj = [arc for arc in arcs if len(arc[1]) == 1 and arc[1][0].startswith("conj")]
    return of_conj[-1:] or arcs


def _with_shared_dependents(arcs: list[Arc], word: _Word) -> list[Arc]:
    """All arcs are left: udtools compares a word with a text here, and leaves none out."""
    return arcs


def _without_control(arcs: list[Arc], word: _Word) -> list[Arc]:
    """Subjects of an xcomp are left out."""
    return [
        (head, steps)
        for head, steps in arcs
        if not (head > 0 and word.relations[head - 1] == "xcomp" and any(step.startswith("nsubj") for step in steps))
    ]


def _without_external_arguments(arcs: list[Arc], word: _Word) -> list[Arc]:
    """An arc ref becomes the arc of the tree; arcs from an acl whose head is the word before this one are left out.

    The acl should depend on this word itself; udtools counts its words from 0 and its heads from 1.
    """
    kept = []
    for head, steps in arcs:
        if steps[0] == "ref":
            kept.append(word.tree_arc)
        elif not (head > 0 and word.relations[head - 1].startswith("acl") and word.heads[head - 1] == word.place):
            kept.append((head, steps))
    return kept


def _without_case(arcs: list[Arc], word: _Word) -> list[Arc]:
    """Relations lose the case or lemma behind their only colon."""
    return [(head, tuple(map(_caseless, steps))) for head, steps in arcs]


def _caseless(step: str) -> str:
    relation, *more = step.split(":")
    return relation if relation in _WITH_CASE and len(more) == 1 and more[0] not in _SUBTYPES else step


# digit -> the type that gold does not have, as udtools names it, and the rule that leaves it out; in their order
LEVELS: dict[str, tuple[str, Callable[[list[Arc], _Word], list[Arc]]]] = {
    "1": ("gapping", _without_gapping),
    "2": ("shared parents", _without_shared_parents),
    "3": ("shared dependents", _with_shared_dependents),
    "4": ("control", _without_control),
    "5": ("external arguments", _without_external_arguments),
    "6": ("lemmas", _without_case),
}


def enhancement_levels(enhanced: bool | str) -> str:
    """The digits of LEVELS in a text such as `12`, in order; empty for `0`, True and False. Raises OptionError."""
    digits = "" if isinstance(enhanced, bool) else enhanced
    if isinstance(enhanced, str) and (not digits or set(digits) - {"0", *LEVELS}):
        names = ", ".join(f"{digit} (no {name})" for digit, (name, _) in LEVELS.items())
        raise OptionError(f"enhancements {digits!r}; expected 0 (all), or digits among {names}")
    return "".join(digit for digit in LEVELS if digit in digits)


def without_levels(corpus: Corpus, levels: str) -> EnhancedArcs | None:
    """The enhanced arcs of a corpus after the rules of some LEVELS; None if it has none."""
    arcs = corpus.enhanced
    if arcs is None or not levels:
        return arcs
    rules = [LEVELS[digit][1] for digit in levels]
    names, codes = [universal(label) for label in corpus.labels["deprel"]], corpus.codes["deprel"]
    ends, path_ends, text = arcs.start.tolist(), arcs.path_start.tolist(), arcs.paths.tobytes()
    n_arcs, heads, paths = [0], [], []
    for s in range(corpus.n_sentences):
        low, high = corpus.start[s : s + 2].tolist()
        tree = corpus.head[low:high].tolist(), [names[code] for code in codes[low:high].tolist()]
        for w in range(low, high):
            of_word = [
                (head, tuple(text[path_ends[a] : path_ends[a + 1]].decode(errors="surrogateescape").split(">")))
                for a, head in enumerate(arcs.head[ends[w] : ends[w + 1]].tolist(), ends[w])
            ]
            for rule in rules:
                of_word = rule(of_word, _Word(w - low, *tree))
            heads += [head for head, _ in of_word]
            paths += [">".join(steps).encode(errors="surrogateescape") for _, steps in of_word]
            n_arcs.append(len(heads))
    path_start = np.append(0, np.cumsum([len(path) for path in paths], dtype=np.int64))
    all_paths = np.frombuffer(bytearray(b"".join(paths)), np.uint8)
    return EnhancedArcs(np.array(n_arcs, np.int64), np.array(heads, np.int32), path_start.astype(np.int64), all_paths)
