"""How a command declares what it takes: as the attributes of a class, an object of which the command gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click


@dataclass(frozen=True, slots=True)
class Declaration:
    """What an attribute stands for; `make` gives click's parameter of the attribute's name."""

    make: Callable[[str], click.Parameter]


class Arguments:
    """The arguments and options of a command, or some that belong together. Each attribute declares one.

    An object has their values instead. The order of the attributes is the order in the help.
    """

    def __init__(self, **values: Any) -> None:
        for name, declared in self._declared().items():
            vars(self)[name] = values[name] if isinstance(declared, Declaration) else declared(**values)

    @classmethod
    def _declared(cls) -> dict[str, Any]:
        return {name: value for name, value in vars(cls).items() if isinstance(value, Declaration | type)}

    @classmethod
    def params(cls) -> list[click.Parameter]:
        """The parameters of click."""
        made: list[click.Parameter] = []
        for name, declared in cls._declared().items():
            made += [declared.make(name)] if isinstance(declared, Declaration) else declared.params()
        return made


def group(arguments: type[Arguments]) -> Any:
    """An attribute that is an object of another class, with arguments that belong together."""
    return arguments


def argument(**more: Any) -> Any:
    """An argument, which has a place and no name."""
    return Declaration(lambda attribute: click.Argument([attribute], **more))


def option(*words: str, **more: Any) -> Any:
    """An option. words: its names, where the attribute has another one; then its help."""
    *names, help_text = words

    def make(attribute: str) -> click.Parameter:
        return click.Option([attribute, *(names or [f"--{attribute.replace('_', '-')}"])], help=help_text, **more)

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
    """An option that takes a whole number, at least so large."""
    return option(*words, type=click.IntRange(least), metavar="N", **({} if default is None else {"default": default}))


def command(
    arguments: type[Arguments], *names: str, of: Any = click, **more: Any
) -> Callable[[Callable[..., None]], click.Command]:
    """Makes a command of a function that takes an object of that class. of: the group of commands it belongs to."""

    def decorate(function: Callable[..., None]) -> click.Command:
        @wraps(function)
        def run(**values: Any) -> None:
            function(arguments(**values))

        made: click.Command = of.command(*names, params=arguments.params(), **more)(run)
        return made

    return decorate
