"""What weighs in the score of LISCA: the share of each feature, and what the score loses without it (2020, RQ2).

The log score of an arc is a sum over features, s = Σ_f w_f, where w_f adds up the logarithms of all factors of feature
f. So its variance is a sum of covariances, and the share of a feature is

    share(f) = Cov(w_f, s) / Var(s),   Σ_f share(f) = 1

A feature whose share is near 0 says little that tells the arcs apart; a negative share works against the others. The
ablation asks another question: how well does the score tell wrong arcs without the feature, s − w_f (ROC-AUC)?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treegauge.corpus.compare.comparison import side_by_side
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.difficulty.properties import arc_values, rows_by_relation
from treegauge.errors import OptionError
from treegauge.evaluation.judging.measures import Curve
from treegauge.models.lisca.score import Lisca
from treegauge.ranking.scored import reliable_order
from treegauge.statistics import LEVEL, percentile_interval
from treegauge.tables import Table, Tabular, column_kinds

ALL = "all"
LEAST = 30  # arcs that a relation must have to be listed


@dataclass(frozen=True, repr=False)
class FeatureWeights(Tabular):
    """The log weight of each feature in the score of each arc of a corpus."""

    name: str
    corpus: Corpus
    features: tuple[str, ...]
    weights: np.ndarray  # [feature, arc]
    signature: str
    right: np.ndarray | None = None  # whether each arc is right, if gold is known
    known: np.ndarray | None = None  # whether gold has the word

    @cached_property
    def scores(self) -> np.ndarray:
        """The log score of each arc."""
        return np.asarray(self.weights.sum(axis=0))

    @cached_property
    def inner(self) -> np.ndarray:
        """The arcs that are compared: all except root arcs."""
        return self.corpus.head > 0

    def shares(self, rows: np.ndarray) -> np.ndarray | None:
        """The share of each feature in the variance of the scores of some arcs; None if it has no variance.

        Without smoothing, arcs whose product is 0 have no finite log score, and are left out.
        """
        rows = self.finite(rows)
        weights, scores = self.weights[:, rows], self.scores[rows]
        if len(rows) < 2 or not scores.var():
            return None
        centred = scores - scores.mean()
        return np.asarray((weights - weights.mean(axis=1, keepdims=True)) @ centred / (centred @ centred))

    def finite(self, rows: np.ndarray) -> np.ndarray:
        """The arcs, of some, that have a finite log score."""
        return rows[np.isfinite(self.scores[rows])]

    def table(self) -> Table:
        """The shares of all arcs, and of the arcs of each relation, the most frequent first."""
        by_relation = rows_by_relation(self.corpus)
        groups = {ALL: np.flatnonzero(self.inner)}
        for relation in sorted(by_relation, key=lambda name: (-len(by_relation[name]), name)):
            rows = by_relation[relation]
            groups[relation] = rows[self.inner[rows]]
        kept = {relation: rows for relation, rows in groups.items() if len(rows) >= LEAST or relation == ALL}
        return self._shares_table("relation", kept, f"by relation, from {LEAST} arcs on", "feature_shares")

    def bins_table(self, bins: int = 10, relation: str | None = None) -> Table:
        """The shares in each bin of the ranking; bin 1 has the most plausible arcs."""
        chosen = self.inner.copy()
        if relation is not None:
            by_relation = rows_by_relation(self.corpus)
            if relation not in by_relation:
                raise OptionError(f"relation {relation!r}; expected one of {', '.join(sorted(by_relation))}")
            chosen &= np.isin(np.arange(self.corpus.n_words), by_relation[relation])
        rows = np.flatnonzero(chosen)
        parts = np.array_split(rows[reliable_order(self.scores[rows])], bins)
        groups = {str(k): part for k, part in enumerate(parts, 1)}
        return self._shares_table("bin", groups, f"by bin of {relation or 'all arcs'}", "feature_shares_by_bin")

    def _shares_table(self, key: str, groups: dict[str, np.ndarray], what: str, name: str) -> Table:
        rows = []
        for group, at in groups.items():
            shares = self.shares(at)
            rows.append(
                (group, len(self.finite(at)), *([None] * len(self.features) if shares is None else map(float, shares)))
            )
        columns = ((key, "text"), ("arcs", "count"), *((feature, "percent") for feature in self.features))
        title = f"{self.name}: share of each feature in the variance of the log score, {what}"
        return Table(title, columns, tuple(rows), self.signature, name)

    def ablation(self, samples: int = 500, seed: int = 1, progress: Callable[[int], None] = lambda done: None) -> Table:
        """ROC-AUC of the score without each feature, and the change, with its interval over drawn sentences.

        The same sentences are drawn for the whole score and for the score without the feature.
        """
        if self.right is None or self.known is None:
            raise OptionError(f"{self.name}: no gold; expected gold and a parser's output for an ablation")
        rows = np.flatnonzero(self.inner & self.known)
        present, sentence = np.unique(self.corpus.sentence[rows], return_inverse=True)
        n, rng = len(present), np.random.default_rng(seed)
        draws = [np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(samples)]

        def areas(scores: np.ndarray) -> np.ndarray:
            """The area of all sentences, then of each draw."""
            curve = Curve.of(scores[rows], self.right[rows])  # type: ignore[index]
            area = curve.sampler(sentence[curve.order].astype(np.int32))
            progress(1)
            return np.array([area(drawn)[0] for drawn in (np.ones(n, np.int64), *draws)])

        whole, table_rows = areas(self.scores), []
        for k, feature in enumerate(self.features):
            without = areas(np.delete(self.weights, k, axis=0).sum(axis=0))
            low, high = percentile_interval((without - whole)[1:, None])[:, 0].tolist() if samples else (None, None)
            table_rows.append((feature, float(whole[0]), float(without[0]), float(without[0] - whole[0]), low, high))
        columns = column_kinds("feature text, with p, without p, change p, low p, high p")
        title = f"{self.name}: ROC-AUC without each feature, {LEVEL:.0%} intervals over sentences"
        signature = f"{self.signature}|samples:{samples}|seed:{seed}"
        return Table(title, columns, tuple(table_rows), signature, "ablation")

    def interaction(self, first: str, second: str, relation: str | None = None, most: int = 8) -> Interaction:
        """The mean log score for each pair of values of two properties (see `arc_values`), numbers cut at `most`."""
        rows = np.flatnonzero(self.inner)
        if relation is not None:
            rows = np.intersect1d(rows, rows_by_relation(self.corpus).get(relation, np.empty(0, np.int64)))
        if not len(rows):
            raise OptionError(f"no arc has relation {relation!r}")
        sides = [_classes(self.corpus, name, rows, most) for name in (first, second)]
        shape = len(sides[0][1]), len(sides[1][1])
        cell = sides[0][0] * shape[1] + sides[1][0]
        counts = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        sums = np.bincount(cell, self.scores[rows], minlength=shape[0] * shape[1]).reshape(shape)
        what = relation or "all arcs"
        return Interaction(
            f"{self.name}, {what}", (first, second), sides[0][1], sides[1][1], counts, sums, self.signature
        )


def _classes(corpus: Corpus, name: str, rows: np.ndarray, most: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """The class of a property for some arcs, and the names of the classes."""
    values = arc_values(corpus, name)
    of_arc = values.values[rows]
    if values.is_number:
        numbers, codes = np.unique(np.clip(of_arc, -most - 1, most + 1), return_inverse=True)
        names = tuple(f">{most}" if n > most else f"<-{most}" if n < -most else str(n) for n in numbers.tolist())
        return codes, names
    assert values.labels is not None
    numbers, codes = np.unique(of_arc, return_inverse=True)
    return codes, tuple(values.labels[number] for number in numbers.tolist())


@dataclass(frozen=True, repr=False)
class Interaction(Tabular):
    """How plausible arcs are for each pair of values of two properties."""

    title: str
    properties: tuple[str, str]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: np.ndarray
    sums: np.ndarray
    signature: str

    @property
    def means(self) -> np.ndarray:
        """The mean log score of each cell; NaN where there is no arc."""
        return np.where(self.counts > 0, self.sums / np.maximum(self.counts, 1), np.nan)

    def table(self) -> Table:
        """A row for each pair of values that occurs."""
        cells = [
            (row, column, int(self.counts[y, x]), float(self.means[y, x]))
            for y, row in enumerate(self.rows)
            for x, column in enumerate(self.columns)
            if self.counts[y, x]
        ]
        first, second = self.properties
        columns = ((first, "text"), (second, "text"), ("arcs", "count"), ("mean_log_score", "number"))
        title = f"{self.title}: mean log score by {first} and {second}"
        return Table(title, columns, tuple(cells), self.signature, "interaction")


def feature_weights(
    source: CorpusSource, lisca: Lisca, *, gold: CorpusSource | None = None, name: str = ""
) -> FeatureWeights:
    """The weights of LISCA's features in the scores of a corpus; gold: to tell which arcs are right."""
    corpus = as_corpus(source)
    features = tuple(dict.fromkeys(factor.partition("|")[0] for factor in lisca.factor_names))
    weights = np.zeros((len(features), corpus.n_words))
    done = 0
    for part in corpus.parts(1 << 14):
        rows = slice(done, done := done + part.n_words)
        logs = lisca.factors(part).log_ratios(lisca.options.smoothing)
        for k, factor in enumerate(lisca.factor_names):
            weights[features.index(factor.partition("|")[0]), rows] += logs[k]
    right = known = None
    if gold is not None:
        comparison = side_by_side(corpus, as_corpus(gold))
        right, known = comparison.right, comparison.present
    return FeatureWeights(name or corpus.path, corpus, features, weights, lisca.signature, right, known)


def shares_across(languages: Sequence[FeatureWeights], relation: str = ALL) -> Table:
    """The shares of the features in several languages, side by side, over all arcs or those of a relation."""
    rows = []
    for weights in languages:
        at = np.flatnonzero(weights.inner)
        if relation != ALL:
            at = np.intersect1d(at, rows_by_relation(weights.corpus).get(relation, np.empty(0, np.int64)))
        shares = weights.shares(at)
        cells = [None] * len(weights.features) if shares is None else map(float, shares)
        rows.append((weights.name, len(weights.finite(at)), *cells))
    features = languages[0].features
    columns = (("language", "text"), ("arcs", "count"), *((feature, "percent") for feature in features))
    what = "all arcs" if relation == ALL else relation
    title = f"Share of each feature in the variance of the log score, {what}"
    return Table(title, columns, tuple(rows), languages[0].signature, "feature_shares_by_language")
