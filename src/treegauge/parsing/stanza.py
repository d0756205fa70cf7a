"""Stanza (Qi et al. 2020) as a parser; a model is a language code whose models have been downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treegauge.corpus.adapters.stanza_docs import document_conllu
from treegauge.errors import ModelError
from treegauge.parsing.parser import PARAGRAPH, SENTENCE, TOKENS, WRAPPED

_OPTIONS: dict[str, dict[str, Any]] = {
    PARAGRAPH: {},
    WRAPPED: {},
    SENTENCE: {"tokenize_no_ssplit": True},
    TOKENS: {"tokenize_pretokenized": True},
}


def load(model: str, passage: str) -> StanzaParser:
    """The pipeline of a language, from models on this machine; it downloads nothing."""
    import stanza

    try:
        pipeline = stanza.Pipeline(
            model,
            processors="tokenize,pos,lemma,depparse",  # Stanza adds mwt itself if the language has it
            download_method=None,
            verbose=False,
            **_OPTIONS[passage],
        )
    except Exception as error:  # Stanza has no common class for missing models
        hint = f'download its models: python -c "import stanza; stanza.download({model!r})"'
        raise ModelError(f"Stanza cannot load {model!r} ({error}); {hint}") from error
    return StanzaParser(f"stanza {stanza.__version__} {model}", pipeline)


class StanzaParser:
    """A Stanza pipeline as a parser; its trees are UD trees."""

    notes: tuple[str, ...] = ()

    def __init__(self, name: str, pipeline: Any) -> None:
        self.name = name
        self._pipeline = pipeline

    def parse(self, texts: Sequence[str]) -> list[str]:
        """The sentences of each text as CoNLL-U."""
        return [document_conllu(self._pipeline(text)) for text in texts]
