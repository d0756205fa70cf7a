"""The arguments of a command are declared as attributes of a class; the command gets an object of that class."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of an argument or option; `make` takes the attribute's name and returns click's parameters.

    They are one, unless another option changes the value of the attribute, too.
    """

    make: Callable[[str], list[click.Parameter]]


class Arguments:
    """The arguments and options of a command, or some of them that belong together.

    Each attribute of the class declares one; in an object it has the value. Help lists them in the order of the class.
    """

    def __init__(self, **values: Any) -> None:
        for name, declaration in self._declarations().items():
            is_one = isinstance(declaration, Declaration)
            vars(self)[name] = values[name] if is_one else declaration.arguments(**values)

    @classmethod
    def _declarations(cls) -> dict[str, Any]:
        return {name: value for name, value in vars(cls).items() if isinstance(value, Declaration | Group)}

    @classmethod
    def params(cls) -> list[click.Parameter]:
        """The parameters of click, those of the groups among them."""
        params: list[click.Parameter] = []
        for name, declaration in cls._declarations().items():
            params += declaration.make(name) if isinstance(declaration, Declaration) else declaration.params()
        return params


@dataclass(frozen=True, slots=True)
class Group:
    """Arguments of another class, which are arguments of this command, too."""

    arguments: type[Arguments]
    rare: bool

    def params(self) -> list[click.Parameter]:
        """The parameters of click."""
        params = self.arguments.params()
        for param in params:
            if isinstance(param, Option):
                param.rare = param.rare or self.rare
        return params


def group(arguments: type[Arguments], *, rare: bool = False) -> Any:
    """An attribute whose value is an object of another class: arguments that belong together.

    rare: `--help` leaves them out, `--help-all` shows them.
    """
    return Group(arguments, rare)


class Option(click.Option):
    """An option; `--help` leaves a rare one out, `--help-all` shows all."""

    rare = False


class Command(click.Command):
    """A command with two helps: `--help` is short, `--help-all` has all options and all that is said of them."""

    shows_all = False

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters, --help-all among them."""
        *params, of_help = super().get_params(ctx)
        return [*params, self._help_all(), of_help]

    def _help_all(self) -> click.Option:
        def show(ctx: click.Context, param: click.Parameter, value: bool) -> None:
            if value and not ctx.resilient_parsing:
                self.shows_all = True
                text = ctx.get_help()
                self.shows_all = False
                click.echo(text, color=ctx.color)
                raise click.exceptions.Exit(0)

        said = "Show all options, and more about each."
        return click.Option(["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=show, help=said)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; an unknown option is answered with the one that was probably meant."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            names = {name for param in self.get_params(ctx) for name in param.opts}
            meant = [name for name in MEANT.get(error.option_name, ()) if name in names]
            if not meant:
                raise
            text = f"No such option '{error.option_name}'. Did you mean '{meant[0]}'?"
            raise click.UsageError(text, ctx) from error

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does; the short help has the first paragraph and the examples."""
        full = self.help
        if full and not self.shows_all:
            first, *others = inspect.cleandoc(full).split("\n\n")
            self.help = "\n\n".join([first, *(part for part in others if part.startswith("\b"))])
        super().format_help_text(ctx, formatter)
        self.help = full

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options; the short help has the first sentence about each that is not rare."""
        params = self.get_params(ctx)
        shown = [param for param in params if self.shows_all or not getattr(param, "rare", False)]
        records = [
            (names, text if self.shows_all else _first_sentence(text))
            for param in shown
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None
            for names, text in (record,)
        ]
        with formatter.section("Options"):
            formatter.write_dl(records)


def _first_sentence(text: str) -> str:
    """The first part of what is said about an option, up to a colon, semicolon or full stop, and its default."""
    said, _, default = text.partition("  [")
    said = re.sub(r" \([^()]*\)", "", said)
    label = (re.match(r"[-a-z, ]+: ", said) or [""])[0]  # such as `lisca: `
    first = label + re.split(r"(?<=[^.…])[.:;](?=\s|$)", said.removeprefix(label), maxsplit=1)[0].rstrip(".")
    kept = [part for part in re.findall(r"default: [^;\]]*", default) if len(part) <= _SHORT]
    return f"{first}.  [{kept[0]}]" if kept else f"{first}."


# options that people try -> what they may mean, the likeliest first
MEANT = {
    "--lang": ("--model",),
    "--language": ("--model",),
    "--reference": ("--model", "--with-reference"),
    "--gold": ("--without-gold",),
    "--out": ("--output",),
    "--output-format": ("--format",),
    "--outfile": ("--output",),
    "--threads": ("--workers", "--threads"),
    "--jobs": ("--workers", "--threads"),
    "--processes": ("--workers",),
    "--limit": ("--top",),
    "--number": ("--top",),
    "--sort": ("--order",),
    "--other": ("--with",),
    "--threshold": ("--accuracy", "--only-if"),
    "--name": ("--title",),
}
_SHORT = 30  # characters of a default that the short help shows


def argument(**more: Any) -> Any:
    """An argument: users give it by its place, without a name."""
    return Declaration(lambda attribute: [click.Argument([attribute], **more)])


def option(*words: str, rare: bool = False, **more: Any) -> Any:
    """An option. words: its names, if they are not the attribute's name; then its help. rare: see `Option`."""
    *names, help_text = words

    def make(attribute: str) -> list[click.Parameter]:
        made = Option([attribute, *(names or [f"--{attribute.replace('_', '-')}"])], help=help_text, **more)
        made.rare = rare
        return [made]

    return Declaration(make)


def flag(*words: str, **more: Any) -> Any:
    """An option without a value."""
    return option(*words, is_flag=True, **more)


def file(*words: str, **more: Any) -> Any:
    """An option that takes the name of a file."""
    return option(*words, metavar="FILE", **more)


def repeated(*words: str, **more: Any) -> Any:
    """An option that may be given several times."""
    return option(*words, multiple=True, **more)


def choice(values: Sequence[str], *words: str, **more: Any) -> Any:
    """An option that takes one of the values; the first is the default."""
    return option(*words, type=click.Choice(values), default=values[0], **more)


def number(least: int, default: int | None, *words: str, **more: Any) -> Any:
    """An option that takes a whole number, `least` or more."""
    more |= {} if default is None else {"default": default}
    return option(*words, type=click.IntRange(least), metavar="N", **more)


class _Share(click.ParamType):  # type: ignore[type-arg]
    """A share: 0.95, 95 and 95% are the same; 1 may be 1 % or 100 %, and is refused."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The share as a fraction."""
        if isinstance(value, float):  # a default
            return value
        try:
            number = float(value.removesuffix("%"))
        except ValueError:
            number = -1.0
        percent = value.endswith("%") or number > 1
        if number == 1 and not percent and "." not in value:
            self.fail("1 may be 1 % or 100 %; expected 1% or 100%", param, ctx)
        if not 0 <= number <= (100 if percent else 1):
            self.fail(f"{value!r}; expected per cent, such as 95, or a fraction, such as 0.95", param, ctx)
        return number / 100 if percent else number


def share(*words: str, **more: Any) -> Any:
    """An option that takes a share, in per cent or as a fraction; its value is a fraction."""
    return option(*words, type=_Share(), metavar="SHARE", **more)


def command(
    arguments: type[Arguments], *names: str, of: Any = click, **more: Any
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of a function that takes an object of that class. of: the group that the command belongs to."""

    def decorate(function: Callable[..., None]) -> click.Command:
        @wraps(function)
        def run(**values: Any) -> None:
            function(arguments(**values))

        result: click.Command = of.command(*names, cls=Command, params=arguments.params(), **more)(run)
        return result

    return decorate
