"""What several commands share: options, messages, progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from treegauge.cli.stopping import exit_code
from treegauge.errors import OptionError
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.corpus.conllu import Corpus


def choice(values: Sequence[str], *names: str, **more: Any) -> Callable[..., Any]:
    """An option that takes one of the values; the first is the default."""
    return click.option(*names, type=click.Choice(values), default=values[0], **more)


def number(least: int, default: int, *names: str, **more: Any) -> Callable[..., Any]:
    """An option that takes a whole number, at least so large."""
    return click.option(*names, type=click.IntRange(least), default=default, metavar="N", **more)


def refuse_unused(**rules: tuple[bool, str]) -> None:
    """Refuse options that were given but would change nothing: parameter=(whether it applies, where it does)."""
    context = click.get_current_context()
    for param in context.command.params:
        applies, where = rules.get(param.name or "", (True, ""))
        if not applies and context.get_parameter_source(param.name or "") is not ParameterSource.DEFAULT:
            raise OptionError(f"{param.opts[-1]} would change nothing here: it is for {where}")


on_error = choice(
    ("stop", "skip"), "--on-error", help="Stop at a malformed sentence or tree, or leave it out and say so."
)
cluster = click.option(
    "--cluster", metavar="ADDRESS", help="Work on the Dask cluster at this address, tcp://… (extra `distributed`)."
)
style = choice(
    ("penn", "cess", "floresta"),
    "--brackets",
    "style",
    help="Read brackets as the Penn, the CESS or the Floresta treebanks write them.",
)

MOST_LISTED = 20


def message(text: str) -> None:
    """A line on standard error."""
    click.echo(f"treegauge: {text}", err=True)


class Skipped:
    """Counts what is left out (sentences, trees, passages), and lists the first of it."""

    def __init__(self, unit: str = "malformed sentence") -> None:
        self.unit = unit
        self.count = 0

    def __call__(self, defect: object) -> None:
        """Note one that was left out: its place and why."""
        self.count += 1
        if self.count <= MOST_LISTED:
            message(f"left out: {defect}")

    def summary(self, more: str = "") -> None:
        """Say how many there were, if any."""
        if self.count:
            rest = f" (the first {MOST_LISTED} are listed)" if self.count > MOST_LISTED else ""
            message(f"left out: {counted(self.count, self.unit)}{rest}{more}")


@contextmanager
def interruptible(going_on: Callable[[], str]) -> Iterator[None]:
    """Ctrl-C or SIGTERM end the command with 130 or 143 and a line that says what is kept and how to go on."""
    try:
        yield
    except KeyboardInterrupt as error:
        message(f"interrupted; {going_on()}")
        sys.exit(exit_code(error))


@contextmanager
def progress_of(what: str, unit: str = "words", total: int | None = None) -> Iterator[Callable[..., None]]:
    """A function that takes how many more units are done; on a terminal their number, speed and share are shown.

    Those that were done before (new=False) only make the total smaller: they say nothing of the speed.
    """
    if not sys.stderr.isatty():
        yield lambda done, new=True: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        SpinnerColumn() if total is None else BarColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:,.0f} " + unit + ", {task.fields[speed]} per second"),
        TimeElapsedColumn(),
        *(() if total is None else (TextColumn("left"), TimeRemainingColumn())),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=600) as progress:
        task = progress.add_task(what, total=total, speed="…")

        def advance(done: int, new: bool = True) -> None:
            if new:
                progress.advance(task, done)
            elif total is not None:
                progress.update(task, total=(progress.tasks[0].total or 0) - done)
            speed = progress.tasks[0].speed
            progress.update(task, speed=f"{speed:,.0f}" if speed else "…")

        yield advance


def stages(what: str, total: int | None) -> AbstractContextManager[Callable[[int], None]]:
    """How far a stage of a library function is: words, or steps of a known number."""
    return progress_of(what, "words" if total is None else "steps", total)


class Reading(ExitStack):
    """Told pieces of a corpus as they are read; shows how far it is, and says which sentences were left out."""

    def __init__(self, what: str = "reading") -> None:
        super().__init__()
        self._skipped = Skipped()
        self._advance = self.enter_context(progress_of(what))

    def __call__(self, piece: Corpus) -> Corpus:
        """Note a piece, and give it back."""
        self._advance(piece.n_words)
        for defect in piece.defects:
            self._skipped(defect)
        return piece

    def summary(self) -> None:
        """End the display, and say how many sentences were left out."""
        self.close()
        self._skipped.summary()


def read_told(source: str | Sequence[str], on_error: str = "stop") -> Corpus:
    """A corpus, not empty, with all columns that scorers may need; progress and sentences left out are told."""
    from treegauge.corpus.conllu import as_corpus

    with Reading() as reading:
        corpus = as_corpus(source, on_error=on_error, each=reading)
        reading.summary()
    return corpus


def is_coloured(output: str = "-") -> bool:
    """Whether output goes to a terminal that shows colours, and nobody asked for none (no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return output == "-" and sys.stdout.isatty() and not plain


def text_columns() -> int:
    """Columns of the terminal, 100 where there is none."""
    import shutil

    return min(shutil.get_terminal_size((100, 24)).columns, 160)


def terminal_style(text: str, role: str) -> str:
    """Colours for a drawing on a terminal; shape carries the same information."""
    if role == "title":
        return click.style(text, dim=True)
    return click.style(text, fg="red" if role != "head" else "blue", bold=role != "arc")
