"""UDPipe 1 (Straka and Straková 2017) as a parser, by the package ufal.udpipe; a model is one file."""

import hashlib
import os
from collections.abc import Sequence

from treegauge.errors import ModelError
from treegauge.parsing.parser import PARAGRAPH, SENTENCE, TOKENS, WRAPPED

_READERS = {
    PARAGRAPH: "tokenizer",
    WRAPPED: "tokenizer",
    SENTENCE: "tokenizer=presegmented",
    TOKENS: "horizontal",
}


def load(model: str, passage: str) -> "UDPipe":
    """UDPipe with a model file."""
    return UDPipe(model, passage)


class UDPipe:
    """The tokeniser, tagger and parser of one model."""

    notes: tuple[str, ...] = ()

    def __init__(self, model: str, passage: str) -> None:
        from ufal import udpipe

        if not os.path.isfile(model):
            raise ModelError(f"{model}: no such file; expected a UDPipe model")
        self._model = udpipe.Model.load(model)
        if self._model is None:
            raise ModelError(f"{model}: UDPipe cannot read this model")
        every = udpipe.Pipeline.DEFAULT
        self._pipeline = udpipe.Pipeline(self._model, _READERS[passage], every, every, "conllu")
        self._error = udpipe.ProcessingError()
        version = udpipe.Version.current()
        with open(model, "rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        number = f"{version.major}.{version.minor}.{version.patch}"
        self.name = f"udpipe {number} {os.path.basename(model)}@{digest[:8]}"

    def parse(self, texts: Sequence[str]) -> list[str]:
        """The sentences of each text as CoNLL-U."""
        return [self._parsed(text) for text in texts]

    def _parsed(self, text: str) -> str:
        parsed: str = self._pipeline.process(text, self._error)
        if self._error.occurred():
            raise ValueError(self._error.message)
        return parsed
