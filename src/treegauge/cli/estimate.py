"""`treegauge estimate`: how good a parse is, without gold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, command, group, option, repeated, share
from treegauge.cli.groups import AUTO, ON_ERROR, OutputGroup, found_code, model_option
from treegauge.cli.messages import fail, message

if TYPE_CHECKING:
    from treegauge.scorers.estimate import Estimates


METRICS = ("LAS", "UAS", "CLAS")


class EstimateArguments(Arguments):
    """The arguments of `treegauge estimate`."""

    parses: tuple[str, ...] = argument(nargs=-1, required=True, metavar="PARSE [PARSE...]")
    model_name: str | None = model_option()
    by: str | None = option(
        "Show estimates by this, too; genres come from names of documents and sentences.",
        type=click.Choice(("relation", "genre", "file")),
    )
    names: tuple[str, ...] = repeated("--name", "Name a parse in the tables; once for each, in their order.")
    min_las: float | None = share("End with exit code 1 if an estimated LAS is below this.")
    min_uas: float | None = share("End with exit code 1 if an estimated UAS is below this.")
    min_clas: float | None = share("End with exit code 1 if an estimated CLAS is below this.")
    out: OutputGroup = group(OutputGroup)
    on_error: str = ON_ERROR


@command(EstimateArguments)
def estimate(args: EstimateArguments) -> None:
    """Estimate LAS, UAS and CLAS of each PARSE without gold, and tell which parse of one text is best.

    LAS is the share of words with the right head and relation, UAS with the right head, CLAS of content words with
    both. The model says how often it would choose the same arc; how three or more parses of one text agree with each
    other also tells. The true value should be between low and high nine times of ten; docs/estimate.md says how that
    was checked.

    \b
    Examples:
      treegauge estimate parsed.conllu --model en
      treegauge estimate first.conllu second.conllu third.conllu --model en --by relation
      treegauge estimate parsed.conllu --model en --min-las 50
    """
    estimates = estimates_of(args.parses, args.model_name, args.names, args.on_error)
    tables = [estimates.table(), *([estimates.by(args.by)] if args.by else []), estimates.evidence()]
    args.out.write(tables)
    gates = dict(zip(METRICS, (args.min_las, args.min_uas, args.min_clas), strict=True))
    fail(*too_low(estimates, {metric: least for metric, least in gates.items() if least is not None}))


def estimates_of(parses: Sequence[str], model_name: str | None, names: Sequence[str], on_error: str) -> Estimates:
    """The estimates of the parses in some files; a message says which is probably best."""
    from treegauge.scorers.estimate import estimate as estimate_parses

    first, *others = parses
    code = found_code((first,)) if model_name in (None, AUTO) else model_name
    estimates = estimate_parses(first, code, others, names=names or None, on_error=on_error)
    if others:
        ordered = sorted(estimates.parses, key=lambda parse: -parse.las.value)
        ahead = 100 * (ordered[0].las.value - ordered[1].las.value)
        message(f"probably best: {ordered[0].name}, {ahead:.1f} points of LAS before {ordered[1].name}")
    return estimates


def too_low(estimates: Estimates, gates: dict[str, float]) -> list[str]:
    """Why gates do not pass; gates: the least value of each metric."""
    return [
        f"{parse.name}: estimated {metric} {100 * parse.metrics[metric].value:.2f} is below {100 * least:g}"
        for parse in estimates.parses
        for metric, least in gates.items()
        if parse.metrics[metric].value < least
    ]
