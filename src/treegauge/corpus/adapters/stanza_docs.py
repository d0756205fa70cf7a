"""Read trees from Stanza documents, and set values on their words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from treegauge.corpus.adapters.same_words import check_words, misc_of_words
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError, check_type


def from_stanza(docs: Any) -> Corpus:
    """The corpus of one or several parsed Stanza documents."""
    texts = []
    for doc in _several(docs):
        for sentence in doc.sentences:
            if any(word.head is None or word.deprel is None for word in sentence.words):
                raise CorpusError(f"the sentence {sentence.text[:30]!r} has no tree; expected a pipeline with depparse")
        texts.append(document_conllu(doc))
    return parse_conllu("".join(texts))


def document_conllu(doc: Any) -> str:
    """A Stanza document as CoNLL-U; empty if it has no sentences."""
    text = f"{doc:C}".strip("\n")
    return f"{text}\n\n" if text else ""


def set_on_stanza(
    docs: Any, corpus: Corpus, attributes: Mapping[str, Sequence[Any]], misc: Mapping[str, Sequence[str | None]]
) -> None:
    """Set attributes and MISC of the words that the corpus was made of.

    attributes, misc: name of the attribute, or name in MISC -> the value of each word.
    """
    words = [word for doc in _several(docs) for sentence in doc.sentences for word in sentence.words]
    check_words(corpus, (word.text for word in words), "Stanza words")
    for name, values in attributes.items():
        for word, value in zip(words, values, strict=True):
            setattr(word, name, value)
    for word, new in zip(words, misc_of_words(misc), strict=True):
        old = [entry for entry in (word.misc or "").split("|") if entry and entry.partition("=")[0] not in new]
        word.misc = "|".join([*old, *(f"{name}={text}" for name, text in new.items())])
    for doc in _several(docs):
        for sentence in doc.sentences:
            known = [w.arc_probability for w in sentence.words if w.arc_probability is not None]
            sentence.arc_plausibility = sum(known) / len(known) if known else None


def _several(docs: Any) -> Iterable[Any]:
    several = [docs] if hasattr(docs, "sentences") else docs
    check_type("docs", several, Iterable, "a document of Stanza, or several")
    return several
