"""Give the nodes of matches other values: `O.deprel=iobj` makes a correction of each word that is found as O."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from treegauge.errors import OptionError
from treegauge.upkeep.corrections import OTHERS, Correction
from treegauge.upkeep.search.find import Matches
from treegauge.upkeep.search.request import Request

_PLAIN = ("head", "deprel", "upos", *OTHERS)
_FORM = re.compile(r"([^\W\d]\w*'?\$?)\.([^\W\d]\w*(?:\[\w+\])?)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A new value of a column, or of a feature of FEATS (empty: the feature goes), for a node of a request."""

    node: str
    name: str
    value: str  # the head is the name of another node, or 0 for the root

    @property
    def is_feature(self) -> bool:
        """Whether it is about one feature of FEATS."""
        return self.name not in _PLAIN


def parse_assignment(text: str, request: Request) -> Assignment:
    """The assignment in a text such as O.deprel=iobj, O.head=V, O.head=0 or O.Number=Plur."""
    found = _FORM.fullmatch(text)
    if not found:
        raise OptionError(f"--set {text!r}; expected NODE.COLUMN=VALUE, such as O.deprel=iobj, O.head=V, O.Number=Plur")
    assignment = Assignment(*found.groups())
    known = request.nodes
    if assignment.node not in known:
        raise OptionError(f"--set {text!r}: node {assignment.node!r}; expected one of {', '.join(known)}")
    if assignment.name == "head" and assignment.value not in (*known, "0"):
        raise OptionError(f"--set {text!r}: head {assignment.value!r}; expected 0 or one of {', '.join(known)}")
    if assignment.name == "form":
        raise OptionError(f"--set {text!r}: forms stay; expected one of {', '.join(_PLAIN)}, or a feature")
    return assignment


@dataclass(frozen=True, slots=True)
class Clash:
    """A word that two matches would give different values; it has the first one."""

    correction: Correction
    text: str


def corrections_of(
    found: Matches, assignments: Sequence[Assignment]
) -> tuple[list[tuple[int, Correction]], list[Clash]]:
    """The row and the correction of each word that changes, in text order; and what could not be done."""
    made: dict[int, Correction] = {}
    clashes = []
    for nodes in found.nodes.tolist():
        of_match = dict(zip(found.names, nodes, strict=True))
        for assignment in assignments:
            row = of_match[assignment.node]
            if row < 0:
                continue
            before = made.get(row)
            after = _with(found, row, before, assignment, of_match)
            if before is not None and after != before and _overwrites(before, after):
                clashes.append(Clash(before, f"another match would make {assignment.name} {assignment.value!r}"))
            elif after is not None:
                made[row] = after
    return sorted(made.items()), clashes


def _overwrites(before: Correction, after: Correction | None) -> bool:
    """Whether a value that was given already would become another one."""
    if after is None:
        return True
    names = ("new_head", "new_deprel", "new_upos")
    given = [(getattr(before, name), getattr(after, name)) for name in names]
    others = [(new, after.others.get(name, ("", new))[1]) for name, (_, new) in before.others.items()]
    feats = "feats" in before.others  # features of one word may be set one after the other
    return any(old is not None and old != new for old, new in given) or any(
        old != new for (old, new), name in zip(others, before.others, strict=True) if not (name == "feats" and feats)
    )


def _with(
    found: Matches, row: int, before: Correction | None, assignment: Assignment, of_match: dict[str, int]
) -> Correction | None:
    """The correction of a word with one more value; None if nothing changes."""
    corpus = found.corpus
    s = int(corpus.sentence[row])
    old = int(corpus.head[row]), corpus.value("deprel", row), corpus.value("upos", row)
    name, value = assignment.name, assignment.value
    changes: dict[str, object] = {}
    others = dict(before.others) if before else {}
    if name == "head":
        above = -1 if value == "0" else of_match[value]
        head = 0 if above < 0 else int(corpus.position[above])
        changes["new_head"] = head if head != old[0] else None
    elif name in ("deprel", "upos"):
        changes[f"new_{name}"] = value if value != old[("deprel", "upos").index(name) + 1] else None
    else:
        column = "feats" if assignment.is_feature else name
        own = corpus.value(column, row)
        given = others[column][1] if column in others else own
        new = with_feature(given, name, value) if assignment.is_feature else value
        if new != own:
            others[column] = own, new
    wanted = {key: new for key, new in changes.items() if new is not None}
    if before is not None:
        return replace(before, **wanted, others=others)  # type: ignore[arg-type]
    if not wanted and not others:
        return None
    place = corpus.sent_id(s), int(corpus.number[s]), int(corpus.position[row]), corpus.value("form", row)
    return Correction(*place, *old, others=others, **wanted)  # type: ignore[arg-type]


def with_feature(feats: str, name: str, value: str) -> str:
    """FEATS with another value of a feature, in the order of UD; an empty value takes the feature away.

    >>> with_feature("Case=Nom|Number=Sing", "Gender", "Fem")
    'Case=Nom|Gender=Fem|Number=Sing'
    >>> with_feature("Number=Sing", "Number", "")
    '_'
    """
    features = dict(feature.partition("=")[::2] for feature in feats.split("|")) if feats != "_" else {}
    features.pop(name, None)
    if value:
        features[name] = value
    ordered = sorted(features.items(), key=lambda feature: feature[0].lower())
    return "|".join(f"{key}={new}" for key, new in ordered) or "_"
