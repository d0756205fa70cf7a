"""Which language a corpus is in: its words against a profile of each language that a bundled model knows.

A profile is how often pieces of words occur: one to three letters, word boundaries among them, hashed into a table. The
language is the one under which the pieces of the corpus's commonest words are most probable (naive Bayes).
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import zstd
from treegauge.errors import ModelError

PLACES = 4096  # of the table
UNIT = 16  # steps of a bit: profiles are kept as −log2 p in whole steps, a byte each
_LONGEST = 3  # letters of a piece
_MOST_FORMS = 2000  # distinct words that are looked at
_SURE = 0.15  # bits a piece by which a language must be more probable than another to say so
_FOREIGN = 0.75  # bits a piece beyond what the language's own words cost: then it is none that is known
_ENOUGH = 300  # pieces of words, weighed: with fewer nothing is said against a language
_FILE = os.path.join(os.path.dirname(__file__), "bundled", "languages.zst")


@dataclass(frozen=True, slots=True)
class Guess:
    """The likeliest language of a corpus, and how much it is ahead of others."""

    code: str
    bits: Mapping[str, float]  # of each language: what a piece costs
    pieces: float
    beyond: float  # what a piece costs beyond what it costs in the language itself

    @property
    def known(self) -> bool:
        """Whether the corpus is in a language that has a profile, as far as can be told."""
        return self.beyond < _FOREIGN

    def surely_not(self, code: str) -> bool:
        """Whether a language that has a profile is clearly out of the question."""
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
    """How often pieces of words fall on each place of the table; of words without letters, none do.

    A word counts as the root of its number: names of a text should not outweigh its language, nor its commonest words.
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


def profile(forms: Mapping[str, int]) -> np.ndarray:
    """The profile of a language, from the words of its treebanks."""
    counts = piece_counts(forms)
    bits = -np.log2((counts + 0.5) / (counts.sum() + 0.5 * PLACES))
    return np.minimum(np.rint(bits * UNIT), 255).astype(np.uint8)


def write_profiles(profiles: Mapping[str, np.ndarray]) -> bytes:
    """Profiles by language code as the content of a file."""
    names = ",".join(sorted(profiles)).encode()
    table: bytes = zstd().compress(b"".join(profiles[code].tobytes() for code in sorted(profiles)), 19)
    return names + b"\n" + table


@lru_cache(1)
def bundled_profiles() -> dict[str, np.ndarray]:
    """The profiles of the languages that have a bundled model."""
    with open(_FILE, "rb") as stream:
        names, _, packed = stream.read().partition(b"\n")
    codes = names.decode().split(",")
    table = np.frombuffer(zstd().decompress(packed), dtype=np.uint8)
    if len(table) != PLACES * len(codes):
        raise ModelError(f"{_FILE}: {len(table)} bytes of profiles; expected {PLACES * len(codes)}")
    profiles = dict(zip(codes, table.reshape(len(codes), PLACES), strict=True))
    bundled = {name.removesuffix(".tgm") for name in os.listdir(os.path.dirname(_FILE))}
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
