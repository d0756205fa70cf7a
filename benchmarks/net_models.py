"""Models with nets of the training texts of the CoNLL 2018 shared task, built once and kept in a folder."""

import os
from pathlib import Path

from treegauge import Model, build_model, load_model

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "conll2018"
FOLDER = Path("net_models")  # in the working folder, unless asked otherwise


def model_with_net(treebank: str, folder: Path = FOLDER) -> Model:
    """The model of a treebank's training text, or dev text if it has none, with a net.

    It is learned now, in minutes, if the folder does not have it.
    """
    path = folder / f"{treebank}.tgm"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        texts = (DATA / treebank / f"{part}.conllu.xz" for part in ("train", "dev"))
        build_model(next(text for text in texts if text.exists()), net=True).save(path)
    return load_model(path)
