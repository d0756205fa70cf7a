"""ECC: how much a grammar is at a loss for the tree once it has the sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge import __version__
from treegauge.errors import CorpusError, OptionError
from treegauge.grammar.bracket_scores import (
    PARSEVAL_OPTIONS,
    ParsevalOptions,
    bracket_counts,
    interval99,
    parseval_scores,
)
from treegauge.grammar.cleaning import PAPER, Cleaning
from treegauge.grammar.grammar import Derivation, TreebankGrammar, derivations, relative_frequency
from treegauge.grammar.parsing import ChartParser, each, parser_of, tree_probability

if TYPE_CHECKING:
    import polars

MAX_LENGTH = 40
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class EccSettings:
    """What the numbers depend on besides the trees."""

    cleaning: Cleaning = PAPER
    max_length: int = MAX_LENGTH  # trees of so many tags or more are not evaluated
    parseval: ParsevalOptions = PARSEVAL_OPTIONS["plain"]
    parse: bool = True  # whether the best trees are sought
    workers: int | None = None  # threads; all cores by default
    more: tuple[str, ...] = ()  # further parts of the signature

    def __post_init__(self) -> None:
        if self.max_length < 2:
            raise OptionError(f"max-length {self.max_length}; expected 2 or more")

    @property
    def signature(self) -> str:
        """EccSettings and version, to stand beside every number."""
        parts = ["ecc", f"max-length:{self.max_length}", self.cleaning.signature]
        if self.parse and self.parseval.name != "plain":
            parts.append(f"parseval:{self.parseval.name}")
        return "|".join([*parts, *self.more, f"v{__version__}"])


DEFAULT = EccSettings()


@dataclass(frozen=True, eq=False)
class Measured:
    """One row per tree under the length limit; rows that are not covered hold nan and zeros."""

    n_trees: int  # of any length
    trees: tuple[int, ...]  # which of them the rows are, from 0
    covered: np.ndarray
    log_prob: np.ndarray  # log2 p(t)
    log_prob_yield: np.ndarray  # log2 p(y(t))
    all_delta: np.ndarray  # Δt
    brackets: np.ndarray | None  # in both, in the treebank's tree, in the best tree

    @property
    def delta(self) -> np.ndarray:
        """Δt = log2 p(y(t)) − log2 p(t) of the covered trees (20), never below 0 but for rounding."""
        delta: np.ndarray = np.maximum(0.0, self.all_delta[self.covered])
        return delta


@dataclass(frozen=True, slots=True)
class SampleFigures:
    """One row of the paper's Tables 2, 4, 5 and 6. Entropies in bits, lp to emr in percent."""

    trees: int
    trees_used: int  # under the length limit
    covered: int
    covered_share: float
    derivational_cross_entropy: float
    sentential_cross_entropy: float
    ecc: float
    ecc_ci: float
    lp: float
    lr: float
    f1: float
    emr: float
    emr_ci: float
    tokens: int
    rules: int
    nonterminals: int
    pos_tags: int
    rule_occurrences: int
    rules_per_occurrence: float  # how specialised the grammar is (§5.2)

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, None for what is not defined."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value for name, value in values.items()
        }


@dataclass(frozen=True)
class EccResult:
    """A treebank's figures on its own trees and, where there is a test sample, on that."""

    name: str
    train: SampleFigures
    test: SampleFigures | None
    signature: str
    train_measured: Measured = field(repr=False, compare=False)
    test_measured: Measured | None = field(default=None, repr=False, compare=False)
    grammar: TreebankGrammar | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """`{"treebank": …, "train": {…}, "test": {…}, "signature": …}`; test is None where there is none."""
        return {
            "treebank": self.name,
            "train": self.train.to_dict(),
            "test": None if self.test is None else self.test.to_dict(),
            "signature": self.signature,
        }

    def to_polars(self) -> polars.DataFrame:
        """One row per sample, every figure in a column."""
        import polars

        samples = {"train": self.train, "test": self.test}
        return polars.DataFrame(
            [
                {"treebank": self.name, "sample": sample, **figures.to_dict(), "signature": self.signature}
                for sample, figures in samples.items()
                if figures is not None
            ],
            infer_schema_length=None,
        )

    def to_pandas(self) -> Any:
        """The same as a pandas table."""
        return self.to_polars().to_pandas()

    def _repr_html_(self) -> str:
        return self.to_polars()._repr_html_()


def measure(
    parser: ChartParser,
    sample: Sequence[Derivation],
    settings: EccSettings = DEFAULT,
    *,
    leave_one_out: bool = False,
    only: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Measured:
    """Δt and bracket counts of every covered tree under the length limit.

    A tree is covered if the grammar has all its rules (§5); with leave_one_out, if each of them also occurs
    in another tree, and its probabilities are those of the grammar without this tree's own counts: the
    sample must be the one the grammar was read off. `only` narrows what is covered further.
    """
    rows = [at for at, tree in enumerate(sample) if len(tree) < settings.max_length]
    found = each(
        lambda row: _tree_row(parser, sample[rows[row]], settings, leave_one_out, only is None or bool(only[row])),
        range(len(rows)),
        settings.workers,
        progress,
    )
    table = np.array([values for values, _ in found], dtype=float).reshape(-1, 3)
    counts = np.array([count for _, count in found], dtype=np.int64).reshape(-1, 3)
    return Measured(
        len(sample),
        tuple(rows),
        np.isfinite(table[:, 0]),
        table[:, 0],
        table[:, 1],
        table[:, 2],
        counts if settings.parse else None,
    )


def _tree_row(
    parser: ChartParser, tree: Derivation, settings: EccSettings, leave_one_out: bool, wanted: bool
) -> tuple[tuple[float, float, float], tuple[int, int, int]]:
    """log2 p(t), log2 p(y(t)), Δt and the bracket counts of one tree; nan and zeros if it is not covered."""
    nothing = (math.nan, math.nan, math.nan), (0, 0, 0)
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
    p_yield = parser.inside_scaled(codes, prob)
    row = p_tree.log2, p_yield.log2, p_yield.bits_above(p_tree)
    if not settings.parse:
        return row, (0, 0, 0)
    best = parser.viterbi(codes, prob)
    assert best is not None  # the tree itself is one
    return row, bracket_counts(tree.brackets, best.brackets, tree.tags, settings.parseval)


def figures(
    grammar: TreebankGrammar, sample: Sequence[Derivation], measured: Measured, *, leave_one_out: bool = False
) -> SampleFigures:
    """The figures of a sample, over its covered trees.

        HD = −mean log2 p(t) (3),  HS = −mean log2 p(y(t)) (6),  ECC = HD − HS = mean Δt (19)

    Under leave_one_out every tree has a model of its own, so HD and HS are not given (§5.2).
    """
    covered = measured.covered
    n = int(covered.sum())
    delta = measured.delta
    scores = None if measured.brackets is None else parseval_scores(measured.brackets[covered])
    mean = n > 0 and not leave_one_out
    occurrences = int(grammar.count.sum())
    return SampleFigures(
        measured.n_trees,
        len(measured.trees),
        n,
        n / len(measured.trees) if measured.trees else math.nan,
        0.0 - float(measured.log_prob[covered].mean()) if mean else math.nan,
        0.0 - float(measured.log_prob_yield[covered].mean()) if mean else math.nan,
        float(delta.mean()) if n else math.nan,
        interval99(delta),
        math.nan if scores is None else scores.lp,
        math.nan if scores is None else scores.lr,
        math.nan if scores is None else scores.f1,
        math.nan if scores is None else scores.emr,
        math.nan if scores is None else scores.emr_ci,
        sum(map(len, sample)),
        grammar.n_rules,
        len(grammar.nonterminals),
        len(grammar.tags),
        occurrences,
        grammar.n_rules / occurrences,
    )


def ecc(
    train: Iterable[Any],
    test: Iterable[Any] | None = None,
    settings: EccSettings = DEFAULT,
    *,
    leave_one_out: bool = False,
    name: str = "treebank",
    progress: Progress | None = None,
) -> EccResult:
    """ECC and PARSEVAL of a treebank under its own grammar, on its own trees and on a test sample.

    Trees are ours or NLTK's, as they were read, or derivations. With leave_one_out the test sample is the
    treebank itself, each tree measured with the grammar of all the others.
    """
    if leave_one_out and test is not None:
        raise OptionError("leave-one-out and a test sample; expected one of them")
    own = as_derivations(train, settings.cleaning)
    if not own:
        raise CorpusError(f"{name}: no trees; expected at least one")
    grammar = TreebankGrammar.from_derivations(own, settings.cleaning)
    parser = parser_of(grammar)
    if leave_one_out:
        settings = with_parts(settings, "leave-one-out")
    measured = measure(parser, own, settings, progress=progress)
    other = own if leave_one_out else None if test is None else as_derivations(test, settings.cleaning)
    tested = None
    if other is not None:
        tested = measure(parser, other, settings, leave_one_out=leave_one_out, progress=progress)
    return EccResult(
        name,
        figures(grammar, own, measured),
        None if other is None or tested is None else figures(grammar, other, tested, leave_one_out=leave_one_out),
        settings.signature,
        measured,
        tested,
        grammar,
    )


def as_derivations(trees: Iterable[Any], cleaning: Cleaning) -> list[Derivation]:
    """Trees as they were read, cleaned and taken apart; derivations as they are."""
    trees = list(trees)
    return trees if trees and isinstance(trees[0], Derivation) else derivations(trees, cleaning)


def with_parts(settings: EccSettings, *parts: str) -> EccSettings:
    """The settings with more to say in their signature."""
    return replace(settings, more=(*settings.more, *parts))
