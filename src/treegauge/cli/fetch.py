"""`treegauge fetch`: treebanks by name."""

import os

import click

from treegauge.cli.options import message
from treegauge.errors import OptionError


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="ud:CODE...")
@click.option("--release", default="2.15", help="Download from this release of Universal Dependencies.")
@click.option("-o", "--output", metavar="DIR", help="Put the files into this folder.  [default: the user's cache]")
@click.option(
    "--repository", metavar="UD_Language-Treebank", help="Name the repository of a treebank that is not in the list."
)
@click.option("--from", "copy", metavar="FOLDER", help="Copy from a release that was downloaded by hand.")
@click.option("--checksums", metavar="FILE", help="Refuse files with another SHA-256 than in FILE (by sha256sum).")
def fetch(
    names: tuple[str, ...],
    release: str,
    output: str | None,
    repository: str | None,
    copy: str | None,
    checksums: str | None,
) -> None:
    """Download Universal Dependencies treebanks, `ud:en_ewt`, and print the paths of their files.

    What was downloaded before is only checked, by its SHA-256, which is written down at the first download. Each
    treebank has its own licence: see its repository.

    \b
    Examples:
      treegauge fetch ud:en_ewt -o treebanks/
      treegauge fetch ud:en_ewt --from ud-treebanks-v2.15/
    """
    from treegauge.parsing.download import fetch_treebank

    if copy is not None and not os.path.isdir(copy):
        raise OptionError(f"--from {copy}: no such folder")
    if repository and len(names) > 1:
        raise OptionError("--repository is for one treebank at a time")
    for name in names:
        kind, _, code = name.partition(":")
        if kind != "ud" or not code:
            raise OptionError(f"{name!r}; expected ud:CODE, such as ud:en_ewt")
        for path in fetch_treebank(
            code,
            release,
            folder=output,
            repository=repository,
            copy=copy,
            checksums=checksums,
            starting=lambda place: message(f"fetching {place}"),
        ):
            click.echo(path)
