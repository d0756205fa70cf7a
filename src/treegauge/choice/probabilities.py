"""How probable each arc is against all others that its word could have."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from treegauge import __version__
from treegauge.choice.choice_kernel import ALL, Chooser
from treegauge.choice.weights import ChoiceWeights
from treegauge.choice.words import NAMES, WordHashes
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import relation_codes


@dataclass(frozen=True)
class ArcChoices:
    """Of every arc: log p of its head, log p of its relation given the head, and the likeliest other arc.

    The other arc is the same head with another relation, or the likeliest other head with its likeliest relation,
    whichever is more probable; other_head is -1 where there is none.
    """

    log_head: np.ndarray
    log_relation: np.ndarray
    other_head: np.ndarray
    other_relation: np.ndarray  # code into `relations`
    other_log_prob: np.ndarray
    relations: tuple[str, ...]

    @property
    def log_prob(self) -> np.ndarray:
        """log p(head, relation) = log p(head) + log p(relation | head)."""
        return np.asarray(self.log_head + self.log_relation)


class Choice:
    """Judges arcs by learned weights.

        p(h, t | d, sentence) = ½ Σ_v exp s_v(d, h) / Σ_h' exp s_v(d, h')  ·  exp s(d, h, t) / Σ_t' exp s(d, h, t')

    s is a sum of weights of features. Opinion v = 0 sees the words of the sentence only, v = 1 the rest of its tree,
    too: the dependents of h and of d, and what h itself is. h' runs over the words of the sentence and the root, but
    for pairs of tags, distance and side that were arcs less than once in 400 times in the reference. A relation that
    the reference has not gets the probability 1 / (words of the reference + 1).
    """

    def __init__(self, weights: ChoiceWeights, model: str = "") -> None:
        self.weights = weights
        self.hashes = WordHashes()
        looked_at = "all" if weights.groups == ALL else str(weights.groups)
        self.signature = f"choice|ref:{model}@{weights.hash[:8]}|sees:{looked_at}|v{__version__}"

    def chooser(self, groups: int | None = None) -> Chooser:
        """Room to work in, one for each thread; `groups`: looking at less than was learned."""
        groups = self.weights.groups if groups is None else groups
        never = np.where(self.weights.candidate, 0, 1 << 31).astype(np.uint32)
        taken = np.zeros(len(never), dtype=np.uint32)
        return Chooser(NAMES, groups, self.weights.head, self.weights.relation, taken, never)

    def scores(self, corpus: Corpus, threads: int | None = None) -> np.ndarray:
        """log p of every arc."""
        return self._run(corpus, threads, others=False).log_prob

    def choices(self, corpus: Corpus, threads: int | None = None) -> ArcChoices:
        """log p of every arc and the likeliest other one."""
        return self._run(corpus, threads, others=True)

    def relation_codes(self, corpus: Corpus) -> np.ndarray:
        """The relation of each arc as the weights have it, -1 for one they have not."""
        names: dict[str, int] = {name: k for k, name in enumerate(self.weights.relations)}
        of_label = relation_codes(corpus.labels["deprel"], False, names)
        codes = of_label[corpus.codes["deprel"]] if len(of_label) else corpus.codes["deprel"]
        return np.where(codes < len(self.weights.relations), codes, -1).astype(np.int32)

    def _run(self, corpus: Corpus, threads: int | None, others: bool) -> ArcChoices:
        n = corpus.n_words
        words, head, start = self.hashes.words(corpus), corpus.head, corpus.start
        relation = self.relation_codes(corpus)
        log_head, log_relation = np.zeros(n), np.full(n, -math.log(self.weights.words + 1))
        rival, rival_head_log = np.empty(n, dtype=np.int32), np.empty(n)
        turned, turned_log = np.empty(n, dtype=np.int32), np.empty(n)  # same head, other relation
        best, best_log = np.empty(n, dtype=np.int32), np.empty(n)  # relation of the rival head
        nothing, none = np.full(n, -1, dtype=np.int32), np.empty(n)

        def run(first: int, last: int) -> None:
            chooser, span = self.chooser(), (start, first, last)
            with np.errstate(over="ignore"):  # interpreted, hashes overflow loudly
                chooser.score_heads(words, head, *span, log_head, rival, rival_head_log)
                chooser.score_relations(words, head, relation, head, *span, log_relation, turned, turned_log)
                if others:
                    chooser.score_relations(words, head, nothing, rival, *span, none, best, best_log)

        threads = threads or min(os.cpu_count() or 1, 8)
        ends = np.searchsorted(start, np.linspace(0, n, threads + 1)).tolist() if n else [0, 0]
        ends[-1] = corpus.n_sentences
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(run, ends[:-1], ends[1:]))
        if not others:
            return ArcChoices(log_head, log_relation, nothing, nothing, none, self.weights.relations)
        same, other = log_head + turned_log, rival_head_log + best_log
        turn = (turned >= 0) & (same >= other)
        return ArcChoices(
            log_head,
            log_relation,
            np.where(turn, head, rival),
            np.where(turn, turned, best),
            np.where(turn, same, other),
            self.weights.relations,
        )
