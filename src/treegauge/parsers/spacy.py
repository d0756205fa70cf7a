"""spaCy pipelines, their tokens and labels made CoNLL-U.

spaCy departs from Universal Dependencies in four ways. The relation `ROOT`, whose head is the word itself, becomes
`root` with head 0; should a sentence have several, the others hang on the first, as `dep`. Tokens of white space
(`SPACE`) are no words: they are left out, and what hung on one hangs on its head, or, where it was the root, on the
first of them. A word without relation becomes `dep`. A contraction (Spanish
`del`) is one token, and stays one word. Where a pipeline's relations are not UD's (English, German), they are kept, and
`notes` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from treegauge.attachment.relations import GROUPS
from treegauge.errors import ModelError
from treegauge.parsers.parser import PARAGRAPH, TOKENS, WRAPPED

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_BATCH = 64  # texts that the pipeline takes at a time


def load(model: str, passage: str) -> SpacyParser:
    """An installed pipeline, or one in a folder, without what trees do not need."""
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
        """The words of a text; a sentence is kept whole."""
        from spacy.tokens import Doc

        if self._passage == TOKENS:
            doc = Doc(self._pipeline.vocab, words=text.split())
        else:
            doc = self._pipeline.make_doc(text)
        if self._passage not in (PARAGRAPH, WRAPPED):
            for token in doc:
                token.is_sent_start = token.i == 0
        return doc


def sentence_conllu(span: Span) -> str:
    """A sentence of spaCy's as CoNLL-U; nothing where it is all white space."""
    words = [token for token in span if not token.is_space]
    number = {token.i: k for k, token in enumerate(words, 1)}
    lines = [f"# text = {' '.join(span.text.split())}\n"] if words else []
    top = 0  # the root, once it is found
    for token in words:
        head = token.head
        while head.is_space and head.head.i != head.i:
            head = head.head
        relation = token.dep_ if token.dep_ not in ("", "ROOT") else "dep"
        if head.i != token.i and not head.is_space:
            at = number[head.i]
        elif top:
            at = top
        else:
            at, relation = 0, "root"
            top = number[token.i]
        lines.append(_line(number[token.i], token, at, relation))
    return "".join(lines) + "\n" if words else ""


def _line(number: int, token: Any, head: int, relation: str) -> str:
    space = "_" if token.whitespace_ or token.i + 1 == len(token.doc) else "SpaceAfter=No"
    columns = (token.text, token.lemma_, token.pos_, token.tag_, str(token.morph))
    return "\t".join([str(number), *(c or "_" for c in columns), str(head), relation, "_", space]) + "\n"
