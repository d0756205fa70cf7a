"""`treegauge parseval`: how good bracketed parses are."""

from __future__ import annotations

from typing import Any

import click

from treegauge.cli.groups import OutputGroup, table_output
from treegauge.cli.options import message, number, on_error, refuse_unused, style, tell_skipped
from treegauge.statistics import SAMPLES, SEED


@click.command()
@click.argument("gold", metavar="GOLD")
@click.argument("systems", nargs=-1, required=True, metavar="SYSTEM...")
@style
@table_output
@click.option("--by-label", is_flag=True, help="Show LP, LR and F1 of each label, too.")
@click.option(
    "--parseval",
    "rules",
    default="plain",
    metavar="NAME",
    help="Count all brackets (plain), or as EVALB does: collins, or a parameter file (.prm).",
)
@click.option("--significance", is_flag=True, help="Test whether the first SYSTEM differs from each other one.")
@number(1, SAMPLES, "--samples", help="Draw so many random samples of trees for --significance.")
@click.option("--seed", type=click.IntRange(0), default=SEED, help="Seed the random samples of --significance.")
@on_error
def parseval(gold: str, systems: tuple[str, ...], style: str, out: OutputGroup, on_error: str, **options: Any) -> None:
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

    tested = bool(options["significance"]), "--significance"
    refuse_unused(samples=tested, seed=tested)
    if options["significance"] and len(systems) < 2:
        raise click.UsageError("--significance with one SYSTEM; expected two or more")
    rules = evalb_options(options["rules"])
    trees = read_brackets([gold], style=style)
    scores = [
        score(trees, read_brackets([path], style=style), rules, style=style, on_error=on_error) for path in systems
    ]
    for system in scores:
        tell_skipped(system.skipped, "tree")
    tables = [parseval_table(scores)]
    if options["by_label"]:
        tables += [system.by_label() for system in scores]
    if options["significance"]:
        message("the first system minus each other one; p-values by paired bootstrap and randomisation")
        more = {"samples": options["samples"], "seed": options["seed"]}
        tables += [compare_parseval(scores[0], other, **more).table() for other in scores[1:]]
    out.write(tables)
