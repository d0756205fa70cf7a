"""The page of a shared task: one HTML file with the ranking, the matrix, and what is behind each cell.

Texts of the corpora are never markup: `<` is escaped in the JSON, and the script puts them into the document as text.
"""

from __future__ import annotations

import numpy as np

from treegauge.corpus.pool import Pool
from treegauge.evaluation.task.details import task_details
from treegauge.evaluation.task.task import TaskScores
from treegauge.reports.html_file import FILES, rendered, settings_list
from treegauge.reports.page import as_json
from treegauge.wording import counted


def task_page(scores: TaskScores, top: int = 3, pool: Pool | None = None) -> str:
    """The page. top: the most sentences that are shown of each cell."""
    details = task_details(scores, top, pool)
    groups = [scores.group_of.get(name, "") for name in scores.treebanks]
    data = {
        "metric": scores.metric,
        "metrics": scores.metrics,
        "systems": scores.systems,
        "treebanks": scores.treebanks,
        "groups": groups,
        "only_present": scores.only_present,
        "scores": {metric: _rounded(scores.matrix(metric)) for metric in scores.metrics},
        "problems": [[result.problems[k] for result in scores.results] for k in range(len(scores.systems))],
        "ranking": [
            [scores.systems.index(one.system), one.rank, *_rounded(np.array([one.low, one.high])), one.is_separate]
            for one in scores.ranking()
        ],
        "cells": {f"{k},{t}": [cell.relations, cell.sentences] for (k, t), cell in details.items()},
    }
    size = f"{counted(len(scores.systems), 'system')} on {counted(len(scores.treebanks), 'treebank')}"
    return rendered(
        "task.html",
        "look.css",
        script=(FILES / "task.js").read_text(encoding="utf-8"),
        title=f"{scores.metric} of {size}",
        missing="are left out of averages" if scores.only_present else "count 0",
        data=as_json(data),
        settings=settings_list(scores.signature),
        metrics=scores.metrics,
        metric=scores.metric,
        groups=sorted({group for group in groups if group}),
    )


def _rounded(values: np.ndarray) -> list:  # type: ignore[type-arg]
    """Per cent with two digits; None for a file that is missing."""
    if values.ndim > 1:
        return [_rounded(row) for row in values]
    return [None if np.isnan(value) else round(100 * float(value), 2) for value in values]
