"""Learn a calibration from gold, and measure how reliable its probabilities are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treegauge.corpus.compare.comparison import Unmatched, side_by_side
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError, OptionError
from treegauge.evaluation.judging.measures import errors_in_worst, roc_auc
from treegauge.models.bundled_models import load_model
from treegauge.models.model import Model
from treegauge.parsing.combine import Combiner, choice_of
from treegauge.scorers.calibrated import EvidenceFinder, source_names
from treegauge.scorers.calibration import FEWEST_SENTENCES, LEAST, Calibration, fit_calibration
from treegauge.scorers.evidence import TAGS, ArcEvidence, Evidence
from treegauge.scorers.other_parses import OtherParses, other_parses
from treegauge.scorers.registry import ScorerFactory
from treegauge.scorers.trust import Trust
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.wording import counted

BINS, FOLDS = 15, 5
_WORDS = 1 << 16  # words whose evidence is found at a time


@dataclass(frozen=True, slots=True)
class Bin:
    """Arcs of similar probability."""

    arcs: int
    probability: float  # the mean of the probabilities
    right: float  # the share of right arcs


@dataclass(frozen=True, slots=True)
class Reliability:
    """Numbers that say how well probabilities agree with gold."""

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
    """p(right) of every arc by a calibration learned from the other folds; sentence s is in fold s mod folds."""
    prob = np.empty(len(known.right))
    for fold in range(folds):
        inside = known.sentence % folds == fold
        calibration = fit_calibration(known, "the other folds", "", np.flatnonzero(~inside))
        prob[inside] = np.exp(calibration.log_probs(known.only(inside).arcs))
    return prob


Triple = tuple[CorpusSource, CorpusSource, Model | str]  # gold, system, model
Known = Triple | tuple[CorpusSource, CorpusSource, Model | str, Sequence[CorpusSource]]  # with other parses of the text


@dataclass(frozen=True, repr=False)
class CalibrationResult(Tabular):
    """A calibration, and its reliability on held-out sentences and on other texts."""

    calibration: Calibration = field(repr=False)
    reliabilities: dict[str, Reliability]
    sentences: int
    left_out: Unmatched  # words of all texts that only gold or only a system has

    @property
    def notes(self) -> list[str]:
        """Messages for the user: a warning if there were few sentences."""
        if self.sentences >= FEWEST_SENTENCES:
            return []
        return [
            f"only {counted(self.sentences, 'sentence')}; {FEWEST_SENTENCES} or more make a calibration to be trusted"
        ]

    def table(self) -> Table:
        """Brier score, calibration error, ROC-AUC, and the errors in the worst fifth."""
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
        """The mean probability and the share of right arcs in bins of equal size."""
        columns = (("arcs of", "text"), ("arcs", "count"), ("probability", "percent"), ("right", "percent"))
        rows = tuple((name, b.arcs, b.probability, b.right) for name, r in self.reliabilities.items() for b in r.bins)
        return Table("Reliability: bins of equal size", columns, rows, self.calibration.signature, "bins")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the calibration to a file; after an error, there is no file."""
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
    """The calibration of a system's arcs by gold of the same text, measured on five folds and on tests.

    Words are aligned as in `evaluate` if they are not the same; words that only one side has are left out.

    Tags are calibrated, too, if at least LEAST of them are wrong. others: other parses of the text; the calibration
    learns how much each counts. Texts on which it is used later need as many other parses, in the same order. more:
    texts of other parsers or languages to learn from. 200 sentences are enough.
    """
    beside_gold = _BesideGold.of(gold, system, model, others, trusted=True)
    del gold, system  # if the caller does not hold them either, their memory is free for the evidence
    known = [beside_gold.labelled()]
    del beside_gold
    known += [_LabelledEvidence.of(*text) for text in more]
    tested = [_LabelledEvidence.of(*text) for text in test]
    for text in (*known, *tested):
        if text.evidence.arcs.kinds.parses != len(others):
            raise OptionError(f"{text.system}: expected {counted(len(others), 'other parse')} of each text")
    joined = Evidence.joined([text.evidence for text in known])
    made_from, made_with = (" ".join(getattr(text, name) for text in known) for name in ("made_from", "made_with"))
    calibration = replace(fit_calibration(joined, made_from, made_with), trust=known[0].trust)
    reliabilities = {"held out (5 folds)": reliability(held_out(joined), joined.right)}
    mistagged = _enough_wrong([text.tags for text in known])
    if mistagged is not None:
        calibration = replace(calibration, tags=fit_calibration(mistagged, made_from, made_with))
        reliabilities["tags, held out (5 folds)"] = reliability(held_out(mistagged), mistagged.right)
    for text in tested:
        probs = np.exp(calibration.log_probs(text.evidence.arcs))
        reliabilities[text.system] = reliability(probs, text.evidence.right)
        if calibration.tags is not None and text.tags is not None:
            probs = np.exp(calibration.tags.log_probs(text.tags.arcs))
            reliabilities[f"tags, {text.system}"] = reliability(probs, text.tags.right)
    left_out = sum((text.left_out for text in (*known, *tested)), Unmatched())
    return CalibrationResult(calibration, reliabilities, len(np.unique(joined.sentence)), left_out)


def _enough_wrong(parts: Sequence[Evidence | None]) -> Evidence | None:
    """The evidence for the tags of the texts with at least LEAST wrong tags; None if no text has so many.

    If a text has gold tags and predicted trees, one cannot learn from it how often predicted tags are right.
    """
    enough = [part for part in parts if part is not None and (~part.right).sum() >= LEAST]
    if not enough:
        return None
    joined = Evidence.joined(enough)
    in_folds = len(np.unique(joined.sentence[~joined.right] % FOLDS))
    return joined if in_folds > 1 else None


@dataclass(frozen=True)
class _LabelledEvidence:
    """The evidence for the arcs and tags of a system, which of them are right, and where it comes from."""

    evidence: Evidence
    tags: Evidence | None  # the evidence for the tags, if the model knows tags
    system: str
    made_from: str
    made_with: str
    left_out: Unmatched
    trust: Trust | None  # the trust in the parses, if it was asked for

    @staticmethod
    def of(*text: Any) -> _LabelledEvidence:
        """The evidence for one system: see `_BesideGold.of`."""
        return _BesideGold.of(*text).labelled()


@dataclass(frozen=True)
class _BesideGold:
    """A system's output and what gold says of it; gold itself is not held, because it takes much memory."""

    system: Corpus
    model: Model
    opinions: OtherParses | None
    present: np.ndarray  # whether gold has each word
    right: np.ndarray
    right_tag: np.ndarray
    made_from: str
    left_out: Unmatched
    trust: Trust | None  # the trust in the parses, if it was asked for

    @staticmethod
    def of(
        gold: CorpusSource,
        system: CorpusSource,
        model: Model | str,
        others: Sequence[CorpusSource] = (),
        *,
        trusted: bool = False,
    ) -> _BesideGold:
        """Which arcs and tags of a system are right."""
        gold, system = as_corpus(gold), as_corpus(system)
        model = model if isinstance(model, Model) else load_model(model)
        if model.weights is None:
            raise ModelError(
                "the model holds counts only; calibration needs one of `treegauge model build` without --counts-only"
            )
        opinions = other_parses(system, others) if others else None
        comparison = side_by_side(system, gold)
        trust = Combiner(choice_of(model), opinions).learned_trust(comparison) if trusted else None
        labels = comparison.present, comparison.right, comparison.same("upos")
        made_from = source_names(gold.path, system.path)
        return _BesideGold(system, model, opinions, *labels, made_from, comparison.unmatched, trust)

    def labelled(self) -> _LabelledEvidence:
        """The evidence for the arcs and tags of the words that gold has."""
        system, finder = self.system, ScorerFactory(self.model, others=self.opinions).evidence
        arcs, tags = (finder(system), finder.of_tags(system)) if self.opinions else _found_in_parts(finder, system)
        return _LabelledEvidence(
            Evidence(arcs, self.right, system.sentence).only(self.present),
            None if tags is None else Evidence(tags, self.right_tag, system.sentence).only(self.present),
            system.path,
            self.made_from,
            self.model.signature,
            self.left_out,
            self.trust,
        )


def _found_in_parts(finder: EvidenceFinder, system: Corpus) -> tuple[ArcEvidence, ArcEvidence | None]:
    """The evidence for arcs and tags, a part of the text at a time: scores take more memory than the evidence."""
    arcs, done = ArcEvidence.room(system.n_words, finder.kinds), 0
    tags: ArcEvidence | None = None
    for part in system.parts(_WORDS):
        rows = slice(done, done := done + part.n_words)
        arcs.put(rows, finder(part))
        of_tags = finder.of_tags(part)
        if of_tags is not None:
            tags = tags or ArcEvidence.room(system.n_words, TAGS)
            tags.put(rows, of_tags)
    return arcs, tags
