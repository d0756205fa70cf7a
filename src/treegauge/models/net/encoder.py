"""Vectors of words from an encoder: one of Hugging Face, or a function of the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus

Vectors = Callable[[Corpus], Any]  # gives a row of numbers for each word of a corpus


PYTHON = ("a function in Python", "")  # name and revision where vectors come from a function of the user


def encoder_of(name: str) -> tuple[tuple[str, str], Vectors]:
    """Name and revision of the encoder of that name or folder, and what gives its vectors."""
    raise NotImplementedError


def vectors_of(encoder: tuple[str, str]) -> Vectors:
    """What gives the vectors of the encoder of that name and revision."""
    raise NotImplementedError


def checked_vectors(vectors: Vectors, corpus: Corpus) -> np.ndarray:
    """The vectors of a corpus."""
    return np.asarray(vectors(corpus), dtype=np.float32)
