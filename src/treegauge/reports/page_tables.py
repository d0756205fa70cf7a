"""The tables of the page: bins of the ranking, relations by difficulty, and suspicious tags."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from treegauge.choice.tags import TagChoices
from treegauge.corpus.conllu import Corpus
from treegauge.difficulty.types import Types, TypeScore, by_relation, mean_score
from treegauge.ranking.ranking import Ranking
from treegauge.tables import Table, column_kinds

_NEAR = 6  # words shown on either side of one


def bin_table(ranking: Ranking, right: np.ndarray | None, known: np.ndarray | None = None) -> Table:
    """Each bin: its arcs, the share of right ones, its scores, mean length of its arcs but the root's.

    known: of each word, whether gold has it, if it does not have all; the share is that of these.
    """
    corpus = ranking.scored.corpus
    in_gold = True if known is None else known[ranking.row]
    right = None if right is None else right[ranking.row]
    length = corpus.arc_length[ranking.row]
    inner = corpus.head[ranking.row] > 0
    rows = []
    for number in np.unique(ranking.bin).tolist():
        here = ranking.bin == number
        scores = ranking.score[here]
        lengths = length[here & inner]
        accuracy = [] if right is None else [float(right[here & in_gold].mean()) if (here & in_gold).any() else None]
        values = map(float, [scores.min(), scores.mean(), scores.max()])
        rows.append((number, int(here.sum()), *accuracy, *values, float(lengths.mean()) if len(lengths) else None))
    accuracy_of = () if right is None else (("accuracy", "percent"),)
    scores_of = (("lowest", "p"), ("mean score", "p"), ("highest", "p"), ("mean length", "p"))
    columns = (("bin", "count"), ("arcs", "count"), *accuracy_of, *scores_of)
    return Table("Bins of the ranking", columns, tuple(rows), ranking.scored.signature)


def relation_table(
    ranking: Ranking, gold: Corpus | None, right: np.ndarray | None, moves: np.ndarray | None = None
) -> Table:
    """Each relation without its subtypes: arcs, mean log score and length with their ranks; with gold the F-score.

        F = 2·|right arcs| / (|arcs of gold| + |arcs here|)

    over all words of both, as in `evaluate` (2020 §4). moves: of each arc of the ranking, for their mean.
    """
    corpus = ranking.scored.corpus
    score = np.full(corpus.n_words, np.nan)
    score[ranking.row] = ranking.score
    move = np.full(corpus.n_words, np.nan)
    if moves is not None:
        move[ranking.row] = moves
    right = np.zeros(corpus.n_words, dtype=bool) if right is None else right
    here, there = by_relation(corpus), {} if gold is None else by_relation(gold)
    length = corpus.arc_length
    none = np.empty(0, dtype=np.int64)
    scores, mean_moves = [], []
    for name in sorted({*here, *there}):
        mine, golden = here.get(name, none), there.get(name, none)
        inner, known = mine[corpus.head[mine] > 0], mine[~np.isnan(score[mine])]
        moved = mine[~np.isnan(move[mine])]
        f_score = 2 * int(right[mine].sum()) / (len(mine) + len(golden)) if gold is not None else None
        mean_length = float(length[inner].mean()) if len(inner) else None
        mean = mean_score(score[known], mean_log=True)
        scores.append(TypeScore(name, len(golden), len(mine), f_score, mean_length, None, mean))
        mean_moves.append(float(move[moved].mean()) if len(moved) else None)
    types = Types("", tuple(scores), ranking.scored.signature)
    shown = [("mean score", "p", "lisca_parsed"), ("mean length", "p", "length")]
    columns: list[tuple[str, str, Sequence[Any]]] = [
        ("relation", "text", [each.relation for each in scores]),
        ("arcs", "count", [each.n_system for each in scores]),
    ]
    if gold is not None:
        shown.insert(0, ("F", "percent", "f_score"))
        columns.append(("in gold", "count", [each.n_gold for each in scores]))
    for name, kind, measure in shown:
        columns.append((name, kind, [getattr(each, measure) for each in scores]))
        columns.append((f"rank by {name.removeprefix('mean ')}", "count", types.ranks[measure]))
    if moves is not None:
        columns.append(("moved", "p", mean_moves))
    rows = sorted(zip(*(values for *_, values in columns), strict=True), key=lambda row: -row[1])
    return Table("Relations", tuple(column[:2] for column in columns), tuple(rows), ranking.scored.signature)


def suspicious_tags(tags: TagChoices, most: int) -> np.ndarray:
    """The rows of the words that would rather have another tag, the least probable tag first, as `rank --unit tag`."""
    rows = np.flatnonzero((tags.other >= 0) & (tags.log_other > tags.log_prob))[::-1]
    return rows[np.argsort(tags.log_prob[rows], kind="stable")][:most]


def tag_table(
    corpus: Corpus, tags: TagChoices, rows: np.ndarray, gold: Corpus | None, known: np.ndarray, signature: str
) -> Table:
    """Words, their tags and the tags that they would rather have, with probabilities; gold's tag, and the words around.

    known: of each word, whether gold has it; the others have no gold tag. A context is three texts: before the word,
    the word, and behind it.
    """
    columns = ["word text", "tag text", "probability probability", "rather text", "its probability probability"]
    columns += [*([] if gold is None else ["gold text"]), "in its context context", "sentence text"]
    found = []
    for row in rows.tolist():
        s, own, other = int(corpus.sentence[row]), float(tags.log_prob[row]), float(tags.log_other[row])
        context = _context(corpus.forms(s), int(corpus.position[row]) - 1)
        values = [context[1], corpus.value("upos", row), _digits(own), tags.tags[tags.other[row]], _digits(other)]
        values += [] if gold is None else [gold.value("upos", row) if known[row] else ""]
        found.append((*values, context, corpus.sent_id(s) or str(corpus.number[s])))
    return Table("Suspicious tags", column_kinds(", ".join(columns)), tuple(found), signature)


def _digits(log_prob: float) -> float:
    """A probability with two digits."""
    return float(f"{math.exp(log_prob):.2g}")


def _context(forms: Sequence[str], at: int) -> tuple[str, str, str]:
    """The words before one, that one, and those behind it; … for more."""
    before, behind = forms[max(at - _NEAR, 0) : at], forms[at + 1 : at + 1 + _NEAR]
    texts = " ".join(before), " ".join(behind)
    return "… " * (at > _NEAR) + texts[0], forms[at], texts[1] + " …" * (at + 1 + _NEAR < len(forms))
