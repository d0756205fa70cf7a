"""LISCA by its formulas, arc by arc, with nothing but dictionaries: slow, and easy to check against the papers."""

import math
from collections import Counter
from dataclasses import dataclass

from tests.models.test_features import by_definition

FEATURES = {
    "2020": (
        lambda t: t["depth"][1],
        lambda t: t["leaves"][0],
        lambda t: t["leaves"][1],
        lambda t: t["siblings"][0],
        lambda t: t["siblings"][1],
        lambda t: t["children"][0],
        lambda t: t["children"][1],
        lambda t: t["span"][1],
        lambda t: t["span"][0],
    ),
    "2013": (lambda t: t["paths"], lambda t: t["children"], lambda t: t["siblings"], lambda t: t["span"]),
}


@dataclass
class Arc:
    """An arc and all that its score looks at."""

    length: int
    values: list
    characteristics: list  # of N, P and D or L
    d: str
    h: str
    t: str
    hh: str
    th: str
    form: str
    form_h: str


def arcs_of(text: str, preset: str) -> list[Arc]:
    """The arcs of a CoNLL-U text without multiword tokens."""
    arcs = []
    for block in filter(None, text.split("\n\n")):
        rows = [line.split("\t") for line in block.split("\n") if line and line[0] != "#"]
        head = [int(row[6]) for row in rows]
        tag = ["ROOT!", *(row[3] for row in rows)]
        relation = ["NONE!", *(row[7].split(":")[0] for row in rows)]
        form = ["ROOT!", *(row[1] for row in rows)]
        for k, traits in enumerate(by_definition(head)):
            h = head[k]
            arcs.append(
                Arc(
                    len(rows),
                    [feature(traits) for feature in FEATURES[preset]],
                    [None, tag[k + 1], relation[k + 1] if preset == "2020" else rows[k][2]],
                    tag[k + 1],
                    tag[h],
                    relation[k + 1],
                    "NONE!" if h == 0 else tag[head[h - 1]],
                    relation[h],
                    form[k + 1],
                    form[h],
                )
            )
    return arcs


def factors(arc: Arc, reference: list[Arc], r: int = 2, widen: bool = False) -> list[tuple[int, int]]:
    """F and N of every factor of an arc's score."""
    while widen and not any(abs(a.length - arc.length) <= r for a in reference):
        r += 1
    near = [a for a in reference if abs(a.length - arc.length) <= r]
    result = []
    for f, value in enumerate(arc.values):
        for c, shared in enumerate(arc.characteristics):
            peers = [a for a in near if a.characteristics[c] == shared]
            result.append((sum(a.values[f] == value for a in peers), len(peers)))
    arc_count = Counter((a.d, a.h, a.t) for a in reference)
    arc_count["ROOT!", "NONE!", "NONE!"] = sum(a.h == "ROOT!" for a in reference)
    one = arc_count[arc.d, arc.h, arc.t]
    two = sum((a.d, a.h, a.t, a.hh, a.th) == (arc.d, arc.h, arc.t, arc.hh, arc.th) for a in reference)
    result += [
        (one, sum((a.d, a.t) == (arc.d, arc.t) for a in reference)),
        (one, sum((a.h, a.t) == (arc.h, arc.t) for a in reference)),
        (two, one),
        (two, arc_count[arc.h, arc.hh, arc.th]),
        (two, sum((a.d, a.t, a.hh, a.th) == (arc.d, arc.t, arc.hh, arc.th) for a in reference)),
    ]
    return result


def log_score(ratios: list[tuple[int, int]], alpha: float = 0.0, k: float = 0.0) -> float:
    """The logarithm of the product of the ratios."""
    if alpha == 0 and any(F == 0 for F, _ in ratios):
        return -math.inf
    return math.fsum(math.log((F + alpha) / (N + alpha * k)) for F, N in ratios)


def npmi(arc: tuple[str, str, str], reference: list[tuple[str, str, str]]) -> float:
    """NPMI of a triplet (fd, fh, t) by its formula."""
    n = len(reference)
    joint = sum(a == arc for a in reference) / n
    if joint == 0:
        return -1.0
    if joint == 1:
        return 1.0
    head = sum(a[1:] == arc[1:] for a in reference) / n
    dependent = sum(a[0] == arc[0] for a in reference) / n
    return math.log(joint / (head * dependent)) / -math.log(joint)
