"""Which findings are wanted: by their codes, by relations, and by features of their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import CONTENT, FUNCTIONAL, universal
from treegauge.errors import OptionError
from treegauge.upkeep.codes import KINDS, chosen_codes

MARKED = ("reparandum", "goeswith", "Typo=Yes", "Foreign=Yes")  # its annotation is unlike that of other words


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """The findings that are wanted: their codes; the relations and features of their words, or those left out."""

    codes: frozenset[str] = frozenset(KINDS)
    relations: tuple[str, ...] = ()  # of these one; empty: of any
    features: tuple[str, ...] = ()
    no_relations: tuple[str, ...] = ()
    no_features: tuple[str, ...] = ()
    language: str | None = None  # ask the validator of UD by the rules of this language; None: do not ask it

    def has(self, corpus: Corpus, rows: np.ndarray, rather: np.ndarray) -> np.ndarray:
        """Whether findings are wanted by relation and feature; rather: the relation that each word would rather have.

        A relation counts if the word has it or would rather have it; `obl` stands for `obl:arg`, too.
        """
        wanted = np.ones(len(rows), dtype=bool)
        for names, inside in ((self.relations, True), (self.no_relations, False)):
            if names:
                own = _is_named(corpus.labels["deprel"], names)[corpus.codes["deprel"][rows]]
                wanted &= (own | _is_named(rather.tolist(), names)) == inside
        for features, inside in ((self.features, True), (self.no_features, False)):
            if features and "feats" in corpus.labels:
                has = [not set(features).isdisjoint(label.split("|")) for label in corpus.labels["feats"]]
                wanted &= np.array(has, dtype=bool)[corpus.codes["feats"][rows]] == inside
        return wanted


def _is_named(labels: Iterable[str], names: Sequence[str]) -> np.ndarray:
    return np.array([label in names or universal(label) in names for label in labels], dtype=bool)


def finding_filter(
    corpus: Corpus,
    columns: Sequence[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    *,
    marked: bool = False,
    language: str | None = None,
) -> FindingFilter:
    """The filter by names of columns, and by codes (`TG3`), relations (`obl`) and features (`Typo=Yes`).

    Of each kind of name in `select`, a finding must have one; it must have none of `ignore`. Unless `marked`, material
    that is MARKED is left out, but for what `select` names. language: see `FindingFilter`.
    """
    (codes, relations, features), (no_codes, no_relations, no_features) = (
        _by_kind(corpus, names or ()) for names in (select, ignore)
    )
    if not marked:
        _, left_out, no_values = _by_kind(corpus, MARKED)
        no_relations += tuple(name for name in left_out if name not in relations)
        no_features += tuple(name for name in no_values if name not in features)
    chosen = chosen_codes(columns, codes or None, no_codes)
    return FindingFilter(chosen, relations, features, no_relations, no_features, language)


def _by_kind(corpus: Corpus, names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Names of findings apart: codes, relations, features."""
    codes, relations, features = list[str](), list[str](), list[str]()
    known = {*CONTENT, *FUNCTIONAL, "punct", *corpus.labels["deprel"], *map(universal, corpus.labels["deprel"])}
    for name in names:
        if "=" in name:
            features.append(name)
        elif name in known:
            relations.append(name)
        elif any(code.startswith(name) for code in KINDS):
            codes.append(name)
        else:
            expected = f"a code ({', '.join(KINDS)}) or how some of them begin, a relation, or a feature (Typo=Yes)"
            raise OptionError(f"{name!r}; expected {expected}")
    return tuple(codes), tuple(relations), tuple(features)
