"""How many arcs of a parse are right, estimated without gold.

    logit accuracy = w · signs,   logit p = log p − log(1 − p)

The signs are shares of arcs that the model would choose first itself (`signs.py`) and, with three parses or more, the
accuracies that follow from how the parses agree (`trust.accuracies`). `tools/fit_trust.py` fits the weights over many
parsers and treebanks of the CoNLL 2018 shared task. The intervals are as wide as nine of ten errors of the logit on
treebanks that were not learned from.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treegauge.corpus.conllu import CorpusSource, as_corpus, read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import file_names
from treegauge.corpus.relations import CONTENT, universal
from treegauge.errors import ModelError, OptionError, path_list
from treegauge.models.bundled_models import load_model
from treegauge.models.fit import misfit
from treegauge.models.model import Model
from treegauge.scorers.calibration import BUNDLED, find_calibration
from treegauge.scorers.other_parses import other_parses
from treegauge.scorers.registry import ScorerFactory
from treegauge.scorers.signs import Signs, expit, logit, signs_of
from treegauge.tables import Table, Tabular
from treegauge.version import signature

FEWEST_WORDS = 5_000  # no estimate by a model of fewer words: such models were not learned from
SEVERAL = 3  # from so many parses on, how they agree tells how good each is
LEAST_ARCS = 30  # relations of fewer arcs are not shown


@dataclass(frozen=True, slots=True)
class Weights:
    """The intercept and the weights of the logits of signs, and how far the logit of the accuracy may be off."""

    values: tuple[float, ...]
    error: float  # nine of ten errors are smaller

    def __call__(self, *shares: float) -> Interval:
        """The accuracy, given the shares that the weights are for."""
        intercept, *factors = self.values
        x = intercept + sum(factor * logit(share) for factor, share in zip(factors, shares, strict=True))
        return Interval(expit(x), expit(x - self.error), expit(x + self.error))


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate, and the interval in which the true value lies nine times of ten; fractions."""

    value: float
    low: float
    high: float

    def moved(self, value: float) -> Interval:
        """The interval of another value, as wide as this one in logits."""
        move = logit(value) - logit(self.value)
        return Interval(value, expit(logit(self.low) + move), expit(logit(self.high) + move))


# fitted by tools/fit_trust.py; the signs are named at `_accuracy`
BY_CHOICE = Weights((-0.544, 1.329), 0.604)
BY_NET = Weights((-0.705, 0.746, 0.324, 0.167), 0.582)
BY_SEVERAL = Weights((-0.786, 0.295, 0.323, 0.650), 0.482)
UAS = (0.455, 0.883)  # logit UAS = 0.455 + 0.883 · logit LAS


def _accuracy(signs: Signs, agreement: np.ndarray | None, k: int) -> Interval:
    """The estimated LAS of parse k; agreement: the accuracies that follow from how several parses agree."""
    if agreement is not None:
        return BY_SEVERAL(float(agreement[k]), float(agreement.mean()), signs.choice)
    if signs.either is None or signs.both is None or signs.sure is None:
        return BY_CHOICE(signs.choice)
    return BY_NET(signs.either, signs.both, signs.sure)


def accuracies_of(signs: Sequence[Signs], agreement: np.ndarray | None) -> list[float]:
    """The estimated LAS of each of several parses; see `_accuracy`."""
    return [_accuracy(of_parse, agreement, k).value for k, of_parse in enumerate(signs)]


@dataclass(frozen=True)
class ParseEstimate:
    """The estimates of one parse."""

    name: str
    words: int
    las: Interval
    signs: Signs
    log_prob: np.ndarray  # log p of each arc being right; their mean is the estimated LAS
    relation: np.ndarray  # code into relations
    relations: tuple[str, ...]

    @cached_property
    def metrics(self) -> dict[str, Interval]:
        """LAS, UAS and CLAS.

        UAS follows LAS over many parsers; CLAS is the mean probability of the arcs with a content relation.
        """
        right = np.exp(self.log_prob)
        content = np.array([name in CONTENT for name in self.relations])[self.relation]
        clas = float(right[content].mean()) if content.any() else self.las.value
        uas = expit(UAS[0] + UAS[1] * logit(self.las.value))
        return {"LAS": self.las, "UAS": self.las.moved(uas), "CLAS": self.las.moved(clas)}

    def by_relation(self) -> list[tuple[str, int, Interval]]:
        """Each relation of LEAST_ARCS arcs or more: its arcs, and the share of them that should be right."""
        right, found = np.exp(self.log_prob), []
        for code, name in enumerate(self.relations):
            rows = self.relation == code
            if (arcs := int(rows.sum())) >= LEAST_ARCS:
                found.append((name, arcs, self.las.moved(float(right[rows].mean()))))
        return sorted(found, key=lambda entry: entry[2].value)


@dataclass(frozen=True)
class Estimates(Tabular):
    """The estimates of one parse or several parses of a text; the best one first in `order`."""

    parses: tuple[ParseEstimate, ...]
    signature: str

    @property
    def best(self) -> ParseEstimate:
        """The parse with the highest estimated LAS."""
        return max(self.parses, key=lambda parse: parse.las.value)

    def table(self) -> Table:
        """A row for each parse and metric."""
        columns = (("parse", "text"), ("metric", "text"), *((name, "percent") for name in ("estimate", "low", "high")))
        rows = tuple(
            (parse.name, metric, value.value, value.low, value.high)
            for parse in self.parses
            for metric, value in parse.metrics.items()
        )
        title = "Estimated without gold: per cent; the true value is between low and high nine times of ten"
        return Table(title, columns, rows, self.signature, "estimate")

    def relations(self) -> Table:
        """A row for each parse and relation, the least reliable first."""
        shares = ((name, "percent") for name in ("estimate", "low", "high"))
        columns = (("parse", "text"), ("relation", "text"), ("arcs", "count"), *shares)
        rows = tuple(
            (parse.name, name, arcs, value.value, value.low, value.high)
            for parse in self.parses
            for name, arcs, value in parse.by_relation()
        )
        return Table("Estimated share of right arcs by relation", columns, rows, self.signature, "relations")

    def evidence(self) -> Table:
        """What the estimates rest on: the shares of arcs that the model would choose itself."""
        names = ("choice", "net", "either", "both")
        columns = (("parse", "text"), ("words", "count"), *((name, "percent") for name in names))
        rows = tuple((p.name, p.words, *(getattr(p.signs, name) for name in names)) for p in self.parses)
        title = "Share of the arcs that choice, the net, either of them, and both would choose first"
        return Table(title, columns, rows, self.signature, "evidence")


def estimate(
    parse: CorpusSource,
    model: Model | str | os.PathLike[str],
    others: Sequence[CorpusSource] = (),
    *,
    names: Sequence[str] | None = None,
    on_error: str = "stop",
) -> Estimates:
    """How many arcs of a parse are right, and of other parses of the same text, estimated without gold.

    names: of all parses, by default those of their files. Raises ModelError if the model is too small or does not fit
    the text: then there is no estimate.
    """
    known = model if isinstance(model, Model) else load_model(model)
    if known.weights is None:
        raise ModelError("no estimate: the model holds counts only; expected one built without --counts-only")
    if known.weights.words < FEWEST_WORDS:
        raise ModelError(f"no estimate: the model has {known.weights.words:,} words; expected {FEWEST_WORDS:,} or more")
    factory = ScorerFactory(known)
    columns = tuple(dict.fromkeys((*factory.arcs.columns, *factory.lisca.columns)))
    corpora = [_read(source, columns, on_error) for source in (parse, *others)]
    names = tuple(names or file_names([corpus.path for corpus in corpora]))
    if len(names) != len(corpora):
        raise OptionError(f"{len(names)} names of {len(corpora)} parses; expected one each")
    for name, corpus in zip(names, corpora, strict=True):
        why = misfit(corpus, known, model if isinstance(model, str) else None)
        if why or not corpus.n_words:
            raise ModelError(f"no estimate of {name}: {why or 'it has no words'}")
    agreement = None
    if len(corpora) >= SEVERAL:
        agreement = other_parses(corpora[0], corpora[1:], names[1:]).accuracy
    made = [
        _estimated(factory, name, corpus, agreement, k)
        for k, (name, corpus) in enumerate(zip(names, corpora, strict=True))
    ]
    how = f"parses:{len(corpora)}" if agreement is not None else "net" if known.net is not None else "choice"
    return Estimates(tuple(made), signature("estimate", how, f"ref:{known.signature}"))


def _read(source: CorpusSource, columns: tuple[str, ...], on_error: str) -> Corpus:
    return (
        as_corpus(source)
        if isinstance(source, Corpus)
        else read_conllu(*path_list(source), columns=columns, on_error=on_error)
    )


def _estimated(
    factory: ScorerFactory, name: str, corpus: Corpus, agreement: np.ndarray | None, k: int
) -> ParseEstimate:
    signs = signs_of(factory.judge, corpus)
    las = _accuracy(signs, agreement, k)
    calibration = find_calibration(BUNDLED, net=factory.model.net is not None)
    log_prob = calibration.log_probs(factory.evidence(corpus))
    codes: dict[str, int] = {}
    relation = np.array([codes.setdefault(universal(label), len(codes)) for label in corpus.labels["deprel"]] or [0])
    return ParseEstimate(
        name,
        corpus.n_words,
        las,
        signs,
        moved_to(log_prob, las.value),
        relation[corpus.codes["deprel"]],
        tuple(codes),
    )


def moved_to(log_prob: np.ndarray, mean: float) -> np.ndarray:
    """log p with all log odds moved by the same number, so that the mean of p is as given."""
    odds = log_prob - np.log(-np.expm1(np.minimum(log_prob, -1e-12)))
    return np.asarray(-np.logaddexp(0.0, -(odds + _move(odds, mean))))


def _move(odds: np.ndarray, mean: float) -> float:
    """The number by which log odds are to be moved so that the mean probability is as given (bisection)."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        if np.exp(-np.logaddexp(0.0, -(odds + middle))).mean() < mean:
            low = middle
        else:
            high = middle
    return (low + high) / 2
