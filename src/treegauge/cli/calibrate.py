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
    from treegauge.arcs.bundled import find_model
    from treegauge.arcs.judging import right_arcs
    from treegauge.calibration.evidence import arc_labels, arc_numbers
    from treegauge.calibration.logistic import FEWEST_SENTENCES, calibration_bytes, fit_calibration
    from treegauge.calibration.reliability import held_out, reliability
    from treegauge.calibration.scorer import source_names
    from treegauge.report.figures import ending_of
    from treegauge.tables import write_json, write_tables

    if figure is not None:
        ending_of(figure)  # a wrong name is said before the work
    model = find_model(model_name)
    of_gold, of_system = read_parsed(gold), read_parsed(system)
    right = right_arcs(of_gold, of_system)
    if of_gold.n_sentences < FEWEST_SENTENCES:
        message(f"{gold}: only {of_gold.n_sentences} sentences; 200 or more make a calibration to be trusted")
    numbers, labels = arc_numbers(of_system, model), arc_labels(of_system)
    made = fit_calibration(numbers, labels, right, source_names(gold, system), model.signature)
    found = {"held out (5 folds)": reliability(held_out(numbers, labels, right, of_system.sentence), right)}
    if test is not None:
        other = model if test_model is None else find_model(test_model)
        test_gold, test_system = map(read_parsed, test)
        prob = made.log_probs(test_system, other)
        import numpy as np

        found[test[1]] = reliability(np.exp(prob), right_arcs(test_gold, test_system))
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
    from treegauge.report import figures

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
