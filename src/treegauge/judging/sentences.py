"""Are whole parses ranked well, and are suggested arcs the right ones?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.conllu import Corpus
from treegauge.explanations import Alternatives
from treegauge.judging.judged import Judged, Ranked
from treegauge.ranking.listing import reliable_order
from treegauge.tables import Table, column_kinds

SHARES = (10, 25, 50, 75, 100)  # per cent of the words
BY_LENGTH = "sentence length"


def las_of_best(score: np.ndarray, words: np.ndarray, right: np.ndarray) -> list[float]:
    """LAS of the best sentences that hold 10, 25, … % of the words, given each sentence's score, words, right arcs.

    As many sentences from the top as it takes to reach that many words.
    """
    order = reliable_order(score)
    held, good = np.cumsum(words[order]), np.cumsum(right[order])
    found = []
    for share in SHARES:
        k = int(np.searchsorted(held, share / 100 * held[-1])) if len(held) else -1
        found.append(float(good[k] / held[k]) if len(held) else float("nan"))
    return found


def sentences_table(title: str, judged: Sequence[Judged], signature: str) -> Table:
    """LAS of the best sentences by the mean score of their arcs, and by their length: short ones first."""
    columns: dict[str, list[float]] = {}
    for ranking in judged:
        kept = ranking.kept
        sentence = ranking.truth.sentence[kept]
        words = np.bincount(sentence)
        there = words > 0
        right = np.bincount(sentence, ranking.truth.right[kept])[there]
        total = np.bincount(sentence, ranking.ranked.scores[kept])[there]
        words = words[there]
        mean = total / words
        columns[ranking.scorer] = las_of_best(mean, words, right)
        columns.setdefault(BY_LENGTH, las_of_best(-words.astype(float), words, right))
    rows = tuple((share, *(found[k] for found in columns.values())) for k, share in enumerate(SHARES))
    return Table(title, (("best % of words", "count"), *((name, "percent") for name in columns)), rows, signature)


@dataclass(frozen=True)
class Suggested:
    """Of every arc of a system: whether the likeliest other arc is gold's, and whether it is likelier than its own."""

    ranked: Ranked
    hit: np.ndarray
    likelier: np.ndarray


def suggested(gold: Corpus, other: Alternatives) -> tuple[np.ndarray, np.ndarray]:
    """Whether other arcs of all words are gold's, and whether they are likelier than those that the words have."""
    wanted = gold.relations()
    names = np.array([*wanted.names, ""], dtype=object)[wanted.codes]
    hit = (other.head == gold.head) & (other.relation == names)
    return np.asarray(hit, dtype=bool), other.log_prob > other.own_log_prob


def suggestions_table(right: np.ndarray, found: Sequence[Suggested]) -> Table | None:
    """How often the likeliest other arc of a wrong arc is gold's; None where no scorer has such.

    Of all wrong arcs, of those among the worst 10 and 20 %, and of those whose other arc is the likelier one; beside
    it how often such an arc is wrong at all.
    """
    rows = []
    for one in found:
        worst = one.ranked.order[::-1]
        parts = {
            "all": np.arange(len(right)),
            "worst 10 %": worst[: round(0.1 * len(right))],
            "worst 20 %": worst[: round(0.2 * len(right))],
            "other is likelier": np.flatnonzero(one.likelier),
        }
        for name, part in parts.items():
            wrong = part[~right[part]]
            shares = (len(wrong) / max(len(part), 1), one.hit[wrong].mean() if len(wrong) else None)
            rows.append((one.ranked.scorer, name, len(part), *shares))
    columns = column_kinds("scorer text, arcs text, n_arcs count, wrong percent, suggestion is gold percent")
    signature = " ; ".join(one.ranked.signature for one in found)
    return Table("Suggestions for wrong arcs", columns, tuple(rows), signature, "suggestions") if rows else None
