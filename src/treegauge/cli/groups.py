"""Options that several commands have; a group of them reaches a command as one object."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli import ON_ERROR_KEY
from treegauge.cli.arguments import Arguments, choice, file, flag, number, option
from treegauge.cli.messages import message
from treegauge.errors import ModelError, OptionError, TreegaugeError
from treegauge.scorers.registry import CALIBRATED, NAMES, REGISTRY, TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.figure import Figure

    from treegauge.corpus.conllu import CorpusSource
    from treegauge.corpus.corpus import Corpus
    from treegauge.models.lisca.score import LiscaOptions
    from treegauge.models.model import Model
    from treegauge.scorers.other_parses import OtherParses
    from treegauge.scorers.scorer import Scorer


def _store_on_error(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Store the value of --on-error, so that the error of a malformed sentence can hint at it (`LazyGroup`)."""
    ctx.meta[ON_ERROR_KEY] = value
    return value


def skipping(help_text: str) -> Any:
    """The option --on-error of a command; the error of a malformed sentence hints at it."""
    return choice(("stop", "skip"), help_text, callback=_store_on_error)


def format_option(values: Sequence[str], help_text: str) -> Any:
    """The option --format of a command; the first of the values is the default."""
    return choice(values, "-f", "--format", help_text)


FORMATS = ("text", "tsv", "json", "markdown", "latex")  # a test checks that the library has the same
ON_ERROR = skipping("Stop at a malformed sentence or tree, or leave it out and say so.")
CLUSTER = option("Work on the Dask cluster at this address, tcp://… (extra `distributed`).", metavar="ADDRESS")
STYLE = choice(
    ("penn", "cess", "floresta"),
    "--brackets",
    "Read brackets as the Penn, the CESS or the Floresta treebanks write them.",
)
OUTPUT = file("-o", "--output", "Write to FILE; `-` is standard output.", default="-")
FORMAT = format_option(FORMATS, "Write tables in this format.")
AUTO = "auto"  # instead of a model's name: use the bundled model of the language that the words look like


def some_names(text: str | None, what: str) -> tuple[str, ...] | None:
    """The names in a list with commas, at least one; None if there is no list."""
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise OptionError(f"{what} {text!r}; expected a name, or several with commas")
    return names


class LiscaGroup(Arguments):
    """The options of LISCA."""

    smoothing: str | None = option(
        "lisca: smooth a count F of N to (F+ALPHA)/(N+2·ALPHA); `none` as in the papers.  [default: 0.03]",
        metavar="ALPHA",
    )
    range_: int = number(
        0,
        2,
        "--range",
        "lisca: compare a feature that depends on sentence length in sentences up to N words shorter or longer.",
    )

    def options(self, features: str | None = None, characteristics: str | None = None) -> LiscaOptions:
        """The same options as the library takes them."""
        from treegauge.models.lisca.score import LiscaOptions, Smoothing

        smoothing: Smoothing | None = Smoothing()
        if self.smoothing == "none":
            smoothing = None
        elif self.smoothing is not None:
            try:
                smoothing = Smoothing(float(self.smoothing))
            except ValueError as error:
                raise OptionError(f"--smoothing {self.smoothing!r}; expected `none` or a number above 0") from error
        names = some_names(features, "features"), some_names(characteristics, "characteristics")
        return LiscaOptions(self.range_, smoothing, *names)


def model_option(more: str = "", required: bool = False) -> Any:
    """The option --model; more: what else the help says about it."""
    help_text = f"Use this model: a file, or the code of a bundled one (`treegauge model list`){more}."
    return option("-m", "--model", help_text, required=required)


def with_option(of: str) -> Any:
    """The option --with; of: the argument whose text was parsed otherwise."""
    help_text = f"Ask this other parse of the text of {of}, too: an arc that it has is more plausible. May be repeated."
    return file("--with", help_text, multiple=True)


class ScorerGroup(Arguments):
    """The scorer, and what it learns from: a model, or the corpus itself."""

    model_name: str | Model | None = model_option(f"; `{AUTO}` finds the language")  # after load_model, a model
    by_self: bool = flag("--self", "Judge TARGET by itself, without a model: each sentence by the other sentences.")
    scorer: str | None = option(
        "Score arcs by "
        + "; ".join(f"{name}: {entry.description}" for name, entry in REGISTRY.items() if name in NAMES)
        + ".  [default: choice; lisca if the model has no weights for choice, or if options of lisca are given]",
        metavar="NAME",
    )
    calibration: str | None = file(
        f"Rank by {REGISTRY[CALIBRATED].description}: FILE is from `treegauge calibrate`, or `any`, the bundled one."
    )
    others: tuple[str, ...] = with_option("TARGET")
    strict: bool = flag("Stop if the model does not fit TARGET; without it, a message says so.")

    def load_model(self, paths: Sequence[str]) -> None:
        """Load the model, for `auto` the model of the language; say that a model does not fit, or refuse it."""
        name = self.model_name
        if not isinstance(name, str) or self.by_self:
            return
        from treegauge.models.bundled_models import bundled_file, form_counts, guess_language, load_model
        from treegauge.models.fit import misfit

        corpus = _first_piece(paths)
        if name == AUTO:
            guess = guess_language(form_counts([corpus])) if corpus is not None else None
            if guess is None or not guess.known:
                near = f"; the nearest is {guess.code}" if guess else ""
                raise OptionError(f"--model auto: these words look like no language that has a bundled model{near}")
            message(f"--model {guess.code}: that is what the words look like")
            self.model_name = load_model(guess.code)
            return
        self.model_name, code = load_model(name), name if bundled_file(name) else None
        why = misfit(corpus, self.model_name, code) if corpus is not None else None
        if why and self.strict:
            raise ModelError(f"this model does not fit: {why}")
        if why:
            message(f"this model does not fit: {why}")

    def score_tags(self) -> None:
        """Use the scorer of tags."""
        if self.scorer is not None:
            raise OptionError("--unit tag has a scorer of its own and excludes --scorer")
        self.scorer = TAGS

    def make(self, pieces: Callable[[], Iterable[Corpus]] | None = None, **more: Any) -> Scorer:
        """The scorer. pieces: the corpus, if it is judged by itself; more: options of `scorer`."""
        from treegauge.scorers.registry import scorer

        more = {"model": self.model_name, "calibration": self.calibration} | more
        return scorer(self.scorer, by_itself=pieces, **more)


def read_others(target: CorpusSource, others: Sequence[str], on_error: str) -> OtherParses | None:
    """The other parses of a text, from files; None if there are no files."""
    if not others:
        return None
    from treegauge.scorers.other_parses import other_parses

    return other_parses(target, others, on_error=on_error)


def _first_piece(paths: Sequence[str]) -> Corpus | None:
    """The beginning of the first file; None if it is a pipe, which can be read once only, or cannot be read."""
    from treegauge.corpus.conllu import stream_conllu
    from treegauge.corpus.files import expand_paths

    try:
        first = expand_paths(paths)[0]
        if not os.path.isfile(first):
            return None
        return next(stream_conllu(first, columns=("form", "upos", "xpos", "deprel"), on_error="skip"), None)
    except TreegaugeError:  # the command reads the whole file later, and says then what is wrong
        return None


class OutputGroup(Arguments):
    """How tables are written: their format, and the file."""

    format_name: str = FORMAT
    output: str = OUTPUT
    beside: bool = flag("Write the tables as LaTeX and CSV, too, beside the file of -o.")

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        if self.beside and self.output == "-":
            raise click.UsageError("--beside; expected -o FILE, beside which to write")

    def write(self, tables: Any, text: str | None = None) -> None:
        """Write the tables, or the text if there is one; with --beside, write the tables as LaTeX and CSV, too."""
        from treegauge.reports.table_text import write_csv, write_tables

        write_file(write_tables(tables, self.format_name) if text is None else text, self.output)
        if not self.beside:
            return
        stem = os.path.splitext(self.output)[0]
        if self.output != f"{stem}.tex":
            write_file(write_tables(tables, "latex"), f"{stem}.tex")
        for k, table in enumerate(tables, 1):
            write_file(write_csv(table), f"{stem}.{k}{f'-{table.name}' if table.name else ''}.csv")


def check_figures(*paths: str | None) -> None:
    """Refuse figures with a wrong name, before the work begins."""
    from treegauge.reports.figures import ending_of

    for path in filter(None, paths):
        ending_of(path)


def write_figure(path: str | None, draw: Callable[..., Figure], *results: Any, tell: bool = False) -> None:
    """Draw results into a file, if one is asked for, in the format that its name ends in; tell: say so."""
    from treegauge.reports.figures import ending_of, picture

    if path:
        write_file(picture(draw(*results), ending_of(path)), path)
        message(*([f"wrote {path}"] if tell else []))


def write_file(content: str | bytes, path: str) -> None:
    """Write text or bytes to a file, whole or not at all, or to standard output."""
    from treegauge.corpus.files import write_whole

    with write_whole(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)
