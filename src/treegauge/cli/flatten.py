"""`treegauge flatten`: constituency trees into word graphs."""

from __future__ import annotations

import click

from treegauge.cli.groups import OUTPUT
from treegauge.cli.options import Skipped, on_error, style


@click.command()
@click.argument("treebanks", nargs=-1, required=True, metavar="TREES...")
@click.option(
    "--heads", default="penn", metavar="NAME", help="Find heads by this table: a file, or penn, cess, floresta."
)
@click.option(
    "--tags", metavar="NAME", help="Add UPOS and features by this table of tags: a file, or penn, cess, floresta."
)
@style
@click.option("--keep-functions", is_flag=True, help="Keep function labels (NP-SBJ); without it, NP.")
@click.option("--keep-empty", is_flag=True, help="Keep empty elements, as words; without it, they are left out.")
@OUTPUT
@on_error
def flatten(
    treebanks: tuple[str, ...],
    heads: str,
    tags: str | None,
    style: str,
    keep_functions: bool,
    keep_empty: bool,
    output: str,
    on_error: str,
) -> None:
    """Turn bracketed trees into word graphs, each word under the head of its constituent, as CoNLL-U.

    The tree flattener of 1998 §3: the heads of a rule's other sons depend on the head of its head son. Tags go to XPOS,
    labels of constituents to DEPREL. Head tables and tag tables are text files; the bundled ones show how they are
    written. With --tags the words get UPOS, too, and the graphs can be gold for `treegauge chaos eval`.

    \b
    Examples:
      treegauge flatten trees.mrg -o words.conllu
      treegauge flatten trees.mrg --heads penn-content --tags penn --keep-functions -o gold.conllu
    """
    from treegauge.constituency.cleaning import Cleaning
    from treegauge.constituency.flattening import flat_treebank
    from treegauge.corpus.files import write_whole

    cleaning = Cleaning(style=style, keep_functions=keep_functions, keep_empty=keep_empty)
    skipped = Skipped("malformed tree")
    with write_whole(output) as stream:
        for sentence in flat_treebank(treebanks, heads, cleaning, tags=tags, on_error=on_error, skipped=skipped):
            stream.write(sentence.encode())
    skipped.summary()
