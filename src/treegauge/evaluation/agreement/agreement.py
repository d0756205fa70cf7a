"""The agreement of the annotators of one text: as shares, above chance, by relation, and by tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treegauge.corpus.conllu import CorpusSource
from treegauge.errors import OptionError
from treegauge.evaluation.agreement.annotators import Annotators, read_annotators
from treegauge.evaluation.agreement.tree_alpha import TreeDisagreement, tree_disagreement
from treegauge.scorers.scorer import Scorer
from treegauge.statistics import drawn_sentences, percentile_interval
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.version import signature
from treegauge.wording import counted


def cohen_kappa(words: np.ndarray) -> np.ndarray:
    """Cohen's κ of each matrix [.., label by the first annotator, label by the second].

        κ = (p_o − p_e) / (1 − p_e),   p_e = Σ_k p_k· p_·k

    Cohen (1960). NaN where both would always agree by chance alone.
    """
    n = words.sum(axis=(-2, -1))
    observed = np.trace(words, axis1=-2, axis2=-1) / n
    expected = (words.sum(axis=-1) * words.sum(axis=-2)).sum(axis=-1) / n**2
    return above_chance(observed, expected)


def relation_kappa(words: np.ndarray) -> np.ndarray:
    """Cohen's κ of each label against all others: [.., label]."""
    n = words.sum(axis=(-2, -1))[..., None]
    first, second = words.sum(axis=-1), words.sum(axis=-2)
    both = np.diagonal(words, axis1=-2, axis2=-1)
    observed = (n - first - second + 2 * both) / n
    expected = (first * second + (n - first) * (n - second)) / n**2
    return above_chance(observed, expected)


def fleiss_kappa(pairs: np.ndarray) -> np.ndarray:
    """Fleiss' κ from the matrices of all pairs of annotators: [.., pair, label, label].

        κ = (P − P_e) / (1 − P_e),   P_e = Σ_k p_k²

    P: the share of pairs of annotators that agree on a word, p_k: the share of label k among all labels given.
    Fleiss (1971). Every annotator has labelled every word; with two, this is Scott's π.
    """
    observed, share = _pooled(pairs)
    return above_chance(observed, (share**2).sum(axis=-1))


def nominal_alpha(pairs: np.ndarray, annotators: int) -> np.ndarray:
    """Krippendorff's α of labels from the matrices of all pairs of annotators.

        α = 1 − D_o / D_e,   D_e = Σ_k n_k (n − n_k) / (n (n − 1))

    Krippendorff (2004), §11.3; n labels were given, and n_k of them are k.
    """
    observed, share = _pooled(pairs)
    n = annotators * pairs.sum(axis=(-2, -1))[..., 0]
    expected = 1 - (1 - (share**2).sum(axis=-1)) * n / (n - 1)
    return above_chance(observed, expected)


def _pooled(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The share of pairs that agree, and the share of each label."""
    total = pairs.sum(axis=(-3, -2, -1))
    observed = np.trace(pairs, axis1=-2, axis2=-1).sum(axis=-1) / total
    # every annotator is in as many pairs as any other
    share = (pairs.sum(axis=(-3, -1)) + pairs.sum(axis=(-3, -2))) / (2 * total[..., None])
    return observed, share


def above_chance(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """(observed − expected) / (1 − expected); NaN where the expected agreement is 1."""
    observed, expected = np.asarray(observed, float), np.asarray(expected, float)
    room = np.where(expected < 1, 1 - expected, np.nan)
    return np.asarray((observed - expected) / room)


SAMPLES = 1000
SEED = 0
MEASURES = {
    "UAS": "same head",
    "LAS": "same head and relation",
    "relation": "same relation",
    "relation κ": "Cohen's κ, mean of pairs",
    "relation Fleiss κ": "Fleiss' κ",
    "relation α": "Krippendorff's α",
    "UPOS": "same tag",
    "UPOS κ": "Cohen's κ, mean of pairs",
    "UPOS Fleiss κ": "Fleiss' κ",
    "UPOS α": "Krippendorff's α",
    "tree α": "α of whole trees, labelled",
    "tree α unlabelled": "α of whole trees, heads only",
}


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many words each pair of annotators labels in which way."""

    relation: np.ndarray  # [pair, relation by the first, relation by the second]
    tag: np.ndarray  # [pair, tag by the first, tag by the second]
    arc: np.ndarray  # [pair, relation]: words with this relation and the same head
    head: np.ndarray  # [pair]: words with the same head

    @property
    def given(self) -> np.ndarray:
        """How often each relation is given, over all pairs and both annotators."""
        return np.asarray((self.relation.sum(axis=2) + self.relation.sum(axis=1)).sum(axis=0))

    def measures(self, annotators: int) -> list[float]:
        """The plain and chance-corrected measures of words, in the order of MEASURES."""
        words = self.relation.sum()
        values = [self.head.sum() / words, self.arc.sum() / words]
        for counts in (self.relation, self.tag):
            values += [
                np.trace(counts, axis1=1, axis2=2).sum() / words,
                cohen_kappa(counts).mean(),
                fleiss_kappa(counts),
                nominal_alpha(counts, annotators),
            ]
        return [float(value) for value in values]

    def by_relation(self) -> np.ndarray:
        """[measure, relation]: agreement on the relation, on relation and head, and κ, over all pairs.

        The agreement on a relation is 2 · (words to which both give it) / (words of the first + words of the second).
        """
        given = self.given
        both = np.diagonal(self.relation, axis1=1, axis2=2).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.stack(
                [2 * both / given, 2 * self.arc.sum(axis=0) / given, relation_kappa(self.relation).mean(axis=0)]
            )


@dataclass(frozen=True, repr=False)
class Agreement(Tabular):
    """The agreement of several annotators, with intervals over sentences drawn with replacement."""

    annotators: Annotators
    trees: TreeDisagreement
    unlabelled: TreeDisagreement
    samples: int = SAMPLES
    seed: int = SEED
    scores: np.ndarray | None = field(default=None, compare=False)  # [annotator, word]: scores by a model
    scored_by: str = ""
    progress: Callable[[int], None] = field(default=lambda samples: None, compare=False)

    @property
    def signature(self) -> str:
        """Settings and version behind the numbers."""
        pairs = "all" if self.trees.is_exact else str(len(self.trees.first))
        subtypes = "yes" if self.annotators.subtypes else "no"
        parts = f"subtypes:{subtypes}", f"tree-pairs:{pairs}", f"samples:{self.samples}", f"seed:{self.seed}"
        return signature("agreement", *parts, self.scored_by)

    @property
    def title(self) -> str:
        """The names of the annotators."""
        return " and ".join(self.annotators.names)

    def counted(self, weight: np.ndarray | None = None) -> PairCounts:
        """The counts of all pairs; weight: how often each sentence counts, by default once."""
        annotators = self.annotators
        of_word = np.ones(annotators.n_words) if weight is None else weight[annotators.sentence]
        relation, tag, arc, head = [], [], [], []
        n, t = len(annotators.relations), len(annotators.tags)
        for (first, second), same in zip(annotators.pairs, self.same_head, strict=True):
            cells = annotators.relation[first] * n + annotators.relation[second]
            relation.append(np.bincount(cells, of_word, n * n).reshape(n, n))
            cells = annotators.tag[first] * t + annotators.tag[second]
            tag.append(np.bincount(cells, of_word, t * t).reshape(t, t))
            both = same & (annotators.relation[first] == annotators.relation[second])
            arc.append(np.bincount(annotators.relation[first], of_word * both, n))
            head.append((of_word * same).sum())
        return PairCounts(np.stack(relation), np.stack(tag), np.stack(arc), np.array(head))

    @cached_property
    def same_head(self) -> list[np.ndarray]:
        """For each pair of annotators: whether each word has the same head, and the head is in its sentence."""
        head = self.annotators.head
        return [(head[first] == head[second]) & (head[first] >= 0) for first, second in self.annotators.pairs]

    @cached_property
    def differing(self) -> np.ndarray:
        """[pair, word]: whether two annotators give a word different arcs."""
        relation = self.annotators.relation
        same = [
            head & (relation[first] == relation[second])
            for head, (first, second) in zip(self.same_head, self.annotators.pairs, strict=True)
        ]
        return ~np.stack(same)

    def _all(self, weight: np.ndarray | None) -> tuple[list[float], np.ndarray]:
        """The measures of MEASURES and those by relation, if each sentence counts as often as its weight."""
        counts = self.counted(weight)
        every = np.ones(self.annotators.corpora[0].n_sentences) if weight is None else weight
        alphas = [trees.alpha(every[trees.sentence]) for trees in (self.trees, self.unlabelled)]
        return [*counts.measures(len(self.annotators.names)), *alphas], counts.by_relation()

    @cached_property
    def resampled(self) -> tuple[np.ndarray, np.ndarray]:
        """The low and high ends of the 95 % intervals: [end, measure], and [end, measure, relation]."""
        rng = np.random.default_rng(self.seed)
        whole, parts = [], []
        for weights in drawn_sentences(self.annotators.corpora[0].n_sentences, self.samples, rng):
            for weight in weights:
                if weight[self.annotators.sentence].any():
                    measures, by_relation = self._all(weight)
                    whole.append(measures)
                    parts.append(by_relation)
                self.progress(1)
        return percentile_interval(np.array(whole)), percentile_interval(np.array(parts))

    def table(self) -> Table:
        """Every measure with its interval."""
        values, _ = self._all(None)
        low, high = self.resampled[0]
        rows = zip(MEASURES, MEASURES.values(), values, low.tolist(), high.tolist(), strict=True)
        columns = column_kinds("measure text, meaning text, value p, low p, high p")
        words = f"{counted(self.annotators.n_words, 'word')}, {counted(len(self.trees.sentence), 'sentence')} as trees"
        return Table(f"Agreement of {self.title}: {words}", columns, tuple(rows), self.signature, "agreement")

    def pairs_table(self) -> Table:
        """The plain measures and κ of each pair of annotators."""
        counts, names, rows = self.counted(), self.annotators.names, []
        for k, (first, second) in enumerate(self.annotators.pairs):
            words = counts.relation[k].sum()
            same = counts.head[k] / words, counts.arc[k].sum() / words, np.trace(counts.relation[k]) / words
            kappas = cohen_kappa(counts.relation[k]), np.trace(counts.tag[k]) / words, cohen_kappa(counts.tag[k])
            distance = self.trees.distance[:, k].mean() if len(self.trees.sentence) else np.nan
            rows.append((names[first], names[second], *map(float, (*same, *kappas, distance))))
        columns = column_kinds(
            "first text, second text, UAS percent, LAS percent, relation percent, relation_kappa p, UPOS percent, "
            "UPOS_kappa p, tree_distance number"
        )
        headers = {"relation_kappa": "relation κ", "UPOS_kappa": "UPOS κ", "tree_distance": "tree distance"}
        return Table("Every two annotators", columns, tuple(rows), self.signature, "pairs", headers=headers)

    def relations_table(self) -> Table:
        """Each relation: how often it is given, and how far annotators agree on it; the most frequent first."""
        counts, (low, high) = self.counted(), self.resampled[1]
        values, names = counts.by_relation(), self.annotators.relations
        given = counts.given / (2 * len(self.annotators.pairs))
        rows = []
        for k in sorted(range(len(names)), key=lambda k: (-given[k], names[k])):
            if given[k]:
                ends = ((values[i, k], low[i, k], high[i, k]) for i in range(3))
                rows.append((names[k], float(given[k]), *(float(value) for three in ends for value in three)))
        kinds = (("same", "percent"), ("arc", "percent"), ("kappa", "p"))
        measures = ((f"{name}{end}", kind) for name, kind in kinds for end in ("", "_low", "_high"))
        columns = (("relation", "text"), ("words", "count"), *measures)
        headers = {"kappa": "κ", "kappa_low": "κ low", "kappa_high": "κ high"}
        title = "Agreement by relation: same relation, same arc, κ"
        return Table(title, columns, tuple(rows), self.signature, "relations", headers=headers)

    @cached_property
    def words(self) -> np.ndarray:
        """The words whose arc is not the same for all annotators; with a model, the largest gaps of score first."""
        rows = np.flatnonzero(self.differing.any(axis=0))
        if self.scores is None:
            return rows
        spread = self.scores[:, rows].max(axis=0) - self.scores[:, rows].min(axis=0)
        return np.asarray(rows[np.argsort(-np.nan_to_num(spread), kind="stable")])


def agreement(
    *sources: CorpusSource,
    by: Scorer | None = None,
    names: Sequence[str] | None = None,
    subtypes: bool = False,
    samples: int = SAMPLES,
    seed: int = SEED,
    progress: Callable[[int], None] = lambda samples: None,
) -> Agreement:
    """The agreement of two or more annotators of one text, word by word and tree by tree.

    by: a scorer; where annotators differ, it says whose arc is more plausible. names: the names of the annotators.
    samples: how often sentences are drawn for the intervals; progress is called after each draw. Words are aligned as
    in `evaluate`.
    """
    if samples < 1 or seed < 0:
        raise OptionError(f"samples {samples}, seed {seed}; expected 1 or more samples, and a seed of 0 or more")
    annotators = read_annotators(sources, names, subtypes=subtypes)
    labelled, unlabelled = (tree_disagreement(annotators, labelled=labelled, seed=seed) for labelled in (True, False))
    scores, scored_by = None, ""
    if by is not None:
        sides = zip(annotators.corpora, annotators.row, strict=True)
        scores = np.stack([by.scores(corpus)[row] for corpus, row in sides])
        scored_by = by.signature.removesuffix(f"|{signature()}")
    return Agreement(annotators, labelled, unlabelled, samples, seed, scores, scored_by, progress)
