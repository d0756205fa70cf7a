"""Whether two systems differ in UAS, LAS and the like."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from treegauge.errors import OptionError
from treegauge.evaluation.attachment.evaluation import Evaluation
from treegauge.evaluation.attachment.metrics import METRICS, column
from treegauge.statistics import LEVEL, SAMPLES, SEED, Difference, Differences, paired_tests

COMPARED = ("UAS", "LAS", "CLAS", "MLAS", "BLEX")


def compare(
    first: Evaluation,
    second: Evaluation,
    metrics: Sequence[str] | None = None,
    *,
    samples: int = SAMPLES,
    seed: int = SEED,
    progress: Callable[[int], None] | None = None,
) -> Differences:
    """How far two systems are apart on the same gold, and how sure that is. Both tests draw whole gold sentences.

    The tests are those of `paired_tests`. The same seed gives the same numbers; all metrics share the samples. metrics:
    COMPARED, and LAS of the exclusions, unless given. progress is told samples, of both tests, as they are drawn.
    """
    if not np.array_equal(first.gold.start, second.gold.start):
        raise OptionError(f"{first.gold.path} and {second.gold.path}; expected two systems on the same gold")
    if metrics is None:
        metrics = [*COMPARED, *(f"LAS {chosen.name}" for chosen in first.selections)]
    for metric in metrics:
        _ = first[metric], second[metric]  # both have it
    a = np.stack([_halves(first, metric) for metric in metrics], axis=1)
    b = np.stack([_halves(second, metric) for metric in metrics], axis=1)
    tests = paired_tests(a, b, samples, seed, progress)
    each = []
    for metric, test in zip(metrics, tests, strict=True):
        f1, second_f1 = first[metric].f1, second[metric].f1
        each.append(Difference(metric, f1, second_f1, f1 - second_f1, *test))
    title = f"{first.system.path} minus {second.system.path}: F1, {LEVEL:.0%} interval, p-values"
    body, _, version = first.signature.rpartition("|")
    return Differences(tuple(each), title, f"{body}|samples:{samples}|seed:{seed}|{version}")


def _halves(evaluation: Evaluation, metric: str) -> np.ndarray:
    """Per sentence: 2 · correct and gold + system."""
    if metric in METRICS:
        of = METRICS[metric].of
        columns = [evaluation.counts[:, column(name)] for name in (f"gold_{of}", f"system_{of}", metric)]
    else:
        measure, _, name = metric.partition(" ")
        chosen = next(chosen for chosen in evaluation.selections if chosen.name == name)
        columns = [chosen.counts[:, 0], chosen.counts[:, 1], chosen.counts[:, 3 if measure == "LAS" else 2]]
    g, s, c = (counts.astype(np.float64) for counts in columns)
    return np.stack([2 * c, g + s], axis=1)
