"""Judged rankings as tables: verdicts, top lists, groups; many pairs of gold and system in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from treegauge.judging.judged import LENGTH, RANDOM, WORST, Judged, Part, Verdict, groups, plain, top_lists
from treegauge.tables import Table

MEAN = "mean"


def roots(root_arcs: bool) -> str:
    """What tables say about root arcs."""
    return "with root arcs" if root_arcs else "without root arcs"


def signature_of(judged: Sequence[Judged]) -> str:
    """The settings behind several rankings: their signatures, each once."""
    return " ; ".join(dict.fromkeys(ranking.signature for ranking in judged))


def _verdict_columns(with_intervals: bool) -> tuple[tuple[str, str], ...]:
    columns = [
        ("scorer", "text"),
        ("root_arcs", "text"),
        ("n_arcs", "count"),
        ("n_errors", "count"),
        ("las", "percent"),
        ("roc_auc", "p"),
        ("average_precision", "p"),
        ("average_precision_errors", "p"),
        *((f"errors_in_worst_{share}", "percent") for share in WORST),
    ]
    if with_intervals:
        columns[6:6] = [("roc_auc_low", "p"), ("roc_auc_high", "p")]
        columns[9:9] = [("average_precision_low", "p"), ("average_precision_high", "p")]
    return tuple(columns)


def _verdict_row(found: Verdict, with_intervals: bool) -> tuple[Any, ...]:
    record = found.to_dict()
    row = {
        "scorer": found.scorer,
        **record,
        "root_arcs": "yes" if found.root_arcs else "no",
        **{f"errors_in_worst_{share}": value for share, value in record["errors_in_worst"].items()},
    }
    for name in ("roc_auc", "average_precision"):
        low, high = record.get(f"{name}_interval", (None, None))
        row |= {f"{name}_low": low, f"{name}_high": high}
    return tuple(row[name] for name, _ in _verdict_columns(with_intervals))


def verdict_tables(title: str, verdicts: Sequence[Verdict], signature: str) -> tuple[Table, Table]:
    """Errors found in the worst part (2013, Table 3), and areas under curves with their intervals."""
    with_intervals = any(found.roc_auc_interval for found in verdicts)
    columns = _verdict_columns(with_intervals)
    rows = [_verdict_row(found, with_intervals) for found in verdicts]

    def chosen(title: str, of_areas: bool) -> Table:
        places = [k for k, (name, kind) in enumerate(columns) if k < 2 or (kind == "p") == of_areas]
        return Table(
            title,
            tuple(columns[k] for k in places),
            tuple(tuple(row[k] for k in places) for row in rows),
            signature,
        )

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
            whole = plain(value(Part(0, ranking.n_arcs, ranking.las, ranking.mean_length)))
            columns[ranking.scorer] = {part.end: whole if part.n_arcs else None for part in found}
        else:
            columns[ranking.scorer] = {part.end: plain(value(part)) for part in found}
    ends = sorted({end for column in columns.values() for end in column})
    rows = tuple((end, *(column.get(end) for column in columns.values())) for end in ends)
    names = ((key, "count"), *((name, kind) for name in columns))
    return Table(title, names, rows, signature_of(judged))


def without_length(judged: Sequence[Judged]) -> list[Judged]:
    """The rankings that have root arcs: all but that by length."""
    return [ranking for ranking in judged if ranking.scorer != LENGTH]


def mean_verdicts(found: Mapping[str, Sequence[Verdict]]) -> list[Verdict]:
    """The mean of each scorer over the pairs; counts are sums. What is NaN in one pair is left out of the mean."""
    means = []
    for scorer in dict.fromkeys(v.scorer for verdicts in found.values() for v in verdicts):
        of_scorer = [v for verdicts in found.values() for v in verdicts if v.scorer == scorer]

        def mean(values: list[float]) -> float:
            known = [value for value in values if plain(value) is not None]
            return sum(known) / len(known) if known else float("nan")

        means.append(
            Verdict(
                scorer,
                of_scorer[0].root_arcs,
                sum(v.n_arcs for v in of_scorer),
                sum(v.n_errors for v in of_scorer),
                mean([v.las for v in of_scorer]),
                mean([v.roc_auc for v in of_scorer]),
                mean([v.average_precision for v in of_scorer]),
                mean([v.average_precision_errors for v in of_scorer]),
                {share: mean([v.errors_in_worst[share] for v in of_scorer]) for share in WORST},
                f"{MEAN} of {len(of_scorer)} pairs",
            )
        )
    return means


def pairs_table(title: str, found: Mapping[str, Sequence[Verdict]], signature: str) -> Table:
    """One row for each pair and scorer, and the means."""
    with_intervals = any(v.roc_auc_interval for verdicts in found.values() for v in verdicts)
    everything = {**found, MEAN: mean_verdicts(found)} if found else {}
    rows = tuple((name, *_verdict_row(v, with_intervals)) for name, verdicts in everything.items() for v in verdicts)
    return Table(title, (("pair", "text"), *_verdict_columns(with_intervals)), rows, signature)


def pairs_content(found: Mapping[str, Sequence[Verdict]]) -> dict[str, Any]:
    """Folder → scorer → numbers, and the mean."""
    everything = {**found, MEAN: mean_verdicts(found)} if found else {}
    return {name: {v.scorer: v.to_dict() for v in verdicts} for name, verdicts in everything.items()}
