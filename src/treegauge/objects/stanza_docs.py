"""Stanza documents to trees, and values onto their words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from treegauge.corpus.conllu import Corpus, parse_conllu
from treegauge.errors import CorpusError
from treegauge.objects.word_values import WordValues, check_words

_NAMES = ("arc_score", "arc_probability", "tag_probability", "arc_suggestion")


def from_stanza(docs: Any) -> Corpus:
    """The corpus of a parsed Stanza document, or of several as one."""
    texts = []
    for doc in _several(docs):
        for sentence in doc.sentences:
            if any(word.head is None or word.deprel is None for word in sentence.words):
                raise CorpusError(f"the sentence {sentence.text[:30]!r} has no tree; expected a pipeline with depparse")
        texts.append(document_conllu(doc))
    return parse_conllu("".join(texts))


def document_conllu(doc: Any) -> str:
    """A Stanza document as CoNLL-U; nothing if it has no sentences."""
    text = f"{doc:C}".strip("\n")
    return f"{text}\n\n" if text else ""


def set_on_stanza(docs: Any, corpus: Corpus, values: WordValues) -> None:
    """Set `word.arc_probability` and so on, and the same in MISC, of the words that the corpus was made of."""
    words = [word for doc in _several(docs) for sentence in doc.sentences for word in sentence.words]
    check_words(corpus, (word.text for word in words), "Stanza words")
    for word, value in zip(words, values, strict=True):
        for name in _NAMES:
            setattr(word, name, getattr(value, name))
        new = value.misc()
        kept = [entry for entry in (word.misc or "").split("|") if entry and entry.partition("=")[0] not in new]
        word.misc = "|".join([*kept, *(f"{name}={text}" for name, text in new.items())])
    for doc in _several(docs):
        for sentence in doc.sentences:
            known = [w.arc_probability for w in sentence.words if w.arc_probability is not None]
            sentence.arc_plausibility = sum(known) / len(known) if known else None


def _several(docs: Any) -> Iterable[Any] | Iterator[Any]:
    return [docs] if hasattr(docs, "sentences") else docs
