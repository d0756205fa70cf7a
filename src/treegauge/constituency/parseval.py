"""PARSEVAL scores of any parser: precision, recall, exact matches, crossing brackets and tags, also by label."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.constituency.bracket_scores import (
    PARSEVAL_OPTIONS,
    Bracket,
    ParsevalOptions,
    counted_brackets,
    exact_matches,
    fraction,
    parseval_scores,
)
from treegauge.constituency.brackets import EMPTY, BracketTreebank, read_brackets
from treegauge.constituency.cleaning import ROOTS, label_without_functions
from treegauge.constituency.trees import Leaf, Tree, as_tree
from treegauge.errors import CorpusError, OptionError, check_type
from treegauge.statistics import LEVEL, SAMPLES, SEED, Difference, Differences, paired_tests
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.version import signature

COUNTS = ("both", "gold", "system", "crossing", "words", "tags")  # the counts of each tree


@dataclass(frozen=True, slots=True)
class BracketedSentence:
    """The words and tags of a tree's leaves, and its brackets (label, from, to)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    brackets: tuple[Bracket, ...]


def bracketed(tree: Tree, style: str = "penn") -> BracketedSentence:
    """The leaves and brackets of a tree, without functions of labels, empty elements and an outermost root.

    Unlike in the trees of a grammar, a node over a node of the same label stays: both count.
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
    """The brackets of a system compared with gold: counts for each tree, and for each label."""

    system: str
    counts: np.ndarray  # tree × COUNTS
    labels: dict[str, tuple[int, int, int]]  # label -> brackets in both, in gold, in the system
    skipped: tuple[str, ...]  # trees that could not be compared, and why
    options: ParsevalOptions
    signature: str
    wrong: tuple[tuple[Any, ...], ...] = ()  # tree, gold or system, label, first and last word, and the words

    def figures(self, most_words: int | None = None) -> dict[str, float]:
        """The scores over all trees, or over trees of so many words at most, as EVALB has them.

        LP, LR, F1, exact matches and product: see `parseval_scores`. crossing: brackets of the system that cross a
        bracket of gold, per tree.
        """
        counts = self.counts if most_words is None else self.counts[self.counts[:, 4] <= most_words]
        n, scores = len(counts), parseval_scores(counts[:, :3])
        crossing, words, tags = counts[:, 3:].sum(axis=0).tolist()
        return {
            "trees": n,
            "lp": scores.lp,
            "lr": scores.lr,
            "f1": scores.f1,
            "exact": scores.emr,
            "product": scores.product,
            "crossing": fraction(crossing, n),
            "no_crossing": fraction(int((counts[:, 3] == 0).sum()), n),
            "at_most_two_crossing": fraction(int((counts[:, 3] <= 2).sum()), n),
            "tagging": fraction(tags, words),
        }

    def table(self) -> Table:
        """One row: this system."""
        return parseval_table([self])

    def by_label(self) -> Table:
        """One row for each label, the most frequent in gold first."""
        rows = [
            (label, gold, system, both, fraction(both, system), fraction(both, gold), fraction(2 * both, gold + system))
            for label, (both, gold, system) in self.labels.items()
        ]
        rows.sort(key=lambda row: (-row[1], row[0]))
        columns = column_kinds("label text, gold count, system count, both count, lp percent, lr percent, f1 percent")
        title, heads = f"{self.system}: by label", {"lp": "LP", "lr": "LR", "f1": "F1"}
        return Table(title, columns, tuple(rows), self.signature, "labels", headers=heads)

    def differences(self) -> Table:
        """The brackets that only gold or only the system has, of the trees with errors that were kept."""
        columns = column_kinds("tree count, only_in text, label text, first count, last count, words text")
        n_wrong = int((~exact_matches(self.counts[:, :3])).sum())
        title = f"{self.system}: brackets on one side only, {len({row[0] for row in self.wrong})} of {n_wrong} trees"
        return Table(title, columns, self.wrong, self.signature, "differences", headers={"only_in": "only in"})

    def __repr__(self) -> str:
        scores = self.figures()
        return f"ParsevalScores({self.system!r}, F1 {100 * scores['f1']:.2f}, exact {100 * scores['exact']:.2f})"


def parseval_table(scores: Sequence[ParsevalScores]) -> Table:
    """A row for each system; and another one for short sentences if EVALB's parameters have a cutoff."""
    rows = []
    for system in scores:
        for most in (None,) if system.options.cutoff is None else (None, system.options.cutoff):
            name = system.system if most is None else f"{system.system}, at most {most} words"
            rows.append((name, *system.figures(most).values(), len(system.skipped)))
    columns = "system text, trees count, lp percent, lr percent, f1 percent, exact percent, product percent"
    more = ", crossing number, no_crossing percent, at_most_two_crossing percent, tagging percent, skipped count"
    headers = {"lp": "LP", "lr": "LR", "f1": "F1", "no_crossing": "none", "at_most_two_crossing": "≤ 2"}
    signature = ", ".join(sorted({system.signature for system in scores}))
    return Table("PARSEVAL", column_kinds(columns + more), tuple(rows), signature, "parseval", headers=headers)


def parseval(
    gold: Any,
    system: Any,
    options: ParsevalOptions = PARSEVAL_OPTIONS["plain"],
    *,
    style: str = "penn",
    on_error: str = "stop",
    show: int = 0,
) -> ParsevalScores:
    """The scores of a system's trees by gold, tree by tree in their order.

    Both are paths, treebanks of `read_brackets`, or trees, ours or NLTK's. A pair with different words cannot be
    scored: it raises CorpusError; with on_error="skip" it is left out and listed, as EVALB does. show: keep the
    brackets of so many trees with errors, for `differences`.
    """
    sides = [_treebank(side, style) for side in (gold, system)]
    names = [getattr(gold, "name", "gold"), getattr(system, "name", "system")]
    if len(sides[0]) != len(sides[1]):
        raise CorpusError(f"{names[0]}: {len(sides[0]):,} trees, {names[1]}: {len(sides[1]):,}; expected as many")
    rows, skipped, wrong = [], [], list[tuple[Any, ...]]()
    labels: Counter[tuple[str, int]] = Counter()
    for number, trees in enumerate(zip(*sides, strict=True), 1):
        want, have = (bracketed(tree, style) for tree in trees)
        if list(map(_unescaped, want.words)) != list(map(_unescaped, have.words)):
            problem = f"{names[1]}: tree {number} has other words than {names[0]}'s; expected the same"
            if on_error != "skip":
                raise CorpusError(problem)
            skipped.append(problem)
            continue
        rows.append(_tree_counts(want, have, options, labels))
        if show and (rows[-1][0] != rows[-1][1] or rows[-1][0] != rows[-1][2]):
            show -= 1
            wrong += _one_sided(number, want, have, options)
    if not rows:
        raise CorpusError(f"{names[0]}: no trees to score; expected at least one")
    by_label = {name: (labels[name, 0], labels[name, 1], labels[name, 2]) for name in sorted({n for n, _ in labels})}
    settings = signature(f"parseval:{options.name}", "functions:cut")
    return ParsevalScores(
        names[1], np.array(rows, dtype=np.int64), by_label, tuple(skipped), options, settings, tuple(wrong)
    )


def _one_sided(
    number: int, want: BracketedSentence, have: BracketedSentence, options: ParsevalOptions
) -> list[tuple[Any, ...]]:
    """The brackets that only one side has; places do not count deleted tags."""
    gold, system = (counted_brackets(side.brackets, want.tags, options) for side in (want, have))
    words = [word for word, tag in zip(want.words, want.tags, strict=True) if tag not in options.delete_tags]
    return [
        (number, name, label, begin + 1, end, " ".join(words[begin:end]))
        for name, brackets in (("gold", gold - system), ("system", system - gold))
        for label, begin, end in sorted(brackets.elements(), key=lambda bracket: bracket[1:])
    ]


def _treebank(source: Any, style: str) -> list[Tree]:
    if isinstance(source, str | os.PathLike):
        source = read_brackets(source, style=style)
    check_type("source", source, (Iterable, BracketTreebank), "a path, or trees")
    return list(source.trees) if isinstance(source, BracketTreebank) else [as_tree(tree) for tree in source]


def _unescaped(word: str) -> str:
    """A word with plain brackets; parsers escape brackets in different ways."""
    signs = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
    return signs.get(word, word)


def _tree_counts(
    want: BracketedSentence, have: BracketedSentence, options: ParsevalOptions, labels: Counter[tuple[str, int]]
) -> tuple[int, ...]:
    """COUNTS of a tree; its brackets are added to `labels`. Gold's tag of a word decides whether it is deleted."""
    gold, system = (counted_brackets(side.brackets, want.tags, options) for side in (want, have))
    both = gold & system
    for k, brackets in enumerate((both, gold, system)):
        for (label, _, _), times in brackets.items():
            labels[label, k] += times
    pairs = [pair for pair in zip(want.tags, have.tags, strict=True) if pair[0] not in options.delete_tags]
    tags = sum(tag == other for tag, other in pairs)
    return both.total(), gold.total(), system.total(), crossing(gold, system), len(pairs), tags


def crossing(gold: Iterable[Bracket], system: Counter[Bracket]) -> int:
    """How many brackets of the system overlap a bracket of gold so that neither contains the other."""
    spans = {(begin, end) for _, begin, end in gold}
    return sum(
        times
        for (_, begin, end), times in system.items()
        if any(a < begin < b < end or begin < a < end < b for a, b in spans)
    )


def compare_parseval(
    first: ParsevalScores, second: ParsevalScores, *, samples: int = SAMPLES, seed: int = SEED
) -> Differences:
    """The differences of two systems on the same gold in F1 and in exact matches, with intervals and p-values."""
    if len(first.counts) != len(second.counts) or first.skipped or second.skipped:
        raise OptionError(f"{first.system} and {second.system}; expected two systems on the same trees, none skipped")
    tests = paired_tests(_halves(first.counts), _halves(second.counts), samples, seed)
    figures = [(side.figures()["f1"], side.figures()["exact"]) for side in (first, second)]
    differences = tuple(
        Difference(metric, value, other, value - other, *test)
        for metric, value, other, test in zip(("F1", "exact"), *figures, tests, strict=True)
    )
    title = f"{first.system} minus {second.system}: {LEVEL:.0%} interval, p-values"
    body, _, version = first.signature.rpartition("|")
    return Differences(differences, title, f"{body}|samples:{samples}|seed:{seed}|{version}")


def _halves(counts: np.ndarray) -> np.ndarray:
    """Tree × (F1, exact) × (numerator, denominator)."""
    f1 = np.stack([2 * counts[:, 0], counts[:, 1] + counts[:, 2]], axis=1)
    exact = np.stack([exact_matches(counts), np.ones(len(counts))], axis=1)
    return np.stack([f1, exact], axis=1).astype(float)
