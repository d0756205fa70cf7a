"""The models that come with treegauge."""

import difflib
import json
import os
from dataclasses import dataclass

from treegauge.corpus.files import STDIN, is_remote
from treegauge.errors import ModelError
from treegauge.models.model import Model, read_model

FOLDER = os.path.join(os.path.dirname(__file__), "bundled")
SUFFIX = ".tgm"


@dataclass(frozen=True, slots=True)
class BundledModel:
    """A line of the index of bundled models."""

    code: str
    language: str
    words: int
    sentences: int
    hash: str
    first_choice: float  # how often a treebank's own arc is the first choice of the model of its other folds
    treebanks: tuple[str, ...]
    has_test: bool  # whether test sets are among them, because there is next to nothing else
    licence: str


def bundled_models() -> list[BundledModel]:
    """Every bundled model, by language code."""
    with open(os.path.join(FOLDER, "index.json"), encoding="utf-8") as file:
        index = json.load(file)
    return [BundledModel(**{**entry, "treebanks": tuple(entry["treebanks"])}) for entry in index]


def bundled_file(name: str) -> str | None:
    """The file of the bundled model of a language code; None where the name is no such code."""
    path = os.path.join(FOLDER, name + SUFFIX)
    return path if name.replace("-", "").isalnum() and os.path.isfile(path) else None


def load_model(name: str | os.PathLike[str]) -> Model:
    """The model in a file, or the bundled one of a language code."""
    name = os.fspath(name)
    path = bundled_file(name) or name
    if not (path == STDIN or is_remote(path) or os.path.exists(path)):
        raise ModelError(f"no model file and no bundled model {name!r}; {_near(name)}")
    return read_model(path)


def _near(name: str) -> str:
    """Which bundled models may be meant by a name that is none of theirs, and where they are listed."""
    known = {key.lower(): model for model in bundled_models() for key in (model.code, model.language)}
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.7)
    meant = " or ".join(
        f"{code} ({language})" for code, language in {known[k].code: known[k].language for k in near}.items()
    )
    return (f"is it {meant}? " if meant else "") + "`treegauge model list` shows the codes of all bundled ones"
