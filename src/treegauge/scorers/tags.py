"""The plausibility of tags as a scorer: of words, not of arcs."""

from __future__ import annotations

import math

import numpy as np

from treegauge import __version__
from treegauge.choice.tags import TagChoice, TagChoices
from treegauge.choice.weights import ChoiceWeights
from treegauge.corpus.conllu import Corpus
from treegauge.errors import ModelError
from treegauge.explanations import Explanation, Reason
from treegauge.scorers.scorer import Remembered, Scorer
from treegauge.wording import chance

TAG_COLUMNS = ("form", "upos")


class TagScorer(Scorer):
    """log p(tag) of every word against all tags that its form could have there."""

    probabilities = explains = True
    meaning = "log score is log p of the tag, among all that the word could have"

    def __init__(self, signature: str, columns: tuple[str, ...] = TAG_COLUMNS) -> None:
        super().__init__("tags", signature, columns)
        self.tag_choices: Remembered[TagChoices] = Remembered(self._found)

    def _found(self, corpus: Corpus) -> TagChoices:
        raise NotImplementedError

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p of the tag of every word."""
        return self.tag_choices(corpus).log_prob

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """The likeliest other tag of each word."""
        found, said = self.tag_choices(corpus), []
        for row in rows.tolist():
            tag, own, other = corpus.value("upos", row), float(found.log_prob[row]), float(found.log_other[row])
            rather, reasons = found.rather(row), []
            if found.other[row] >= 0:
                text = f"next: {found.tags[found.other[row]]} ({chance(math.exp(other))})"
                text = f"probably {rather[0]} ({rather[1]:.2f}), tagged {tag}" if rather else text
                reasons = [Reason("tag", other - own, None, None, text)]
            notes = [f"probability {chance(math.exp(own))} of this tag"]
            notes += [] if tag in found.tags else [f"upos {tag!r} is not in the model"]
            said.append(Explanation(row, own, tuple(reasons), tuple(notes)))
        return said


class TagScorerOfModel(TagScorer):
    """By a model."""

    def __init__(self, weights: ChoiceWeights, model: str = "") -> None:
        if weights.tags is None:
            raise ModelError("the model knows no tags; build it again: `treegauge model build`")
        super().__init__(f"tags|ref:{model}@{weights.hash[:8]}|v{__version__}")
        self.choice = TagChoice(weights.tags, weights.words)

    def _found(self, corpus: Corpus) -> TagChoices:
        return self.choice.choices(corpus)
