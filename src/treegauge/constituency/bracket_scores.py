"""PARSEVAL: how many labelled brackets of a tree are right."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.constituency.cleaning import TOP
from treegauge.corpus.files import read_text, text_lines
from treegauge.errors import OptionError

Z99 = 2.576  # standard normal quantile of a 99 % interval
Bracket = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class ParsevalOptions:
    """The content of EVALB's parameter file: which brackets and words count, and which labels are equal."""

    name: str = "plain"
    delete_labels: frozenset[str] = frozenset({TOP})
    delete_tags: frozenset[str] = frozenset()
    equal_labels: tuple[tuple[str, str], ...] = ()  # the second label is read as the first
    labelled: bool = True
    cutoff: int | None = None  # in words; the second part of EVALB's figures leaves out longer sentences


_PUNCTUATION = frozenset({",", ":", "``", "''", "."})
PARSEVAL_OPTIONS = {
    "plain": ParsevalOptions(),
    # EVALB's COLLINS.prm
    "collins": ParsevalOptions("collins", frozenset({TOP}), _PUNCTUATION | {"-NONE-"}, (("ADVP", "PRT"),)),
}


@dataclass(frozen=True, slots=True)
class Parseval:
    """Labelled precision, recall, their F1 and the exact match rate, as fractions; nan if there are no trees."""

    lp: float = math.nan
    lr: float = math.nan
    f1: float = math.nan
    emr: float = math.nan
    emr_ci: float = math.nan
    emr_low: float = math.nan  # Wilson's interval of EMR
    emr_high: float = math.nan
    product: float = math.nan  # the EMR to expect if brackets were wrong independently of each other


def bracket_counts(
    gold: Iterable[Bracket],
    guess: Iterable[Bracket],
    tags: Sequence[str],
    options: ParsevalOptions = PARSEVAL_OPTIONS["plain"],
) -> tuple[int, int, int]:
    """Brackets in both trees, in the gold tree and in the other, as multisets (label, from, to).

    Tags are not brackets. A deleted tag has no width, and a bracket that has only deleted tags does not count.
    """
    have, want = counted_brackets(guess, tags, options), counted_brackets(gold, tags, options)
    return (have & want).total(), want.total(), have.total()


def counted_brackets(brackets: Iterable[Bracket], tags: Sequence[str], options: ParsevalOptions) -> Counter[Bracket]:
    """The brackets that count and how often each occurs; their places do not count deleted tags."""
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

    EMR is the share of trees with LP and LR both 1; a tree without brackets matches itself. emr_ci, half of its 99 %
    interval, takes each tree as a score of 0 or 1 (§5.5); with few trees that is no interval of a share, so there is
    Wilson's, too. If brackets were right or wrong independently of each other,
    each with probability q = F1, it would be (§5)

        Σ_n Pr(|t| = n) · q^n,   |t| the brackets of the gold tree

    An EMR above that means that errors come in clusters.
    """
    if not len(counts):
        return Parseval()
    both, gold, guess = counts.sum(axis=0).tolist()
    exact = exact_matches(counts)
    f1 = fraction(2 * both, gold + guess)
    product = float((f1 ** counts[:, 1]).mean())
    emr, emr_ci = float(exact.mean()), interval99(exact.astype(float))
    interval = wilson99(int(exact.sum()), len(exact))
    return Parseval(fraction(both, guess), fraction(both, gold), f1, emr, emr_ci, *interval, product)


def exact_matches(counts: np.ndarray) -> np.ndarray:
    """Which trees have all their brackets right."""
    same: np.ndarray = (counts[:, 0] == counts[:, 1]) & (counts[:, 0] == counts[:, 2])
    return same


def fraction(part: float, whole: float) -> float:
    """The quotient; nan if the whole is 0."""
    return part / whole if whole else math.nan


def interval99(values: np.ndarray) -> float:
    """Half the width of the 99 % interval of the mean: 2.576·s/√n, s over n − 1; nan for fewer than two values."""
    return Z99 * float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def wilson99(successes: int, n: int) -> tuple[float, float]:
    """Wilson's 99 % interval of a share p = successes / n, which stays within 0 … 1 (Wilson 1927).

    (p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n),   z = 2.576
    """
    if not n:
        return math.nan, math.nan
    share, z2 = successes / n, Z99 * Z99
    middle, spread = share + z2 / (2 * n), Z99 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low, high = ((middle + side * spread) / (1 + z2 / n) for side in (-1, 1))
    return 0.0 if successes == 0 else low, 1.0 if successes == n else high


_IGNORED = {"DEBUG", "MAX_ERROR", "DELETE_LABEL_FOR_LENGTH", "QUIET"}  # they change no score


def evalb_options(name: str) -> ParsevalOptions:
    """Options by name (plain, collins), or those of a parameter file of EVALB (Sekine and Collins 1997).

    DELETE_LABEL names a label or a tag; EQ_LABEL two labels that are equal; LABELED 0 ignores labels; CUTOFF_LEN is
    the longest sentence of the second part of the scores. EQ_WORD and DELETE_WORD are not known.
    """
    if name in PARSEVAL_OPTIONS:
        return PARSEVAL_OPTIONS[name]
    if not os.path.isfile(name):
        known = ", ".join(PARSEVAL_OPTIONS)
        raise OptionError(f"parseval {name!r}; expected {known} or a parameter file of EVALB")
    deleted: set[str] = set()
    equal: list[tuple[str, str]] = []
    labelled, cutoff = True, None
    for number, line in enumerate(text_lines(read_text(name)), 1):
        words = line.split()
        if not words or words[0].startswith("#") or words[0] in _IGNORED:
            continue
        match words:
            case ["DELETE_LABEL", label]:
                deleted.add(label)
            case ["EQ_LABEL", label, other]:
                equal.append((label, other))
            case ["LABELED", ("0" | "1") as value]:
                labelled = value == "1"
            case ["CUTOFF_LEN", length] if length.isdigit():
                cutoff = int(length)
            case _:
                known = "DELETE_LABEL, EQ_LABEL, LABELED or CUTOFF_LEN with its values"
                raise OptionError(f"{name}:{number}: {line.strip()!r}; expected {known}")
    labels = frozenset(deleted)
    return ParsevalOptions(os.path.basename(name), labels, labels, tuple(equal), labelled, cutoff)
