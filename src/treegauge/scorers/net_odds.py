"""Choice and the net together: their log odds are added, by weights that were fitted across languages and parsers.

`tools/fit_net_odds.py` fits the weights on parses of eight treebanks of the CoNLL 2018 shared task; they are used for
every language and parser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.choice.tags import TagChoices
from treegauge.models.net.reading import NetChoices
from treegauge.scorers.evidence import lowest_around, neighbours

# the intercept, then the weight of the log odds of the arc by choice, by the net with tags, and by the net without
# tags, and of the neighbours: the lowest of the other arcs of the head, the arcs of the word before and of the word
# after (what is above and below an arc has no weight beside these)
ARC_WEIGHTS = (0.713, 0.341, 0.100, 0.129, 0.019, 0.019, 0.022)
ALONE_WEIGHTS = (0.775, 0.344, 0.104, 0.137)  # the same, fitted without the neighbours
# the intercept, then the weight of the log odds of the tag by choice, of the tag by the net, and of the arc by choice
TAG_WEIGHTS = (1.365, 0.550, 0.124, 0.093)
LARGEST = 8.0  # log odds beyond this tell little more
_DIGITS = 4  # of log p by the net: further ones depend on which sentences are looked at together


def clipped_odds(log_prob: np.ndarray) -> np.ndarray:
    """log p − log(1 − p) of log p rounded to _DIGITS; below −LARGEST a tenth counts, above LARGEST nothing."""
    log_prob = np.minimum(np.round(log_prob, _DIGITS), -1e-6)
    odds = log_prob - np.log(-np.expm1(log_prob))
    return np.clip(odds, -LARGEST, LARGEST) + 0.1 * np.clip(odds + LARGEST, -LARGEST, 0.0)


def own_odds(choice: np.ndarray, net: np.ndarray) -> np.ndarray:
    """Log odds of arcs, a row each: by choice, and by both views of the net; given log p of both."""
    return np.stack([clipped_odds(values) for values in (choice, *net)])


def mixed_odds(own: np.ndarray) -> np.ndarray:
    """½ choice + ¼ net with tags + ¼ net without tags: log odds where nothing is known of parsers."""
    return np.asarray(own[0] / 2 + own[1] / 4 + own[2] / 4)


def neighbour_odds(corpus: Corpus, own: np.ndarray) -> np.ndarray:
    """What is known of the neighbours of every arc, a row each, by `mixed_odds`: see ARC_WEIGHTS."""
    odds = mixed_odds(own)
    below_root, head_row = corpus.head > 0, np.maximum(corpus.head_row, 0)
    _, beside = lowest_around(odds, head_row, below_root)
    return np.stack([beside, *neighbours(odds, corpus.sentence)])


@dataclass(frozen=True)
class BothOdds:
    """The log odds of every arc by choice and the net together, with its neighbours and without."""

    own: np.ndarray  # see own_odds
    alone: np.ndarray  # log odds without the neighbours
    full: np.ndarray  # log odds with them

    @property
    def log_prob(self) -> np.ndarray:
        """log p of every arc."""
        return np.asarray(-np.logaddexp(0.0, -self.full))

    def rival_log_prob(self, rows: np.ndarray, choice: np.ndarray, net: np.ndarray) -> np.ndarray:
        """log p of another arc of the words in these rows, given log p of it by choice and by both views of the net.

        p' = (1 − p) · min(1, q' / (1 − q)),   q = σ(log odds without the neighbours) of the given arc, q' of the other
        """
        other = odds_alone(own_odds(choice, net))
        share = -np.logaddexp(0.0, -other) + np.logaddexp(0.0, self.alone[rows])
        return np.asarray(-np.logaddexp(0.0, self.full[rows]) + np.minimum(share, 0.0))


def odds_alone(own: np.ndarray) -> np.ndarray:
    """The log odds of arcs without their neighbours: only what is said of the arc itself."""
    return weighted_sum(ALONE_WEIGHTS, own)


def weighted_sum(weights: Sequence[float], rows: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
    """An intercept and the weighted sum of rows, item by item: a product of matrices has other last digits elsewhere.

    So an arc has the same score whichever arcs are scored together with it.
    """
    intercept, *factors = weights
    total = np.full(len(rows[0]), intercept)
    for factor, row in zip(factors, rows, strict=True):
        total += factor * row
    return total


def both_odds(corpus: Corpus, choice: np.ndarray, net: NetChoices) -> BothOdds:
    """The log odds of every arc: log p by choice, and what the net found."""
    own = own_odds(choice, net.log_prob)
    full = weighted_sum(ARC_WEIGHTS, np.concatenate([own, neighbour_odds(corpus, own)]))
    return BothOdds(own, odds_alone(own), full)


def both_tags(tags: TagChoices, net: NetChoices, of_net: tuple[str, ...], arcs: np.ndarray) -> TagChoices:
    """How plausible every tag is by choice and the net together, and its likeliest rival.

    of_net: the tags that the net knows. arcs: log p of every arc by choice; an improbable arc speaks against the tag.
    The rival is the net's or that of choice, whichever has the larger share of what the given tag has not.
    """
    known = np.stack([clipped_odds(log_prob) for log_prob in (tags.log_prob, net.log_tag, arcs)])
    odds = weighted_sum(TAG_WEIGHTS, known)
    names = tuple(dict.fromkeys((*tags.tags, *of_net)))
    place = np.array([names.index(name) for name in of_net] or [-1])
    other = np.where(net.other_tag >= 0, place[net.other_tag], -1)
    same = (tags.other == other) | (other < 0)
    shares = [_share(tags.log_prob, tags.log_other), _share(net.log_tag, net.log_other_tag)]
    rival = np.where(same | (shares[0] >= shares[1]), tags.other, other)
    share = np.where(same, shares[0] + shares[1], np.maximum(*shares)) / 2
    log_prob, rest = -np.logaddexp(0.0, -odds), -np.logaddexp(0.0, odds)
    return TagChoices(log_prob, rival.astype(np.int32), rest + np.log(np.maximum(share, 1e-12)), names)


def _share(log_prob: np.ndarray, log_other: np.ndarray) -> np.ndarray:
    """The share of a rival in what the given tag has not."""
    rest = -np.expm1(np.minimum(log_prob, -1e-6))
    return np.asarray(np.minimum(np.exp(log_other) / rest, 1.0))
