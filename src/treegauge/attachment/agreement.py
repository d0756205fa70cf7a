"""How far annotators of one text agree: plainly, above chance, by relation, by tree; and where they do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treegauge import __version__
from treegauge.attachment.annotators import Annotators, read_annotators
from treegauge.attachment.chance import cohen_kappa, fleiss_kappa, nominal_alpha, relation_kappa
from treegauge.attachment.tree_alpha import TreeDisagreement, tree_disagreement
from treegauge.corpus.conllu import CorpusSource
from treegauge.errors import OptionError
from treegauge.resampling import LEVEL, drawn_sentences
from treegauge.scorers.scorer import Scorer
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.wording import counted

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
class Counted:
    """Words by what two annotators say, for each pair of annotators."""

    relation: np.ndarray  # [pair, relation of one, relation of the other]
    tag: np.ndarray  # [pair, tag, tag]
    arc: np.ndarray  # [pair, relation]: same relation and same head
    head: np.ndarray  # [pair]: same head

    def measures(self, annotators: int) -> list[float]:
        """The plain and chance-corrected measures of words, in the order of MEASURES."""
        words = self.relation.sum()
        found = [self.head.sum() / words, self.arc.sum() / words]
        for counts in (self.relation, self.tag):
            found += [
                np.trace(counts, axis1=1, axis2=2).sum() / words,
                cohen_kappa(counts).mean(),
                fleiss_kappa(counts),
                nominal_alpha(counts, annotators),
            ]
        return [float(value) for value in found]

    def by_relation(self) -> np.ndarray:
        """[measure, relation]: agreement on the relation, on relation and head, and κ, over all pairs.

        Of the words to which one of two annotators gives the relation: 2 · both / (one + other).
        """
        given = (self.relation.sum(axis=2) + self.relation.sum(axis=1)).sum(axis=0)
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
    scores: np.ndarray | None = field(default=None, compare=False)  # [annotator, word], of a model
    scored_by: str = ""
    progress: Callable[[int], None] = field(default=lambda samples: None, compare=False)

    @property
    def signature(self) -> str:
        """Settings and version behind the numbers."""
        pairs = "all" if self.trees.is_exact else str(len(self.trees.first))
        subtypes = "yes" if self.annotators.subtypes else "no"
        return "|".join(
            [
                f"agreement|subtypes:{subtypes}|tree-pairs:{pairs}|samples:{self.samples}|seed:{self.seed}",
                *([self.scored_by] if self.scored_by else []),
                f"v{__version__}",
            ]
        )

    @property
    def title(self) -> str:
        """Who is compared."""
        return " and ".join(self.annotators.names)

    def counted(self, weight: np.ndarray | None = None) -> Counted:
        """Counts in which each sentence counts as often as its weight says; by default once."""
        found = self.annotators
        of_word = np.ones(found.n_words) if weight is None else weight[self.sentence]
        relation, tag, arc, head = [], [], [], []
        n, t = len(found.relations), len(found.tags)
        for (one, other), same in zip(found.pairs, self.same_head, strict=True):
            cells = found.relation[one] * n + found.relation[other]
            relation.append(np.bincount(cells, of_word, n * n).reshape(n, n))
            cells = found.tag[one] * t + found.tag[other]
            tag.append(np.bincount(cells, of_word, t * t).reshape(t, t))
            both = same & (found.relation[one] == found.relation[other])
            arc.append(np.bincount(found.relation[one], of_word * both, n))
            head.append((of_word * same).sum())
        return Counted(np.stack(relation), np.stack(tag), np.stack(arc), np.array(head))

    @cached_property
    def sentence(self) -> np.ndarray:
        """The sentence of each word."""
        return self.annotators.sentence

    @cached_property
    def same_head(self) -> list[np.ndarray]:
        """Of each pair of annotators: the words with the same head, which is in their sentence."""
        head = self.annotators.head
        return [(head[one] == head[other]) & (head[one] >= 0) for one, other in self.annotators.pairs]

    @cached_property
    def differing(self) -> np.ndarray:
        """[pair, word]: whether two annotators give a word different arcs."""
        relation = self.annotators.relation
        same = [
            head & (relation[one] == relation[other])
            for head, (one, other) in zip(self.same_head, self.annotators.pairs, strict=True)
        ]
        return ~np.stack(same)

    def _all(self, weight: np.ndarray | None) -> tuple[list[float], np.ndarray]:
        """The measures, and those by relation, of a corpus with these weights of sentences."""
        counts = self.counted(weight)
        every = np.ones(self.annotators.corpora[0].n_sentences) if weight is None else weight
        alphas = [trees.alpha(every[trees.sentence]) for trees in (self.trees, self.unlabelled)]
        return [*counts.measures(len(self.annotators.names)), *alphas], counts.by_relation()

    @cached_property
    def resampled(self) -> tuple[np.ndarray, np.ndarray]:
        """Low and high ends of the 95 % intervals: [end, measure], and [end, measure, relation]."""
        rng = np.random.default_rng(self.seed)
        whole, parts = [], []
        for weights in drawn_sentences(self.annotators.corpora[0].n_sentences, self.samples, rng):
            for weight in weights:
                if weight[self.sentence].any():
                    measures, by_relation = self._all(weight)
                    whole.append(measures)
                    parts.append(by_relation)
                self.progress(1)
        ends = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
        return _quantiles(np.array(whole), ends), _quantiles(np.array(parts), ends)

    def table(self) -> Table:
        """Every measure with its interval."""
        values, _ = self._all(None)
        low, high = self.resampled[0]
        rows = zip(MEASURES, MEASURES.values(), values, low.tolist(), high.tolist(), strict=True)
        columns = column_kinds("measure text, meaning text, value p, low p, high p")
        words = f"{counted(self.annotators.n_words, 'word')}, {counted(len(self.trees.sentence), 'sentence')} as trees"
        return Table(f"Agreement of {self.title}: {words}", columns, tuple(rows), self.signature, "agreement")

    def pairs_table(self) -> Table:
        """The plain measures and κ of every two annotators."""
        counts, names, rows = self.counted(), self.annotators.names, []
        for k, (one, other) in enumerate(self.annotators.pairs):
            words = counts.relation[k].sum()
            same = counts.head[k] / words, counts.arc[k].sum() / words, np.trace(counts.relation[k]) / words
            kappas = cohen_kappa(counts.relation[k]), np.trace(counts.tag[k]) / words, cohen_kappa(counts.tag[k])
            distance = self.trees.distance[:, k].mean() if len(self.trees.sentence) else np.nan
            rows.append((names[one], names[other], *map(float, (*same, *kappas, distance))))
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
        given = (counts.relation.sum(axis=2) + counts.relation.sum(axis=1)).sum(axis=0) / (
            2 * len(self.annotators.pairs)
        )
        rows = []
        for k in sorted(range(len(names)), key=lambda k: (-given[k], names[k])):
            if given[k]:
                ends = ((values[i, k], low[i, k], high[i, k]) for i in range(3))
                rows.append((names[k], float(given[k]), *(float(value) for three in ends for value in three)))
        kinds = (("same", "percent"), ("arc", "percent"), ("kappa", "p"))
        each = ((f"{name}{end}", kind) for name, kind in kinds for end in ("", "_low", "_high"))
        columns = (("relation", "text"), ("words", "count"), *each)
        headers = {"kappa": "κ", "kappa_low": "κ low", "kappa_high": "κ high"}
        title = "Agreement by relation: same relation, same arc, κ"
        return Table(title, columns, tuple(rows), self.signature, "relations", headers=headers)

    @cached_property
    def words(self) -> np.ndarray:
        """The words that do not have the same arc everywhere; those where a model is surest of one side come first."""
        rows = np.flatnonzero(self.differing.any(axis=0))
        if self.scores is None:
            return rows
        spread = self.scores[:, rows].max(axis=0) - self.scores[:, rows].min(axis=0)
        return np.asarray(rows[np.argsort(-np.nan_to_num(spread), kind="stable")])


def _quantiles(values: np.ndarray, ends: Sequence[float]) -> np.ndarray:
    """Ends of intervals over the first axis; values that are no numbers are left out, NaN where none is left."""
    flat = values.reshape(len(values), -1)
    found = np.full((len(ends), flat.shape[1]), np.nan)
    for k in range(flat.shape[1]):
        known = flat[:, k][~np.isnan(flat[:, k])]
        if len(known):
            found[:, k] = np.quantile(known, ends)
    return found.reshape(len(ends), *values.shape[1:])


def agreement(
    *sources: CorpusSource,
    by: Scorer | None = None,
    names: Sequence[str] | None = None,
    subtypes: bool = False,
    samples: int = SAMPLES,
    seed: int = SEED,
    progress: Callable[[int], None] | None = None,
) -> Agreement:
    """How far two or more annotators of one text agree, word by word and tree by tree.

    by: a scorer; where annotators differ, it says whose arc is more plausible. names: of the annotators. samples:
    random draws of sentences behind the intervals; progress is told them. Words are aligned as in `evaluate`.
    """
    if samples < 1 or seed < 0:
        raise OptionError(f"samples {samples}, seed {seed}; expected 1 or more samples, and a seed of 0 or more")
    found = read_annotators(sources, names, subtypes=subtypes)
    labelled, unlabelled = (tree_disagreement(found, labelled=labelled, seed=seed) for labelled in (True, False))
    told = {} if progress is None else {"progress": progress}
    scores = None
    if by is not None:
        each = [by.scores(corpus)[row] for corpus, row in zip(found.corpora, found.row, strict=True)]
        scores = np.stack(each)
    signature = "" if by is None else by.signature.removesuffix(f"|v{__version__}")
    return Agreement(found, labelled, unlabelled, samples, seed, scores, signature, **told)
