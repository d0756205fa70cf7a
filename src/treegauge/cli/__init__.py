"""The command line: `treegauge COMMAND`. A command's module is imported only when the command is used."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import sys
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, NoReturn

import click

from treegauge.errors import MalformedError, TreegaugeError
from treegauge.version import __version__


class TerminationSignal(KeyboardInterrupt):
    """The system asked the command to end, by SIGTERM."""


def stop_on_sigterm() -> None:
    """Makes SIGTERM end this process in the same way as Ctrl-C."""
    if current_thread() is main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise TerminationSignal


def exit_code(error: KeyboardInterrupt) -> int:
    """The exit code of a command that was stopped."""
    return 143 if isinstance(error, TerminationSignal) else 130


# purpose -> the commands for it -> their lines in the overview; a command is defined in the module of its name
SECTIONS = {
    "Look at a parse": {
        "demo": "See what treegauge does, on a few sentences that come with it.",
        "rank": "Rank the arcs of a parsed corpus by plausibility.",
        "report": "Make one HTML page of a ranking, to look at and to work through.",
        "combine": "Combine several parses into the best trees, or repair one.",
    },
    "Score with gold": {
        "eval": "Score parsers against gold: CoNLL 2018 scores, breakdowns, tests.",
        "judge": "Judge rankings of arcs by gold: errors found, ROC-AUC, LAS of top lists.",
        "agreement": "Compare annotators of the same text: LAS, kappa, alpha, by relation and by tree.",
        "calibrate": "Learn from a little gold how probable it is that each arc is right.",
    },
    "Keep a treebank": {
        "check": "Check a treebank for annotation errors, and for patterns of them.",
        "apply": "Make the corrections that were chosen on a page, and change nothing else.",
        "stability": "Judge a small treebank by itself: how stable is it, what is unlike the rest.",
        "diff": "Compare two versions of a treebank: sentences, arcs and tags that were changed.",
    },
    "See what is hard": {
        "bits": "Measure how hard treebanks are, in bits per arc: by relation, length, genre, size.",
        "difficulty": "Explore what is hard to parse: relation types, bins, distributions.",
        "typology": "Compare languages: word order, how marked each order is, distances, a tree.",
        "challenge": "Choose hard or easy sentences as a set of their own.",
        "study": "Run a whole study, described by a file, into one folder.",
    },
    "Constituency trees and partial parses": {
        "ecc": "Measure how hard a constituency treebank is: ECC, and PARSEVAL.",
        "surprisal": "Measure how surprising each tag or word is after those before it.",
        "parseval": "Score bracketed parses: LP, LR, F1, exact matches, crossing brackets.",
        "chaos": "Parse tagged text into chunks and links; score partial parses by layer.",
        "flatten": "Turn constituency trees into word graphs by their heads.",
    },
    "Models and text": {
        "model": "Build, merge and look at reference models.",
        "parse": "Parse raw text, any amount of it, with UDPipe, spaCy or Stanza.",
        "fetch": "Download a Universal Dependencies treebank by its name.",
        "completion": "Print what lets a shell complete commands and options.",
    },
}
COMMANDS = {name: line for section in SECTIONS.values() for name, line in section.items()}
ON_ERROR_KEY = "treegauge.on_error"  # a command that can skip malformed sentences stores its --on-error under it
FIRST = """treegauge tells which arcs of a parse to look at, how good a parser is, and what is hard. Try first:

  treegauge demo                                          see it at work on 13 sentences
  treegauge rank parsed.conllu --model en --explain       the arcs to look at first, and why
  treegauge report parsed.conllu --model en -o page.html  the same as a page
  treegauge check treebank.conllu                         the annotation errors of a treebank
  treegauge eval gold.conllu parsed.conllu                score a parser
  treegauge model list                                    the languages that a model comes with
  treegauge --help                                        all commands"""


class EarlyEndError(Exception):
    """A command was stopped, or nobody reads its output any more. `main` handles it; click must not."""


class LazyGroup(click.Group):
    """A group that knows the names and the overview lines of its commands, and imports a command when it runs."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; the error of a malformed sentence hints at --on-error."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, BrokenPipeError) as error:
            raise EarlyEndError from error
        except MalformedError as error:
            hint = " (--on-error skip goes on without it)" if ctx.meta.get(ON_ERROR_KEY) == "stop" else ""
            raise MalformedError(f"{error}{hint}") from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(importlib.import_module(f"treegauge.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview; no command is imported for it."""
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(max(map(len, COMMANDS))), line) for name, line in commands.items()])


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
    epilog="`treegauge COMMAND --help` explains a command. Start with `treegauge demo`.",
)
@click.version_option(__version__, package_name="treegauge", message="treegauge %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Tells, for syntactic trees, what can be trusted, what is hard, and how hard.

    Results go to standard output, messages to standard error. `-` is standard input or output; .gz .bz2 .xz
    .zst files are read as they are. Exit 0: done; 1: a gate failed; 2: bad input or usage; 130, 143: stopped by
    Ctrl-C, SIGTERM.
    """
    if ctx.invoked_subcommand is None:
        click.echo(FIRST)


def kernels_are_compiled() -> bool:
    """Whether the kernels were compiled when treegauge was installed; interpreted, they are very slow."""
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "corpus")
    return any(name.startswith("conllu_kernel.") and name.endswith((".so", ".pyd")) for name in os.listdir(folder))


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line. Errors whose cause is outside the program become one line and exit code 2."""
    command = (sys.argv[1:] if args is None else args)[:1]
    if command and command[0] in COMMANDS and not kernels_are_compiled():
        message = "its kernels were not compiled (no C compiler at installation?): expect it to be slow"
        click.echo(f"treegauge: {message}", err=True)
    # NumPy starts faster with one thread; the few matrices that it solves are small, and our threads are our own
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(50_000)  # importing creates many objects, none of them garbage
    stop_on_sigterm()
    try:
        code = cli.main(args=args, prog_name="treegauge", standalone_mode=False)
        sys.stdout.flush()
    except (EarlyEndError, KeyboardInterrupt, BrokenPipeError) as error:
        cause = error.__cause__ or error
        if isinstance(cause, KeyboardInterrupt):
            _end("interrupted", exit_code(cause))
        _end("", 0)  # the reader of our output has gone: `treegauge rank … | head`
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except TreegaugeError as error:
        _end(str(error), 2)
    except MemoryError as error:
        _end(f"memory is short: {error}" if str(error) else "memory is short", 2)
    except OSError as error:
        _end(f"{error.filename or 'reading or writing'}: {error.strerror or error}", 2)
    sys.exit(code if isinstance(code, int) else 0)


def _end(text: str, code: int) -> NoReturn:
    """Write a message to standard error and exit; what is still unwritten of standard output is dropped if it fails."""
    if text:
        click.echo(f"treegauge: {text}", err=True)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
