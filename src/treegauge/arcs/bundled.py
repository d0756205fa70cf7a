"""The models that come with treegauge."""

import json
from dataclasses import dataclass
from pathlib import Path

from treegauge.arcs.model import Model
from treegauge.arcs.model_file import load_model, parse_model
from treegauge.errors import ModelError

FOLDER = Path(__file__).parents[1] / "models"
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
    index = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
    return [BundledModel(**{**entry, "treebanks": tuple(entry["treebanks"])}) for entry in index]


def find_model(name: str) -> Model:
    """The model in a file, or the bundled one of a language code."""
    bundled = FOLDER / (name + SUFFIX)
    if name.replace("-", "").isalnum() and bundled.is_file():
        return parse_model(bundled.read_bytes(), name)
    try:
        return load_model(name)
    except ModelError as error:
        if "No such file" not in str(error):
            raise
        codes = ", ".join(model.code for model in bundled_models())
        raise ModelError(f"no model file and no bundled model {name!r}; there are {codes}") from error
