"""Choice as a scorer."""

from __future__ import annotations

import numpy as np

from treegauge.choice.probabilities import ArcChoices, Choice
from treegauge.choice.rivals import explain
from treegauge.choice.tags import TagChoices
from treegauge.choice.words import COLUMNS
from treegauge.corpus.conllu import Corpus
from treegauge.explanations import Alternatives, Explanation
from treegauge.scorers.scorer import Remembered, Scorer

ARC_PROBABILITY = "log score is log p of the head and relation, among all that the word could have"

AS_TAGGED = "as-tagged"  # the name of a choice that doubts no tags


class ChoiceScorer(Scorer):
    """log p(head, relation) of every arc against all others that its word could have."""

    probabilities = explains = suggests = True
    meaning = ARC_PROBABILITY

    def __init__(self, choice: Choice, name: str = "choice") -> None:
        super().__init__(name, choice.signature, COLUMNS)
        self.choice = choice
        self.choices: Remembered[ArcChoices] = Remembered(choice.choices)

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p of every arc."""
        return self.choices(corpus).log_prob

    def tag_choices(self, corpus: Corpus) -> TagChoices | None:
        """How plausible the tags are, where the weights know tags."""
        return self.choices(corpus).tags

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """The likelier arcs, and what speaks for them."""
        return explain(self.choice, corpus, rows, self.choices(corpus).log_prob[rows])

    def alternatives(self, corpus: Corpus, rows: np.ndarray) -> Alternatives:
        """The likeliest other arcs."""
        return self.choice.alternatives(corpus, rows, self.choices(corpus))

    def likelier(self, corpus: Corpus) -> tuple[np.ndarray, Alternatives]:
        """The rows of words that would rather have another arc, and these arcs.

        Where an arc has half of the probability, no other has more, and none is looked for.
        """
        return self.likelier_among(corpus, np.flatnonzero(self.scores(corpus) < np.log(0.5)))
