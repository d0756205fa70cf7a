"""How probable each arc is against all others that its word could have."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge import __version__
from treegauge.choice.choice_kernel import Chooser
from treegauge.choice.templates import ALL
from treegauge.choice.weights import ChoiceWeights
from treegauge.choice.words import NAMES, WordHashes
from treegauge.corpus.conllu import Corpus
from treegauge.corpus.relations import relation_codes
from treegauge.explanations import Alternatives


@dataclass(frozen=True)
class ArcChoices:
    """What one pass over a corpus finds of every arc: log p of its head, and of its relation given the head.

    Beside them the likeliest other head (-1 where there is none) and the likeliest other relation to the same head
    (code into `relations`, -1 where there is none), each with its log p.
    """

    log_head: np.ndarray
    log_relation: np.ndarray
    other_head: np.ndarray
    log_other_head: np.ndarray
    other_relation: np.ndarray
    log_other_relation: np.ndarray
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
        tables = self.weights.head, self.weights.relation, self.weights.candidate.view(np.uint8)
        return Chooser(NAMES, groups, *tables)

    def relation_codes(self, corpus: Corpus) -> np.ndarray:
        """The relation of each arc as the weights have it, -1 for one they have not."""
        names: dict[str, int] = {name: k for k, name in enumerate(self.weights.relations)}
        of_label = relation_codes(corpus.labels["deprel"], False, names)
        codes = of_label[corpus.codes["deprel"]] if len(of_label) else corpus.codes["deprel"]
        return np.where(codes < len(self.weights.relations), codes, -1).astype(np.int32)

    def choices(self, corpus: Corpus, threads: int | None = None) -> ArcChoices:
        """How probable the head and the relation of every arc are, and their likeliest rivals; one pass."""
        n, head = corpus.n_words, corpus.tree_head
        words, relation = self.hashes.words(corpus), self.relation_codes(corpus)
        log_head, log_relation = np.zeros(n), np.full(n, -math.log(self.weights.words + 1))
        other_head, log_other_head = np.empty(n, dtype=np.int32), np.empty(n)
        other_relation, log_other_relation = np.empty(n, dtype=np.int32), np.empty(n)

        def run(chooser: Any, *span: Any) -> None:
            chooser.score_heads(words, head, *span, log_head, other_head, log_other_head)
            chooser.score_relations(
                words, head, relation, head, *span, log_relation, other_relation, log_other_relation
            )

        self._run(corpus, run, threads)
        others = (other_head, log_other_head, other_relation, log_other_relation)
        return ArcChoices(log_head, log_relation, *others, self.weights.relations)

    def alternatives(self, corpus: Corpus, rows: np.ndarray, found: ArcChoices) -> Alternatives:
        """The likeliest other arc of the words in these rows, given what a pass over the corpus found.

        The same head with another relation, or the likeliest other head with its likeliest relation, whichever is more
        probable.
        """
        rows = np.asarray(rows)
        part, at = corpus.around(rows)
        words, n = self.hashes.words(part), part.n_words
        no_relation, at_head = np.full(n, -1, dtype=np.int32), np.full(n, -1, dtype=np.int32)
        at_head[at] = found.other_head[rows]
        relation, log_relation = np.empty(n, dtype=np.int32), np.empty(n)

        def run(chooser: Any, *span: Any) -> None:
            none = np.empty(n)
            chooser.score_relations(words, part.tree_head, no_relation, at_head, *span, none, relation, log_relation)

        self._run(part, run)
        same = found.log_head[rows] + found.log_other_relation[rows]
        other = found.log_other_head[rows] + log_relation[at]
        turn = (found.other_relation[rows] >= 0) & (same >= other)  # the same head, another relation
        names = np.array([*self.weights.relations, ""], dtype=object)
        return Alternatives(
            np.where(turn, corpus.head[rows], found.other_head[rows]),
            names[np.where(turn, found.other_relation[rows], relation[at])],
            np.where(turn, same, other),
            found.log_prob[rows],
        )

    def _run(self, corpus: Corpus, run: Callable[..., None], threads: int | None = None) -> None:
        """Let choosers run over the sentences, a part of them on each thread."""
        threads = threads or min(os.cpu_count() or 1, 8)
        n = corpus.n_words
        ends = np.searchsorted(corpus.start, np.linspace(0, n, threads + 1)).tolist() if n else [0, 0]
        ends[-1] = corpus.n_sentences

        def part(first: int, last: int) -> None:
            with np.errstate(over="ignore"):  # interpreted, hashes overflow loudly
                run(self.chooser(), corpus.start, first, last)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(part, ends[:-1], ends[1:]))
