"""ECC as a sample grows: nested samples of one treebank, and the running mean over its trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from treegauge.errors import CorpusError, OptionError
from treegauge.grammar.grammar import TreebankGrammar
from treegauge.grammar.measures import (
    DEFAULT,
    EccResult,
    EccSettings,
    Progress,
    as_derivations,
    figures,
    measure,
    with_parts,
)
from treegauge.grammar.parsing import parser_of


def growing(
    train: Iterable[Any],
    test: Iterable[Any] | None = None,
    settings: EccSettings = DEFAULT,
    *,
    parts: int = 4,
    seed: int = 0,
    name: str = "treebank",
    progress: Progress | None = None,
) -> list[EccResult]:
    """ECC of nested samples W1 ⊂ W2 ⊂ … of a treebank, drawn at random (§5.4, Table 6).

    Wi holds the first i/parts of the trees in one seeded shuffle, so the last is the whole treebank. The
    test trees are, for every grammar, those that the smallest sample's grammar covers.
    """
    if parts < 1:
        raise OptionError(f"growing {parts}; expected 1 or more")
    own = as_derivations(train, settings.cleaning)
    if len(own) < parts:
        raise CorpusError(f"{name}: {len(own)} trees; expected at least {parts} for as many samples")
    other = None if test is None else as_derivations(test, settings.cleaning)
    order = np.random.default_rng(seed).permutation(len(own))
    settings = with_parts(settings, f"growing:{parts}", f"seed:{seed}")
    common: np.ndarray | None = None
    results = []
    for part in range(1, parts + 1):
        sample = [own[at] for at in order[: len(own) * part // parts]]
        grammar = TreebankGrammar.from_derivations(sample, settings.cleaning)
        parser = parser_of(grammar)
        measured = measure(parser, sample, settings, progress=progress)
        tested = None
        if other is not None:
            tested = measure(parser, other, settings, only=common, progress=progress)
            common = tested.covered if common is None else common
        results.append(
            EccResult(
                f"{name} W{part}",
                figures(grammar, sample, measured),
                None if other is None or tested is None else figures(grammar, other, tested),
                settings.signature,
                measured,
                tested,
                grammar,
            )
        )
    return results


def learning_curve(delta: np.ndarray, *, shuffles: int = 3, seed: int = 0) -> np.ndarray:
    """The running mean of Δt in seeded shuffles, one row for each (§5.1, Figure 2)."""
    rng = np.random.default_rng(seed)
    counts = np.arange(1, len(delta) + 1)
    return np.array([np.cumsum(rng.permutation(delta)) / counts for _ in range(shuffles)]).reshape(shuffles, -1)
