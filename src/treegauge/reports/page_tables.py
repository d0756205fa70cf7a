"""The tables of the page: bins of the ranking, relations by difficulty, and suspicious tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.choice.tags import TagChoices
from treegauge.ranking.columns import Rows, find_column
from treegauge.ranking.ranking import Ranking
from treegauge.ranking.scored import Scored
from treegauge.ranking.units import Unit
from treegauge.statistics import shared_ranks
from treegauge.tables import Table, column_kinds

_NEAR = 6  # words shown on either side of a word


def bin_table(ranking: Ranking, right: np.ndarray | None, known: np.ndarray | None = None) -> Table:
    """A row for each bin: its arcs, the share of right ones, its scores, and the mean length without root arcs.

    known: whether gold has each word, if it does not have all; the share counts these words only.
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
    """A row for each relation, without subtypes: arcs, mean log score and length with their ranks; with gold, F-scores.

        F = 2·|right arcs| / (|arcs of gold| + |arcs here|)

    over all words of both, as in `evaluate` (2020 §4). moves: how far each arc of the ranking moved; the table has
    their mean.
    """
    corpus = ranking.scored.corpus
    score, move = np.full((2, corpus.n_words), np.nan)
    score[ranking.row] = ranking.score
    if moves is not None:
        move[ranking.row] = moves
    relations, gold_arcs = corpus.relations(), {} if gold is None else _arcs_by_relation(gold)
    columns: dict[tuple[str, str], list[Any]] = {}
    for name in sorted({*_arcs_by_relation(corpus), *gold_arcs}):
        mine = relations.codes == (relations.names.index(name) if name in relations.names else -1)
        n, n_gold = int(mine.sum()), gold_arcs.get(name, 0)
        values: dict[tuple[str, str], Any] = {("relation", "text"): name, ("arcs", "count"): n}
        if gold is not None and right is not None:
            values["in gold", "count"] = n_gold
            values["F", "percent"] = 2 * int(right[mine].sum()) / (n + n_gold)
        values["mean score", "p"] = _mean(score[mine & ~np.isnan(score)])
        values["mean length", "p"] = _mean(corpus.arc_length[mine & (corpus.head > 0)])
        values["moved", "p"] = _mean(move[mine & ~np.isnan(move)])
        for key, value in values.items():
            columns.setdefault(key, []).append(value)
    shown: dict[tuple[str, str], list[Any]] = {}
    for (name, kind), cells in columns.items():
        if name != "moved" or moves is not None:
            shown[name, kind] = cells
        if name in ("F", "mean score", "mean length"):
            shown[f"rank by {name.removeprefix('mean ')}", "count"] = shared_ranks(
                cells, high_first=name != "mean length"
            )
    rows = sorted(zip(*shown.values(), strict=True), key=lambda row: -row[1])
    return Table("Relations", tuple(shown), tuple(rows), ranking.scored.signature)


def _arcs_by_relation(corpus: Corpus) -> dict[str, int]:
    """How many arcs each relation of a corpus has; relations without arcs are left out."""
    relations = corpus.relations()
    counts = np.bincount(relations.codes, minlength=len(relations.names)).tolist()
    return {name: n for name, n in zip(relations.names, counts, strict=True) if n}


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if len(values) else None


def suspicious_tags(tags: TagChoices, most: int) -> np.ndarray:
    """The rows of words for which another tag is likelier, the least probable tag first, as in `rank --unit tag`."""
    rows = np.flatnonzero((tags.other >= 0) & (tags.log_other > tags.log_prob))[::-1]
    return rows[np.argsort(tags.log_prob[rows], kind="stable")][:most]


def tag_table(scored: Scored, rows: np.ndarray, gold: Corpus | None, known: np.ndarray) -> Table:
    """A row for each word of `rows`: its tag and the likelier one, their probabilities, gold's tag, the words around.

    known: whether gold has each word; the others have no gold tag. A context is three texts: before the word, the word,
    and behind it.
    """
    columns = ["word text", "tag text", "probability probability", "rather text", "its probability probability"]
    columns += [*([] if gold is None else ["gold text"]), "in its context context", "sentence text"]
    corpus, of_tags = scored.corpus, Rows(scored, rows, Unit.TAG)
    names = ("upos", "tag_probability", "other_upos", "other_probability")
    shown = (find_column(name, Unit.TAG).list(of_tags) for name in names)
    lines = []
    for row, tag, own, other, likelier in zip(rows.tolist(), *shown, strict=True):
        s = int(corpus.sentence[row])
        context = _context(corpus.forms(s), int(corpus.position[row]) - 1)
        gold_tag = [] if gold is None else [gold.value("upos", row) if known[row] else ""]
        values = (context[1], tag, _two_digits(own), other, _two_digits(likelier), *gold_tag)
        lines.append((*values, context, corpus.sent_id(s) or str(corpus.number[s])))
    return Table("Suspicious tags", column_kinds(", ".join(columns)), tuple(lines), scored.signature)


def _two_digits(probability: float) -> float:
    return float(f"{probability:.2g}")


def _context(forms: Sequence[str], at: int) -> tuple[str, str, str]:
    """The words before a word, the word, and the words behind it; … stands for more."""
    before, behind = forms[max(at - _NEAR, 0) : at], forms[at + 1 : at + 1 + _NEAR]
    texts = " ".join(before), " ".join(behind)
    return "… " * (at > _NEAR) + texts[0], forms[at], texts[1] + " …" * (at + 1 + _NEAR < len(forms))
