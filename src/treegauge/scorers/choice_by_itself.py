"""Judging a corpus by choices learned from the rest of it: no arc is judged by weights that saw it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treegauge.arcs.reasons import Explanation
from treegauge.choice.learning import ChoiceTrainer
from treegauge.choice.probabilities import ArcChoices, Choice
from treegauge.choice.rivals import explain
from treegauge.corpus.conllu import Corpus
from treegauge.errors import OptionError
from treegauge.scorers.registry import Scorer

FOLDS = 5


def fold_choices(corpus: Corpus, folds: int = FOLDS) -> list[Choice]:
    """For each fold the choices learned from the other folds; sentence s, from 0, is in fold s mod folds."""
    if not 2 <= folds <= max(corpus.n_sentences, 2):
        raise OptionError(f"folds {folds}; expected 2..{corpus.n_sentences}, the number of sentences")
    found = []
    for fold in range(folds):
        trainer = ChoiceTrainer()
        trainer.add(corpus.select(np.arange(corpus.n_sentences) % folds != fold))
        found.append(Choice(trainer.weights(), "self"))
    return found


def choice_self_scorer(corpus: Corpus, folds: int = FOLDS) -> Scorer:
    """A scorer for the arcs of one corpus, each fold by the others."""
    learned = fold_choices(corpus, folds)

    def choices(same: Corpus) -> ArcChoices:
        relations = tuple(sorted(set().union(*(choice.weights.relations for choice in learned))))
        n = same.n_words
        found = ArcChoices(np.zeros(n), np.zeros(n), np.zeros(n, int), np.zeros(n, int), np.zeros(n), relations)
        for fold, choice in enumerate(learned):
            which = np.arange(fold, same.n_sentences, folds)
            rows = same.sentence % folds == fold
            part = choice.choices(same.select(which))
            code = np.array([*(relations.index(name) for name in part.relations), -1])  # -1 stays -1
            found.log_head[rows], found.log_relation[rows] = part.log_head, part.log_relation
            found.other_head[rows], found.other_relation[rows] = part.other_head, code[part.other_relation]
            found.other_log_prob[rows] = part.other_log_prob
        return found

    def explained(same: Corpus, rows: np.ndarray) -> Sequence[Explanation]:
        found: dict[int, Explanation] = {}
        for fold in range(folds):
            mine = rows[same.sentence[rows] % folds == fold]
            found |= {e.row: e for e in explain(learned[fold], same, mine)}
        return [found[row] for row in rows.tolist()]

    signature = f"{learned[0].signature}|folds:{folds}"
    return Scorer(
        "choice",
        signature,
        lambda same: choices(same).log_prob,
        leave_out=True,
        explainer=explained,
        choices=choices,
        probabilities=True,
    )
