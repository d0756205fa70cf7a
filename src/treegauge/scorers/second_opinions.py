"""Scorers that ask other parses of the text: alone, or added to another scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.explanations import Alternatives, Explanation, Reason
from treegauge.models.fit import Fit
from treegauge.scorers.log_odds import log_odds, log_prob_of, move_to
from treegauge.scorers.opinions import Opinions
from treegauge.scorers.other_parses import OtherParses
from treegauge.scorers.scorer import PerCorpus, Scorer
from treegauge.scorers.trust import objections
from treegauge.version import signature


class AgreementScorer(Scorer):
    """Minus the weights of the other parses that do not have the arc: 0 for an arc that all have.

        score = −Σ_k w_k [parse k has another arc]

    w_k comes from how the parses agree with each other (`accuracies`), or from what a model finds of them. The pieces
    of the text must come in order.
    """

    explains = True
    meaning = "log score is minus the weights of the parses that have another arc"

    def __init__(self, others: OtherParses, weight: np.ndarray | None = None) -> None:
        """weight: of each other parse, in nats; by default from how the parses agree."""
        super().__init__("agreement", signature("agreement", f"with:{','.join(others.names)}"))
        self.others, self.weight = others, others.weight[1:] if weight is None else weight
        self.opinions: PerCorpus[Opinions] = PerCorpus(others)

    @property
    def notes(self) -> tuple[str, ...]:
        """Which parses lack words of the text."""
        return self.others.notes

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The score of every arc."""
        return -objections(self.opinions(corpus).says, self.weight)

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """Which parse has which arc."""
        return self.added_to([Explanation(int(row), 0.0, (), ()) for row in rows], corpus)

    def added_to(self, explanations: Sequence[Explanation], corpus: Corpus) -> list[Explanation]:
        """The explanations with which parse has which arc: a reason if some parse has another arc, else a note."""
        scores, opinions = self.scores(corpus), self.opinions(corpus)
        return [_with_opinion(e, opinions.said(e.row), float(-scores[e.row])) for e in explanations]


def _with_opinion(explanation: Explanation, text: str, cost: float) -> Explanation:
    if not cost:
        return replace(explanation, notes=(*explanation.notes, text))
    own = Reason("opinions", cost, None, None, text)
    reasons = sorted([own, *explanation.reasons], key=lambda reason: -reason.cost)
    return replace(explanation, log_score=explanation.log_score - cost, reasons=tuple(reasons))


class OpinionScorer(Scorer):
    """The scores of another scorer, less the weights of the other parses that have another arc.

        score = s − Σ_k w_k [parse k has another arc]

    s is the score of the other scorer. If that is a log probability, s is its log odds, and the score is the log
    probability whose log odds are those of the formula and a constant: the mean probability of the first words is the
    one that the other scorer gives them. An arc that all parses have keeps its place among the others. With a model,
    w_k is small for a parse that the model finds weak (`trust.opinion_weights`), so that a weak parse does not harm.
    """

    def __init__(self, base: Scorer, agreement: AgreementScorer) -> None:
        self.probabilities = base.probabilities
        self.meaning = (
            "log score is log p of the arc being right, by the other scorer and the other parses"
            if base.probabilities
            else "log score is that of the other scorer, less the weights of the parses that have another arc"
        )
        names = ",".join(agreement.others.names)
        super().__init__(f"{base.name}+opinions", f"{base.signature}|with:{names}", base.columns)
        self.base, self.agreement = base, agreement
        self.explains, self.suggests = True, base.suggests
        self.tag_choices, self.reference = base.tag_choices, base.reference

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the other scorer, and which parses lack words of the text."""
        return (*self.base.notes, *self.agreement.notes)

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The score of every arc."""
        if not self.probabilities:
            return np.asarray(self.base.scores(corpus) + self.agreement.scores(corpus))
        return log_prob_of(self._odds(corpus) + self._move)

    def _odds(self, corpus: Corpus) -> np.ndarray:
        """The log odds of every arc, without the constant."""
        return np.asarray(log_odds(self.base.scores(corpus)) + self.agreement.scores(corpus))

    @cached_property
    def _move(self) -> float:
        """The constant that is added to all log odds."""
        sample = self.agreement.others.samples(self.columns, most=1)[0]
        return move_to(self._odds(sample), float(np.exp(self.base.scores(sample)).mean())) if sample.n_words else 0.0

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """Which parse has which arc, and the reasons of the other scorer."""
        rows = np.asarray(rows)
        if self.base.explains:
            return self.agreement.added_to(self.base.explain(corpus, rows), corpus)
        scores = self.base.scores(corpus)[rows].tolist()
        plain = [Explanation(int(row), score, (), ()) for row, score in zip(rows, scores, strict=True)]
        return self.agreement.added_to(plain, corpus)

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs, by the other scorer."""
        return self.base.alternatives(corpus, rows)

    def likelier(self, corpus: Corpus) -> tuple[np.ndarray, Alternatives]:
        """The rows of words that would rather have another arc by the other scorer, and these arcs."""
        return self.base.likelier(corpus)

    def fit(self, corpus: Corpus) -> Fit | None:
        """How well the other scorer's model fits the corpus."""
        return self.base.fit(corpus)
