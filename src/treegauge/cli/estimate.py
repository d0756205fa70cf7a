"""`treegauge estimate`: how good a parse is, without gold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treegauge.cli.arguments import Arguments, argument, choice, command, group, repeated, share
from treegauge.cli.groups import ON_ERROR, OutputGroup, find_model, model_option
from treegauge.cli.messages import fail, message

if TYPE_CHECKING:
    from treegauge.scorers.estimate import Estimates


class EstimateArguments(Arguments):
    """The arguments of `treegauge estimate`."""

    parses: tuple[str, ...] = argument(nargs=-1, required=True, metavar="PARSE [PARSE...]")
    model_name: str | None = model_option("; `auto`, the default, finds the language")
    by: str = choice(("parse", "relation"), "Show estimates of each parse, or of each relation, too.")
    names: tuple[str, ...] = repeated("--name", "Name a parse in the tables; once for each, in their order.")
    min_las: float | None = share("End with exit code 1 if the estimated LAS of a parse is below this.")
    out: OutputGroup = group(OutputGroup)
    on_error: str = ON_ERROR


@command(EstimateArguments)
def estimate(args: EstimateArguments) -> None:
    """Estimate LAS, UAS and CLAS of each PARSE without gold, and tell which parse of one text is best.

    LAS is the share of words with the right head and relation, UAS with the right head, CLAS of content words with
    both. The model says how often it would choose the same arc; three parses of one text or more also tell by how they
    agree. The true value is between low and high nine times of ten, for parses of text like the model's.

    \b
    Examples:
      treegauge estimate parsed.conllu --model en
      treegauge estimate first.conllu second.conllu third.conllu --model en --by relation
      treegauge estimate parsed.conllu --model en --min-las 80
    """
    from treegauge.scorers.estimate import estimate as estimates_of

    first, *others = args.parses
    model = find_model(args.model_name, (first,))
    found = estimates_of(first, model, others, names=args.names or None, on_error=args.on_error)
    tables = [found.table(), *([found.relations()] if args.by == "relation" else []), found.evidence()]
    if len(found.parses) > 1:
        message(_best(found))
    args.out.write(tables)
    least = args.min_las
    low = [p for p in found.parses if least is not None and p.las.value < least]
    if low:
        fail(*(f"{p.name}: estimated LAS {100 * p.las.value:.2f} is below {100 * (least or 0):g}" for p in low))


def _best(found: Estimates) -> str:
    """Which parse is best, and by how much."""
    ordered = sorted(found.parses, key=lambda parse: -parse.las.value)
    ahead = 100 * (ordered[0].las.value - ordered[1].las.value)
    return f"probably best: {ordered[0].name}, {ahead:.1f} points of LAS before {ordered[1].name}"
