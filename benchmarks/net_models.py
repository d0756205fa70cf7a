"""Models with nets of the training texts of the CoNLL 2018 shared task, built once and kept in a folder."""

import os
from pathlib import Path

import numpy as np

from treegauge import Model, build_model, load_model
from treegauge.corpus.conllu import read_conllu

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "conll2018"
FOLDER = Path("net_models")  # in the working folder, unless asked otherwise


def model_with_net(treebank: str, folder: Path = FOLDER, words: int | None = None) -> Model:
    """The model of a treebank's training text, or dev text if it has none, with a net.

    words: of so many words of it, every k-th sentence. It is learned now, in minutes, if the folder does not have it.
    """
    path = folder / (f"{treebank}.tgm" if words is None else f"{treebank}@{words}.tgm")
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        texts = (DATA / treebank / f"{part}.conllu.xz" for part in ("train", "dev"))
        corpus = read_conllu(next(text for text in texts if text.exists()))
        if words is not None:
            corpus = corpus.select(np.arange(corpus.n_sentences) % max(corpus.n_words // words, 1) == 0)
        build_model(corpus, net=True).save(path)
    return load_model(path)
