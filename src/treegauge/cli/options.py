"""What several commands share: options, messages, progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

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
    """Counts the sentences or trees left out, and lists the first of them."""

    def __init__(self, unit: str = "sentences") -> None:
        self.unit = unit
        self.count = 0

    def __call__(self, defect: object) -> None:
        """Note one that was left out: its place and why."""
        self.count += 1
        if self.count <= MOST_LISTED:
            message(f"left out: {defect}")

    def summary(self) -> None:
        """Say how many there were, if any."""
        if self.count:
            rest = f" (the first {MOST_LISTED} are listed)" if self.count > MOST_LISTED else ""
            message(f"{self.count:,} malformed {self.unit} were left out{rest}")


@contextmanager
def interruptible(going_on: Callable[[], str]) -> Iterator[None]:
    """Ctrl-C ends the command with exit code 130 and a line that says what is kept and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        message(f"interrupted; {going_on()}")
        sys.exit(130)


@contextmanager
def progress_of(what: str, unit: str = "words", total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A function that takes how many more units are done; on a terminal their number, speed and share are shown."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn() if total is None else BarColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:,.0f} " + unit + ", {task.fields[speed]} per second"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total, speed="…")

        def advance(done: int) -> None:
            progress.advance(task, done)
            speed = progress.tasks[0].speed
            progress.update(task, speed=f"{speed:,.0f}" if speed else "…")

        yield advance
