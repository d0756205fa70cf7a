"""`treegauge parse`: raw text into shards of CoNLL-U."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from treegauge.cli.options import MOST_LISTED, interruptible, message

if TYPE_CHECKING:
    from treegauge.scale.parsing import ShardDone


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("-p", "--parser", required=True, help="udpipe, spacy:PIPELINE or stanza:LANG (udpipe:FILE too).")
@click.option("-m", "--model", help="The parser's model: for udpipe its file.")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder for the trees.")
@click.option(
    "--input",
    "passage",
    type=click.Choice(["paragraph", "wrapped", "sentence", "tokens"]),
    default="paragraph",
    show_default=True,
    help="A line is a paragraph; paragraphs are wrapped, with blank lines between; a line is a sentence; "
    "a line is a sentence with spaces between its tokens.",
)
@click.option("--workers", type=click.IntRange(1), help="Processes.  [default: as many as there are cores]")
@click.option(
    "--cluster", metavar="ADDRESS", help="A Dask scheduler, tcp://…: its workers parse (extra `distributed`)."
)
@click.option(
    "--shard-size", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="MB of text."
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
    """
    from treegauge.corpus.files import expand_paths
    from treegauge.parsers.parser import ParserSpec
    from treegauge.scale.parsing import how_to_go_on, parse_files
    from treegauge.scale.pool import open_pool

    spec = ParserSpec.of(parser, model, passage)
    if os.path.exists(spec.model):
        spec = replace(spec, model=os.path.abspath(spec.model))  # the workers of a cluster start elsewhere
    loaded = spec.load()  # here too: what is wrong with it should be said at once, and its name is written down
    for note in loaded.notes:
        message(f"{loaded.name}: {note}")
    paths = expand_paths(text, ".txt")
    finished = 0

    def going_on() -> str:
        return how_to_go_on(output, finished)

    def progress(done: ShardDone) -> None:
        nonlocal finished
        finished += 1
        show(done)

    with (
        interruptible(going_on),
        open_pool(workers or os.cpu_count() or 1, cluster) as pool,
        progress_of_shards(paths, passage) as show,
    ):
        size = round(shard_size * 1e6)
        summary = parse_files(paths, spec, loaded.name, output, pool, shard_bytes=size, progress=progress)
    for failure in summary.failures[:MOST_LISTED]:
        message(f"left out: {failure}")
    if summary.failures:
        rest = f" (the first {MOST_LISTED} are listed)" if len(summary.failures) > MOST_LISTED else ""
        message(f"{len(summary.failures):,} passages were left out{rest}; all are in {output}/parse.jsonl")
    before = f", {summary.found:,} of them there before" if summary.found else ""
    message(
        f"{output}: {summary.words:,} words in {summary.sentences:,} sentences, {summary.shards:,} shards{before}; "
        f"{loaded.name}"
    )


@contextmanager
def progress_of_shards(paths: Sequence[str], passage: str) -> Iterator[Callable[[ShardDone], None]]:
    """A function that takes shards as they are done and shows words, words per second and time left, on a terminal."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from treegauge.corpus.files import STDIN
    from treegauge.parsers.raw_text import read_passages

    total = None
    if STDIN not in paths and all(map(os.path.isfile, paths)):  # what can be read twice is measured first
        total = sum(len(one.text) for path in paths for one in read_passages(path, passage))
    columns = (
        BarColumn(),
        TextColumn("{task.fields[words]:,} words, {task.fields[speed]} per second"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=600) as bar:
        task = bar.add_task("", total=total, words=0, speed="…")
        words = new_words = 0

        def show(done: ShardDone) -> None:
            nonlocal words, new_words
            words += done.words
            if done.found:  # not done now: it says nothing of the speed
                bar.update(task, total=None if total is None else (bar.tasks[0].total or 0) - done.bytes)
            else:
                new_words += done.words
                bar.advance(task, done.bytes)
            seconds = bar.tasks[0].elapsed
            speed = f"{new_words / seconds:,.0f}" if seconds and new_words else "…"
            bar.update(task, words=words, speed=speed)

        yield show
