"""ECC as a sample grows: nested samples of one treebank, and the running mean over its trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treegauge.errors import CorpusError, OptionError
from treegauge.grammar.derivations import sample_of
from treegauge.grammar.grammar import TreebankGrammar
from treegauge.grammar.measures import DEFAULT, EccResult, EccSettings, Progress, ecc, figures, measure, with_parts
from treegauge.grammar.parsing import parser_of
from treegauge.tables import Table, Tabular
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

    Wi holds the first i/parts of the trees in one seeded shuffle, so the last is the whole treebank; or as many as
    `parts` says, if it lists sizes. The test trees are, for every grammar, those that the smallest sample's grammar
    covers. Treebanks are given as to `ecc`.
    """
    own = sample_of(train, settings.cleaning)
    sizes = _sizes(parts, len(own.trees), own.name)
    other = None if test is None else sample_of(test, settings.cleaning).trees
    order = np.random.default_rng(seed).permutation(len(own.trees))
    settings = with_parts(
        settings, f"growing:{parts if isinstance(parts, int) else ','.join(map(str, sizes))}", f"seed:{seed}"
    )
    common: np.ndarray | None = None
    results = []
    for part, size in enumerate(sizes, 1):
        sample = [own.trees[at] for at in order[:size]]
        grammar = TreebankGrammar.from_derivations(sample, settings.cleaning)
        parser = parser_of(grammar)
        measured = measure(parser, sample, settings, progress=progress)
        tested = tested_figures = None
        if other is not None:
            tested = measure(parser, other, settings, only=common, progress=progress)
            tested_figures = figures(grammar, other, tested)
            common = tested.covered if common is None else common
        title, trained = f"{name or own.name} W{part}", figures(grammar, sample, measured)
        results.append(EccResult(title, trained, tested_figures, settings.signature, measured, tested, grammar))
    return results


def _sizes(parts: int | Sequence[int], trees: int, name: str) -> list[int]:
    """The trees of each sample."""
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
    """The running mean of Δt in seeded shuffles, one row for each (§5.1, Figure 2)."""
    rng = np.random.default_rng(seed)
    counts = np.arange(1, len(delta) + 1)
    return np.array([np.cumsum(rng.permutation(delta)) / counts for _ in range(shuffles)]).reshape(shuffles, -1)


@dataclass(frozen=True, eq=False)
class LearningCurves(Tabular):
    """The learning curves of treebanks."""

    curves: tuple[tuple[str, np.ndarray], ...]  # treebank, shuffle × trees
    signature: str

    def table(self, points: int | None = None) -> Table:
        """A row for each number of trees, or for about so many of them, evenly spread."""
        shuffles = max((len(lines) for _, lines in self.curves), default=0)
        rows: list[tuple[Any, ...]] = []
        for name, lines in self.curves:
            n = lines.shape[1]
            steps = range(1, (n if points is None else points) + 1)
            shown = steps if points is None else sorted({max(1, round(n * step / points)) for step in steps if n})
            rows += [(name, trees, *lines[:, trees - 1].tolist()) for trees in shown]
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
