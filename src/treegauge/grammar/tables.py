"""Tables of results as text: aligned, tab-separated, Markdown or LaTeX."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from treegauge.errors import OptionError
from treegauge.grammar.measures import EccResult, SampleFigures
from treegauge.grammar.sentences import SentenceRow
from treegauge.reports.table_text import FORMATS, latex_lines, markdown_lines, text_lines
from treegauge.tables import MISSING

Cell = str

ECC_COLUMNS = ("treebank", "sample", "trees", "L<{limit}", "cov.", "HD", "HS", "ECC", "LP", "LR", "F1", "EMR")
SIZE_COLUMNS = ("treebank", "tokens", "rules", "nonterminals", "POS tags", "rules per occurrence")
SENTENCE_COLUMNS = tuple(SentenceRow.__slots__)


def ecc_table(results: Sequence[EccResult], form: str, limit: int) -> str:
    """Results in the layout of the paper's Table 2: the training samples first, then the test samples.

    JSON has one object per treebank and line; tsv keeps every figure in a column of its own, unrounded.
    """
    if form == "json":
        return "".join(json.dumps(result.to_dict(), ensure_ascii=False) + "\n" for result in results)
    samples = [(result, "train", result.train) for result in results]
    samples += [
        (result, "leave-one-out" if "leave-one-out" in result.signature else "test", result.test)
        for result in results
        if result.test is not None
    ]
    if form == "tsv":
        names = SampleFigures.__slots__
        rows = [
            [result.name, sample, *(_plain(figures.to_dict()[name]) for name in names), result.signature]
            for result, sample, figures in samples
        ]
        return _tsv(["treebank", "sample", *names, "signature"], rows)
    header = [column.format(limit=limit) for column in ECC_COLUMNS]
    body = [_ecc_row(result.name, sample, figures) for result, sample, figures in samples]
    sizes = [_size_row(result.name, result.train) for result in results]
    signatures = sorted({result.signature for result in results})
    return "\n".join(
        [
            rendered(header, body, form, left=2),
            rendered(list(SIZE_COLUMNS), sizes, form, left=1),
            _note(signatures, form),
        ]
    )


def _ecc_row(name: str, sample: str, figures: SampleFigures) -> list[Cell]:
    return [
        name,
        sample,
        f"{figures.trees:,}",
        f"{figures.trees_used:,}",
        f"{100 * figures.covered_share:.2f}%" if not math.isnan(figures.covered_share) else MISSING,
        _number(figures.derivational_cross_entropy),
        _number(figures.sentential_cross_entropy),
        _interval(figures.ecc, figures.ecc_ci),
        _number(figures.lp),
        _number(figures.lr),
        _number(figures.f1),
        _interval(figures.emr, figures.emr_ci),
    ]


def _size_row(name: str, figures: SampleFigures) -> list[Cell]:
    return [
        name,
        f"{figures.tokens:,}",
        f"{figures.rules:,}",
        f"{figures.nonterminals:,}",
        f"{figures.pos_tags:,}",
        f"{figures.rules_per_occurrence:.4f}",
    ]


def sentence_table(rows: Sequence[SentenceRow], form: str, signature: str) -> str:
    """One line per sentence."""
    if form == "json":
        told = {"signature": signature}
        return "".join(json.dumps(row.to_dict() | told, ensure_ascii=False) + "\n" for row in rows)
    header = list(SENTENCE_COLUMNS)
    if form == "tsv":
        body = [[*map(_plain, row.to_dict().values()), signature] for row in rows]
        return _tsv([*header, "signature"], body)
    body = [
        [
            str(row.sentence),
            row.name,
            str(row.tags),
            "yes" if row.covered else "no",
            *map(_number, (row.delta, row.log_prob, row.log_prob_yield)),
            f"{row.parses:,.0f}" if row.parses < 1e9 else f"{row.parses:.3g}",
            _number(row.tree_entropy),
        ]
        for row in rows
    ]
    return rendered(header, body, form, left=0) + "\n" + _note([signature], form)


def figures_table(figures: dict[str, Any], form: str, signature: str) -> str:
    """Named figures as one row."""
    if form == "json":
        return json.dumps({**figures, "signature": signature}, ensure_ascii=False) + "\n"
    if form == "tsv":
        return _tsv([*figures, "signature"], [[*map(_plain, figures.values()), signature]])
    cells = [_number(value) if isinstance(value, float) else _plain(value) for value in figures.values()]
    return (
        rendered([name.replace("_", " ") for name in figures], [cells], form, left=1) + "\n" + _note([signature], form)
    )


def curve_table(name: str, curves: Any, form: str, signature: str, steps: int = 20) -> str:
    """A learning curve: every tree in tsv and json, else some twenty points of it."""
    shuffles, n = curves.shape
    if form == "json":
        values = {"treebank": name, "learning_curve": curves.tolist(), "signature": signature}
        return json.dumps(values, ensure_ascii=False) + "\n"
    header = ["trees", *(f"shuffle {number}" for number in range(1, shuffles + 1))]
    if form == "tsv":
        return _tsv(["treebank", *header], [[name, str(at + 1), *map(_plain, curves[:, at])] for at in range(n)])
    points = sorted({max(1, round(n * step / steps)) for step in range(1, steps + 1)}) if n else []
    body = [[f"{point:,}", *(_number(value) for value in curves[:, point - 1])] for point in points]
    return rendered(header, body, form, left=0) + "\n" + _note([f"{name}: {signature}"], form)


def rendered(header: list[str], body: list[list[Cell]], form: str, left: int) -> str:
    """A table; its first `left` columns are text, the others are set to the right."""
    writers = {"text": text_lines, "markdown": markdown_lines, "latex": latex_lines}
    if form not in writers:
        raise OptionError(f"format {form!r}; expected one of {', '.join(FORMATS)}")
    return "\n".join(writers[form](header, body, [at < left for at in range(len(header))])) + "\n"


def _note(lines: Sequence[str], form: str) -> str:
    if form == "latex":
        return "".join(f"% {line}\n" for line in lines)
    if form == "markdown":
        return "".join(f"`{line}`\n" for line in lines)
    return "".join(f"{line}\n" for line in lines)


def _tsv(header: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    return "".join("\t".join(row) + "\n" for row in [header, *body])


def _plain(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(float(value)) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    return MISSING if math.isnan(value) else f"{value + 0.0:.2f}"


def _interval(value: float, half: float) -> str:
    return _number(value) if math.isnan(half) else f"{_number(value)} ± {_number(half)}"
