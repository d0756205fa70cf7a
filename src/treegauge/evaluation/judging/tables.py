"""Tables of rankings that were judged by gold; also one table of many pairs of gold and system."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from treegauge.evaluation.judging.gold_arcs import SuggestionHits
from treegauge.evaluation.judging.gold_ranking import RANDOM, WORST, GoldRanking, Judgement, Part, groups, top_lists
from treegauge.evaluation.judging.risk import LAS, UAS, WANTED, by_sentence, risk_curve
from treegauge.ranking.scored import reliable_order
from treegauge.ranking.units import Unit
from treegauge.statistics import bootstrap_p, holm, percentile_interval
from treegauge.tables import Table, column_kinds

MEAN = "mean"
AREAS = ("roc_auc", "average_precision")
SHARES = (10, 25, 50, 75, 100)  # per cent of the words
BY_LENGTH = "sentence length"


def roots(root_arcs: bool) -> str:
    """The words with which tables name rankings with or without root arcs."""
    return "with root arcs" if root_arcs else "without root arcs"


def signature_of(judged: Sequence[GoldRanking]) -> str:
    """The settings behind several rankings: their signatures, each once."""
    return " ; ".join(dict.fromkeys(ranking.signature for ranking in judged))


def _columns(with_intervals: bool) -> tuple[tuple[str, str], ...]:
    interval = {name: ((f"{name}_low", "p"), (f"{name}_high", "p")) * with_intervals for name in AREAS}
    return (
        *column_kinds("scorer text, root_arcs text, n_arcs count, n_errors count, las percent, roc_auc p"),
        *interval["roc_auc"],
        ("average_precision", "p"),
        *interval["average_precision"],
        ("average_precision_errors", "p"),
        *((f"errors_in_worst_{share}", "percent") for share in WORST),
        *((f"n_errors_in_worst_{share}", "count") for share in WORST),
    )


def _row(judgement: Judgement, with_intervals: bool) -> tuple[Any, ...]:
    values = {name: getattr(judgement, name) for name in judgement.__slots__}
    values["root_arcs"] = "yes" if judgement.root_arcs else "no"
    values |= {f"errors_in_worst_{share}": value for share, value in judgement.errors_in_worst.items()}
    values |= {f"n_errors_in_worst_{share}": value for share, value in judgement.n_errors_in_worst.items()}
    for name in AREAS:
        low, high = values[f"{name}_interval"] or (None, None)
        values |= {f"{name}_low": low, f"{name}_high": high}
    return tuple(values[name] for name, _ in _columns(with_intervals))


def judgement_tables(title: str, judgements: Sequence[Judgement], signature: str) -> tuple[Table, Table]:
    """The share of errors in the worst arcs (2013, Table 3), and the areas under curves with their intervals."""
    with_intervals = any(judgement.roc_auc_interval for judgement in judgements)
    columns = _columns(with_intervals)
    rows = [_row(judgement, with_intervals) for judgement in judgements]

    def chosen(title: str, of_areas: bool) -> Table:
        places = [k for k, (name, kind) in enumerate(columns) if k < 2 or (kind == "p") == of_areas]
        values = tuple(tuple(row[k] for k in places) for row in rows)
        return Table(title, tuple(columns[k] for k in places), values, signature, "areas" if of_areas else "errors")

    return chosen(f"{title}: share of all errors in the worst arcs", False), chosen(f"{title}: areas", True)


def differences_table(title: str, judgements: Sequence[Judgement], signature: str) -> Table:
    """The difference in ROC-AUC of each two rankings of the same arcs: a paired bootstrap test over sentences.

    p = (1 + #{|δ* − δ| ≥ |δ|}) / (1 + samples); p_holm is corrected for all pairs.
    """
    pairs = [
        (a, b)
        for a, b in combinations(judgements, 2)
        if (a.root_arcs, a.n_arcs) == (b.root_arcs, b.n_arcs)
        and a.drawn_areas is not None
        and b.drawn_areas is not None
    ]
    rows, p_values = [], []
    for a, b in pairs:
        assert a.drawn_areas is not None
        assert b.drawn_areas is not None
        observed, drawn = a.roc_auc - b.roc_auc, a.drawn_areas - b.drawn_areas
        known = drawn[~np.isnan(drawn)]
        p_values.append(float(bootstrap_p(known, observed)))
        low, high = percentile_interval(known[:, None])[:, 0].tolist()
        rows.append((roots(a.root_arcs), a.scorer, b.scorer, a.roc_auc, b.roc_auc, observed, low, high, p_values[-1]))
    body = tuple((*row, p) for row, p in zip(rows, holm(p_values), strict=True))
    columns = column_kinds(
        "arcs text, first text, second text, first_roc_auc p, second_roc_auc p, difference p, low p, high p, "
        "p_bootstrap p, p_holm p"
    )
    return Table(f"{title}: differences in ROC-AUC", columns, body, signature, "differences")


def top_table(title: str, judged: Sequence[GoldRanking], step: int) -> Table:
    """LAS of the first k arcs, k = step, 2·step, …: a column for each scorer (2013, Figure 1).

    A scorer that ranks fewer arcs (length ranks no root arcs) has a smaller last k.
    """
    return _side_by_side(title, "k", "percent", judged, lambda ranking: top_lists(ranking, step), lambda part: part.las)


def groups_table(title: str, judged: Sequence[GoldRanking], size: int | None, equal: int | None) -> Table:
    """LAS of each group of the ranking: a column for each scorer (2013, Figure 2)."""
    cut = partial(groups, size=size, equal=equal)
    return _side_by_side(title, "group", "percent", judged, cut, lambda part: part.las)


def lengths_table(title: str, judged: Sequence[GoldRanking], size: int | None, equal: int | None) -> Table:
    """The mean length of the arcs of each group, without root arcs: a column for each scorer (2013, Table 2)."""
    cut = partial(groups, size=size, equal=equal)
    return _side_by_side(title, "group", "p", judged, cut, lambda part: part.mean_length)


def _side_by_side(
    title: str,
    key: str,
    kind: str,
    judged: Sequence[GoldRanking],
    parts: Callable[[GoldRanking], list[Part]],
    value: Callable[[Part], float],
) -> Table:
    """A column with the values of the parts of each ranking; `random` has the value of all arcs, as in the paper."""
    columns: dict[str, dict[int, float | None]] = {}
    for ranking in judged:
        cut = parts(ranking)
        if ranking.scorer == RANDOM:
            whole = value(Part(0, ranking.n_arcs, ranking.las, ranking.mean_length))
            columns[ranking.scorer] = {part.end: whole if part.n_arcs else None for part in cut}
        else:
            columns[ranking.scorer] = {part.end: value(part) for part in cut}
    ends = sorted({end for column in columns.values() for end in column})
    rows = tuple((end, *(column.get(end) for column in columns.values())) for end in ends)
    names = ((key, "count"), *((name, kind) for name in columns))
    return Table(title, names, rows, signature_of(judged))


def mean_judgements(by_pair: Mapping[str, Sequence[Judgement]]) -> list[Judgement]:
    """The mean of each scorer over the pairs; counts are sums. A value that is NaN is left out of the mean."""
    means = []
    all_judgements = [judgement for judgements in by_pair.values() for judgement in judgements]
    for scorer in dict.fromkeys(judgement.scorer for judgement in all_judgements):
        of_scorer = [judgement for judgement in all_judgements if judgement.scorer == scorer]
        measures = ("las", *AREAS, "average_precision_errors")
        las, roc_auc, precision, of_errors = (_mean([getattr(j, name) for j in of_scorer]) for name in measures)
        means.append(
            Judgement(
                scorer,
                of_scorer[0].root_arcs,
                sum(judgement.n_arcs for judgement in of_scorer),
                sum(judgement.n_errors for judgement in of_scorer),
                *(las, roc_auc, precision, of_errors),
                {share: _mean([judgement.errors_in_worst[share] for judgement in of_scorer]) for share in WORST},
                n_errors_in_worst={share: sum(j.n_errors_in_worst[share] for j in of_scorer) for share in WORST},
            )
        )
    return means


def _mean(values: list[float]) -> float:
    known = [value for value in values if math.isfinite(value)]
    return sum(known) / len(known) if known else math.nan


def pairs_table(title: str, by_pair: Mapping[str, Sequence[Judgement]], signature: str) -> Table:
    """One row for each pair and scorer, and the means."""
    everything = {**by_pair, MEAN: mean_judgements(by_pair)} if by_pair else {}
    pairs = [(name, judgement) for name, judgements in everything.items() for judgement in judgements]
    with_intervals = any(judgement.roc_auc_interval for _, judgement in pairs)
    rows = tuple((name, *_row(judgement, with_intervals)) for name, judgement in pairs)
    return Table(title, (("pair", "text"), *_columns(with_intervals)), rows, signature, "pairs")


def las_of_best(score: np.ndarray, words: np.ndarray, right: np.ndarray) -> list[float]:
    """LAS of the best sentences with 10, 25, … % of the words; NaN if there are no sentences.

    score, words, right: the score of each sentence, its number of words, and how many of its arcs are right. The best
    sentences are taken until they have so many words.
    """
    if not len(words):
        return [float("nan")] * len(SHARES)
    order = reliable_order(score)
    n_words, n_right = np.cumsum(words[order]), np.cumsum(right[order])
    ends = np.searchsorted(n_words, [share / 100 * n_words[-1] for share in SHARES])
    return (n_right[ends] / n_words[ends]).tolist()


def sentences_table(title: str, judged: Sequence[GoldRanking]) -> Table:
    """LAS of the best sentences by the mean score of their arcs, and by their length (short ones are best)."""
    columns: dict[str, list[float]] = {}
    for ranking in judged:
        mean, words, right = by_sentence(ranking, ranking.truth.right)
        columns[ranking.scorer] = las_of_best(mean, words, right)
        columns.setdefault(BY_LENGTH, las_of_best(-words.astype(float), words, right))
    rows = tuple((share, *(column[k] for column in columns.values())) for k, share in enumerate(SHARES))
    names = (("best % of words", "count"), *((name, "percent") for name in columns))
    return Table(title, names, rows, signature_of(judged))


def suggestions_table(right: np.ndarray, suggestions: Sequence[SuggestionHits]) -> Table | None:
    """How often the likeliest other arc of a wrong arc is right; None if no scorer has alternatives.

    The rows are about all arcs, the worst 10 and 20 %, and the arcs whose other arc is likelier; `wrong` is the share
    of wrong arcs among them.
    """
    rows = []
    for hits in suggestions:
        worst = hits.order.order[::-1]
        parts = {
            "all": np.arange(len(right)),
            "worst 10 %": worst[: round(0.1 * len(right))],
            "worst 20 %": worst[: round(0.2 * len(right))],
            "other is likelier": np.flatnonzero(hits.likelier),
        }
        for name, part in parts.items():
            wrong = part[~right[part]]
            shares = (len(wrong) / max(len(part), 1), hits.hit[wrong].mean() if len(wrong) else None)
            rows.append((hits.order.scorer, name, len(part), *shares))
    columns = column_kinds("scorer text, arcs text, n_arcs count, wrong percent, suggestion is gold percent")
    signature = " ; ".join(hits.order.signature for hits in suggestions)
    return Table("Suggestions for wrong arcs", columns, tuple(rows), signature, "suggestions") if rows else None


def coverage_table(title: str, judged: Sequence[GoldRanking]) -> Table:
    """The share of arcs, and of sentences, that one can keep at each accuracy; the area under risk over coverage."""
    columns = (
        *column_kinds("scorer text, unit text, measure text"),
        *((f"kept_at_{wanted}", "percent") for wanted in WANTED),
        ("aurc", "p"),
    )
    rows = []
    for unit in (Unit.ARC, Unit.SENTENCE):
        for measure in (LAS, UAS):
            for ranking in judged:
                curve = risk_curve(ranking, unit, measure)
                shares = (curve.coverage(wanted / 100) for wanted in WANTED)
                rows.append((ranking.scorer, unit, measure, *shares, curve.area()))
    return Table(title, columns, tuple(rows), signature_of(judged))
