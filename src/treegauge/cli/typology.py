"""`treegauge typology`: word order of languages, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.groups import OutputGroup, gathered, table_output, write_file
from treegauge.cli.options import choice, message, number, on_error, progress_of, read_told, refuse_unused

if TYPE_CHECKING:
    from collections.abc import Callable

    from treegauge.difficulty.typology.typology import Typology
    from treegauge.difficulty.typology.word_order import Cell, WordOrder
    from treegauge.scorers.scorer import Scorer
    from treegauge.tables import Table

DIRECTIONS = ("head-after", "head-before")


@dataclass(frozen=True, slots=True)
class PictureGroup:
    """The pictures to draw."""

    figure: str | None
    figure_tree: str | None
    figure_marked: str | None


pictures = gathered(
    "drawn",
    PictureGroup,
    click.option("--figure", metavar="FILE", help="Draw relations by languages into FILE (.svg, .png, .pdf)."),
    click.option("--figure-tree", metavar="FILE", help="Draw the tree of languages with its support."),
    click.option("--figure-marked", metavar="FILE", help="Draw the bins of plausibility of six relations."),
)


def _cells(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[Cell, bool]]:
    found = []
    for value in values:
        cell, colon, direction = value.rpartition(":")
        parts = tuple(part.strip() for part in cell.split(","))
        if not colon or direction not in DIRECTIONS or not all(parts) or len(parts) not in (1, 3):
            expected = "RELATION:head-before, or RELATION,TAG,HEAD_TAG:head-after"
            raise click.BadParameter(f"{value!r}; expected {expected}")
        found.append((parts, direction == DIRECTIONS[0]))
    return found


@click.command()
@click.argument("treebanks", nargs=-1, required=True, metavar="TREEBANK...")
@choice(("relation", "tags"), "--by", help="Measure each relation, or each relation with the tags of both words.")
@choice(("family", "likeness", "given"), "--sort", "how", help="Sort languages by family, by likeness, or as given.")
@number(1, 20, "--least", help="Leave out cells of fewer than N arcs.")
@number(0, 10, "--bins", help="Cut the ranking of each cell by plausibility into N bins; 0: none.")
@choice(
    ("self", "bundled"),
    "--reference",
    help="Judge plausibility by the other sentences of a treebank, or by the bundled model of its language.",
)
@click.option(
    "--show",
    multiple=True,
    callback=_cells,
    metavar="CELL:DIRECTION",
    help="Show words behind a cell, such as amod:head-before (with --by tags: amod,ADJ,NOUN:head-before).",
)
@number(1, 5, "--top", help="Show so many words of each treebank with --show.")
@number(1, 200, "--samples", help="Draw the sentences N times for intervals and support.")
@number(0, 0, "--seed", help="Seed the random draws.")
@pictures
@table_output
@on_error
def typology(
    treebanks: tuple[str, ...],
    how: str,
    bins: int,
    reference: str,
    show: list[tuple[Cell, bool]],
    top: int,
    drawn: PictureGroup,
    out: OutputGroup,
    on_error: str,
    **settings: Any,
) -> None:
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
    from treegauge.difficulty.typology.typology import typology as compared
    from treegauge.reports.figures import ending_of

    refuse_unused(
        reference=(bins > 0, "--bins above 0"),
        top=(bool(show), "--show"),
        figure_marked=(bins > 0, "--bins above 0"),
    )
    chosen = [path for path in (drawn.figure, drawn.figure_tree, drawn.figure_marked) if path is not None]
    for path in chosen:
        ending_of(path)
    if drawn.figure_tree and len(treebanks) < 3:
        raise click.UsageError("--figure-tree; expected three treebanks or more")
    corpora = [read_told(path, on_error) for path in treebanks]
    with progress_of("measuring", "treebanks", len(corpora)) as progress:
        scorer_of = _judge(reference) if bins else None
        found = compared(
            *corpora,
            settings=TypologySettings(**settings),
            scorer_of=scorer_of,
            bins=bins or 1,
            progress=progress,
        ).arranged(how)
    out.write(_tables(found, show, top, out.form))
    _draw(found, drawn)


def _judge(reference: str) -> Callable[[WordOrder], Scorer]:
    """Makes the scorer of a treebank."""
    from treegauge.scorers.registry import scorer

    def judge(order: WordOrder) -> Scorer:
        if reference == "self":
            return scorer("lisca", by_itself=order.corpus)
        return scorer("lisca", order.name.replace("-", "_").partition("_")[0])

    return judge


def _tables(found: Typology, show: list[tuple[Cell, bool]], top: int, form: str) -> list[Table]:
    """What is asked for: the words behind cells, or everything; text leaves out what is too long to read."""
    if show:
        tables = [found.examples(cell, head_after, top) for cell, head_after in show]
        for table in tables:
            if not table.rows:
                message(f"no arc: {table.title}, or fewer than --least")
        return tables
    short = form == "text" and len(found.orders) > 1
    tables = [] if short else [found.table()]
    tables += [found.side_by_side()] if len(found.orders) > 1 else []
    tables.append(found.clauses_table())
    if found.marked and not short:
        tables.append(found.marked_table())
    if len(found.orders) > 1:
        tables.append(found.distances_table())
    if len(found.orders) > 2:
        tables.append(found.tree_table())
    return tables


def _draw(found: Typology, drawn: PictureGroup) -> None:
    from treegauge.reports.figures import ending_of, picture
    from treegauge.reports.typology_figures import marked_figure, order_figure, tree_figure

    for path, make in (
        (drawn.figure, order_figure),
        (drawn.figure_tree, tree_figure),
        (drawn.figure_marked, marked_figure),
    ):
        if path is not None:
            write_file(picture(make(found), ending_of(path)), path)
            message(f"wrote {path}")
