"""Words as the net sees them: places of hashed pieces of forms, tags, and hashed features in its tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.models.choice.words import OUTSIDE, PARTS, FormParts, hash_of

COLUMNS = ("form", "upos", "xpos", "feats", "deprel")  # what a corpus must have been read with
UNKNOWN, MASKED = 0, 1  # rows of the table of tags, before those of the tags
FIRST_TAG = 2
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # mixes the bits of a hash


@dataclass(frozen=True)
class NetWords:
    """The words of a corpus: codes of forms, tags, XPOS and FEATS, and what each form, XPOS and FEATS consists of."""

    form: np.ndarray  # code into pieces
    pieces: np.ndarray  # [form, PARTS]: places in the table of forms
    tag: np.ndarray  # row in the table of tags
    xpos: np.ndarray  # code into xpos_place
    xpos_place: np.ndarray  # place in the table of features
    feats: np.ndarray  # code into feats_places
    feats_places: np.ndarray  # [feats, n]: places in the table of features, 0 where there are no more


def net_words(corpus: Corpus, tags: tuple[str, ...], rows: tuple[int, int], forms: FormParts | None = None) -> NetWords:
    """The words of a corpus; rows: how many the tables of forms and of features have, each a power of two.

    Place 0 of both tables means "nothing". forms: shared with others that read the corpus.
    """
    parts, code = (forms or FormParts())(corpus)
    row_of = {tag: k + FIRST_TAG for k, tag in enumerate(tags)}
    of_tag = np.array([row_of.get(tag, UNKNOWN) for tag in corpus.labels["upos"]] or [UNKNOWN], dtype=np.int32)
    xpos = np.array([hash_of(f"xpos={label}") for label in corpus.labels["xpos"]] or [0], dtype=np.uint64)
    feats = [_features(label) for label in corpus.labels["feats"]] or [[]]
    places = np.zeros((len(feats), max(map(len, feats), default=1) or 1), dtype=np.int32)
    for k, names in enumerate(feats):
        places[k, : len(names)] = _places(np.array([hash_of(name) for name in names], dtype=np.uint64), rows[1])
    return NetWords(
        code - np.int32(OUTSIDE),
        form_places(parts[OUTSIDE:], rows[0]),
        of_tag[corpus.codes["upos"]],
        corpus.codes["xpos"],
        _places(xpos, rows[1]),
        corpus.codes["feats"],
        places,
    )


def form_places(parts: np.ndarray, rows: int) -> np.ndarray:
    """Places of the parts of forms; equal hashes of different kinds have different places."""
    kind = np.arange(1, PARTS + 1, dtype=np.uint64) << np.uint64(40)
    return _places(parts + kind if len(parts) else np.zeros((1, PARTS), dtype=np.uint64) + kind, rows)


def _places(hashes: np.ndarray, rows: int) -> np.ndarray:
    """Places 1 … rows − 1 of hashes."""
    with np.errstate(over="ignore"):
        mixed = (hashes * _GOLDEN) >> np.uint64(24)
    return np.asarray(mixed % np.uint64(rows - 1) + np.uint64(1)).astype(np.int32)


def _features(label: str) -> list[str]:
    """The features of a FEATS value one by one, and all together."""
    return [] if label in ("_", "") else [*label.split("|"), label]
