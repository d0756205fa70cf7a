"""Reads the file of a study: languages, and analyses of them. An analysis is one command, or one for each language."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import click

from treegauge.corpus.files import read_toml
from treegauge.errors import OptionError
from treegauge.models.lisca.features import find_preset
from treegauge.version import __version__

STATE = "study.state.json"  # which steps were done
INDEX = "index.html"
PICTURE = "--figure"  # options that begin so write a picture; the study says where, its file only the ending
ELSEWHERE = {"--output", "--beside", "--manifest", "--trees"}  # other options that write files; the study says where
ENDINGS = {"text": "txt", "markdown": "md", "latex": "tex"}  # format -> how the names of its files end
ENDINGS |= {name: name for name in ("tsv", "csv", "json", "jsonl", "parquet", "conllu", "svg", "prolog", "html")}
RUNS = "runs"  # an option of ecc: names of earlier analyses, whose results it takes


@dataclass(frozen=True, slots=True)
class Corpora:
    """The files of a language, and its model, which exists already or is built by the study."""

    name: str
    gold: str | None
    system: str | None
    model: str  # empty if there is none
    model_file: str | None  # the model's file; None for a bundled one
    reference: str | None
    preset: str = "2020"
    annotations: tuple[str, ...] = ()  # one text by several annotators
    trees: str | None = None  # constituency trees: a file, a folder or a quoted glob
    test_trees: str | None = None
    parsed_trees: str | None = None  # what a parser made of the words of `trees`

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files that a command may read."""
        named = (self.gold, self.system, self.model_file, self.trees, self.test_trees, self.parsed_trees)
        return (*(file for file in named if file), *self.annotations)


@dataclass(frozen=True, slots=True)
class Step:
    """One command: its arguments, the files it reads and those it writes."""

    name: str
    args: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def key(self) -> str:
        """A hash of version, arguments and the content of all input: a step with the same key need not run again."""
        hashes = []
        for path in self.inputs:
            for file in _files(path):
                with open(file, "rb") as stream:
                    hashes.append(hashlib.file_digest(stream, "sha256").hexdigest())
        return hashlib.sha256(json.dumps([__version__, self.args, hashes]).encode()).hexdigest()


def _files(path: str) -> list[str]:
    """The file of that name, or all files of a folder."""
    if not os.path.isdir(path):
        return [path]
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)


def read_study(path: str, folder: str) -> list[Step]:
    """The steps of a study, models first; they write into the folder.

    Paths are relative to the study's file. All input must exist, and all names must be known, before anything is done.
    """
    content = read_toml(path)
    unknown = sorted(set(content) - {"title", "languages", "analysis"})
    if unknown:
        raise OptionError(f"{path}: {unknown[0]!r}; expected title, [languages.NAME] and [[analysis]]")
    tables, analyses = content.get("languages", {}), content.get("analysis", [])
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise OptionError(f"{path}: languages; expected tables [languages.NAME]")
    languages = {name: _language(path, name, table, folder) for name, table in tables.items()}
    if not languages or not isinstance(analyses, list) or not analyses:
        raise OptionError(f"{path}: expected at least one [languages.NAME] and one [[analysis]]")
    steps = [_model_step(language) for language in languages.values() if language.reference]
    for k, analysis in enumerate(analyses, 1):
        steps += _analysis_steps(f"{path}: analysis {k}", analysis, languages, folder)
    names = [step.name for step in steps]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"{path}: two analyses {twice!r}; expected each `name` once")
    _refuse_same_files(path, steps, folder)
    return steps


def _refuse_same_files(path: str, steps: Sequence[Step], folder: str) -> None:
    """Raise OptionError if two steps would write the same file, or a file of the study itself.

    Names that differ only in their endings, in case, or in spaces and hyphens are the same: not every system and not
    every table can tell them apart.
    """
    owner: dict[str, str] = {}
    own = Step("the study itself", (), (), (os.path.join(folder, STATE),))
    page = Step("the study itself", (), (), (os.path.join(folder, INDEX),))
    for step in (own, page, *steps):
        stem = os.path.splitext(step.outputs[0])[0]
        for file in {name.casefold() for name in (stem, *step.outputs)}:
            other = owner.setdefault(file, step.name)
            if other != step.name:
                raise OptionError(f"{path}: {other!r} and {step.name!r} would write {file}; expected another `name`")


def study_title(path: str) -> str:
    """The title of a study; without one, the name of its file."""
    return str(read_toml(path).get("title") or os.path.basename(path))


def _language(path: str, name: str, table: dict[str, Any], folder: str) -> Corpora:
    """The files of the table [languages.NAME], which must exist."""
    where = f"{path}: [languages.{name}]"
    _check_name(where, name)
    texts = {"gold", "system", "annotations", "trees"}
    unknown = sorted(set(table) - texts - {"test_trees", "parsed_trees", "model", "reference", "preset"})
    if unknown:
        known = "gold, system, annotations, trees, test_trees, parsed_trees, and model, or reference and preset"
        raise OptionError(f"{where}: {unknown[0]!r}; expected {known}")
    if "model" in table and "reference" in table:
        raise OptionError(f"{where}: expected either model or reference")
    if not texts & set(table):
        raise OptionError(f"{where}: expected gold, system, or both; or annotations, or trees")
    home, annotations = os.path.dirname(path), table.get("annotations", [])
    if not isinstance(annotations, list) or len(annotations) == 1 or not all(isinstance(f, str) for f in annotations):
        raise OptionError(f"{where}: annotations {annotations!r:.80}; expected a list of two or more files")
    annotations = tuple(os.path.join(home, file) for file in annotations)
    plain = {key: value for key, value in table.items() if key not in ("preset", "annotations")}
    files = {key: os.path.join(home, str(value)) for key, value in plain.items()}
    inputs = [("annotations", file) for file in annotations]
    inputs += [(key, files[key]) for key in ("gold", "system", "reference") if key in files]
    for key, file in inputs:
        if not os.path.isfile(file):
            raise OptionError(f"{where}: {key} {file}: no such file")
    for key in ("trees", "test_trees", "parsed_trees"):
        if key in files and not os.path.exists(files[key]):
            raise OptionError(f"{where}: {key} {files[key]}: no such file or folder")
    if "model" in files and "preset" in table:
        raise OptionError(f"{where}: preset; a model has its own")
    preset = find_preset(str(table.get("preset", "2020"))).name
    model = files.get("model", os.path.join(folder, "models", f"{name}.tgm"))
    bundled = "model" in files and not os.path.isfile(model)
    used: tuple[str, str | None] = (str(table["model"]), None) if bundled else (model, model)
    if "model" not in files and "reference" not in files:
        used = "", None
    trees = files.get("trees"), files.get("test_trees"), files.get("parsed_trees")
    texts_of = files.get("gold"), files.get("system")
    return Corpora(name, *texts_of, *used, files.get("reference"), preset, annotations, *trees)


def _check_name(where: str, name: str) -> None:
    """Raise OptionError unless a name can be the name of a file in the study's folder."""
    odd = any(c in "/\\:" or not c.isprintable() for c in name)
    if not name or odd or name.startswith(".") or len(name.encode()) > 100:
        raise OptionError(f"{where}: name {name!r:.120}; expected a name for files")


def _model_step(language: Corpora) -> Step:
    assert language.reference is not None
    args = ("model", "build", language.reference, "--preset", language.preset, "--forms", "-o", language.model)
    return Step(f"model {language.name}", args, (language.reference,), (language.model,))


def _gold_and_system(language: Corpora) -> list[str]:
    return [language.gold or "-", language.system or "-"]


def _language_arguments(language: Corpora) -> list[str]:
    return ["--language", language.name, *_gold_and_system(language), language.model]


def _surprisal_arguments(language: Corpora) -> list[str]:
    """The trees, and the text that is read: the test trees, or else gold, or else the trees themselves."""
    text = language.test_trees or language.gold
    return [language.trees or "-", *(("--text", text) if text else ())]


class StudyCommand(NamedTuple):
    """A command that a study may run."""

    arguments: Callable[[Corpora], list[str]]  # for one language
    needs: tuple[str, ...]  # keys of NEEDS
    many: bool = False  # whether it takes many languages at once
    format_name: str = "tsv"  # the usual format
    beside: bool = True  # whether it can write LaTeX and CSV, too


MODEL, ANY = "a model or a reference", "gold or system"
# what a command may need -> whether a language has it
NEEDS: dict[str, Callable[[Corpora], object]] = {
    "gold and system": lambda language: language.gold and language.system,
    "gold": lambda language: language.gold,
    MODEL: lambda language: language.model,
    ANY: lambda language: language.gold or language.system,
    "annotations": lambda language: language.annotations,
    "trees": lambda language: language.trees,
    "trees and parsed_trees": lambda language: language.trees and language.parsed_trees,
}
COMMANDS = {
    "judge": StudyCommand(
        lambda language: [*_gold_and_system(language), "--model", language.model], ("gold and system", MODEL)
    ),
    "eval": StudyCommand(_gold_and_system, ("gold and system",), beside=False),
    "challenge": StudyCommand(
        lambda language: [language.gold or language.system or "-", "--model", language.model],
        (MODEL, ANY),
        format_name="conllu",
        beside=False,
    ),
    "difficulty types": StudyCommand(_language_arguments, ("gold and system", MODEL), many=True),
    "difficulty bins": StudyCommand(_language_arguments, (MODEL, ANY), many=True),
    "difficulty features": StudyCommand(_language_arguments, (MODEL, ANY), many=True),
    "difficulty sentences": StudyCommand(_language_arguments, (MODEL, ANY), many=True),
    "ecc": StudyCommand(
        lambda language: [
            language.trees or "-",
            *("--name", language.name),
            *(("--test", language.test_trees) if language.test_trees else ()),
        ],
        ("trees",),
        many=True,
    ),
    "surprisal": StudyCommand(_surprisal_arguments, ("trees",), beside=False),
    "parseval": StudyCommand(
        lambda language: [language.trees or "-", language.parsed_trees or "-"], ("trees and parsed_trees",)
    ),
    "flatten": StudyCommand(lambda language: [language.trees or "-"], ("trees",), format_name="conllu", beside=False),
    "chaos parse": StudyCommand(
        lambda language: [language.system or language.gold or "-"], (ANY,), format_name="text", beside=False
    ),
    "chaos eval": StudyCommand(lambda language: [language.gold or "-"], ("gold",), many=True),
    "typology": StudyCommand(lambda language: [language.gold or "-"], ("gold",), many=True),
    "bits": StudyCommand(lambda language: [language.gold or "-"], ("gold",), many=True),
    "agreement": StudyCommand(
        lambda language: [*language.annotations, *(["--model", language.model] if language.model else [])],
        ("annotations",),
    ),
}


def _analysis_steps(where: str, analysis: Any, languages: dict[str, Corpora], folder: str) -> list[Step]:
    """The steps of an analysis: `command`, `name`, `languages` if not all, and options of the command."""
    if not isinstance(analysis, dict) or analysis.get("command") not in COMMANDS:
        command = analysis.get("command") if isinstance(analysis, dict) else analysis
        raise OptionError(f"{where}: command {command!r}; expected one of {', '.join(COMMANDS)}")
    options = dict(analysis)
    command_name = options.pop("command")
    command, name = COMMANDS[command_name], str(options.pop("name", command_name))
    _check_name(where, name)
    wanted_languages = options.pop("languages", list(languages))
    needless = command_name == "ecc" and RUNS in options  # results of earlier analyses need no treebank
    if not isinstance(wanted_languages, list) or not (wanted_languages or needless):
        raise OptionError(f"{where}: languages {wanted_languages!r:.80}; expected a list of names")
    for language in wanted_languages:
        if not isinstance(language, str) or language not in languages:
            raise OptionError(f"{where}: language {language!r}; there are {', '.join(languages)}")
        for need in command.needs:
            if not NEEDS[need](languages[language]):
                raise OptionError(f"{where}: {command_name} needs {need} of {language}")
    if (format_name := str(options.get("format", command.format_name))) not in ENDINGS:
        raise OptionError(f"{where}: format {format_name!r}; expected one of {', '.join(ENDINGS)}")
    steps = []
    for group in [wanted_languages] if command.many else [[language] for language in wanted_languages]:
        title = name if command.many or len(wanted_languages) == 1 else f"{name} {group[0]}"
        members = [languages[language] for language in group]
        args = [*command_name.split(), *(part for member in members for part in command.arguments(member))]
        steps.append(_step(where, title, args, options, members, folder, command))
    return steps


def _step(
    where: str,
    name: str,
    args: list[str],
    options: dict[str, Any],
    languages: list[Corpora],
    folder: str,
    command: StudyCommand,
) -> Step:
    """The step that runs a command with these arguments and options."""
    known = _known_options(args)
    stem = _stem(folder, name)
    format_name, beside = str(options.get("format", command.format_name)), command.beside
    challenge = args[0] == "challenge"
    output = f"{stem}.{'conllu' if challenge else ENDINGS[format_name]}"
    outputs = [output, f"{output}.manifest.json"] if challenge else [output]
    inputs = [file for language in languages for file in language.inputs]
    if beside and format_name != "latex":
        outputs.append(f"{stem}.tex")
    args = [*args, "-o", output, *([] if challenge else ["--format", format_name]), *(["--beside"] if beside else [])]
    for key, value in options.items():
        flag = f"-{key}" if len(key) == 1 else f"--{key}"
        if flag not in known:
            names = ", ".join(
                name.removeprefix("--") for name in known if name.startswith("--") and name not in ELSEWHERE
            )
            raise OptionError(f"{where}: {key!r:.80}; expected an option of {args[0]}: {names}")
        if ELSEWHERE & set(known[flag].opts):
            raise OptionError(f"{where}: {key!r}; where results go is for the study to say")
        if flag.startswith(PICTURE):
            if not (str(value).isascii() and str(value).isalnum()):
                raise OptionError(f"{where}: {key} {value!r:.80}; expected the ending of a file, such as png")
            value = f"{stem}{flag.removeprefix(PICTURE)}.{value}"
            outputs.append(value)
        if flag == f"--{RUNS}":
            runs = [f"{_stem(folder, str(run))}.json" for run in (value if isinstance(value, list) else [value])]
            inputs += runs
            value = runs
        if key != "format":
            args += _option(f"{where}: {key}", known[flag], flag, value)
    return Step(name, tuple(args), tuple(inputs), tuple(outputs))


def _stem(folder: str, name: str) -> str:
    """The names of an analysis's files, without their endings."""
    return os.path.join(folder, name.replace(" ", "-"))


def _known_options(args: list[str]) -> dict[str, click.Option]:
    """The options of the command that the arguments begin with, by each of their names, such as --bins."""
    from treegauge.cli import cli

    command: click.Command | None = cli
    for name in args:
        if isinstance(command, click.Group):
            command = command.get_command(click.Context(command), name)
    assert command is not None
    return {name: param for param in command.params if isinstance(param, click.Option) for name in param.opts}


def _option(where: str, option: click.Option, flag: str, value: Any) -> list[str]:
    """The arguments of an option: true is a flag; a list is joined by commas, or repeats an option that may be."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise OptionError(f"{where} {value!r:.80}; expected true or false")
        return [flag] if value else []
    items = value if isinstance(value, list) else [value]
    fits = len(items) == option.nargs if option.nargs > 1 else len(items) > 0
    if not fits or any(isinstance(item, bool | list | dict) for item in items):
        expected = "a value, or a list of values" if option.nargs == 1 else f"a list of {option.nargs} values"
        raise OptionError(f"{where} {value!r:.80}; expected {expected}")
    values = list(map(str, items))
    if option.nargs > 1:
        return [flag, *values]
    return [part for item in values for part in (flag, item)] if option.multiple else [flag, ",".join(values)]
