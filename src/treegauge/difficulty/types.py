"""The difficulty of relation types: four measures of each type, their ranks, and how the ranks agree (2020 §4)."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

import numpy as np

from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.relations import GROUPS
from treegauge.difficulty.properties import rows_by_relation
from treegauge.difficulty.type_sums import N_GOLD, N_SYSTEM, TypeSums, TypeSumsBuilder
from treegauge.errors import OptionError
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
    sums: TypeSums | None = None  # None if only the measures are known

    @cached_property
    def ranks(self) -> dict[str, list[int | None]]:
        """The rank of each type in each measure, from 1; equal values share the better rank, None has no rank."""
        return {
            name: shared_ranks([getattr(score, name) for score in self.scores], high_first=high_first)
            for name, high_first in MEASURES.items()
        }

    @property
    def measures(self) -> list[str]:
        """The measures that some type has: without gold or without a system's output, some are missing."""
        return [name for name in MEASURES if any(getattr(score, name) is not None for score in self.scores)]

    def restricted(self, relations: Sequence[str]) -> Types:
        """The same with these types only; a type that the language does not have has no values."""
        places = {score.relation: k for k, score in enumerate(self.scores)}
        names = list(dict.fromkeys(relations))
        empty = {name: TypeScore(name, 0, 0, None, None, None, None) for name in names}
        scores = tuple(self.scores[places[name]] if name in places else empty[name] for name in names)
        sums = self.sums and self.sums.chosen([places.get(name) for name in names])
        return Types(self.language, scores, self.signature, sums)

    def frequent(self, least: int) -> Types:
        """The same with the types that have so many arcs in gold, and in the system's output, where there are such."""
        sides = [side for side in ("n_gold", "n_system") if any(getattr(score, side) for score in self.scores)]
        kept = [s.relation for s in self.scores if all(getattr(s, side) >= least for side in sides)]
        return self.restricted(kept)

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
        """The places of the types by their rank in the first measure; types without a rank come last, equal by name.

        The first measure is F-score; without gold or a system's output, plausibility.
        """
        first = next((name for name in ("f_score", "lisca_gold", "lisca_parsed") if name in self.measures), "f_score")
        ranks = self.ranks[first]
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
    gold: CorpusSource | None,
    system: CorpusSource | None,
    by: Scorer | Model | str | os.PathLike[str],
    *,
    mean_log: bool = False,
    name: str = "",
) -> Types:
    """The four measures of every relation type, without subtypes, that gold or the system has; root is left out.

    F-score: labelled F1 of its arcs. LISCA (or another scorer): see `mean_score`, over the arcs of gold and over those
    of the system. Length: mean |position(h) − position(d)| in gold, or in the system's output if gold is None. Words
    of the two may differ, as in `evaluate`. Gold or the system may be None; measures that need it are then missing.
    """
    if gold is None and system is None:
        raise OptionError("no gold and no system; expected one of them, or both")
    gold, system = (None if side is None else as_corpus(side) for side in (gold, system))
    scorer = as_scorer(by)
    rows = [{} if side is None else rows_by_relation(side) for side in (gold, system)]
    relations = sorted({*rows[0], *rows[1]} - {ROOT})
    evaluation = None if gold is None or system is None else evaluate(gold, system, enhanced=False)
    builder = TypeSumsBuilder(relations, gold, system, evaluation, mean_log)
    for is_gold, side, of_relation in ((True, gold, rows[0]), (False, system, rows[1])):
        if side is not None:
            builder.add(side, of_relation, score(side, scorer).scores, is_gold)
    sums = builder.sums()
    total = sums.values.sum(axis=0)
    measured = sums.measured(total)
    scores = []
    for k, relation in enumerate(relations):
        values = [None if np.isnan(measured[name][k]) else float(measured[name][k]) for name in MEASURES]
        scores.append(TypeScore(relation, int(total[k, N_GOLD]), int(total[k, N_SYSTEM]), *values))
    kind = "log" if mean_log else "product"
    shown = gold or system
    assert shown is not None
    return Types(name or shown.path, tuple(scores), f"types|mean:{kind}|{scorer.signature}", sums)


def shared_types(languages: Iterable[Types]) -> list[str]:
    """The types that gold has in every language, by name."""
    sets = [{score.relation for score in types.scores if score.n_gold or not _has_gold(types)} for types in languages]
    return sorted(set.intersection(*sets)) if sets else []


def _has_gold(types: Types) -> bool:
    """Whether a language has gold."""
    return any(score.n_gold for score in types.scores)


def compared_types(languages: Sequence[Types], asked: Sequence[str] | None = None) -> list[Types]:
    """The types of several languages, restricted to those asked for, or else to those that every gold has."""
    relations = shared_types(languages) if asked is None else asked
    if not relations:
        raise OptionError("no type is in every gold file")
    return [types.restricted(relations) for types in languages]


def named_types(text: str) -> tuple[str, ...]:
    """The types in a list with commas; a name of TYPE_LISTS stands for the types of that list."""
    parts = [name.strip() for name in text.split(",") if name.strip()]
    names = tuple(dict.fromkeys(name for part in parts for name in TYPE_LISTS.get(part, (part,))))
    if not names:
        raise OptionError(f"types {text!r}; expected relations with commas, or one of {', '.join(TYPE_LISTS)}")
    return names


def check_types(names: Sequence[str], languages: Sequence[Types]) -> list[str]:
    """The names of UD's relations that no language has; OptionError for a name that is neither there nor in UD."""
    known = {score.relation for types in languages for score in types.scores}
    of_ud = {relation for group in GROUPS.values() for relation in group}
    for name in names:
        if name not in known | of_ud:
            near = get_close_matches(name, known | of_ud, 1)
            rather = f"; did you mean {near[0]}?" if near else ""
            raise OptionError(f"type {name!r} is no relation of UD, and no language has it{rather}")
    return [name for name in names if name not in known]


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
