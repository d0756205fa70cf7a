"""ECC: how uncertain a grammar is about the tree once it has the sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from typing import Any

import numpy as np

from treegauge.constituency.bracket_scores import (
    PARSEVAL_OPTIONS,
    ParsevalOptions,
    bracket_counts,
    exact_matches,
    fraction,
    interval99,
    parseval_scores,
    wilson99,
)
from treegauge.constituency.cleaning import PAPER, Cleaning
from treegauge.constituency.grammar import Derivation, Sample, TreebankGrammar, relative_frequency, sample_of
from treegauge.constituency.parsing import Bracket, ChartParser, each, parser_of, tree_probability
from treegauge.errors import OptionError
from treegauge.statistics import paired_t
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.version import signature

MAX_LENGTH = 40
LEAVE_ONE_OUT = "leave-one-out"
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class EccSettings:
    """The settings on which the numbers depend."""

    cleaning: Cleaning = PAPER
    max_length: int = MAX_LENGTH  # trees of so many tags or more are not evaluated
    parseval: ParsevalOptions = PARSEVAL_OPTIONS["plain"]
    parse: bool = True  # whether to find the best trees
    workers: int | None = None  # threads; all cores by default
    keep_best: bool = False  # whether the brackets of the best trees stay in memory
    more: tuple[str, ...] = ()  # further parts of the signature

    def __post_init__(self) -> None:
        if self.max_length < 2:
            raise OptionError(f"max-length {self.max_length}; expected 2 or more")

    @property
    def signature(self) -> str:
        """Settings and version, which every number carries."""
        parts = ["ecc", f"max-length:{self.max_length}", self.cleaning.signature]
        if self.parse and self.parseval.name != "plain":
            parts.append(f"parseval:{self.parseval.name}")
        return signature(*parts, *self.more)

    def n_used(self, trees: Sequence[Derivation]) -> int:
        """How many of the trees are evaluated."""
        return sum(len(tree) < self.max_length for tree in trees)


DEFAULT = EccSettings()


@dataclass(frozen=True, eq=False)
class TreeMeasures:
    """One row per tree under the length limit; rows of trees that are not covered have nan and zeros."""

    n_trees: int  # of any length
    trees: tuple[int, ...]  # the tree of each row, from 0
    covered: np.ndarray
    log_prob: np.ndarray  # log2 p(t)
    log_prob_yield: np.ndarray  # log2 p(y(t))
    all_delta: np.ndarray  # Δt
    brackets: np.ndarray | None  # in both, in the treebank's tree, in the best tree
    best: tuple[tuple[Bracket, ...], ...] = ()  # brackets of the best trees, if they are kept; empty if not covered

    @property
    def delta(self) -> np.ndarray:
        """Δt = log2 p(y(t)) − log2 p(t) of the covered trees (20); below 0 only by rounding, which becomes 0."""
        delta: np.ndarray = np.maximum(0.0, self.all_delta[self.covered])
        return delta


def _column(kind: str, header: str | None = None) -> Any:
    """A figure's kind of column, and its header for people; None if they do not see it."""
    return field(metadata={"kind": kind, "header": header})


@dataclass(frozen=True, slots=True)
class SampleFigures:
    """One row of the paper's Tables 2, 4, 5 and 6. Entropies in bits, the rest counts and fractions."""

    trees: int = _column("count", "trees")
    trees_used: int = _column("count", "used")  # under the length limit
    covered: int = _column("count")
    covered_share: float = _column("percent", "cov.")
    derivational_cross_entropy: float = _column("number", "HD")
    sentential_cross_entropy: float = _column("number", "HS")
    ecc: float = _column("number", "ECC")
    ecc_ci: float = _column("interval", "99 %")
    ecc_per_tag: float = _column("p", "per tag")  # Σ Δt / Σ |t| over the covered trees
    lp: float = _column("percent", "LP")
    lr: float = _column("percent", "LR")
    f1: float = _column("percent", "F1")
    emr: float = _column("percent", "EMR")
    emr_ci: float = _column("percent_interval")
    emr_low: float = _column("percent", "from")  # Wilson's 99 % interval
    emr_high: float = _column("percent", "to")
    product: float = _column("percent", "product")  # EMR if brackets were wrong independently of each other (§5)
    tokens: int = _column("count")
    rules: int = _column("count")
    nonterminals: int = _column("count")
    pos_tags: int = _column("count")
    rule_occurrences: int = _column("count")
    rules_per_occurrence: float = _column("number")  # how specialised the grammar is (§5.2)


@dataclass(frozen=True, repr=False)
class EccResult(Tabular):
    """A treebank's figures on its own trees and, if there is one, on a test sample."""

    name: str
    train: SampleFigures
    test: SampleFigures | None
    signature: str
    train_measured: TreeMeasures = field(compare=False)
    test_measured: TreeMeasures | None = field(default=None, compare=False)
    grammar: TreebankGrammar | None = field(default=None, compare=False)
    test_name: str = "test"
    more_tests: tuple[tuple[str, SampleFigures], ...] = ()  # further test samples

    @property
    def samples(self) -> dict[str, SampleFigures]:
        """The figures by sample: train, test or leave-one-out, and further test samples."""
        test = {} if self.test is None else {self.test_name: self.test}
        return {"train": self.train} | test | dict(self.more_tests)

    def table(self) -> Table:
        """A row for each sample, all its figures."""
        return samples_table([self])

    def __repr__(self) -> str:
        shown = [f"ECC {figures.ecc:.2f} bits on {sample}" for sample, figures in self.samples.items()]
        return f"EccResult({self.name!r}, {', '.join(shown)})"


def samples_table(results: Sequence[EccResult]) -> Table:
    """The paper's Table 2: every figure of the training samples, then of the test samples."""
    columns = fields(SampleFigures)
    rows = [
        (result.name, sample, *astuple(figures)) for result in results for sample, figures in result.samples.items()
    ]
    return Table(
        "ECC and PARSEVAL, with 99 % intervals",
        (("treebank", "text"), ("sample", "text"), *((column.name, column.metadata["kind"]) for column in columns)),
        tuple(sorted(rows, key=lambda row: row[1] != "train")),
        _signatures(results),
        "samples",
        frozenset(column.name for column in columns if column.metadata["header"] is None),
        {column.name: column.metadata["header"] for column in columns if column.metadata["header"]},
    )


def sizes_table(results: Sequence[EccResult]) -> Table:
    """How large each treebank and its grammar is."""
    names = ("tokens", "rules", "nonterminals", "pos_tags", "rule_occurrences")
    columns = (("treebank", "text"), *((name, "count") for name in names), ("rules_per_occurrence", "percent"))
    return Table(
        "Sizes of the treebanks and their grammars",
        columns,
        tuple((result.name, *(getattr(result.train, name) for name, _ in columns[1:])) for result in results),
        _signatures(results),
        "sizes",
        frozenset({"rule_occurrences"}),
        {"pos_tags": "POS tags", "rules_per_occurrence": "rules per 100 occurrences"},
    )


LENGTHS = 10  # tags in a class of lengths


def lengths_table(results: Sequence[EccResult], samples: Sequence[Sample]) -> Table:
    """ECC per tree and per tag, and EMR, of the training trees by length: longer trees have more to decide."""
    rows: list[tuple[Any, ...]] = []
    for result, sample in zip(results, samples, strict=True):
        measured = result.train_measured
        length = np.array([len(sample.trees[row]) for row in measured.trees])
        exact = None if measured.brackets is None else exact_matches(measured.brackets)
        for first in range(0, int(length.max(initial=0)) + 1, LENGTHS):
            mine = measured.covered & (length >= first) & (length < first + LENGTHS)
            delta, n = np.maximum(0.0, measured.all_delta[mine]), int(mine.sum())
            if n:
                bits = float(delta.mean()), interval99(delta), float(delta.sum()) / int(length[mine].sum())
                match = (
                    (math.nan,) * 3 if exact is None else (float(exact[mine].mean()), *wilson99(exact[mine].sum(), n))
                )
                rows.append((result.name, f"{max(first, 1)}-{first + LENGTHS - 1}", n, *bits, *match))
    columns = column_kinds(
        "treebank text, tags text, trees count, ecc number, ecc_ci interval, ecc_per_tag p, emr percent, "
        "emr_low percent, emr_high percent"
    )
    headers = {"ecc": "ECC", "ecc_ci": "99 %", "ecc_per_tag": "per tag", "emr": "EMR", "emr_low": "from"}
    title = "ECC and EMR by the length of trees, in tags"
    return Table(title, columns, tuple(rows), _signatures(results), "lengths", headers=headers | {"emr_high": "to"})


def paired_table(plain: Sequence[EccResult], changed: Sequence[EccResult]) -> Table:
    """Whether a transformation changes ECC: the differences of Δt of the same trees, and a paired t test.

        δ = Δt (transformed) − Δt (as it is),   t = mean δ / (s / √n),  n − 1 degrees of freedom

    Only trees that both grammars cover are compared.
    """
    rows = []
    for before, after in zip(plain, changed, strict=True):
        first, second = before.train_measured, after.train_measured
        both = first.covered & second.covered
        deltas = [np.maximum(0.0, measured.all_delta[both]) for measured in (first, second)]
        difference = deltas[1] - deltas[0]
        means = [float(delta.mean()) if len(delta) else math.nan for delta in deltas]
        test = float(difference.mean()), interval99(difference), paired_t(difference) if len(difference) else math.nan
        rows.append((before.name, len(difference), *means, *test))
    columns = (
        "treebank text, trees count, ecc number, ecc_transformed number, difference number, difference_ci interval"
    )
    headers = {"ecc": "ECC as it is", "ecc_transformed": "transformed", "difference_ci": "99 %"}
    title = "The same trees as they are and transformed: paired differences of Δt"
    kinds = column_kinds(columns + ", p p")
    return Table(title, kinds, tuple(rows), _signatures(changed), "paired", headers=headers)


def _signatures(results: Sequence[EccResult]) -> str:
    return ", ".join(sorted({result.signature for result in results}))


def measure(
    parser: ChartParser,
    sample: Sequence[Derivation],
    settings: EccSettings = DEFAULT,
    *,
    leave_one_out: bool = False,
    only: np.ndarray | None = None,
    progress: Progress | None = None,
) -> TreeMeasures:
    """Δt and bracket counts of every covered tree under the length limit.

    A tree is covered if the grammar has all its rules (§5); with leave_one_out, if each of them also occurs
    in another tree, and its probabilities are those of the grammar without this tree's own counts: the grammar
    must be the grammar of the sample. only: rows that may count as covered.
    """
    rows = [at for at, tree in enumerate(sample) if len(tree) < settings.max_length]
    measures = each(
        lambda row: _tree_row(parser, sample[rows[row]], settings, leave_one_out, only is None or bool(only[row])),
        range(len(rows)),
        settings.workers,
        progress,
    )
    p_tree, p_yield, delta = np.array([values for values, _, _ in measures], dtype=float).reshape(-1, 3).T
    counts = np.array([count for _, count, _ in measures], dtype=np.int64).reshape(-1, 3) if settings.parse else None
    best = tuple(brackets for _, _, brackets in measures) if settings.keep_best else ()
    return TreeMeasures(len(sample), tuple(rows), np.isfinite(p_tree), p_tree, p_yield, delta, counts, best)


def _tree_row(
    parser: ChartParser, tree: Derivation, settings: EccSettings, leave_one_out: bool, wanted: bool
) -> tuple[tuple[float, float, float], tuple[int, int, int], tuple[Bracket, ...]]:
    """log2 p(t), log2 p(y(t)), Δt, the bracket counts of one tree, and the brackets of the best one, if kept.

    A tree that is not covered has nan, zeros and no brackets.
    """
    nothing = (math.nan, math.nan, math.nan), (0, 0, 0), ()
    grammar = parser.grammar
    rules = grammar.rule_codes(tree)
    if not wanted or (rules < 0).any():
        return nothing
    prob = None
    if leave_one_out:
        count = grammar.count - np.bincount(rules, minlength=grammar.n_rules)
        if (count[rules] <= 0).any():
            return nothing
        prob = relative_frequency(grammar.lhs, count, len(grammar.nonterminals))
    codes = grammar.tag_codes(tree.tags)
    p_tree = tree_probability((grammar.prob if prob is None else prob)[rules])
    p_yield, best = parser.inside_and_best(codes, prob) if settings.parse else (parser.inside(codes, prob), None)
    row = p_tree.log2, p_yield.log2, p_yield.bits_above(p_tree)
    if not settings.parse:
        return row, (0, 0, 0), ()
    assert best is not None  # the tree itself is one
    counts = bracket_counts(tree.brackets, best.brackets, tree.tags, settings.parseval)
    return row, counts, best.brackets if settings.keep_best else ()


def figures(
    grammar: TreebankGrammar, sample: Sequence[Derivation], measured: TreeMeasures, *, leave_one_out: bool = False
) -> SampleFigures:
    """The figures of a sample, over its covered trees.

        HD = −mean log2 p(t) (3),  HS = −mean log2 p(y(t)) (6),  ECC = HD − HS = mean Δt (19)

    With leave_one_out every tree has a model of its own, so there are no HD and HS (§5.2).
    """
    covered, delta, used = measured.covered, measured.delta, len(measured.trees)
    n, occurrences = int(covered.sum()), int(grammar.count.sum())
    hd, hs = (
        0.0 - float(log_prob[covered].mean()) if n and not leave_one_out else math.nan
        for log_prob in (measured.log_prob, measured.log_prob_yield)
    )
    scores = parseval_scores(np.empty((0, 3)) if measured.brackets is None else measured.brackets[covered])
    trees = measured.n_trees, used, n, fraction(n, used)
    tags = sum(len(sample[row]) for row, is_covered in zip(measured.trees, covered.tolist(), strict=True) if is_covered)
    bits = hd, hs, float(delta.mean()) if n else math.nan, interval99(delta), fraction(float(delta.sum()), tags)
    emr = scores.emr, scores.emr_ci, scores.emr_low, scores.emr_high
    brackets = scores.lp, scores.lr, scores.f1, *emr, scores.product
    sizes = sum(map(len, sample)), grammar.n_rules, len(grammar.nonterminals), len(grammar.tags)
    return SampleFigures(*trees, *bits, *brackets, *sizes, occurrences, grammar.n_rules / occurrences)


def ecc(
    train: Any,
    test: Any = None,
    settings: EccSettings = DEFAULT,
    *,
    leave_one_out: bool = False,
    more_tests: Sequence[Any] = (),
    name: str | None = None,
    progress: Progress | None = None,
) -> EccResult:
    """ECC and PARSEVAL of a treebank under its own grammar, on its own trees and on a test sample, or more of them.

    A treebank is a path, several paths, a treebank of `read_brackets`, or trees: ours, NLTK's, or derivations. With
    leave_one_out the test sample is the treebank itself; each tree is measured with the grammar of all the others.
    """
    if leave_one_out and (test is not None or more_tests):
        raise OptionError("leave-one-out and a test sample; expected one of them")
    if leave_one_out:
        settings = with_parts(settings, LEAVE_ONE_OUT)
    own, grammar = grammar_of(train, settings.cleaning)
    parser = parser_of(grammar)
    measured = measure(parser, own.trees, settings, progress=progress)
    other = own if leave_one_out else None if test is None else sample_of(test, settings.cleaning)
    tested = tested_figures = None
    if other is not None:
        tested = measure(parser, other.trees, settings, leave_one_out=leave_one_out, progress=progress)
        tested_figures = figures(grammar, other.trees, tested, leave_one_out=leave_one_out)
    trained = figures(grammar, own.trees, measured)
    more = tuple(
        (sample.name, figures(grammar, sample.trees, measure(parser, sample.trees, settings, progress=progress)))
        for sample in [sample_of(source, settings.cleaning) for source in more_tests]
    )
    test_name = LEAVE_ONE_OUT if leave_one_out else other.name if other is not None and more else "test"
    details = measured, tested, grammar, test_name, more
    return EccResult(name or own.name, trained, tested_figures, settings.signature, *details)


def grammar_of(source: Any, cleaning: Cleaning) -> tuple[Sample, TreebankGrammar]:
    """The trees of a treebank, given as to `ecc`, and their grammar."""
    sample = sample_of(source, cleaning)
    return sample, TreebankGrammar.from_derivations(sample.trees, cleaning)


def with_parts(settings: EccSettings, *parts: str) -> EccSettings:
    """The settings with more parts in their signature."""
    return replace(settings, more=(*settings.more, *parts))
