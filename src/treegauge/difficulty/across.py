"""Relation types across languages: which are hard everywhere, and which only in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treegauge.difficulty.types import Types, TypeScore
from treegauge.errors import OptionError
from treegauge.statistics import CLOSE, mean_ranks
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.version import signature

if TYPE_CHECKING:
    from treegauge.difficulty.bits import DependencyBits

HARD = 1 / 3  # the share of the types of a language, by F-score, that are called hard
EVERYWHERE, NOWHERE = "everywhere", "nowhere"
LEAST = 10  # arcs that a type must have in gold to be called hard in a language


@dataclass(frozen=True, repr=False)
class TypesAcross(Tabular):
    """The types of several languages in one table."""

    languages: tuple[Types, ...]
    bits: Mapping[str, Mapping[str, float]]  # language -> relation -> bits per arc; empty if nobody asked for them

    @property
    def names(self) -> list[str]:
        """The names of the languages."""
        return [types.language for types in self.languages]

    @cached_property
    def scores(self) -> list[dict[str, TypeScore]]:
        """The types of each language, by name."""
        return [{score.relation: score for score in types.scores} for types in self.languages]

    @cached_property
    def places(self) -> list[dict[str, float]]:
        """The place of each type by F-score in each language: 0 is the easiest, 1 the hardest; rare types have none."""
        places = []
        for types in self.languages:
            known = {s.relation: -s.f_score for s in types.scores if s.f_score is not None and s.n_gold >= LEAST}
            ranks = mean_ranks(np.array(list(known.values())))
            places.append(dict(zip(known, (ranks / max(len(known) - 1, 1)).tolist(), strict=True)))
        return places

    @cached_property
    def relations(self) -> list[str]:
        """All types, the hardest first by their mean place; types without a place come last."""
        every = {score.relation for types in self.languages for score in types.scores if score.n_gold}
        return sorted(every, key=lambda name: (-self.mean_place(name), name))

    def mean_place(self, relation: str) -> float:
        """The mean place of a type over the languages where it has one; −1 if there are none."""
        known = [places[relation] for places in self.places if relation in places]
        return float(np.mean(known)) if known else -1.0

    def hard_in(self, relation: str) -> list[str]:
        """The languages in which a type is among the hardest third."""
        named = zip(self.names, self.places, strict=True)
        return [name for name, places in named if places.get(relation, 0.0) > 1 - HARD - CLOSE]

    def hard(self, relation: str) -> str:
        """Where a type is hard: `everywhere`, in some languages by name, or `nowhere`; empty if it is rare everywhere.

        A type that has a place in a single language only is called hard there, not everywhere.
        """
        n_languages = sum(relation in places for places in self.places)
        where = self.hard_in(relation)
        if not where:
            return NOWHERE if n_languages else ""
        if len(where) == n_languages > 1:
            return EVERYWHERE
        return f"only {where[0]}" if len(where) == 1 else ", ".join(where)

    def table(self) -> Table:
        """A row for each type: where it is hard, its mean place, and the measures of each language."""
        rows = []
        for relation in self.relations:
            mean = self.mean_place(relation)
            row: list[object] = [relation, self.hard(relation), mean if mean >= 0 else None]
            for k, types in enumerate(self.languages):
                score = self.scores[k].get(relation)
                rank = types.ranks["f_score"][types.scores.index(score)] if score else None
                values = (score.f_score, score.lisca_gold, score.n_gold) if score else (None, None, None)
                row += [rank, *values, self.bits.get(types.language, {}).get(relation)]
            rows.append(tuple(row))
        measures = column_kinds("rank count, f_score percent, plausibility number, arcs count, bits number")
        each = [(f"{name} {measure}", kind) for name in self.names for measure, kind in measures]
        shown = {"f_score", *(["bits"] if self.bits else [])}
        details = frozenset(f"{name} {m}" for name in self.names for m, _ in measures if m not in shown)
        headers = {f"{name} f_score": f"F {name}" for name in self.names} | {"mean_place": "mean place"}
        headers |= {f"{name} bits": f"bits {name}" for name in self.names}
        columns = (*column_kinds("relation text, hard text, mean_place p"), *each)
        title = "Relation types across languages, the hardest first (place: 0 easiest, 1 hardest by F-score)"
        return Table(title, columns, tuple(rows), self.signature, "across", details, headers)

    @property
    def signature(self) -> str:
        """Settings and version."""
        models = " ; ".join(dict.fromkeys(types.signature for types in self.languages))
        own = signature("across", f"hard:{HARD:.2f}", f"least:{LEAST}", f"bits:{'yes' if self.bits else 'no'}")
        return f"{own} ; {models}"


def types_across(languages: Sequence[Types], bits: Sequence[DependencyBits] = ()) -> TypesAcross:
    """The types of several languages side by side. bits: the bits of each gold, under the language's name."""
    names = [types.language for types in languages]
    if len(set(names)) < len(names) or len(names) < 2:
        raise OptionError(f"languages {', '.join(names)}; expected two or more different ones")
    return TypesAcross(tuple(languages), {treebank.name: relation_bits(treebank) for treebank in bits})


def relation_bits(treebank: DependencyBits) -> dict[str, float]:
    """Bits per arc of each relation of a treebank."""
    from treegauge.difficulty.bits_breakdowns import relation_groups

    code, names = relation_groups(treebank)
    arcs = np.bincount(code, minlength=len(names))
    total = np.bincount(code, weights=treebank.bits, minlength=len(names))
    return {name: float(total[k] / arcs[k]) for k, name in enumerate(names) if arcs[k]}
