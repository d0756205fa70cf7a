"""The models that come with treegauge."""

import json
import os
from dataclasses import dataclass

from treegauge.corpus.files import STDIN, is_remote
from treegauge.errors import ModelError
from treegauge.models.model import Model
from treegauge.models.model_file import read_model

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
        codes = ", ".join(model.code for model in bundled_models())
        raise ModelError(f"no model file and no bundled model {name!r}; there are {codes}")
    return read_model(path)
