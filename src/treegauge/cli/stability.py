"""`treegauge stability`: can a small treebank be judged by itself?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treegauge.cli.groups import OutputGroup, table_output
from treegauge.cli.options import choice, number, on_error, progress_of, read_told, refuse_unused

if TYPE_CHECKING:
    from treegauge.tables import Table


@click.command()
@click.argument("treebank", metavar="TREEBANK")
@click.option(
    "--folds", multiple=True, type=click.IntRange(2), default=(5, 10), metavar="N", help="Cut into N folds; repeatable."
)
@number(1, 3, "--seeds", help="Draw the folds at random N times, for each number of folds.")
@choice(("choice", "lisca"), "--scorer", help="Score arcs by choice, or by lisca.")
@number(1, 10, "--top", help="Show so many sentences and arcs in text.")
@table_output
@on_error
def stability(
    treebank: str, folds: tuple[int, ...], seeds: int, scorer: str, top: int, out: OutputGroup, on_error: str
) -> None:
    """Judge a small TREEBANK by itself, several times, and see how far the ranking of its arcs can be trusted.

    Each sentence is judged by what is learned from the other folds, with other folds each time. The first table has
    Kendall's tau of the suspicious tenth between runs. Then: what more text would bring, sentences unlike the rest,
    and the arcs that are suspicious in every run. Needs SciPy (extra `typology`).

    \b
    Example:
      treegauge stability treebank.conllu --folds 3 --folds 5 --seeds 2
    """
    from treegauge.difficulty.stability import stability as judged

    refuse_unused(top=(out.form == "text", "--format text; the others have everything"))
    corpus = read_told(treebank, on_error)
    with progress_of("judging", "runs", len(folds) * seeds) as progress:
        found = judged(corpus, folds=folds, seeds=seeds, scorer=scorer, progress=progress)
    tables = found.tables()
    out.write([_cut(table, top) for table in tables] if out.form == "text" else tables)


def _cut(table: Table, top: int) -> Table:
    """A long table's first rows, and how many there are."""
    if table.name not in ("unlike", "steady"):
        return table
    title = f"{table.title}: {min(top, len(table.rows)):,} of {len(table.rows):,}"
    return replace(table, title=title, rows=table.rows[:top])
