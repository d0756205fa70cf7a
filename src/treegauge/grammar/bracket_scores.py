"""PARSEVAL: how many labelled brackets of a tree are right."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.errors import OptionError
from treegauge.grammar.cleaning import TOP

Z99 = 2.576  # standard normal quantile of a 99 % interval
Bracket = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class ParsevalOptions:
    """What EVALB's parameter file says: which brackets count, which words are there, which labels are one."""

    name: str = "plain"
    delete_labels: frozenset[str] = frozenset({TOP})
    delete_tags: frozenset[str] = frozenset()
    equal_labels: tuple[tuple[str, str], ...] = ()  # the second is read as the first
    labelled: bool = True
    cutoff: int | None = None  # words; longer sentences are not in the figures of EVALB's second part


_PUNCTUATION = frozenset({",", ":", "``", "''", "."})
PARSEVAL_OPTIONS = {
    "plain": ParsevalOptions(),
    # EVALB's COLLINS.prm
    "collins": ParsevalOptions("collins", frozenset({TOP}), _PUNCTUATION | {"-NONE-"}, (("ADVP", "PRT"),)),
}


@dataclass(frozen=True, slots=True)
class Parseval:
    """Labelled precision, recall, their F1 and the exact match rate, as fractions; nan over no trees."""

    lp: float
    lr: float
    f1: float
    emr: float
    emr_ci: float
    product: float  # what EMR would be if brackets were wrong independently of each other
    trees: int


def parseval_options(name: str) -> ParsevalOptions:
    """Options by name."""
    if name not in PARSEVAL_OPTIONS:
        raise OptionError(f"parseval {name!r}; expected one of {', '.join(PARSEVAL_OPTIONS)}")
    return PARSEVAL_OPTIONS[name]


def bracket_counts(
    gold: Iterable[Bracket],
    guess: Iterable[Bracket],
    tags: Sequence[str],
    options: ParsevalOptions = PARSEVAL_OPTIONS["plain"],
) -> tuple[int, int, int]:
    """Brackets in both trees, in the gold tree and in the other, as multisets (label, from, to).

    Tags are not brackets. A deleted tag has no width, and a bracket over deleted tags alone is none.
    """
    have, want = counted_brackets(guess, tags, options), counted_brackets(gold, tags, options)
    return (have & want).total(), want.total(), have.total()


def counted_brackets(brackets: Iterable[Bracket], tags: Sequence[str], options: ParsevalOptions) -> Counter[Bracket]:
    """The brackets that count, as often as they stand there, their places without deleted tags."""
    if options.delete_tags:
        place = [0, *np.cumsum([tag not in options.delete_tags for tag in tags]).tolist()]
        brackets = [(label, place[begin], place[end]) for label, begin, end in brackets]
    same = {other: label for label, other in options.equal_labels}
    return Counter(
        (same.get(label, label) if options.labelled else "", begin, end)
        for label, begin, end in brackets
        if label not in options.delete_labels and begin < end
    )


def parseval_scores(counts: np.ndarray) -> Parseval:
    """The measures from one row of counts per tree: brackets in both, in gold, in the other.

        LP = Σ both / Σ other,  LR = Σ both / Σ gold,  F1 = 2·LP·LR / (LP + LR)

    EMR is the share of trees with LP and LR both 1; a tree without brackets matches itself. Its 99 %
    interval takes each tree as a score of 0 or 1 (§5.5). If brackets were right or wrong independently of each other,
    each with probability q = F1, it would be (§5)

        Σ_n Pr(|t| = n) · q^n,   |t| the brackets of the gold tree

    An EMR above that means that errors come in clusters.
    """
    if not len(counts):
        return Parseval(math.nan, math.nan, math.nan, math.nan, math.nan, math.nan, 0)
    both, gold, guess = counts.sum(axis=0).tolist()
    exact = (counts[:, 0] == counts[:, 1]) & (counts[:, 0] == counts[:, 2])
    lp = both / guess if guess else math.nan
    lr = both / gold if gold else math.nan
    f1 = 2 * both / (gold + guess) if gold + guess else math.nan
    product = float((f1 ** counts[:, 1]).mean())
    return Parseval(lp, lr, f1, float(exact.mean()), interval99(exact.astype(float)), product, len(counts))


def interval99(values: np.ndarray) -> float:
    """Half the width of the mean's 99 % interval: 2.576·s/√n, s with n − 1; nan for fewer than two values."""
    return Z99 * float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def bracket_parseval(
    gold: Sequence[Iterable[Bracket]],
    guess: Sequence[Iterable[Bracket]],
    tags: Sequence[Sequence[str]],
    options: ParsevalOptions = PARSEVAL_OPTIONS["plain"],
) -> Parseval:
    """PARSEVAL of trees given as brackets, over the same tags."""
    rows = [bracket_counts(*trees, options) for trees in zip(gold, guess, tags, strict=True)]
    return parseval_scores(np.array(rows, dtype=np.int64).reshape(-1, 3))
