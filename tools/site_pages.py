"""Hooks of MkDocs: the reference pages, made from the code, and links of the pages that leave the site.

`mkdocs build` runs them. The reference says what `--help` and the docstrings say; it cannot fall behind.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

import click

import treegauge
from treegauge.cli import SECTIONS, cli

OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]+\)")  # a file of the repository, which the site does not have


def on_files(files: Any, config: Any) -> Any:
    """Add the reference."""
    from mkdocs.structure.files import File

    for name, made in (("commands", commands_page), ("python", python_page)):
        files.append(File.generated(config, f"reference/{name}.md", content=made()))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A link to a file of the repository becomes its name."""
    return OUTSIDE.sub(r"\1", markdown)


def commands_page() -> str:
    """Every command with its help, in the order of `treegauge --help`."""
    lines = ["# Commands", "", "What `treegauge COMMAND --help` says of every command.", ""]
    context = click.Context(cli, info_name="treegauge", max_content_width=100)
    for section, names in SECTIONS.items():
        lines += [f"## {section}", ""]
        for name in names:
            command = cli.get_command(context, name)
            assert command is not None
            lines += _command_lines(command, click.Context(command, parent=context, info_name=name))
    return "\n".join(lines)


def _command_lines(command: click.Command, context: click.Context) -> Iterator[str]:
    yield from (f"### `{context.command_path}`", "", "```text", command.get_help(context), "```", "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _command_lines(inner, click.Context(inner, parent=context, info_name=name))


def python_page() -> str:
    """Every name of `import treegauge as tg`, its signature and its docstring; of classes, their public members."""
    lines = ["# Python, name by name", "", "What `import treegauge as tg` gives. [From Python](../python.md) shows how"]
    lines += ["the names work together.", ""]
    for name in treegauge.__all__:
        if name.startswith("_"):
            continue
        found = getattr(treegauge, name)
        lines += [f"## `tg.{name}`", "", *_documented(name, found)]
        if inspect.isclass(found) and not issubclass(found, Exception):
            for member, value in vars(found).items():
                target = getattr(value, "func", getattr(value, "fget", value))  # of properties, what is called
                if not member.startswith("_") and inspect.isfunction(target) and target.__doc__:
                    lines += [f"### `{name}.{member}`", "", *_documented(member, target, inspect.isfunction(value))]
    return "\n".join(lines)


def _documented(name: str, found: Any, callable_: bool = True) -> Iterator[str]:
    if callable_ and not (inspect.isclass(found) and is_dataclass(found)):
        try:
            signature = str(inspect.signature(found)).replace("treegauge.", "")
            yield from ("```python", f"{name}{signature}", "```", "")
        except ValueError:  # pragma: no cover, a builtin
            pass
    text = inspect.getdoc(found) or ""
    first, _, rest = text.partition("\n\n")
    yield from (first.replace("\n", " "), "")
    if rest:
        yield from ("```text", rest, "```", "")
