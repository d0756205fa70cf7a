"""`treegauge calibrate`: learns from a little gold how probable it is that an arc is right."""

from __future__ import annotations

from functools import partial

import click

from treegauge.cli.arguments import Arguments, argument, command, file, option, repeated
from treegauge.cli.groups import (
    FORMAT,
    ON_ERROR,
    OutputGroup,
    check_figures,
    find_model,
    model_option,
    with_option,
    write_figure,
)
from treegauge.cli.messages import message, read_corpus, refuse_unused
from treegauge.wording import counted


class CalibrateArguments(Arguments):
    """The arguments of `treegauge calibrate`."""

    gold: str = argument()
    system: str = argument()
    model_name: str | None = model_option()
    more: tuple[tuple[str, str, str], ...] = repeated(
        "--and",
        "Learn from these, too: another parser, another language. May be repeated.",
        nargs=3,
        metavar="GOLD SYSTEM MODEL",
    )
    others: tuple[str, ...] = with_option("SYSTEM")
    output: str = file("-o", "--output", "Write the calibration to FILE (.tgc).", required=True)
    test: tuple[str, str] | None = option(
        "Measure on these, too: another text or language.", nargs=2, metavar="GOLD SYSTEM"
    )
    test_model: str | None = option("Use this model for --test.  [default: --model]", rare=True)
    test_with: tuple[str, ...] = file(
        "Ask this other parse of the text of --test, as --with.", multiple=True, rare=True
    )
    figure: str | None = file("Draw how far the probabilities are right (.svg, .png, .pdf).")
    format_name: str = FORMAT
    on_error: str = ON_ERROR


@command(CalibrateArguments)
def calibrate(args: CalibrateArguments) -> None:
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
    refuse_unused(
        test_model=(args.test is not None, "--test"), test_with=(bool(args.test and args.others), "--test and --with")
    )
    if args.others and args.more:
        raise click.UsageError("--with and --and exclude each other: the texts of --and have no other parses")
    if args.test and len(args.test_with) != len(args.others):
        raise click.UsageError(
            f"--test-with: expected as many as --with, {len(args.others)}; the same parsers in this order"
        )
    from treegauge.evaluation.judging.calibrate import calibrate as learn_calibration
    from treegauge.reports.judge_figures import reliability_figure

    check_figures(args.figure)
    model = find_model(args.model_name, (args.system,))
    read = partial(read_corpus, on_error=args.on_error)
    test_model = args.test_model or model
    tests = [(read(args.test[0]), read(args.test[1]), test_model, args.test_with)] if args.test else []
    more = [(read(gold), read(system), its_model) for gold, system, its_model in args.more]
    result = learn_calibration(read(args.gold), read(args.system), model, others=args.others, more=more, test=tests)
    message(*(f"{args.gold}: {note}" for note in result.notes))
    if result.left_out:
        message(result.left_out.text("gold", "the parsers' output"))
    result.save(args.output)
    message(
        f"{args.output}: {counted(result.calibration.arcs, 'arc')}, {len(result.calibration.names)} kinds of evidence"
    )
    OutputGroup(format_name=args.format_name, output="-", beside=False, csv_for_spreadsheets=False).write(
        [result.table(), result.bins_table()]
    )
    write_figure(args.figure, reliability_figure, result)
