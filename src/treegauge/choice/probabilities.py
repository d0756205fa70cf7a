"""How probable each arc is against all others that its word could have."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treegauge import __version__
from treegauge.choice.choice_kernel import Chooser
from treegauge.choice.doubts import Mixture, doubted, right_tag
from treegauge.choice.tags import TagChoice, TagChoices
from treegauge.choice.templates import ALL
from treegauge.choice.threads import run_over
from treegauge.choice.weights import ChoiceWeights
from treegauge.choice.words import NAMES, WordHashes, hash_of
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
    tags: TagChoices | None = None  # where the weights have tags
    as_tagged: np.ndarray | None = None  # log p of the arcs under the given tags, where these are doubted

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

    Where the weights know tags, the given ones are doubted. q(d) is the probability that the tag of d is right
    (`right_tag`); p | d is p with the likeliest other tag of d in its place:

        p' = q(d) q(h) p  +  (1 − q(d)) p | d  +  q(d) (1 − q(h)) p | h
    """

    def __init__(self, weights: ChoiceWeights, model: str = "") -> None:
        self.weights = weights
        self.tags = TagChoice(weights.tags, weights.words) if weights.tags is not None else None
        self.hashes = WordHashes()
        looked_at = "all" if weights.groups == ALL else str(weights.groups)
        tags = "given" if self.tags is None else "doubted"
        self.signature = f"choice|ref:{model}@{weights.hash[:8]}|sees:{looked_at}|tags:{tags}|v{__version__}"

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
        """How probable the head and the relation of every arc are, and their likeliest rivals; one pass.

        Arcs of words with doubtful tags are looked at again.
        """
        arcs = self.hashes.words(corpus), corpus.tree_head, self.relation_codes(corpus)
        logs, rivals = self._room(corpus.n_words)

        def run(*span: Any) -> None:
            chooser: Any = self.chooser()
            chooser.judge(*arcs, *span, logs, rivals)

        run_over(corpus.start, run, threads)
        found = self._found(logs, rivals)
        if self.tags is None:
            return found
        return self._doubting(corpus, arcs, found, self.tags.choices(corpus, threads), threads)

    def _doubting(
        self, corpus: Corpus, arcs: tuple[np.ndarray, ...], found: ArcChoices, tags: TagChoices, threads: int | None
    ) -> ArcChoices:
        """What is found where the given tags are doubted."""
        right = right_tag(tags)
        of_head = np.where(corpus.head > 0, right[np.maximum(corpus.head_row, 0)], 1.0)
        again = doubted(corpus, right)
        hashes = np.array([hash_of(tag) for tag in tags.tags], dtype=np.uint64)
        tag = hashes[tags.other[again.word]]
        logs, rivals = self._room(len(again.row))

        def run(_: Any, first: int, last: int) -> None:
            chooser: Any = self.chooser()
            of = again.word, tag, again.begin, again.sentence
            chooser.judge_retagged(*arcs, *of, first, last, logs, rivals)

        run_over(np.arange(len(again.word) + 1), run, threads)
        mixture = Mixture(found, right * of_head)
        own = again.row == again.word[again.of]
        for which, share in ((own, 1 - right), (~own, right * (1 - of_head))):
            row = again.row[which]
            mixture.add(row, share[row], self._found(logs[:, which], rivals[:, which]))
        return mixture.found(replace(found, tags=tags, as_tagged=found.log_prob))

    def _room(self, arcs: int) -> tuple[np.ndarray, np.ndarray]:
        """For the results of arcs: log p of head, relation, other head and other relation; the others themselves."""
        logs = np.zeros((4, arcs))
        logs[1] = self.log_unknown
        return logs, np.full((2, arcs), -1, dtype=np.int32)

    @property
    def log_unknown(self) -> float:
        """log p of a relation that the weights have not."""
        return -math.log(self.weights.words + 1)

    def _found(self, logs: np.ndarray, rivals: np.ndarray) -> ArcChoices:
        return ArcChoices(logs[0], logs[1], rivals[0], logs[2], rivals[1], logs[3], self.weights.relations)

    def alternatives(self, corpus: Corpus, rows: np.ndarray, found: ArcChoices) -> Alternatives:
        """The likeliest other arc of the words in these rows, given what a pass over the corpus found.

        The same head with another relation, or the likeliest other head with its likeliest relation, whichever is more
        probable.
        """
        rows = np.asarray(rows)
        part, at = corpus.around(rows)
        words, at_head = self.hashes.words(part), np.full(part.n_words, -1, dtype=np.int32)
        at_head[at] = found.other_head[rows]
        logs, rivals = self._room(part.n_words)

        def run(*span: Any) -> None:
            chooser: Any = self.chooser()
            chooser.likeliest_relations(words, part.tree_head, at_head, *span, logs, rivals)

        run_over(part.start, run)
        relation, log_relation = rivals[1], logs[3]
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
