"""The best tree of each sentence, given one parse or several, and choice."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treegauge.corpus.compare.comparison import Comparison
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.writing import with_arcs_and_misc
from treegauge.errors import ModelError, OptionError, check_type
from treegauge.models.bundled_models import bundled_file, load_model
from treegauge.models.choice.best_arcs import best_or_given
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.words import COLUMNS as CHOICE_COLUMNS
from treegauge.models.model import Model
from treegauge.scorers.by_net import Both, both_of
from treegauge.scorers.estimate import estimated_las
from treegauge.scorers.opinions import COLUMNS
from treegauge.scorers.other_parses import OtherParses, first_words, other_parses
from treegauge.scorers.signs import signs_of
from treegauge.scorers.trust import (
    ALONE,
    BY_MODEL_TOO,
    TOGETHER,
    Candidates,
    Trust,
    candidates,
    learn_trust,
    log_odds,
    repairing,
    right_columns,
    weights_by_model,
)

PROBABILITY, WAS_HEAD, WAS_DEPREL, FROM = "Probability", "WasHead", "WasDeprel", "From"  # names in MISC
BY_MODEL = "model"


@dataclass(frozen=True)
class CombinedParse:
    """A parse, and the best tree of each of its sentences."""

    parse: Corpus
    head: np.ndarray
    deprel: np.ndarray  # labels
    probability: np.ndarray  # the probability of each arc
    source: np.ndarray  # for each changed arc, the parses that have it, separated by commas; empty for other arcs

    @cached_property
    def changed(self) -> np.ndarray:
        """Whether each word has another arc than in the parse."""
        return np.asarray(self.source != "")

    def conllu(self) -> bytes:
        """The parse with these trees; MISC has the probability of each arc, and the old values of changed arcs."""
        misc: dict[str, list[str | None]] = {PROBABILITY: [f"{p:.4g}" for p in self.probability.tolist()]}
        arcs: dict[int, tuple[int, str]] = {}
        n = self.parse.n_words
        misc |= {name: [None] * n for name in (WAS_HEAD, WAS_DEPREL, FROM)} if self.changed.any() else {}
        for row in np.flatnonzero(self.changed).tolist():
            arcs[row] = int(self.head[row]), self.deprel[row]
            misc[WAS_HEAD][row] = str(self.parse.head[row])
            misc[WAS_DEPREL][row] = self.parse.value("deprel", row)
            misc[FROM][row] = self.source[row]
        return with_arcs_and_misc(self.parse, arcs, misc)


class Combiner:
    """Finds the best trees of a parse, piece by piece, in order.

    The best tree of a sentence has one root, and the largest sum of the scores of its arcs (`Candidates.scores`).
    """

    def __init__(
        self,
        choice: Choice | Both | None,
        others: OtherParses | None = None,
        trust: Trust | None = None,
        only_if: float = 0.0,
        *,
        threads: int | None = None,
    ) -> None:
        """trust: by default what is usual, which `trusting` betters by a look at the parses.

        only_if: another arc is taken only if it has this probability, or a higher one.
        """
        if choice is None and others is None:
            raise OptionError("one parse alone is combined with nothing; expected a model, or other parses of the text")
        self.choice, self.others, self.only_if, self._threads = choice, others, only_if, threads
        self.trust = trust or (ALONE if others is None else TOGETHER)
        self.weight = np.ones(1) if others is None else others.weight
        self.columns = COLUMNS if choice is None else CHOICE_COLUMNS  # the columns that a parse needs

    def trusting(self, source: CorpusSource, *, same_scheme: bool, on_error: str = "stop") -> Combiner:
        """The same combiner, with a trust that rests on what the model finds of the first words of the parses.

        One parse is changed as much as its estimated accuracy and that of the net allow, if model and parser have
        learned from the same scheme of annotation; where they have not, their differences look like errors, and the
        usual trust stays.
        Of several parses, those that the model likes better count more.
        """
        if self.others is None:
            if not same_scheme or not isinstance(self.choice, Both):
                return self
            signs = signs_of(self.choice, first_words(source, self.columns, on_error))
            las = estimated_las(signs, self.choice.choice.weights.words).value
            self.trust = repairing(las, self.choice.net.weights.first_choice)
            return self
        if self.choice is None:
            return self
        first = [signs_of(self.choice, sample).first for sample in self.others.samples(self.columns)]
        self.trust, self.weight = BY_MODEL_TOO, weights_by_model(first, self.others.accuracy)
        return self

    def candidates(self, piece: Corpus) -> Candidates:
        """The arcs that the words of a piece may have."""
        self._others = [] if self.others is None else self.others.beside(piece)
        return candidates(piece, self._others, self.choice, threads=self._threads)

    def learned_trust(self, comparison: Comparison) -> Trust:
        """The trust in the parses, learned from gold; comparison: the first parse beside gold."""
        arcs = self.candidates(comparison.corpus)
        return learn_trust(arcs, self.weight, right_columns(arcs, comparison), comparison.present)

    def __call__(self, piece: Corpus) -> CombinedParse:
        """The best trees of the next piece."""
        arcs = self.candidates(piece)
        score = arcs.scores(self.weight, self.trust)
        probability = self.trust.probability(log_odds(score), self.weight)
        if self.only_if > 0:
            score[:, 1:][probability[:, 1:] < self.only_if] = -np.inf
        column = best_or_given(arcs.head, score, piece.start)
        best = np.arange(piece.n_words), column
        names = ("", *(self.others.names if self.others else ()))
        deprel = np.array([*piece.labels["deprel"], ""], dtype=object)[piece.codes["deprel"]]
        source = np.full(piece.n_words, "", dtype=object)
        for row in np.flatnonzero(column > 0).tolist():
            parses = arcs.who_has(row, int(column[row]))
            source[row] = ",".join(names[k] for k in parses) or BY_MODEL
            deprel[row] = self._label(arcs, row, int(column[row]), parses)
        return CombinedParse(piece, arcs.head[best], deprel, probability[best], source)

    def _label(self, arcs: Candidates, row: int, column: int, parses: Sequence[int]) -> str:
        """The relation of another arc, with the subtype that one of `parses` has, or else the first parse."""
        if parses:
            return self._others[parses[0] - 1].overlay.value("deprel", row)
        if arcs.relation[row, column] == arcs.relation[row, 0]:
            return arcs.parse.value("deprel", row)
        return arcs.relations[arcs.relation[row, column]]


def combine(
    parse: CorpusSource,
    others: Sequence[CorpusSource] = (),
    model: Model | str | os.PathLike[str] | None = None,
    *,
    trust: Trust | None = None,
    only_if: float = 0.0,
) -> CombinedParse:
    """The best tree of each sentence of a parse, given other parses of its text, a model, or both.

    The result has the words of the parse; the words of the others are aligned as in `evaluate`. trust: the trust in the
    parses, from a calibration; by default it comes from what the model finds of them (`Combiner.trusting`).
    """
    check_type("others", others, (list, tuple), "a list of other parses")
    corpus = as_corpus(parse)
    opinions = other_parses(corpus, others) if others else None
    combiner = Combiner(choice_of(model), opinions, trust, only_if)
    return (combiner if trust is not None else combiner.trusting(corpus, same_scheme=not is_bundled(model)))(corpus)


def is_bundled(model: Model | str | os.PathLike[str] | None) -> bool:
    """Whether a model was asked for by the code of a bundled one: it is of other text than the parser's."""
    return isinstance(model, str) and bundled_file(model) is not None


def choice_of(model: Model | str | os.PathLike[str] | None) -> Choice | Both | None:
    """Choice of a model, and its net if it has one; None if there is no model."""
    if model is None:
        return None
    model = model if isinstance(model, Model) else load_model(model)
    if model.weights is None:
        raise ModelError("the model holds counts only; to combine parses it must be built without --counts-only")
    return Choice(model.weights, model.name) if model.net is None else both_of(model)
