"""What can be known of a whole parse without gold: how often it has the arc that the model would choose itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.choice.probabilities import Choice
from treegauge.scorers.by_net import Both

_SURE = 0.9, 0.98  # between these probabilities of its first choice the net counts as sure, but not without doubt
_LEAST = 0.005  # shares below this, or above 1 less this, tell nothing more


@dataclass(frozen=True, slots=True)
class Signs:
    """Shares of the arcs of a parse that the model would choose first itself.

    Without a net, all but `choice` are None.
    """

    words: int
    choice: float  # the first choice of choice
    net: float | None = None  # the first choice of the net, by the mean probability of its two views
    either: float | None = None  # the first choice of choice or of the net
    both: float | None = None  # the first choice of choice and of the net
    sure: float | None = None  # the first choice of the net, among the words where it is sure

    @property
    def first(self) -> float:
        """The share of arcs that are the first choice of the net, or of choice if there is no net."""
        return self.choice if self.net is None else self.net


def signs_of(judge: Choice | Both, corpus: Corpus) -> Signs:
    """The signs of a parse; judge: choice, or choice and the net of a model."""
    n, rows = corpus.n_words, np.arange(corpus.n_words)
    if isinstance(judge, Choice):
        rival = judge.alternatives(corpus, rows, judge.choices(corpus))
        return Signs(n, _mean(rival.own_log_prob > rival.log_prob))
    choices, net = judge.choice.choices(corpus), judge.net.choices(corpus)
    rival = judge.choice.alternatives(corpus, rows, choices)
    own, other = (np.exp(values).mean(axis=0) for values in (net.log_prob, net.log_other))
    by_choice, by_net, best = rival.own_log_prob > rival.log_prob, own > other, np.maximum(own, other)
    sure = (best >= _SURE[0]) & (best < _SURE[1])
    share_of_sure = (int(by_net[sure].sum()) + 2) / (int(sure.sum()) + 3)
    return Signs(
        n, _mean(by_choice), _mean(by_net), _mean(by_choice | by_net), _mean(by_choice & by_net), share_of_sure
    )


def _mean(mask: np.ndarray) -> float:
    return float(mask.mean()) if len(mask) else 0.5


def logit(share: float) -> float:
    """log p − log(1 − p), with p at least _LEAST and at most 1 − _LEAST."""
    share = min(max(share, _LEAST), 1 - _LEAST)
    return float(np.log(share / (1 - share)))


def expit(x: float) -> float:
    """The share whose logit is x."""
    return float(1 / (1 + np.exp(-x)))
