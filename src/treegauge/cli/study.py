"""`treegauge study`: runs a whole study, described by a file, into one folder."""

from __future__ import annotations

import glob
import json
import os
import shlex
from pathlib import Path

import click

from treegauge.cli.arguments import Arguments, argument, command, flag, option
from treegauge.cli.groups import write_file
from treegauge.cli.messages import message
from treegauge.errors import OptionError, TreegaugeError
from treegauge.wording import counted, printable


class StudyArguments(Arguments):
    """The arguments of `treegauge study`."""

    file: str = argument(metavar="STUDY.toml")
    output: str = option(
        "-o", "--output", "Write models, tables and figures into this folder.", required=True, metavar="DIR"
    )
    again: bool = flag("Do everything again, even what is done.")
    only_list: bool = flag("--list", "List the commands that would run, and run none.")


@command(StudyArguments)
def study(args: StudyArguments) -> None:
    """Run the analyses of STUDY.toml: languages with gold, parser output and reference, and what to find out.

    Each analysis is a treegauge command (judge, eval, difficulty, challenge, typology, bits, agreement, ecc, flatten,
    surprisal, parseval, chaos parse, chaos eval). What was done before with the same settings, input and version is
    not done again, so an interrupted study can go on. The page index.html in DIR shows all tables and figures, and
    says how each was computed; tables are there as LaTeX and CSV, too.

    \b
    Example:
      treegauge study study.toml -o results/
    """
    from treegauge.cli.study_file import INDEX, STATE, read_study, study_title
    from treegauge.reports.study_page import StudyPart, study_html
    from treegauge.reports.table_text import write_json

    steps = read_study(args.file, args.output)
    if args.only_list:
        click.echo("".join(f"treegauge {printable(shlex.join(step.args))}\n" for step in steps), nl=False)
        return
    try:
        os.makedirs(os.path.join(args.output, "models"), exist_ok=True)
    except OSError as error:
        raise OptionError(f"{args.output}: {error.strerror}") from error
    state_file = os.path.join(args.output, STATE)
    state = {} if args.again else _state(state_file)
    for k, step in enumerate(steps, 1):
        key = step.key()
        if state.get(step.name) == key and all(os.path.isfile(path) for path in step.outputs):
            message(f"{k} of {len(steps)}: {step.name}: done before")
            continue
        message(f"{k} of {len(steps)}: {step.name}")
        _run(args.file, step.name, list(step.args))
        state[step.name] = key
        write_file(write_json(state), state_file)
    parts = [StudyPart(step.name, step.args, (*step.outputs, *_csv_files(step.outputs))) for step in steps]
    index = os.path.join(args.output, INDEX)
    write_file(study_html(study_title(args.file), parts, args.output), index)
    n_files = counted(sum(len(step.outputs) for step in steps), "file")
    message(f"{args.output}: {n_files} of {counted(len(steps), 'step')}; open {index}")


def _csv_files(outputs: tuple[str, ...]) -> list[str]:
    """The CSV tables that a step wrote beside its output."""
    return sorted(glob.glob(f"{glob.escape(os.path.splitext(outputs[0])[0])}.[0-9]*.csv"))


def _run(file: str, name: str, args: list[str]) -> None:
    """Run one command in this process; its errors name the analysis."""
    from treegauge.cli import GateError, cli

    try:
        cli.main(args=args, prog_name="treegauge", standalone_mode=False)
    except GateError as error:
        raise GateError(f"{file}: {name}: {error.message}") from error
    except click.ClickException as error:
        raise OptionError(f"{file}: {name}: {error.format_message()}") from error
    except TreegaugeError as error:
        raise type(error)(f"{file}: {name}: {error}") from error


def _state(path: str) -> dict[str, str]:
    """The steps that were done: step -> key; empty if the file cannot be read."""
    try:
        state = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}
