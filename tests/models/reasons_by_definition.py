"""The reasons of choice by their definition: one word after the other, each rival in a loop."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.explanations import Explanation, Reason, another_arc
from treegauge.models.choice.probabilities import ArcChoices, Choice
from treegauge.models.choice.reasons import PARTS, doubtful_tags
from treegauge.wording import chance, plain

MOST, HEADS = 2, 4


@dataclass(frozen=True)
class Rival:
    """An arc that a word could have."""

    head: int
    relation: str
    log_prob: float


class Sentence:
    """One sentence as a Choice sees it."""

    def __init__(self, choice: Choice, corpus: Corpus, s: int) -> None:
        low, high = int(corpus.start[s]), int(corpus.start[s + 1])
        self.choice, self.chooser = choice, choice.chooser()
        self.words = np.ascontiguousarray(choice.hashes.words(corpus)[:, low:high])
        self.head = np.ascontiguousarray(corpus.tree_head[low:high])

    def rivals(self, d: int) -> list[Rival]:
        """The arcs of word d, most probable first: all relations of its likeliest heads, and of the one it has."""
        heads, probs, _ = self.chooser.heads_of(self.words, self.head, d, int(self.head[d - 1]))
        log_heads = np.log(np.maximum(probs, 1e-300))
        order = np.argsort(-log_heads, kind="stable")
        rivals = []
        for place, k in enumerate(order.tolist()):
            if place >= HEADS and heads[k] != self.head[d - 1]:
                continue
            scores = self.chooser.relations_of(self.words, self.head, d, int(heads[k]))
            log_sum = scores.max() + math.log(float(np.exp(scores - scores.max()).sum()))
            for t, log_prob in enumerate((log_heads[k] + scores - log_sum).tolist()):
                rivals.append(Rival(int(heads[k]), self.choice.weights.relations[t], log_prob))
        return sorted(rivals, key=lambda rival: -rival.log_prob)

    def parts(self, d: int, rival: Rival, relation: str, head: int) -> dict[str, float]:
        """How much each kind of evidence adds to log p(rival) − log p(given arc)."""
        names = self.choice.weights.relations
        seen, groups, before, parts = 0, self.choice.weights.groups, 0.0, {}
        for name, bit in PARTS.items():
            if not groups & bit:
                continue
            seen |= bit
            chooser = self.choice.chooser(seen)
            if rival.head != head:
                value = self.score(chooser, d, rival.head) - self.score(chooser, d, head)
            elif relation in names:
                scores = chooser.relations_of(self.words, self.head, d, head)
                value = float(scores[names.index(rival.relation)] - scores[names.index(relation)])
            else:
                return {}
            parts[name] = value - before
            before = value
        return parts

    def score(self, chooser: Any, d: int, h: int) -> float:
        """s(d, h)."""
        heads, _, scores = chooser.heads_of(self.words, self.head, d, h)
        return float(scores[heads == h][0])


def explanation(choice: Choice, corpus: Corpus, row: int, choices: ArcChoices) -> Explanation:
    """The explanation of one arc."""
    s, d, head = int(corpus.sentence[row]), int(corpus.position[row]), int(corpus.head[row])
    sentence, code = Sentence(choice, corpus, s), int(choice.relation_codes(corpus)[row])
    relation, given = choice.weights.relations[code] if code >= 0 else "", float(choices.log_prob[row])
    others = [rival for rival in sentence.rivals(d) if (rival.head, rival.relation) != (head, relation)]
    likelier = [rival for rival in others if rival.log_prob > given][:MOST]
    reasons = []
    for rival in likelier or others[:1]:
        form = corpus.value("form", int(corpus.start[s]) + rival.head - 1) if rival.head else ""
        text = another_arc(rival.relation, rival.head, form, rival.log_prob, given)
        parts = sentence.parts(d, rival, relation, head)
        strong = sorted((p for p in parts.items() if abs(p[1]) > math.log(1.5)), key=lambda part: -abs(part[1]))[:3]
        named = ", ".join(f"{name} ×{plain(math.exp(max(min(v, 50.0), -50.0)))}" for name, v in strong)
        text += f" ({named})" if named else ""
        reasons.append(Reason("head" if rival.head != head else "relation", rival.log_prob - given, None, None, text))
    notes = [f"probability {chance(math.exp(given))} of this head and relation"]
    notes += [f"deprel {corpus.value('deprel', row)!r} is not in the model"] if code < 0 else []
    notes += doubtful_tags(corpus, row, choices.tags) if choices.tags is not None else ()
    return Explanation(row, given, tuple(reasons), tuple(notes))
