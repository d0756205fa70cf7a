"""A study as a file: languages, and analyses of them, each of which is one command or one for each language."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treegauge import __version__
from treegauge.arcs.features import find_preset
from treegauge.corpus.files import read_toml
from treegauge.errors import OptionError

# options whose value is a file to write
PICTURES = ("figure", "figure-top", "figure-groups", "figure-tree", "figure-marked", "figure-across", "figure-risk")
NOT_OPTIONS = {"o", "output", "beside", "manifest", "h", "help"}
ENDINGS = {"text": "txt", "tsv": "tsv", "json": "json", "markdown": "md", "latex": "tex"}


@dataclass(frozen=True, slots=True)
class Corpora:
    """What is known of a language: files, and a model that is given or built."""

    name: str
    gold: str | None
    system: str | None
    model: str  # empty if there is none
    model_file: str | None  # the model's file; None for a bundled one
    reference: str | None
    preset: str = "2020"
    annotations: tuple[str, ...] = ()  # of one text, by several annotators


@dataclass(frozen=True, slots=True)
class Step:
    """One command: its arguments, the files it reads and those it writes."""

    name: str
    args: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def key(self) -> str:
        """A hash of version, arguments and the content of all input: what was done under it need not be done again."""
        hashes = []
        for path in self.inputs:
            with open(path, "rb") as stream:
                hashes.append(hashlib.file_digest(stream, "sha256").hexdigest())
        return hashlib.sha256(json.dumps([__version__, self.args, hashes]).encode()).hexdigest()


def read_study(path: str, folder: str) -> list[Step]:
    """The steps of a study, models first; what they write goes into the folder.

    Paths are relative to the study's file. All input must be there, and all names known, before anything is done.
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
    return steps


def study_title(path: str) -> str:
    """The title of a study; without one, the name of its file."""
    return str(read_toml(path).get("title") or os.path.basename(path))


def _language(path: str, name: str, table: dict[str, Any], folder: str) -> Corpora:
    where = f"{path}: [languages.{name}]"
    _check_name(where, name)
    unknown = sorted(set(table) - {"gold", "system", "model", "reference", "preset", "annotations"})
    if unknown:
        known = "gold, system, annotations, and model, or reference and preset"
        raise OptionError(f"{where}: {unknown[0]!r}; expected {known}")
    if "model" in table and "reference" in table:
        raise OptionError(f"{where}: expected either model or reference")
    if not {"gold", "system", "annotations"} & set(table):
        raise OptionError(f"{where}: expected gold, system, or both; or annotations")
    annotations = _annotations(where, os.path.dirname(path), table.get("annotations", []))
    plain = {key: value for key, value in table.items() if key not in ("preset", "annotations")}
    files = {key: os.path.join(os.path.dirname(path), str(value)) for key, value in plain.items()}
    for key in ("gold", "system", "reference"):
        if key in files and not os.path.isfile(files[key]):
            raise OptionError(f"{where}: {key} {files[key]}: no such file")
    if "model" in files and "preset" in table:
        raise OptionError(f"{where}: preset; a model has its own")
    preset = find_preset(str(table.get("preset", "2020"))).name
    model = files.get("model", os.path.join(folder, "models", f"{name}.tgm"))
    bundled = "model" in files and not os.path.isfile(model)
    used: tuple[str, str | None] = (str(table["model"]), None) if bundled else (model, model)
    if "model" not in files and "reference" not in files:
        used = "", None
    return Corpora(name, files.get("gold"), files.get("system"), *used, files.get("reference"), preset, annotations)


def _annotations(where: str, folder: str, given: Any) -> tuple[str, ...]:
    """The files of annotators, which must be there."""
    if not isinstance(given, list) or len(given) == 1 or not all(isinstance(file, str) for file in given):
        raise OptionError(f"{where}: annotations {given!r:.80}; expected a list of two or more files")
    files = tuple(os.path.join(folder, file) for file in given)
    for file in files:
        if not os.path.isfile(file):
            raise OptionError(f"{where}: annotations {file}: no such file")
    return files


def _check_name(where: str, name: str) -> None:
    """OptionError unless a name can be that of a file in the study's folder."""
    odd = any(c in "/\\:" or not c.isprintable() for c in name)
    if not name or odd or name.startswith(".") or len(name.encode()) > 100:
        raise OptionError(f"{where}: name {name!r:.120}; expected a name for files")


def _model_step(language: Corpora) -> Step:
    assert language.reference is not None
    args = ("model", "build", language.reference, "--preset", language.preset, "--forms", "-o", language.model)
    return Step(f"model {language.name}", args, (language.reference,), (language.model,))


def _gold_and_system(language: Corpora) -> list[str]:
    return [language.gold or "-", language.system or "-"]


def _annotators(language: Corpora) -> list[str]:
    return [*language.annotations, *(["--model", language.model] if language.model else [])]


def _one_of_many(language: Corpora) -> list[str]:
    return ["--language", language.name, *_gold_and_system(language), language.model]


# command -> whether it takes many languages at once, and its arguments for one
COMMANDS: dict[str, tuple[bool, Callable[[Corpora], list[str]]]] = {
    "judge": (False, lambda language: [*_gold_and_system(language), "--model", language.model]),
    "eval": (False, _gold_and_system),
    "challenge": (False, lambda language: [language.gold or language.system or "-", "--model", language.model]),
    "difficulty types": (True, _one_of_many),
    "difficulty bins": (True, _one_of_many),
    "typology": (True, lambda language: [language.gold or "-"]),
    "bits": (True, lambda language: [language.gold or "-"]),
    "agreement": (False, _annotators),
}
NEED_BOTH = ("judge", "eval", "difficulty types")
NEED_MODEL = ("judge", "challenge", "difficulty types", "difficulty bins")
NEED_GOLD = ("typology", "bits")
NEED_ANNOTATIONS = ("agreement",)
NO_TABLES_BESIDE = ("eval", "challenge")  # these have no --beside


def _analysis_steps(where: str, analysis: Any, languages: dict[str, Corpora], folder: str) -> list[Step]:
    """The steps of an analysis: `command`, `name`, `languages` if not all, and options of the command."""
    if not isinstance(analysis, dict) or analysis.get("command") not in COMMANDS:
        command = analysis.get("command") if isinstance(analysis, dict) else analysis
        raise OptionError(f"{where}: command {command!r}; expected one of {', '.join(COMMANDS)}")
    options = dict(analysis)
    command = options.pop("command")
    name = str(options.pop("name", command))
    _check_name(where, name)
    asked = options.pop("languages", list(languages))
    if not isinstance(asked, list) or not asked:
        raise OptionError(f"{where}: languages {asked!r:.80}; expected a list of names")
    for key in NOT_OPTIONS & set(options):
        raise OptionError(f"{where}: {key!r}; where results go is for the study to say")
    for key in PICTURES:
        if key in options and not (str(options[key]).isascii() and str(options[key]).isalnum()):
            raise OptionError(f"{where}: {key} {options[key]!r:.80}; expected the ending of a file, such as png")
    for each in asked:
        if not isinstance(each, str) or each not in languages:
            raise OptionError(f"{where}: language {each!r}; there are {', '.join(languages)}")
        _check_needs(where, command, languages[each])
    many, arguments = COMMANDS[command]
    if (form := str(options.get("format", "tsv"))) not in ENDINGS:
        raise OptionError(f"{where}: format {form!r}; expected one of {', '.join(ENDINGS)}")
    steps = []
    for group in [asked] if many else [[each] for each in asked]:
        title = name if many or len(asked) == 1 else f"{name} {group[0]}"
        members = [languages[each] for each in group]
        args = [*command.split(), *(part for member in members for part in arguments(member))]
        steps.append(_step(title, args, options, members, folder))
    return steps


def _check_needs(where: str, command: str, language: Corpora) -> None:
    """OptionError where a command needs what a language has not."""
    for commands, there, what in (
        (NEED_BOTH, language.gold and language.system, "gold and system"),
        (NEED_GOLD, language.gold, "gold"),
        (NEED_MODEL, language.model, "a model or a reference"),
        (NEED_MODEL, language.gold or language.system, "gold or system"),
        (NEED_ANNOTATIONS, language.annotations, "annotations"),
    ):
        if command in commands and not there:
            raise OptionError(f"{where}: {command} needs {what} of {language.name}")


def _step(name: str, args: list[str], options: dict[str, Any], languages: list[Corpora], folder: str) -> Step:
    stem = os.path.join(folder, name.replace(" ", "-"))
    form = str(options.get("format", "tsv"))
    challenge = args[0] == "challenge"
    output = f"{stem}.{'conllu' if challenge else ENDINGS[form]}"
    outputs = [output, f"{output}.manifest.json"] if challenge else [output]
    if args[0] not in NO_TABLES_BESIDE and form != "latex":
        outputs.append(f"{stem}.tex")
    beside = [] if args[0] in NO_TABLES_BESIDE else ["--beside"]
    args = [*args, "-o", output, *([] if challenge else ["--format", form]), *beside]
    for key, value in options.items():
        if key in PICTURES:
            value = f"{stem}{key.removeprefix('figure')}.{value}"
            outputs.append(value)
        if key != "format":
            args += _option(key, value)
    paths = [(each.gold, each.system, each.model_file, *each.annotations) for each in languages]
    known = [path for some in paths for path in some if path]
    return Step(name, tuple(args), tuple(known), tuple(outputs))


def _option(key: str, value: Any) -> list[str]:
    """An option of the command line: true is a flag, a list repeats `where` and is joined by commas elsewhere."""
    flag = f"-{key}" if len(key) == 1 else f"--{key}"
    if isinstance(value, bool):
        return [flag] if value else []
    if isinstance(value, list):
        if key == "where":
            return [part for each in value for part in (flag, str(each))]
        value = ",".join(map(str, value))
    return [flag, str(value)]
