"""How much to trust parses where they and choice disagree, and how probable the arcs of the result are.

Trust comes from how the parses agree with each other (`accuracies`) or, where there is gold, is learned from it
(`learn_trust`). It decides between the arcs that the parses and choice give each word (`Candidates`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from treegauge.corpus.compare.comparison import Comparison
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import relation_codes
from treegauge.models.choice.best_arcs import MOST, best_or_given, likely_arcs
from treegauge.models.choice.probabilities import Choice
from treegauge.scorers.by_net import Both
from treegauge.scorers.opinions import ABSENT, BOTH
from treegauge.scorers.signs import logit
from treegauge.statistics import maximum_likelihood


@dataclass(frozen=True)
class Trust:
    """How much parses count against choice, and how scores become probabilities.

    A parse adds scale · w to the score of an arc that it has, where w is its weight from how the parses agree with each
    other, or 1 if there is only one; the first adds `own` times that. An arc that no parse has must have at least the
    probability `least` by choice. The probability of an arc is 1 / (1 + exp −(intercept + slope · x)), where x is the
    log odds of its score as a share of what all parses add.
    """

    scale: float
    least: float = 0.0
    own: float = 1.0
    intercept: float = 0.0
    slope: float = 1.0

    def weights(self, weight: np.ndarray) -> np.ndarray:
        """What each parse adds to the score of an arc, in nats."""
        return self.scale * np.concatenate([self.own * weight[:1], weight[1:]])

    def probability(self, log_odds: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """How probable arcs are, given the log odds of their scores against all others that their words may have."""
        x = log_odds / self.weights(weight).sum()
        return np.asarray(np.exp(-np.logaddexp(0.0, -(self.intercept + self.slope * x))))


# chosen on the first four treebanks of benchmarks/combine.py and, for one parse, on the first five pairs
ALONE = Trust(8.0, 0.9, intercept=-8.0, slope=7.2)  # hardly ever harms, even a strong parser
TOGETHER = Trust(3.0, intercept=-0.96, slope=3.2)
BY_MODEL_TOO = Trust(2.0, intercept=-0.96, slope=3.2)  # for weights_by_model
ENTIRE = Trust(10.0)  # changes nothing in one parse: its arcs have at least −9 + 10, all others at most 0

# fitted by tools/fit_trust.py, so that no weak parse harms
_OPINION = (0.067, -0.545, 1.225)  # intercept, and the weights of the logits of this parse's and the other's share
_LARGEST_OPINION = 3.0
_REPAIR = (1.987, 2.486, -2.521)  # log scale: intercept, and the weights of two logits
_SCALES = 0.5, 10.0  # bounds of the scale; at the upper one nothing is changed
_SHARE, _SPREAD, _BEST = 0.0, 2.0, 1.0  # see weights_by_model


def opinion_weights(first: float, others: Sequence[float]) -> np.ndarray:
    """How much each other parse counts against an arc that it does not have, in nats.

        w_k = 0.067 − 0.545 · logit f + 1.225 · logit f_k,   at least 0, at most 3

    f, f_k: the share of arcs of the parse, and of parse k, that the model would choose first (`Signs.first`).
    """
    intercept, own, other = _OPINION
    given = intercept + own * logit(first) + other * np.array([logit(share) for share in others])
    return np.clip(given, 0.0, _LARGEST_OPINION)


def repairing(accuracy: float, held_back: float) -> Trust:
    """The trust in one parse that the model is to repair.

        log scale = 1.987 + 2.486 · logit a − 2.521 · logit h

    a: the estimated LAS of the parse; h: the share of arcs of its own reference, held back from learning, that are the
    first choice of the net. The better the parse and the worse the net, the less is changed.
    """
    intercept, of_parse, of_net = _REPAIR
    scale = float(np.clip(np.exp(intercept + of_parse * logit(accuracy) + of_net * logit(held_back)), *_SCALES))
    return Trust(scale, intercept=-0.8 - 0.9 * scale, slope=0.9 * scale)


def weights_by_model(first: Sequence[float], accuracy: np.ndarray) -> np.ndarray:
    """Weights of parses to be combined: the best one has most, the others less, the worse they are.

        w_k = _BEST · mean w · exp(_SPREAD (x_k − max x)),   x_k = (1 − _SHARE) · logit f_k + _SHARE · logit a_k

    f_k: the share of arcs of parse k that the model would choose first (`Signs.first`); a_k, w: accuracies and weights
    by how the parses agree.
    """
    x = np.array([(1 - _SHARE) * logit(f) + _SHARE * logit(a) for f, a in zip(first, accuracy.tolist(), strict=True)])
    return np.asarray(_BEST * weights(accuracy).mean() * np.exp(_SPREAD * (x - x.max())))


WRONG_ARCS = 8  # a parse that is wrong has one of so many arcs
PASSES = 50
_LEAST, _MOST = 0.2, 0.99  # bounds of the accuracy; at the lower one, agreement still speaks for an arc
_START = 0.8


def accuracies(groups: np.ndarray, passes: int = PASSES) -> np.ndarray:
    """How often each parse has the right arc, estimated from how they agree; groups: see `Opinions.groups`.

    Dawid and Skene (1979), with one number for each parse: parse k has the right arc with probability a_k, and else
    any of N = WRONG_ARCS others. Of the arcs that the parses give a word, c is the right one with probability

        q(c) ∝ Π_{k has c} N a_k / (1 − a_k),

    against 1 for the case that none is right; then a_k is the mean q of its arcs; this is repeated `passes` times.
    """
    patterns, count = _patterns(groups)
    words = (patterns >= 0) @ count
    has = patterns[None] == np.arange(len(groups))[:, None, None]  # candidate, parse, pattern
    first = has.any(axis=1)
    accuracy = np.full(len(groups), _START)
    for _ in range(passes):
        log_odds = np.where(first, np.einsum("ckp,k->cp", has, weights(accuracy)), -np.inf)
        best = np.maximum(log_odds.max(axis=0), 0)
        shares = np.exp(log_odds - best)
        q = shares / (shares.sum(axis=0) + np.exp(-best))
        right = np.einsum("ckp,cp,p->k", has, q, count)
        accuracy = np.clip((right + 1) / (words + 2), _LEAST, _MOST)
    return accuracy


def weights(accuracy: np.ndarray) -> np.ndarray:
    """log N a / (1 − a), in nats: the weight of a parse of this accuracy for the arcs that it has."""
    return np.asarray(np.log(WRONG_ARCS * accuracy / (1 - accuracy)))


def _patterns(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ways in which the parses agree on a word (the columns), and how often each is met."""
    code = np.zeros(groups.shape[1], np.int64)
    for row in groups:  # renumbered each time, so that the numbers stay small
        code = np.unique(code * (len(groups) + 1) + row + 1, return_inverse=True)[1].ravel()
    _, example, count = np.unique(code, return_index=True, return_counts=True)
    return groups[:, example], count.astype(float)


def objections(says: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """What speaks against every arc, in nats: the sum of the weights of the parses that have another arc.

    says: see `Opinions`. A parse that does not have the word counts as the mean of those that have it; where no parse
    has the word, the mean over the whole text counts.
    """
    present = np.where(says == ABSENT, 0.0, weight[:, None]).sum(axis=0)
    against = np.where((says == ABSENT) | (says == BOTH), 0.0, weight[:, None]).sum(axis=0)
    usual = against.sum() / max(present.sum(), 1e-300)
    share = np.where(present > 0, against / np.maximum(present, 1e-300), usual)
    return np.asarray(share * weight.sum())


LOWEST = -9.0  # lower log p of an arc counts as this
HEAD_ONLY = 0.15  # the share of a parse's weight for an arc whose head it has with another relation
_SENTENCES = 1 << 10  # whose best trees are found at a time
_WORDS = 1 << 16  # whose likely arcs are found at a time
REST = -3.0  # the score of all arcs together that are no candidates


@dataclass(frozen=True)
class Candidates:
    """The arcs that each word may have: a row for each word, a column for each arc.

    The arcs of the parses come first, this parse's before the others', then arcs that only choice gives. A column that
    is not used has the head -1.
    """

    parse: Corpus
    head: np.ndarray  # position in the sentence, 0 = root
    relation: np.ndarray  # code into relations
    log_prob: np.ndarray  # by choice, or by choice and the net; 0 if there is no model
    parse_head: np.ndarray  # a row for each parse; -1 where it lacks the word, or the head is not in the sentence
    parse_relation: np.ndarray
    relations: tuple[str, ...]  # universal ones

    @property
    def parses(self) -> int:
        """How many parses there are."""
        return len(self.parse_head)

    def scores(self, weight: np.ndarray, trust: Trust, rows: slice = slice(None)) -> np.ndarray:
        """What speaks for each arc, in nats: max(log p, LOWEST) + Σ_k w_k · (1, or HEAD_ONLY), w as the trust has it.

        −inf where there is no arc, and for an arc that no parse has and that is not probable enough. rows: only of
        these words.
        """
        log_prob, heads = self.log_prob[rows], self.head[rows]
        score = np.maximum(log_prob, LOWEST)
        for k, own in enumerate(trust.weights(weight).tolist()):
            head = heads == self.parse_head[k, rows][:, None]
            arc = head & (self.relation[rows] == self.parse_relation[k, rows][:, None])
            score += np.where(arc, own, np.where(head, HEAD_ONLY * own, 0.0))
        score[heads < 0] = -np.inf
        if trust.least > 0:
            rest = score[:, self.parses :]
            rest[log_prob[:, self.parses :] < np.log(trust.least)] = -np.inf
        return score

    def who_has(self, row: int, column: int) -> list[int]:
        """The numbers of the parses that have the arc of a row and column."""
        same = self.parse_head[:, row] == self.head[row, column]
        same &= self.parse_relation[:, row] == self.relation[row, column]
        return np.flatnonzero(same).tolist()


def log_odds(score: np.ndarray) -> np.ndarray:
    """The log odds of each arc against all others of its word, REST among them."""
    best = np.maximum(score.max(axis=1, initial=REST), REST)[:, None]
    share = np.exp(score - best)
    before, after = (np.zeros_like(share) for _ in range(2))
    before[:, 1:] = np.cumsum(share[:, :-1], axis=1)
    after[:, :-1] = np.cumsum(share[:, :0:-1], axis=1)[:, ::-1]
    return np.asarray(score - best - np.log(before + after + np.exp(REST - best)))


def candidates(
    parse: Corpus, others: Sequence[Comparison], judge: Choice | Both | None, *, threads: int | None = None
) -> Candidates:
    """The arcs that the words of a parse may have; others: the parse beside each of several other parses.

    judge: choice, or choice and a net, if there is a model.
    """
    choice = judge.choice if isinstance(judge, Both) else judge
    names = {name: k for k, name in enumerate(choice.weights.relations)} if choice is not None else {}
    known = len(names)
    sides = [parse, *(comparison.overlay for comparison in others)]
    heads = np.stack([side.head for side in sides]).astype(np.int32)
    relations = np.stack(
        [relation_codes(side.labels["deprel"], False, names)[side.codes["deprel"]] for side in sides]
    ).astype(np.int32)
    for k, comparison in enumerate(others, 1):
        heads[k, ~comparison.present] = -1
    given, of_given = heads.T.copy(), relations.T.copy()
    for k in range(1, len(sides)):
        same = (heads[:k] == heads[k]) & (relations[:k] == relations[k])
        given[same.any(axis=0), k] = -1
    if choice is None:
        log_prob = np.where(given < 0, -np.inf, 0.0)
        return Candidates(parse, given, of_given, log_prob, heads, relations, tuple(names))
    by_choice = np.where(of_given < known, of_given, -1).astype(np.int32)
    shape, done = (parse.n_words, len(sides) + MOST), 0
    head, relation, log_prob = np.empty(shape, np.int32), np.empty(shape, np.int32), np.empty(shape)
    for part in parse.parts(_WORDS):
        rows = slice(done, done := done + part.n_words)
        arcs = likely_arcs(choice, part, (given[rows], by_choice[rows]), threads=threads)
        head[rows], relation[rows], log_prob[rows] = arcs.head, arcs.relation, arcs.log_prob
        if isinstance(judge, Both):
            log_prob[rows] = judge.log_probs(part, arcs.head, arcs.relation, arcs.log_prob, threads)
    relation[:, : len(sides)] = of_given
    return Candidates(parse, head, relation, log_prob, heads, relations, tuple(names))


# the values that `learn_trust` tries: scale and least for one parse, scale and own for several
ALONE_SCALES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
LEAST = (0.0, 0.5)
TOGETHER_SCALES = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0)
OWN = (1.0, 1.25, 1.5, 2.0, 3.0, 5.0)
ERRORS = 2.0  # another trust must be better than the usual one by so many standard errors


def right_columns(arcs: Candidates, comparison: Comparison) -> np.ndarray:
    """Whether each arc that a word may have has the head and the universal relation of gold."""
    gold = comparison.overlay
    names = {name: k for k, name in enumerate(arcs.relations)}
    relation = relation_codes(gold.labels["deprel"], False, names)[gold.codes["deprel"]]
    right = (arcs.head == gold.head[:, None]) & (arcs.relation == relation[:, None]) & (arcs.head >= 0)
    return np.asarray(right & comparison.present[:, None])


def learn_trust(arcs: Candidates, weight: np.ndarray, right: np.ndarray, rows: np.ndarray | None = None) -> Trust:
    """The trust by which most arcs become right, learned from text whose right arcs are known (`right_columns`).

    The gain over the usual trust is counted less ERRORS of its standard errors. If no trust gains so, one parse stays
    as it is, and several count as TOGETHER. Then the probabilities are fitted to the arcs of the best trees. rows: only
    the words in this mask count.
    """
    counted = np.ones(len(right), bool) if rows is None else rows

    def is_right(trust: Trust) -> np.ndarray:
        column, _ = _best_trees(arcs, weight, trust)
        return np.asarray(right[np.arange(len(right)), column][counted].astype(np.int8))

    if arcs.parses == 1:
        usual, tried = ENTIRE, [Trust(scale, least) for least, scale in product(LEAST, reversed(ALONE_SCALES))]
    else:
        usual, tried = TOGETHER, [Trust(scale, own=own) for scale, own in product(TOGETHER_SCALES, OWN)]
    before, gain, best = is_right(usual), 0.0, usual
    for trust in tried:
        gained = is_right(trust) - before
        value = float(gained.sum(dtype=np.int64) - ERRORS * np.sqrt(np.count_nonzero(gained)))
        if value > gain:
            gain, best = value, trust
    return with_probabilities(best, arcs, weight, right, counted)


def _best_trees(arcs: Candidates, weight: np.ndarray, trust: Trust) -> tuple[np.ndarray, np.ndarray]:
    """The column of each word's arc in the best trees by a trust, and its log odds; many sentences at a time."""
    start = arcs.parse.start
    column, odds = np.zeros(len(arcs.head), dtype=np.int32), np.zeros(len(arcs.head))
    for low in range(0, arcs.parse.n_sentences, _SENTENCES):
        ends = start[low : low + _SENTENCES + 1]
        rows = slice(int(ends[0]), int(ends[-1]))
        score = arcs.scores(weight, trust, rows)
        column[rows] = best_or_given(arcs.head[rows], score, ends - ends[0])
        odds[rows] = log_odds(score)[np.arange(len(score)), column[rows]]
    return column, odds


def with_probabilities(
    trust: Trust, arcs: Candidates, weight: np.ndarray, right: np.ndarray, rows: np.ndarray
) -> Trust:
    """A trust with the intercept and slope of the most likely probabilities of the best trees' arcs.

    If these arcs are all right or all wrong, intercept and slope are the usual ones.
    """
    column, odds = _best_trees(arcs, weight, trust)
    at = np.flatnonzero(rows), column[rows]
    if not 0 < right[at].sum() < len(at[0]):
        usual = ALONE if arcs.parses == 1 else TOGETHER
        return replace(trust, intercept=usual.intercept, slope=usual.slope)
    x = odds[rows] / trust.weights(weight).sum()
    X = np.column_stack([np.ones(len(x)), x])
    weights = maximum_likelihood(lambda: [X], right[at], np.array([1e-9, 1.0]))
    return replace(trust, intercept=float(weights[0]), slope=max(float(weights[1]), 0.0))
