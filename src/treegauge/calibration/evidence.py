"""What is known of an arc without gold, as a row of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.arcs.lisca import Lisca
from treegauge.arcs.reference import Model
from treegauge.choice.probabilities import ArcChoices, Choice
from treegauge.corpus.conllu import Corpus
from treegauge.errors import ModelError
from treegauge.judging.measures import right_arcs

# Log odds are cut at ±10, a margin of log probabilities at ±8, LISCA at −150: beyond, more says nothing more.
NUMBERS = (
    "choice",  # log odds of head and relation
    "choice of head",
    "choice of relation",
    "margin",  # log p of the arc less that of the likeliest other one
    "lisca",  # log score / 10
    "length",  # log(1 + length), 0 of a root arc
    "above",  # log odds of the arc of the head
    "below",  # lowest log odds of the arcs of the dependents
    "sentence",  # mean log p of the sentence, none below −5
    "words",  # log of their number
    "head after",
)
_SURE = 6.0  # log odds of what is not there: an arc above a root arc, arcs below a leaf


@dataclass(frozen=True)
class Evidence:
    """The arcs of one or more systems with what is known of them, and whether gold has them."""

    numbers: np.ndarray
    labels: dict[str, np.ndarray]
    right: np.ndarray
    sentence: np.ndarray

    @staticmethod
    def of(gold: Corpus, system: Corpus, model: Model) -> Evidence:
        """That of a system's arcs."""
        return Evidence(arc_numbers(system, model), arc_labels(system), right_arcs(gold, system), system.sentence)

    @staticmethod
    def joined(parts: Sequence[Evidence]) -> Evidence:
        """Several in one; their sentences stay apart."""
        before = np.cumsum([0, *(1 + int(part.sentence.max(initial=-1)) for part in parts)])
        return Evidence(
            np.concatenate([part.numbers for part in parts]),
            {kind: np.concatenate([part.labels[kind] for part in parts]) for kind in parts[0].labels},
            np.concatenate([part.right for part in parts]),
            np.concatenate([part.sentence + first for part, first in zip(parts, before, strict=False)]),
        )

    def only(self, kept: np.ndarray) -> Evidence:
        """That of some of the arcs."""
        labels = {kind: values[kept] for kind, values in self.labels.items()}
        return Evidence(self.numbers[kept], labels, self.right[kept], self.sentence[kept])


def arc_numbers(corpus: Corpus, model: Model) -> np.ndarray:
    """A row for every arc, a column for each of `NUMBERS`."""
    if model.choice is None:
        raise ModelError("the model holds counts only; calibration needs one of `treegauge model build --choice`")
    choices = Choice(model.choice).choices(corpus)
    lisca = Lisca(model).scores(corpus)
    return _numbers(corpus, choices, lisca) if corpus.n_words else np.zeros((0, len(NUMBERS)))


def _numbers(corpus: Corpus, choices: ArcChoices, lisca: np.ndarray) -> np.ndarray:
    log_prob = choices.log_prob
    odds = _log_odds(log_prob)
    below_root = corpus.head > 0
    head_row = np.maximum(corpus.head_row, 0)
    below = np.full(corpus.n_words, _SURE)
    np.minimum.at(below, head_row[below_root], odds[below_root])
    sentence = np.bincount(corpus.sentence, np.maximum(log_prob, -5.0)) / np.diff(corpus.start)
    return np.stack(
        [
            odds,
            _log_odds(choices.log_head),
            _log_odds(choices.log_relation),
            np.clip(log_prob - choices.other_log_prob, -8.0, 8.0),
            np.maximum(lisca, -150.0) / 10,
            np.log1p(corpus.arc_length),
            np.where(below_root, odds[head_row], _SURE),
            below,
            sentence[corpus.sentence],
            np.log(corpus.sentence_length),
            (corpus.head > corpus.position).astype(float),
        ],
        axis=1,
    )


def _log_odds(log_prob: np.ndarray) -> np.ndarray:
    log_prob = np.minimum(log_prob, -1e-6)
    return np.clip(log_prob - np.log(-np.expm1(log_prob)), -10.0, 10.0)


def arc_labels(corpus: Corpus) -> dict[str, np.ndarray]:
    """The universal relation, the tag and the head's tag of every arc, as strings."""
    relations = corpus.relations()
    relation = np.array(relations.names or [""], dtype=object)[relations.codes]
    tag = np.array(corpus.labels["upos"] or [""], dtype=object)[corpus.codes["upos"]]
    head_tag = np.where(corpus.head > 0, tag[corpus.head_row], "ROOT") if corpus.n_words else tag
    return {"deprel": relation, "upos": tag, "head upos": head_tag}


def columns_of(numbers: np.ndarray, labels: dict[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    """The columns of these names: `length`, `upos=NOUN`, or `deprel=obj × choice`."""
    found = np.empty((len(numbers), len(names)))
    for k, name in enumerate(names):
        label, _, factor = name.partition(" × ")
        kind, is_label, value = label.partition("=")
        column = (labels[kind] == value).astype(float) if is_label else numbers[:, NUMBERS.index(label)]
        found[:, k] = column * numbers[:, NUMBERS.index(factor)] if factor else column
    return found
