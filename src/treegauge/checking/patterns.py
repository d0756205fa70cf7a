"""Patterns: doubtful arcs of a treebank that share words, tags, relation, and what they would rather be.

Most corrections of a treebank come in families: the same two words, or the same word under the same tag, annotated in
one way here and in another there. A pattern is one such family.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import relation_codes
from treegauge.explanations import Alternatives
from treegauge.scorers.treebank import TreebankScorer
from treegauge.tables import Table, column_kinds

DOUBT = 0.2  # the probability of the likeliest other arc from which on an arc is in doubt
FEWEST = 5  # arcs of a pattern
ATTACHMENT_EVERY = 4  # every fourth pattern is about heads, the others are about relations
_MOST = 300  # candidates of a template that are looked at
_EXAMPLES = 3
# what the arcs of a pattern share
TEMPLATES = (("lemma", "upos"), ("lemma", "head_lemma"), ("upos", "head_lemma"), ("lemma", "head_upos", "side"))
SIDES = ("the head is the root", "before its head", "behind its head")

_COLUMNS = column_kinds(
    "rank count, pattern text, relation text, rather text, arcs count, all count, other_way count, doubt p, "
    "example text, other_example text, grew text"
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Arcs in doubt that share something."""

    shared: tuple[tuple[str, str], ...]  # what they share: lemma, upos, head_lemma, head_upos, side, and its value
    relation: str
    rather: str  # the relation that they would rather have
    same_head: bool  # whether they would keep their heads
    rows: np.ndarray  # the words of the arcs, the most doubtful first
    doubt: float  # the mean of p(other) / (p(other) + p(own))
    n_relation: int  # arcs with this relation that share the same, in doubt or not
    n_rather: int  # arcs with the other relation that share the same
    other_rows: np.ndarray  # some of these

    @property
    def text(self) -> str:
        """What the arcs share, in words."""
        values = dict(self.shared)
        word = f"'{values['lemma']}'" if "lemma" in values else values["upos"]
        said = word + (f" {values['upos']}" if "lemma" in values and "upos" in values else "")
        if "head_lemma" in values:
            said += f" under '{values['head_lemma']}'" if values["head_lemma"] else " at the root"
        if "side" in values:
            said += f", {values['side']}" + (f" {values['head_upos']}" if values["head_upos"] else "")
        return said

    @property
    def change(self) -> str:
        """What they would rather be."""
        return self.rather if self.same_head else f"{self.rather} of another word"

    @property
    def grew(self) -> str:
        """A query of Grew that finds all arcs with this relation that share the same."""
        values = dict(self.shared)
        dependent = {"lemma": values.get("lemma"), "upos": values.get("upos")}
        head = {"lemma": values.get("head_lemma"), "upos": values.get("head_upos")}
        clauses = [f"D [{_features(dependent)}]", *([f"H [{_features(head)}]"] if any(head.values()) else [])]
        clauses.append(f"H -[1={self.relation}]-> D")
        clauses += {SIDES[1]: ["D << H"], SIDES[2]: ["H << D"]}.get(values.get("side", ""), [])
        return "pattern { " + "; ".join(clauses) + " }"


def _features(values: dict[str, str | None]) -> str:
    quoted = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in values.items() if value}
    return ", ".join(f'{name}="{value}"' for name, value in quoted.items())


def patterns_table(corpus: Corpus, patterns: Sequence[Pattern], signature: str) -> Table:
    """The patterns as a table, each with an example of both sides."""
    rows = tuple(
        (
            *(k, one.text, one.relation, one.change, len(one.rows), one.n_relation, one.n_rather, one.doubt),
            *(place(corpus, rows) for rows in (one.rows, one.other_rows)),
            one.grew,
        )
        for k, one in enumerate(patterns, 1)
    )
    details = frozenset({"grew", "other_example"})
    return Table(f"{corpus.path}: patterns", _COLUMNS, rows, signature, "patterns", details)


def place(corpus: Corpus, rows: np.ndarray) -> str:
    """Where the first of some words is, as `sent_id:id`; empty for none."""
    if not len(rows):
        return ""
    s = int(corpus.sentence[rows[0]])
    return f"{corpus.sent_id(s) or corpus.number[s]}:{corpus.position[rows[0]]}".replace("\t", " ")


def find_patterns(corpus: Corpus, scorer: TreebankScorer, top: int, spoken: np.ndarray) -> list[Pattern]:
    """The first patterns, by the treebank itself and by each reference; spoken: words that may be in them.

    Candidates are groups of arcs whose likeliest other arc has a probability of DOUBT or more, and that share one of
    TEMPLATES, the relation, the relation of the other arc, and whether its head is the same. They are ordered by
    log n · mean p(other)/(p(other) + p(own)). A pair of relations comes once, and no pattern has most of its arcs in
    those before it.
    """
    if not corpus.n_words or top < 1:
        return []
    features = _Features(corpus)
    candidates = [one for other in scorer.opinions(corpus) for one in _candidates(features, other, spoken)]
    return list(_chosen(features, candidates, top))


class _Features:
    """What patterns may share, as codes of every word."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.relations: dict[str, int] = {}
        own = relation_codes(corpus.labels["deprel"], False, self.relations)[corpus.codes["deprel"]]
        head, position = corpus.head_row, np.arange(corpus.n_words)
        has_lemmas = any(label != "_" for label in corpus.labels["lemma"])
        lemma = corpus.codes["lemma" if has_lemmas else "form"]
        self.labels = {
            "lemma": corpus.labels["lemma" if has_lemmas else "form"],
            "upos": corpus.labels["upos"],
            "side": SIDES,
        }
        self.labels |= {"head_lemma": self.labels["lemma"], "head_upos": self.labels["upos"]}
        self.codes = {
            "lemma": lemma,
            "upos": corpus.codes["upos"],
            "head_lemma": np.where(head >= 0, lemma[np.maximum(head, 0)], -1),
            "head_upos": np.where(head >= 0, corpus.codes["upos"][np.maximum(head, 0)], -1),
            "side": np.where(head < 0, 0, np.where(position < head, 1, 2)),
            "relation": own,
        }

    def value(self, name: str, code: int) -> str:
        """What a code stands for; empty for the root."""
        return self.labels[name][code] if code >= 0 else ""

    def names(self) -> list[str]:
        """The relations by code."""
        return list(self.relations)


@dataclass(frozen=True, slots=True)
class _Candidate:
    template: tuple[str, ...]
    key: tuple[int, ...]
    relation: int
    rather: int
    same_head: bool
    rows: np.ndarray
    doubt: float

    @property
    def score(self) -> float:
        return float(np.log(len(self.rows))) * self.doubt


def _candidates(features: _Features, other: Alternatives, spoken: np.ndarray) -> Iterator[_Candidate]:
    corpus = features.corpus
    own_p, other_p = np.exp(other.own_log_prob), np.exp(other.log_prob)
    doubt = other_p / np.maximum(own_p + other_p, 1e-300)
    kinds, codes = np.unique(other.relation.astype(str), return_inverse=True)
    rather = relation_codes(tuple(kinds.tolist()), False, features.relations)[codes]
    rows = np.flatnonzero(spoken & (other.head >= 0) & (other_p >= DOUBT))
    changes = [features.codes["relation"][rows], rather[rows], (other.head == corpus.head)[rows]]
    for template in TEMPLATES:
        columns = [*(features.codes[name][rows] for name in template), *changes]
        keys, group, size = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True, return_counts=True)
        group = group.ravel()
        mean = np.bincount(group, doubt[rows], minlength=len(size)) / size
        score = np.where(size >= FEWEST, np.log(size) * mean, 0.0)
        order = np.argsort(group, kind="stable")
        start = np.append(0, np.cumsum(size))
        for k in np.argsort(-score, kind="stable")[:_MOST].tolist():
            if size[k] < FEWEST:
                break
            mine = rows[order[start[k] : start[k + 1]]]
            *key, relation, other_relation, same = keys[k].tolist()
            mine = mine[np.argsort(-doubt[mine], kind="stable")]
            yield _Candidate(template, tuple(key), relation, other_relation, bool(same), mine, float(mean[k]))


def _chosen(features: _Features, candidates: Sequence[_Candidate], top: int) -> Iterator[Pattern]:
    """The best candidates: three about relations, then one about heads, and so on, as long as there are any."""
    best = sorted(candidates, key=lambda one: -one.score)
    about_relations = iter([one for one in best if one.same_head])
    about_heads = iter([one for one in best if not one.same_head])
    covered = np.zeros(features.corpus.n_words, dtype=bool)
    used: set[tuple[bool, frozenset[int]]] = set()
    for n in range(1, top + 1):
        turns = [about_relations, about_heads]
        for queue in reversed(turns) if n % ATTACHMENT_EVERY == 0 else turns:
            found = next((one for one in queue if _is_new(one, used, covered)), None)
            if found is not None:
                break
        else:
            return
        used.add(_pair(found))
        covered[found.rows] = True
        yield _described(features, found)


def _pair(one: _Candidate) -> tuple[bool, frozenset[int]]:
    return one.same_head, frozenset((one.relation, one.rather))


def _is_new(one: _Candidate, used: set[tuple[bool, frozenset[int]]], covered: np.ndarray) -> bool:
    return _pair(one) not in used and float(covered[one.rows].mean()) <= 0.5


def _described(features: _Features, one: _Candidate) -> Pattern:
    shares = np.ones(features.corpus.n_words, dtype=bool)
    for name, code in zip(one.template, one.key, strict=True):
        shares &= features.codes[name] == code
    others = np.flatnonzero(shares & (features.codes["relation"] == one.rather))
    names = features.names()
    return Pattern(
        tuple((name, features.value(name, code)) for name, code in zip(one.template, one.key, strict=True)),
        names[one.relation],
        names[one.rather],
        one.same_head,
        one.rows,
        one.doubt,
        int((shares & (features.codes["relation"] == one.relation)).sum()),
        len(others),
        others[:_EXAMPLES],
    )
