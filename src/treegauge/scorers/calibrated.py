"""Scorers whose scores are calibrated probabilities of being right."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError
from treegauge.explanations import Alternatives, Explanation
from treegauge.models.choice.tags import TagChoices
from treegauge.models.model import Model
from treegauge.scorers.by_model import ChoiceScorer, LiscaScorer, TagScorer
from treegauge.scorers.calibration import Calibration
from treegauge.scorers.evidence import (
    ArcEvidence,
    Kinds,
    arc_evidence,
    arc_kinds,
    tag_evidence,
    with_net_evidence,
    with_opinion_evidence,
)
from treegauge.scorers.scorer import PerCorpus, Scorer
from treegauge.scorers.second_opinions import AgreementScorer
from treegauge.version import signature


@dataclass(frozen=True)
class EvidenceFinder:
    """Collects what is known of arcs without gold: what choice, the net, LISCA and other parses say of them."""

    choice: ChoiceScorer
    lisca: LiscaScorer
    agreement: AgreementScorer | None = None

    def __call__(self, corpus: Corpus) -> ArcEvidence:
        """The evidence for every arc of a corpus."""
        everything = np.arange(corpus.n_words)
        other = self.choice.alternatives(corpus, everything).log_prob
        evidence = arc_evidence(corpus, self.choice.choices(corpus), other, self.lisca.scores(corpus))
        odds = self.choice.net_odds(corpus)
        if odds is not None:
            evidence = with_net_evidence(evidence, corpus, odds[0], odds[1:])
        if self.agreement is None:
            return evidence
        return with_opinion_evidence(evidence, self.agreement.opinions(corpus).says)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a corpus must have been read with."""
        return tuple(dict.fromkeys((*self.choice.columns, *self.lisca.columns)))

    @property
    def kinds(self) -> Kinds:
        """The kinds of the evidence for arcs."""
        parses = 0 if self.agreement is None else len(self.agreement.others.parses)
        return arc_kinds(parses, self.choice.has_net)

    def of_tags(self, corpus: Corpus) -> ArcEvidence | None:
        """The evidence for the tag of every word; None where the model knows no tags."""
        tags = self.choice.tag_choices(corpus)
        return None if tags is None else tag_evidence(corpus, self.choice.choices(corpus), tags)


class CalibratedScorer(Scorer):
    """log p(right) of every arc; reasons and other arcs come from the scorer choice."""

    probabilities = explains = suggests = True
    meaning = "log score is log p of the arc being right"

    def __init__(self, calibration: Calibration, model: Model, finder: EvidenceFinder) -> None:
        super().__init__("calibrated", signature(calibration.signature, f"ref:{model.signature}"), finder.columns)
        self.calibration, self.choice, self.finder = calibration, finder.choice, finder
        self.tag_choices = finder.choice.tag_choices
        self.log_probs = PerCorpus(lambda corpus: calibration.log_probs(finder(corpus)))
        self._notes = other_model(calibration, model)

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p(right) of every arc."""
        return self.log_probs(corpus)

    @property
    def notes(self) -> tuple[str, ...]:
        """Says if the calibration was made with another model, and which words are missing in other parses."""
        return self._notes if self.finder.agreement is None else (*self._notes, *self.finder.agreement.notes)

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """The likelier arcs, and what speaks for them; which other parses have the arc."""
        explanations = self.choice.explain(corpus, rows)
        if self.finder.agreement is None:
            return explanations
        opinions = self.finder.agreement.opinions(corpus)
        return [replace(e, notes=(*e.notes, opinions.said(e.row))) for e in explanations]

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs."""
        return self.choice.alternatives(corpus, rows)

    def likelier(self, corpus: Corpus) -> tuple[np.ndarray, Alternatives]:
        """The rows of words that would rather have another arc, and these arcs."""
        return self.choice.likelier(corpus)


class CalibratedTagScorer(TagScorer):
    """log p(right) of the tag of every word; reasons and other tags come from the model."""

    meaning = "log score is log p of the tag being right"

    def __init__(self, calibration: Calibration, model: Model, finder: EvidenceFinder) -> None:
        tags = calibration.tags
        if tags is None:
            raise ModelError("the calibration says nothing of tags: it was made where hardly any were wrong")
        settings = calibration.signature.replace("calibrated", "calibrated tags", 1)
        super().__init__(signature(settings, f"ref:{model.signature}"), finder.choice.columns)
        self.tags, self.finder = tags, finder
        self._notes = other_model(calibration, model)
        self.log_probs = PerCorpus(self._log_probs)

    def _tag_choices(self, corpus: Corpus) -> TagChoices:
        choices = self.finder.choice.tag_choices(corpus)
        if choices is None:
            raise ModelError("the model knows no tags; build it again: `treegauge model build`")
        return choices

    def _log_probs(self, corpus: Corpus) -> np.ndarray:
        return self.tags.log_probs(tag_evidence(corpus, self.finder.choice.choices(corpus), self._tag_choices(corpus)))

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p(right) of the tag of every word."""
        return self.log_probs(corpus)


def other_model(calibration: Calibration, model: Model) -> tuple[str, ...]:
    """A note if the calibration was made with another model."""
    if calibration.made_with == model.signature:
        return ()
    return (f"the calibration was made from {calibration.made_from} with other models: less to be trusted",)


def source_names(gold: str, system: str) -> str:
    """The names of the two files that a calibration was made from, without their folders."""
    return f"{os.path.basename(gold)}+{os.path.basename(system)}"
