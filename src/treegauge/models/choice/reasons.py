"""Why a choice is improbable: the arcs that its word would rather have, and what in the context speaks for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.pool import run_over
from treegauge.explanations import Explanation, Reason, another_arc
from treegauge.models.choice.choice_kernel import UNIT
from treegauge.models.choice.probabilities import ArcChoices, Choice
from treegauge.models.choice.tags import TagChoices
from treegauge.models.choice.words import BETWEEN, LEMMAS, MORPHOLOGY, TAGS, TREE
from treegauge.wording import chance, plain

PARTS = {"tags": TAGS, "words between": BETWEEN, "lemmas": LEMMAS, "morphology": MORPHOLOGY, "tree": TREE}
MOST = 2  # an explanation names at most so many rivals
_HEADS = 4  # the relations of so many of the likeliest heads are looked at
_AT_A_TIME = 1 << 11  # words whose rivals are looked at together
_STRONG = math.log(1.5)  # weaker evidence is not named
_log = np.frompyfunc(math.log, 1, 1)  # the same digits on every machine and as in the kernel, unlike np.log


@dataclass(frozen=True, slots=True)
class Rivals:
    """The likeliest other arcs of some words: MOST columns, the likeliest first; head -1 where there are no more.

    They are looked for among all relations of the likeliest heads, and of the head that the word has.
    """

    head: np.ndarray  # position in the sentence, 0 = root
    relation: np.ndarray  # codes of the weights
    log_prob: np.ndarray
    evidence: np.ndarray  # [word, rival, kind]: see `_evidence`; NaN where it is not known


@dataclass(frozen=True, slots=True)
class SomeWords:
    """Some words of a corpus, in its order, as the kernel wants them."""

    trees: tuple[np.ndarray, np.ndarray, np.ndarray]  # of the corpus: hashes of words, heads, where sentences start
    sentence: np.ndarray
    position: np.ndarray
    relation: np.ndarray  # code of the weights, -1 for one that they do not have

    @staticmethod
    def of(choice: Choice, corpus: Corpus, rows: np.ndarray) -> SomeWords:
        """The words in these rows, which ascend."""
        trees = choice.hashes.words(corpus), corpus.scorable_head, corpus.start
        position = corpus.position[rows].astype(np.int32)
        return SomeWords(trees, corpus.sentence[rows], position, choice.relation_codes(corpus)[rows])

    def some(self, low: int, high: int) -> SomeWords:
        """The words low … high of these."""
        columns = (values[low:high] for values in (self.sentence, self.position, self.relation))
        return SomeWords(self.trees, *columns)

    @property
    def n(self) -> int:
        """How many words these are."""
        return len(self.sentence)

    @property
    def head(self) -> np.ndarray:
        """The heads that the words have."""
        _, heads, start = self.trees
        return np.asarray(heads[start[self.sentence] + self.position - 1])


def rivals(choice: Choice, words: SomeWords) -> Rivals:
    """The likeliest rivals of the arcs of some words, and the evidence for them."""
    parts = [_likeliest(choice, words.some(low, low + _AT_A_TIME)) for low in range(0, words.n, _AT_A_TIME)]
    head, relation, log_prob = (
        map(np.concatenate, zip(*parts, strict=True)) if parts else np.zeros((3, 0, MOST), dtype=np.int32)
    )
    return Rivals(head, relation, log_prob, _evidence(choice, words, head, relation))


def _likeliest(choice: Choice, words: SomeWords) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Head, relation and log p of the likeliest rivals."""
    n, known = words.n, len(choice.weights.relations)
    heads, probs = np.full((n, _HEADS + 1), -1, dtype=np.int32), np.zeros((n, _HEADS + 1))
    sums = np.zeros((n, _HEADS + 1, known), dtype=np.int32)

    def run(_: Any, first: int, last: int) -> None:
        chooser: Any = choice.chooser()
        chooser.likeliest_heads(*words.trees, words.sentence, words.position, first, last, heads, probs, sums)

    run_over(np.arange(n + 1), run)
    scores = sums / UNIT
    log_prob = np.log(np.maximum(probs, 1e-300))[:, :, None] + scores - _log_sum(scores)[:, :, None]
    log_prob[heads < 0] = -np.inf
    own, column = np.nonzero((heads == words.head[:, None]) & (words.relation >= 0)[:, None])
    log_prob[own, column, words.relation[own]] = -np.inf
    log_prob = log_prob.reshape(n, -1)
    best = _first_places(log_prob, MOST)
    value = np.take_along_axis(log_prob, best, axis=1)
    head = np.where(np.isfinite(value), np.take_along_axis(heads, best // known, axis=1), -1)
    return head.astype(np.int32), (best % known).astype(np.int32), value


def _log_sum(scores: np.ndarray) -> np.ndarray:
    """The logarithm of the sum of the exponentials, over the last axis."""
    best = scores.max(axis=-1)
    return np.asarray(best + _log(np.exp(scores - best[..., None]).sum(axis=-1)).astype(np.float64))


def _first_places(values: np.ndarray, most: int) -> np.ndarray:
    """The columns of the largest values of each row, the largest first, of equal ones the first."""
    left, row = values.copy(), np.arange(len(values))
    places = np.zeros((len(values), most), dtype=np.int64)
    for k in range(min(most, values.shape[1])):
        places[:, k] = left.argmax(axis=1)
        left[row, places[:, k]] = -np.inf
    return places


def _evidence(choice: Choice, words: SomeWords, head: np.ndarray, relation: np.ndarray) -> np.ndarray:
    """How much each kind of evidence adds to log p(rival) − log p(given arc): [word, rival, kind].

    For another head this is the choice of the head; for another relation to the same head, the choice of the relation.
    Evidence of two kinds counts with the kind that is later in `PARTS`.
    """
    groups, seen = choice.weights.groups, 0
    gains = np.zeros((*head.shape, 1))
    for bit in _kinds(choice).values():
        seen |= bit
        gain = np.full(head.shape, np.nan)

        def run(_: Any, first: int, last: int, seen: int = seen, gain: np.ndarray = gain) -> None:
            chooser: Any = choice.chooser(seen & groups)
            some = words.sentence, words.position, words.relation
            chooser.compare_arcs(*words.trees, *some, first, last, head, relation, gain)

        run_over(np.arange(len(head) + 1), run)
        gains = np.concatenate([gains, gain[:, :, None]], axis=2)
    return np.diff(gains, axis=2)


def _kinds(choice: Choice) -> dict[str, int]:
    """The kinds of evidence that the weights look at."""
    return {name: bit for name, bit in PARTS.items() if choice.weights.groups & bit}


def explain(choice: Choice, corpus: Corpus, rows: np.ndarray, choices: ArcChoices) -> list[Explanation]:
    """For each of these arcs its probability, and the MOST arcs that are likelier, or the likeliest other one.

    choices: what a pass over the corpus found.
    """
    part, at = corpus.around(rows)
    order = np.argsort(at, kind="stable")
    words, given = SomeWords.of(choice, part, at[order]), choices.log_prob[rows]
    reasons: list[tuple[Reason, ...]] = [()] * len(rows)
    for k, of_arc in zip(order, _reasons(choice, part, words, rivals(choice, words), given[order]), strict=True):
        reasons[k] = of_arc
    notes = _notes(choice, corpus, rows, given, choices.tags)
    return [Explanation(*items) for items in zip(rows.tolist(), given.tolist(), reasons, notes, strict=True)]


def _notes(
    choice: Choice, corpus: Corpus, rows: np.ndarray, given: np.ndarray, tags: TagChoices | None
) -> Iterator[tuple[str, ...]]:
    """The notes on each of these arcs: its probability, a relation that the model does not have, doubtful tags."""
    unknown = choice.relation_codes(corpus)[rows] < 0
    head_row = corpus.head_row[rows]
    doubtful = np.zeros(len(rows), dtype=bool)
    if tags is not None:
        in_doubt = (tags.other >= 0) & (tags.log_other > tags.log_prob)
        doubtful = in_doubt[rows] | ((head_row >= 0) & in_doubt[head_row])
    for k, probability in enumerate(np.exp(given).tolist()):
        notes: tuple[str, ...] = (f"probability {chance(probability)} of this head and relation",)
        if unknown[k]:
            notes += (f"deprel {corpus.value('deprel', int(rows[k]))!r} is not in the model",)
        if doubtful[k] and tags is not None:
            notes += doubtful_tags(corpus, int(rows[k]), tags)
        yield notes


def doubtful_tags(corpus: Corpus, row: int, tags: TagChoices) -> tuple[str, ...]:
    """Notes on the tags of a word and of its head, where other tags are likelier."""
    notes = []
    for who, at in (("", row), ("its head is ", int(corpus.head_row[row]))):
        rather = tags.rather(at) if at >= 0 else None
        if rather is not None:
            notes.append(f"{who}probably {rather[0]} ({rather[1]:.2f}), tagged {corpus.value('upos', at)}")
    return tuple(notes)


def _reasons(
    choice: Choice, corpus: Corpus, words: SomeWords, others: Rivals, given: np.ndarray
) -> list[tuple[Reason, ...]]:
    """For each word the arcs that are likelier than the one given, or else the likeliest other one, if there is one."""
    likelier = (others.head >= 0) & (others.log_prob > given[:, None])
    likelier[:, 0] = others.head[:, 0] >= 0
    word, place = np.nonzero(likelier)
    head, log_prob, own = others.head[word, place], others.log_prob[word, place], given[word]
    form = corpus.codes["form"][corpus.start[words.sentence[word]] + np.maximum(head, 1) - 1]  # not shown for the root
    arcs = (word, head, others.relation[word, place], form, log_prob, own, log_prob - own, head == words.head[word])
    because = _because(tuple(_kinds(choice)), others.evidence[word, place])
    relations, forms = choice.weights.relations, corpus.labels["form"]
    reasons: list[tuple[Reason, ...]] = [()] * len(given)
    for (k, h, t, f, log_p, own_log_p, cost, same), why in zip(
        zip(*(column.tolist() for column in arcs), strict=True), because, strict=True
    ):
        text = another_arc(relations[t], h, forms[f], log_p, own_log_p) + why
        reasons[k] += (Reason("relation" if same else "head", cost, None, None, text),)
    return reasons


def _because(kinds: Sequence[str], evidence: np.ndarray) -> Iterator[str]:
    """For each rival the three kinds of evidence that change the odds most, if by a half or more, strongest first."""
    size = np.abs(evidence)  # NaN is not above anything
    order = np.argsort(-size, axis=1, kind="stable")[:, :3]
    strong = (size > _STRONG).sum(axis=1).tolist()
    values = np.take_along_axis(evidence, order, axis=1).tolist()
    for n, some, places in zip(strong, values, order.tolist(), strict=True):
        names = [f"{kinds[k]} ×{_times(v)}" for k, v in zip(places[:n], some, strict=False)]
        yield f" ({', '.join(names)})" if names else ""


@cache
def _times(evidence: float) -> str:
    """How many times evidence makes an arc likelier; weights are whole numbers of 1/UNIT, so few values occur."""
    return plain(math.exp(max(min(evidence, 50.0), -50.0)))
