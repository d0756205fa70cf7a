"""What can be known of a whole parse without gold: how often it has the arc that the model would choose itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.choice.probabilities import ArcChoices, Choice
from treegauge.models.net.reading import NetChoices
from treegauge.scorers.by_net import Both

_LEAST = 0.005  # shares below this, or above 1 less this, tell nothing more


@dataclass(frozen=True, slots=True)
class Signs:
    """Shares of the arcs of a parse that the model would choose first itself."""

    words: int
    choice: float  # by choice
    net: float | None = None  # by the net, with the mean probability of its two views; None if there is no net

    @property
    def first(self) -> float:
        """The share by the net, or by choice if there is no net."""
        return self.choice if self.net is None else self.net


def signs_of(
    judge: Choice | Both, corpus: Corpus, choices: ArcChoices | None = None, net: NetChoices | None = None
) -> Signs:
    """The signs of a parse; judge: choice, or choice and the net of a model.

    choices, net: what choice and the net find of the arcs, if that is known already.
    """
    choice = judge if isinstance(judge, Choice) else judge.choice
    rival = choice.alternatives(corpus, np.arange(corpus.n_words), choices or choice.choices(corpus))
    by_choice = _mean(rival.own_log_prob > rival.log_prob)
    if isinstance(judge, Choice):
        return Signs(corpus.n_words, by_choice)
    net = net or judge.net.choices(corpus)
    own, other = (np.exp(values).mean(axis=0) for values in (net.log_prob, net.log_other))
    return Signs(corpus.n_words, by_choice, _mean(own > other))


def _mean(mask: np.ndarray) -> float:
    return float(mask.mean()) if len(mask) else 0.5


def logit(share: float) -> float:
    """log p − log(1 − p), with p at least _LEAST and at most 1 − _LEAST."""
    share = min(max(share, _LEAST), 1 - _LEAST)
    return float(np.log(share / (1 - share)))


def expit(x: float) -> float:
    """The share whose logit is x."""
    return float(1 / (1 + np.exp(-x)))
