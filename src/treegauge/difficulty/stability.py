"""Judges a small treebank by itself: how stable its ranking is, what is unlike the rest, what more text would bring."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.difficulty.bits import BitsSettings, DependencyBits, dependency_bits
from treegauge.errors import OptionError
from treegauge.extras import needed
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.words import WordHashes
from treegauge.models.lisca.counts import count_arcs
from treegauge.models.lisca.reference import CountSettings
from treegauge.models.lisca.score import Lisca
from treegauge.ranking.scored import sentence_scores
from treegauge.tables import Table, Tabular, column_kinds
from treegauge.version import signature

SCORERS = ("choice", "lisca")
TENTH = 0.1
MORE = (1, 2, 4, 10)  # how many times the text
_MAD = 1.4826  # for normal values, this times the median absolute deviation is the standard deviation


@dataclass(frozen=True, slots=True)
class FoldRun:
    """One judgement of the treebank by itself: each fold by what is learned from the others."""

    folds: int
    seed: int
    scores: np.ndarray

    @property
    def suspicious(self) -> np.ndarray:
        """The tenth of the arcs with the lowest scores, the most suspicious first."""
        size = max(1, round(TENTH * len(self.scores)))
        return np.argsort(self.scores, kind="stable")[:size]


@dataclass(frozen=True, repr=False)
class Stability(Tabular):
    """Several judgements of a treebank by itself, and how far they agree."""

    corpus: Corpus
    runs: tuple[FoldRun, ...]
    bits: DependencyBits
    scorer: str

    @property
    def signature(self) -> str:
        """Settings and version."""
        folds = "+".join(map(str, dict.fromkeys(run.folds for run in self.runs)))
        seeds = len({run.seed for run in self.runs})
        return signature("stability", self.scorer, f"folds:{folds}", f"seeds:{seeds}")

    def table(self) -> Table:
        """Kendall's τ of the suspicious tenth, and the share of it that two runs have in common."""
        agreement: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for first, second in combinations(self.runs, 2):
            same = first.folds == second.folds
            if same or first.seed == second.seed:
                folds = str(first.folds) if same else f"{first.folds} and {second.folds}"
                agreement.setdefault((folds, "seed" if same else "folds"), []).append(tenths_agree(first, second))
        rows = []
        for (folds, differs), values in agreement.items():
            tau, shared = np.array(values).T
            rows.append((folds, differs, len(values), float(tau.mean()), float(tau.min()), float(shared.mean())))
        columns = column_kinds("folds text, differs text, pairs count, tau p, lowest_tau p, shared percent")
        headers = {"tau": "Kendall's τ", "lowest_tau": "lowest τ", "shared": "shared (%)"}
        title = f"{self.corpus.path}: how stable the suspicious tenth is"
        return Table(title, columns, tuple(rows), self.signature, "stability", headers=headers)

    @cached_property
    def mean_scores(self) -> np.ndarray:
        """The mean score of every arc over the runs."""
        return np.asarray(np.mean([run.scores for run in self.runs], axis=0))

    def steady(self) -> np.ndarray:
        """The arcs that are in the suspicious tenth of every run, the most suspicious first."""
        times = np.zeros(len(self.mean_scores), np.int64)
        for run in self.runs:
            times[run.suspicious] += 1
        rows = np.flatnonzero(times == len(self.runs))
        return np.asarray(rows[np.argsort(self.mean_scores[rows], kind="stable")])

    def steady_table(self) -> Table:
        """The arcs that are suspicious however the treebank is cut."""
        corpus, rows = self.corpus, []
        for row in self.steady().tolist():
            s = int(corpus.sentence[row])
            place = int(corpus.number[s]), corpus.sent_id(s), int(corpus.position[row]), corpus.value("form", row)
            spread = float(np.std([run.scores[row] for run in self.runs]))
            arc = int(corpus.head[row]), corpus.value("deprel", row)
            rows.append((*place, *arc, float(self.mean_scores[row]), spread))
        columns = column_kinds(
            "sentence count, sent_id text, word count, form text, head count, deprel text, score number, spread number"
        )
        title = "Arcs in the suspicious tenth of every run"
        return Table(title, columns, tuple(rows), self.signature, "steady")

    def unlike_table(self) -> Table:
        """Sentences by how unlike the rest they are, the most unlike first.

            z = (mean log score of the sentence − median of all) / (1.4826 · median absolute deviation)

        Short sentences vary more than long ones. z is NaN if the median absolute deviation is 0.
        """
        corpus = self.corpus
        scores = sentence_scores(corpus, self.mean_scores)
        middle = float(np.median(scores))
        spread = _MAD * float(np.median(np.abs(scores - middle)))
        rows = []
        for s in np.argsort(scores, kind="stable").tolist():
            words = slice(int(corpus.start[s]), int(corpus.start[s + 1]))
            worst = int(corpus.start[s] + np.argmin(self.mean_scores[words]))
            z = float(scores[s] - middle) / spread if spread else math.nan
            place = int(corpus.number[s]), corpus.sent_id(s), words.stop - words.start
            arc = f"{corpus.value('form', worst)} ({corpus.value('deprel', worst)})"
            rows.append((*place, float(scores[s]), z, arc, " ".join(corpus.forms(s))))
        columns = column_kinds(
            "sentence count, sent_id text, words count, score number, z number, worst text, text text"
        )
        title = "Sentences unlike the rest"
        return Table(title, columns, tuple(rows), self.signature, "unlike", headers={"worst": "worst arc"})

    def more_table(self) -> Table:
        """Bits per arc now, and with 2, 4 and 10 times the text, by the power law of the learning curve."""
        law, n = self.bits.power_law(), float(self.bits.seen.max())
        rows = []
        for times in MORE:
            gained = law.at(n) - law.at(times * n)
            rows.append((times, round(times * n), law.at(times * n), gained / law.at(n) if law.at(n) else math.nan))
        columns = column_kinds("times count, words count, bits number, saved percent")
        headers = {"times": "times the text", "bits": "bits per arc", "saved": "saved (%)"}
        limit = f" (limit: {law.limit:.2f} bits per arc)" if math.isfinite(law.limit) else ": too few words to say"
        title = f"What more text would bring{limit}"
        return Table(title, columns, tuple(rows), self.bits.signature, "more_text", headers=headers)

    def tables(self) -> list[Table]:
        """The four tables."""
        return [self.table(), self.more_table(), self.unlike_table(), self.steady_table()]


def tenths_agree(first: FoldRun, second: FoldRun) -> tuple[float, float]:
    """Kendall's τ_b of two runs over the arcs in the suspicious tenth of either, and the share of a tenth in both.

    τ_b = (concordant − discordant pairs) / √((pairs − ties in one) · (pairs − ties in the other)); NaN if all are tied.
    Needs SciPy.
    """
    stats = needed("scipy.stats", "figures", "Kendall's τ")
    either = np.union1d(first.suspicious, second.suspicious)
    shared = len(np.intersect1d(first.suspicious, second.suspicious)) / len(first.suspicious)
    return float(stats.kendalltau(first.scores[either], second.scores[either]).statistic), shared


def judged_in_folds(corpus: Corpus, folds: int, seed: int, scorer: str = "choice") -> FoldRun:
    """One run: every arc is judged by what is learned from the other folds; folds are filled at random."""
    order = np.random.default_rng(seed).permutation(corpus.n_sentences)
    fold_of = np.empty(corpus.n_sentences, np.int64)
    fold_of[order] = np.arange(corpus.n_sentences) % folds
    scores = np.empty(corpus.n_words)
    relations, tags, hashes = corpus.relations().names, corpus.labels["upos"], WordHashes()
    for fold in range(folds):
        part, rest = corpus.select(fold_of == fold), corpus.select(fold_of != fold)
        rows = np.flatnonzero((fold_of == fold)[corpus.sentence])
        if scorer == "lisca":
            scores[rows] = Lisca(count_arcs(rest, CountSettings(), "rest")).scores(part)
        else:
            learned = learn_choice([rest], relations=relations, tags=tags, hashes=hashes)
            scores[rows] = Choice(learned, hashes=hashes).choices(part).log_prob
    return FoldRun(folds, seed, scores)


def stability(
    source: CorpusSource,
    *,
    folds: Sequence[int] = (5, 10),
    seeds: int = 3,
    scorer: str = "choice",
    progress: Callable[[int], None] = lambda runs: None,
) -> Stability:
    """Several judgements of a treebank by itself, with other folds each time; progress gets the number of runs done.

    folds: numbers of folds; seeds: random ways to fill them, for each number; scorer: choice or lisca.
    """
    corpus = as_corpus(source)
    if scorer not in SCORERS:
        raise OptionError(f"scorer {scorer!r}; expected one of {', '.join(SCORERS)}")
    for number in folds:
        if not 2 <= number <= corpus.n_sentences:
            raise OptionError(f"folds {number}; expected 2..{corpus.n_sentences}, the number of sentences")
    if seeds < 1 or len(set(folds)) < len(folds) or seeds * len(folds) < 2:
        raise OptionError(f"folds {', '.join(map(str, folds))}, seeds {seeds}; expected two different runs or more")
    runs = []
    for number in folds:
        for seed in range(seeds):
            runs.append(judged_in_folds(corpus, number, seed, scorer))
            progress(1)
    bits = dependency_bits(corpus, settings=BitsSettings(samples=max(seeds, 1)))
    return Stability(corpus, tuple(runs), bits, scorer)
