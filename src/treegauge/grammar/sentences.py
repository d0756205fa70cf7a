"""Which sentences are hard: Δt, probabilities, number of trees and tree entropy, one row per sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treegauge.grammar.bracket_scores import interval99
from treegauge.grammar.grammar import Derivation, TreebankGrammar
from treegauge.grammar.measures import DEFAULT, EccSettings, Progress
from treegauge.grammar.parsing import each, parser_of, tree_probability

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """One sentence; nan for what is not defined."""

    sentence: int  # in its sample, from 1
    name: str  # where it stands
    tags: int
    covered: bool  # whether its tree has only rules of the grammar; for text: whether it has any tree
    delta: float  # Δt, bits
    log_prob: float  # log2 p(t)
    log_prob_yield: float  # log2 p(w)
    parses: float  # trees of w; inf where unary cycles make them endless
    tree_entropy: float  # H(T|w), bits

    def to_dict(self) -> dict[str, Any]:
        """The row by column name, None for what is not defined; inf stays in words."""
        values = {name: getattr(self, name) for name in self.__slots__}
        for name, value in values.items():
            if isinstance(value, float) and not math.isfinite(value):
                values[name] = "inf" if value == math.inf else None
        if isinstance(values["parses"], float) and values["parses"] < 2**53:
            values["parses"] = int(values["parses"])
        return values


def to_polars(rows: Sequence[SentenceRow]) -> polars.DataFrame:
    """The rows as a polars table."""
    import polars

    return polars.DataFrame([{name: getattr(row, name) for name in row.__slots__} for row in rows])


def tree_rows(
    grammar: TreebankGrammar,
    sample: Sequence[Derivation],
    settings: EccSettings = DEFAULT,
    *,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> list[SentenceRow]:
    """One row per tree under the length limit, covered or not."""
    parser = parser_of(grammar)

    def row(at: int) -> SentenceRow:
        tree = sample[at]
        codes = grammar.tag_codes(tree.tags)
        rules = grammar.rule_codes(tree)
        covered = bool((rules >= 0).all())
        log_prob = tree_probability(grammar.prob[rules]).log2 if covered else math.nan
        log_prob_yield, entropy = parser.expectation(codes)
        return SentenceRow(
            at + 1,
            names[at] if names else "",
            len(tree),
            covered,
            max(0.0, log_prob_yield - log_prob) if covered else math.nan,
            log_prob,
            log_prob_yield if log_prob_yield > -math.inf else math.nan,
            parser.n_parses(codes),
            entropy,
        )

    wanted = [at for at, tree in enumerate(sample) if len(tree) < settings.max_length]
    return each(row, wanted, settings.workers, progress)


def text_rows(
    grammar: TreebankGrammar,
    sentences: Sequence[Sequence[str]],
    settings: EccSettings = DEFAULT,
    *,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> list[SentenceRow]:
    """One row per tag sequence under the length limit: how hard a text is, with no tree at hand.

    The paper's H(T|w) (§3.2, after Hwa 2004) needs only the grammar. Sentences without a tree have none.
    """
    parser = parser_of(grammar)

    def row(at: int) -> SentenceRow:
        codes = grammar.tag_codes(sentences[at])
        log_prob_yield, entropy = parser.expectation(codes)
        parsed = log_prob_yield > -math.inf
        return SentenceRow(
            at + 1,
            names[at] if names else "",
            len(codes),
            parsed,
            math.nan,
            math.nan,
            log_prob_yield if parsed else math.nan,
            parser.n_parses(codes) if parsed else 0.0,
            entropy,
        )

    wanted = [at for at, tags in enumerate(sentences) if 0 < len(tags) < settings.max_length]
    return each(row, wanted, settings.workers, progress)


def text_figures(rows: Sequence[SentenceRow], n_sentences: int) -> dict[str, Any]:
    """The figures of a text: means over the sentences that have a tree."""
    import numpy as np

    parsed = [row for row in rows if row.covered]
    entropy = np.array([row.tree_entropy for row in parsed])
    words = sum(row.tags for row in parsed)
    figures = {
        "sentences": n_sentences,
        "sentences_used": len(rows),
        "covered": len(parsed),
        "covered_share": len(parsed) / len(rows) if rows else math.nan,
        "sentential_cross_entropy": -math.fsum(row.log_prob_yield for row in parsed) / len(parsed)
        if parsed
        else math.nan,
        "tree_entropy": float(entropy.mean()) if parsed else math.nan,
        "tree_entropy_ci": interval99(entropy),
        "tree_entropy_per_word": float(entropy.sum()) / words if words else math.nan,
    }
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in figures.items()}
