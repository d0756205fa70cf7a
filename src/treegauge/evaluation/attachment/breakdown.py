"""Attachment scores by a property of the arcs, or by a combination of properties."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.corpus.compare.comparison import join_column
from treegauge.corpus.conllu import stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import GROUPS, OTHER, group_of
from treegauge.errors import OptionError
from treegauge.evaluation.attachment.evaluation import Evaluation, select, system_names
from treegauge.evaluation.attachment.metrics import ARC, Score
from treegauge.evaluation.attachment.scores_kernel import HEAD
from treegauge.tables import Table, Tabular, column_kinds

PROPERTIES = (
    *("relation", "deprel", "group", "upos", "xpos", "lemma", "length", "direction", "depth", "projectivity"),
    *("sentence_length", "known"),
)
NO_VALUE = "–"  # the class of words that do not have a feature
_PAIRS = 1 << 22  # arcs and words below them that are looked at together
# upper ends of the classes of numbers; the numbers above the last end are one more class
BINS = {
    "length": (1, 2, 3, 5, 10, 20),
    "depth": (0, 1, 2, 3, 4, 6, 9),
    "sentence_length": (5, 10, 20, 30, 40, 60),
}


@dataclass(frozen=True, slots=True)
class Classes:
    """The class of each gold word and of each system word, as numbers into labels."""

    gold: np.ndarray
    system: np.ndarray
    labels: tuple[str, ...]
    by_support: bool = False  # whether tables have the most frequent class first; else they follow the labels


@dataclass(frozen=True, slots=True, repr=False)
class Breakdown(Tabular):
    """How many arcs of gold and of the system, right arcs and right heads each class has.

    Each side puts its arcs into classes by its own annotation. A right arc may be in different classes of gold and
    system (its length differs if their tokens differ); it counts in the class of gold. So the counts of gold, of the
    system and of right arcs each add up to the total.
    """

    by: tuple[str, ...]
    classes: tuple[tuple[str, ...], ...]
    gold: np.ndarray
    system: np.ndarray
    correct: np.ndarray
    heads: np.ndarray
    same: np.ndarray  # words of gold whose word of the system is in the same class
    title: str
    signature: str

    def scores(self) -> dict[tuple[str, ...], Score]:
        """The labelled score of each class."""
        rows = zip(self.gold.tolist(), self.system.tolist(), self.correct.tolist(), strict=True)
        return {key: Score(*row) for key, row in zip(self.classes, rows, strict=True)}

    def table(self) -> Table:
        """Support (arcs of gold), arcs of the system, P, R, F1; the shares of gold's words with the right head.

        same_class: the share of gold's words that are in the same class in the system.
        """
        rows = []
        counts = self.heads.tolist(), self.same.tolist()
        for (key, score), heads, same in zip(self.scores().items(), *counts, strict=True):
            precision = score.precision if score.system else None
            recall = score.recall if score.gold else None
            uas = heads / score.gold if score.gold else None
            same_class = same / score.gold if score.gold else None
            rows.append((*key, score.gold, score.system, precision, recall, score.f1, uas, same_class))
        columns = (
            *((name, "text") for name in self.by),
            *column_kinds(
                "support count, system count, precision percent, recall percent, f1 percent, right_head percent, "
                "same_class percent"
            ),
        )
        return Table(self.title, columns, tuple(rows), self.signature, _named(self.by))


def breakdown(
    evaluation: Evaluation,
    by: str | Sequence[str],
    *,
    bins: Sequence[int] | None = None,
    known: Collection[str] | None = None,
) -> Breakdown:
    """Labelled precision, recall and F1 by a property of PROPERTIES, or by a combination of several.

    A name with a capital, such as Case, is a feature of FEATS. bins: upper ends of the classes of a number (length,
    depth, sentence_length), by default BINS. known: the forms of the training text, for the property known.
    """
    names = (by,) if isinstance(by, str) else tuple(by)
    for name in names:
        if name not in PROPERTIES and not name[:1].isupper():
            raise OptionError(
                f"property {name!r}; expected {', '.join(PROPERTIES)}, a feature such as Case, or several of these "
                "crossed by commas"
            )
        if name == "known" and known is None:
            raise OptionError("property 'known'; expected a training text that knows words (--train)")
    if len(set(names)) < len(names) or not names:
        raise OptionError(f"properties {', '.join(names)!r}; expected each once")
    if bins is not None and (list(bins) != sorted(set(bins)) or not bins or bins[0] < 0):
        raise OptionError(f"bins {list(bins)}; expected numbers that grow")
    parts = [_ordered(classes_of(evaluation, name, bins, known)) for name in names]
    gold = np.zeros(evaluation.gold.n_words, np.int64)
    system = np.zeros(evaluation.system.n_words, np.int64)
    for part in parts:
        gold = gold * len(part.labels) + part.gold
        system = system * len(part.labels) + part.system
    size = int(np.prod([len(part.labels) for part in parts]))
    right, partner = evaluation.words.right & ARC == ARC, evaluation.comparison.partner
    same = (partner >= 0) & (system[partner] == gold)
    system[partner[right]] = gold[right]  # a right arc counts in the class of gold
    counts = [
        np.bincount(gold, minlength=size),
        np.bincount(system, minlength=size),
        np.bincount(gold[right], minlength=size),
        np.bincount(gold[evaluation.words.right & HEAD != 0], minlength=size),
        np.bincount(gold[same], minlength=size),
    ]
    present = np.flatnonzero(counts[0] + counts[1])
    keys = []
    for number in present.tolist():
        key = []
        for part in reversed(parts):
            number, k = divmod(number, len(part.labels))
            key.append(part.labels[k])
        keys.append(tuple(reversed(key)))
    title = f"{evaluation.name} against {evaluation.gold.path}: LAS by {', '.join(names)}"
    supports, systems, rights, heads, same_class = (array[present] for array in counts)
    numbers = supports, systems, rights, heads, same_class
    return Breakdown(names, tuple(keys), *numbers, title, evaluation.signature)


def systems_breakdown(
    evaluations: Sequence[Evaluation],
    by: str | Sequence[str],
    *,
    bins: Sequence[int] | None = None,
    known: Collection[str] | None = None,
) -> Table:
    """F1 of several systems on the same gold, side by side, by a property or by a combination of several.

    F1 is None if neither gold nor the system has an arc of the class.
    """
    parts = [breakdown(evaluation, by, bins=bins, known=known) for evaluation in evaluations]
    scores = [part.scores() for part in parts]
    support = {key: score.gold for of_system in scores for key, score in of_system.items()}
    # the classes are in the order of the first system; classes that only others have come last
    rows = []
    for key in dict.fromkeys(key for of_system in scores for key in of_system):
        f1 = [of_system[key].f1 if key in of_system else None for of_system in scores]
        rows.append((*key, support[key], *f1))
    columns = (
        *((name, "text") for name in parts[0].by),
        ("support", "count"),
        *((name, "percent") for name in system_names(evaluations)),
    )
    title = f"F1 against {evaluations[0].gold.path}: LAS by {', '.join(parts[0].by)}"
    systems = frozenset(system_names(evaluations))
    return Table(title, columns, tuple(rows), parts[0].signature, _named(parts[0].by), best_in_row=systems)


def _named(by: Sequence[str]) -> str:
    return "_".join(["by", *by])


def leave_out(evaluation: Evaluation, names: Sequence[Sequence[str]] | None = None) -> Table:
    """LAS without a group or relation, and the change (Nivre and Fang 2017, Tables 2 and 3).

    Each row leaves out all the relations and groups of one entry of `names`; by default of `left_out_by_default` and of
    the evaluation's exclusions.
    """
    las = evaluation["LAS"].f1
    rows: list[tuple[Any, ...]] = [(MARK_NOTHING, las, None)]
    if names is None:
        names = [*left_out_by_default(evaluation.groups), *evaluation.exclusions]
    for entry in names:
        rest = select(evaluation, entry, without=True).las
        f1 = rest.f1 if rest.gold + rest.system else None
        rows.append(("+".join(entry), f1, None if f1 is None else f1 - las))
    title = f"{evaluation.name} against {evaluation.gold.path}: LAS without some relations"
    columns = (("left out", "text"), ("las", "percent"), ("change", "change"))
    return Table(title, columns, tuple(rows), evaluation.signature, "leave_out")


MARK_NOTHING = "(nothing)"


def left_out_by_default(groups: dict[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """What the paper leaves out: PUNCT, FUN, MWE, FUN and PUNCT (CLAS), each relation of FUN; or each own group."""
    if groups is not GROUPS:
        return [(group,) for group in groups]
    return [("PUNCT",), ("FUN",), ("MWE",), ("FUN", "PUNCT"), *((relation,) for relation in GROUPS["FUN"])]


def _ordered(classes: Classes) -> Classes:
    """The same classes with numbers in the order of the table."""
    if not classes.by_support:
        return classes
    n = len(classes.labels)
    support = np.bincount(classes.gold, minlength=n)
    order = sorted(range(n), key=lambda k: (-int(support[k]), classes.labels[k]))
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    return Classes(rank[classes.gold], rank[classes.system], tuple(classes.labels[k] for k in order))


def classes_of(
    evaluation: Evaluation, name: str, bins: Sequence[int] | None = None, known: Collection[str] | None = None
) -> Classes:
    """The class of each word by a property; the length of a sentence is that of the gold sentence."""
    gold, system, words = evaluation.gold, evaluation.system, evaluation.words
    if name[:1].isupper():
        return _joined(evaluation, "feats", lambda feats: feature_value(feats, name))
    if name == "known":
        forms = frozenset(known or ())
        return _joined(evaluation, "form", lambda form: "known" if form in forms else "unknown")
    if name == "projectivity":
        of_gold, of_system = (is_projective(side).astype(np.int64) for side in (gold, system))
        return Classes(of_gold, of_system, ("non-projective", "projective"), by_support=True)
    if name == "relation":
        return Classes(words.gold_relation, words.relation, words.relations, by_support=True)
    if name == "group":
        labels = (*evaluation.groups, OTHER)
        group = np.array([labels.index(group_of(r, evaluation.groups)) for r in words.relations])
        return Classes(group[words.gold_relation], group[words.relation], labels)
    if name == "direction":
        of_gold, of_system = (
            np.where(side.head == 0, 0, np.where(side.head_row > np.arange(side.n_words), 1, 2))
            for side in (gold, system)
        )
        return Classes(of_gold, of_system, ("root", "head-after", "head-before"))
    if name not in BINS:
        return _joined(evaluation, name, str)
    if name == "depth":
        return _binned(depths(gold), depths(system), 0, bins or BINS[name])
    edges = [edge for edge in bins or BINS[name] if edge > 0]
    if name == "length":
        classes = _binned(gold.arc_length, system.arc_length, 0, [0, *edges])
        return Classes(classes.gold, classes.system, ("root", *classes.labels[1:]))
    length = np.diff(gold.start)
    return _binned(length[gold.sentence], length[evaluation.comparison.other_sentence], 1, edges)


def _joined(evaluation: Evaluation, column: str, change: Callable[[str], str]) -> Classes:
    """Classes by the labels of a column, each label changed by a function."""
    both = join_column(evaluation.gold, evaluation.system, column, change)
    return Classes(both.first, both.second, both.labels, by_support=True)


def known_forms(*paths: str) -> frozenset[str]:
    """The forms of a training text."""
    return frozenset(
        form for piece in stream_conllu(*paths, columns=("form",), trees=False) for form in piece.labels["form"]
    )


def feature_value(feats: str, name: str) -> str:
    """The value of a feature in the column FEATS; NO_VALUE if there is none."""
    return next((value for key, _, value in (f.partition("=") for f in feats.split("|")) if key == name), NO_VALUE)


def is_projective(side: Corpus) -> np.ndarray:
    """Whether each arc is projective: all words between its two ends are below its head. Root arcs are."""
    result = np.ones(side.n_words, bool)
    head = side.head_row.astype(np.int64)
    between = np.maximum(side.arc_length - 1, 0)
    ends = np.cumsum(between)
    low = 0
    while low < side.n_words:
        high = max(int(np.searchsorted(ends, (ends[low - 1] if low else 0) + _PAIRS, side="right")), low + 1)
        arcs = np.repeat(np.arange(low, high), between[low:high])
        first = np.minimum(arcs, head[arcs]) + 1
        place = np.arange(len(arcs)) - np.repeat(np.cumsum(between[low:high]) - between[low:high], between[low:high])
        above = first + place  # a word between the ends; then the words above it, one after the other
        while len(above):
            above = head[above]
            outside = above < 0
            result[arcs[outside]] = False
            stays = ~outside & (above != head[arcs])
            arcs, above = arcs[stays], above[stays]
        low = high
    return result


def _binned(gold: np.ndarray, system: np.ndarray, lowest: int, edges: Sequence[int]) -> Classes:
    """Classes of numbers: from the lowest up to the first edge, then up to each next edge, then the rest."""
    lows = [lowest, *(edge + 1 for edge in edges)]
    labels = [str(low) if low == high else f"{low}-{high}" for low, high in zip(lows, edges, strict=False)]
    return Classes(np.searchsorted(edges, gold), np.searchsorted(edges, system), (*labels, f"{lows[-1]}+"))


def depths(side: Corpus) -> np.ndarray:
    """How many arcs are between each word and the root word of its sentence; 0 for the root word."""
    depth = np.zeros(side.n_words, np.int64)
    above = side.head_row.astype(np.int64)
    while (rows := np.flatnonzero(above >= 0)).size:
        depth[rows] += 1
        above[rows] = side.head_row[above[rows]]
    return depth
