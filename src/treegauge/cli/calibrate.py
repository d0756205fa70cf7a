"""`treegauge calibrate`: with a little gold, a probability that each arc is right."""

from __future__ import annotations

from functools import partial

import click

from treegauge.cli.groups import FORMAT, OutputGroup, model_option, with_option, write_file
from treegauge.cli.options import message, on_error, read_told, refuse_unused
from treegauge.wording import counted


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
    help="Learn from these, too: another parser, another language. May be repeated.",
)
@with_option("SYSTEM")
@click.option("-o", "--output", required=True, metavar="FILE", help="Write the calibration to FILE (.tgc).")
@click.option("--test", "test", nargs=2, metavar="GOLD SYSTEM", help="Measure on these, too: another text or language.")
@click.option("--test-model", help="Use this model for --test.  [default: --model]")
@click.option(
    "--test-with", metavar="FILE", multiple=True, help="Ask this other parse of the text of --test, as --with."
)
@click.option("--figure", metavar="FILE", help="Draw how far the probabilities are right (.svg, .png, .pdf).")
@FORMAT
@on_error
def calibrate(
    gold: str,
    system: str,
    model_name: str,
    more: tuple[tuple[str, str, str], ...],
    others: tuple[str, ...],
    output: str,
    test: tuple[str, str] | None,
    test_model: str | None,
    test_with: tuple[str, ...],
    figure: str | None,
    form: str,
    on_error: str,
) -> None:
    """Learn from GOLD and SYSTEM, CoNLL-U files of the same text, how probable it is that an arc is right.

    Words are aligned by their characters, as in `eval`; those that only one side has are left out.

    200 sentences are enough. `treegauge rank --calibration FILE` then gives every arc of any text that probability.
    With --unit tag it gives every tag one, if at least 20 tags of SYSTEM are wrong.
    Printed is how far it can be trusted, on sentences held out in turn (5 folds) and on --test.

    \b
    Examples:
      treegauge calibrate gold.conllu system.conllu --model en -o mine.tgc
      treegauge calibrate gold.conllu system.conllu --model en --with other.conllu -o mine.tgc
    """
    refuse_unused(test_model=(test is not None, "--test"), test_with=(bool(test and others), "--test and --with"))
    if others and more:
        raise click.UsageError("--with and --and exclude each other: the texts of --and have no other parses")
    if test and len(test_with) != len(others):
        raise click.UsageError(
            f"--test-with: expected as many as --with, {len(others)}; the same parsers in this order"
        )
    from treegauge.evaluation.judging.calibrate import calibrate as calibrated
    from treegauge.models.bundled_models import load_model
    from treegauge.reports.figures import ending_of
    from treegauge.reports.judge_figures import reliability_figure

    ending = None if figure is None else ending_of(figure)  # a wrong name is said before the work
    model = load_model(model_name)
    read = partial(read_told, on_error=on_error)
    tests = [(read(test[0]), read(test[1]), model if test_model is None else test_model, test_with)] if test else []
    further = [(read(its_gold), read(its_system), its_model) for its_gold, its_system, its_model in more]
    result = calibrated(read(gold), read(system), model, others=others, more=further, test=tests)
    for note in result.notes:
        message(f"{gold}: {note}")
    if result.left_out:
        message(result.left_out.text("gold", "the parsers' output"))
    result.save(output)
    message(f"{output}: {counted(result.calibration.arcs, 'arc')}, {len(result.calibration.names)} kinds of evidence")
    OutputGroup(form, "-", beside=False).write([result.table(), result.bins_table()])
    if figure is not None and ending is not None:
        write_file(reliability_figure(result, ending), figure)
