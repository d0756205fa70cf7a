"""The tables of the page: two parsers, bins of the ranking, relations by difficulty, and suspicious tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.difficulty.properties import rows_by_relation
from treegauge.evaluation.attachment.breakdown import breakdown
from treegauge.evaluation.attachment.evaluation import Evaluation, Evaluations
from treegauge.evaluation.attachment.versus import Versus
from treegauge.models.choice.tags import TagChoices
from treegauge.models.columns.choices import ColumnChoices
from treegauge.models.columns.inventory import combinations
from treegauge.ranking.columns import Rows, find_column
from treegauge.ranking.ranking import Ranking
from treegauge.ranking.scored import Scored
from treegauge.ranking.units import Unit
from treegauge.statistics import shared_ranks
from treegauge.tables import Table, column_kinds

PARSER_METRICS = ("LAS", "UAS", "CLAS")
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
        in_bin = ranking.bin == number
        scores = ranking.score[in_bin]
        lengths = length[in_bin & inner]
        accuracy = (
            [] if right is None else [float(right[in_bin & in_gold].mean()) if (in_bin & in_gold).any() else None]
        )
        values = map(float, [scores.min(), scores.mean(), scores.max()])
        rows.append((number, int(in_bin.sum()), *accuracy, *values, float(lengths.mean()) if len(lengths) else None))
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
    length = np.where(corpus.head > 0, corpus.arc_length, np.nan)
    own, others = rows_by_relation(corpus), {} if gold is None else rows_by_relation(gold)
    names = sorted({*own, *others})
    arcs = [own.get(name, np.empty(0, np.int64)) for name in names]
    columns: dict[tuple[str, str], list[Any]] = {("relation", "text"): names, ("arcs", "count"): list(map(len, arcs))}
    if gold is not None and right is not None:
        n_gold = [len(others.get(name, ())) for name in names]
        f = [2 * int(right[rows].sum()) / (len(rows) + n) for rows, n in zip(arcs, n_gold, strict=True)]
        columns |= {("in gold", "count"): n_gold, ("F", "percent"): f}
        columns["rank by F", "count"] = shared_ranks(f, high_first=True)
    for name, values, high_first in (("score", score, True), ("length", length, False)):
        means = [_mean(values[rows]) for rows in arcs]
        columns[f"mean {name}", "p"] = means
        columns[f"rank by {name}", "count"] = shared_ranks(means, high_first=high_first)
    if moves is not None:
        columns["moved", "p"] = [_mean(move[rows]) for rows in arcs]
    table_rows = sorted(zip(*columns.values(), strict=True), key=lambda row: -row[1])
    return Table("Relations", tuple(columns), tuple(table_rows), ranking.scored.signature)


def parser_scores(parsers: Evaluations[Evaluation]) -> Table:
    """F1 of two parsers, as in `evaluate`, and the first minus the second."""
    first, second = parsers
    rows = []
    for metric in PARSER_METRICS:
        f1 = first[metric].f1, second[metric].f1
        rows.append((metric, *f1, f1[0] - f1[1]))
    columns = (("F1", "text"), (first.name, "percent"), (second.name, "percent"), ("difference", "change"))
    return Table("Scores", columns, tuple(rows), first.signature)


def parser_table(parsers: Evaluations[Evaluation]) -> Table:
    """A row for each relation: F of two parsers, as in `evaluate`, the first minus the second, and who is right.

    Who is right is counted over the words that have the relation in gold. The most frequent relations come first.
    """
    first, second = parsers
    scores = [{key[0]: score.f1 for key, score in breakdown(one, "relation").scores().items()} for one in parsers]
    words = {row[0]: row[1:] for row in Versus(first, second).table().rows}
    rows = []
    for name in dict.fromkeys((*scores[0], *scores[1])):
        f = [of_parser.get(name) for of_parser in scores]
        difference = None if f[0] is None or f[1] is None else f[0] - f[1]
        n_gold, _, only_first, only_second, neither, _ = words.get(name, (0,) * 6)
        rows.append((name, n_gold, *f, difference, only_first, only_second, neither))
    columns = (
        *(("relation", "text"), ("in gold", "count")),
        *((f"F {one.name}", "percent") for one in parsers),
        ("difference", "change"),
        *((f"only {one.name} right", "count") for one in parsers),
        ("both wrong", "count"),
    )
    return Table("Relations", columns, tuple(sorted(rows, key=lambda row: (-row[1], row[0]))), first.signature)


def _mean(values: np.ndarray) -> float | None:
    """The mean of the values that are not NaN; None if there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


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


VALUE_NAMES = {"lemma": "lemma", "xpos": "XPOS", "feats": "feature", "subtype": "relation"}


def value_table(corpus: Corpus, choices: ColumnChoices, rows: np.ndarray) -> Table:
    """A row for each word of `rows`: its value and the likelier one, their probabilities, and the words around."""
    name = VALUE_NAMES[choices.column]
    columns = [f"word text, {name} text, probability probability, rather text, its probability probability"]
    lines = []
    for row in rows.tolist():
        s = int(corpus.sentence[row])
        context = _context(corpus.forms(s), int(corpus.position[row]) - 1)
        own, other = (_two_digits(float(np.exp(logs[row]))) for logs in (choices.log_worst, choices.log_other))
        values = choices.given(corpus, row), own, choices.rather(corpus, row), other
        lines.append((context[1], *values, context, corpus.sent_id(s) or str(corpus.number[s])))
    kinds = column_kinds(", ".join([*columns, "in its context context", "sentence text"]))
    return Table(f"Suspicious values: {name}", kinds, tuple(lines), "")


def known_features(corpus: Corpus) -> dict[str, list[str]]:
    """The features, as Name=Value, that the words of each tag have, sorted."""
    kinds, _, _ = combinations(corpus, "upos", "feats")
    known: dict[str, set[str]] = {}
    for upos, feats in kinds.tolist():
        value = corpus.labels["feats"][feats]
        known.setdefault(corpus.labels["upos"][upos], set()).update([] if value == "_" else value.split("|"))
    return {upos: sorted(features, key=str.lower) for upos, features in known.items()}


def _two_digits(probability: float) -> float:
    return float(f"{probability:.2g}")


def _context(forms: Sequence[str], at: int) -> tuple[str, str, str]:
    """The words before a word, the word, and the words behind it; … stands for more."""
    before, behind = forms[max(at - _NEAR, 0) : at], forms[at + 1 : at + 1 + _NEAR]
    texts = " ".join(before), " ".join(behind)
    return "… " * (at > _NEAR) + texts[0], forms[at], texts[1] + " …" * (at + 1 + _NEAR < len(forms))
