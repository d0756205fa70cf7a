"""`treegauge stability`: how far a small treebank can be judged by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, choice, command, group, number, repeated
from treegauge.cli.groups import ON_ERROR, OutputGroup
from treegauge.cli.messages import progress_of, read_corpus, refuse_unused

if TYPE_CHECKING:
    from treegauge.tables import Table


class StabilityArguments(Arguments):
    """The arguments of `treegauge stability`."""

    treebank: str = argument(metavar="TREEBANK")
    folds: tuple[int, ...] = repeated(
        "Cut into N folds; repeatable.", type=click.IntRange(2), default=(5, 10), metavar="N"
    )
    seeds: int = number(1, 3, "Draw the folds at random N times, for each number of folds.")
    scorer: str = choice(("choice", "lisca"), "Score arcs by choice, or by lisca.")
    top: int = number(1, 10, "Show so many sentences and arcs in text.")
    out: OutputGroup = group(OutputGroup)
    on_error: str = ON_ERROR


@command(StabilityArguments)
def stability(args: StabilityArguments) -> None:
    """Judge a small TREEBANK by itself, several times, and see how far the ranking of its arcs can be trusted.

    Each sentence is judged by what is learned from the other folds, with other folds each time. The first table has
    Kendall's tau of the suspicious tenth between runs. Then: what more text would bring, sentences unlike the rest,
    and the arcs that are suspicious in every run. Needs SciPy (extra `typology`).

    \b
    Example:
      treegauge stability treebank.conllu --folds 3 --folds 5 --seeds 2
    """
    from treegauge.difficulty.stability import stability as measure_stability

    refuse_unused(top=(args.out.format_name == "text", "--format text; the others have everything"))
    corpus = read_corpus(args.treebank, args.on_error)
    with progress_of("judging", "runs", len(args.folds) * args.seeds) as progress:
        result = measure_stability(corpus, folds=args.folds, seeds=args.seeds, scorer=args.scorer, progress=progress)
    tables = result.tables()
    args.out.write([_cut(table, args.top) for table in tables] if args.out.format_name == "text" else tables)


def _cut(table: Table, top: int) -> Table:
    """A long table cut to its first rows, with their number in the title; other tables as they are."""
    if table.name not in ("unlike", "steady"):
        return table
    title = f"{table.title}: {min(top, len(table.rows)):,} of {len(table.rows):,}"
    return replace(table, title=title, rows=table.rows[:top])
