"""Learning a calibration from gold, and how far its probabilities can be trusted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treegauge.corpus.compare.comparison import Unmatched, side_by_side
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.errors import ModelError, OptionError
from treegauge.evaluation.judging.measures import errors_in_worst, roc_auc
from treegauge.models.bundled_models import load_model
from treegauge.models.model import Model
from treegauge.parsing.combine import Combiner, choice_of
from treegauge.scorers.calibrated import source_names
from treegauge.scorers.calibration import FEWEST_SENTENCES, LEAST, Calibration, fit_calibration
from treegauge.scorers.evidence import Evidence
from treegauge.scorers.other_parses import other_parses
from treegauge.scorers.registry import ScorerFactory
from treegauge.scorers.trust import Trust
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.wording import counted

BINS, FOLDS = 15, 5


@dataclass(frozen=True, slots=True)
class Bin:
    """Arcs of like probability."""

    arcs: int
    probability: float  # mean
    right: float  # share


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well probabilities and truth agree."""

    arcs: int
    las: float
    brier: float
    calibration_error: float
    roc_auc: float
    errors_in_worst_20: float
    bins: tuple[Bin, ...]


def reliability(prob: np.ndarray, right: np.ndarray, bins: int = BINS) -> Reliability:
    """Brier = mean (p − y)²; calibration error = Σ_b n_b/n · |mean p − share right|, over bins of equal mass."""
    order = np.argsort(prob, kind="stable")
    cut = [part for part in np.array_split(order, bins) if len(part)]
    parts = tuple(Bin(len(part), float(prob[part].mean()), float(right[part].mean())) for part in cut)
    error = sum(b.arcs * abs(b.probability - b.right) for b in parts) / max(len(prob), 1)
    return Reliability(
        len(prob),
        float(right.mean()),
        float(((prob - right) ** 2).mean()),
        error,
        roc_auc(prob, right),
        errors_in_worst(prob, right, 0.2),
        parts,
    )


def held_out(known: Evidence, folds: int = FOLDS) -> np.ndarray:
    """p(right) of every arc by a calibration of the other folds; sentence s is in fold s mod folds."""
    prob = np.empty(len(known.right))
    for fold in range(folds):
        outside = known.sentence % folds == fold
        made = fit_calibration(known.only(~outside), "the other folds", "")
        prob[outside] = np.exp(made.log_probs(known.only(outside).arcs))
    return prob


Triple = tuple[CorpusSource, CorpusSource, Model | str]  # gold, system, model
Known = Triple | tuple[CorpusSource, CorpusSource, Model | str, Sequence[CorpusSource]]  # and other parses of the text


@dataclass(frozen=True, repr=False)
class CalibrationResult(Tabular):
    """A calibration, and its reliability on sentences held out and on other text."""

    calibration: Calibration = field(repr=False)
    reliabilities: dict[str, Reliability]
    sentences: int
    left_out: Unmatched  # words that only gold or only a system has, of all texts learned from or tested on

    @property
    def notes(self) -> list[str]:
        """What its user should know."""
        if self.sentences >= FEWEST_SENTENCES:
            return []
        return [
            f"only {counted(self.sentences, 'sentence')}; {FEWEST_SENTENCES} or more make a calibration to be trusted"
        ]

    def table(self) -> Table:
        """Brier score, calibration error, ROC-AUC, errors in the worst fifth."""
        columns = column_kinds(
            "arcs of text, arcs count, LAS percent, Brier p, calibration error p, ROC-AUC p, "
            "errors in worst 20 % percent"
        )
        rows = tuple(
            (name, r.arcs, r.las, r.brier, r.calibration_error, r.roc_auc, r.errors_in_worst_20)
            for name, r in self.reliabilities.items()
        )
        signature = self.calibration.signature
        return Table("Can the probability be trusted?", columns, rows, signature, "summary")

    def bins_table(self) -> Table:
        """Mean probability and share of right arcs in bins of equal size."""
        columns = (("arcs of", "text"), ("arcs", "count"), ("probability", "percent"), ("right", "percent"))
        rows = tuple((name, b.arcs, b.probability, b.right) for name, r in self.reliabilities.items() for b in r.bins)
        return Table("Reliability: bins of equal size", columns, rows, self.calibration.signature, "bins")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the calibration to a file, whole or not at all."""
        self.calibration.save(path)


def calibrate(
    gold: CorpusSource,
    system: CorpusSource,
    model: Model | str,
    *,
    others: Sequence[CorpusSource] = (),
    more: Sequence[Known] = (),
    test: Sequence[Known] = (),
) -> CalibrationResult:
    """The calibration of a system's arcs by gold for the same text, measured on five folds and on tests.

    Words are aligned as in `evaluate` where they are not the same; those that only one side has are left out.

    It is one of the tags, too, where at least LEAST are wrong. others: other parses of the text, whose opinions it
    learns to weigh; what it is used on needs as many, in the same order. more: other parsers or languages to learn
    from. 200 sentences are enough.
    """
    known = [
        _LabelledEvidence.of(gold, system, model, others, trusted=True),
        *(_LabelledEvidence.of(*text) for text in more),
    ]
    tested = [_LabelledEvidence.of(*text) for text in test]
    for text in (*known, *tested):
        if text.evidence.arcs.kinds.parses != len(others):
            raise OptionError(f"{text.system}: expected {counted(len(others), 'other parse')} of each text")
    joined = Evidence.joined([text.evidence for text in known])
    made = fit_calibration(
        joined, " ".join(text.made_from for text in known), " ".join(text.made_with for text in known)
    )
    made = replace(made, trust=known[0].trust)
    reliabilities = {"held out (5 folds)": reliability(held_out(joined), joined.right)}
    mistagged = _enough_wrong([text.tags for text in known])
    if mistagged is not None:
        made = replace(made, tags=fit_calibration(mistagged, made.made_from, made.made_with))
        reliabilities["tags, held out (5 folds)"] = reliability(held_out(mistagged), mistagged.right)
    for text in tested:
        reliabilities[text.system] = reliability(np.exp(made.log_probs(text.evidence.arcs)), text.evidence.right)
        if made.tags is not None and text.tags is not None:
            probs = np.exp(made.tags.log_probs(text.tags.arcs))
            reliabilities[f"tags, {text.system}"] = reliability(probs, text.tags.right)
    left_out = sum((text.left_out for text in (*known, *tested)), Unmatched())
    return CalibrationResult(made, reliabilities, len(np.unique(joined.sentence)), left_out)


def _enough_wrong(parts: Sequence[Evidence | None]) -> Evidence | None:
    """The evidence for tags of those texts that have wrong ones, at least LEAST; None if no text has.

    Gold tags below predicted trees say nothing of how often predicted tags are right.
    """
    enough = [part for part in parts if part is not None and (~part.right).sum() >= LEAST]
    if not enough:
        return None
    joined = Evidence.joined(enough)
    in_folds = len(np.unique(joined.sentence[~joined.right] % FOLDS))
    return joined if in_folds > 1 else None


@dataclass(frozen=True)
class _LabelledEvidence:
    """The evidence for a system's arcs and tags with what gold says of them, what it is from and was found with."""

    evidence: Evidence
    tags: Evidence | None  # for the tags, where the model knows tags
    system: str
    made_from: str
    made_with: str
    left_out: Unmatched
    trust: Trust | None  # how much the parses are to be trusted, if that was asked for

    @staticmethod
    def of(
        gold: CorpusSource,
        system: CorpusSource,
        model: Model | str,
        others: Sequence[CorpusSource] = (),
        *,
        trusted: bool = False,
    ) -> _LabelledEvidence:
        """The evidence for one system."""
        gold, system = as_corpus(gold), as_corpus(system)
        model = model if isinstance(model, Model) else load_model(model)
        if model.weights is None:
            raise ModelError(
                "the model holds counts only; calibration needs one of `treegauge model build` without --counts-only"
            )
        opinions = other_parses(system, others) if others else None
        evidence_of = ScorerFactory(model, others=opinions).evidence
        comparison = side_by_side(system, gold)
        evidence = Evidence(evidence_of(system), comparison.right, system.sentence).only(comparison.present)
        of_tags = evidence_of.of_tags(system)
        tags = None
        if of_tags is not None:
            tags = Evidence(of_tags, comparison.same("upos"), system.sentence).only(comparison.present)
        made_from = source_names(gold.path, system.path)
        trust = Combiner(choice_of(model), opinions).learned_trust(comparison) if trusted else None
        return _LabelledEvidence(evidence, tags, system.path, made_from, model.signature, comparison.unmatched, trust)
