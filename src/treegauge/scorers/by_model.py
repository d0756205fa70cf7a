"""The scorers that use a model: choice and lisca for arcs, and one for tags."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError
from treegauge.explanations import Alternatives, Explanation, Reason
from treegauge.models.choice.probabilities import ArcChoices, Choice
from treegauge.models.choice.reasons import explain
from treegauge.models.choice.tags import TagChoice, TagChoices
from treegauge.models.choice.words import COLUMNS
from treegauge.models.fit import Fit, model_fit
from treegauge.models.lisca.reasons import Explainer
from treegauge.models.lisca.reference import counted_columns
from treegauge.models.lisca.score import ArcScores, Lisca, LiscaOptions
from treegauge.models.model import Model
from treegauge.scorers.scorer import PerCorpus, Scorer
from treegauge.version import signature
from treegauge.wording import chance

ARC_PROBABILITY = "log score is log p of the head and relation, among all that the word could have"

AS_TAGGED = "as-tagged"  # the name of the choice scorer that takes every tag as it is


class ChoiceScorer(Scorer):
    """log p(head, relation) of every arc against all others that its word could have."""

    probabilities = explains = suggests = True
    meaning = ARC_PROBABILITY

    def __init__(self, choice: Choice, name: str = "choice") -> None:
        super().__init__(name, choice.signature, COLUMNS)
        self.choice = choice
        self.choices: PerCorpus[ArcChoices] = PerCorpus(choice.choices)

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p of every arc."""
        return self.choices(corpus).log_prob

    has_net = False

    def net_odds(self, corpus: Corpus) -> np.ndarray | None:
        """Log odds of every arc, a row each: by choice and the net, by the net with tags, and without; None: no net."""
        return None

    def tag_choices(self, corpus: Corpus) -> TagChoices | None:
        """How plausible the tags are, where the weights know tags."""
        return self.choices(corpus).tags

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """The likelier arcs, and what speaks for them."""
        return explain(self.choice, corpus, rows, self.choices(corpus))

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs."""
        return self.choice.alternatives(corpus, rows, self.choices(corpus))

    def likelier(self, corpus: Corpus) -> tuple[np.ndarray, Alternatives]:
        """The rows of words that would rather have another arc, and these arcs.

        Arcs with a probability of one half or more are not looked at, because no other arc can be likelier.
        """
        return self.likelier_among(corpus, np.flatnonzero(self.scores(corpus) < np.log(0.5)))


def choice_scorer(model: Model, *, as_tagged: bool = False) -> ChoiceScorer:
    """The choice scorer of a model that has weights; as_tagged: every tag is taken as it is."""
    assert model.weights is not None
    weights = replace(model.weights, tags=None) if as_tagged else model.weights
    return ChoiceScorer(Choice(weights, model.name), AS_TAGGED if as_tagged else "choice")


class LiscaScorer(Scorer):
    """The log score of every arc, by the counts of a reference."""

    explains = True
    meaning = "log score is the log of a product of shares: how usual such an arc is in the reference"

    def __init__(self, lisca: Lisca, signature: str = "") -> None:
        super().__init__("lisca", signature or lisca.signature, counted_columns(lisca.reference.settings))
        self.lisca, self.reference = lisca, lisca.reference
        self.explainer = Explainer(lisca)
        self.judged = PerCorpus(self._judged)

    def _judged(self, corpus: Corpus) -> ArcScores:
        return self.lisca.judged(corpus)

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The logarithm of the score of every arc."""
        return self.judged(corpus).log_score

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """What each of these arcs has that is unusual for its relation."""
        return self.explainer.explain(corpus, rows)

    def fit(self, corpus: Corpus) -> Fit | None:
        """What the corpus has and the reference does not have."""
        return model_fit(corpus, self.lisca, self.judged(corpus).unseen)


def lisca_scorer(model: Model, options: LiscaOptions | None) -> LiscaScorer:
    """The LISCA scorer by the counts of a model."""
    return LiscaScorer(Lisca(model.reference, options))


TAG_COLUMNS = ("form", "upos")


class TagScorer(Scorer):
    """log p(tag) of every word against all tags that its form could have there."""

    probabilities = explains = True
    meaning = "log score is log p of the tag, among all that the word could have"

    def __init__(self, signature: str, columns: tuple[str, ...] = TAG_COLUMNS) -> None:
        super().__init__("tags", signature, columns)
        self.tag_choices: PerCorpus[TagChoices] = PerCorpus(self._tag_choices)

    def _tag_choices(self, corpus: Corpus) -> TagChoices:
        raise NotImplementedError

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p of the tag of every word."""
        return self.tag_choices(corpus).log_prob

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """The likeliest other tag of each word."""
        choices, explanations = self.tag_choices(corpus), []
        for row in rows.tolist():
            tag, own, other = corpus.value("upos", row), float(choices.log_prob[row]), float(choices.log_other[row])
            rather, reasons = choices.rather(row), []
            if choices.other[row] >= 0:
                text = f"next: {choices.tags[choices.other[row]]} ({chance(math.exp(other))})"
                text = f"probably {rather[0]} ({rather[1]:.2f}), tagged {tag}" if rather else text
                reasons = [Reason("tag", other - own, None, None, text)]
            notes = [f"probability {chance(math.exp(own))} of this tag"]
            notes += [] if tag in choices.tags else [f"upos {tag!r} is not in the model"]
            explanations.append(Explanation(row, own, tuple(reasons), tuple(notes)))
        return explanations


class TagScorerOfModel(TagScorer):
    """The tag scorer by the weights of a model."""

    def __init__(self, model: Model) -> None:
        weights = model.weights
        if weights is None or weights.tags is None:
            raise ModelError("the model knows no tags; build it again: `treegauge model build`")
        super().__init__(signature("tags", f"ref:{model.name}@{weights.hash[:8]}"))
        self.choice = TagChoice(weights.tags, weights.words)

    def _tag_choices(self, corpus: Corpus) -> TagChoices:
        return self.choice.choices(corpus)
