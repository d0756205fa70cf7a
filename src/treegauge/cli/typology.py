"""`treegauge typology`: compares the word order of languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, choice, command, file, group, number, option, repeated
from treegauge.cli.groups import ON_ERROR, OutputGroup, check_figures, write_figure
from treegauge.cli.messages import message, progress_of, read_treebanks, refuse_unused
from treegauge.extras import needed

if TYPE_CHECKING:
    from collections.abc import Callable

    from treegauge.difficulty.typology.typology import Typology
    from treegauge.difficulty.typology.word_order import Cell, WordOrder
    from treegauge.scorers.scorer import Scorer
    from treegauge.tables import Table

DIRECTIONS = ("head-after", "head-before")


def _cells(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[Cell, bool]]:
    cells = []
    for value in values:
        cell, colon, direction = value.rpartition(":")
        parts = tuple(part.strip() for part in cell.split(","))
        if not colon or direction not in DIRECTIONS or not all(parts) or len(parts) not in (1, 3):
            expected = "RELATION:head-before, or RELATION,TAG,HEAD_TAG:head-after"
            raise click.BadParameter(f"{value!r}; expected {expected}")
        cells.append((parts, direction == DIRECTIONS[0]))
    return cells


class TypologyArguments(Arguments):
    """The arguments of `treegauge typology`."""

    treebanks: tuple[str, ...] = argument(nargs=-1, required=True, metavar="TREEBANK...")
    by: str = choice(("relation", "tags"), "Measure each relation, or each relation with the tags of both words.")
    how: str = choice(("family", "likeness", "given"), "--sort", "Sort languages by family, by likeness, or as given.")
    least: int = number(1, 20, "Leave out cells of fewer than N arcs.", rare=True)
    bins: int = number(0, 10, "Cut the ranking of each cell by plausibility into N bins; 0: none.", rare=True)
    reference: str = option(
        "Judge plausibility by the other sentences of a treebank (`self`), by the bundled model of its language "
        "(`bundled`), or by this model.",
        default="self",
        metavar="self|bundled|FILE",
        rare=True,
    )
    show: list[tuple[Cell, bool]] = repeated(
        "Show words behind a cell, such as amod:head-before (with --by tags: amod,ADJ,NOUN:head-before).",
        callback=_cells,
        metavar="CELL:DIRECTION",
    )
    top: int = number(1, 5, "Show so many words of each treebank with --show.", rare=True)
    samples: int = number(1, 200, "Draw the sentences N times for intervals and support.", rare=True)
    seed: int = number(0, 0, "Seed the random draws.", rare=True)
    figure: str | None = file("Draw relations by languages into FILE (.svg, .png, .pdf).")
    figure_tree: str | None = file("Draw the tree of languages with its support.", rare=True)
    figure_marked: str | None = file("Draw the bins of plausibility of six relations.", rare=True)
    out: OutputGroup = group(OutputGroup)
    on_error: str = ON_ERROR


@command(TypologyArguments)
def typology(args: TypologyArguments) -> None:
    """Compare the word order of languages: TREEBANKs, one for each, named as in UD (it_pud.conllu).

    For each relation: the share of arcs whose head follows, mean length, entropy of direction and of place, with 95 %
    intervals over sentences; the order of subject, verb and object; how marked each direction is, over ten bins of
    plausibility (LISCA); distances between languages, and a tree of them with bootstrap support. Punctuation and root
    arcs are left out. In text, tables with a row for each treebank and cell are shown for a single treebank only.

    \b
    Examples:
      treegauge typology treebank.conllu gold.conllu --least 2
      treegauge typology treebank.conllu --least 2 --show amod:head-after
    """
    from treegauge.difficulty.typology.typology import TypologySettings
    from treegauge.difficulty.typology.typology import typology as compare_languages
    from treegauge.reports.typology_figures import marked_figure, order_figure, tree_figure

    refuse_unused(
        reference=(args.bins > 0, "--bins above 0"),
        top=(bool(args.show), "--show"),
        figure_marked=(args.bins > 0, "--bins above 0"),
    )
    check_figures(args.figure, args.figure_tree, args.figure_marked)
    corpora = list(read_treebanks(args.treebanks, args.on_error))
    if args.figure_tree and len(corpora) < 3:
        raise click.UsageError("--figure-tree; expected three treebanks or more")
    if len(corpora) > 2:
        needed("scipy.cluster.hierarchy", "figures", "a tree of languages")  # said before the work begins
    with progress_of("measuring", "treebanks", len(corpora)) as progress:
        result = compare_languages(
            *corpora,
            settings=TypologySettings(args.by, args.least, args.samples, args.seed),
            scorer_of=_judge(args.reference) if args.bins else None,
            bins=args.bins or 1,
            progress=progress,
        ).arranged(args.how)
    args.out.write(_tables(result, args.show, args.top, args.out.format_name))
    write_figure(args.figure, order_figure, result, tell=True)
    write_figure(args.figure_tree, tree_figure, result, tell=True)
    write_figure(args.figure_marked, marked_figure, result, tell=True)


def _judge(reference: str) -> Callable[[WordOrder], Scorer]:
    """A function that makes the scorer of a treebank."""
    from treegauge.scorers.registry import scorer

    if reference == "self":
        return lambda order: scorer("lisca", by_itself=order.corpus)
    if reference != "bundled":
        by_file = scorer("lisca", reference)
        return lambda order: by_file
    return lambda order: scorer("lisca", order.name.replace("-", "_").partition("_")[0])


def _tables(result: Typology, show: list[tuple[Cell, bool]], top: int, format_name: str) -> list[Table]:
    """The tables asked for: the words behind cells, or all tables; text leaves out those that are too long to read."""
    if show:
        examples = [result.examples(cell, head_after, top) for cell, head_after in show]
        message(*(f"no arc: {table.title}, or fewer than --least" for table in examples if not table.rows))
        return examples
    n = len(result.orders)
    short = format_name == "text" and n > 1
    tables = (
        (not short, result.table),
        (n > 1, result.side_by_side),
        (True, result.clauses_table),
        (result.marked and not short, result.marked_table),
        (n > 1, result.distances_table),
        (n > 2, result.tree_table),
    )
    return [make() for is_wanted, make in tables if is_wanted]
