"""Options that several commands have; a group of them reaches a command as one object."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli import LOG_KEY, ON_ERROR_KEY, STRICT
from treegauge.cli.arguments import Arguments, Declaration, choice, file, flag, number, option, share
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
    from treegauge.tables import Table


def _store_on_error(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Store the value of --on-error, so that the error of a malformed sentence can hint at it (`LazyGroup`).

    With --strict, which is read before, the value is "strict".
    """
    if ctx.meta.get(ON_ERROR_KEY) == STRICT:
        if value == "skip":
            raise click.UsageError("--strict refuses what is malformed: expected it without --on-error skip")
        return STRICT
    ctx.meta[ON_ERROR_KEY] = value
    return value


def _store_strict(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Store that --strict was given."""
    if value:
        ctx.meta[ON_ERROR_KEY] = STRICT


def skipping(help_text: str, strict: str = "") -> Any:
    """The option --on-error of a command; the error of a malformed sentence hints at it.

    strict: the help of the option --strict, which makes the value "strict"; without it, there is no such option.
    """
    on_error = choice(("stop", "skip"), help_text, callback=_store_on_error, rare=True)
    if not strict:
        return on_error
    is_strict = flag("--strict", strict, is_eager=True, expose_value=False, callback=_store_strict, rare=True)
    return Declaration(lambda attribute: [*on_error.make(attribute), *is_strict.make("strict")])


def is_strict() -> bool:
    """Whether --strict was given."""
    return click.get_current_context().meta.get(ON_ERROR_KEY) == STRICT


def format_option(values: Sequence[str], help_text: str) -> Any:
    """The option --format of a command; the first of the values is the default."""
    return choice(values, "-f", "--format", help_text)


FORMATS = (
    "text",
    "tsv",
    "csv",
    "json",
    "jsonl",
    "parquet",
    "markdown",
    "latex",
)  # a test checks the library has the same
_STRICT_HELP = "Refuse empty columns; without it, they are read as `_`, and a message says so."
ON_ERROR = skipping("Stop at a malformed sentence, or leave it out and say so.", _STRICT_HELP)
SCORING_ON_ERROR = skipping(
    "Stop at a malformed sentence, or leave it out and say so.",
    "Refuse empty columns, and a model that does not fit; without it, messages tell of them.",
)
TREES_ON_ERROR = skipping("Stop at a malformed tree, or leave it out and say so.")
CLUSTER = option(
    "Work on the Dask cluster at this address, tcp://… (extra `distributed`).", metavar="ADDRESS", rare=True
)
STYLE = choice(
    ("penn", "cess", "floresta", "ctb", "discbracket", "export", "tigerxml"),
    "--brackets",
    "Read trees as the Penn, CESS, Floresta or Chinese treebanks write them, or in a format of crossing branches.",
)
OUTPUT = file("-o", "--output", "Write to FILE; `-` is standard output.", default="-")
FORMAT = format_option(FORMATS, "Write tables in this format.")
BUNDLED = "any"  # the calibration that comes along
AUTO = "auto"  # instead of a model's name: use the bundled model of the language that the words look like


ALLOW_SKIPPED = share(
    "Take up to this share of the words, left out in malformed sentences, as no reason for a gate to fail.",
    default=0.01,
    show_default="1%",
    rare=True,
)


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

    features: str | None = option("lisca: use only these features, with commas.  [default: all of the model's preset]")
    characteristics: str | None = option(
        "lisca: use only these of N, P, D (2013: N, P, L), with commas.  [default: all]"
    )

    def options(self) -> LiscaOptions:
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
        names = some_names(self.features, "features"), some_names(self.characteristics, "characteristics")
        return LiscaOptions(self.range_, smoothing, *names)


def model_option(more: str = f"; `{AUTO}`, the default, finds the language") -> Any:
    """The option --model; more: what else the help says about it."""
    which = "Use this model, a file or a code such as en (`treegauge model list`)"
    return option("-m", "--model", f"{which}{more}.")


def with_option(of: str) -> Any:
    """The option --with; of: the argument whose text was parsed otherwise."""
    help_text = f"Ask this other parse of the text of {of}, too: an arc that it has is more plausible. May be repeated."
    return file("--with", help_text, multiple=True)


class ScorerGroup(Arguments):
    """The scorer, and what it learns from: a model, or the corpus itself."""

    model_name: str | Model | None = model_option()  # after load_model, a model
    by_self: bool = flag("--self", "Judge TARGET by itself, without a model: each sentence by the other sentences.")
    scorer: str | None = option(
        "Score arcs by "
        + "; ".join(f"{name}: {entry.description}" for name, entry in REGISTRY.items() if name in NAMES)
        + ".  [default: net if the model has one, else choice; lisca if the model has no weights for choice, or if "
        "options of lisca are given]",
        metavar="NAME",
        rare=True,
    )
    fast: bool = flag(
        "Leave out the net of the model, if it has one: several times faster, and less precise.", rare=True
    )
    calibration: str | None = file(
        f"Rank by {REGISTRY[CALIBRATED].description}: FILE is from `treegauge calibrate`, or `any`, the bundled one.",
        rare=True,
    )
    others: tuple[str, ...] = with_option("TARGET")

    def load_model(self, paths: Sequence[str]) -> None:
        """Load the model; without a name, that of the language, if the scorer needs one."""
        needs_none = self.scorer is not None and self.scorer in REGISTRY and not REGISTRY[self.scorer].needs
        if self.by_self or needs_none:
            return
        asked = self.scorer is not None or self.calibration is not None or not self.others
        model = (find_model if asked else model_beside_others)(self.model_name, paths)
        self.model_name = replace(model, net=None) if self.fast and model is not None else model

    def score_column(self, unit: str) -> None:
        """Use the scorer of tags, or of another column."""
        if self.scorer is not None:
            raise OptionError(f"--unit {unit} has a scorer of its own and excludes --scorer")
        self.scorer = TAGS if unit == "tag" else unit
        if self.calibration is not None and self.scorer != TAGS:
            raise OptionError(f"--unit {unit} has probabilities of its own and excludes --calibration")

    def make(
        self, pieces: Callable[[], Iterable[Corpus]] | None = None, target: CorpusSource | None = None, **more: Any
    ) -> Scorer:
        """The scorer. pieces: the corpus, if it is judged by itself; target: the corpus, to which `any` is fitted.

        more: options of `scorer`.
        """
        from treegauge.models.model import Model
        from treegauge.scorers.registry import scorer

        more = {"model": self.model_name, "calibration": self.calibration} | more
        if self.calibration == BUNDLED and target is not None and isinstance(more["model"], Model):
            from treegauge.scorers.estimate import calibration_for

            if self.scorer in (None, CALIBRATED):
                more["calibration"] = calibration_for(target, more["model"])
        return scorer(self.scorer, by_itself=pieces, **more)


def find_model(name: str | Model | None, paths: Sequence[str]) -> Model:
    """The model of a name, by default that of the language of the first file; messages say which, and if it misfits."""
    from treegauge.models.bundled_models import bundled_file, load_model
    from treegauge.models.fit import misfit

    if name is not None and not isinstance(name, str):
        return name
    if name in (None, AUTO):
        return load_model(found_code(paths))
    model, corpus = load_model(name), _first_piece(paths)
    why = misfit(corpus, model, name if bundled_file(name) else None) if corpus is not None else None
    if why and is_strict():
        raise ModelError(f"this model does not fit: {why}")
    message(*([f"this model does not fit: {why}"] if why else []))
    return model


def found_code(paths: Sequence[str]) -> str:
    """The bundled model of the language of the first file; a message says which, and how sure that is."""
    from treegauge.models.bundled_models import form_counts, guess_language

    corpus = _first_piece(paths)
    if corpus is None:
        raise OptionError("no --model, and the language of a pipe is not looked at; expected --model, such as en")
    guess = guess_language(form_counts([corpus]))
    if guess is None or not guess.known:
        near = f"; the nearest is {guess.code}" if guess else ""
        raise OptionError(
            f"no --model, and the words look like no language that has a bundled model{near}: expected --model"
        )
    message(f"--model {guess.code}: the words look like {guess.in_words}")
    return guess.code


def model_beside_others(name: str | Model | None, paths: Sequence[str]) -> Model | None:
    """The same where other parses are given: without a model, they are judged by how they agree; a message says so."""
    try:
        return find_model(name, paths)
    except OptionError as error:
        if name is not None:
            raise
        message(f"{error}; without one, parses are judged by how they agree")
        return None


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


def tables_content(tables: Sequence[Table], format_name: str) -> bytes:
    """Tables in a format; if sentences were left out, their signatures say so."""
    from treegauge.reports.table_text import table_bytes

    return table_bytes(list(map(signed, tables)), format_name)


def signed(table: Table) -> Table:
    """The table; if sentences were left out of what this command has read, its signature says so."""
    skipped = click.get_current_context().meta[LOG_KEY].signature()
    known = not skipped or "skipped:" in table.signature
    return table if known else replace(table, signature=f"{table.signature}|{skipped}")


class OutputGroup(Arguments):
    """How tables are written: their format, and the file."""

    format_name: str = FORMAT
    output: str = OUTPUT
    beside: bool = flag(
        "Write the tables as LaTeX and CSV, too, beside the file of -o, and say their names.", rare=True
    )
    csv_for_spreadsheets: bool = flag(
        "Put ' before text in the CSV of --beside that a spreadsheet would run as a formula: it begins with = + - @.",
        rare=True,
    )

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        if self.beside and self.output == "-":
            raise click.UsageError("--beside; expected -o FILE, beside which to write")
        if self.csv_for_spreadsheets and not self.beside:
            raise click.UsageError("--csv-for-spreadsheets; expected --beside, which writes CSV")

    def write(self, tables: Any, text: str | None = None) -> None:
        """Write the tables, or the text if there is one; with --beside, write the tables as LaTeX and CSV, too."""
        from treegauge.reports.table_text import write_csv
        from treegauge.tables import stacked

        write_file(tables_content(tables, self.format_name) if text is None else text, self.output)
        if not self.beside:
            return
        stem, files = os.path.splitext(self.output)[0], [self.output]
        if self.output != f"{stem}.tex":
            write_file(tables_content(tables, "latex"), f"{stem}.tex")
            files.append(f"{stem}.tex")
        for k, table in enumerate(stacked(tables), 1):
            files.append(f"{stem}.{k}{f'-{table.name}' if table.name else ''}.csv")
            write_file(write_csv(table, for_spreadsheets=self.csv_for_spreadsheets), files[-1])
        message(f"wrote {', '.join(files)}")


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
    """Write text or bytes to a file, whole or not at all, or to standard output; file names in it keep their bytes."""
    from treegauge.corpus.files import write_whole

    with write_whole(path) as stream:
        stream.write(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
