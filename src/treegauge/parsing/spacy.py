"""spaCy pipelines as parsers; `corpus.adapters.spacy_docs` says how their labels are written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from treegauge.corpus.adapters.spacy_docs import sentence_conllu
from treegauge.corpus.relations import GROUPS
from treegauge.errors import ModelError
from treegauge.parsing.parser import PARAGRAPH, TOKENS, WRAPPED

if TYPE_CHECKING:
    from spacy.tokens import Doc

_BATCH = 64  # how many texts the pipeline takes at a time


def load(model: str, passage: str) -> SpacyParser:
    """An installed pipeline, or one in a folder, without components that trees do not need."""
    import spacy

    try:
        pipeline = spacy.load(model, exclude=["ner", "textcat", "entity_linker"])
    except OSError as error:
        raise ModelError(f"spaCy has no pipeline {model!r}; install it: python -m spacy download {model}") from error
    if "parser" not in pipeline.pipe_names:
        raise ModelError(f"the spaCy pipeline {model!r} has no parser; it has {', '.join(pipeline.pipe_names)}")
    return SpacyParser(pipeline, passage)


class SpacyParser:
    """A spaCy pipeline as a parser."""

    def __init__(self, pipeline: Any, passage: str) -> None:
        import spacy

        meta = pipeline.meta
        self.name = f"spacy {spacy.__version__} {meta['lang']}_{meta['name']}-{meta['version']}"
        self._pipeline, self._passage = pipeline, passage
        labels = {label.partition("||")[0].partition(":")[0] for label in pipeline.get_pipe("parser").labels}
        others = sorted(labels - set(chain(*GROUPS.values())) - {"ROOT"})
        self.notes = (f"relations that are not UD's: {', '.join(others)}",) if others else ()

    def parse(self, texts: Sequence[str]) -> list[str]:
        """The sentences of each text as CoNLL-U."""
        docs = self._pipeline.pipe(map(self._tokenised, texts), batch_size=_BATCH)
        return ["".join(sentence_conllu(span) for span in doc.sents) for doc in docs]

    def _tokenised(self, text: str) -> Doc:
        """The words of a text; if the passage is a sentence, it is not split."""
        from spacy.tokens import Doc

        if self._passage == TOKENS:
            doc = Doc(self._pipeline.vocab, words=text.split())
        else:
            doc = self._pipeline.make_doc(text)
        if self._passage not in (PARAGRAPH, WRAPPED):
            for token in doc:
                token.is_sent_start = token.i == 0
        return doc
