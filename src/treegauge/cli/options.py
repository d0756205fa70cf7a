"""What several commands share: options, messages, progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from treegauge.corpus.conllu import Defect

on_error = click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="At a malformed sentence: stop, or leave it out and say so.",
)

MOST_LISTED = 20


def message(text: str) -> None:
    """A line on standard error."""
    click.echo(f"treegauge: {text}", err=True)


class Skipped:
    """Counts the sentences left out, and lists the first of them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, defect: Defect) -> None:
        """Note a sentence that was left out."""
        self.count += 1
        if self.count <= MOST_LISTED:
            message(f"left out: {defect}")

    def summary(self) -> None:
        """Say how many there were, if any."""
        if self.count:
            rest = f" (the first {MOST_LISTED} are listed)" if self.count > MOST_LISTED else ""
            message(f"{self.count:,} malformed sentences were left out{rest}")


@contextmanager
def interruptible(going_on: Callable[[], str]) -> Iterator[None]:
    """Ctrl-C ends the command with exit code 130 and a line that says what is kept and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        message(f"interrupted; {going_on()}")
        sys.exit(130)


@contextmanager
def progress_of_words(what: str, unit: str = "words") -> Iterator[Callable[[int], None]]:
    """A function that takes words, or others, done and shows their number and speed, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda words: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn(f"{{task.completed:,.0f}} {unit}, {{task.fields[speed]}} per second"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None, speed="…")

        def advance(words: int) -> None:
            progress.advance(task, words)
            speed = progress.tasks[0].speed
            progress.update(task, speed=f"{speed:,.0f}" if speed else "…")

        yield advance
