"""Options that belong together reach a command as one object."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.options import message, number
from treegauge.errors import ModelError, OptionError, TreegaugeError
from treegauge.scorers.registry import CALIBRATED, NAMES, REGISTRY, TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from treegauge.corpus.conllu import CorpusSource
    from treegauge.corpus.corpus import Corpus
    from treegauge.models.lisca.score import LiscaOptions
    from treegauge.models.model import Model
    from treegauge.scorers.other_parses import OtherParses
    from treegauge.scorers.scorer import Scorer

Command = Callable[..., Any]
AUTO = "auto"  # for a model's name: the bundled one of the language that the words look like
FORMATS = ("text", "tsv", "json", "markdown", "latex")  # a test holds them against the library's


def gathered(name: str, into: type, *options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Options, one for each field of a class, whose values reach the command as one object of that class."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_object(*args: Any, **values: Any) -> Any:
            own = {field.name: values.pop(field.name) for field in fields(into)}
            return command(*args, **values, **{name: into(**own)})

        found: Command = with_object
        for option in reversed(options):
            found = option(found)
        return found

    return decorate


def names_of(text: str, what: str) -> tuple[str, ...]:
    """The names in a list with commas, at least one."""
    found = tuple(name.strip() for name in text.split(",") if name.strip())
    if not found:
        raise OptionError(f"{what} {text!r}; expected a name, or several with commas")
    return found


def some_names(text: str | None, what: str) -> tuple[str, ...] | None:
    """The names in a list with commas; None where there is no list."""
    return None if text is None else names_of(text, what)


@dataclass(frozen=True, slots=True)
class LiscaGroup:
    """How LISCA scores."""

    smoothing: str | None
    range_: int

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


SMOOTHING = click.option(
    "--smoothing",
    metavar="ALPHA",
    help="lisca: smooth a count F of N to (F+ALPHA)/(N+2·ALPHA); `none` as in the papers.  [default: 0.03]",
)
RANGE = number(
    0,
    2,
    "--range",
    "range_",
    help="lisca: compare a feature that depends on sentence length in sentences up to N words shorter or longer.",
)
lisca_settings = gathered("lisca", LiscaGroup, SMOOTHING, RANGE)


def model_option(required: bool, more: str = "") -> Callable[[Command], Command]:
    """The option --model; more: what else it takes."""
    help_text = f"Use this model: a file, or the code of a bundled one (`treegauge model list`){more}."
    return click.option("-m", "--model", "model_name", required=required, help=help_text)


@dataclass(frozen=True, slots=True)
class ScorerGroup:
    """Which scorer, over what: a model, or the corpus itself."""

    model_name: str | Model | None  # a model, once it was loaded
    by_self: bool
    scorer: str | None
    calibration: str | None
    others: tuple[str, ...]
    strict: bool

    def fitted(self, paths: Sequence[str]) -> ScorerGroup:
        """The same with the model loaded, for `auto` that of the language; one that does not fit is said or refused."""
        name = self.model_name
        if not isinstance(name, str) or self.by_self:
            return self
        from treegauge.models.bundled_models import bundled_file, form_counts, guess_language, load_model
        from treegauge.models.fit import misfit

        corpus = _first_piece(paths)
        if name == AUTO:
            guess = guess_language(form_counts([corpus])) if corpus is not None else None
            if guess is None or not guess.known:
                near = f"; the nearest is {guess.code}" if guess else ""
                raise OptionError(f"--model auto: these words look like no language that has a bundled model{near}")
            message(f"--model {guess.code}: that is what the words look like")
            return replace(self, model_name=load_model(guess.code))
        model, code = load_model(name), name if bundled_file(name) else None
        why = misfit(corpus, model, code) if corpus is not None else None
        if why and self.strict:
            raise ModelError(f"this model does not fit: {why}")
        if why:
            message(f"this model does not fit: {why}")
        return replace(self, model_name=model)

    def of(self, unit: str) -> ScorerGroup:
        """That of a unit: tags have a scorer of their own."""
        if unit != "tag":
            return self
        if self.scorer is not None:
            raise OptionError("--unit tag has a scorer of its own and excludes --scorer")
        return replace(self, scorer=TAGS)

    def make(self, pieces: Callable[[], Iterable[Corpus]] | None = None, **more: Any) -> Scorer:
        """The scorer; pieces are those of the corpus, if it is judged by itself. more: options of `scorer`."""
        from treegauge.scorers.registry import scorer

        more = {"model": self.model_name, "calibration": self.calibration} | more
        return scorer(self.scorer, by_itself=pieces, **more)

    def opinions(self, target: CorpusSource, on_error: str) -> OtherParses | None:
        """The other parses of TARGET, if some are given."""
        return read_others(target, self.others, on_error)


def with_option(of: str) -> Callable[[Command], Command]:
    """The option --with; of: what the other parses are parses of."""
    help_text = f"Ask this other parse of the text of {of}, too: an arc that it has is more plausible. May be repeated."
    return click.option("--with", "others", metavar="FILE", multiple=True, help=help_text)


def read_others(target: CorpusSource, others: Sequence[str], on_error: str) -> OtherParses | None:
    """Other parses of a text, in files; None if there are none."""
    if not others:
        return None
    from treegauge.scorers.other_parses import other_parses

    return other_parses(target, others, on_error=on_error)


scorer_options = gathered(
    "scoring",
    ScorerGroup,
    model_option(required=False, more=f"; `{AUTO}` finds the language"),
    click.option(
        "--self",
        "by_self",
        is_flag=True,
        help="Judge TARGET by itself, without a model: each sentence by the other sentences.",
    ),
    click.option(
        "--scorer",
        metavar="NAME",
        help="Score arcs by "
        + "; ".join(f"{name}: {REGISTRY[name].description}" for name in NAMES)
        + ".  [default: choice; lisca if the model has no weights for choice, or if options of lisca are given]",
    ),
    click.option(
        "--calibration",
        metavar="FILE",
        help=f"Rank by {REGISTRY[CALIBRATED].description}: FILE is from `treegauge calibrate`, or `any`, the bundled "
        "one.",
    ),
    with_option("TARGET"),
    click.option(
        "--strict", is_flag=True, help="Stop if the model does not fit TARGET; without it, a message says so."
    ),
)


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


@dataclass(frozen=True, slots=True)
class OutputGroup:
    """Tables: in which format, and where to."""

    form: str
    output: str
    beside: bool

    def __post_init__(self) -> None:
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


OUTPUT = click.option("-o", "--output", default="-", metavar="FILE", help="Write to FILE; `-` is standard output.")
FORMAT = click.option(
    "-f", "--format", "form", type=click.Choice(FORMATS), default="text", help="Write tables in this format."
)
table_output = gathered(
    "out",
    OutputGroup,
    FORMAT,
    OUTPUT,
    click.option("--beside", is_flag=True, help="Write the tables as LaTeX and CSV, too, beside the file of -o."),
)


def write_file(content: str | bytes, path: str) -> None:
    """Text or bytes into a file, whole or not at all, or to standard output."""
    from treegauge.corpus.files import write_whole

    with write_whole(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)
