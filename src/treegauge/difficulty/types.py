"""The difficulty of relation types: four measures of each type, their ranks, and how the ranks agree (2020 §4)."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.difficulty.properties import rows_by_relation
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.breakdown import breakdown
from treegauge.evaluation.attachment.evaluation import evaluate
from treegauge.models.model import Model
from treegauge.ranking.scored import score
from treegauge.scorers.registry import as_scorer
from treegauge.scorers.scorer import Scorer
from treegauge.statistics import shared_ranks, spearman
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.version import signature

ROOT = "root"
# measure -> whether a high value is at the top of its ranking
MEASURES = {"f_score": True, "length": False, "lisca_gold": True, "lisca_parsed": True}
# name -> a list of types that the user can ask for
_2020 = """
    case det aux cc amod flat mark fixed nsubj advmod cop nummod obj nmod punct obl iobj acl conj xcomp ccomp advcl
    appos csubj
"""
TYPE_LISTS = {"2020": tuple(_2020.split())}


@dataclass(frozen=True, slots=True)
class TypeScore:
    """The measures of a relation type in a language; None if gold or the system has no arc of it."""

    relation: str
    n_gold: int
    n_system: int
    f_score: float | None  # labelled F1
    length: float | None  # mean length in gold
    lisca_gold: float | None  # ln of the mean score, or mean of ln
    lisca_parsed: float | None


@dataclass(frozen=True, repr=False)
class Types(Tabular):
    """The types of one language."""

    language: str
    scores: tuple[TypeScore, ...]
    signature: str

    @cached_property
    def ranks(self) -> dict[str, list[int | None]]:
        """The rank of each type in each measure, from 1; equal values share the better rank, None has no rank."""
        return {
            name: shared_ranks([getattr(score, name) for score in self.scores], high_first=high_first)
            for name, high_first in MEASURES.items()
        }

    def restricted(self, relations: Sequence[str]) -> Types:
        """The same with these types only; a type that the language does not have has no values."""
        known = {score.relation: score for score in self.scores}
        empty = {name: TypeScore(name, 0, 0, None, None, None, None) for name in relations}
        return Types(self.language, tuple((empty | known)[name] for name in empty), self.signature)

    def table(self) -> Table:
        """Measures and ranks, by descending F-score (2020, Figure 3)."""
        columns = (
            *column_kinds(
                "relation text, n_gold count, n_system count, f_score percent, length p, lisca_gold p, lisca_parsed p"
            ),
            *((f"rank_{measure}", "count") for measure in MEASURES),
        )
        rows = []
        for k in self.order:
            score = self.scores[k]
            values = (score.length, score.lisca_gold, score.lisca_parsed)
            ranks = (self.ranks[measure][k] for measure in MEASURES)
            rows.append((score.relation, score.n_gold, score.n_system, score.f_score, *values, *ranks))
        return Table(f"{self.language}: relation types by difficulty", columns, tuple(rows), self.signature, "types")

    @property
    def order(self) -> list[int]:
        """The places of the types by their rank in F-score; types without a rank come last, equal ones by name."""
        ranks = self.ranks["f_score"]
        return sorted(range(len(ranks)), key=lambda k: (ranks[k] or math.inf, self.scores[k].relation))


def mean_score(log_scores: np.ndarray, mean_log: bool = False) -> float | None:
    """ln( (1/n) Σ exp(log_score) ), the logarithm of the mean of the products (2020 §4.1); None if there are no scores.

    mean_log: (1/n) Σ log_score instead. Both are on one scale, and the logarithm does not change ranks. −inf if all
    products are 0 (mean_log: if one product is 0).
    """
    if len(log_scores) == 0:
        return None
    if mean_log:
        return float(log_scores.mean())
    most = log_scores.max()
    if np.isneginf(most):
        return -math.inf
    return float(most + np.log(np.exp(log_scores - most).mean()))


def difficulty_types(
    gold: CorpusSource,
    system: CorpusSource,
    by: Scorer | Model | str | os.PathLike[str],
    *,
    mean_log: bool = False,
    name: str = "",
) -> Types:
    """The four measures of every relation type, without subtypes, that gold or the system has; root is left out.

    F-score: labelled F1 of its arcs. LISCA (or another scorer): see `mean_score`, over the arcs of gold and over those
    of the system. Length: mean |position(h) − position(d)| in gold. The words of the two may differ, as in `evaluate`.
    """
    gold, system, scorer = as_corpus(gold), as_corpus(system), as_scorer(by)
    f_scores = breakdown(evaluate(gold, system, enhanced=False), "relation").scores()
    gold_rows, system_rows = rows_by_relation(gold), rows_by_relation(system)
    gold_scores, system_scores = score(gold, scorer).scores, score(system, scorer).scores
    none = np.empty(0, dtype=np.int64)
    scores = []
    for relation in sorted({*gold_rows, *system_rows} - {ROOT}):
        in_gold, in_system = gold_rows.get(relation, none), system_rows.get(relation, none)
        inner = in_gold[gold.head[in_gold] > 0]  # an arc from the artificial root has no length, whatever its label
        f_score = f_scores.get((relation,))
        scores.append(
            TypeScore(
                relation,
                len(in_gold),
                len(in_system),
                f_score.f1 if f_score else None,
                float(gold.arc_length[inner].mean()) if len(inner) else None,
                mean_score(gold_scores[in_gold], mean_log),
                mean_score(system_scores[in_system], mean_log),
            )
        )
    kind = "log" if mean_log else "product"
    return Types(name or gold.path, tuple(scores), f"types|mean:{kind}|{scorer.signature}")


def shared_types(languages: Iterable[Types]) -> list[str]:
    """The types that gold has in every language, by name."""
    sets = [{score.relation for score in types.scores if score.n_gold} for types in languages]
    return sorted(set.intersection(*sets)) if sets else []


def compared_types(languages: Sequence[Types], asked: Sequence[str] | None = None) -> list[Types]:
    """The types of several languages, restricted to those asked for, or else to those that every gold has."""
    relations = shared_types(languages) if asked is None else asked
    if not relations:
        raise OptionError("no type is in every gold file")
    return [types.restricted(relations) for types in languages]


def named_types(text: str) -> tuple[str, ...]:
    """The types in a list with commas, or of the list in TYPE_LISTS that has this name."""
    if text in TYPE_LISTS:
        return TYPE_LISTS[text]
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise OptionError(f"types {text!r}; expected relations with commas, or one of {', '.join(TYPE_LISTS)}")
    return names


@dataclass(frozen=True)
class Correlations:
    """Spearman's ρ of each two measures over the types that have both, and its p-value."""

    language: str
    rho: Mapping[tuple[str, str], float | None]
    p: Mapping[tuple[str, str], float | None]
    signature: str

    def tables(self) -> list[Table]:
        """The tables of ρ and of p-values, as lower triangles."""
        return [
            self._matrix("spearman", "Spearman's ρ of the rankings of types", self.rho),
            self._matrix("p_values", "p-values (two-sided)", self.p),
        ]

    def _matrix(self, name: str, title: str, values: Mapping[tuple[str, str], float | None]) -> Table:
        columns = (("measure", "text"), *((measure, "p") for measure in MEASURES))
        rows = tuple((a, *(values.get((a, b)) for b in MEASURES)) for a in MEASURES)
        return Table(f"{self.language}: {title}", columns, rows, self.signature, name)


def correlations(types: Types) -> Correlations:
    """Spearman's ρ between rankings: 1 where they are the same; ties have average ranks.

    None where fewer than three types have both values, or one of the two is constant.
    """
    rho: dict[tuple[str, str], float | None] = {}
    p: dict[tuple[str, str], float | None] = {}
    for k, a in enumerate(MEASURES):
        for b in list(MEASURES)[: k + 1]:
            ranks = zip(types.ranks[a], types.ranks[b], strict=True)
            both = [(x, y) for x, y in ranks if x is not None and y is not None]
            first, second = [x for x, _ in both], [y for _, y in both]
            if len(both) < 3 or len(set(first)) == 1 or len(set(second)) == 1:
                rho[a, b] = p[a, b] = None
                continue
            # ρ depends only on the order of the values, and shared ranks have the same order
            rho[a, b], p[a, b] = (1.0, 0.0) if a == b else spearman(first, second)
    return Correlations(types.language, rho, p, f"{signature('spearman')}|{types.signature}")
