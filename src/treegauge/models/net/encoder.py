"""Vectors of words from an encoder: one of Hugging Face, or a function of the user.

The encoder stays as it is; only what the net makes of its vectors is learned. The vector of a word is the mean of the
vectors of its pieces. Of the layers, the mean of the upper half is taken, unless the name says which: `NAME#6` is layer
6, where 0 is what enters the first one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError, OptionError, TreegaugeError
from treegauge.extras import needed

Vectors = Callable[[Corpus], Any]  # gives a row of numbers for each word of a corpus
PYTHON = ("a function in Python", "")  # name and revision where vectors come from a function of the user
_PIECES = 1 << 12  # pieces of words that are encoded together
_LARGEST = 1e4  # a larger number in a vector is an error
_TEXTS = 1 << 16  # sentences whose vectors are kept in memory


def encoder_of(name: str) -> tuple[tuple[str, str], Vectors]:
    """Name and revision of the encoder of that name or folder, and what gives its vectors."""
    encoder = _loaded(name)
    return (name, encoder.revision), encoder


def vectors_of(encoder: tuple[str, str]) -> Vectors:
    """What gives the vectors of the encoder of that name and revision."""
    name, revision = encoder
    if encoder == PYTHON:
        raise OptionError(
            "the net of this model needs vectors of a function in Python: load_model(…, encoder=function)"
        )
    loaded = _loaded(name)
    if loaded.revision != revision:
        raise ModelError(f"encoder {name}: revision {loaded.revision}; the net was learned with {revision}")
    return loaded


def checked_vectors(vectors: Vectors, corpus: Corpus, width: int | None = None) -> np.ndarray:
    """The vectors of a corpus: a row for each word, `width` numbers if that is known, all finite."""
    table = np.asarray(vectors(corpus), dtype=np.float32)
    wanted = "some" if width is None else str(width)
    if table.ndim != 2 or len(table) != corpus.n_words or (width is not None and table.shape[1] != width):
        raise OptionError(f"vectors of {table.shape}; expected {corpus.n_words} words, {wanted} numbers each")
    if not np.isfinite(table).all() or np.abs(table).max(initial=0) > _LARGEST:
        raise OptionError(f"vectors with a number that is not finite, or above {_LARGEST:,.0f}")
    return table


@lru_cache(2)
def _loaded(name: str) -> HuggingFaceEncoder:
    return HuggingFaceEncoder(name)


class HuggingFaceEncoder:
    """The vectors of an encoder of Hugging Face, on a GPU if there is one; those of a sentence are kept."""

    def __init__(self, name: str) -> None:
        """name: of an encoder, or its folder; `#LAYER` behind it chooses a layer."""
        transformers = needed("transformers", "encoder", "an encoder")
        self.torch = needed("torch", "encoder", "an encoder")
        path, _, layer = name.partition("#")
        if layer and not layer.isdigit():
            raise OptionError(f"encoder {name}: layer {layer!r}; expected a whole number")
        transformers.utils.logging.disable_progress_bar()  # the library never prints
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(path)
            self._model = transformers.AutoModel.from_pretrained(path).eval()
        except TreegaugeError:
            raise
        except (OSError, ValueError, KeyError, ImportError) as error:
            raise OptionError(f"encoder {path}: it cannot be loaded: {str(error).splitlines()[0][:200]}") from error
        if not self._tokenizer.is_fast:
            raise OptionError(f"encoder {path}: its tokenizer does not tell which piece belongs to which word")
        self.name, self._layer = name, int(layer) if layer else None
        layers = int(self._model.config.num_hidden_layers)
        if self._layer is not None and self._layer > layers:
            raise OptionError(f"encoder {name}: layer {layer}; expected 0 to {layers}")
        self._device = "cuda" if self.torch.cuda.is_available() else "cpu"
        self._model.to(self._device)
        longest = getattr(self._model.config, "max_position_embeddings", None) or 512
        self._longest = max(min(int(longest), 512) - 4, 8)
        self._kept: dict[bytes, np.ndarray] = {}

    @cached_property
    def revision(self) -> str:
        """The commit of the encoder, or for a folder the start of a hash of its weights."""
        commit = getattr(self._model.config, "_commit_hash", None)
        if commit:
            return str(commit)
        digest = hashlib.sha256()
        for name, values in sorted(self._model.state_dict().items()):
            digest.update(name.encode() + values.cpu().numpy().tobytes())
        return digest.hexdigest()[:16]

    def __call__(self, corpus: Corpus) -> np.ndarray:
        """A row of numbers for each word."""
        sentences = [corpus.forms(s) for s in range(corpus.n_sentences)]
        keys = [hashlib.sha256("\t".join(forms).encode("utf-8", "replace")).digest() for forms in sentences]
        found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {key: forms for key, forms in zip(keys, sentences, strict=True) if key not in found and forms}
        order = sorted(missing, key=lambda key: len(missing[key]))
        for some in _together([(key, missing[key]) for key in order]):
            vectors = self._encoded([forms for _, forms in some])
            found |= {key: values for (key, _), values in zip(some, vectors, strict=True)}
        if len(self._kept) + len(missing) <= _TEXTS:
            self._kept |= {key: found[key] for key in order}
        width = int(self._model.config.hidden_size)
        parts = [found[key].astype(np.float32) for key, forms in zip(keys, sentences, strict=True) if forms]
        return np.concatenate(parts) if parts else np.zeros((0, width), dtype=np.float32)

    def _encoded(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """The vectors of some sentences; long ones are read in parts, which do not see each other."""
        pieces = [self._parts(forms) for forms in sentences]
        flat = [part for parts in pieces for part in parts]
        cut = {"padding": True, "truncation": True, "max_length": self._longest + 4}
        given = self._tokenizer(flat, is_split_into_words=True, return_tensors="pt", **cut)
        inputs = {name: values.to(self._device) for name, values in given.items()}
        with self.torch.inference_mode():
            layers = self._model(**inputs, output_hidden_states=True).hidden_states
            upper = layers[len(layers) // 2 :] if self._layer is None else layers[self._layer : self._layer + 1]
            hidden = self.torch.stack(upper).mean(0)
        states = hidden.float().cpu().numpy()
        vectors = [_word_means(states[k], given.word_ids(k), len(part)) for k, part in enumerate(flat)]
        joined, at = [], 0
        for parts in pieces:
            joined.append(np.concatenate(vectors[at : at + len(parts)]).astype(np.float16))
            at += len(parts)
        return joined

    def _parts(self, forms: Sequence[str]) -> list[list[str]]:
        """A sentence in parts that are short enough for the encoder; very long words are cut."""
        short = [form[:100] or "_" for form in forms]
        if sum(map(len, short)) + len(short) <= self._longest:
            return [short]
        numbers = [len(ids) for ids in self._tokenizer(short, add_special_tokens=False)["input_ids"]]
        parts: list[list[str]] = [[]]
        length = 0
        for form, n in zip(short, numbers, strict=True):
            if parts[-1] and length + n > self._longest:
                parts.append([])
                length = 0
            parts[-1].append(form)
            length += n
        return parts


def _together(sentences: list[tuple[bytes, list[str]]]) -> Iterator[list[tuple[bytes, list[str]]]]:
    """Sentences, sorted by length, in groups of about _PIECES words and padding."""
    group: list[tuple[bytes, list[str]]] = []
    for sentence in sentences:
        if group and (len(group) + 1) * len(sentence[1]) > _PIECES:
            yield group
            group = []
        group.append(sentence)
    if group:
        yield group


def _word_means(states: np.ndarray, words: Sequence[int | None], n: int) -> np.ndarray:
    """The mean of the states of the pieces of each word; 0 for a word without pieces."""
    total, times = np.zeros((n, states.shape[1]), dtype=np.float32), np.zeros(n)
    for state, word in zip(states, words, strict=False):
        if word is not None:
            total[word] += state
            times[word] += 1
    return np.asarray(total / np.maximum(times, 1)[:, None])
