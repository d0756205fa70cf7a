"""`treegauge fetch`: downloads treebanks by name."""

import os

import click

from treegauge.cli.arguments import Arguments, argument, command, file, option
from treegauge.cli.messages import message
from treegauge.errors import OptionError
from treegauge.parsing.download import RELEASE


class FetchArguments(Arguments):
    """The arguments of `treegauge fetch`."""

    names: tuple[str, ...] = argument(nargs=-1, required=True, metavar="ud:CODE...")
    release: str = option("Download from this release of Universal Dependencies.", default=RELEASE)
    output: str | None = option(
        "-o", "--output", "Put the files into this folder.  [default: the user's cache]", metavar="DIR"
    )
    repository: str | None = option(
        "Name the repository of a treebank that is not in the list.", metavar="UD_Language-Treebank"
    )
    copy: str | None = option("--from", "Copy from a release that was downloaded by hand.", metavar="FOLDER")
    checksums: str | None = file("Refuse files with another SHA-256 than in FILE (by sha256sum).")


@command(FetchArguments)
def fetch(args: FetchArguments) -> None:
    """Download Universal Dependencies treebanks, `ud:en_ewt`, and print the paths of their files.

    What was downloaded before is only checked, by its SHA-256, which is written down at the first download. What is
    not CoNLL-U is refused. Each treebank has its own licence: see its repository.

    \b
    Examples:
      treegauge fetch ud:en_ewt -o treebanks/
      treegauge fetch ud:en_ewt --from ud-treebanks-v2.17/
    """
    from treegauge.parsing.download import fetch_treebank

    if args.copy is not None and not os.path.isdir(args.copy):
        raise OptionError(f"--from {args.copy}: no such folder")
    if args.repository and len(args.names) > 1:
        raise OptionError("--repository is for one treebank at a time")
    for name in args.names:
        kind, _, code = name.partition(":")
        if kind != "ud" or not code:
            raise OptionError(f"{name!r}; expected ud:CODE, such as ud:en_ewt")
        for path in fetch_treebank(
            code,
            args.release,
            folder=args.output,
            repository=args.repository,
            copy=args.copy,
            checksums=args.checksums,
            starting=lambda place: message(f"fetching {place}"),
        ):
            click.echo(os.fsencode(path))
