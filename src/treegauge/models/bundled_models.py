"""The models that come with treegauge."""

import json
import os
from dataclasses import dataclass

from treegauge.arcs.reference import Model
from treegauge.errors import ModelError
from treegauge.models.model_file import load_model

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
    treebanks: tuple[str, ...]
    licence: str


def bundled_models() -> list[BundledModel]:
    """Every bundled model, by language code."""
    with open(os.path.join(FOLDER, "index.json"), encoding="utf-8") as file:
        index = json.load(file)
    return [BundledModel(**{**entry, "treebanks": tuple(entry["treebanks"])}) for entry in index]


def find_model(name: str) -> Model:
    """The model in a file, or the bundled one of a language code."""
    bundled = os.path.join(FOLDER, name + SUFFIX)
    is_code = name.replace("-", "").isalnum() and os.path.isfile(bundled)
    try:
        return load_model(bundled if is_code else name)
    except ModelError as error:
        if "No such file" not in str(error):
            raise
        codes = ", ".join(model.code for model in bundled_models())
        raise ModelError(f"no model file and no bundled model {name!r}; there are {codes}") from error
