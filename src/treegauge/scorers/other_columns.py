"""Scorers of the other columns: lemma, XPOS, features, subtype; and of words by the worst of all their columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError, OptionError
from treegauge.explanations import Explanation, Reason
from treegauge.models.choice.words import COLUMNS
from treegauge.models.columns.choices import ColumnChoices, ColumnJudge
from treegauge.models.columns.features import LEMMA, SUBTYPE
from treegauge.models.columns.inventory import combinations, present
from treegauge.models.columns.learning import learn_folds
from treegauge.models.model import Model
from treegauge.scorers.by_itself import Pieces, how_many_folds, in_fold
from treegauge.scorers.scorer import PerCorpus, Scorer
from treegauge.version import signature
from treegauge.wording import chance

# What the score of a value adds to its log p: chosen on the corrections of en_ewt_r22, fr_gsd_r22 and sv_talbanken_r22.
TAG, ARC, RARE, LEAST = 0.05, 0.02, 0.1, -12.0
UNASKED = 0.005  # instead of ARC, where a relation has no subtypes to choose from
WORD = "word"
IN_WORDS = {LEMMA: "lemma", "xpos": "XPOS", "feats": "features", SUBTYPE: "subtype"}


class ColumnScorer(Scorer):
    """How plausible the value of a column is, against all that the word could have.

        s = log p + 0.05 max(log p_tag, −12) − 0.1 / n          (of lemmas; n: how often the form has its tag)
        s = log p + 0.05 max(log p_tag, −12)                    (of XPOS and features)
        s = log p + 0.02 max(log p_arc, −12)                    (of subtypes; 0.005 where there is no other subtype)

    So of two values that are about as probable, the one whose tag or arc is in doubt comes first.
    """

    explains = suggests = True

    def __init__(self, column: str, signature: str, beside: Scorer | None) -> None:
        """beside: the scorer of tags, for subtypes that of arcs, which is added."""
        super().__init__(column, signature, COLUMNS)
        self.column, self.beside = column, beside
        self.meaning = (
            f"log p of the {IN_WORDS[column]}, plus a little of that of the {'arc' if column == SUBTYPE else 'tag'}"
        )
        self.column_choices: PerCorpus[ColumnChoices] = PerCorpus(self._choices)

    def _choices(self, corpus: Corpus) -> ColumnChoices:
        raise NotImplementedError

    def _weights_for(self, corpus: Corpus, row: int) -> tuple[ColumnJudge, np.ndarray]:
        raise NotImplementedError

    def rarity(self, corpus: Corpus) -> np.ndarray | float:
        """1/n for each word, where it is known how often its form has its tag."""
        return 0.0

    def scores(self, corpus: Corpus) -> np.ndarray:
        """The score of every word."""
        choices = self.column_choices(corpus)
        scores = choices.log_prob - RARE * self.rarity(corpus)
        weight = np.where(choices.other >= 0, ARC, UNASKED) if self.column == SUBTYPE else TAG
        return scores if self.beside is None else scores + weight * np.maximum(self.beside.scores(corpus), LEAST)

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """The value that each word would rather have, and what speaks for it."""
        choices, explanations = self.column_choices(corpus), []
        for row in rows.tolist():
            own, other = float(choices.log_worst[row]), float(choices.log_other[row])
            given, rather, reasons = choices.given(corpus, row), choices.rather(corpus, row), []
            if rather:
                likelier = other > own
                text = f"{'probably' if likelier else 'next:'} {rather} ({chance(math.exp(other))}), given {given}"
                judge, weight = self._weights_for(corpus, row)
                speaks = judge.reasons(corpus, row, weight)
                reasons = [Reason(self.column, other - own, None, None, text)]
                reasons += [Reason(name, gain, None, None, f"for {rather}: {name}") for name, gain in speaks]
            notes = (f"probability {chance(math.exp(own))} of {given}",)
            explanations.append(Explanation(row, float(choices.log_prob[row]), tuple(reasons), notes))
        return explanations


class ColumnOfModel(ColumnScorer):
    """The scorer of a column by what a model learned about it."""

    def __init__(self, model: Model, column: str, beside: Scorer | None) -> None:
        found = [weights for weights in model.columns if weights.column == column]
        if not found:
            known = ", ".join(weights.column for weights in model.columns) or "no such column"
            raise ModelError(f"the model does not know the column {column}; it knows {known}")
        self.weights = found[0]
        self.judge = ColumnJudge(column, self.weights.classes, self.weights.supports)
        super().__init__(column, signature(column, f"ref:{model.name}@{self.weights.hash[:8]}"), beside)

    def _choices(self, corpus: Corpus) -> ColumnChoices:
        return self.judge.choices(corpus, [self.weights.weight])

    def _weights_for(self, corpus: Corpus, row: int) -> tuple[ColumnJudge, np.ndarray]:
        return self.judge, self.weights.weight


class ColumnByItself(ColumnScorer):
    """The scorer of a column where each fold is judged by what was learned from the others.

    Which values there are is known from the whole corpus; how they are chosen is learned from the other folds.
    """

    def __init__(self, pieces: Pieces, column: str, folds: int | None, beside: Scorer | None) -> None:
        self.folds = how_many_folds(folds, sum(piece.n_sentences for piece in pieces()))
        self.survey, self.learned = learn_folds(pieces, column, self.folds, self._in_fold)
        self.judge = ColumnJudge(column, self.survey.classes(), self.survey.supports)
        super().__init__(column, signature(column, "ref:self", f"folds:{self.folds}"), beside)

    def _in_fold(self, piece: Corpus, fold: int) -> np.ndarray:
        return in_fold(piece, fold, self.folds)

    def _choices(self, corpus: Corpus) -> ColumnChoices:
        fold = (corpus.before + np.arange(corpus.n_sentences)) % self.folds
        return self.judge.choices(corpus, self.learned, fold)

    def _weights_for(self, corpus: Corpus, row: int) -> tuple[ColumnJudge, np.ndarray]:
        return self.judge, self.learned[(corpus.before + int(corpus.sentence[row])) % self.folds]

    def rarity(self, corpus: Corpus) -> np.ndarray | float:
        """1/n for each word: n is how often its form has its tag."""
        if self.column != LEMMA:
            return 0.0
        kinds, place, _ = combinations(corpus, "upos", "form")
        times = [
            self.survey.times(corpus.labels["upos"][upos], corpus.labels["form"][form]) for upos, form in kinds.tolist()
        ]
        return (1 / np.maximum(np.array(times, dtype=float), 1))[place]


class WordScorer(Scorer):
    """Words by the worst of their columns: the smallest log p of arc, tag, lemma, XPOS, features and subtype."""

    explains = suggests = True
    meaning = "log p of the least probable column of the word"

    def __init__(self, arcs: Scorer, columns: Sequence[ColumnScorer]) -> None:
        self.arcs, self.parts = arcs, tuple(columns)
        super().__init__(WORD, " + ".join([arcs.signature, *(part.signature for part in columns)]), COLUMNS)
        self.table: PerCorpus[tuple[tuple[str, ...], np.ndarray]] = PerCorpus(self._table)

    def _table(self, corpus: Corpus) -> tuple[tuple[str, ...], np.ndarray]:
        """The names of the columns, and log p of each, a row for each."""
        rows: dict[str, np.ndarray] = {"arc": self.arcs.scores(corpus)}
        tags = self.arcs.tag_choices(corpus) if self.arcs.tag_choices else None
        if tags is not None:
            rows["tag"] = tags.log_prob
        rows |= {part.column: part.column_choices(corpus).log_worst for part in self.parts}
        return tuple(rows), np.stack(list(rows.values()))

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p of the least probable column of every word."""
        return np.asarray(self.table(corpus)[1].min(axis=0, initial=0.0))

    def worst(self, corpus: Corpus, row: int) -> str:
        """The name of the least probable column of a word."""
        names, table = self.table(corpus)
        return names[int(table[:, row].argmin())]

    def said(self, corpus: Corpus, row: int) -> tuple[str, str, float]:
        """What the worst column of a word has, what it would rather have, and how probable that is."""
        name = self.worst(corpus, row)
        if name == "arc":
            other = self.arcs.alternatives(corpus, np.array([row]))
            given = f"{corpus.head[row]}:{corpus.value('deprel', row)}"
            rather = f"{other.head[0]}:{other.relation[0]}" if other.head[0] >= 0 else ""
            return given, rather, math.exp(float(other.log_prob[0]))
        if name == "tag":
            tags: Any = self.arcs.tag_choices(corpus)
            rather = tags.tags[tags.other[row]] if tags.other[row] >= 0 else ""
            return corpus.value("upos", row), rather, math.exp(float(tags.log_other[row]))
        choices = self._part(name).column_choices(corpus)
        return choices.given(corpus, row), choices.rather(corpus, row), math.exp(float(choices.log_other[row]))

    def _part(self, name: str) -> ColumnScorer:
        return next(part for part in self.parts if part.column == name)

    def explain(self, corpus: Corpus, rows: np.ndarray) -> list[Explanation]:
        """What speaks against the worst column of each word."""
        explanations = []
        for row in rows.tolist():
            name, at = self.worst(corpus, row), np.array([row])
            if name == "tag":
                given, rather, p = self.said(corpus, row)
                text = f"tagged {given}, rather {rather} ({chance(p)})"
                explanations.append(Explanation(row, float(self.scores(corpus)[row]), (), (text,)))
            else:
                by = self.arcs if name == "arc" else self._part(name)
                explanations += by.explain(corpus, at)
        return explanations


def column_scorer(name: str, model: Model, tags: Callable[[], Scorer] | None, arcs: Callable[[], Scorer]) -> Scorer:
    """The scorer of a column by a model; of `word`, of all columns that the model knows. tags: None: it knows none."""
    if name != WORD:
        beside = None if tags is None else arcs() if name == SUBTYPE else tags()
        return ColumnOfModel(model, name, beside)
    return WordScorer(arcs(), columns_of_model(model))


def columns_of_model(model: Model) -> list[ColumnScorer]:
    """The scorers of all other columns that a model knows; ModelError if it knows none."""
    if not model.columns:
        raise ModelError("the model knows no lemmas, features and subtypes; build it again: `treegauge model build`")
    return [ColumnOfModel(model, weights.column, None) for weights in model.columns]


def columns_by_itself(pieces: Pieces, folds: int | None) -> list[ColumnScorer]:
    """The scorers of all other columns that a corpus has, over this corpus."""
    return [ColumnByItself(pieces, column, folds, None) for column in present(pieces())]


def column_by_itself(
    name: str, pieces: Pieces, folds: int | None, tags: Callable[[], Scorer], arcs: Callable[[], Scorer]
) -> Scorer:
    """The scorer of a column over the corpus that it is to score; of `word`, of all columns that the corpus has."""
    known = present(pieces())
    if name == WORD:
        return WordScorer(arcs(), columns_by_itself(pieces, folds))
    if name not in known:
        raise OptionError(
            f"the corpus has no {IN_WORDS[name]} to judge; it has {', '.join(known) or 'none of these columns'}"
        )
    return ColumnByItself(pieces, name, folds, arcs() if name == SUBTYPE else tags())
