"""The sums behind the measures of relation types, for each sentence, so that sentences can be drawn again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import universal
from treegauge.evaluation.attachment.evaluation import Evaluation
from treegauge.evaluation.attachment.metrics import ARC

# the columns: arcs of gold and of the system, right ones, lengths and their number, scores in gold and in the system
N_GOLD, N_SYSTEM, CORRECT, LENGTH, N_LENGTH, LISCA_GOLD, LISCA_PARSED = range(7)


@dataclass(frozen=True, slots=True)
class TypeSums:
    """The sums of each type over each sentence of gold, or of the system's output if there is no gold."""

    values: np.ndarray  # [sentence, type, column]
    shift: np.ndarray  # [type, gold or system]: scores are sums of exp(log score − shift)
    mean_log: bool  # scores are sums of log scores
    both: bool  # whether there are gold and a system's output

    def chosen(self, places: Sequence[int | None]) -> TypeSums:
        """The sums of some types; None stands for a type that does not occur."""
        known = [0 if place is None else place for place in places]
        values, shift = self.values[:, known].copy(), self.shift[known].copy()
        missing = [k for k, place in enumerate(places) if place is None]
        values[:, missing], shift[missing] = 0, 0
        return TypeSums(values, shift, self.mean_log, self.both)

    def measured(self, sums: np.ndarray) -> dict[str, np.ndarray]:
        """The measures of the types from sums over sentences, [..., type, column]; NaN where there are no arcs."""
        with np.errstate(divide="ignore", invalid="ignore"):
            f_score = 2 * sums[..., CORRECT] / (sums[..., N_GOLD] + sums[..., N_SYSTEM])
            measures = {
                "f_score": f_score if self.both else np.full_like(f_score, np.nan),
                "length": sums[..., LENGTH] / sums[..., N_LENGTH],
            }
            sides = (("lisca_gold", LISCA_GOLD, N_GOLD), ("lisca_parsed", LISCA_PARSED, N_SYSTEM))
            for side, (name, column, number) in enumerate(sides):
                mean = sums[..., column] / sums[..., number]
                measures[name] = mean if self.mean_log else np.log(mean) + self.shift[:, side]
        return measures


class TypeSumsBuilder:
    """Adds up the arcs of gold and of a system's output."""

    def __init__(
        self,
        relations: Sequence[str],
        gold: Corpus | None,
        system: Corpus | None,
        evaluation: Evaluation | None,
        mean_log: bool,
    ) -> None:
        self._relations, self._evaluation, self._mean_log = relations, evaluation, mean_log
        self._without_gold = gold is None
        first = gold or system
        assert first is not None
        self._values = np.zeros((first.n_sentences, len(relations), 7))
        self._shift = np.zeros((len(relations), 2))
        if evaluation is not None:
            place = {name: k for k, name in enumerate(relations)}
            words = evaluation.words
            type_of = np.array([place.get(universal(name), -1) for name in words.relations])[words.gold_relation]
            right = (words.right & ARC == ARC) & (type_of >= 0)
            np.add.at(self._values, (evaluation.gold.sentence[right], type_of[right], CORRECT), 1)

    def add(self, side: Corpus, rows: Mapping[str, np.ndarray], scores: np.ndarray, is_gold: bool) -> None:
        """Add the arcs of gold or of the system: their number, their scores and, once, their lengths.

        rows: the rows of each relation.
        """
        sentence = side.sentence
        if not is_gold and self._evaluation is not None:
            sentence = self._evaluation.comparison.other_sentence
        number, lisca = (N_GOLD, LISCA_GOLD) if is_gold else (N_SYSTEM, LISCA_PARSED)
        for k, relation in enumerate(self._relations):
            at = rows.get(relation, np.empty(0, np.int64))
            if not len(at):
                continue
            of_type, log_scores = self._values[:, k], scores[at]
            np.add.at(of_type[:, number], sentence[at], 1)
            if not self._mean_log:
                most = log_scores.max()
                self._shift[k, int(not is_gold)] = 0.0 if np.isneginf(most) else most
                log_scores = np.exp(log_scores - self._shift[k, int(not is_gold)])
            np.add.at(of_type[:, lisca], sentence[at], log_scores)
            if is_gold or self._without_gold:
                inner = at[side.head[at] > 0]  # an arc from the artificial root has no length, whatever its label
                np.add.at(of_type[:, LENGTH], sentence[inner], side.arc_length[inner])
                np.add.at(of_type[:, N_LENGTH], sentence[inner], 1)

    def sums(self) -> TypeSums:
        """The sums."""
        return TypeSums(self._values, self._shift, self._mean_log, self._evaluation is not None)
