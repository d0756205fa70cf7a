"""`treegauge parse`: parses raw text into shards of CoNLL-U."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import click

from treegauge.cli.arguments import Arguments, argument, choice, command, number, option
from treegauge.cli.groups import CLUSTER
from treegauge.cli.messages import interruptible, message, progress_of, tell_skipped
from treegauge.wording import corpus_size, counted


class ParseArguments(Arguments):
    """The arguments of `treegauge parse`."""

    text: tuple[str, ...] = argument(nargs=-1, required=True)
    parser: str = option(
        "-p", "--parser", "Parse with udpipe:FILE (FILE: its model), spacy:PIPELINE or stanza:LANG.", required=True
    )
    output: str = option("-o", "--output", "Write the trees into this folder.", required=True, metavar="DIR")
    passage: str = choice(
        ("paragraph", "wrapped", "sentence", "tokens"),
        "--input",
        "Read a line as a paragraph; lines up to a blank line as a paragraph (wrapped); a line as a sentence; or a "
        "line as a sentence with spaces between its tokens.",
    )
    workers: int | None = number(1, None, "Use N processes.  [default: as many as there are cores]")
    cluster: str | None = CLUSTER
    shard_size: float | None = option(
        "Put so many MB of text into a shard.  [default: a sixteenth of the text, from 0.05 to 1]",
        type=click.FloatRange(0, min_open=True),
        rare=True,
    )


@command(ParseArguments)
def parse(args: ParseArguments) -> None:
    """Parse TEXT: UTF-8 files, folders (every .txt below) or globs, compressed or not, `-`.

    The text is cut into shards, each of which becomes a file of CoNLL-U in DIR (--shard-size). Stopped or killed at
    any moment, the same command goes on where it was and ends with the same files. Paragraphs that the parser fails
    at are left out and listed, with their places, in DIR/parse.jsonl too.

    \b
    Example:
      treegauge parse text.txt --parser udpipe:english.udpipe -o parsed/
    """
    from treegauge.corpus.files import expand_paths
    from treegauge.corpus.pool import open_pool
    from treegauge.parsing.many_texts import how_to_go_on, parse_files, shard_bytes
    from treegauge.parsing.parser import ParserSpec
    from treegauge.parsing.shard import read_passages

    spec = ParserSpec.of(args.parser, args.passage)
    if os.path.exists(spec.model):
        spec = replace(spec, model=os.path.abspath(spec.model))  # the workers of a cluster start in other folders
    loaded = spec.load()  # loaded here, too: its errors should come at once, and the journal has its name
    message(*(f"{loaded.name}: {note}" for note in loaded.notes))
    paths = expand_paths(args.text, ".txt")
    total = None
    if sys.stderr.isatty() and all(
        map(os.path.isfile, paths)
    ):  # files can be read twice; the first time is for their size
        total = sum(len(part.text) for path in paths for part in read_passages(path, args.passage))
    done: list[int] = []  # bytes of each shard
    with (
        interruptible(lambda: how_to_go_on(args.output, len(done))),
        open_pool(args.workers or os.cpu_count() or 1, args.cluster) as pool,
        progress_of("parsing", "bytes", total) as advance,
    ):

        def progress(size: int, new: bool) -> None:
            done.append(size)
            advance(size, new)

        size = shard_bytes(paths) if args.shard_size is None else round(args.shard_size * 1e6)
        summary = parse_files(paths, spec, loaded.name, args.output, pool, shard_bytes=size, progress=progress)
    tell_skipped(summary.failures, "passage", f"; all are in {os.path.join(args.output, 'parse.jsonl')}")
    before = f", {summary.present:,} of them there before" if summary.present else ""
    message(
        f"{args.output}: {corpus_size(summary.words, summary.sentences)}, {counted(summary.shards, 'shard')}{before}; "
        f"{loaded.name}"
    )
