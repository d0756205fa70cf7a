"""Options that belong together reach a command as one object."""

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


def _asked(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Note what is asked for, so that an error can say what else there is (`LazyGroup`)."""
    ctx.meta[ON_ERROR_KEY] = value
    return value


def skipping(help_text: str) -> Any:
    """The option --on-error of a command; the error of a malformed sentence hints at it."""
    return choice(("stop", "skip"), help_text, callback=_asked)


def format_option(values: Sequence[str], help_text: str) -> Any:
    """The option --format of a command; the first of the values is the default."""
    return choice(values, "-f", "--format", help_text)


FORMATS = ("text", "tsv", "json", "markdown", "latex")  # a test holds them against the library's
ON_ERROR = skipping("Stop at a malformed sentence or tree, or leave it out and say so.")
CLUSTER = option("Work on the Dask cluster at this address, tcp://… (extra `distributed`).", metavar="ADDRESS")
STYLE = choice(
    ("penn", "cess", "floresta"),
    "--brackets",
    "Read brackets as the Penn, the CESS or the Floresta treebanks write them.",
)
OUTPUT = file("-o", "--output", "Write to FILE; `-` is standard output.", default="-")
FORMAT = format_option(FORMATS, "Write tables in this format.")
AUTO = "auto"  # for a model's name: the bundled one of the language that the words look like


def some_names(text: str | None, what: str) -> tuple[str, ...] | None:
    """The names in a list with commas, at least one; None where there is no list."""
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise OptionError(f"{what} {text!r}; expected a name, or several with commas")
    return names


class LiscaGroup(Arguments):
    """How LISCA scores."""

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
        """The options of LISCA."""
        from treegauge.models.lisca.score import LiscaOptions, Smoothing

        chosen: Smoothing | None = Smoothing()
        if self.smoothing == "none":
            chosen = None
        elif self.smoothing is not None:
            try:
                chosen = Smoothing(float(self.smoothing))
            except ValueError as error:
                raise OptionError(f"--smoothing {self.smoothing!r}; expected `none` or a number above 0") from error
        wanted = some_names(features, "features"), some_names(characteristics, "characteristics")
        return LiscaOptions(self.range_, chosen, *wanted)


def model_option(more: str = "", required: bool = False) -> Any:
    """The option --model; more: what else it takes."""
    help_text = f"Use this model: a file, or the code of a bundled one (`treegauge model list`){more}."
    return option("-m", "--model", help_text, required=required)


def with_option(of: str) -> Any:
    """The option --with; of: what the other parses are parses of."""
    help_text = f"Ask this other parse of the text of {of}, too: an arc that it has is more plausible. May be repeated."
    return file("--with", help_text, multiple=True)


class ScorerGroup(Arguments):
    """Which scorer, over what: a model, or the corpus itself."""

    model_name: str | Model | None = model_option(f"; `{AUTO}` finds the language")  # a model, once it was loaded
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
        """Load the model, for `auto` that of the language; a model that does not fit is told or refused."""
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
        """Take the scorer of tags."""
        if self.scorer is not None:
            raise OptionError("--unit tag has a scorer of its own and excludes --scorer")
        self.scorer = TAGS

    def make(self, pieces: Callable[[], Iterable[Corpus]] | None = None, **more: Any) -> Scorer:
        """The scorer; pieces are those of the corpus, if it is judged by itself. more: options of `scorer`."""
        from treegauge.scorers.registry import scorer

        more = {"model": self.model_name, "calibration": self.calibration} | more
        return scorer(self.scorer, by_itself=pieces, **more)


def read_others(target: CorpusSource, others: Sequence[str], on_error: str) -> OtherParses | None:
    """Other parses of a text, in files; None if there are none."""
    if not others:
        return None
    from treegauge.scorers.other_parses import other_parses

    return other_parses(target, others, on_error=on_error)


def _first_piece(paths: Sequence[str]) -> Corpus | None:
    """The beginning of the first file; nothing of a pipe, which can be read once only, or of what cannot be read."""
    from treegauge.corpus.conllu import stream_conllu
    from treegauge.corpus.files import expand_paths

    try:
        first = expand_paths(paths)[0]
        if not os.path.isfile(first):
            return None
        return next(stream_conllu(first, columns=("form", "upos", "xpos", "deprel"), on_error="skip"), None)
    except TreegaugeError:  # whoever reads all of it says what is wrong
        return None


class OutputGroup(Arguments):
    """Tables: in which format, and where to."""

    form: str = FORMAT
    output: str = OUTPUT
    beside: bool = flag("Write the tables as LaTeX and CSV, too, beside the file of -o.")

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        if self.beside and self.output == "-":
            raise click.UsageError("--beside; expected -o FILE, beside which to write")

    def write(self, tables: Any, text: str | None = None) -> None:
        """Write tables, or a text that was made of them; with --beside, also as LaTeX and CSV."""
        from treegauge.reports.table_text import write_tables

        write_file(write_tables(tables, self.form) if text is None else text, self.output)
        if self.beside:
            self._write_beside(tables)

    def _write_beside(self, tables: Any) -> None:
        from treegauge.reports.table_text import write_csv, write_tables

        stem = os.path.splitext(self.output)[0]
        if self.output != f"{stem}.tex":
            write_file(write_tables(tables, "latex"), f"{stem}.tex")
        for k, table in enumerate(tables, 1):
            write_file(write_csv(table), f"{stem}.{k}{f'-{table.name}' if table.name else ''}.csv")


def check_figures(*paths: str | None) -> None:
    """Refuse a wrong name of a figure before the work begins."""
    from treegauge.reports.figures import ending_of

    for path in filter(None, paths):
        ending_of(path)


def write_figure(figure: Figure, path: str) -> None:
    """A figure into a file, in the format that its name ends in."""
    from treegauge.reports.figures import ending_of, picture

    write_file(picture(figure, ending_of(path)), path)


def write_file(content: str | bytes, path: str) -> None:
    """Text or bytes into a file, whole or not at all, or to standard output."""
    from treegauge.corpus.files import write_whole

    with write_whole(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)
