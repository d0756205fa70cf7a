"""Judged rankings as tables: judgements, top lists, groups; many pairs of gold and system in one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from treegauge.judging.judged import RANDOM, WORST, Judged, Judgement, Part, groups, top_lists
from treegauge.tables import Table, column_kinds

MEAN = "mean"
AREAS = ("roc_auc", "average_precision")


def roots(root_arcs: bool) -> str:
    """What tables say about root arcs."""
    return "with root arcs" if root_arcs else "without root arcs"


def signature_of(judged: Sequence[Judged]) -> str:
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


def _row(found: Judgement, with_intervals: bool) -> tuple[Any, ...]:
    values = {name: getattr(found, name) for name in found.__slots__}
    values["root_arcs"] = "yes" if found.root_arcs else "no"
    values |= {f"errors_in_worst_{share}": value for share, value in found.errors_in_worst.items()}
    values |= {f"n_errors_in_worst_{share}": value for share, value in found.n_errors_in_worst.items()}
    for name in AREAS:
        low, high = values[f"{name}_interval"] or (None, None)
        values |= {f"{name}_low": low, f"{name}_high": high}
    return tuple(values[name] for name, _ in _columns(with_intervals))


def judgement_tables(title: str, found: Sequence[Judgement], signature: str) -> tuple[Table, Table]:
    """Errors found in the worst part (2013, Table 3), and areas under curves with their intervals."""
    with_intervals = any(one.roc_auc_interval for one in found)
    columns = _columns(with_intervals)
    rows = [_row(one, with_intervals) for one in found]

    def chosen(title: str, of_areas: bool) -> Table:
        places = [k for k, (name, kind) in enumerate(columns) if k < 2 or (kind == "p") == of_areas]
        shown = tuple(columns[k] for k in places)
        values = tuple(tuple(row[k] for k in places) for row in rows)
        return Table(title, shown, values, signature, "areas" if of_areas else "errors")

    return chosen(f"{title}: share of all errors in the worst arcs", False), chosen(f"{title}: areas", True)


def top_table(title: str, judged: Sequence[Judged], step: int) -> Table:
    """LAS of the first k arcs, k = step, 2·step, …: a column for each scorer (2013, Figure 1).

    Scorers that rank fewer arcs (no root arcs by length) end at a k of their own.
    """
    return _side_by_side(title, "k", "percent", judged, lambda ranking: top_lists(ranking, step), lambda part: part.las)


def groups_table(title: str, judged: Sequence[Judged], size: int | None, equal: int | None) -> Table:
    """LAS of each group of the ranking: a column for each scorer (2013, Figure 2)."""
    parts = _cut(size, equal)
    return _side_by_side(title, "group", "percent", judged, parts, lambda part: part.las)


def lengths_table(title: str, judged: Sequence[Judged], size: int | None, equal: int | None) -> Table:
    """Mean length of the arcs of each group, root arcs never counted: a column for each scorer (2013, Table 2)."""
    parts = _cut(size, equal)
    return _side_by_side(title, "group", "p", judged, parts, lambda part: part.mean_length)


def _cut(size: int | None, equal: int | None) -> Callable[[Judged], list[Part]]:
    return lambda ranking: groups(ranking, size, equal)


def _side_by_side(
    title: str,
    key: str,
    kind: str,
    judged: Sequence[Judged],
    parts: Callable[[Judged], list[Part]],
    value: Callable[[Part], float],
) -> Table:
    """Parts of rankings; that of `random` is constant, as in the paper: the value of all arcs together."""
    columns: dict[str, dict[int, float | None]] = {}
    for ranking in judged:
        found = parts(ranking)
        if ranking.scorer == RANDOM:
            whole = value(Part(0, ranking.n_arcs, ranking.las, ranking.mean_length))
            columns[ranking.scorer] = {part.end: whole if part.n_arcs else None for part in found}
        else:
            columns[ranking.scorer] = {part.end: value(part) for part in found}
    ends = sorted({end for column in columns.values() for end in column})
    rows = tuple((end, *(column.get(end) for column in columns.values())) for end in ends)
    names = ((key, "count"), *((name, kind) for name in columns))
    return Table(title, names, rows, signature_of(judged))


def mean_judgements(found: Mapping[str, Sequence[Judgement]]) -> list[Judgement]:
    """The mean of each scorer over the pairs; counts are sums. What is NaN in one pair is left out of the mean."""
    means = []
    for scorer in dict.fromkeys(one.scorer for ones in found.values() for one in ones):
        of_scorer = [one for ones in found.values() for one in ones if one.scorer == scorer]

        def mean(values: list[float]) -> float:
            known = [value for value in values if math.isfinite(value)]
            return sum(known) / len(known) if known else math.nan

        averaged = {
            name: mean([getattr(one, name) for one in of_scorer])
            for name in ("las", *AREAS, "average_precision_errors")
        }
        means.append(
            Judgement(
                scorer,
                of_scorer[0].root_arcs,
                sum(one.n_arcs for one in of_scorer),
                sum(one.n_errors for one in of_scorer),
                errors_in_worst={share: mean([one.errors_in_worst[share] for one in of_scorer]) for share in WORST},
                las=averaged["las"],
                roc_auc=averaged["roc_auc"],
                average_precision=averaged["average_precision"],
                average_precision_errors=averaged["average_precision_errors"],
                n_errors_in_worst={share: sum(one.n_errors_in_worst[share] for one in of_scorer) for share in WORST},
            )
        )
    return means


def pairs_table(title: str, found: Mapping[str, Sequence[Judgement]], signature: str) -> Table:
    """One row for each pair and scorer, and the means."""
    with_intervals = any(one.roc_auc_interval for ones in found.values() for one in ones)
    everything = {**found, MEAN: mean_judgements(found)} if found else {}
    rows = tuple((name, *_row(one, with_intervals)) for name, ones in everything.items() for one in ones)
    return Table(title, (("pair", "text"), *_columns(with_intervals)), rows, signature, "pairs")
