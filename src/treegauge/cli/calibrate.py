"""`treegauge calibrate`: with a little gold, a probability that each arc is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treegauge.cli.options import message
from treegauge.cli.scoring import model_option, read_parsed, write_text

if TYPE_CHECKING:
    from treegauge.calibration.reliability import Reliability
    from treegauge.tables import Table


@click.command()
@click.argument("gold")
@click.argument("system")
@model_option(required=True)
@click.option(
    "--and",
    "more",
    nargs=3,
    multiple=True,
    metavar="GOLD SYSTEM MODEL",
    help="Learn from these, too: other parsers, other languages.",
)
@click.option("-o", "--output", required=True, metavar="FILE", help="The calibration to write (.tgc).")
@click.option(
    "--test", "test", nargs=2, metavar="GOLD SYSTEM", help="Measure on these, too: another text, or another language."
)
@click.option("--test-model", help="The model for --test.  [default: --model]")
@click.option("--figure", metavar="FILE", help="Reliability diagram of what was held out (.svg, .png, .pdf).")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["text", "tsv", "json", "markdown", "latex"]),
    default="text",
    show_default=True,
)
def calibrate(
    gold: str,
    system: str,
    model_name: str,
    more: tuple[tuple[str, str, str], ...],
    output: str,
    test: tuple[str, str] | None,
    test_model: str | None,
    figure: str | None,
    form: str,
) -> None:
    """Learn from GOLD and SYSTEM, CoNLL-U files of the same words, how probable it is that an arc is right.

    200 sentences are enough. `treegauge rank --calibration FILE` then gives every arc of any text that probability.
    Printed is how far it can be trusted, on sentences held out in turn (5 folds) and on --test.
    """
    import numpy as np

    from treegauge.calibration.evidence import Evidence
    from treegauge.calibration.logistic import FEWEST_SENTENCES, calibration_bytes, fit_calibration
    from treegauge.calibration.reliability import held_out, reliability
    from treegauge.models.bundled_models import find_model
    from treegauge.reports.figures import ending_of
    from treegauge.reports.table_text import write_json, write_tables
    from treegauge.scorers.calibrated import source_names

    if figure is not None:
        ending_of(figure)  # a wrong name is said before the work
    model = find_model(model_name)
    models = [model, *(find_model(name) for _, _, name in more)]
    pairs = [(gold, system), *((one, other) for one, other, _ in more)]
    parts = [
        Evidence.of(read_parsed(one), read_parsed(other), with_model)
        for (one, other), with_model in zip(pairs, models, strict=True)
    ]
    known = Evidence.joined(parts)
    sentences = len(np.unique(known.sentence))
    if sentences < FEWEST_SENTENCES:
        message(f"{gold}: only {sentences} sentences; 200 or more make a calibration to be trusted")
    names = " ".join(source_names(*pair) for pair in pairs)
    made = fit_calibration(known, names, " ".join(each.signature for each in models))
    found = {"held out (5 folds)": reliability(held_out(known), known.right)}
    if test is not None:
        other_model = model if test_model is None else find_model(test_model)
        there = Evidence.of(read_parsed(test[0]), read_parsed(test[1]), other_model)
        found[test[1]] = reliability(np.exp(made.log_probs(there.numbers, there.labels)), there.right)
    write_text(calibration_bytes(made), output)
    message(f"{output}: {made.arcs:,} arcs, {len(made.names)} kinds of evidence")
    tables = {"summary": _summary(found, made.signature), "bins": _bins(found, made.signature)}
    if form == "json":
        write_text(write_json({name: table.to_dict() for name, table in tables.items()}), "-")
    else:
        write_text(write_tables(list(tables.values()), form), "-")
    if figure is not None:
        _draw(found, figure)


def _summary(found: dict[str, Reliability], signature: str) -> Table:
    from treegauge.tables import Table

    columns = (
        ("arcs of", "text"),
        ("arcs", "count"),
        ("LAS", "percent"),
        ("Brier", "p"),
        ("calibration error", "p"),
        ("ROC-AUC", "p"),
        ("errors in worst 20 %", "percent"),
    )
    rows = tuple(
        (name, r.arcs, r.las, r.brier, r.calibration_error, r.roc_auc, r.errors_in_worst_20)
        for name, r in found.items()
    )
    return Table("Can the probability be trusted?", columns, rows, signature)


def _bins(found: dict[str, Reliability], signature: str) -> Table:
    from treegauge.tables import Table

    columns = (("arcs of", "text"), ("arcs", "count"), ("probability", "percent"), ("right", "percent"))
    rows = tuple((name, b.arcs, b.probability, b.right) for name, r in found.items() for b in r.bins)
    return Table("Reliability: bins of equal size", columns, rows, signature)


def _draw(found: dict[str, Reliability], path: str) -> None:
    from treegauge.reports import figures

    panels = [
        figures.Panel(
            name,
            [100 * b.probability for b in r.bins],
            {"arcs": [b.right for b in r.bins], "perfect": [b.probability for b in r.bins]},
        )
        for name, r in found.items()
    ]
    drawn = figures.line_figure(panels, "mean probability (%)", "share of right arcs (%)")
    write_text(figures.picture(drawn, figures.ending_of(path)), path)
