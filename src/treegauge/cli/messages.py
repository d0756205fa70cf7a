"""Messages on standard error: notes, what was left out, progress; and the refusal of options."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from treegauge.cli import LOG_KEY, GateError, tell
from treegauge.corpus.reading_log import MOST_LISTED
from treegauge.errors import OptionError
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.corpus.corpus import Corpus


MOST_NAMED = 8  # how many treebanks a message names


def refuse_unused(**rules: tuple[bool, str]) -> None:
    """Refuse options that were given but would change nothing: parameter=(whether it applies, where it applies)."""
    context = click.get_current_context()
    for param in context.command.params:
        applies, where = rules.get(param.name or "", (True, ""))
        if not applies and context.get_parameter_source(param.name or "") is not ParameterSource.DEFAULT:
            raise OptionError(f"{param.opts[-1]} would change nothing here: it is for {where}")


def refuse(*cases: tuple[object, str]) -> None:
    """Refuse options that do not go together: (whether they were given, what to tell the user)."""
    for wrong, problem in cases:
        if wrong:
            raise click.UsageError(problem)


def message(*lines: str) -> None:
    """Write lines to standard error."""
    for line in lines:
        tell(line)


def fail(*reasons: str) -> None:
    """End the command with exit code 1 if there are reasons why a gate did not pass; say them."""
    message(*reasons[:-1])
    if reasons:
        raise GateError(reasons[-1])


class SkipLog:
    """Counts what is left out (sentences, trees, passages), and lists the first of them."""

    def __init__(self, unit: str = "malformed sentence") -> None:
        self.unit = unit
        self.count = 0

    def __call__(self, defect: object) -> None:
        """Note something that was left out: its place, and the reason."""
        self.count += 1
        if self.count <= MOST_LISTED:
            message(f"left out: {defect}")

    def summary(self, more: str = "") -> None:
        """Say how many were left out, if any."""
        if self.count:
            rest = f" (the first {MOST_LISTED} are listed)" if self.count > MOST_LISTED else ""
            message(f"left out: {counted(self.count, self.unit)}{rest}{more}")


def tell_skipped(defects: Iterable[object], unit: str = "malformed sentence", more: str = "") -> None:
    """Say what was left out; more: a text for the end of the last line."""
    skipped = SkipLog(unit)
    for defect in defects:
        skipped(defect)
    skipped.summary(more)


def too_much_skipped(allowed: float, scored: float | None = None) -> list[str]:
    """Why a gate must not pass: sentences with more than the allowed share of the words were left out.

    scored: the share of the words that were not; by default, of all that this command has read.
    """
    scored = click.get_current_context().meta[LOG_KEY].share if scored is None else scored
    if 1 - scored <= allowed:
        return []
    skipped, most = (f"{100 * share:.2f}".rstrip("0").rstrip(".") for share in (1 - scored, allowed))
    return [f"{skipped} % of the words were left out; a gate passes with at most {most} % (--allow-skipped)"]


@contextmanager
def interruptible(advice: Callable[[], str]) -> Iterator[None]:
    """Let Ctrl-C or SIGTERM end the command with a line of advice: what is kept, and how to go on."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise type(error)(f"interrupted; {advice()}") from error


@contextmanager
def progress_of(
    what: str, unit: str = "words", total: int | None = None, paths: Sequence[str] = ()
) -> Iterator[Callable[..., None]]:
    """A function to call with the number of further units that are done; a terminal shows their number and speed.

    If the total is known, or the size of the files at `paths`, which are read meanwhile, the terminal also shows per
    cent and the time left. Units that were done before (new=False) do not count for the speed: they are subtracted
    from the total.
    """
    if not sys.stderr.isatty():
        yield lambda done, new=True: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from treegauge.corpus.files import BytesRead, bytes_on_disk

    size = bytes_on_disk(paths) if paths and total is None else None
    columns = (
        BarColumn() if total or size else SpinnerColumn(),
        TextColumn("{task.description}{task.fields[share]} {task.fields[count]} " + unit + "{task.fields[speed]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    show = Progress(*columns, console=Console(stderr=True), transient=True)
    with show as progress, BytesRead() as bytes_read:
        task = progress.add_task(what, total=total or size, count="0", speed="", share="", left="")
        shown, count, lock = progress.tasks[0], 0, Lock()

        def advance(done: int, new: bool = True) -> None:
            nonlocal count
            with lock:  # several threads may call this
                count += done if new else 0
            if not new and shown.total:
                shown.total -= done
            completed, elapsed = bytes_read() if size else count, shown.elapsed or 0.0
            # in a second pass, or where other processes read the files, the share that is done is unknown
            if shown.total and (completed > shown.total or not (completed or total)):
                shown.total = None
            share = completed / shown.total if shown.total else 0.0
            left = f"{timedelta(seconds=round(elapsed / share - elapsed))} left" if share else ""
            percent = f" {100 * share:.0f} %" if share else ""
            speed = f", {count / elapsed:,.0f} per second" if elapsed else ""
            progress.update(task, completed=completed, count=f"{count:,}", speed=speed, share=percent, left=left)

        yield advance


def stages(what: str, total: int | None, paths: Sequence[str] = ()) -> AbstractContextManager[Callable[[int], None]]:
    """The progress of a stage of a library function: in words of the files at `paths`, or in `total` steps."""
    return progress_of(what, "words" if total is None else "steps", total, paths if total is None else ())


class ReadingProgress(ExitStack):
    """Takes the pieces of a corpus as they are read, and shows the progress."""

    def __init__(self, what: str = "reading", paths: Sequence[str] = ()) -> None:
        super().__init__()
        self._words = self._skipped = 0
        self._advance = self.enter_context(progress_of(what, paths=paths))

    def __call__(self, piece: Corpus) -> Corpus:
        """Note a piece, and return it."""
        self._words += piece.n_words
        self._skipped += piece.notes.n_sentences
        self._advance(piece.n_words)
        return piece

    def check(self, paths: Sequence[str]) -> None:
        """Raise CorpusError if nothing was read, or if all that was read is malformed."""
        from treegauge.corpus.conllu import no_sentences

        if not self._words:
            raise no_sentences(paths, self._skipped)


def read_corpus(source: str | Sequence[str], on_error: str = "stop", trees: bool = True) -> Corpus:
    """A corpus with all columns that scorers may need; shows the progress."""
    from treegauge.corpus.conllu import as_corpus

    with ReadingProgress(paths=[source] if isinstance(source, str) else source) as reading:
        return as_corpus(source, on_error=on_error, trees=trees, each=reading)


def read_treebanks(paths: Sequence[str], on_error: str = "stop") -> Iterator[Corpus]:
    """The corpus of each treebank that paths stand for, with its name as path; says how many there are."""
    from treegauge.corpus.treebanks import find_treebanks

    treebanks = find_treebanks(paths)
    if len(treebanks) != len(paths):
        names = ", ".join(treebank.name for treebank in treebanks[:MOST_NAMED])
        message(f"{counted(len(treebanks), 'treebank')}: {names}{', …' * (len(treebanks) > MOST_NAMED)}")
    for treebank in treebanks:
        corpus = read_corpus(treebank.files, on_error)
        yield corpus if len(treebank.files) == 1 else replace(corpus, path=treebank.name)


def is_coloured(output: str = "-") -> bool:
    """Whether output goes to a terminal that shows colours, and colours are not switched off (no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return output == "-" and sys.stdout.isatty() and not plain


def text_columns() -> int:
    """The number of columns of the terminal, at most 160; 100 if there is no terminal."""
    import shutil

    return min(shutil.get_terminal_size((100, 24)).columns, 160)


def terminal_style(text: str, role: str) -> str:
    """A text in the colour of its role in a drawing; the shape of the drawing says the same."""
    if role == "title":
        return click.style(text, dim=True)
    return click.style(text, fg="red" if role != "head" else "blue", bold=role != "arc")
