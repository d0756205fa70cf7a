"""Relations: their universal part and subtype, their codes, and groups of relations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.files import read_text
from treegauge.errors import OptionError


@dataclass(frozen=True, slots=True)
class Relations:
    """The relation of each word, as a code into names."""

    codes: np.ndarray  # int32
    names: tuple[str, ...]


def universal(relation: str) -> str:
    """A relation without its subtype."""
    return relation.partition(":")[0]


def relation_codes(labels: Sequence[str], subtypes: bool, codes: dict[str, int]) -> np.ndarray:
    """For each DEPREL label the code of its relation; new relations are added to `codes`."""
    names = labels if subtypes else map(universal, labels)
    return np.array([codes.setdefault(name, len(codes)) for name in names], dtype=np.int32)


_NON_CORE = """
    acl advcl advmod amod appos conj dep discourse dislocated expl list nmod nummod obl orphan parataxis reparandum root
    vocative
"""
# the groups of Nivre and Fang (2017), Table 1
GROUPS: dict[str, tuple[str, ...]] = {
    "CORE": ("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp"),
    "NON-CORE": tuple(_NON_CORE.split()),
    "FUN": ("det", "clf", "case", "aux", "cop", "mark", "cc"),
    "MWE": ("compound", "fixed", "flat", "goeswith"),
    "PUNCT": ("punct",),
}
FUNCTIONAL = frozenset(GROUPS["FUN"])
CONTENT = frozenset(GROUPS["CORE"] + GROUPS["NON-CORE"] + GROUPS["MWE"])
OTHER = "OTHER"  # relations in no group


def read_groups(path: str | os.PathLike[str]) -> dict[str, tuple[str, ...]]:
    """Groups from lines `NAME: relation relation …`; `#` starts a comment. A relation is in one group only.

    A subtype (`aux:pass`) may be in another group than its relation (`aux`); this counts if relations have subtypes.
    """
    name = os.fspath(path)
    groups: dict[str, tuple[str, ...]] = {}
    group_by_relation: dict[str, str] = {}
    lines = read_text(name).split("\n")
    for n, line in enumerate(lines, 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        group, colon, rest = line.partition(":")
        group = group.strip()
        relations = tuple(rest.replace(",", " ").split())
        if not colon or not group or not relations:
            raise OptionError(f"{name}:{n}: {line!r}; expected NAME: relation relation …")
        if group in groups or group == OTHER:
            raise OptionError(f"{name}:{n}: group {group!r} again; expected each once, and none called {OTHER}")
        for relation in relations:
            if relation in group_by_relation:
                other = group_by_relation[relation]
                raise OptionError(f"{name}:{n}: {relation!r} is in {other} already; expected one group")
            group_by_relation[relation] = group
        groups[group] = relations
    if not groups:
        raise OptionError(f"{name}: no group; expected lines NAME: relation relation …")
    return groups


def group_of(relation: str, groups: dict[str, tuple[str, ...]]) -> str:
    """The group that lists a relation, or else its universal part; OTHER if there is none."""
    for wanted in (relation, universal(relation)):
        for group, relations in groups.items():
            if wanted in relations:
                return group
    return OTHER


def member_mask(names: Iterable[str], relations: Sequence[str], groups: dict[str, tuple[str, ...]]) -> np.ndarray:
    """For each relation, whether one of the names means it; the names are groups or relations.

    The name of a relation means its subtypes, too. If a group and a relation have the same name, it means the group.
    """
    wanted = list(names)
    known = set(relations) | {universal(r) for r in relations} | {r for g in GROUPS.values() for r in g}
    known |= {r for g in groups.values() for r in g}
    for name in wanted:
        if name not in groups and name not in known and name != OTHER:
            raise OptionError(f"{name!r}; expected a relation or one of the groups {', '.join(groups)}")
    return np.array(
        [group_of(r, groups) in wanted or r in wanted or universal(r) in wanted for r in relations],
        dtype=bool,
    )
