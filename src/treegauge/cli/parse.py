"""`treegauge parse`: raw text into shards of CoNLL-U."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import click

from treegauge.cli.options import Skipped, choice, cluster, interruptible, message, progress_of
from treegauge.wording import corpus_size, counted


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option(
    "-p", "--parser", required=True, help="Parse with udpipe, spacy:PIPELINE or stanza:LANG (udpipe:FILE, too)."
)
@click.option("-m", "--model", help="Give udpipe the file of its model.")
@click.option("-o", "--output", required=True, metavar="DIR", help="Write the trees into this folder.")
@choice(
    ("paragraph", "wrapped", "sentence", "tokens"),
    "--input",
    "passage",
    help="Read a line as a paragraph; lines up to a blank line as a paragraph (wrapped); a line as a sentence; or a "
    "line as a sentence with spaces between its tokens.",
)
@click.option(
    "--workers", metavar="N", type=click.IntRange(1), help="Use N processes.  [default: as many as there are cores]"
)
@cluster
@click.option(
    "--shard-size", type=click.FloatRange(0, min_open=True), default=1.0, help="Put so many MB of text into a shard."
)
def parse(
    text: tuple[str, ...],
    parser: str,
    model: str | None,
    output: str,
    passage: str,
    workers: int | None,
    cluster: str | None,
    shard_size: float,
) -> None:
    """Parse TEXT: UTF-8 files, directories (every .txt below) or globs, compressed or not, `-` for stdin.

    Every --shard-size of text becomes a file of CoNLL-U in DIR. Stopped or killed at any moment, the same command goes
    on where it was and ends with the same files. Paragraphs that the parser fails at are left out and listed, with
    their places, in DIR/parse.jsonl too.

    \b
    Example:
      treegauge parse text.txt --parser udpipe --model english.udpipe -o parsed/
    """
    from treegauge.corpus.files import expand_paths
    from treegauge.corpus.pool import open_pool
    from treegauge.parsing.many_texts import how_to_go_on, parse_files
    from treegauge.parsing.parser import ParserSpec
    from treegauge.parsing.shard import read_passages

    spec = ParserSpec.of(parser, model, passage)
    if os.path.exists(spec.model):
        spec = replace(spec, model=os.path.abspath(spec.model))  # the workers of a cluster start in other folders
    loaded = spec.load()  # here too: its errors should come at once, and its name is written into the journal
    for note in loaded.notes:
        message(f"{loaded.name}: {note}")
    paths = expand_paths(text, ".txt")
    total = None
    if sys.stderr.isatty() and all(map(os.path.isfile, paths)):  # files can be read twice: first for their size
        total = sum(len(part.text) for path in paths for part in read_passages(path, passage))
    done: list[int] = []  # bytes of each shard
    with (
        interruptible(lambda: how_to_go_on(output, len(done))),
        open_pool(workers or os.cpu_count() or 1, cluster) as pool,
        progress_of("parsing", "bytes", total) as advance,
    ):

        def progress(size: int, new: bool) -> None:
            done.append(size)
            advance(size, new)

        size = round(shard_size * 1e6)
        summary = parse_files(paths, spec, loaded.name, output, pool, shard_bytes=size, progress=progress)
    skipped = Skipped("passage")
    for failure in summary.failures:
        skipped(failure)
    skipped.summary(f"; all are in {os.path.join(output, 'parse.jsonl')}")
    before = f", {summary.present:,} of them there before" if summary.present else ""
    message(
        f"{output}: {corpus_size(summary.words, summary.sentences)}, {counted(summary.shards, 'shard')}{before}; "
        f"{loaded.name}"
    )
