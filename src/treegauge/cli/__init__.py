"""The command line: `treegauge COMMAND`. A command's module is imported only when the command is used."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from typing import Any, NoReturn

import click

from treegauge.corpus.reading_log import ReadingLog
from treegauge.errors import MalformedError, TreegaugeError
from treegauge.interruption import end_on_signals, exit_code
from treegauge.version import __version__
from treegauge.wording import printable

# purpose -> the commands for it -> their lines in the overview; a command is defined in the module of its name
SECTIONS = {
    "Look at a parse": {
        "demo": "See what treegauge does, on a few sentences that come with it.",
        "rank": "Rank the arcs of a parsed corpus by plausibility.",
        "report": "Make one HTML page of a ranking, to look at and to work through.",
        "estimate": "Estimate how good a parse is, without gold; which is best.",
        "combine": "Combine several parses into the best trees, or repair one.",
    },
    "Score with gold": {
        "eval": "Score parsers against gold: CoNLL 2018 scores, breakdowns, tests.",
        "judge": "Judge rankings of arcs by gold: errors found, ROC-AUC, LAS of top lists.",
        "agreement": "Compare annotators of the same text: LAS, kappa, alpha, by relation and by tree.",
        "calibrate": "Learn from a little gold how probable it is that each arc is right.",
    },
    "Keep a treebank": {
        "find": "Find words, arcs and constructions by a request, count them, change them.",
        "check": "Check a treebank for annotation errors, and for patterns of them.",
        "work": "Open a treebank at a desk in the browser, where every correction is written at once.",
        "accept": "Write down which findings of check are right as they are.",
        "apply": "Make the corrections that were chosen on a page, and change nothing else.",
        "stability": "Judge a small treebank by itself: how stable is it, what is unlike the rest.",
        "diff": "Compare two versions of a treebank: sentences, arcs and tags that were changed.",
    },
    "See what is hard": {
        "bits": "Measure how hard treebanks are, in bits per arc.",
        "difficulty": "Explore what is hard to parse: relation types, bins, distributions.",
        "typology": "Compare languages: word order, how marked each order is, distances, a tree.",
        "challenge": "Choose hard or easy sentences as a set of their own.",
        "study": "Run a whole study, described by a file, into one folder.",
    },
    "Constituency, chunks": {
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
# words that people try -> what they may mean
MEANT = {
    "evaluate": "eval",
    "score": "eval, which scores against gold, or rank, which scores each arc",
    "compare": "eval GOLD A B --versus, diff OLD NEW, or report --compare",
    "search": "find",
    "query": "find",
    "grep": "find",
    "validate": "check --validate",
    "lint": "check",
    "errors": "check",
    "fix": "apply, or combine, which repairs a parse",
    "correct": "apply",
    "repair": "combine",
    "ensemble": "combine",
    "vote": "combine",
    "train": "model build",
    "build": "model build",
    "models": "model list",
    "languages": "model list",
    "download": "fetch",
    "serve": "work",
    "annotate": "work",
    "edit": "work",
    "convert": "flatten",
    "lisca": "rank --scorer lisca",
    "quality": "estimate",
    "help": "--help",
}
DAILY = ("rank", "report", "estimate", "eval", "check", "find", "combine", "parse")
# what people want to do -> the command for it
HOW = {
    "keep sentences to trust": "rank F --unit sentence --accuracy 95 -f conllu",
    "find some for annotators": "rank F --unit sentence --top 100 -f conllu",
    "compare two parsers": "eval GOLD A B --versus",
    "compare them on a page": "report A --gold GOLD --compare B -o page.html",
}
COMMANDS = {name: line for section in SECTIONS.values() for name, line in section.items()}
ON_ERROR_KEY = "treegauge.on_error"  # a command that can skip malformed sentences stores its --on-error under it
STRICT = "strict"  # what it stores if --strict was given
LOG_KEY = "treegauge.log"  # the log of what a command reads
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


class GateError(click.ClickException):
    """What was measured is not good enough for a gate, such as --fail-on: the only way to exit code 1."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        """Write the message as other messages are written."""
        tell(self.message)


def tell(line: str) -> None:
    """Write a message to standard error."""
    click.echo(f"treegauge: {printable(line)}", err=True)


class LazyGroup(click.Group):
    """A group that knows the names and the overview lines of its commands, and imports a command when it runs."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; say what was left out; the error of a malformed sentence hints at --on-error."""
        try:
            with ReadingLog(tell) as log:
                ctx.meta[LOG_KEY] = log
                try:
                    return super().invoke(ctx)
                finally:
                    for line in log.lines():
                        tell(line)
        except (KeyboardInterrupt, BrokenPipeError) as error:
            raise EarlyEndError from error
        except MalformedError as error:
            hint = " (--on-error skip goes on without it)" if ctx.meta.get(ON_ERROR_KEY) == "stop" else ""
            raise MalformedError(f"{error}{hint}") from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the first argument; an unknown one is answered with the one that was probably meant."""
        word = args[0]
        if word in COMMANDS or word.startswith("-"):
            return super().resolve_command(ctx, args)
        import difflib

        meant = MEANT.get(word) or " or ".join(difflib.get_close_matches(word, COMMANDS, n=2))
        hint = f"Did you mean: {meant}?" if meant else "`treegauge --help` lists all."
        raise click.UsageError(f"No such command '{word}'. {hint}", ctx)

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
        """Write the overview: what people do every day, then the names of all other commands by section."""
        with formatter.section("Every day"):
            formatter.write_dl([(name, COMMANDS[name]) for name in DAILY])
        with formatter.section("More, each with --help"):
            rest = {title: [name for name in commands if name not in DAILY] for title, commands in SECTIONS.items()}
            formatter.write_dl([(title, ", ".join(names)) for title, names in rest.items() if names])
        with formatter.section("How do I"):
            formatter.write_dl(list(HOW.items()))


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

    Results go to standard output, messages to standard error. `-` is standard input or output; .gz .bz2 .xz .zst
    files are read as they are. Exit 0: done; 1: a gate failed; 2: bad input or usage; 3: a mistake of treegauge.
    """
    if ctx.invoked_subcommand is None:
        click.echo(FIRST)


def kernels_are_compiled() -> bool:
    """Whether the kernels were compiled when treegauge was installed; interpreted, they are very slow."""
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "corpus")
    return any(name.startswith("conllu_kernel.") and name.endswith((".so", ".pyd")) for name in os.listdir(folder))


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line. Errors whose cause is outside the program become one line and exit code 2."""
    _open_standard_streams()
    command = (sys.argv[1:] if args is None else args)[:1]
    if command and command[0] in COMMANDS and not kernels_are_compiled():
        message = "its kernels were not compiled (no C compiler at installation?): expect it to be slow"
        click.echo(f"treegauge: {message}", err=True)
    # NumPy starts faster with one thread; the few matrices that it solves are small, and our threads are our own
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(50_000)  # importing creates many objects, none of them garbage
    end_on_signals()
    try:
        cli.main(args=args, prog_name="treegauge", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:  # _ending knows them all
        cause = error.__cause__ if isinstance(error, EarlyEndError) else error
        _end(*_ending(cause or error))
    _end("", 0)


def _ending(error: BaseException) -> tuple[str, int]:
    """The message and the exit code of a command that an error ended: the only place that decides them."""
    if isinstance(error, KeyboardInterrupt):
        return str(error) or "interrupted", exit_code(error)
    if isinstance(error, click.Abort):  # Ctrl-C while click reads the arguments
        return "interrupted", 130
    if isinstance(error, BrokenPipeError):  # the reader of our output has gone: `treegauge rank … | head`
        return "", 0
    if isinstance(error, GateError):
        return error.message, error.exit_code
    if isinstance(error, click.ClickException):
        text = printable(error.format_message())
        (
            click.UsageError(text, error.ctx) if isinstance(error, click.UsageError) else click.ClickException(text)
        ).show()
        return "", 2
    if isinstance(error, TreegaugeError):
        return str(error), 2
    if isinstance(error, MemoryError):
        return f"memory is short: {error}" if str(error) else "memory is short", 2
    if isinstance(error, OSError):
        return f"{error.filename or 'reading or writing'}: {error.strerror or error}", 2
    if isinstance(error, SystemExit):  # another package gave up
        return "", 2 if error.code else 0
    import traceback

    click.echo(
        "".join(f"{printable(line)}\n" for line in "".join(traceback.format_exception(error)).split("\n")), err=True
    )
    return "this is a mistake of treegauge, not yours; please report it with the lines above", 3


def _open_standard_streams() -> None:
    """Opens those of the three standard streams that were closed (`>&-`), so that no file takes their places.

    Reading from a stream that was closed, or writing to standard output, is then an error as any other.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_WRONLY)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", closefd=False))


def _end(text: str, code: int) -> NoReturn:
    """Write a message to standard error and exit; what is still unwritten of standard output is dropped if it fails."""
    if text:
        tell(text)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
