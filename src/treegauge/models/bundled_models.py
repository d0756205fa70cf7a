"""The models that come with treegauge, and which of them the language of a corpus asks for.

A corpus is compared with a profile of each language that has a bundled model. A profile says how often pieces of words
occur: one to three letters, word boundaries among them, hashed into a table. The language of the corpus is the one
under which the pieces of its commonest words are most probable (naive Bayes).
"""

from __future__ import annotations

import difflib
import json
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import STDIN, is_remote, zstd
from treegauge.errors import PATH, ModelError, check_type
from treegauge.models.model import Model, read_model

FOLDER = os.path.join(os.path.dirname(__file__), "bundled")
SUFFIX = ".tgm"
_PROFILES = os.path.join(FOLDER, "languages.zst")


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
    net: float = 0.0  # how often a treebank's own arc, of a tenth held back, is the first choice of the net; 0: no net


def bundled_models() -> list[BundledModel]:
    """Every bundled model, by language code."""
    with open(os.path.join(FOLDER, "index.json"), encoding="utf-8") as file:
        index = json.load(file)
    return [BundledModel(**{**entry, "treebanks": tuple(entry["treebanks"])}) for entry in index]


def bundled_file(name: str) -> str | None:
    """The file of the bundled model of a language code; None where the name is no such code."""
    path = os.path.join(FOLDER, name + SUFFIX)
    return path if name.replace("-", "").isalnum() and os.path.isfile(path) else None


def load_model(name: str | os.PathLike[str], encoder: Callable[[Corpus], Any] | None = None) -> Model:
    """The model in a file, or the bundled one of a language code.

    encoder: the function that gives each word of a corpus a row of numbers, if the net was learned with one.
    """
    check_type("model", name, PATH, "a file, or the code of a bundled model")
    name = os.fspath(name)
    path = bundled_file(name) or name
    if not (path == STDIN or is_remote(path) or os.path.exists(path)):
        raise ModelError(f"no model file and no bundled model {name!r}; {_near(name)}")
    model = read_model(path)
    if encoder is None:
        return model
    if model.net is None or not model.net.encoder[0]:
        raise ModelError(f"{name}: it has no net that was learned with an encoder")
    return replace(model, net=replace(model.net, vectors=encoder))


def _near(name: str) -> str:
    """A hint for a name that no bundled model has: near names, and where all are listed."""
    known = {key.lower(): model for model in bundled_models() for key in (model.code, model.language)}
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.7)
    meant = " or ".join(
        f"{code} ({language})" for code, language in {known[k].code: known[k].language for k in near}.items()
    )
    return (f"is it {meant}? " if meant else "") + "`treegauge model list` shows the codes of all bundled ones"


PLACES = 4096  # size of the table
UNIT = 16  # steps in a bit: a profile holds −log2 p in whole steps, one byte each
_LONGEST = 3  # a piece has at most so many letters
_MOST_FORMS = 2000  # so many distinct words are looked at
_SURE = 0.15  # a language is surely not the right one if a piece costs so many bits more
_FOREIGN = 0.75  # a language is unknown if a piece costs so many bits more than the language's own words
_ENOUGH = 300  # with fewer pieces, nothing is said against a language


@dataclass(frozen=True, slots=True)
class Guess:
    """The likeliest language of a corpus, and how much it is ahead of others."""

    code: str
    bits: Mapping[str, float]  # what a piece costs in each language
    pieces: float
    beyond: float  # what a piece costs beyond what it costs in the language itself

    @property
    def known(self) -> bool:
        """Whether the corpus is in a language that has a profile, as far as can be told."""
        return self.beyond < _FOREIGN

    @property
    def in_words(self) -> str:
        """The language, and how sure that is: `English, surely` or `Danish; Norwegian (nb) is near`."""
        names = {entry.code: entry.language for entry in bundled_models()}
        next_code = min((code for code in self.bits if code != self.code), key=self.bits.__getitem__)
        ahead = self.bits[next_code] - self.bits[self.code]
        if self.pieces >= _ENOUGH and ahead > _SURE:
            return f"{names.get(self.code, self.code)}, surely"
        return f"{names.get(self.code, self.code)}; {names.get(next_code, next_code)} ({next_code}) is near"

    def surely_not(self, code: str) -> bool:
        """Whether the corpus is clearly not in this language."""
        ahead = self.bits.get(code, 0.0) - self.bits[self.code]
        return self.known and self.pieces >= _ENOUGH and ahead > _SURE


def form_counts(corpora: Iterable[Corpus]) -> Counter[str]:
    """How often each form occurs."""
    counts: Counter[str] = Counter()
    for corpus in corpora:
        times = np.bincount(corpus.codes["form"], minlength=len(corpus.labels["form"]))
        counts.update({form: n for form, n in zip(corpus.labels["form"], times.tolist(), strict=True) if n})
    return counts


def piece_counts(forms: Mapping[str, int]) -> np.ndarray:
    """How often pieces of words fall on each place of the table; words without letters have none.

    A word that occurs n times counts √n: neither names nor the commonest words should outweigh the rest.
    """
    counts = np.zeros(PLACES)
    for form, n in sorted(forms.items(), key=lambda item: (-item[1], item[0]))[:_MOST_FORMS]:
        for place in _places(form):
            counts[place] += n**0.5
    return counts


def _places(form: str) -> Iterator[int]:
    if not any(map(str.isalpha, form)):
        return
    letters = f" {form.lower()} "
    for size in range(1, _LONGEST + 1):
        for at in range(len(letters) - size + 1):
            yield zlib.crc32(letters[at : at + size].encode("utf-8", "replace")) % PLACES


@lru_cache(1)
def bundled_profiles() -> dict[str, np.ndarray]:
    """The profiles of the languages that have a bundled model."""
    with open(_PROFILES, "rb") as stream:
        names, _, packed = stream.read().partition(b"\n")
    codes = names.decode().split(",")
    table = np.frombuffer(zstd().decompress(packed), dtype=np.uint8)
    if len(table) != PLACES * len(codes):
        raise ModelError(f"{_PROFILES}: {len(table)} bytes of profiles; expected {PLACES * len(codes)}")
    profiles = dict(zip(codes, table.reshape(len(codes), PLACES), strict=True))
    bundled = {name.removesuffix(".tgm") for name in os.listdir(FOLDER)}
    return {code: profiles[code] for code in codes if code in bundled}


def guess_language(forms: Mapping[str, int]) -> Guess | None:
    """The language of some words; None where they have no letters."""
    counts = piece_counts(forms)
    if not counts.sum():
        return None
    profiles = bundled_profiles()
    bits = np.stack(list(profiles.values())) @ counts / counts.sum() / UNIT
    bits_of = dict(zip(profiles, bits.tolist(), strict=True))
    code = min(bits_of, key=lambda code: bits_of[code])
    own = profiles[code] / UNIT
    share = 2.0**-own / (2.0**-own).sum()
    return Guess(code, bits_of, float(counts.sum()), bits_of[code] - float(share @ own))
