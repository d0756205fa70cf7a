"""`treegauge flatten`: turns constituency trees into word graphs."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any

from treegauge.cli.arguments import Arguments, argument, command, flag, number, option
from treegauge.cli.groups import OUTPUT, STYLE, TREES_ON_ERROR, format_option
from treegauge.cli.messages import SkipLog, message, refuse_unused


class FlattenArguments(Arguments):
    """The arguments of `treegauge flatten`."""

    treebanks: tuple[str, ...] = argument(nargs=-1, required=True, metavar="TREES...")
    heads: str = option("Find heads by this table: a file, or penn, cess, floresta.", default="penn", metavar="NAME")
    tags: str | None = option(
        "Add UPOS and features by this table of tags: a file, or penn, cess, floresta.", metavar="NAME"
    )
    format_name: str = format_option(("conllu", "html"), "Write CoNLL-U, or a page with drawings.")
    top: int = number(1, 100, "html: draw the first N trees.")
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
    from treegauge.constituency.flattening import flat_treebank, unknown_labels
    from treegauge.corpus.conllu import parse_conllu
    from treegauge.corpus.files import file_names, write_whole
    from treegauge.corpus.tree_svg import tree_svg
    from treegauge.palette import VARIABLES
    from treegauge.reports.drawings_page import drawings_page

    refuse_unused(top=(args.format_name == "html", "--format html"))

    cleaning = Cleaning(style=args.style, keep_functions=args.keep_functions, keep_empty=args.keep_empty)
    skipped, unknown = SkipLog("malformed tree"), Counter[str]()
    options: dict[str, Any] = {"tags": args.tags, "on_error": args.on_error, "skipped": skipped, "unknown": unknown}
    with write_whole(args.output) as stream:
        sentences = flat_treebank(args.treebanks, args.heads, cleaning, **options)
        if args.format_name == "conllu":
            stream.writelines(sentence.encode() for sentence in sentences)
        else:
            corpus = parse_conllu("".join(islice(sentences, args.top)))
            drawings = [(corpus.place(s), tree_svg(corpus, s, palette=VARIABLES)) for s in range(corpus.n_sentences)]
            stream.write(drawings_page(" ".join(file_names(args.treebanks)), drawings).encode())
    skipped.summary()
    message(*filter(None, [unknown_labels(unknown, args.heads)]))
