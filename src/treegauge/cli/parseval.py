"""`treegauge parseval`: how good bracketed parses are."""

from __future__ import annotations

import click

from treegauge.cli.arguments import Arguments, argument, command, flag, group, number, option
from treegauge.cli.groups import STYLE, TREES_ON_ERROR, OutputGroup
from treegauge.cli.messages import message, refuse_unused, tell_skipped
from treegauge.statistics import SAMPLES, SEED


class ParsevalArguments(Arguments):
    """The arguments of `treegauge parseval`."""

    gold: str = argument(metavar="GOLD")
    systems: tuple[str, ...] = argument(nargs=-1, required=True, metavar="SYSTEM...")
    style: str = STYLE
    out: OutputGroup = group(OutputGroup)
    by_label: bool = flag("Show LP, LR and F1 of each label, too.")
    show: int = number(0, 0, "Show the brackets that only one side has, of the first N trees with errors.")
    rules: str = option(
        "--parseval",
        "Count all brackets (plain), or as EVALB does: collins, or a parameter file (.prm).",
        default="plain",
        metavar="NAME",
    )
    significance: bool = flag("Test whether the first SYSTEM differs from each other one.")
    samples: int = number(1, SAMPLES, "Draw so many random samples of trees for --significance.")
    seed: int = option("Seed the random samples of --significance.", type=click.IntRange(0), default=SEED)
    on_error: str = TREES_ON_ERROR


@command(ParsevalArguments)
def parseval(args: ParsevalArguments) -> None:
    """Score the bracketed trees of each SYSTEM against GOLD, tree by tree in their order.

    LP and LR are the shares of the system's and of gold's labelled brackets that the other side has, F1 their harmonic
    mean, exact the share of trees with all brackets right. `product` is what exact would be if brackets were wrong
    independently of each other. `crossing` is the mean number of brackets that cross one of gold; none and ≤ 2 are the
    shares of trees with so many.

    \b
    Examples:
      treegauge parseval gold.mrg parsed.mrg
      treegauge parseval gold.mrg parsed.mrg --parseval collins --by-label
      treegauge parseval gold.mrg one.mrg other.mrg --significance
    """
    from treegauge.constituency.bracket_scores import evalb_options
    from treegauge.constituency.brackets import read_brackets
    from treegauge.constituency.parseval import compare_parseval, parseval_table
    from treegauge.constituency.parseval import parseval as score

    tested = args.significance, "--significance"
    refuse_unused(samples=tested, seed=tested)
    if args.significance and len(args.systems) < 2:
        raise click.UsageError("--significance with one SYSTEM; expected two or more")
    rules = evalb_options(args.rules)
    trees = read_brackets([args.gold], style=args.style)
    scores = [
        score(
            trees,
            read_brackets([path], style=args.style),
            rules,
            style=args.style,
            on_error=args.on_error,
            show=args.show,
        )
        for path in args.systems
    ]
    for system in scores:
        tell_skipped(system.skipped, "tree")
    tables = [parseval_table(scores)]
    if args.by_label:
        tables += [system.by_label() for system in scores]
    if args.show:
        tables += [system.differences() for system in scores]
    if args.significance:
        message("the first system minus each other one; p-values by paired bootstrap and randomisation")
        first, *others = scores
        differences = (compare_parseval(first, other, samples=args.samples, seed=args.seed) for other in others)
        tables += [difference.table() for difference in differences]
    args.out.write(tables)
