"""Results of `ecc` side by side: whether a treebank of higher ECC is parsed worse (2008, Table 7)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treegauge.difficulty.spearman import spearman
from treegauge.errors import OptionError
from treegauge.tables import Table, column_kinds

Samples = Sequence[Mapping[str, Any]]  # tables named `samples`, as `Table.to_dict` or JSON has them


def measured_samples(tables: Samples) -> list[tuple[str, Mapping[str, Any]]]:
    """The name and the row of every sample that has both ECC and EMR, by ECC."""
    found = [
        (" ".join([row["treebank"], *_unusual(table["signature"]), row["sample"]]), row)
        for table in tables
        for row in table["rows"]
        if row["ecc"] is not None and row["emr"] is not None
    ]
    if not found:
        raise OptionError("no sample has both ECC and EMR; expected at least one")
    return sorted(found, key=lambda one: float(one[1]["ecc"]))


def _unusual(signature: str) -> list[str]:
    """What a signature of ECC says about the treebank's labels, if it is not the usual."""
    told = ("cluster", "transform", "punctuation-tags", "parseval")
    values = [part.partition(":")[2] for part in signature.split("|") if part.partition(":")[0] in told]
    return values + [part for part in ("functions:kept", "empty:kept") if part in signature]


def runs_tables(tables: Samples) -> list[Table]:
    """The paper's Table 7, the correlations of its columns, and what samples that come repeatedly have in common.

    above: by how much the EMR of a sample exceeds the lowest of the samples with a lower ECC, 0 where the order is as
    it should be; deviates: whether that is more than both 99 % intervals allow.
    """
    found = measured_samples(tables)
    signature = ", ".join(sorted({table["signature"] for table in tables}))
    rows, lowest, width = [], math.inf, 0.0
    for name, row in found:
        above, margin = max(0.0, row["emr"] - lowest), width + (row["emr_ci"] or 0.0)
        told = "yes" if above > margin else "no"
        rows.append((name, *(row[key] for key in ("ecc", "ecc_ci", "emr", "emr_ci", "f1", "product")), above, told))
        if row["emr"] < lowest:
            lowest, width = row["emr"], row["emr_ci"] or 0.0
    columns = "experiment text, ecc number, ecc_ci interval, emr percent, emr_ci percent_interval, f1 percent"
    headers = {"ecc": "ECC", "ecc_ci": "99 %", "emr": "EMR", "emr_ci": "99 %", "f1": "F1"}
    kinds = column_kinds(columns + ", product percent, above percent, deviates text")
    first = Table("ECC and EMR of all experiments", kinds, tuple(rows), signature, "runs", headers=headers)
    return [first, _correlations([row for _, row in found], signature), *_repeated(found, signature)]


def _correlations(rows: Sequence[Mapping[str, Any]], signature: str) -> Table:
    """Spearman's correlation of ECC with each other measure, and of EMR with F1 and the product model."""
    found = []
    for one, other in (("ecc", "emr"), ("ecc", "f1"), ("emr", "f1"), ("emr", "product")):
        pairs = [(row[one], row[other]) for row in rows if row[one] is not None and row[other] is not None]
        varied = len(pairs) > 2 and all(len(set(side)) > 1 for side in zip(*pairs, strict=True))
        rho, p = spearman(*zip(*pairs, strict=True)) if varied else (math.nan, math.nan)
        found.append((one, other, len(pairs), rho, p))
    columns = column_kinds("measure text, with text, samples count, spearman number, p p")
    return Table("Spearman's correlations", columns, tuple(found), signature, "correlations")


def _repeated(found: Sequence[tuple[str, Mapping[str, Any]]], signature: str) -> list[Table]:
    """Mean and standard deviation over the runs of each experiment that comes more than once; no table of none."""
    runs: dict[str, list[Mapping[str, Any]]] = {}
    for name, row in found:
        runs.setdefault(name, []).append(row)
    rows = [
        (name, len(mine), *(value for key in ("ecc", "emr") for value in _moments([row[key] for row in mine])))
        for name, mine in runs.items()
        if len(mine) > 1
    ]
    columns = column_kinds("experiment text, runs count, ecc number, ecc_sd number, emr percent, emr_sd percent")
    return [Table("Means over repeated runs", columns, tuple(rows), signature, "repeated")] if rows else []


def _moments(values: Sequence[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1))
