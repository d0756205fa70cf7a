"""Findings of one sentence after it was changed, by what was learned from the other folds when the desk was opened."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.choice.probabilities import Choice
from treegauge.models.columns.choices import ColumnChoices, ColumnJudge
from treegauge.scorers.by_model import ChoiceScorer
from treegauge.scorers.other_columns import ColumnByItself, ColumnScorer
from treegauge.upkeep.codes import CODE_OF
from treegauge.upkeep.finding_filter import FindingFilter
from treegauge.upkeep.findings import BELOW, Findings, find
from treegauge.upkeep.treebank_scorer import TreebankScorer


class _FoldScorer(ChoiceScorer):
    """What was learned for one fold."""

    def __init__(self, choice: Choice) -> None:
        super().__init__(choice)

    def log_prob(self, corpus: Corpus) -> np.ndarray:
        """log p of every arc."""
        return self.scores(corpus)


class _FoldColumn(ColumnScorer):
    """What was learned of a column for one fold."""

    def __init__(self, whole: ColumnByItself, fold: int) -> None:
        super().__init__(whole.column, whole.signature, None)
        self.judge, self.weight = whole.judge, whole.learned[fold]

    def _choices(self, corpus: Corpus) -> ColumnChoices:
        return self.judge.choices(corpus, [self.weight])

    def _weights_for(self, corpus: Corpus, row: int) -> tuple[ColumnJudge, np.ndarray]:
        return self.judge, self.weight


def sentence_findings(
    findings: Findings, sentence: Corpus, number: int, wanted: FindingFilter, below: float = BELOW
) -> Findings:
    """The findings of a sentence as it is now; number: which sentence of the treebank it is, from 0.

    Contradictions with other sentences are not looked for, and references are not asked: they come with the next
    `check`. What is known of lemmas and constructions is that of this sentence only, so the odds are rough.
    """
    by_itself = findings.scorer.by_itself
    fold = number % len(by_itself.learned)
    scorer = TreebankScorer(_FoldScorer(by_itself.learned[fold]))  # type: ignore[arg-type]
    columns = [_FoldColumn(one, fold) for one in findings.columns if isinstance(one, ColumnByItself)]
    return find(sentence, scorer, below=below, columns=_wanted_columns(columns, wanted.codes), wanted=wanted)


def _wanted_columns(columns: list[_FoldColumn], codes: Collection[str]) -> list[_FoldColumn]:
    return [column for column in columns if CODE_OF[column.column] in codes]
