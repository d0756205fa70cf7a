"""`treegauge flatten`: turns constituency trees into word graphs."""

from __future__ import annotations

from treegauge.cli.arguments import Arguments, argument, command, flag, option
from treegauge.cli.groups import OUTPUT, STYLE, TREES_ON_ERROR
from treegauge.cli.messages import SkipLog


class FlattenArguments(Arguments):
    """The arguments of `treegauge flatten`."""

    treebanks: tuple[str, ...] = argument(nargs=-1, required=True, metavar="TREES...")
    heads: str = option("Find heads by this table: a file, or penn, cess, floresta.", default="penn", metavar="NAME")
    tags: str | None = option(
        "Add UPOS and features by this table of tags: a file, or penn, cess, floresta.", metavar="NAME"
    )
    style: str = STYLE
    keep_functions: bool = flag("Keep function labels (NP-SBJ); without it, NP.")
    keep_empty: bool = flag("Keep empty elements, as words; without it, they are left out.")
    output: str = OUTPUT
    on_error: str = TREES_ON_ERROR


@command(FlattenArguments)
def flatten(args: FlattenArguments) -> None:
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

    cleaning = Cleaning(style=args.style, keep_functions=args.keep_functions, keep_empty=args.keep_empty)
    skipped = SkipLog("malformed tree")
    with write_whole(args.output) as stream:
        for sentence in flat_treebank(
            args.treebanks, args.heads, cleaning, tags=args.tags, on_error=args.on_error, skipped=skipped
        ):
            stream.write(sentence.encode())
    skipped.summary()
