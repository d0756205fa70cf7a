"""ECC of several samples: nested samples of one treebank, running means over trees, and results side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treegauge.constituency.grammar import TreebankGrammar, sample_of
from treegauge.constituency.measures import DEFAULT, EccResult, EccSettings, Progress, ecc, figures, measure, with_parts
from treegauge.constituency.parsing import parser_of
from treegauge.errors import CorpusError, OptionError
from treegauge.statistics import spearman
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.wording import counted


def growing(
    train: Any,
    test: Any = None,
    settings: EccSettings = DEFAULT,
    *,
    parts: int | Sequence[int] = 4,
    seed: int = 0,
    name: str | None = None,
    progress: Progress | None = None,
) -> list[EccResult]:
    """ECC of nested samples W1 ⊂ W2 ⊂ … of a treebank, drawn at random (§5.4, Table 6).

    Wi holds the first i/parts of the trees in one seeded shuffle, so the last sample is the whole treebank; or `parts`
    lists the sizes. The test trees are the same for every grammar: those that the grammar of the smallest sample
    covers. Treebanks are given as to `ecc`.
    """
    own = sample_of(train, settings.cleaning)
    sizes = _sizes(parts, len(own.trees), own.name)
    other = None if test is None else sample_of(test, settings.cleaning).trees
    order = np.random.default_rng(seed).permutation(len(own.trees))
    listed = parts if isinstance(parts, int) else ",".join(map(str, sizes))
    settings = with_parts(settings, f"growing:{listed}", f"seed:{seed}")
    common: np.ndarray | None = None
    results = []
    for part, size in enumerate(sizes, 1):
        sample = [own.trees[k] for k in order[:size]]
        grammar = TreebankGrammar.from_derivations(sample, settings.cleaning)
        measured = measure(parser_of(grammar), sample, settings, progress=progress)
        tested = tested_figures = None
        if other is not None:
            tested = measure(parser_of(grammar), other, settings, only=common, progress=progress)
            tested_figures = figures(grammar, other, tested)
            common = tested.covered if common is None else common
        title, trained = f"{name or own.name} W{part}", figures(grammar, sample, measured)
        results.append(EccResult(title, trained, tested_figures, settings.signature, measured, tested, grammar))
    return results


def _sizes(parts: int | Sequence[int], trees: int, name: str) -> list[int]:
    """How many trees each sample has."""
    if isinstance(parts, int):
        if parts < 1:
            raise OptionError(f"growing {parts}; expected 1 or more")
        if trees < parts:
            raise CorpusError(f"{name}: {counted(trees, 'tree')}; expected at least {parts} for as many samples")
        return [trees * part // parts for part in range(1, parts + 1)]
    sizes = list(parts)
    if not sizes or sizes[0] < 1 or sizes != sorted(set(sizes)):
        raise OptionError(f"growing {','.join(map(str, sizes))}; expected sizes in trees, each larger than the last")
    if sizes[-1] > trees:
        raise CorpusError(f"{name}: {counted(trees, 'tree')}; expected at least {sizes[-1]} for the largest sample")
    return sizes


def learning_curve(delta: np.ndarray, *, shuffles: int = 3, seed: int = 0) -> np.ndarray:
    """The running mean of Δt in seeded shuffles, a row for each shuffle (§5.1, Figure 2)."""
    rng = np.random.default_rng(seed)
    counts = np.arange(1, len(delta) + 1)
    return np.array([np.cumsum(rng.permutation(delta)) / counts for _ in range(shuffles)]).reshape(shuffles, -1)


@dataclass(frozen=True, eq=False)
class LearningCurves(Tabular):
    """The learning curves of treebanks."""

    curves: tuple[tuple[str, np.ndarray], ...]  # treebank, shuffle × trees
    signature: str

    def table(self, points: int | None = None) -> Table:
        """A row for each number of trees, or for about `points` of them, evenly spread."""
        shuffles = max((len(lines) for _, lines in self.curves), default=0)
        rows: list[tuple[Any, ...]] = []
        for name, lines in self.curves:
            n = lines.shape[1]
            steps = range(1, (n if points is None else points) + 1)
            sizes = steps if points is None else sorted({max(1, round(n * step / points)) for step in steps if n})
            rows += [(name, trees, *lines[:, trees - 1].tolist()) for trees in sizes]
        lines_of = tuple((f"shuffle {k}", "number") for k in range(1, shuffles + 1))
        columns = (("treebank", "text"), ("trees", "count"), *lines_of)
        return Table("ECC in bits over the first trees", columns, tuple(rows), self.signature, "learning_curve")

    def __repr__(self) -> str:
        return f"LearningCurves({', '.join(f'{name}: {lines.shape[1]} trees' for name, lines in self.curves)})"


def learning_curves(
    treebanks: Iterable[Any], settings: EccSettings = DEFAULT, *, seed: int = 0, progress: Progress | None = None
) -> LearningCurves:
    """The learning curve of each treebank, given as to `ecc`, under the grammar of all its trees."""
    settings = with_parts(replace(settings, parse=False), f"seed:{seed}")
    results = [ecc(treebank, None, settings, progress=progress) for treebank in treebanks]
    curves = ((result.name, learning_curve(result.train_measured.delta, seed=seed)) for result in results)
    return LearningCurves(tuple(curves), settings.signature)


SampleTables = Sequence[Mapping[str, Any]]  # tables named `samples`, as `Table.to_dict` or JSON has them
Row = Mapping[str, Any]  # the row of a sample in such a table


def measured_samples(tables: SampleTables) -> list[tuple[str, Row]]:
    """The name and the row of every sample that has both ECC and EMR, sorted by ECC."""
    samples = [
        (" ".join([row["treebank"], *_unusual(table["signature"]), row["sample"]]), row)
        for table in tables
        for row in table["rows"]
        if row["ecc"] is not None and row["emr"] is not None
    ]
    if not samples:
        raise OptionError("no sample has both ECC and EMR; expected at least one")
    return sorted(samples, key=lambda sample: float(sample[1]["ecc"]))


def _unusual(signature: str) -> list[str]:
    """The settings of labels in a signature of ECC that differ from the default."""
    names = ("cluster", "transform", "punctuation-tags", "parseval")
    values = [part.partition(":")[2] for part in signature.split("|") if part.partition(":")[0] in names]
    return values + [part for part in ("functions:kept", "empty:kept") if part in signature]


def runs_tables(tables: SampleTables) -> list[Table]:
    """Whether a treebank of higher ECC is parsed worse: the paper's Table 7, correlations, means of repeated samples.

    above: by how much the EMR of a sample exceeds the lowest EMR of the samples with a lower ECC, 0 if it does not;
    deviates: whether that is more than both 99 % intervals allow.
    """
    samples = measured_samples(tables)
    signature = ", ".join(sorted({table["signature"] for table in tables}))
    rows, lowest, width = [], math.inf, 0.0
    for name, row in samples:
        above, margin = max(0.0, row["emr"] - lowest), width + (row["emr_ci"] or 0.0)
        values = (row[key] for key in ("ecc", "ecc_ci", "emr", "emr_ci", "f1", "product"))
        rows.append((name, *values, above, "yes" if above > margin else "no"))
        if row["emr"] < lowest:
            lowest, width = row["emr"], row["emr_ci"] or 0.0
    columns = "experiment text, ecc number, ecc_ci interval, emr percent, emr_ci percent_interval, f1 percent"
    headers = {"ecc": "ECC", "ecc_ci": "99 %", "emr": "EMR", "emr_ci": "99 %", "f1": "F1"}
    kinds = column_kinds(columns + ", product percent, above percent, deviates text")
    first = Table("ECC and EMR of all experiments", kinds, tuple(rows), signature, "runs", headers=headers)
    return [first, _correlations([row for _, row in samples], signature), *_repeated(samples, signature)]


def _correlations(rows: Sequence[Row], signature: str) -> Table:
    """Spearman's correlation of ECC with each other measure, and of EMR with F1 and the product model."""
    correlations = []
    for first, second in (("ecc", "emr"), ("ecc", "f1"), ("emr", "f1"), ("emr", "product")):
        pairs = [(row[first], row[second]) for row in rows if row[first] is not None and row[second] is not None]
        varied = len(pairs) > 2 and all(len(set(side)) > 1 for side in zip(*pairs, strict=True))
        rho, p = spearman(*zip(*pairs, strict=True)) if varied else (math.nan, math.nan)
        correlations.append((first, second, len(pairs), rho, p))
    columns = column_kinds("measure text, with text, samples count, spearman number, p p")
    return Table("Spearman's correlations", columns, tuple(correlations), signature, "correlations")


def _repeated(samples: Sequence[tuple[str, Row]], signature: str) -> list[Table]:
    """Mean and standard deviation over the runs of each repeated experiment; no table if there are none."""
    runs: dict[str, list[tuple[float, float]]] = {}
    for name, row in samples:
        runs.setdefault(name, []).append((row["ecc"], row["emr"]))
    rows = []
    for name, pairs in runs.items():
        if len(pairs) > 1:
            values = zip(*pairs, strict=True)
            moments = [moment for v in values for moment in (float(np.mean(v)), float(np.std(v, ddof=1)))]
            rows.append((name, len(pairs), *moments))
    columns = column_kinds("experiment text, runs count, ecc number, ecc_sd number, emr percent, emr_sd percent")
    return [Table("Means over repeated runs", columns, tuple(rows), signature, "repeated")] if rows else []
