"""Whether the score of a sentence tells how hard it is to parse, beyond what its length tells."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from treegauge.corpus.compare.comparison import side_by_side
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.errors import OptionError, check_whole
from treegauge.models.model import Model
from treegauge.ranking.scored import score
from treegauge.scorers.registry import as_scorer
from treegauge.scorers.scorer import Scorer
from treegauge.statistics import LEVEL, mean_ranks, percentile_interval
from treegauge.tables import Table, Tabular, column_kinds

SCORE, LENGTH, LAS = "mean_log_score", "length", "las"


@dataclass(frozen=True, repr=False)
class SentenceDifficulty(Tabular):
    """A value of each sentence in each measure: its mean log score, its length and, if gold tells, its LAS."""

    language: str
    values: dict[str, np.ndarray]  # measure -> one value per sentence
    signature: str
    samples: int
    seed: int

    def correlations(self, chosen: np.ndarray | None = None) -> dict[tuple[str, str, str], float]:
        """Spearman's ρ of each two measures, and with LAS also where a third measure is held constant.

            ρ_xy·z = (ρ_xy − ρ_xz ρ_yz) / √((1 − ρ_xz²)(1 − ρ_yz²))

        The key is (x, y, z), z empty for ρ_xy. chosen: the sentences to look at, by default all. NaN if a measure is
        constant.
        """
        ranks = {name: mean_ranks(values if chosen is None else values[chosen]) for name, values in self.values.items()}
        with np.errstate(divide="ignore", invalid="ignore"):
            matrix = np.corrcoef(list(ranks.values()))
            rho = {(a, b): matrix[i, j] for i, a in enumerate(ranks) for j, b in enumerate(ranks)}
            found = {(a, b, ""): float(rho[a, b]) for a, b in combinations(ranks, 2)}
            if LAS in ranks:
                for x, z in ((SCORE, LENGTH), (LENGTH, SCORE)):
                    root = np.sqrt((1 - rho[x, z] ** 2) * (1 - rho[LAS, z] ** 2))
                    found[x, LAS, z] = float((rho[x, LAS] - rho[x, z] * rho[LAS, z]) / root)
        return found

    def table(self) -> Table:
        """A row for each correlation, with its interval over sentences."""
        n = len(self.values[LENGTH])
        drawn = [list(self.correlations(chosen).values()) for chosen in self._draws(n)]
        ends = percentile_interval(np.array(drawn)).T.tolist() if drawn else []
        rows = [
            (*names[:2], names[2] or None, rho, *(ends[k] if ends else (None, None)), n)
            for k, (names, rho) in enumerate(self.correlations().items())
        ]
        columns = column_kinds("first text, second text, constant text, rho p, low p, high p, sentences count")
        title = f"{self.language}: Spearman's ρ over sentences, {LEVEL:.0%} intervals"
        headers = {"constant": "held constant"}
        return Table(title, columns, tuple(rows), self.signature, "sentences", headers=headers)

    def _draws(self, n: int) -> Iterator[np.ndarray]:
        rng = np.random.default_rng(self.seed)
        return (rng.integers(n, size=n) for _ in range(self.samples))


def difficulty_sentences(
    gold: CorpusSource | None,
    system: CorpusSource | None,
    by: Scorer | Model | str | os.PathLike[str],
    *,
    name: str = "",
    samples: int = 500,
    seed: int = 1,
) -> SentenceDifficulty:
    """How the score, the length and the LAS of sentences go together.

    The sentences are the system's; without a system, they are gold's. LAS is the share of a sentence's words that gold
    has, too, whose head and relation are right; it is missing without gold, and sentences without such a word are left
    out.
    """
    check_whole("samples", samples, 0)
    gold, system = (None if side is None else as_corpus(side) for side in (gold, system))
    corpus = gold if system is None else system
    if corpus is None:
        raise OptionError("no gold and no system; expected one of them, or both")
    scored = score(corpus, as_scorer(by))
    values = {SCORE: scored.sentence_scores, LENGTH: np.diff(corpus.start).astype(float)}
    if gold is not None and system is not None:
        comparison = side_by_side(system, gold)
        present, right = (
            np.bincount(corpus.sentence, weights=mask, minlength=corpus.n_sentences)
            for mask in (comparison.present, comparison.present & comparison.right)
        )
        values[LAS] = np.divide(right, present, out=np.full(len(right), np.nan), where=present > 0)
    known = ~np.isnan(np.array(list(values.values()))).any(axis=0)
    if known.sum() < 3:
        raise OptionError(f"{corpus.path}: {known.sum()} sentences with a score; expected three or more")
    kept = {measure: column[known] for measure, column in values.items()}
    settings = f"sentences|samples:{samples}|seed:{seed}|{scored.signature}"
    return SentenceDifficulty(name or corpus.path, kept, settings, samples, seed)
