"""How many arcs of a parse are right, estimated without gold.

    logit LAS = w · signs,   logit p = log p − log(1 − p)

The signs are the shares of arcs that the model would choose first itself (`signs.py`), the size of its reference and,
with three parses or more, the accuracies that follow from how the parses agree (`trust.accuracies`).
`tools/fit_trust.py` fits the weights over many parsers and treebanks of the CoNLL 2018 shared task. The intervals are
as wide as nine of ten errors of the logit on treebanks that were not learned from.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treegauge.corpus.conllu import CorpusSource, read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import STDIN, file_names
from treegauge.corpus.genres import document_names, genres
from treegauge.corpus.relations import universal
from treegauge.errors import ModelError, OptionError, path_list
from treegauge.models.bundled_models import load_model
from treegauge.models.fit import misfit
from treegauge.models.model import Model
from treegauge.scorers.by_model import ChoiceScorer
from treegauge.scorers.by_net import NetScorer
from treegauge.scorers.calibrated import CalibratedScorer
from treegauge.scorers.calibration import BUNDLED, Calibration, find_calibration
from treegauge.scorers.log_odds import log_odds, log_prob_of, move_to
from treegauge.scorers.other_parses import first_words, other_parses
from treegauge.scorers.registry import ScorerFactory
from treegauge.scorers.scorer import Scorer
from treegauge.scorers.signs import Signs, expit, logit, signs_of
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.version import signature

FEWEST_WORDS = 5_000  # no estimate by a model of fewer words: such models were not learned from
SEVERAL = 3  # from so many parses on, how they agree tells how good each is
LEAST_ARCS = 30  # groups of fewer arcs are not shown


@dataclass(frozen=True, slots=True)
class Weights:
    """The intercept and the weights of signs, and how far the logit of the accuracy may be off."""

    values: tuple[float, ...]
    error: float  # nine of ten errors are smaller

    def __call__(self, *signs: float) -> Interval:
        """The accuracy, given the signs that the weights are for."""
        intercept, *factors = self.values
        x = intercept + sum(factor * sign for factor, sign in zip(factors, signs, strict=True))
        return Interval(expit(x), expit(x - self.error), expit(x + self.error))


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate, and the interval in which the true value lies nine times of ten; fractions."""

    value: float
    low: float
    high: float

    @property
    def row(self) -> tuple[float, float, float]:
        """The estimate, low and high."""
        return self.value, self.low, self.high

    def moved(self, value: float) -> Interval:
        """The interval of another value, as wide as this one in logits."""
        move = logit(value) - logit(self.value)
        return Interval(value, expit(logit(self.low) + move), expit(logit(self.high) + move))


# fitted by tools/fit_trust.py; what the weights are for: see estimated_las
BY_CHOICE = Weights((-0.554, 1.258, -0.151), 0.663)
BY_NET = Weights((-0.517, 0.627, 0.682, -0.345), 0.611)
BY_SEVERAL = Weights((-0.879, 0.241, 0.451, 0.219, 0.357, -0.169), 0.544)
UAS, CLAS = (0.442, 0.892), (-0.198, 0.950)  # logit UAS = 0.442 + 0.892 · logit LAS
_LARGE = 50_000  # words; what a larger reference adds was not learned


def of_words(words: int) -> float:
    """The size of a reference as a sign: log(words / 20,000)."""
    return math.log(min(words, _LARGE) / 20_000)


def estimated_las(signs: Signs, words: int, agreement: np.ndarray | None = None, k: int = 0) -> Interval:
    """The estimated LAS of parse k. words: of the reference; agreement: the accuracies by how several parses agree."""
    choice, first, size = logit(signs.choice), logit(signs.first), of_words(words)
    if agreement is not None:
        return BY_SEVERAL(logit(float(agreement[k])), logit(float(agreement.mean())), choice, first, size)
    return BY_CHOICE(choice, size) if signs.net is None else BY_NET(choice, first, size)


@dataclass(frozen=True)
class ParseEstimate:
    """The estimates of one parse."""

    name: str
    las: Interval
    signs: Signs
    log_prob: np.ndarray  # log p of each arc being right; the mean p is the estimated LAS
    groups: Mapping[str, Groups]  # by relation, and by genre or file if these are known

    @property
    def metrics(self) -> dict[str, Interval]:
        """LAS, UAS and CLAS; the last two follow LAS as they do over many parsers and treebanks."""
        logits = {name: a + b * logit(self.las.value) for name, (a, b) in {"UAS": UAS, "CLAS": CLAS}.items()}
        return {"LAS": self.las} | {name: self.las.moved(expit(x)) for name, x in logits.items()}

    def by(self, property_: str) -> list[tuple[str, int, Interval]]:
        """Each group of LEAST_ARCS arcs or more, the least reliable first: its arcs, and the share that is right."""
        groups = self.groups.get(property_)
        if groups is None:
            raise OptionError(f"{self.name}: {property_} is not known; expected {', '.join(self.groups)}")
        arcs = np.bincount(groups.code, minlength=len(groups.names))
        right = np.bincount(groups.code, np.exp(self.log_prob), minlength=len(groups.names)) / np.maximum(arcs, 1)
        rows = [
            (name, n, self.las.moved(share))
            for name, n, share in zip(groups.names, arcs.tolist(), right.tolist(), strict=True)
            if n >= LEAST_ARCS
        ]
        return sorted(rows, key=lambda row: row[2].value)


@dataclass(frozen=True, slots=True)
class Groups:
    """A group of each word: a code into names."""

    code: np.ndarray
    names: tuple[str, ...]


@dataclass(frozen=True)
class Estimates(Tabular):
    """The estimates of one parse or several parses of a text."""

    parses: tuple[ParseEstimate, ...]
    signature: str

    @property
    def best(self) -> ParseEstimate:
        """The parse with the highest estimated LAS."""
        return max(self.parses, key=lambda parse: parse.las.value)

    def table(self) -> Table:
        """A row for each parse and metric."""
        rows = tuple(
            (parse.name, metric, *value.row) for parse in self.parses for metric, value in parse.metrics.items()
        )
        title = "Estimated without gold: per cent; the true value should be between low and high nine times of ten"
        return Table(title, column_kinds(f"parse text, metric text, {_VALUES}"), rows, self.signature, "estimate")

    def by(self, property_: str) -> Table:
        """A row for each parse and relation, genre or file, the least reliable first."""
        columns = column_kinds(f"parse text, {property_} text, arcs count, {_VALUES}")
        rows = tuple((p.name, name, arcs, *value.row) for p in self.parses for name, arcs, value in p.by(property_))
        return Table(f"Estimated share of right arcs by {property_}", columns, rows, self.signature, property_)

    def evidence(self) -> Table:
        """What the estimates rest on: the shares of arcs that the model would choose itself."""
        columns = column_kinds("parse text, words count, choice percent, net percent")
        rows = tuple((parse.name, parse.signs.words, parse.signs.choice, parse.signs.net) for parse in self.parses)
        title = "Evidence: the share of the arcs that choice, and the net, would choose first"
        return Table(title, columns, rows, self.signature, "evidence")


_VALUES = "estimate percent, low percent, high percent"


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
    factory = _factory(known)
    columns = factory.evidence.columns
    corpora = [
        source if isinstance(source, Corpus) else read_conllu(*path_list(source), columns=columns, on_error=on_error)
        for source in (parse, *others)
    ]
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
    made = []
    for k, (name, corpus) in enumerate(zip(names, corpora, strict=True)):
        signs = factory.signs(corpus)
        las = estimated_las(signs, _words(known), agreement, k)
        odds = log_odds(find_calibration(BUNDLED, known.net is not None).log_probs(factory.evidence(corpus)))
        log_prob = log_prob_of(odds + move_to(odds, las.value))
        made.append(ParseEstimate(name, las, signs, log_prob, _groups(corpus)))
    how = f"parses:{len(corpora)}" if agreement is not None else "net" if known.net is not None else "choice"
    return Estimates(tuple(made), signature("estimate", how, f"ref:{known.signature}"))


def _factory(model: Model) -> ScorerFactory:
    """The scorers of a model that is large enough for an estimate."""
    if model.weights is None:
        raise ModelError("no estimate: the model holds counts only; expected one built without --counts-only")
    if model.weights.words < FEWEST_WORDS:
        raise ModelError(f"no estimate: the model has {model.weights.words:,} words; expected {FEWEST_WORDS:,} or more")
    return ScorerFactory(model)


def _words(model: Model) -> int:
    assert model.weights is not None
    return model.weights.words


def _groups(corpus: Corpus) -> dict[str, Groups]:
    """The relation of each word, the genre of its sentence if names tell it, and its file if there are several."""
    codes: dict[str, int] = {}
    relation = np.array([codes.setdefault(universal(label), len(codes)) for label in corpus.labels["deprel"]] or [0])
    groups = {"relation": Groups(relation[corpus.codes["deprel"]], tuple(codes))}
    genre = genres(document_names(corpus))
    if genre is not None:
        names = tuple(dict.fromkeys(genre))
        groups["genre"] = Groups(np.array([names.index(name) for name in genre])[corpus.sentence], names)
    if len(corpus.files) > 1:
        groups["file"] = Groups(corpus.file[corpus.sentence], tuple(file_names(corpus.files)))
    return groups


def estimate_beside(scorer: Scorer, corpus: Corpus, model: Model) -> Interval | None:
    """The estimated LAS of a parse that a scorer over the model scores, too; None if there is no estimate.

    What choice and the net have found of the corpus for the scorer is not found again.
    """
    try:
        factory = _factory(model)
    except ModelError:
        return None
    if not corpus.n_words or misfit(corpus, model, None):
        return None
    arcs = scorer.choice if isinstance(scorer, CalibratedScorer) else scorer
    if isinstance(arcs, NetScorer):
        signs = signs_of(arcs.both, corpus, arcs.choices(corpus), arcs.found(corpus).net)
    elif isinstance(arcs, ChoiceScorer) and model.net is None:
        signs = signs_of(arcs.choice, corpus, arcs.choices(corpus))
    else:
        signs = factory.signs(corpus)
    return estimated_las(signs, _words(model))


def calibration_for(parse: CorpusSource, model: Model) -> Calibration:
    """The bundled calibration with another intercept: the mean probability of the parse is its estimated LAS.

    The first words of the parse are looked at. The calibration as it is if there is no estimate: the model is too
    small, or does not fit, or the parse is standard input, which cannot be read twice.
    """
    calibration = find_calibration(BUNDLED, model.net is not None)
    try:
        factory = _factory(model)
    except ModelError:
        return calibration
    if not isinstance(parse, Corpus) and STDIN in path_list(parse):
        return calibration
    sample = first_words(parse, factory.evidence.columns, "skip")
    if not sample.n_words or misfit(sample, model, None):
        return calibration
    las = estimated_las(factory.signs(sample), _words(model))
    move = move_to(log_odds(calibration.log_probs(factory.evidence_for(calibration)(sample))), las.value)
    made_from = f"{BUNDLED} at an estimated LAS of {100 * las.value:.1f} %"
    return replace(calibration, intercept=calibration.intercept + move, made_from=made_from)
