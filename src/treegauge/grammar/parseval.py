"""PARSEVAL of any parser's brackets: precision, recall, exact matches, crossing brackets, tags, by label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treegauge import __version__
from treegauge.errors import CorpusError, OptionError
from treegauge.grammar.bracket_scores import PARSEVAL_OPTIONS, Bracket, ParsevalOptions, counted_brackets
from treegauge.grammar.brackets import EMPTY, BracketTreebank, Leaf, Tree, read_brackets
from treegauge.grammar.cleaning import ROOTS, label_without_functions
from treegauge.grammar.nltk_trees import as_tree
from treegauge.resampling import LEVEL, SAMPLES, SEED, Difference, Differences, paired_tests
from treegauge.tables import Table, Tabular, column_kinds

COUNTS = ("both", "gold", "system", "crossing", "words", "tags")  # of each tree
COMPARED = ("F1", "exact")


@dataclass(frozen=True, slots=True)
class BracketedSentence:
    """A tree as it is scored: words and tags of its leaves, and its brackets (label, from, to)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    brackets: tuple[Bracket, ...]


def bracketed(tree: Tree, style: str = "penn") -> BracketedSentence:
    """The leaves and brackets of a tree: functions are cut off labels, empty elements and an outermost root left out.

    Unlike the trees that a grammar is read off, a node over a node of the same label stays: both count.
    """
    words: list[str] = []
    tags: list[str] = []
    brackets: list[Bracket] = []

    def walk(node: Tree) -> None:
        place, begin = len(brackets), len(words)
        brackets.append((label_without_functions(node.label, style), begin, begin))
        for child in node.children:
            if not isinstance(child, Leaf):
                walk(child)
            elif child.tag != EMPTY:
                words.append(child.word)
                tags.append(label_without_functions(child.tag, style))
        if len(words) == begin:
            del brackets[place:]
        else:
            brackets[place] = (brackets[place][0], begin, len(words))

    walk(tree)
    if brackets and (brackets[0][0] in ROOTS or brackets[0][0] == "S1"):
        del brackets[0]
    return BracketedSentence(tuple(words), tuple(tags), tuple(brackets))


@dataclass(frozen=True, eq=False, repr=False)
class ParsevalScores(Tabular):
    """A system's brackets against gold's: counts of each tree, and of each label."""

    system: str
    counts: np.ndarray  # tree × COUNTS
    labels: dict[str, tuple[int, int, int]]  # label -> brackets in both, in gold, in the system
    skipped: tuple[str, ...]  # trees that could not be compared, and why
    options: ParsevalOptions
    signature: str

    @cached_property
    def exact(self) -> np.ndarray:
        """Which trees have all their brackets right."""
        same: np.ndarray = (self.counts[:, 0] == self.counts[:, 1]) & (self.counts[:, 0] == self.counts[:, 2])
        return same

    def figures(self, most_words: int | None = None) -> dict[str, float]:
        """The scores over all trees, or over those of so many words at most, as EVALB has them.

            LP = both / system,  LR = both / gold,  F1 = 2 · both / (gold + system)

        crossing: brackets of the system that cross one of gold, per tree; product: what EMR would be if brackets were
        wrong independently of each other, the mean of F1^n over trees of n gold brackets (2008, §5).
        """
        chosen = np.ones(len(self.counts), bool) if most_words is None else self.counts[:, 4] <= most_words
        counts, n = self.counts[chosen], int(chosen.sum())
        both, gold, system, crossing, words, tags = counts.sum(axis=0).tolist() if n else [0] * 6
        f1 = _share(2 * both, gold + system)
        return {
            "trees": n,
            "lp": _share(both, system),
            "lr": _share(both, gold),
            "f1": f1,
            "exact": _share(int(self.exact[chosen].sum()), n),
            "product": float((f1 ** counts[:, 1]).mean()) if n else float("nan"),
            "crossing": _share(crossing, n),
            "no_crossing": _share(int((counts[:, 3] == 0).sum()), n),
            "at_most_two_crossing": _share(int((counts[:, 3] <= 2).sum()), n),
            "tagging": _share(tags, words),
        }

    def table(self) -> Table:
        """One row: this system."""
        return parseval_table([self])

    def by_label(self) -> Table:
        """A row for each label, the commonest in gold first."""
        rows = [
            (label, gold, system, both, _share(both, system), _share(both, gold), _share(2 * both, gold + system))
            for label, (both, gold, system) in self.labels.items()
        ]
        columns = "label text, gold count, system count, both count, lp percent, lr percent, f1 percent"
        ordered = tuple(sorted(rows, key=lambda row: (-row[1], row[0])))
        heads = {"lp": "LP", "lr": "LR", "f1": "F1"}
        return Table(
            f"{self.system}: by label", column_kinds(columns), ordered, self.signature, "labels", headers=heads
        )

    def __repr__(self) -> str:
        found = self.figures()
        return f"ParsevalScores({self.system!r}, F1 {100 * found['f1']:.2f}, exact {100 * found['exact']:.2f})"


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def parseval_table(scores: Sequence[ParsevalScores]) -> Table:
    """A row for each system; and one more for short sentences where EVALB's parameters have a cutoff."""
    rows = []
    for one in scores:
        for most in (None,) if one.options.cutoff is None else (None, one.options.cutoff):
            name = one.system if most is None else f"{one.system}, at most {most} words"
            rows.append((name, *one.figures(most).values(), len(one.skipped)))
    columns = "system text, trees count, lp percent, lr percent, f1 percent, exact percent, product percent"
    more = ", crossing number, no_crossing percent, at_most_two_crossing percent, tagging percent, skipped count"
    headers = {"lp": "LP", "lr": "LR", "f1": "F1", "no_crossing": "none", "at_most_two_crossing": "≤ 2"}
    signature = ", ".join(sorted({one.signature for one in scores}))
    return Table("PARSEVAL", column_kinds(columns + more), tuple(rows), signature, "parseval", headers=headers)


def parseval(
    gold: Any,
    system: Any,
    options: ParsevalOptions = PARSEVAL_OPTIONS["plain"],
    *,
    style: str = "penn",
    on_error: str = "stop",
) -> ParsevalScores:
    """Score a system's trees against gold's, tree by tree in their order.

    Both are paths, what `read_brackets` gives, or trees, ours or NLTK's. A pair with different words cannot be scored:
    CorpusError, or with on_error="skip" it is left out and noted, as EVALB does.
    """
    sides = [_treebank(side, style) for side in (gold, system)]
    names = [getattr(side, "name", what) for side, what in zip((gold, system), ("gold", "system"), strict=True)]
    if len(sides[0]) != len(sides[1]):
        raise CorpusError(f"{names[0]}: {len(sides[0]):,} trees, {names[1]}: {len(sides[1]):,}; expected as many")
    rows, skipped = [], []
    labels: Counter[tuple[str, int]] = Counter()
    for number, (one, other) in enumerate(zip(*sides, strict=True), 1):
        want, have = bracketed(one, style), bracketed(other, style)
        if len(want.words) != len(have.words) or _differ(want, have):
            problem = f"{names[1]}: tree {number} has other words than {names[0]}'s; expected the same"
            if on_error == "stop":
                raise CorpusError(problem)
            skipped.append(problem)
            continue
        rows.append(_tree_counts(want, have, options, labels))
    if not rows:
        raise CorpusError(f"{names[0]}: no trees to score; expected at least one")
    found = {
        label: (labels[label, 0], labels[label, 1], labels[label, 2]) for label in sorted({name for name, _ in labels})
    }
    signature = f"parseval:{options.name}|functions:cut|v{__version__}"
    return ParsevalScores(names[1], np.array(rows, dtype=np.int64), found, tuple(skipped), options, signature)


def _treebank(source: Any, style: str) -> list[Tree]:
    if isinstance(source, BracketTreebank):
        return list(source.trees)
    if isinstance(source, str) or hasattr(source, "__fspath__"):
        return list(read_brackets(source, style=style).trees)
    return [as_tree(tree) for tree in source]


def _differ(one: BracketedSentence, other: BracketedSentence) -> bool:
    """Whether words differ, but for brackets, which parsers escape in their own ways."""
    return any(a != b and not _is_bracket(a, b) for a, b in zip(one.words, other.words, strict=True))


def _is_bracket(one: str, other: str) -> bool:
    signs = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
    return signs.get(one, one) == signs.get(other, other)


def _tree_counts(
    want: BracketedSentence, have: BracketedSentence, options: ParsevalOptions, labels: Counter[tuple[str, int]]
) -> tuple[int, ...]:
    """COUNTS of a tree; its labels are added to those of all. A word's tag decides by gold whether it is deleted."""
    gold, system = (counted_brackets(side.brackets, want.tags, options) for side in (want, have))
    both = gold & system
    for k, brackets in enumerate((both, gold, system)):
        for (label, _, _), times in brackets.items():
            labels[label, k] += times
    kept = [tag not in options.delete_tags for tag in want.tags]
    tags = sum(one == other for one, other, here in zip(want.tags, have.tags, kept, strict=True) if here)
    return both.total(), gold.total(), system.total(), crossing(gold, system), sum(kept), tags


def crossing(gold: Iterable[Bracket], system: Counter[Bracket]) -> int:
    """How many brackets of the system overlap one of gold without one holding the other."""
    spans = {(begin, end) for _, begin, end in gold}
    return sum(
        times
        for (_, begin, end), times in system.items()
        if any(a < begin < b < end or begin < a < end < b for a, b in spans)
    )


def compare_parseval(
    first: ParsevalScores, second: ParsevalScores, *, samples: int = SAMPLES, seed: int = SEED
) -> Differences:
    """How far two systems are apart on the same gold in F1 and in exact matches, and how sure that is."""
    if len(first.counts) != len(second.counts) or first.skipped or second.skipped:
        raise OptionError(f"{first.system} and {second.system}; expected two systems on the same trees, none skipped")
    a, b = (np.stack([_f1_halves(side), _exact_halves(side)], axis=1) for side in (first, second))
    found = [(side.figures()["f1"], side.figures()["exact"]) for side in (first, second)]
    each = [
        Difference(metric, one, other, one - other, *more)
        for metric, one, other, more in zip(COMPARED, *found, paired_tests(a, b, samples, seed), strict=True)
    ]
    title = f"{first.system} minus {second.system}: {LEVEL:.0%} interval, p-values"
    body, _, version = first.signature.rpartition("|")
    return Differences(tuple(each), title, f"{body}|samples:{samples}|seed:{seed}|{version}")


def _f1_halves(side: ParsevalScores) -> np.ndarray:
    counts = side.counts.astype(float)
    return np.stack([2 * counts[:, 0], counts[:, 1] + counts[:, 2]], axis=1)


def _exact_halves(side: ParsevalScores) -> np.ndarray:
    return np.stack([side.exact.astype(float), np.ones(len(side.exact))], axis=1)
