"""The scorer of `treegauge check`: it judges each part of a treebank by the other parts, and by references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.errors import check_type
from treegauge.explanations import Alternatives, Explanation
from treegauge.models.choice.tags import TagChoices
from treegauge.models.choice.words import COLUMNS
from treegauge.ranking.scored import BINS, bin_of
from treegauge.scorers.by_itself import ChoiceByItself, NetByItself
from treegauge.scorers.by_net import BothChoices
from treegauge.scorers.scorer import PerCorpus, Scorer
from treegauge.scorers.second_opinions import AgreementScorer

# These numbers were chosen on the corrections of en_ewt_r22; benchmarks/corrections.py tests them on pt_bosque_2019.
TAG, LEAST_TAG = 0.3, -8.0
REFERENCE, LEAST_REFERENCE = 0.4, -12.0
LESS_SUSPICIOUS = 0.5  # the weight of the one of choice and the net that finds an arc less suspicious
MORE_CERTAIN = 0.5  # the arc that a reference suggests is taken if its log p is higher by so much


@dataclass(frozen=True, slots=True)
class OrderBy:
    """A scorer by which `check` orders the arcs."""

    scorer: Scorer

    def __post_init__(self) -> None:
        check_type("scorer", self.scorer, Scorer, "a scorer, as `scorer` returns it")


def doubt_of_both(found: BothChoices) -> np.ndarray:
    """How plausible arcs and tags are by choice and the net, lower for a more suspicious one.

        s = ¼ (c + n + ½ max(c, n)) + 0.15 max(log p_tag, −8) + 0.15 max(log p_tag by the net, −8)

    c is twice the log odds of the arc by choice, n the sum of those of the net's two views, each from −16 to 10. The
    maximum counts because both should doubt an arc that is to come first.
    """
    choice, net = 2 * _log_odds(found.choice.log_prob), _log_odds(found.net.log_prob).sum(axis=0)
    scores = (choice + net + LESS_SUSPICIOUS * np.maximum(choice, net)) / 4
    if found.choice.tags is None:
        return np.asarray(scores)
    by_choice, by_net = (np.maximum(tag, LEAST_TAG) for tag in (found.choice.tags.log_prob, found.net.log_tag))
    return np.asarray(scores + TAG / 2 * (by_choice + by_net))


def _log_odds(log_prob: np.ndarray) -> np.ndarray:
    log_prob = np.minimum(log_prob, -1e-6)
    return np.clip(log_prob - np.log(-np.expm1(log_prob)), -16.0, 10.0)


class TreebankScorer(Scorer):
    """How plausible the arcs of a treebank are, by what is learned from its other folds and from references.

        s = log p + 0.3 max(log p_tag, −8) + 0.4 Σ_r max(log p_r, −12) − Σ_k w_k [parse k has another arc]

    p is the probability of the arc by choice, p_tag the probability of the word's tag; both are learned from the other
    folds. p_r is the probability of the arc by choice, learned from reference r. So an arc is more suspicious if its
    tag is improbable, if another treebank finds the arc improbable, or if a parser has another arc.

    With nets (`check --net`) the first two parts are what choice and the net say together (`doubt_of_both`).

    order: another scorer, by which arcs are ordered instead. Then the arcs of the last of ten equal bins of its ranking
    are suspicious, as in Alzetta et al. (2017), whatever their probability.
    """

    explains = suggests = True
    meaning = "log p of the arc, plus what its tag and the references add"

    def __init__(
        self,
        by_itself: ChoiceByItself,
        references: Sequence[Scorer] = (),
        agreement: AgreementScorer | None = None,
        order: Scorer | None = None,
    ) -> None:
        self.by_itself, self.references, self.agreement, self.order = by_itself, tuple(references), agreement, order
        parts = [
            by_itself.signature.replace(f"{by_itself.name}|", "check|", 1),
            *(reference.signature for reference in references),
        ]
        parts += [each.signature for each in (agreement, order) if each]
        super().__init__("check", " + ".join(parts), COLUMNS)
        if order is not None:
            self.meaning = order.meaning
        self._scores, self.opinions = PerCorpus(self._weighted_sum), PerCorpus(self._likeliest_others)

    def _weighted_sum(self, corpus: Corpus) -> np.ndarray:
        if isinstance(self.by_itself, NetByItself):
            scores = np.empty(corpus.n_words)
            for rows, found in self.by_itself.found(corpus):
                scores[rows] = doubt_of_both(found)
        else:
            scores, tags = self.by_itself.scores(corpus), self.tag_choices(corpus)
            scores = scores if tags is None else scores + TAG * np.maximum(tags.log_prob, LEAST_TAG)
        for reference in self.references:
            scores = scores + REFERENCE * np.maximum(reference.scores(corpus), LEAST_REFERENCE)
        return scores if self.agreement is None else scores + self.agreement.scores(corpus)

    def _likeliest_others(self, corpus: Corpus) -> list[Alternatives]:
        """The likeliest other arc of every word: by the treebank itself, then by each reference."""
        rows = np.arange(corpus.n_words)
        return [judge.alternatives(corpus, rows) for judge in (self.by_itself, *self.references)]

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The score of every arc."""
        return self._scores(corpus) if self.order is None else self.order.scores(corpus)

    def by_others(self, corpus: Corpus, rows: np.ndarray, odds: np.ndarray) -> np.ndarray:
        """The log odds of being changed of some arcs, with what references and other parses say, or in another order.

        What they say is counted from its mean over these arcs, so that it moves arcs among themselves only. With
        `order`, the arcs get the same odds in the order of that scorer.
        """
        if self.order is not None:
            place = np.argsort(np.argsort(self.order.scores(corpus)[rows], kind="stable"), kind="stable")
            return np.asarray(np.sort(odds)[::-1][place])
        said = np.zeros(len(rows))
        for reference in self.references:
            said += REFERENCE * np.maximum(reference.scores(corpus)[rows], LEAST_REFERENCE)
        if self.agreement is not None:
            said += self.agreement.scores(corpus)[rows]
        return np.asarray(odds - said + (said.mean() if len(said) else 0.0))

    def suspicious(self, corpus: Corpus, below: float) -> np.ndarray:
        """Whether each arc is suspicious: its probability is below `below`, or it is in the last bin by `order`."""
        if self.order is None:
            return np.asarray(np.exp(self.log_prob(corpus)) < below)
        scores = np.nan_to_num(self.scores(corpus), nan=np.inf)  # an arc without a score is not suspicious
        place = np.empty(len(scores), dtype=np.int64)
        place[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
        return np.asarray((bin_of(place, len(scores), BINS) == BINS) & (scores < np.inf))

    def log_prob(self, corpus: Corpus) -> np.ndarray:
        """log p of every arc, learned from the other folds only."""
        return self.by_itself.log_prob(corpus)

    def tag_choices(self, corpus: Corpus) -> TagChoices | None:
        """How plausible the tags are."""
        return self.by_itself.tag_choices(corpus)

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """The likelier arcs and the reasons for them; which other parses have the arc."""
        explanations = self.by_itself.explain(corpus, rows)
        return explanations if self.agreement is None else self.agreement.added_to(explanations, corpus)

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs, by the treebank itself, or by a reference that is more certain."""
        names = [field.name for field in fields(Alternatives)]
        first, *others = self.opinions(corpus)
        best = Alternatives(*(getattr(first, name)[rows] for name in names))
        for other in others:
            better = other.log_prob[rows] > best.log_prob + MORE_CERTAIN
            best = Alternatives(*(np.where(better, getattr(other, name)[rows], getattr(best, name)) for name in names))
        return best
