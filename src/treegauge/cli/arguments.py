"""The arguments of a command are declared as attributes of a class; the command gets an object of that class."""

from __future__ import annotations

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
            vars(self)[name] = values[name] if isinstance(declaration, Declaration) else declaration(**values)

    @classmethod
    def _declarations(cls) -> dict[str, Any]:
        return {name: value for name, value in vars(cls).items() if isinstance(value, Declaration | type)}

    @classmethod
    def params(cls) -> list[click.Parameter]:
        """The parameters of click, those of the groups among them."""
        params: list[click.Parameter] = []
        for name, declaration in cls._declarations().items():
            params += declaration.make(name) if isinstance(declaration, Declaration) else declaration.params()
        return params


def group(arguments: type[Arguments]) -> Any:
    """An attribute whose value is an object of another class: arguments that belong together."""
    return arguments


def argument(**more: Any) -> Any:
    """An argument: users give it by its place, without a name."""
    return Declaration(lambda attribute: [click.Argument([attribute], **more)])


def option(*words: str, **more: Any) -> Any:
    """An option. words: its names, if they are not the attribute's name; then its help."""
    *names, help_text = words

    def make(attribute: str) -> list[click.Parameter]:
        return [click.Option([attribute, *(names or [f"--{attribute.replace('_', '-')}"])], help=help_text, **more)]

    return Declaration(make)


def flag(*words: str) -> Any:
    """An option without a value."""
    return option(*words, is_flag=True)


def file(*words: str, **more: Any) -> Any:
    """An option that takes the name of a file."""
    return option(*words, metavar="FILE", **more)


def repeated(*words: str, **more: Any) -> Any:
    """An option that may be given several times."""
    return option(*words, multiple=True, **more)


def choice(values: Sequence[str], *words: str, **more: Any) -> Any:
    """An option that takes one of the values; the first is the default."""
    return option(*words, type=click.Choice(values), default=values[0], **more)


def number(least: int, default: int | None, *words: str) -> Any:
    """An option that takes a whole number, `least` or more."""
    return option(*words, type=click.IntRange(least), metavar="N", **({} if default is None else {"default": default}))


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

        result: click.Command = of.command(*names, params=arguments.params(), **more)(run)
        return result

    return decorate
