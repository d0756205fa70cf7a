"""The scorers of a model that has a net: choice and the net together, for arcs and for tags."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.explanations import Alternatives, Explanation
from treegauge.models.choice.best_arcs import likely_arcs
from treegauge.models.choice.probabilities import ArcChoices, Choice
from treegauge.models.choice.reasons import explain
from treegauge.models.choice.tags import TagChoices
from treegauge.models.model import Model
from treegauge.models.net.inference import Net
from treegauge.models.net.reading import NetChoices
from treegauge.scorers.by_model import ChoiceScorer, TagScorer
from treegauge.scorers.net_odds import BothOdds, both_odds, both_tags
from treegauge.scorers.scorer import PerCorpus
from treegauge.version import signature
from treegauge.wording import chance

NET = "net"
TOGETHER = "log score is log p of the arc being right, by choice and the net together"


@dataclass(frozen=True)
class BothChoices:
    """What choice and the net find of every arc of a corpus, each for itself and together."""

    choice: ArcChoices
    net: NetChoices
    odds: BothOdds
    tags: TagChoices | None


class Both:
    """Asks choice and the net."""

    def __init__(self, choice: Choice, net: Net) -> None:
        self.choice, self.net = choice, net
        # the relations of the net as codes of choice, -1 where it does not have them, and the other way round
        of_choice, of_net = choice.weights.relations, net.weights.relations
        self._to_choice = np.array([of_choice.index(t) if t in of_choice else -1 for t in of_net] + [-1], np.int32)
        self._to_net = np.array([of_net.index(t) if t in of_net else -1 for t in of_choice] + [-1], np.int32)
        settings, _, version = choice.signature.replace("choice|", f"{NET}|", 1).rpartition("|")
        self.signature = f"{settings}|net:{net.weights.hash[:8]}|{version}"

    def choices(self, corpus: Corpus, threads: int | None = None) -> BothChoices:
        """What both find of every arc."""
        choices, net = self.choice.choices(corpus, threads), self.net.choices(corpus, threads)
        arcs, of_net = choices.log_prob, self.net.weights.tags
        tags = None if choices.tags is None else both_tags(choices.tags, net, of_net, arcs)
        return BothChoices(choices, net, both_odds(corpus, arcs, net), tags)

    def log_probs(
        self, corpus: Corpus, head: np.ndarray, relation: np.ndarray, choice: np.ndarray, threads: int | None = None
    ) -> np.ndarray:
        """½ log p by choice + ¼ log p by each view of the net, of arcs that words may have.

        head (-1: none), relation (codes of choice), choice (log p by it): a row for each word.
        """
        net = self.net.log_probs(corpus, head, self._to_net[relation], threads)
        return np.where(head < 0, -np.inf, choice / 2 + net.sum(axis=0) / 4)

    def alternatives(self, corpus: Corpus, rows: np.ndarray, found: BothChoices) -> Alternatives:
        """The likeliest other arcs of the words in these rows: what choice or what the net would rather have,
        whichever is likelier by both."""
        by_choice = self.choice.alternatives(corpus, rows, found.choice)
        relations = {name: k for k, name in enumerate(self.choice.weights.relations)} | {"": -1}
        code = np.fromiter(map(relations.__getitem__, by_choice.relation.tolist()), np.int32, len(rows))
        part, at = corpus.around(rows)
        head, relation = np.full((2, part.n_words, 1), -1, dtype=np.int32)
        head[at, 0], relation[at, 0] = by_choice.head, self._to_net[code]
        of_net = self.net.log_probs(part, head, relation)[:, at, 0]
        own = found.odds.log_prob[rows]
        first = found.odds.rival_log_prob(rows, by_choice.log_prob, of_net)
        first[by_choice.head < 0] = -np.inf
        head[at, 0], relation[at, 0] = found.net.other_head[rows], self._to_choice[found.net.other_relation[rows]]
        likely = likely_arcs(self.choice, part, (head, relation), most=0)
        second = found.odds.rival_log_prob(rows, likely.log_prob[at, 0], found.net.log_other[:, rows])
        second[found.net.other_head[rows] < 0] = -np.inf
        rather = second > first
        names = np.array([*self.net.weights.relations, ""], dtype=object)
        return Alternatives(
            np.where(rather, found.net.other_head[rows], by_choice.head),
            np.where(rather, names[found.net.other_relation[rows]], by_choice.relation),
            np.maximum(np.maximum(first, second), -700.0),
            own,
        )

    def explain(self, corpus: Corpus, rows: np.ndarray, found: BothChoices) -> list[Explanation]:
        """What choice says of each arc, and what the net says; the probability is that of both together."""
        own = found.odds.log_prob[rows].tolist()
        explanations = explain(self.choice, corpus, rows, replace(found.choice, tags=found.tags))
        lines = self._said_by_net(corpus, rows, found.net)
        by_choice = found.choice.log_prob[rows].tolist()
        told = []
        for explanation, log_prob, alone, line in zip(explanations, own, by_choice, lines, strict=True):
            notes = (
                f"probability {chance(math.exp(log_prob))} of this head and relation; "
                f"choice alone: {chance(math.exp(alone))}",
                line,
                *explanation.notes[1:],
            )
            told.append(replace(explanation, log_score=log_prob, notes=notes))
        return told

    def _said_by_net(self, corpus: Corpus, rows: np.ndarray, net: NetChoices) -> Iterator[str]:
        """What the net says of each arc, in words."""
        own, other = (np.exp(values[:, rows]).mean(axis=0).tolist() for values in (net.log_prob, net.log_other))
        start = corpus.start[corpus.sentence[rows]]
        for k, row in enumerate(rows.tolist()):
            head, relation = int(net.other_head[row]), int(net.other_relation[row])
            if head < 0:
                yield f"the net gives this arc {own[k]:.2f}"
                continue
            name = self.net.weights.relations[relation]
            arc = f"{name} of '{corpus.value('form', int(start[k]) + head - 1)}'" if head else f"{name}, the root,"
            if other[k] > own[k]:
                yield f"the net finds {arc} likelier, {other[k]:.2f}; this arc {chance(own[k])}"
            else:
                yield f"the net agrees, {own[k]:.2f}; next: {arc} {chance(other[k])}"


class NetScorer(ChoiceScorer):
    """log p of every arc being right, by choice and the net together."""

    meaning = TOGETHER
    has_net = True

    def __init__(self, both: Both) -> None:
        super().__init__(both.choice, NET)
        self.both, self.signature = both, both.signature
        self.found: PerCorpus[BothChoices] = PerCorpus(both.choices)
        self.choices = PerCorpus(lambda corpus: self.found(corpus).choice)

    def __reduce__(self) -> tuple[type[NetScorer], tuple[Both]]:
        return NetScorer, (self.both,)

    def net_odds(self, corpus: Corpus) -> np.ndarray | None:
        """Log odds of every arc, a row each: by choice and the net, by the net with tags, and without."""
        odds = self.found(corpus).odds
        return np.stack([odds.full, *odds.own[1:]])

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p of every arc."""
        return self.found(corpus).odds.log_prob

    def tag_choices(self, corpus: Corpus) -> TagChoices | None:
        """How plausible the tags are, where the weights know tags."""
        return self.found(corpus).tags

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """What choice says of each arc, and what the net says."""
        return self.both.explain(corpus, rows, self.found(corpus))

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs."""
        return self.both.alternatives(corpus, rows, self.found(corpus))


def both_of(model: Model) -> Both:
    """Choice and the net of a model that has both; they share what they read of a corpus."""
    assert model.weights is not None
    assert model.net is not None
    choice = Choice(model.weights, model.name)
    return Both(choice, Net(model.net, choice.hashes.forms))


def net_scorer(model: Model) -> NetScorer:
    """The scorer of a model that has weights and a net."""
    return NetScorer(both_of(model))


class NetTagScorer(TagScorer):
    """log p of the tag of every word, by choice and the net together."""

    meaning = "log score is log p of the tag being right, by choice and the net together"

    def __init__(self, scorer: NetScorer, model: Model) -> None:
        assert model.weights is not None
        assert model.net is not None
        settings = f"ref:{model.name}@{model.weights.hash[:8]}", f"net:{model.net.hash[:8]}"
        super().__init__(signature("tags", *settings), scorer.columns)
        self.scorer = scorer

    def _tag_choices(self, corpus: Corpus) -> TagChoices:
        choices = self.scorer.tag_choices(corpus)
        assert choices is not None  # the registry has looked
        return choices
