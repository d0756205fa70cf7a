"""Patterns: arcs of a treebank that share words, tags and relations; the arcs are doubtful, or were changed.

Many errors of a treebank are alike: the same two words, or the same word under the same tag, are annotated in one way
in some sentences and in another way in others. A pattern is a group of such arcs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import relation_codes
from treegauge.explanations import Alternatives
from treegauge.tables import Table, column_kinds
from treegauge.upkeep.changes import Versions

if TYPE_CHECKING:
    from treegauge.upkeep.treebank_scorer import TreebankScorer

DOUBT = 0.2  # an arc is in doubt if its likeliest other arc has this probability, or a higher one
FEWEST = 5  # arcs in a pattern of doubtful arcs
ATTACHMENT_EVERY = 4  # every fourth pattern is about heads, the others are about relations
_MOST = 300  # at most so many candidates of each template are considered
_EXAMPLES = 3
# a pattern of doubtful arcs shares the properties of one of these templates
DOUBT_TEMPLATES = (
    ("lemma", "upos"),
    ("lemma", "head_lemma"),
    ("upos", "head_lemma"),
    ("lemma", "head_upos", "direction"),
)
_IN_WORDS = {"root": "the head is the root", "head-after": "before its head", "head-before": "behind its head"}
_DIRECTIONS = tuple(_IN_WORDS)
ROOT = "ROOT"  # lemma and tag of the artificial root
MOST_CHANGES, FEWEST_CHANGES = 50, 2  # the most patterns of changed arcs, and the fewest arcs in such a pattern
# Changed arcs of a pattern share both relations and whether the head moved. A template adds further properties; the
# number is the worth of each arc in such a pattern.
CHANGE_TEMPLATES: dict[tuple[str, ...], float] = {
    (): 1.0,
    ("upos", "head_upos"): 1.5,
    ("upos", "head_upos", "direction"): 1.75,
    ("lemma",): 2.0,
    ("lemma", "upos", "head_upos", "direction"): 2.5,
    ("lemma", "head_lemma"): 3.0,
}
CHANGE_PROPERTIES = ("old", "new", "moved", "lemma", "upos", "head_lemma", "head_upos", "direction")

_COLUMNS = column_kinds(
    "rank count, pattern text, relation text, rather text, arcs count, all count, other_way count, doubt p, "
    "example text, other_example text, grew text"
)


@dataclass(frozen=True, slots=True)
class Property:
    """A property of some arcs, as codes into labels."""

    codes: np.ndarray
    labels: Sequence[str]

    @staticmethod
    def of(corpus: Corpus, column: str, rows: np.ndarray) -> Property:
        """The values of a column in some rows; the row -1 is the artificial root and has ROOT."""
        labels = (*corpus.labels[column], ROOT)
        return Property(np.where(rows >= 0, corpus.codes[column][rows], len(labels) - 1).astype(np.int64), labels)


def arc_properties(corpus: Corpus, rows: np.ndarray, lemma: str = "lemma") -> dict[str, Property]:
    """Lemma and tag of both words of some arcs, and the direction; `lemma` may name another column instead."""
    head = corpus.head_row[rows]
    direction = np.where(head < 0, 0, np.where(head > rows, 1, 2))
    return {
        "lemma": Property.of(corpus, lemma, rows),
        "upos": Property.of(corpus, "upos", rows),
        "head_lemma": Property.of(corpus, lemma, head),
        "head_upos": Property.of(corpus, "upos", head),
        "direction": Property(direction, _DIRECTIONS),
    }


@dataclass(frozen=True, slots=True)
class Pattern:
    """Doubtful arcs that share some properties."""

    shared: tuple[tuple[str, str], ...]  # the shared properties (names of arc_properties), and their values
    relation: str
    rather: str  # the relation that they would rather have
    same_head: bool  # whether they would keep their heads
    rows: np.ndarray  # the words of the arcs, the most doubtful first
    doubt: float  # the mean of p(other) / (p(other) + p(own))
    n_relation: int  # how many arcs share the properties and have this relation, in doubt or not
    n_rather: int  # how many arcs share the properties and have the other relation
    other_rows: np.ndarray  # some of the arcs with the other relation
    word: str = "lemma"  # the column that `lemma` and `head_lemma` are from

    @property
    def text(self) -> str:
        """What the arcs share, in words."""
        values = dict(self.shared)
        word = f"'{values['lemma']}'" if "lemma" in values else values["upos"]
        text = word + (f" {values['upos']}" if "lemma" in values and "upos" in values else "")
        if "head_lemma" in values:
            text += " at the root" if values["head_lemma"] == ROOT else f" under '{values['head_lemma']}'"
        if "direction" in values:
            text += f", {_IN_WORDS[values['direction']]}"
            text += "" if values["head_upos"] == ROOT else f" {values['head_upos']}"
        return text

    @property
    def change(self) -> str:
        """The likelier annotation, in words."""
        return self.rather if self.same_head else f"{self.rather} of another word"

    @property
    def grew(self) -> str:
        """A request for `find`, or Grew, that finds all arcs with this relation and these properties."""
        values = dict(self.shared)
        dependent = {self.word: values.get("lemma"), "upos": values.get("upos")}
        head = {self.word: values.get("head_lemma"), "upos": values.get("head_upos")}
        if ROOT in head.values():
            head = {"form": "__0__"}
        head = {name: value for name, value in head.items() if value}
        clauses = [f"D [{_features(dependent)}]", *([f"H [{_features(head)}]"] if head else [])]
        clauses.append(f"H -[1={self.relation}]-> D")
        clauses += {"head-after": ["D << H"], "head-before": ["H << D"]}.get(values.get("direction", ""), [])
        return "pattern { " + "; ".join(clauses) + " }"


def _features(values: Mapping[str, str | None]) -> str:
    tests = []
    for name, value in values.items():
        if value == "_" and name != "form":
            tests.append(f"!{name}")
        elif value:
            quoted = value.replace("\\", "\\\\").replace('"', '\\"')
            tests.append(f'{name}="{quoted}"')
    return ", ".join(tests)


def patterns_table(corpus: Corpus, patterns: Sequence[Pattern], signature: str) -> Table:
    """The patterns as a table, each with an example of either relation."""
    rows = tuple(
        (
            *(k, pattern.text, pattern.relation, pattern.change, len(pattern.rows)),
            *(pattern.n_relation, pattern.n_rather, pattern.doubt),
            *(place(corpus, rows) for rows in (pattern.rows, pattern.other_rows)),
            pattern.grew,
        )
        for k, pattern in enumerate(patterns, 1)
    )
    details = frozenset({"grew", "other_example"})
    return Table(f"{corpus.path}: patterns", _COLUMNS, rows, signature, "patterns", details)


def place(corpus: Corpus, rows: np.ndarray) -> str:
    """The place of the first of some words, as `sent_id:id`; empty if there are no words."""
    if not len(rows):
        return ""
    s = int(corpus.sentence[rows[0]])
    return f"{corpus.sent_id(s) or corpus.number[s]}:{corpus.position[rows[0]]}".replace("\t", " ")


def doubt_patterns(corpus: Corpus, scorer: TreebankScorer, top: int, wanted_words: np.ndarray) -> list[Pattern]:
    """The first `top` patterns, by the treebank itself and by each reference.

    Candidates are groups of arcs whose likeliest other arc has a probability of DOUBT or more, and that share one of
    DOUBT_TEMPLATES, the relation, the relation of the other arc, and whether its head is the same. They are ordered by
    log n · mean p(other)/(p(other) + p(own)). A pair of relations occurs in one pattern only. No pattern has most of
    its arcs in earlier patterns. wanted_words: the words that may be in patterns.
    """
    if not corpus.n_words or top < 1:
        return []
    arcs = _DoubtArcs(corpus)
    candidates = (_candidates(arcs, other, wanted_words) for other in scorer.opinions(corpus))
    return list(_chosen(arcs, chain.from_iterable(candidates), top))


class _DoubtArcs:
    """All arcs of a corpus, with the properties that a pattern may share."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.relations: dict[str, int] = {}
        self.relation = relation_codes(corpus.labels["deprel"], False, self.relations)[corpus.codes["deprel"]]
        has_lemmas = any(label != "_" for label in corpus.labels["lemma"])
        self.word = "lemma" if has_lemmas else "form"
        self.properties = arc_properties(corpus, np.arange(corpus.n_words), self.word)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Doubtful arcs that may become a pattern: they have the values `key` of the properties of a template."""

    template: tuple[str, ...]
    key: tuple[int, ...]
    relation: int
    rather: int
    same_head: bool
    rows: np.ndarray
    doubt: float

    @property
    def pair(self) -> tuple[bool, frozenset[int]]:
        """Whether the head stays, and both relations, in any order."""
        return self.same_head, frozenset((self.relation, self.rather))

    @property
    def score(self) -> float:
        return float(np.log(len(self.rows))) * self.doubt


def _candidates(arcs: _DoubtArcs, other: Alternatives, wanted_words: np.ndarray) -> Iterator[_Candidate]:
    corpus = arcs.corpus
    own_p, other_p = np.exp(other.own_log_prob), np.exp(other.log_prob)
    doubt = other_p / np.maximum(own_p + other_p, 1e-300)
    kinds, codes = other.coded_relations()
    rather = relation_codes(tuple(kinds), False, arcs.relations)[codes]
    rows = np.flatnonzero(wanted_words & (other.head >= 0) & (other_p >= DOUBT))
    changes = [arcs.relation[rows], rather[rows], (other.head == corpus.head)[rows]]
    for template in DOUBT_TEMPLATES:
        columns = [*(arcs.properties[name].codes[rows] for name in template), *changes]
        keys, group, size = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True, return_counts=True)
        group = group.ravel()
        mean = np.bincount(group, doubt[rows], minlength=len(size)) / size
        score = np.where(size >= FEWEST, np.log(size) * mean, 0.0)
        order = np.argsort(group, kind="stable")
        start = np.append(0, np.cumsum(size))
        for k in np.argsort(-score, kind="stable")[:_MOST].tolist():
            if size[k] < FEWEST:
                break
            members = rows[order[start[k] : start[k + 1]]]
            *key, relation, other_relation, same = keys[k].tolist()
            members = members[np.argsort(-doubt[members], kind="stable")]
            yield _Candidate(template, tuple(key), relation, other_relation, bool(same), members, float(mean[k]))


def _chosen(arcs: _DoubtArcs, candidates: Iterable[_Candidate], top: int) -> Iterator[Pattern]:
    """The best candidates: three about relations, then one about heads, and so on, until there are no more."""
    ordered = sorted(candidates, key=lambda candidate: -candidate.score)
    about_relations = iter([candidate for candidate in ordered if candidate.same_head])
    about_heads = iter([candidate for candidate in ordered if not candidate.same_head])
    covered = np.zeros(arcs.corpus.n_words, dtype=bool)
    used: set[tuple[bool, frozenset[int]]] = set()
    for n in range(1, top + 1):
        turns = [about_relations, about_heads]
        for queue in reversed(turns) if n % ATTACHMENT_EVERY == 0 else turns:
            new = (one for one in queue if one.pair not in used and covered[one.rows].mean() <= 0.5)
            best = next(new, None)
            if best is not None:
                break
        else:
            return
        used.add(best.pair)
        covered[best.rows] = True
        yield _described(arcs, best)


def _described(arcs: _DoubtArcs, candidate: _Candidate) -> Pattern:
    shares = np.ones(arcs.corpus.n_words, dtype=bool)
    shared = []
    for name, code in zip(candidate.template, candidate.key, strict=True):
        shares &= arcs.properties[name].codes == code
        shared.append((name, arcs.properties[name].labels[code]))
    others = np.flatnonzero(shares & (arcs.relation == candidate.rather))
    names = list(arcs.relations)
    return Pattern(
        tuple(shared),
        names[candidate.relation],
        names[candidate.rather],
        candidate.same_head,
        candidate.rows,
        candidate.doubt,
        int((shares & (arcs.relation == candidate.relation)).sum()),
        len(others),
        others[:_EXAMPLES],
        arcs.word,
    )


@dataclass(frozen=True, slots=True)
class ChangePattern:
    """Changed arcs, and the properties that all of them share in NEW."""

    arcs: np.ndarray  # places among the changed arcs
    shared: dict[str, str]  # property -> value, in the order of CHANGE_PROPERTIES


def change_patterns(versions: Versions) -> list[ChangePattern]:
    """At most MOST_CHANGES patterns of FEWEST_CHANGES arcs or more, the largest first; no arc is in two of them.

    They are chosen one by one. The next pattern is the one whose arcs, without those of earlier patterns, are worth
    most by CHANGE_TEMPLATES. So the more specific of two patterns is chosen unless the other has many more arcs.
    """
    if not len(versions.arcs):
        return []
    properties = _change_properties(versions)
    groups, sizes = [], []
    for template in CHANGE_TEMPLATES:
        group = _grouped([properties[name] for name in ("old", "new", "moved", *template)])
        groups.append(group)
        sizes.append(np.bincount(group))
    free = np.ones(len(versions.arcs), bool)
    chosen: list[np.ndarray] = []
    while len(chosen) < MOST_CHANGES:
        values = [
            np.where(size >= FEWEST_CHANGES, size * worth, 0)
            for worth, size in zip(CHANGE_TEMPLATES.values(), sizes, strict=True)
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
    return [ChangePattern(arcs, _shared(properties, arcs)) for arcs in chosen]


def _grouped(properties: Sequence[Property]) -> np.ndarray:
    """A number for each arc, the same for arcs that share these properties."""
    group = np.zeros(len(properties[0].codes), np.int64)
    for shared in properties:
        group = np.unique(group * len(shared.labels) + shared.codes, return_inverse=True)[1].ravel()
    return group


def _shared(properties: dict[str, Property], arcs: np.ndarray) -> dict[str, str]:
    """The properties that all of these arcs share, and their values."""
    return {
        name: values.labels[values.codes[arcs[0]]]
        for name, values in properties.items()
        if np.ptp(values.codes[arcs]) == 0
    }


def _change_properties(versions: Versions) -> dict[str, Property]:
    """The properties of the changed arcs, in the order of CHANGE_PROPERTIES."""
    return {
        "old": Property.of(versions.old, "deprel", versions.old_arcs),
        "new": Property.of(versions.new, "deprel", versions.arcs),
        "moved": Property(versions.head_moved.astype(np.int64), ("no", "yes")),
        **arc_properties(versions.new, versions.arcs),
    }
