"""Learning a calibration from gold, and how far its probabilities can be trusted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treegauge.alignment.laid_over import LaidOver, LeftOut, lay_over
from treegauge.calibration.evidence import Evidence
from treegauge.calibration.logistic import FEWEST_SENTENCES, LEAST, Calibration, fit_calibration
from treegauge.calibration.trust import Trust
from treegauge.combining.combine import Combiner, choice_of
from treegauge.combining.learning import trust_in
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.errors import ModelError, OptionError
from treegauge.judging.measures import right_arcs, right_tags
from treegauge.judging.reliability import FOLDS, Reliability, held_out, reliability
from treegauge.models.bundled_models import load_model
from treegauge.models.model import Model
from treegauge.opinions.others import other_parses
from treegauge.scorers.calibrated import source_names
from treegauge.scorers.registry import Workshop
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.wording import counted

Triple = tuple[CorpusSource, CorpusSource, Model | str]  # gold, system, model
Known = Triple | tuple[CorpusSource, CorpusSource, Model | str, Sequence[CorpusSource]]  # and other parses of the text


@dataclass(frozen=True, repr=False)
class CalibrationResult(Tabular):
    """A calibration, and its reliability on sentences held out and on other text."""

    calibration: Calibration = field(repr=False)
    found: dict[str, Reliability]
    sentences: int
    left_out: LeftOut  # words that only gold or only a system has, of all texts learned from or tested on

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
            for name, r in self.found.items()
        )
        signature = self.calibration.signature
        return Table("Can the probability be trusted?", columns, rows, signature, "summary")

    def bins_table(self) -> Table:
        """Mean probability and share of right arcs in bins of equal size."""
        columns = (("arcs of", "text"), ("arcs", "count"), ("probability", "percent"), ("right", "percent"))
        rows = tuple((name, b.arcs, b.probability, b.right) for name, r in self.found.items() for b in r.bins)
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
    known = [_Known.of(gold, system, model, others, trusted=True), *(_Known.of(*one) for one in more)]
    tested = [_Known.of(*one) for one in test]
    for one in (*known, *tested):
        if one.evidence.arcs.kinds.parses != len(others):
            raise OptionError(f"{one.system}: expected {counted(len(others), 'other parse')} of each text")
    joined = Evidence.joined([one.evidence for one in known])
    made = fit_calibration(joined, " ".join(one.made_from for one in known), " ".join(one.made_with for one in known))
    made = replace(made, trust=known[0].trust)
    found = {"held out (5 folds)": reliability(held_out(joined), joined.right)}
    mistagged = _enough_wrong([one.tags for one in known])
    if mistagged is not None:
        made = replace(made, tags=fit_calibration(mistagged, made.made_from, made.made_with))
        found["tags, held out (5 folds)"] = reliability(held_out(mistagged), mistagged.right)
    for there in tested:
        found[there.system] = reliability(np.exp(made.log_probs(there.evidence.arcs)), there.evidence.right)
        if made.tags is not None and there.tags is not None:
            probs = np.exp(made.tags.log_probs(there.tags.arcs))
            found[f"tags, {there.system}"] = reliability(probs, there.tags.right)
    left_out = sum((one.left_out for one in (*known, *tested)), LeftOut())
    return CalibrationResult(made, found, len(np.unique(joined.sentence)), left_out)


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
class _Known:
    """The evidence for a system's arcs and tags with what gold says of them, what it is from and was found with."""

    evidence: Evidence
    tags: Evidence | None  # for the tags, where the model knows tags
    system: str
    made_from: str
    made_with: str
    left_out: LeftOut
    trust: Trust | None  # how much the parses are to be trusted, if that was asked for

    @staticmethod
    def of(
        gold: CorpusSource,
        system: CorpusSource,
        model: Model | str,
        others: Sequence[CorpusSource] = (),
        *,
        trusted: bool = False,
    ) -> _Known:
        """That of one system."""
        gold, system = as_corpus(gold), as_corpus(system)
        model = model if isinstance(model, Model) else load_model(model)
        if model.weights is None:
            raise ModelError(
                "the model holds counts only; calibration needs one of `treegauge model build` without --counts-only"
            )
        opinions = other_parses(system, others) if others else None
        found = Workshop(model, others=opinions).evidence
        over = lay_over(gold, system)
        evidence = _kept(over, Evidence(found(system), right_arcs(over.gold, system), system.sentence))
        of_tags = found.of_tags(system)
        tags = None
        if of_tags is not None:
            tags = _kept(over, Evidence(of_tags, right_tags(over.gold, system), system.sentence))
        made_from = source_names(gold.path, system.path)
        trust = trust_in(Combiner(choice_of(model), opinions), system, over) if trusted else None
        return _Known(evidence, tags, system.path, made_from, model.signature, over.left_out, trust)


def _kept(over: LaidOver, evidence: Evidence) -> Evidence:
    """The evidence for the words that gold has, too."""
    return evidence if over.kept is None else evidence.only(over.kept)
