"""The languages to compare: gold, a system's output and a model for each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from treegauge.corpus.files import read_toml
from treegauge.errors import OptionError


@dataclass(frozen=True, slots=True)
class Language:
    """The files of one language; `model` is a file or the code of a bundled model."""

    name: str
    gold: str | None
    system: str | None
    model: str


def read_languages(path: str) -> list[Language]:
    """The languages of a TOML file: a table for each, with `model`, and `gold`, `system` or both (`-` for none).

    Paths are relative to the file's folder; a model that is no file there may be the code of a bundled one.
    """
    folder = os.path.dirname(path)
    languages = []
    for name, table in read_toml(path).items():
        sides = [side for side in ("gold", "system") if isinstance(table, dict) and table.get(side, "-") != "-"]
        if not (sides and {"model"} <= set(table) <= {"gold", "system", "model"}):
            keys = ", ".join(sorted(table)) if isinstance(table, dict) else type(table).__name__
            raise OptionError(f"{path}: [{name}] has {keys or 'nothing'}; expected model, and gold, system or both")
        model = str(table["model"])
        beside = os.path.join(folder, model)
        model = beside if os.path.exists(beside) else model
        paths = {side: os.path.join(folder, str(table[side])) for side in sides}
        languages.append(Language(name, paths.get("gold"), paths.get("system"), model))
    return check_languages(languages)


def check_languages(languages: Sequence[Language]) -> list[Language]:
    """The languages, after a check: at least one, and no name twice."""
    names = [language.name for language in languages]
    if not names:
        raise OptionError("no language; expected --gold, --system and --model, --language, or a file of languages")
    if len(set(names)) < len(names):
        raise OptionError(f"languages {', '.join(names)}; expected each name once")
    return list(languages)
