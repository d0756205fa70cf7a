"""Why a choice is improbable: the arcs that its word would rather have, and what in the context speaks for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.explanations import Explanation, Reason, another_arc
from treegauge.models.choice.choice_kernel import Chooser
from treegauge.models.choice.probabilities import Choice
from treegauge.models.choice.tags import TagChoices
from treegauge.models.choice.words import BETWEEN, LEMMAS, MORPHOLOGY, TAGS, TREE
from treegauge.wording import chance, plain

PARTS = {"tags": TAGS, "words between": BETWEEN, "lemmas": LEMMAS, "morphology": MORPHOLOGY, "tree": TREE}
MOST = 2  # an explanation names at most so many rivals
_HEADS = 4  # the relations of so many of the likeliest heads are looked at


@dataclass(frozen=True, slots=True)
class Rival:
    """An arc that a word could have."""

    head: int  # position in the sentence, 0 = root
    relation: str
    log_prob: float


class Choosers:
    """The choosers of a Choice by what they look at; each takes two megabytes and is made once."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.of = cache(choice.chooser)

    def __reduce__(self) -> tuple[type[Choosers], tuple[Choice]]:
        return Choosers, (self.choice,)  # the cache does not go to another process


class Sentence:
    """One sentence as a Choice sees it."""

    def __init__(self, choosers: Choosers, corpus: Corpus, words: np.ndarray, s: int) -> None:
        low, high = int(corpus.start[s]), int(corpus.start[s + 1])
        self.choice, self.choosers = choosers.choice, choosers
        self.chooser: Chooser = choosers.of(self.choice.weights.groups)
        self.words = np.ascontiguousarray(words[:, low:high])
        self.head = np.ascontiguousarray(corpus.tree_head[low:high])

    def rivals(self, d: int) -> list[Rival]:
        """The arcs of word d, most probable first: all relations of its likeliest heads, and of the one it has."""
        heads, probs, _ = self.chooser.heads_of(self.words, self.head, d, int(self.head[d - 1]))
        log_heads = np.log(np.maximum(probs, 1e-300))
        order = np.argsort(-log_heads, kind="stable")
        looked_at = [k for place, k in enumerate(order.tolist()) if place < _HEADS or heads[k] == self.head[d - 1]]
        rivals = []
        for k in looked_at:
            scores = self.chooser.relations_of(self.words, self.head, d, int(heads[k]))
            for t, log_prob in enumerate((log_heads[k] + scores - _log_sum(scores)).tolist()):
                rivals.append(Rival(int(heads[k]), self.choice.weights.relations[t], log_prob))
        return sorted(rivals, key=lambda rival: -rival.log_prob)

    def parts(self, d: int, rival: Rival, relation: str, head: int) -> dict[str, float]:
        """How much each kind of evidence adds to log p(rival) − log p(given arc).

        For another head this is the choice of the head; for another relation to the same head, the choice of the
        relation. Evidence of two kinds counts with the kind that is later in `PARTS`.
        """
        names = self.choice.weights.relations
        seen, groups, before, parts = 0, self.choice.weights.groups, 0.0, {}
        for name, bit in PARTS.items():
            if not groups & bit:
                continue
            seen |= bit
            chooser: Chooser = self.choosers.of(seen)
            if rival.head != head:
                value = _score(chooser, self, d, rival.head) - _score(chooser, self, d, head)
            elif relation in names:
                scores = chooser.relations_of(self.words, self.head, d, head)
                value = float(scores[names.index(rival.relation)] - scores[names.index(relation)])
            else:
                return {}
            parts[name] = value - before
            before = value
        return parts


def _log_sum(scores: np.ndarray) -> float:
    best = float(scores.max())
    return best + math.log(float(np.exp(scores - best).sum()))


def _score(chooser: Chooser, sentence: Sentence, d: int, h: int) -> float:
    heads, _, scores = chooser.heads_of(sentence.words, sentence.head, d, h)
    return float(scores[heads == h][0])


def explain(choice: Choice, corpus: Corpus, rows: np.ndarray, log_prob: np.ndarray) -> list[Explanation]:
    """For each of these arcs its probability, and the MOST arcs that are likelier, or the likeliest other one.

    log_prob: the log probability of each of these arcs.
    """
    part, at = corpus.around(rows)
    words, codes = choice.hashes.words(part), choice.relation_codes(part)
    tags = choice.tags.choices(part) if choice.tags is not None else None
    choosers, explanations = Choosers(choice), []
    with np.errstate(over="ignore"):
        for k, row in enumerate(at.tolist()):
            sentence = Sentence(choosers, part, words, int(part.sentence[row]))
            relation = choice.weights.relations[codes[row]] if codes[row] >= 0 else ""
            given = float(log_prob[k])
            notes: tuple[str, ...] = (f"probability {chance(math.exp(given))} of this head and relation",)
            if codes[row] < 0:
                notes += (f"deprel {part.value('deprel', row)!r} is not in the model",)
            if tags is not None:
                notes += doubtful_tags(part, row, tags)
            reasons = _reasons(sentence, part, row, relation, given)
            explanations.append(Explanation(int(rows[k]), given, tuple(reasons), notes))
    return explanations


def doubtful_tags(corpus: Corpus, row: int, tags: TagChoices) -> tuple[str, ...]:
    """Notes on the tags of a word and of its head, where other tags are likelier."""
    notes = []
    for who, at in (("", row), ("its head is ", int(corpus.head_row[row]))):
        rather = tags.rather(at) if at >= 0 else None
        if rather is not None:
            notes.append(f"{who}probably {rather[0]} ({rather[1]:.2f}), tagged {corpus.value('upos', at)}")
    return tuple(notes)


def _reasons(sentence: Sentence, corpus: Corpus, row: int, relation: str, given: float) -> list[Reason]:
    """The arcs that are likelier than the one given, or the likeliest other one."""
    s, d, head = int(corpus.sentence[row]), int(corpus.position[row]), int(corpus.head[row])
    others = [rival for rival in sentence.rivals(d) if (rival.head, rival.relation) != (head, relation)]
    likelier = [rival for rival in others if rival.log_prob > given][:MOST]
    return [
        Reason(
            "head" if rival.head != head else "relation",
            rival.log_prob - given,
            None,
            None,
            _say(corpus, s, rival, given) + _because(sentence.parts(d, rival, relation, head)),
        )
        for rival in likelier or others[:1]
    ]


def _say(corpus: Corpus, s: int, rival: Rival, given: float) -> str:
    form = corpus.value("form", int(corpus.start[s]) + rival.head - 1) if rival.head else ""
    return another_arc(rival.relation, rival.head, form, rival.log_prob, given)


def _because(parts: dict[str, float]) -> str:
    """The kinds of evidence that change the odds by a half or more, strongest first."""
    strong = sorted(((name, v) for name, v in parts.items() if abs(v) > math.log(1.5)), key=lambda part: -abs(part[1]))
    return (
        f" ({', '.join(f'{name} ×{plain(math.exp(max(min(v, 50.0), -50.0)))}' for name, v in strong[:3])})"
        if strong
        else ""
    )
